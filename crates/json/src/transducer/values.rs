//! The start of a value.

use super::openings::has_keys_here;
use super::piece::Piece;
use super::state::{Frame, Opening, Quote};
use super::whole::is_one_value;
use super::words::is_word_byte;
use super::{Step, Transducer};
use crate::repair::Repair;
use crate::word;

impl Transducer {
    /// Reads a byte where a value, or the end of the list, is due.
    pub(super) fn start_value(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let bytes = piece.bytes();
        self.string.is_raw = false;
        if matches!(byte, b'"' | b'\'') && self.member_in_list(piece) {
            return None;
        }
        if let Some((quote, length)) = Quote::odd(&piece.text[piece.i..])
            && !self.starts_token(byte)
        {
            self.start_other(length, piece);
            piece.out.text.push('"');
            self.start_string(quote, piece.here());
            return None;
        }
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.blank(piece),
            b'"' => {
                self.start_element(piece.out);
                self.token_at = piece.here();
                piece.i += 1;
                self.start_string(Quote::Double, piece.here());
            }
            b'{' if (self.context.python || self.context.is_whole)
                && !has_keys_here(&bytes[piece.i..]) =>
            {
                self.start_opening(Opening::Brace, piece);
            }
            b'(' | b'[' if self.may_start_expression(piece.here()) => {
                self.start_group(byte, piece);
            }
            b'{' | b'[' | b'(' => {
                self.start_element(piece.out);
                let frame = match byte {
                    b'{' => Frame::Object,
                    b'[' => Frame::Array,
                    _ if self.context.is_whole && is_one_value(&bytes[piece.i..]) => Frame::Call,
                    _ => Frame::Tuple,
                };
                if matches!(frame, Frame::Tuple | Frame::Call) {
                    piece.flush();
                    if frame == Frame::Tuple {
                        piece.out.text.push('[');
                    }
                    self.note_here(Repair::PythonLiteral, 1, piece);
                    piece.run = piece.i + 1;
                }
                piece.i += 1;
                self.open(frame);
            }
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                self.start_element(piece.out);
                let length = word::word_length(&bytes[piece.i..]);
                let ends = bytes.get(piece.i + length).is_some_and(|b| {
                    // After a blank, a Python expression may continue: `1 + 2`.
                    matches!(b, b',' | b'}' | b']' | b'\n' | b'\r')
                        || matches!(b, b' ' | b'\t') && !self.context.python
                }) && !self.may_hold_commas()
                    && !(self.context.is_whole && bytes[piece.i + length] == b',');
                if ends && word::is_json(&piece.text[piece.i..piece.i + length]) {
                    piece.i += length;
                    self.end_value();
                } else {
                    self.start_bare(piece);
                }
            }
            b'}' | b']' | b')' | b',' if self.stack.is_empty() => return Some(Step::Stuck),
            b',' if !self.in_keys() => self.leave_out(Repair::ExtraComma, 1, piece),
            b'}' | b']' | b')' | b',' if self.must_have_value() => {
                self.supply("null", Repair::MissingValue, piece);
                self.end_value();
            }
            b'}' | b']' | b')' => return self.close(byte, piece),
            // `"a":: 1`
            b':' if self.comma.is_none()
                && !self.context.python
                && self.stack.last() == Some(&Frame::Object) =>
            {
                self.leave_out(Repair::Junk, 1, piece);
            }
            b'/' | b'#' if self.starts_comment(&bytes[piece.i..]) => self.comment(byte, piece),
            b'.' | 0xe2
                if self.dots_start(piece)
                    && matches!(self.stack.last(), Some(Frame::Array | Frame::Tuple)) =>
            {
                self.start_dots(piece);
            }
            _ if self.starts_token(byte)
                || is_word_byte(byte)
                || self.context.is_whole
                    && byte.is_ascii_punctuation()
                    && !b"\\;:".contains(&byte)
                || matches!(byte, b'.' | b'+' | b'$' | b'*' | b'@' | b'~' | b'#') =>
            {
                self.start_bare(piece);
            }
            _ => return Some(Step::Stuck),
        }
        None
    }

    /// Starts a word without quotes, which is a key or a value.
    pub(super) fn start_bare(&mut self, piece: &mut Piece<'_>) {
        self.start_element(piece.out);
        piece.flush();
        self.start_word(piece.here());
    }

    /// Whether a value is required here: in a document, a member or a call.
    pub(super) fn must_have_value(&self) -> bool {
        let has_one = |frame: &Frame| frame.has_keys() || *frame == Frame::Call;
        self.stack.last().is_none_or(has_one)
    }
}
