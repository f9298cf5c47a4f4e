//! Where a key is due, and behind it the colon.

use super::state::{Frame, Quote, State};
use super::words::is_word_byte;
use super::{Output, Step, Transducer};
use crate::repair::Repair;
use crate::scan::plain;

impl Transducer {
    /// A byte where a key, or the end of the object, is due.
    pub(super) fn begin_member(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let bytes = text.as_bytes();
        if self.python && self.begins_position(byte) {
            self.settle_comma(out);
            self.empty = false;
            out.text.push_str(&text[*run..*i]);
            *run = *i;
            self.name_position(at + *i as u64, out);
            self.state = State::Value;
            return None;
        }
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, i, run),
            b'"' => {
                self.settle_comma(out);
                self.empty = false;
                let inside = &bytes[*i + 1..];
                let length = plain(inside);
                if inside.get(length) == Some(&b'"') && inside.get(length + 1) == Some(&b':') {
                    // The whole key is here and plain: it stays in the run.
                    if !self.keys.insert(&inside[..length]) {
                        self.mend(
                            out,
                            Repair::DoubleKey,
                            at + *i as u64,
                            at + (*i + length + 2) as u64,
                        );
                    }
                    if self.stack.len() <= self.watch {
                        self.key.clear();
                        self.key.push_str(&text[*i + 1..*i + 1 + length]);
                    }
                    *i += length + 3;
                    self.state = State::Value;
                    if self.stack.len() <= self.watch {
                        return Some(Step::Member);
                    }
                } else {
                    out.text.push_str(&text[*run..*i]);
                    self.begin_key(Quote::Double, at + *i as u64);
                    *i += 1;
                    *run = *i;
                }
            }
            b'\'' | b'`' => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                self.mend(out, Repair::OtherQuote, at + *i as u64, at + *i as u64 + 1);
                self.begin_key(
                    if byte == b'`' {
                        Quote::Backtick
                    } else {
                        Quote::Single
                    },
                    at + *i as u64,
                );
                *i += 1;
                *run = *i;
            }
            b',' => {
                out.text.push_str(&text[*run..*i]);
                self.mend(out, Repair::ExtraComma, at + *i as u64, at + *i as u64 + 1);
                *i += 1;
                *run = *i;
            }
            // One object in place of keywords: its members are the arguments.
            b'{' if self.empty && !self.wrapped && self.stack.as_slice() == [Frame::Keywords] => {
                out.text.push_str(&text[*run..*i]);
                self.wrapped = true;
                self.mend(out, Repair::Wrapper, at + *i as u64, at + *i as u64 + 1);
                *i += 1;
                *run = *i;
            }
            b'}' if self.wrapped && self.stack.len() == 1 => {
                self.drop_comma(out);
                out.text.push_str(&text[*run..*i]);
                // Behind an empty one no comma is missing.
                if !self.empty {
                    self.state = State::After;
                }
                *i += 1;
                *run = *i;
            }
            b'}' | b']' | b')' => {
                if self.fits(byte) {
                    self.drop_comma(out);
                }
                if let Some(step) = self.close(byte, text, at, i, run, out) {
                    return Some(step);
                }
            }
            b'/' | b'#' => self.comment(byte, text, at, i, run, out),
            0xe2 if text[*i..].starts_with(['\u{201c}', '\u{201d}']) => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                self.mend(out, Repair::OtherQuote, at + *i as u64, at + *i as u64 + 3);
                self.begin_key(Quote::Curly, at + *i as u64);
                *i += 3;
                *run = *i;
            }
            _ if is_word_byte(byte)
                || self.begins_token(byte)
                || byte == b'\\' && self.stack.last() == Some(&Frame::Keywords) =>
            {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                self.in_key = true;
                self.begin_word(at + *i as u64);
                *run = *i;
            }
            _ => return Some(Step::Stuck),
        }
        None
    }

    /// A byte behind a key.
    pub(super) fn colon(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => *i += 1,
            b':' => {
                *i += 1;
                self.state = State::Value;
                if self.stack.len() <= self.watch {
                    return Some(Step::Member);
                }
            }
            b'=' => {
                out.text.push_str(&text[*run..*i]);
                out.text.push(':');
                // In a Python call `=` is the spelling.
                if self.stack.last() != Some(&Frame::Keywords) {
                    self.mend(
                        out,
                        Repair::MissingColon,
                        at + *i as u64,
                        at + *i as u64 + 1,
                    );
                }
                *i += 1;
                *run = *i;
                self.state = State::Arrow;
                if self.stack.len() <= self.watch {
                    return Some(Step::Member);
                }
            }
            b'}' | b']' | b')' | b',' => {
                out.text.push_str(&text[*run..*i]);
                *run = *i;
                out.text.push_str(":null");
                self.mend(out, Repair::MissingValue, at + *i as u64, at + *i as u64);
                self.state = State::After;
            }
            b'/' | b'#' => self.comment(byte, text, at, i, run, out),
            _ => {
                out.text.push_str(&text[*run..*i]);
                *run = *i;
                out.text.push(':');
                self.mend(out, Repair::MissingColon, at + *i as u64, at + *i as u64);
                self.state = State::Value;
                if self.stack.len() <= self.watch {
                    return Some(Step::Member);
                }
            }
        }
        None
    }
}
