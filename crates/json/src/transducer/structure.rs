//! Containers, commas and comments.

use super::piece::Piece;
use super::state::{Frame, State};
use super::words::is_word_byte;
use super::{HELD, Output, Step, Transducer};
use crate::repair::Repair;
use crate::scan::blanks;

/// How many containers are looked at for the one that a closing bracket fits.
const FITS: usize = 1024;

impl Transducer {
    #[inline]
    pub(super) fn open(&mut self, frame: Frame) {
        self.stack.push(frame);
        self.empty = true;
        if frame.has_keys() {
            self.keys.open();
            self.state = State::Key;
        } else {
            self.state = State::Value;
        }
    }

    pub(super) fn expect_next(&mut self) {
        self.state = match self.stack.last() {
            Some(frame) if frame.has_keys() => State::Key,
            _ => State::Value,
        };
    }

    #[inline]
    pub(super) fn end_value(&mut self) {
        if self.stack.is_empty() {
            self.state = State::Done;
            self.value_ended = true;
        } else {
            self.state = State::After;
            self.value_ended = self.stack.len() <= self.context.watch;
        }
    }

    /// A closing bracket in the input. It may fit the innermost container, an outer one, or none.
    pub(super) fn close(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let here = piece.here();
        if self.is_meant_for_list(byte, piece) {
            self.drop_comma(piece.out);
            piece.flush();
            self.note(Repair::MismatchedBracket, here, here + 1, piece.out);
            piece.out.text.push(']');
            piece.skip(1);
            self.pop();
            return None;
        }
        if self
            .stack
            .last()
            .is_some_and(|frame| frame.closer() == byte && frame.json_closer().as_bytes() == [byte])
        {
            piece.i += 1;
            self.pop();
            return None;
        }
        piece.flush();
        if byte == b'}' && self.call.is_wrapped && self.stack.len() == 1 {
            piece.skip(1);
            return None;
        }
        let Some(fit) = self.fit(byte) else {
            if self.stack.is_empty() {
                return Some(Step::Stuck);
            }
            self.note(Repair::MismatchedBracket, here, here + 1, piece.out);
            piece.skip(1);
            return None;
        };
        while self.stack.len() > fit + 1 {
            if let Some(frame) = self.stack.last() {
                piece.out.text.push_str(frame.json_closer());
            }
            self.note(Repair::MissingBracket, here, here, piece.out);
            self.pop();
            if self.value_ended {
                // The caller hears of this end first; the same byte closes the next container then.
                return None;
            }
        }
        if let Some(frame) = self.stack.last() {
            piece.out.text.push_str(frame.json_closer());
        }
        piece.skip(1);
        self.pop();
        None
    }

    /// The innermost container that a closing bracket fits, of those that are looked at.
    fn fit(&self, byte: u8) -> Option<usize> {
        let n_beyond = self.stack.len().saturating_sub(FITS);
        let fit = |frame: &Frame| frame.closer() == byte;
        let fit = self.stack[n_beyond..].iter().rposition(fit);
        fit.map(|fit| n_beyond + fit)
    }

    /// Whether a closing bracket fits an open container.
    pub(super) fn fits(&self, byte: u8) -> bool {
        self.fit(byte).is_some()
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        if self.stack.pop().is_some_and(Frame::has_keys) {
            self.keys.close();
        }
        self.empty = false;
        self.end_value();
    }

    pub(super) fn can_follow_a_missing_comma(&self, byte: u8) -> bool {
        match self.stack.last() {
            Some(Frame::Object | Frame::Keywords) => {
                matches!(byte, b'"' | b'\'') || is_word_byte(byte)
            }
            Some(Frame::Array | Frame::Tuple | Frame::Set) => {
                matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-')
                    || is_word_byte(byte)
                    || self.context.is_whole && byte == b'<'
            }
            Some(Frame::Call | Frame::Root) | None => false,
        }
    }

