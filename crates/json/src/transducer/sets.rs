//! `{` in a Python call: `{'a': 1}` is an object, `{'a', 'b'}` a set, which JSON writes as an array. What stands after the
//! first value tells; until then it is held.

use super::piece::Piece;
use super::state::{Brace, Frame, State};
use super::{HELD, Output, Transducer};
use crate::repair::Repair;
use crate::scan::blanks_end;

impl Transducer {
    /// A byte after the brace.
    pub(super) fn after_brace(&mut self, brace: Brace, byte: u8, piece: &mut Piece<'_>) {
        let here = piece.here();
        piece.run = piece.i;
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let next = match (brace, byte) {
            _ if self.held.len() >= HELD => None,
            (Brace::Open | Brace::After, _) if blank => Some(brace),
            (Brace::Open, b'"' | b'\'') => Some(Brace::String {
                mark: byte,
                escaped: false,
            }),
            (Brace::Open | Brace::Word, b'0'..=b'9' | b'-') | (Brace::Word, b'.') => {
                Some(Brace::Word)
            }
            (Brace::String { mark, escaped }, _) if escaped || byte != mark => {
                let escaped = !escaped && byte == b'\\';
                Some(Brace::String { mark, escaped })
            }
            (Brace::String { .. }, _) => Some(Brace::After),
            (Brace::Word, _) if blank => Some(Brace::After),
            (Brace::Word | Brace::After, b',' | b'}') => {
                return self.open_brace(true, here, piece.out);
            }
            _ => None,
        };
        let Some(next) = next else {
            return self.open_brace(false, here, piece.out);
        };
        self.hold(piece);
        self.state = State::Brace(next);
    }

    /// It is known what the brace opens: what was held, up to `here`, is read.
    pub(super) fn open_brace(&mut self, is_set: bool, here: u64, out: &mut Output) {
        let brace = here - self.held.len() as u64;
        if is_set {
            out.text.push('[');
            self.note(Repair::PythonLiteral, brace, brace + 1, out);
        } else {
            out.text.push('{');
        }
        self.open(if is_set { Frame::Set } else { Frame::Object });
        self.read_held_again(1, here);
    }
}

/// Whether the brace that `bytes` start with opens an object, as far as they are here: a string and a colon stand after it.
pub(super) fn has_keys_here(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(HELD)];
    let begin = blanks_end(bytes, 1);
    let Some(&mark @ (b'"' | b'\'')) = bytes.get(begin) else {
        return false;
    };
    let inside = &bytes[begin + 1..];
    let Some(end) = memchr::memchr2(mark, b'\\', inside).filter(|&end| inside[end] == mark) else {
        return false;
    };
    let following = blanks_end(inside, end + 1);
    inside.get(following) == Some(&b':')
}
