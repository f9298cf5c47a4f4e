//! A quote where an argument of a Python call is due: `f("x")` has no name, `f("path": "x")` has one as JSON writes it. The
//! colon after it tells; until then a word between quotes is held.

use super::piece::Piece;
use super::quotes::is_name_byte;
use super::state::{Named, State};
use super::{HELD, Transducer};

impl Transducer {
    /// A byte after the quote.
    pub(super) fn after_named_quote(&mut self, named: Named, byte: u8, piece: &mut Piece<'_>) {
        let mark = self.held.as_bytes()[0];
        piece.run = piece.i;
        let next = match named {
            _ if self.held.len() >= HELD => None,
            Named::Word if is_name_byte(byte) => Some(Named::Word),
            Named::Word if byte == mark && self.held.len() > 1 => Some(Named::After),
            Named::After if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => Some(Named::After),
            _ => None,
        };
        let Some(next) = next else {
            return self.end_named(named == Named::After && byte == b':', piece.here());
        };
        self.hold(piece);
        self.state = State::Named(next);
    }

    /// What was held, up to `here`, is read again as a key or as a value.
    pub(super) fn end_named(&mut self, is_key: bool, here: u64) {
        self.read_held_again(0, here);
        self.call.is_key = Some(is_key);
        self.state = State::Key;
    }
}
