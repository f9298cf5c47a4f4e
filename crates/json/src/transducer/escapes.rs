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
            piece.skip(usize::from(consumed));
            return;
        }
        piece.run = piece.i;
        // What is written instead of the token; the token itself where nothing was wrong.
        let mut instead: Option<&str> = None;
        let mut done = true;
        let mut consumed = true;
        let mut bad = false;
        match (self.token.len(), byte) {
            // r'C:\new': a backslash of a raw string is one, and a quote after it ends nothing.
            (1, _) if self.string.is_raw => {
                consumed = matches!(byte, b'"' | b'\'' | b'\\');
                instead = Some(match byte {
                    b'"' => "\\\\\\\"",
                    b'\'' => "\\\\'",
                    b'\\' => "\\\\\\\\",
                    _ => "\\\\",
                });
            }
            (1, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.token.push(char::from(byte));
            }
            (1, b'u') => {
                self.token.push('u');
                done = false;
            }
            (1, b'x') => {
                self.token.push('x');
                done = false;
            }
            (2 | 3, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if self.token.starts_with("\\x") => {
                self.token.push(char::from(byte));
                done = self.token.len() == 4;
                if done {
                    bad = true;
                    self.token.replace_range(1..2, "u00");
                }
            }
            (1, b'\'' | b'`') => {
                bad = quote == Quote::Double;
                instead = Some(&piece.text[piece.i..=piece.i]);
            }
            (1, b'\n') => {
                bad = true;
                instead = Some("\\n");
            }
            (1, byte) if is_markdown_escape(byte) => {
                bad = true;
                instead = Some(&piece.text[piece.i..=piece.i]);
            }
            (1, _) => {
                bad = true;
                consumed = false;
                instead = Some("\\\\");
            }
            (2..=5 | 8..=11, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                self.token.push(char::from(byte));
                let code = u32::from_str_radix(
                    &self.token[self.token.len() - self.token.len().saturating_sub(2) % 6..],
                    16,
                )
                .unwrap_or(0);
                match self.token.len() {
                    6 if !(0xd800..=0xdfff).contains(&code) => {}
                    6 if code >= 0xdc00 => {
                        bad = true;
                        instead = Some("\\ufffd");
                    }
                    12 if (0xdc00..=0xdfff).contains(&code) => {}
                    12 => {
                        bad = true;
                        if (0xd800..=0xdbff).contains(&code) {
                            instead = Some("\\ufffd\\ufffd");
                        } else {
                            self.token.replace_range(..6, "\\ufffd");
                        }
                    }
                    _ => done = false,
                }
            }
            (6, b'\\') | (7, b'u') => {
                self.token.push(char::from(byte));
                done = false;
            }
            (6, _) => {
                bad = true;
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
                bad = true;
                consumed = false;
                self.token.replace_range(..7, "\\ufffd\\\\");
            }
            _ => {
                bad = true;
                consumed = false;
                self.token.insert(0, '\\');
            }
        }
        if consumed {
            piece.skip(1);
        }
        if done {
            if bad {
                self.note(
                    Repair::InvalidEscape,
                    self.token_at.min(here),
                    here,
                    piece.out,
                );
            }
            let token = core::mem::take(&mut self.token);
            self.copy(instead.unwrap_or(&token), piece.out);
            self.token = token;
            self.token.clear();
            self.state = State::Str(quote);
        }
    }
}
