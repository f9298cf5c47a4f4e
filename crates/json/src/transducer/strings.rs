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
            Quote::Double | Quote::Token => false,
            Quote::Single => byte == b'\'',
            Quote::Backtick => byte == b'`',
            Quote::Curly => byte == b'"' || text[*i..].starts_with(['\u{201c}', '\u{201d}']),
            Quote::Triple(mark) => byte == mark,
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
                let target = self.inside(out);
                if mark == b'"' {
                    target.push_str("\\\"");
                } else {
                    target.push('\'');
                }
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
            b'}' | b']' if !self.in_key && !self.python => {
                match self.tail_begins(quote, bytes, *i) {
                    (_, true) => self.begin_tail(quote, text, i, run, out),
                    (length, false) => {
                        self.is_multiline |= text[*i..*i + length].contains('\n');
                        escape_into(&mut out.text, &text[*i..*i + length]);
                        *i += length;
                        *run = *i;
                    }
                }
            }
            b'\\' => self.begin_escape(quote, text, at, i, run, out),
            b'"' | 0..=0x1f => {
                self.is_multiline |= byte == b'\n';
                escape_byte_into(self.inside(out), byte);
                *i += 1;
                *run = *i;
            }
            _ => {
                let end = (*i..bytes.len())
                    .find(|&at| {
                        matches!(
                            bytes[at],
                            b'\\' | b'"' | b'\'' | b'`' | b'<' | b'}' | b']' | 0..=0x1f | 0xe2
                        )
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
