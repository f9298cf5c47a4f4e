//! The start of a member, and the colon after its key.

use super::piece::Piece;
use super::state::{Frame, Opening, Quote, State};
use super::words::is_word_byte;
use super::{Step, Transducer};
use crate::repair::Repair;
use crate::scan::plain;

impl Transducer {
    /// Reads a byte where a key, or the end of the object, is due.
    pub(super) fn start_member(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let bytes = piece.bytes();
        let is_key = self.call.is_key.take();
        // The quote may start a value without a name.
        if is_key.is_none() && matches!(byte, b'"' | b'\'') && self.expects_positions() {
            self.start_opening(Opening::Name, piece);
            return None;
        }
        if self.context.python && is_key != Some(true) && self.starts_position(byte) {
            self.start_element(piece.out);
            piece.flush();
            self.name_position(piece.here(), piece.out);
            self.state = State::Value;
            return None;
        }
        if let Some((quote, length)) = Quote::odd(&piece.text[piece.i..]) {
            self.start_other(length, piece);
            self.start_key(quote);
            return None;
        }
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.blank(piece),
            b'"' => {
                self.start_element(piece.out);
                let inside = &bytes[piece.i + 1..];
                let length = plain(inside);
                if inside.get(length) == Some(&b'"') && inside.get(length + 1) == Some(&b':') {
                    // The whole key is here and plain: it stays in the run.
                    if !self.keys.insert(&inside[..length]) {
                        self.note_here(Repair::DuplicateKey, length + 2, piece);
                    }
                    if self.is_watched() {
                        let key = &piece.text[piece.i + 1..][..length];
                        self.key.text.clear();
                        self.key.text.push_str(key);
                    }
                    piece.i += length + 3;
                    self.key.is_named = true;
                    return self.expect_value();
                }
                piece.flush();
                self.token_at = piece.here();
                self.start_key(Quote::Double);
                piece.skip(1);
            }
            b',' => self.leave_out(Repair::ExtraComma, 1, piece),
            // `{{"a": 1}}`: the brace is doubled.
            b'{' if self.empty && self.stack.last() == Some(&Frame::Object) => {
                self.leave_out(Repair::MismatchedBracket, 1, piece);
            }
            // `[{"a": 1, {"a": 2}]`: the object before it has lost its bracket.
            b'{' if self.comma.is_some() && self.is_object_in_list() => {
                self.supply("}", Repair::MissingBracket, piece);
                self.pop();
                self.expect_next();
            }
            b'[' if self.reopens_list(piece) => {}
            // One object in place of keywords: its members are the arguments.
            b'{' if self.empty && self.is_among_arguments() => {
                self.call.is_wrapped = true;
                self.leave_out(Repair::Wrapper, 1, piece);
            }
            b'}' | b']' | b')' => return self.close(byte, piece),
            b'/' | b'#' => self.comment(byte, piece),
            b'.' | 0xe2 if self.dots_start(piece) => self.start_dots(piece),
            _ if is_word_byte(byte)
                || self.starts_token(byte)
                || byte == b'\\' && self.stack.last() == Some(&Frame::Keywords) =>
            {
                self.in_key = true;
                self.start_bare(piece);
            }
            _ => return Some(Step::Stuck),
        }
        None
    }

    /// Starts a key or a value with a quote of `length` bytes that JSON does not have.
    pub(super) fn start_other(&mut self, length: usize, piece: &mut Piece<'_>) {
        self.start_element(piece.out);
        self.token_at = piece.here();
        self.leave_out(Repair::NonstandardQuote, length, piece);
    }

    /// Whether the innermost container is an object in a list.
    pub(super) fn is_object_in_list(&self) -> bool {
        matches!(self.stack.as_slice(), [.., Frame::Array, Frame::Object])
    }

    /// Expects the value of the key whose colon was read.
    fn expect_value(&mut self) -> Option<Step> {
        self.state = State::Value;
        self.is_watched().then_some(Step::Member)
    }

    /// Reads a byte after a key.
    pub(super) fn colon(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => piece.i += 1,
            b':' => {
                if self.key.is_bare && self.stack.last() == Some(&Frame::Keywords) {
                    let (at, here) = (self.token_at, piece.here() + 1);
                    self.note(Repair::ColonForEquals, at, here, piece.out);
                }
                piece.i += 1;
                return self.expect_value();
            }
            b'=' => {
                piece.flush();
                piece.out.text.push(':');
                // In a Python call `=` is the regular spelling.
                if self.stack.last() != Some(&Frame::Keywords) {
                    self.note_here(Repair::MissingColon, 1, piece);
                }
                piece.skip(1);
                self.state = State::Arrow;
                return self.is_watched().then_some(Step::Member);
            }
            b'}' | b']' | b')' | b',' => {
                self.supply(":null", Repair::MissingValue, piece);
                self.state = State::After;
            }
            b'/' | b'#' => self.comment(byte, piece),
            _ => {
                self.supply(":", Repair::MissingColon, piece);
                if self.key.is_bare && byte == b'"' {
                    // `key":"value"`: the quote may be the key's.
                    self.note_here(Repair::AmbiguousString, 1, piece);
                }
                return self.expect_value();
            }
        }
        None
    }
}
