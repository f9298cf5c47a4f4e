//! Openings in Python calls and complete texts: a bracket or a quote is held until the text after it decides its
//! meaning.
//!
//! `{'a': 1}` is an object, `{'a', 'b'}` a set, which JSON writes as an array. `f("x")` has an argument without a name,
//! `f("path": "x")` has a name in JSON's spelling. Brackets start [groups](super::groups).

use super::piece::Piece;
use super::state::{Frame, Opening, State};
use super::words::{joins_operands, last_word};
use super::{HELD, Output, Transducer};
use crate::repair::Repair;
use crate::scan::{blanks_end, is_name_byte};

impl Transducer {
    /// Holds the byte here, since it is not known yet what the byte opens.
    pub(super) fn start_opening(&mut self, opening: Opening, piece: &mut Piece<'_>) {
        self.start_element(piece.out);
        piece.flush();
        (self.held_at, self.token_at) = (piece.here(), piece.here());
        self.state = State::Opening(opening);
        self.hold(piece);
    }

    /// Reads a byte after an opening byte.
    pub(super) fn opening(&mut self, opening: Opening, byte: u8, piece: &mut Piece<'_>) {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let is_right_after = || self.held.ends_with([')', ']']);
        let word = || &self.held[last_word(&self.held)..];
        let next = match (opening, byte) {
            _ if self.held.len() >= HELD => None,
            (Opening::Brace | Opening::BraceValue | Opening::NameEnd, _) if is_blank => {
                Some(opening)
            }
            (Opening::Brace, b'"' | b'\'') => Some(Opening::BraceString {
                mark: byte,
                escaped: false,
            }),
            (Opening::Brace | Opening::BraceWord, b'0'..=b'9' | b'-')
            | (Opening::BraceWord, b'.') => Some(Opening::BraceWord),
            (Opening::BraceString { mark, escaped }, _) if escaped || byte != mark => {
                let escaped = !escaped && byte == b'\\';
                Some(Opening::BraceString { mark, escaped })
            }
            (Opening::BraceString { .. }, _) => Some(Opening::BraceValue),
            (Opening::BraceWord, _) if is_blank => Some(Opening::BraceValue),
            (Opening::Group, _) if !self.call.group.step(byte) => None,
            (Opening::Group, _) if self.call.group.is_open() => Some(opening),
            (Opening::Group, _) | (Opening::GroupEnd, b' ' | b'\t') => Some(Opening::GroupEnd),
            (Opening::GroupEnd, b'=') => Some(Opening::Arrow),
            (Opening::GroupEnd, b'.') if is_right_after() => Some(Opening::Dot),
            (Opening::GroupEnd, b'a'..=b'z') if !is_right_after() => Some(Opening::Word),
            (Opening::Word, b'a'..=b'z') => Some(Opening::Word),
            (Opening::GroupEnd, b'[' | b'(') if is_right_after() => {
                return self.continue_as_word(piece.here());
            }
            (Opening::Word, b' ') if joins_operands(word()) => {
                return self.continue_as_word(piece.here());
            }
            (Opening::GroupEnd, b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^')
            | (Opening::Arrow, b'>' | b'=')
            | (Opening::Dot, b'a'..=b'z') => return self.continue_as_word(piece.here()),
            (Opening::Name, _) if is_name_byte(byte) => Some(Opening::Name),
            (Opening::Name, _) if byte == self.held.as_bytes()[0] && self.held.len() > 1 => {
                Some(Opening::NameEnd)
            }
            _ => None,
        };
        let Some(next) = next else {
            return self.end_opening(opening, byte, piece.here(), piece.out);
        };
        self.hold(piece);
        self.state = State::Opening(next);
    }

    /// Decides what was opened, by the lookahead and `following`. The held bytes, which end at `here`, are read again.
    pub(super) fn end_opening(
        &mut self,
        opening: Opening,
        following: u8,
        here: u64,
        out: &mut Output,
    ) {
        match opening {
            Opening::Name | Opening::NameEnd => {
                self.read_held_again(0, here);
                self.call.is_key = Some(opening == Opening::NameEnd && following == b':');
                self.state = State::Key;
            }
            Opening::Brace
            | Opening::BraceString { .. }
            | Opening::BraceWord
            | Opening::BraceValue => {
                let is_set = matches!(opening, Opening::BraceWord | Opening::BraceValue)
                    && matches!(following, b',' | b'}')
                    && self.held.len() < HELD;
                if is_set {
                    self.note(Repair::PythonLiteral, self.held_at, self.held_at + 1, out);
                }
                out.text.push(if is_set { '[' } else { '{' });
                self.open(if is_set { Frame::Set } else { Frame::Object });
                self.read_held_again(1, here);
            }
            _ => self.open_group(opening != Opening::Group, here, out),
        }
    }
}

/// Whether the brace that starts `bytes` opens an object: a string and a colon follow the brace in `bytes`.
pub(super) fn has_keys_here(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(HELD)];
    let start = blanks_end(bytes, 1);
    let Some(&open @ (b'"' | b'\'')) = bytes.get(start) else {
        return false;
    };
    let inside = &bytes[start + 1..];
    let Some(end) = memchr::memchr2(open, b'\\', inside).filter(|&end| inside[end] == open) else {
        return false;
    };
    let following = blanks_end(inside, end + 1);
    inside.get(following) == Some(&b':')
}
