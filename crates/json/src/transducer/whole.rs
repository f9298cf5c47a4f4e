//! The machine over a complete text: its starts and restarts, and the repair of what the end of the text cuts off.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::piece::Piece;
use super::state::{Frame, State};
use super::words::is_literal;
use super::{Output, Root, Transducer};
use crate::document::starts_member;
use crate::repair::Repair;
use crate::scan::blanks_end;
use crate::thresholds::KEY;
use crate::word;

impl Transducer {
    /// A machine for complete texts: nothing is fed after them.
    pub(crate) fn whole() -> Transducer {
        let mut machine = Transducer::new(Root::Value);
        machine.context.is_whole = true;
        machine.expect_closers(&Arc::from([String::from("```")]));
        machine
    }

    /// Starts a document in an open container: an object whose bracket is missing, or a call whose bracket was read.
    pub(crate) fn restart_in(&mut self, frame: Frame) {
        self.restart(Root::Value);
        self.open(frame);
    }

    /// Continues the object that ended the document: its bracket came too early.
    pub(crate) fn reopen(&mut self, is_empty: bool) {
        self.restart_in(Frame::Object);
        self.empty = is_empty;
        if !is_empty {
            self.state = State::After;
        }
    }

    /// The brackets that were supplied, in the order of their notes.
    pub(crate) fn take_brackets(&mut self) -> Vec<&'static str> {
        core::mem::take(&mut self.context.brackets)
    }

    /// How many bytes readings of quotes have read.
    pub(crate) fn work(&self) -> u64 {
        self.fork.spent
    }

    /// How many bytes after the ended document were read ahead.
    pub(crate) fn n_unread(&self) -> usize {
        self.unread.text.len()
    }

    /// Whether no byte that follows can be part of the document. A string ended at its line, a word is not a key, or a
    /// string to join is missing.
    pub(crate) fn is_unrepairable(&self) -> bool {
        self.is_over || self.is_stuck || self.state == State::Joining
    }

    /// Leaves out what the machine is stuck at: the word or the character that was read ahead, or else `length` bytes
    /// at `at`. Returns how many bytes of the input the caller must pass.
    pub(crate) fn skip(&mut self, length: usize, at: u64, out: &mut Output) -> usize {
        let is_word = core::mem::take(&mut self.is_stuck);
        let is_part = |&c: &char| is_word && (c.is_alphanumeric() || " \t-.$_\u{2026}".contains(c));
        let ahead = &self.unread.text;
        let n_word: usize = ahead.chars().take_while(is_part).map(char::len_utf8).sum();
        let n_first = ahead.chars().next().map_or(0, char::len_utf8);
        let n_ahead = n_word.max(n_first);
        if n_ahead == 0 {
            self.note(Repair::Junk, at, at + length as u64, out);
            return length;
        }
        let start = self.unread.at;
        self.note(Repair::Junk, start, start + n_ahead as u64, out);
        self.unread.text.drain(..n_ahead);
        self.unread.at += n_ahead as u64;
        0
    }

    /// The text ends. A cut-off part without a meaning (a key without its colon, half an escape) is left out; a cut-off
    /// word is completed. The rest is closed as by [`complete`](Transducer::complete).
    pub(crate) fn cut(&mut self, at: u64, out: &mut Output) {
        if core::mem::take(&mut self.is_stuck) {
            self.unread.text.clear();
        }
        self.settle(true, at, out);
        match self.state {
            State::Joining => {
                // No string follows the `+`.
                if core::mem::take(&mut self.empty) {
                    self.note(Repair::TruncatedJson, self.token_at, at, out);
                }
                self.end_quoted(at, out);
            }
            State::Esc => {
                self.note(Repair::TruncatedJson, self.token_at, at, out);
                self.token.clear();
                self.state = State::Str;
            }
            State::Word if !self.in_key => {
                if let Some(json) = cut_word(self.token.trim_end()) {
                    self.note(Repair::TruncatedJson, self.token_at, at, out);
                    self.token = String::from(json);
                }
            }
            _ => {}
        }
        if self.in_key
            && matches!(self.state, State::Str)
            && let Some(colon) = self.key.text.find(':').filter(|&colon| colon > 0)
        {
            self.split_key(colon, "", at, out);
            self.catch_up(at, out);
        }
        let is_key = match self.state {
            State::Str | State::Quoted | State::Apostrophe | State::Word => self.in_key,
            State::Colon => self.take_key_back(out),
            _ => false,
        };
        if is_key {
            // The key is left out, with the comma before it.
            self.note(Repair::TruncatedJson, self.token_at, at, out);
            let text = out.text.trim_end();
            let n_kept = text.strip_suffix(',').unwrap_or(text).len();
            out.text.truncate(n_kept);
            self.token.clear();
            self.held.clear();
            self.in_key = false;
            self.state = State::After;
        }
        self.complete(at, out);
    }

    /// Removes the key that was written last, if no colon follows. Returns whether the key was removed.
    fn take_key_back(&mut self, out: &mut Output) -> bool {
        let text = out.text.trim_ascii_end().strip_suffix('"');
        let text = text.and_then(|text| text.strip_suffix(self.key.text.as_str()));
        let Some(n_kept) = text.and_then(|text| text.strip_suffix('"')).map(str::len) else {
            return false;
        };
        out.text.truncate(n_kept);
        true
    }
}

