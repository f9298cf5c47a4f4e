//! Escapes that are not one of the simple ones, or are cut by the end of the input so far.

use super::Transducer;
use super::piece::Piece;
use super::state::{Quote, State};
use crate::escape::is_markdown_escape;
use crate::repair::Repair;

impl Transducer {
    pub(super) fn start_escape(&mut self, quote: Quote, piece: &mut Piece<'_>) {
        self.copy(&piece.text[piece.run..piece.i], piece.out);
        self.token.clear();
        self.token.push('\\');
        if !self.in_key {
            self.token_at = piece.here();
        }
        self.state = State::Esc(quote);
        piece.skip(1);
    }

    /// An escape that is not one of the simple ones, or is cut by the end of the input so far.
    pub(super) fn escape(&mut self, quote: Quote, piece: &mut Piece<'_>) {
        let byte = piece.bytes()[piece.i];
        let here = piece.here();
        if self.context.python
            && let Some(consumed) = self.python_escape(byte, here, quote, piece.out)
        {
            return piece.skip(usize::from(consumed));
        }
        piece.run = piece.i;
        // What is written instead of the token; the token itself where nothing was wrong.
        let mut instead: Option<&str> = None;
        let (mut done, mut consumed, mut bad) = (true, true, true);
        match (self.token.len(), byte) {
            // r'C:\new': a backslash of a raw string is one, and a quote after it ends nothing.
            (1, _) if self.string.is_raw => {
                bad = false;
                consumed = matches!(byte, b'"' | b'\'' | b'\\');
                instead = Some(match byte {
                    b'"' => "\\\\\\\"",
                    b'\'' => "\\\\'",
                    b'\\' => "\\\\\\\\",
                    _ => "\\\\",
                });
            }
            (1, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                bad = false;
                self.token.push(char::from(byte));
            }
            (1, b'u' | b'x') | (6, b'\\') | (7, b'u') => {
                done = false;
                self.token.push(char::from(byte));
            }
            (2 | 3, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if self.token.starts_with("\\x") => {
                self.token.push(char::from(byte));
                done = self.token.len() == 4;
                if done {
                    self.token.replace_range(1..2, "u00");
                }
            }
            (1, b'\'' | b'`') => {
                bad = quote == Quote::Double;
                instead = Some(&piece.text[piece.i..=piece.i]);
            }
            (1, b'\n') => instead = Some("\\n"),
            (1, _) if is_markdown_escape(byte) => instead = Some(&piece.text[piece.i..=piece.i]),
            (1, _) => {
                consumed = false;
                instead = Some("\\\\");
            }
            (2..=5 | 8..=11, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                self.token.push(char::from(byte));
                let n_digits = self.token.len().saturating_sub(2) % 6;
                let digits = &self.token[self.token.len() - n_digits..];
                let code = u32::from_str_radix(digits, 16).unwrap_or(0);
                match (self.token.len(), code) {
                    (6, 0xdc00..=0xdfff) => instead = Some("\\ufffd"),
                    (6, 0xd800..=0xdbff) => done = false,
                    (6, _) | (12, 0xdc00..=0xdfff) => bad = false,
                    (12, 0xd800..=0xdbff) => instead = Some("\\ufffd\\ufffd"),
                    (12, _) => self.token.replace_range(..6, "\\ufffd"),
                    _ => done = false,
                }
            }
            (6, _) => {
                consumed = false;
                instead = Some("\\ufffd");
            }
            (7, _) => {
                // A lone surrogate before another escape: that one starts again.
                self.note(Repair::InvalidEscape, self.token_at, here - 1, piece.out);
                self.copy("\\ufffd", piece.out);
                self.token.clear();
                self.token.push('\\');
                return;
            }
            (8.., _) => {
                consumed = false;
                self.token.replace_range(..7, "\\ufffd\\\\");
            }
            _ => {
                consumed = false;
                self.token.insert(0, '\\');
            }
        }
        if consumed {
            piece.skip(1);
        }
        if done {
            if bad {
                let at = self.token_at.min(here);
                self.note(Repair::InvalidEscape, at, here, piece.out);
            }
            let token = core::mem::take(&mut self.token);
            self.copy(instead.unwrap_or(&token), piece.out);
            self.token = token;
            self.token.clear();
            self.state = State::Str(quote);
        }
    }
}
