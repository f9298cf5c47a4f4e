//! The inside of a string, from the input to JSON.

use super::super::valid::hex4;
use super::Walk;
use super::space::Quotes;
use crate::escape::{escape_byte_into, escape_into, is_escape, is_markdown_escape};
use crate::repair::Repair;
use crate::scan::plain;

impl Walk<'_> {
    /// Writes the bytes from `from` to `to` as the inside of a string, runs whole. What was escaped correctly stays.
    pub(super) fn inside(&mut self, from: usize, to: usize, marks: Quotes) {
        let bytes = &self.bytes[..to];
        let mut run = from;
        let mut at = from;
        loop {
            at += plain(&bytes[at..]);
            let Some(&byte) = bytes.get(at) else {
                self.writer.pass(run, to);
                return;
            };
            if byte == b'\\' {
                match bytes.get(at + 1) {
                    Some(&byte) if is_escape(byte) => {
                        at += 2;
                        continue;
                    }
                    Some(b'u') if plain_unicode(bytes, at) => {
                        at += 6;
                        continue;
                    }
                    _ => {}
                }
            }
            self.writer.pass(run, at);
            at = match byte {
                b'\\' => self.odd_escape(at, to),
                b'"' => {
                    if marks == Quotes::Double {
                        self.writer.note(Repair::UnescapedQuote, at, at + 1, "\\\"");
                    }
                    self.writer.put("\\\"");
                    at + 1
                }
                b'\n' => {
                    self.writer
                        .note(Repair::ControlCharacter, at, at + 1, "\\n");
                    self.writer.put_for("\\n", at + 1);
                    at + 1
                }
                _ => {
                    let from = self.writer.len();
                    escape_byte_into(self.writer.out(), byte);
                    self.writer
                        .note_written(Repair::ControlCharacter, at, at + 1, from);
                    at + 1
                }
            };
            run = at;
        }
    }

    /// Writes an escape that is none of JSON's, or is cut off; returns where to go on.
    #[cold]
    fn odd_escape(&mut self, at: usize, to: usize) -> usize {
        let bytes = &self.bytes[..to];
        let mut fix = |repair, end: usize, after: &str| {
            self.writer.note_text(repair, at, end, after);
            self.writer.put(after);
            end
        };
        let Some(&next) = bytes.get(at + 1) else {
            return if to == self.text.len() {
                // Half an escape at the end of the text.
                fix(Repair::TruncatedJson, to, "")
            } else {
                fix(Repair::InvalidEscape, to, "\\\\")
            };
        };
        match next {
            b'\'' | b'`' => fix(Repair::InvalidEscape, at + 2, &self.text[at + 1..at + 2]),
            b'\n' => fix(Repair::InvalidEscape, at + 2, "\\n"),
            b'u' => {
                let digits = bytes[at + 2..]
                    .iter()
                    .take(4)
                    .take_while(|byte| byte.is_ascii_hexdigit())
                    .count();
                let end = at + 2 + digits;
                match hex4(bytes, at + 2) {
                    Some(high @ 0xd800..=0xdbff) if bytes.get(end) == Some(&b'\\') => {
                        match hex4(bytes, end + 2) {
                            Some(low @ 0xdc00..=0xdfff) if bytes.get(end + 1) == Some(&b'u') => {
                                let _ = (high, low);
                                self.writer.pass(at, end + 6);
                                end + 6
                            }
                            _ if end + 6 > to
                                && to == self.text.len()
                                && cut_unicode(&bytes[end..]) =>
                            {
                                fix(Repair::TruncatedJson, to, "")
                            }
                            _ => fix(Repair::LoneSurrogate, end, "\\ufffd"),
                        }
                    }
                    Some(0xd800..=0xdbff) if end == self.text.len() => {
                        fix(Repair::TruncatedJson, end, "")
                    }
                    Some(_) => fix(Repair::LoneSurrogate, end, "\\ufffd"),
                    None if end == self.text.len() => fix(Repair::TruncatedJson, end, ""),
                    None => fix(Repair::InvalidEscape, at + 1, "\\\\"),
                }
            }
            b'x' if bytes.len() >= at + 4
                && bytes[at + 2..at + 4].iter().all(u8::is_ascii_hexdigit) =>
            {
                let mut after = alloc::string::String::from("\\u00");
                after.push_str(&self.text[at + 2..at + 4]);
                fix(Repair::InvalidEscape, at + 4, &after)
            }
            _ if is_markdown_escape(next) => {
                fix(Repair::InvalidEscape, at + 2, &self.text[at + 1..at + 2])
            }
            _ => fix(Repair::InvalidEscape, at + 1, "\\\\"),
        }
    }

    /// Writes `text`, which is no JSON, as a string.
    pub(super) fn put_string(&mut self, text: &str) {
        self.writer.put("\"");
        escape_into(self.writer.out(), text);
        self.writer.put("\"");
    }
}

/// Whether the bytes can be the start of an escape `\u0000`.
fn cut_unicode(bytes: &[u8]) -> bool {
    bytes.len() < 6
        && bytes.iter().enumerate().all(|(n, byte)| match n {
            0 => *byte == b'\\',
            1 => *byte == b'u',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a whole escape that is no surrogate stands at `at`.
fn plain_unicode(bytes: &[u8], at: usize) -> bool {
    hex4(bytes, at + 2).is_some_and(|code| !(0xd800..0xe000).contains(&code))
}
