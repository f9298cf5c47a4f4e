//! Strings and keys, in any quotation marks.

use super::state::{Quote, State};
use super::{Output, Transducer};
use crate::escape::{escape_byte_into, escape_into, unescape};
use crate::repair::Repair;

impl Transducer {
    pub(super) fn begin_key(&mut self, quote: Quote, at: u64) {
        self.key.clear();
        self.in_key = true;
        self.token_at = at;
        self.state = State::Str(quote);
    }

    pub(super) fn copy(&mut self, piece: &str, out: &mut Output) {
        if self.in_key {
            self.key.push_str(piece);
        } else {
            out.text.push_str(piece);
        }
    }

    /// A key's last quotation mark was read.
    pub(super) fn end_key(&mut self, at: u64, out: &mut Output) {
        self.in_key = false;
        out.text.push('"');
        out.text.push_str(&self.key);
        out.text.push('"');
        let new = if self.key.contains('\\') {
            self.keys.insert(unescape(&self.key).as_bytes())
        } else {
            self.keys.insert(self.key.as_bytes())
        };
        if !new {
            self.mend(out, Repair::DoubleKey, self.token_at, at);
        }
        self.state = State::Colon;
    }

    /// A string in other quotation marks: byte by byte, written with JSON's.
    pub(super) fn odd_string(
        &mut self,
        quote: Quote,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let bytes = text.as_bytes();
        let byte = bytes[*i];
        let closes = match quote {
            Quote::Double => false,
            Quote::Single => byte == b'\'',
            Quote::Backtick => byte == b'`',
            Quote::Curly => byte == b'"' || text[*i..].starts_with(['\u{201c}', '\u{201d}']),
            Quote::Triple(mark) => byte == mark,
            Quote::Token => self
                .token_quote
                .as_ref()
                .is_some_and(|q| q.as_bytes()[usize::from(self.matched)] == byte),
        };
        if let Quote::Triple(mark) = quote {
            if closes {
                self.matched += 1;
                *i += 1;
                *run = *i;
                if self.matched == 3 {
                    self.matched = 0;
                    self.end_odd(at + *i as u64, out);
                }
                return;
            }
            for _ in 0..core::mem::take(&mut self.matched) {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                if mark == b'"' {
                    target.push_str("\\\"");
                } else {
                    target.push('\'');
                }
            }
        }
        if quote == Quote::Token {
            let token = self.token_quote.clone().unwrap_or_default();
            if closes {
                self.matched += 1;
                *i += 1;
                *run = *i;
                if usize::from(self.matched) == token.len() {
                    self.matched = 0;
                    self.end_odd(at + *i as u64, out);
                }
                return;
            }
            let matched = usize::from(core::mem::take(&mut self.matched));
            if matched > 0 {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_into(target, &token[..matched]);
                return;
            }
            if !self.in_key && matches!(byte, b'}' | b']') {
                let (length, open) = self.tail_begins(&bytes[*i..]);
                if open {
                    self.owed.push(char::from(byte));
                    self.begin_tail(Quote::Token);
                    *i += 1;
                } else {
                    escape_into(&mut out.text, &text[*i..*i + length]);
                    *i += length;
                }
                *run = *i;
                return;
            }
        }
        if closes && quote == Quote::Single && self.python && !self.in_key {
            self.apostrophe_in_string(i, run);
            return;
        }
        if closes && quote == Quote::Single {
            *i += 1;
            *run = *i;
            self.state = State::Apostrophe;
            return;
        }
        if closes {
            *i += if quote == Quote::Curly && byte != b'"' {
                3
            } else {
                1
            };
            *run = *i;
            self.end_odd(at + *i as u64, out);
            return;
        }
        match byte {
            b'\\' if quote != Quote::Token => self.begin_escape(quote, text, at, i, run, out),
            b'"' | b'\\' => {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_byte_into(target, byte);
                *i += 1;
                *run = *i;
            }
            0..=0x1f => {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_byte_into(target, byte);
                *i += 1;
                *run = *i;
            }
            _ => {
                let end = (*i..bytes.len())
                    .find(|&at| {
                        matches!(bytes[at], b'\\' | b'"' | b'\'' | b'`' | b'<' | 0..=0x1f)
                            || bytes[at] == 0xe2
                            || quote == Quote::Token && matches!(bytes[at], b'}' | b']')
                    })
                    .filter(|&end| end > *i)
                    .unwrap_or_else(|| {
                        if matches!(byte, b'\'' | b'`' | b'<' | b'}' | b']') {
                            *i + 1
                        } else if byte == 0xe2 {
                            (*i + 3).min(bytes.len())
                        } else {
                            bytes.len()
                        }
                    });
                self.copy(&text[*i..end], out);
                self.after_letter = bytes[end - 1].is_ascii_alphabetic();
                *i = end;
                *run = end;
                return;
            }
        }
        self.after_letter = false;
    }

    /// An apostrophe between two letters (`don't`) ends no string; two at the begin and a third open a long one.
    pub(super) fn after_apostrophe(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let byte = text.as_bytes()[*i];
        let here = at + *i as u64;
        *run = *i;
        if byte == b'\'' && !self.in_key && self.token_at + 2 == here {
            self.state = State::Str(Quote::Triple(b'\''));
            *i += 1;
            *run = *i;
        } else if byte.is_ascii_alphabetic() && self.after_letter {
            self.copy("'", out);
            self.after_letter = false;
            self.state = State::Str(Quote::Single);
        } else {
            self.end_odd(here, out);
        }
    }

    pub(super) fn end_odd(&mut self, at: u64, out: &mut Output) {
        if self.in_key {
            self.end_key(at, out);
        } else {
            out.text.push('"');
            self.end_value();
        }
    }
}
