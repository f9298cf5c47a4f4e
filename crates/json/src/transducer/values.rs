//! Where a value is due.

use super::state::{Brace, Frame, Quote, State};
use super::words::{is_word_byte, word_length};
use super::{Output, Step, Transducer};
use crate::repair::Repair;
use crate::word;

impl Transducer {
    /// A byte where a value, or the end of the list, is due.
    pub(super) fn begin_value(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let bytes = text.as_bytes();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, i, run),
            b'"' => {
                self.settle_comma(out);
                self.empty = false;
                self.token_at = at + *i as u64;
                self.is_multiline = false;
                *i += 1;
                self.state = State::Str(Quote::Double);
            }
            b'{' if self.python => {
                self.settle_comma(out);
                out.text.push_str(&text[*run..*i]);
                self.owed.push('{');
                self.token_at = at + *i as u64;
                self.state = State::Brace(Brace::Open);
                *i += 1;
                *run = *i;
            }
            b'{' | b'[' | b'(' => {
                self.settle_comma(out);
                let frame = match byte {
                    b'{' => Frame::Object,
                    b'[' => Frame::Array,
                    _ => Frame::Tuple,
                };
                if frame == Frame::Tuple {
                    out.text.push_str(&text[*run..*i]);
                    out.text.push('[');
                    self.mend(
                        out,
                        Repair::PythonLiteral,
                        at + *i as u64,
                        at + *i as u64 + 1,
                    );
                    *run = *i + 1;
                }
                *i += 1;
                self.open(frame);
            }
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                self.settle_comma(out);
                self.empty = false;
                let length = word_length(&bytes[*i..]);
                let ends = bytes.get(*i + length).is_some_and(|b| {
                    matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
                });
                if ends && word::is_scalar(&text[*i..*i + length]) {
                    *i += length;
                    self.end_value();
                } else {
                    out.text.push_str(&text[*run..*i]);
                    self.begin_word(at + *i as u64);
                    *run = *i;
                }
            }
            b'}' | b']' | b')' => {
                let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                if in_keys && !self.comma {
                    out.text.push_str(&text[*run..*i]);
                    *run = *i;
                    out.text.push_str("null");
                    self.mend(out, Repair::MissingValue, at + *i as u64, at + *i as u64);
                    self.end_value();
                    return None;
                }
                if self.fits(byte) {
                    self.drop_comma(out);
                }
                if let Some(step) = self.close(byte, text, at, i, run, out) {
                    return Some(step);
                }
            }
            b',' => {
                out.text.push_str(&text[*run..*i]);
                *run = *i;
                if self.stack.last().is_some_and(|frame| frame.has_keys()) {
                    out.text.push_str("null");
                    self.mend(out, Repair::MissingValue, at + *i as u64, at + *i as u64);
                    self.end_value();
                } else if self.stack.is_empty() {
                    return Some(Step::Stuck);
                } else {
                    self.mend(out, Repair::ExtraComma, at + *i as u64, at + *i as u64 + 1);
                    *i += 1;
                    *run = *i;
                }
            }
            b'\'' | b'`' => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                out.text.push('"');
                self.mend(out, Repair::OtherQuote, at + *i as u64, at + *i as u64 + 1);
                self.token_at = at + *i as u64;
                (self.after_letter, self.is_multiline) = (false, false);
                *i += 1;
                *run = *i;
                self.state = State::Str(if byte == b'`' {
                    Quote::Backtick
                } else {
                    Quote::Single
                });
            }
            b'/' | b'#' => self.comment(byte, text, at, i, run, out),
            _ if self.begins_token(byte) => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                self.begin_word(at + *i as u64);
                *run = *i;
            }
            0xe2 if text[*i..].starts_with(['\u{201c}', '\u{201d}']) => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                out.text.push('"');
                self.mend(out, Repair::OtherQuote, at + *i as u64, at + *i as u64 + 3);
                *i += 3;
                *run = *i;
                self.state = State::Str(Quote::Curly);
            }
            _ if is_word_byte(byte) || matches!(byte, b'.' | b'+' | b'$' | b'*' | b'@' | b'~') => {
                self.settle_comma(out);
                self.empty = false;
                out.text.push_str(&text[*run..*i]);
                self.begin_word(at + *i as u64);
                *run = *i;
            }
            _ => return Some(Step::Stuck),
        }
        None
    }
}