impl Transducer {
    /// Whether the bracket at `at` closes the innermost container, and the next byte may follow a container.
    pub(super) fn is_before_the_end(&self, bytes: &[u8], at: usize) -> bool {
        let next = blanks_end(bytes, at + 1);
        let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']');
        let closer = self.stack.last().map(|frame| frame.closer());
        closer == Some(bytes[at]) && bytes.get(next).map_or(self.stack.len() == 1, is_end)
    }

    /// Whether the word being read, a key or a value, ends at the next byte; `None` if the rules of a stream decide.
    pub(super) fn ends_in_whole(&self, piece: &Piece<'_>) -> Option<bool> {
        if !self.context.is_whole {
            return None;
        }
        let (bytes, i) = (piece.bytes(), piece.i);
        if self.in_key {
            // `{the key: 1}`
            let is_end = |b: &u8| b",:={}[]\"'\n".contains(b);
            let end = || bytes[i..].iter().take(KEY).find(|&b| is_end(b));
            return (bytes[i] == b' ' && end() == Some(&b':')).then_some(false);
        }
        let in_object = self.stack.last() == Some(&Frame::Object);
        let continues = |at: usize| {
            let is_end = |byte: &u8| matches!(byte, b'}' | b']' | b',' | b'.');
            !bytes.get(at).is_none_or(is_end) && !starts_member(bytes, at)
        };
        let is_whole = is_literal(&self.token);
        match bytes[i] {
            b',' if in_object && is_whole => Some(!is_thousands(bytes, i)),
            b',' | b'\n' if in_object && self.word.nest == 0 => {
                Some(!continues(blanks_end(bytes, i + 1)))
            }
            b'"' | b'\'' if in_object && starts_member(bytes, i) => {
                Some(bytes[i] == b'"' || self.token.ends_with(' '))
            }
            b'<' => Some(false),
            b'{' | b'[' | b')' if is_whole => Some(true),
            b'/' if is_whole => Some(matches!(bytes.get(i + 1), Some(b'/' | b'*'))),
            _ => None,
        }
    }

    /// Leaves out a markup comment. Returns whether there was one.
    pub(super) fn skips_markup(&mut self, piece: &mut Piece<'_>) -> bool {
        let rest = &piece.bytes()[piece.i..];
        if !self.context.is_whole || !self.is_between_tokens() || !rest.starts_with(b"<!--") {
            return false;
        }
        let length = memchr::memmem::find(rest, b"-->").map_or(rest.len(), |n| n + 3);
        self.leave_out(Repair::Comment, length, piece);
        true
    }

    /// Whether the word being read is directly before a key, and is not a key itself.
    pub(super) fn is_before_key(&self, piece: &Piece<'_>) -> bool {
        let next = blanks_end(piece.bytes(), piece.i);
        self.context.is_whole
            && next > piece.i
            && piece.bytes().get(next) == Some(&b'"')
            && starts_member(piece.bytes(), next)
    }

    /// Returns whether a member occurs where an element is due. Supplies the lost brace of its object, or the lost
    /// bracket of the list before it.
    pub(super) fn member_in_list(&mut self, piece: &mut Piece<'_>) -> bool {
        let is_list = self.context.is_whole && self.stack.last() == Some(&Frame::Array);
        if !is_list || !starts_member(piece.bytes(), piece.i) {
            return false;
        }
        piece.flush();
        let text = piece.out.text.trim_ascii_end();
        let n_text = text.strip_suffix(',').unwrap_or(text).len();
        let in_object = matches!(self.stack.as_slice(), [.., Frame::Object, _]);
        if in_object && !self.empty && !piece.out.text[..n_text].ends_with(['}', ']']) {
            piece.out.text.truncate(n_text);
            self.supply("]", Repair::MissingBracket, piece);
            self.pop();
            self.expect_next();
            if self.comma.is_none() {
                piece.out.text.push(',');
            }
        } else {
            self.start_element(piece.out);
            self.supply("{", Repair::MissingBracket, piece);
            self.context.brackets.pop();
            self.context.brackets.push("{");
            self.open(Frame::Object);
        }
        true
    }

    /// Whether another bracket is written for the bracket of the list: `[1, 2)`, or a `}` after which only the object
    /// around the list can continue.
    pub(super) fn is_meant_for_list(&self, byte: u8, piece: &Piece<'_>) -> bool {
        let continues = || {
            let comma = blanks_end(piece.bytes(), piece.i + 1);
            let is_last = matches!(
                self.stack.as_slice(),
                [Frame::Object, Frame::Array] | [.., Frame::Array, Frame::Object, Frame::Array]
            );
            is_last
                && piece.bytes().get(comma) == Some(&b',')
                && starts_member(piece.bytes(), blanks_end(piece.bytes(), comma + 1))
        };
        self.context.is_whole
            && self.stack.last() == Some(&Frame::Array)
            && (byte == b')' && self.fit(b')').is_none() || byte == b'}' && continues())
    }

    /// `"a": [1], [2]`: the list continues after its bracket, which is removed from the output.
    pub(super) fn reopens_list(&mut self, piece: &mut Piece<'_>) -> bool {
        let is_list = self.context.is_whole && !self.empty && piece.out.text.ends_with(']');
        if is_list {
            self.leave_out(Repair::MismatchedBracket, 1, piece);
            piece.out.text.pop();
            let is_empty = piece.out.text.trim_end().ends_with('[');
            self.open(Frame::Array);
            self.empty = is_empty;
            if is_empty {
                self.comma = None;
                self.held.clear();
            }
        }
        is_list
    }

    /// Whether `bytes` start a comment. In a complete text, a `#` right before most other bytes does not.
    pub(super) fn starts_comment(&self, bytes: &[u8]) -> bool {
        let is_colour = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'#' | b'\n' | b'\r' | b'!');
        !(self.context.is_whole && bytes[0] == b'#' && bytes.get(1).is_some_and(is_colour))
    }
}

