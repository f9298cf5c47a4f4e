//! The escapes that Python has besides JSON's: `\x41`, `\101`, `\U0001F600`, `\a`, `\v`, and a line continuation.
//!
//! `\N{..}` stays unchanged: this crate has no names of characters.

use super::state::State;
use super::{Output, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;

impl Transducer {
    /// Reads a byte of such an escape. Returns whether the byte is part of the escape; `None` for other escapes.
    pub(super) fn python_escape(&mut self, byte: u8, at: u64, out: &mut Output) -> Option<bool> {
        if self.string.is_raw {
            return None;
        }
        let Some(kind) = self.token.as_bytes().get(1).copied() else {
            match byte {
                b'a' => self.write_escaped(Some('\u{7}'), out),
                b'v' => self.write_escaped(Some('\u{b}'), out),
                b'\n' => self.write_escaped(None, out),
                b'x' | b'U' | b'0'..=b'7' => self.token.push(char::from(byte)),
                _ => return None,
            }
            return Some(true);
        };
        let (longest, radix) = match kind {
            b'x' => (4, 16),
            b'U' => (10, 16),
            b'0'..=b'7' => (4, 8),
            _ => return None,
        };
        let is_digit = char::from(byte).is_digit(radix);
        if is_digit {
            self.token.push(char::from(byte));
        }
        if self.token.len() == longest || !is_digit && radix == 8 {
            let digits = if radix == 8 { 1 } else { 2 };
            let code = u32::from_str_radix(&self.token[digits..], radix).unwrap_or(0);
            let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            self.write_escaped(Some(c), out);
        } else if !is_digit {
            // `C:\\Users`: a backslash that escapes nothing.
            self.note(Repair::InvalidEscape, self.token_at.min(at), at, out);
            let token = core::mem::take(&mut self.token);
            escape_into(self.inside(out), &token);
            self.write_escaped(None, out);
        }
        Some(is_digit)
    }

    fn write_escaped(&mut self, c: Option<char>, out: &mut Output) {
        let target = self.inside(out);
        if let Some(c) = c {
            escape_into(target, c.encode_utf8(&mut [0; 4]));
        }
        self.token.clear();
        self.state = State::Str;
    }
}
