//! Escapes that are not simple, or that the end of the fed text cuts.

use super::Transducer;
use super::piece::Piece;
use super::state::{Quote, State};
use crate::escape::{hex4, is_markdown_escape};
use crate::repair::Repair;

impl Transducer {
    pub(super) fn start_escape(&mut self, piece: &mut Piece<'_>) {
        self.copy(&piece.text[piece.run..piece.i], piece.out);
        self.token.clear();
        self.token.push('\\');
        if !self.in_key {
            self.token_at = piece.here();
        }
        self.state = State::Esc;
        piece.skip(1);
    }

    /// Reads a byte of an escape that is not simple, or that the end of the fed text cuts.
    pub(super) fn escape(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let here = piece.here();
        if self.context.python
            && let Some(consumed) = self.python_escape(byte, here, piece.out)
        {
            return piece.skip(usize::from(consumed));
        }
        let is_raw = self.string.is_raw;
        let is_part = match (self.token.len(), byte) {
            (1, b'"' | b'\'' | b'\\') => true,
            (1, _) if is_raw => false,
            (1, b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u' | b'x' | b'`' | b'\n') => true,
            (1, _) => is_markdown_escape(byte),
            (6, _) => byte == b'\\',
            (7, _) => byte == b'u',
            _ => byte.is_ascii_hexdigit(),
        };
        if is_part {
            self.token.push(char::from(byte));
            piece.skip(1);
        }
        let (bad, half) = (Some(Repair::InvalidEscape), Some(Repair::LoneSurrogate));
        // The repair, what replaces the escape's start, and from which index on the escape is written unchanged.
        let (repair, start, from) = match (self.token.len(), byte) {
            (6, _) if !is_part => (half, "\\ufffd", 6),
            (7, _) if !is_part => {
                // A lone surrogate before another escape: the second escape is read from its backslash on.
                self.note(Repair::LoneSurrogate, self.token_at, here - 1, piece.out);
                self.copy("\\ufffd", piece.out);
                self.token.truncate(1);
                return;
            }
            (8.., _) if !is_part => (half, "\\ufffd\\\\", 7),
            // r'C:\new': a backslash of a raw string is literal, and a quote after it does not end the string.
            (2, b'"' | b'\\') if is_raw => (None, "\\\\\\", 1),
            _ if is_raw || !is_part => (bad.filter(|_| !is_raw), "\\\\", 1),
            (2, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => (None, "", 0),
            (2, b'\'' | b'`') => (bad.filter(|_| self.string.quote == Quote::Double), "", 1),
            (2, b'\n') => (bad, "\\n", 2),
            (2, _) if is_markdown_escape(byte) => (bad, "", 1),
            (4, _) if self.token.starts_with("\\x") => (bad, "\\u00", 2),
            (length @ (6 | 12), _) => match (length, hex4(self.token.as_bytes(), length - 4)) {
                (6, Some(0xd800..=0xdbff)) => return,
                (6, Some(0xdc00..=0xdfff)) => (half, "\\ufffd", 6),
                (12, Some(0xd800..=0xdbff)) => (half, "\\ufffd\\ufffd", 12),
                (6, _) | (_, Some(0xdc00..=0xdfff)) => (None, "", 0),
                _ => (half, "\\ufffd", 6),
            },
            // The escape is not complete yet.
            _ => return,
        };
        if let Some(repair) = repair {
            self.note(repair, self.token_at.min(here), here, piece.out);
        }
        let token = core::mem::take(&mut self.token);
        self.copy(start, piece.out);
        self.copy(&token[from..], piece.out);
        self.token = token;
        self.token.clear();
        self.state = State::Str;
    }
}