/// Whether the comma is between digits of one number: `12,345`.
fn is_thousands(bytes: &[u8], comma: usize) -> bool {
    let digits = bytes[comma + 1..].iter().take(4);
    digits.take_while(|byte| byte.is_ascii_digit()).count() == 3
        && comma > 0
        && bytes[comma - 1].is_ascii_digit()
}

/// Whether the bracket that starts `bytes` contains one value, not a list: `("a" "b")`.
pub(super) fn is_one_value(bytes: &[u8]) -> bool {
    let (mut depth, mut quote, mut is_empty) = (0_usize, None, true);
    let mut bytes = bytes.iter().take(KEY);
    while let Some(&byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => drop(bytes.next()),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => {
                depth += 1;
                is_empty &= depth == 1;
                continue;
            }
            (None, b')' | b']' | b'}') if depth == 1 => return !is_empty,
            (None, b')' | b']' | b'}') => depth -= 1,
            (None, b',') if depth == 1 => return false,
            _ => {}
        }
        is_empty &= byte <= b' ';
    }
    false
}

/// The value of a word that the end of the text cuts off.
fn cut_word(word: &str) -> Option<Cow<'static, str>> {
    const WORDS: &[&str] = &["true", "false", "null", "True", "False", "None"];
    if word == "-" {
        return Some(Cow::Borrowed("null"));
    }
    let digits = word.trim_end_matches(['-', '+']);
    let digits = digits.trim_end_matches(['e', 'E']);
    if digits.len() < word.len() && word::is_number(digits) {
        return Some(Cow::Owned(String::from(digits)));
    }
    let is_cut = |whole: &&&str| **whole != word && whole.starts_with(word);
    let whole = WORDS.iter().find(is_cut)?;
    Some(word::value(whole, false).0)
}
