//! `(` in a Python call: `(1, 2)` is a tuple, `(a, b) => a + b` a function, whose source is the value. The arrow behind the
//! closing bracket tells; until then names are held.

use super::piece::Piece;
use super::state::{Frame, Paren, State};
use super::{HELD, Output, Transducer};

impl Transducer {
    /// A byte behind the bracket.
    pub(super) fn behind_paren(&mut self, paren: Paren, piece: &mut Piece<'_>) {
        let byte = piece.bytes()[piece.i];
        let here = piece.here();
        piece.run = piece.i;
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let next = match (paren, byte) {
            _ if self.owed.len() >= HELD => None,
            (Paren::Names | Paren::Behind, _) if blank => Some(paren),
            (Paren::Names, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') => Some(paren),
            (Paren::Names, b',' | b':' | b'.' | b'?' | b'<' | b'>') => Some(paren),
            (Paren::Names, b')') => Some(Paren::Behind),
            (Paren::Behind, b'=' | b'-') => Some(Paren::Arrow),
            (Paren::Arrow, b'>') => {
                let owed = core::mem::take(&mut self.owed);
                self.empty = false;
                self.begin_word(here - owed.len() as u64);
                self.token.push_str(&owed);
                self.owed = owed;
                self.owed.clear();
                return;
            }
            _ => None,
        };
        let Some(next) = next else {
            self.open_tuple(here, piece.out);
            return;
        };
        self.owed.push(char::from(byte));
        self.state = State::Paren(next);
        piece.skip(1);
    }

    /// The bracket opens a tuple: what was held, up to `here`, is read.
    pub(super) fn open_tuple(&mut self, here: u64, out: &mut Output) {
        let owed = core::mem::take(&mut self.owed);
        out.text.push('[');
        self.open(Frame::Tuple);
        self.replay.push_str(&owed[1..]);
        self.replay_at = here - owed.len() as u64 + 1;
        self.owed = owed;
        self.owed.clear();
    }
}
