//! Containers, commas and comments.

use super::state::{Frame, State};
use super::words::is_word_byte;
use super::{HELD, Output, Step, Transducer};
use crate::repair::Repair;

impl Transducer {
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
            self.value_ended = self.stack.len() <= self.watch;
        }
    }

    /// A closing bracket in the input. It may fit the innermost container, an outer one, or none.
    pub(super) fn close(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let here = at + *i as u64;
        if self
            .stack
            .last()
            .is_some_and(|frame| frame.closer() == byte && frame.json_closer() == char::from(byte))
        {
            *i += 1;
            self.pop();
            return None;
        }
        out.text.push_str(&text[*run..*i]);
        *run = *i;
        if byte == b'}' && self.wrapped && self.stack.len() == 1 {
            *i += 1;
            *run = *i;
            return None;
        }
        let Some(fit) = self.stack.iter().rposition(|frame| frame.closer() == byte) else {
            if self.stack.is_empty() {
                return Some(Step::Stuck);
            }
            self.mend(out, Repair::WrongBracket, here, here + 1);
            *i += 1;
            *run = *i;
            return None;
        };
        while self.stack.len() > fit + 1 {
            if let Some(frame) = self.stack.last() {
                out.text.push(frame.json_closer());
            }
            self.mend(out, Repair::MissingBracket, here, here);
            self.pop();
            if self.value_ended {
                // The caller hears of this end first; the same byte closes the next container then.
                return None;
            }
        }
        if let Some(frame) = self.stack.last() {
            out.text.push(frame.json_closer());
        }
        *i += 1;
        *run = *i;
        self.pop();
        None
    }

    /// Whether a closing bracket fits an open container.
    pub(super) fn fits(&self, byte: u8) -> bool {
        self.stack.iter().any(|frame| frame.closer() == byte)
    }

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
                matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-') || is_word_byte(byte)
            }
            None => false,
        }
    }

    /// A byte of a bare word behind a value. With its colon it is a key whose comma is missing; where the keys are known,
    /// it has to be one of them. Anything else is no part of the document.
    pub(super) fn next_key(&mut self, text: &str, i: &mut usize, out: &mut Output) -> Option<Step> {
        let byte = text.as_bytes()[*i];
        let is_blank = matches!(byte, b' ' | b'\t');
        if (is_blank || is_word_byte(byte) || matches!(byte, b'-' | b'.' | b'$'))
            && self.owed.len() < HELD
        {
            let length = text[*i..].chars().next().map_or(1, char::len_utf8);
            self.owed.push_str(&text[*i..*i + length]);
            *i += length;
            return None;
        }
        let word = self.owed.trim_end();
        let is_key = matches!(byte, b':' | b'=' | b'"')
            && !word.contains([' ', '\t'])
            && !self.begins_another(word, byte)
            && self.may_have_key(word);
        self.replay_at = self.token_at;
        self.replay.push_str(&self.owed);
        self.owed.clear();
        self.state = State::After;
        if !is_key {
            self.is_stuck = true;
            return Some(Step::Stuck);
        }
        out.text.push(',');
        self.mend(out, Repair::MissingComma, self.token_at, self.token_at);
        self.expect_next();
        Some(Step::More)
    }

    /// A blank where a key or a value is due. Behind an owed comma it is owed too.
    pub(super) fn blank(&mut self, text: &str, i: &mut usize, run: &mut usize) {
        if self.comma {
            if self.owed.len() < HELD {
                self.owed.push_str(&text[*i..=*i]);
            }
            *run = *i + 1;
        }
        *i += 1;
    }

    /// The element behind an owed comma came: the comma is one.
    #[inline]
    pub(super) fn settle_comma(&mut self, out: &mut Output) {
        if self.comma {
            self.comma = false;
            out.text.push_str(&self.owed);
            self.owed.clear();
        }
    }

    /// A closer came behind an owed comma: it goes, its blanks stay.
    pub(super) fn drop_comma(&mut self, out: &mut Output) {
        if self.comma {
            self.comma = false;
            self.mend(out, Repair::TrailingComma, self.comma_at, self.comma_at + 1);
            out.text.push_str(&self.owed[1..]);
            self.owed.clear();
        }
    }

    pub(super) fn comment(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        out.text.push_str(&text[*run..*i]);
        self.resume = self.state;
        if byte == b'#' {
            self.state = State::LineComment;
            self.mend(out, Repair::Comment, at + *i as u64, at + *i as u64 + 1);
        } else {
            self.state = State::Slash;
        }
        *i += 1;
        *run = *i;
    }

    /// A byte in a comment, or behind the slash that may begin one.
    pub(super) fn in_comment(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let bytes = text.as_bytes();
        match self.state {
            State::Slash => {
                let slash = at + *i as u64 - 1;
                match byte {
                    b'/' => self.state = State::LineComment,
                    b'*' => self.state = State::BlockComment { star: false },
                    _ if self.resume == State::Value => {
                        // A path: `{dir: /tmp}`.
                        self.settle_comma(out);
                        self.empty = false;
                        self.begin_word(slash);
                        self.token.push('/');
                        *run = *i;
                        return;
                    }
                    _ => {
                        self.mend(out, Repair::Comment, slash, slash + 1);
                        self.state = self.resume;
                        *run = *i;
                        return;
                    }
                }
                self.mend(out, Repair::Comment, slash, slash + 1);
                *i += 1;
                *run = *i;
            }
            State::LineComment => {
                *i += memchr::memchr(b'\n', &bytes[*i..]).unwrap_or(bytes.len() - *i);
                *run = *i;
                if *i < bytes.len() {
                    self.state = self.resume;
                }
            }
            State::BlockComment { star } => {
                if star && byte == b'/' {
                    self.state = self.resume;
                } else {
                    self.state = State::BlockComment { star: byte == b'*' };
                }
                *i += 1;
                *run = *i;
            }
            _ => {}
        }
    }
}