    /// A byte after a value.
    pub(super) fn after_value(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => piece.i += 1,
            _ if self.is_over && !matches!(byte, b'}' | b']') => return Some(Step::Stuck),
            _ if self.stack.last() == Some(&Frame::Call) && !matches!(byte, b')' | b'/' | b'#') => {
                // One value stands in a call.
                piece.flush();
                self.note_here(Repair::MissingBracket, 0, piece);
                self.pop();
            }
            _ if self.stack.last() == Some(&Frame::Root) => {
                piece.flush();
                self.pop();
            }
            // `[{"a": 1 {"b": 2}]`: the object has lost its bracket.
            b'{' if self.is_object_in_list() => {
                piece.flush();
                piece.out.text.push('}');
                self.note_here(Repair::MissingBracket, 0, piece);
                self.pop();
            }
            b'.' | 0xe2 if self.dots_begin(piece) => self.start_dots(piece),
            b';' if self.comma.is_none() && !self.context.python && !self.stack.is_empty() => {
                piece.flush();
                self.note_here(Repair::MissingComma, 1, piece);
                self.comma = Some(piece.here());
                self.held.push(',');
                piece.skip(1);
                self.expect_next();
            }
            b',' if self.comma.is_none() => {
                let next = piece.i + 1 + blanks(&piece.bytes()[piece.i + 1..]);
                let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                match piece.bytes().get(next) {
                    // The run goes on over a comma that is none too many.
                    Some(b'"' | b'0'..=b'9' | b'a'..=b'z') if next - piece.i <= HELD => {
                        piece.i = next;
                    }
                    Some(b'{' | b'[' | b'-') if !in_keys && next - piece.i <= HELD => {
                        piece.i = next;
                    }
                    _ => {
                        piece.flush();
                        self.comma = Some(piece.here());
                        self.held.push(',');
                        piece.skip(1);
                    }
                }
                self.expect_next();
            }
            b'}' | b']' | b')' => {
                if let Some(step) = self.close(byte, piece) {
                    return Some(step);
                }
            }
            b'/' | b'#' => self.comment(byte, piece),
            _ if is_word_byte(byte) && self.stack.last() == Some(&Frame::Object) => {
                piece.flush();
                self.token_at = piece.here();
                self.state = State::Next;
            }
            _ if self.can_follow_a_missing_comma(byte) => {
                piece.flush();
                piece.out.text.push(',');
                self.note_here(Repair::MissingComma, 0, piece);
                self.expect_next();
            }
            _ => return Some(Step::Stuck),
        }
        None
    }

    /// A byte of a bare word after a value. With its colon it is a key whose comma is missing; where the keys are known,
    /// it has to be one of them. Anything else is no part of the document.
    pub(super) fn next_key(&mut self, piece: &mut Piece<'_>) -> Option<Step> {
        let byte = piece.bytes()[piece.i];
        let is_blank = matches!(byte, b' ' | b'\t');
        if (is_blank || is_word_byte(byte) || matches!(byte, b'-' | b'.' | b'$'))
            && self.held.len() < HELD
        {
            let length = piece.text[piece.i..]
                .chars()
                .next()
                .map_or(1, char::len_utf8);
            self.held.push_str(&piece.text[piece.i..piece.i + length]);
            piece.i += length;
            return None;
        }
        let word = self.held.trim_end();
        let is_key = matches!(byte, b':' | b'=' | b'"')
            && !word.contains([' ', '\t'])
            && !self.begins_another(word, byte)
            && self.may_have_key(word);
        self.unread.at = self.token_at;
        self.unread.text.push_str(&self.held);
        self.held.clear();
        self.state = State::After;
        if !is_key {
            self.is_stuck = true;
            return Some(Step::Stuck);
        }
        piece.out.text.push(',');
        self.note(
            Repair::MissingComma,
            self.token_at,
            self.token_at,
            piece.out,
        );
        self.expect_next();
        Some(Step::More)
    }

    /// Three dots, or one that stand for them, or the first of them.
    pub(super) fn dots_begin(&self, piece: &Piece<'_>) -> bool {
        !self.context.python
            && !self.stack.is_empty()
            && piece.text[piece.i..].starts_with(['.', '\u{2026}'])
    }

    #[cold]
    pub(super) fn start_dots(&mut self, piece: &mut Piece<'_>) {
        piece.flush();
        self.token.clear();
        self.token_at = piece.here();
        self.resume = self.state;
        self.state = State::Dots;
    }

    /// A byte of the dots, or after them. Three are an ellipsis, where nothing but structure follows.
    #[cold]
    pub(super) fn dots(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        piece.run = piece.i;
        let is_whole = matches!(self.token.as_str(), "..." | "\u{2026}");
        if !is_whole && (byte == b'.' || self.token.is_empty()) {
            let c = piece.text[piece.i..].chars().next()?;
            self.token.push(c);
            piece.skip(c.len_utf8());
            return None;
        }
        let is_structure =
            byte <= b' ' || matches!(byte, b',' | b'}' | b']' | b')' | b'"' | b'\'' | b'/' | b'#');
        if is_whole && is_structure {
            self.note(Repair::Ellipsis, self.token_at, piece.here(), piece.out);
            self.token.clear();
            self.state = State::Dotted;
            return None;
        }
        match self.resume {
            State::After => {
                self.unread.at = self.token_at;
                self.unread.text.push_str(&self.token);
                self.state = State::After;
                self.is_stuck = true;
                return Some(Step::Stuck);
            }
            // It is a word.
            resume => {
                self.settle_comma(piece.out);
                (self.empty, self.in_key) = (false, resume == State::Key);
                (self.word.nest, self.string.is_raw) = (0, false);
                self.state = State::Word;
            }
        }
        None
    }

    /// A byte after dots that were left out.
    #[cold]
    pub(super) fn after_dots(&mut self, byte: u8, piece: &mut Piece<'_>) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.blank(piece),
            _ => {
                self.state = self.resume;
                if byte == b',' && self.resume != State::After {
                    piece.flush();
                    piece.skip(1);
                }
            }
        }
    }

    /// A blank of `length` bytes that JSON does not have, between tokens.
    #[cold]
    pub(super) fn odd_blank(&mut self, length: usize, piece: &mut Piece<'_>) {
        piece.flush();
        let here = piece.here();
        self.note(Repair::OddBlank, here, here + length as u64, piece.out);
        if self.comma.is_some() {
            if self.held.len() < HELD {
                self.held.push(' ');
            }
        } else if self.state != State::Root {
            piece.out.text.push(' ');
        }
        piece.skip(length);
    }

    /// A blank where a key or a value is due. After an owed comma it is owed too.
    pub(super) fn blank(&mut self, piece: &mut Piece<'_>) {
        if self.comma.is_some() {
            if self.held.len() < HELD {
                self.held.push_str(&piece.text[piece.i..=piece.i]);
            }
            piece.run = piece.i + 1;
        }
        piece.i += 1;
    }

    /// The element after an owed comma came: the comma is one.
    #[inline]
    pub(super) fn settle_comma(&mut self, out: &mut Output) {
        if self.comma.take().is_some() {
            out.text.push_str(&self.held);
            self.held.clear();
        }
    }

    /// A closer came after an owed comma: it goes, its blanks stay.
    pub(super) fn drop_comma(&mut self, out: &mut Output) {
        if let Some(at) = self.comma.take() {
            self.note(Repair::TrailingComma, at, at + 1, out);
            out.text.push_str(&self.held[1..]);
            self.held.clear();
        }
    }

    pub(super) fn comment(&mut self, byte: u8, piece: &mut Piece<'_>) {
        piece.flush();
        self.resume = self.state;
        if byte == b'#' {
            self.state = State::LineComment;
            self.note_here(Repair::Comment, 1, piece);
        } else {
            self.state = State::Slash;
        }
        piece.skip(1);
    }

    /// A byte in a comment, or after the slash that may start one.
    pub(super) fn in_comment(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let bytes = piece.bytes();
        match self.state {
            State::Slash => {
                let slash = piece.here() - 1;
                piece.run = piece.i;
                match byte {
                    b'/' => self.state = State::LineComment,
                    b'*' => self.state = State::BlockComment { star: false },
                    _ if self.resume == State::Value => {
                        // A path: `{dir: /tmp}`.
                        self.settle_comma(piece.out);
                        self.empty = false;
                        self.start_word(slash);
                        self.token.push('/');
                        return;
                    }
                    _ => {
                        self.note(Repair::Comment, slash, slash + 1, piece.out);
                        self.state = self.resume;
                        return;
                    }
                }
                self.note(Repair::Comment, slash, slash + 1, piece.out);
                piece.skip(1);
            }
            State::LineComment => {
                piece.i +=
                    memchr::memchr(b'\n', &bytes[piece.i..]).unwrap_or(bytes.len() - piece.i);
                piece.run = piece.i;
                if piece.i < bytes.len() {
                    self.state = self.resume;
                }
            }
            State::BlockComment { star } => {
                if star && byte == b'/' {
                    self.state = self.resume;
                } else {
                    self.state = State::BlockComment { star: byte == b'*' };
                }
                piece.skip(1);
            }
            _ => {}
        }
    }
}
