//! The loop: one match a step, and the transitions between keys, values and what stands between them.

use super::{Frame, HELD, Output, Quote, State, Step, Transducer, is_word_byte};
use crate::escape::escape_byte_into;
use crate::repair::Repair;
use crate::scan::plain;
use crate::word;

impl Transducer {
    /// Reads `text`, whose first byte is the `at`th of the input. Returns how many bytes were consumed, and why it
    /// stopped. Linear.
    pub fn feed(&mut self, text: &str, at: u64, out: &mut Output) -> (usize, Step) {
        let bytes = text.as_bytes();
        let mut i = 0;
        // Bytes [run, i) go out as they stand; nothing is kept undecided while a run is open.
        let mut run = 0;
        let step = loop {
            if self.value_ended {
                self.value_ended = false;
                break if self.state == State::Done {
                    Step::Done
                } else {
                    Step::Value
                };
            }
            let Some(&byte) = bytes.get(i) else {
                break Step::More;
            };
            match self.state {
                State::After => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                    b',' if !self.comma => {
                        let next = i + 1 + blanks(&bytes[i + 1..]);
                        let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                        match bytes.get(next) {
                            // The run goes on over a comma that is none too many.
                            Some(b'"' | b'0'..=b'9' | b'a'..=b'z') if next - i <= HELD => i = next,
                            Some(b'{' | b'[' | b'-') if !in_keys && next - i <= HELD => i = next,
                            _ => {
                                out.text.push_str(&text[run..i]);
                                self.comma = true;
                                self.comma_at = at + i as u64;
                                self.owed.push(',');
                                i += 1;
                                run = i;
                            }
                        }
                        self.expect_next();
                    }
                    b'}' | b']' | b')' => {
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    _ if self.can_follow_a_missing_comma(byte) => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push(',');
                        self.mend(out, Repair::MissingComma, at + i as u64, at + i as u64);
                        self.expect_next();
                    }
                    _ => break Step::Stuck,
                },
                State::Key => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, &mut i, &mut run),
                    b'"' => {
                        self.settle_comma(out);
                        self.empty = false;
                        let inside = &bytes[i + 1..];
                        let length = plain(inside);
                        if inside.get(length) == Some(&b'"')
                            && inside.get(length + 1) == Some(&b':')
                        {
                            // The whole key is here and plain: it stays in the run.
                            if !self.keys.insert(&inside[..length]) {
                                self.mend(
                                    out,
                                    Repair::DoubleKey,
                                    at + i as u64,
                                    at + (i + length + 2) as u64,
                                );
                            }
                            if self.stack.len() <= self.watch {
                                self.key.clear();
                                self.key.push_str(&text[i + 1..i + 1 + length]);
                            }
                            i += length + 3;
                            self.state = State::Value;
                            if self.stack.len() <= self.watch {
                                break Step::Member;
                            }
                        } else {
                            out.text.push_str(&text[run..i]);
                            self.begin_key(Quote::Double, at + i as u64);
                            i += 1;
                            run = i;
                        }
                    }
                    b'\'' | b'`' => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 1);
                        self.begin_key(
                            if byte == b'`' {
                                Quote::Backtick
                            } else {
                                Quote::Single
                            },
                            at + i as u64,
                        );
                        i += 1;
                        run = i;
                    }
                    b',' => {
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::ExtraComma, at + i as u64, at + i as u64 + 1);
                        i += 1;
                        run = i;
                    }
                    b'}' | b']' | b')' => {
                        if self.fits(byte) {
                            self.drop_comma(out);
                        }
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    0xe2 if text[i..].starts_with(['\u{201c}', '\u{201d}']) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 3);
                        self.begin_key(Quote::Curly, at + i as u64);
                        i += 3;
                        run = i;
                    }
                    _ if is_word_byte(byte) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.in_key = true;
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    _ => break Step::Stuck,
                },
                State::Colon => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                    b':' => {
                        i += 1;
                        self.state = State::Value;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                    b'=' => {
                        out.text.push_str(&text[run..i]);
                        out.text.push(':');
                        // In a Python call `=` is the spelling.
                        if self.stack.last() != Some(&Frame::Keywords) {
                            self.mend(out, Repair::MissingColon, at + i as u64, at + i as u64 + 1);
                        }
                        i += 1;
                        run = i;
                        self.state = State::Arrow;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                    b'}' | b']' | b')' | b',' => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push_str(":null");
                        self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                        self.state = State::After;
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    _ => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push(':');
                        self.mend(out, Repair::MissingColon, at + i as u64, at + i as u64);
                        self.state = State::Value;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                },
                State::Root => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => {
                        i += 1;
                        run = i;
                    }
                    b'{' => self.state = State::Value,
                    _ => break Step::Stuck,
                },
                State::Arrow => {
                    if byte == b'>' {
                        i += 1;
                        run = i;
                    }
                    self.state = State::Value;
                }
                State::Value => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, &mut i, &mut run),
                    b'"' => {
                        self.settle_comma(out);
                        self.empty = false;
                        self.token_at = at + i as u64;
                        i += 1;
                        self.state = State::Str(Quote::Double);
                    }
                    b'{' | b'[' | b'(' => {
                        self.settle_comma(out);
                        let frame = match byte {
                            b'{' => Frame::Object,
                            b'[' => Frame::Array,
                            _ => Frame::Tuple,
                        };
                        if frame == Frame::Tuple {
                            out.text.push_str(&text[run..i]);
                            out.text.push('[');
                            self.mend(out, Repair::PythonLiteral, at + i as u64, at + i as u64 + 1);
                            run = i + 1;
                        }
                        i += 1;
                        self.open(frame);
                    }
                    b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                        self.settle_comma(out);
                        self.empty = false;
                        let length = word_length(&bytes[i..]);
                        let ends = bytes.get(i + length).is_some_and(|b| {
                            matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
                        });
                        if ends && word::is_scalar(&text[i..i + length]) {
                            i += length;
                            self.end_value();
                        } else {
                            out.text.push_str(&text[run..i]);
                            self.begin_word(at + i as u64);
                            run = i;
                        }
                    }
                    b'}' | b']' | b')' => {
                        let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                        if in_keys && !self.comma {
                            out.text.push_str(&text[run..i]);
                            run = i;
                            out.text.push_str("null");
                            self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                            self.end_value();
                            continue;
                        }
                        if self.fits(byte) {
                            self.drop_comma(out);
                        }
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b',' => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        if self.stack.last().is_some_and(|frame| frame.has_keys()) {
                            out.text.push_str("null");
                            self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                            self.end_value();
                        } else if self.stack.is_empty() {
                            break Step::Stuck;
                        } else {
                            self.mend(out, Repair::ExtraComma, at + i as u64, at + i as u64 + 1);
                            i += 1;
                            run = i;
                        }
                    }
                    b'\'' | b'`' => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        out.text.push('"');
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 1);
                        self.token_at = at + i as u64;
                        self.after_letter = false;
                        i += 1;
                        run = i;
                        self.state = State::Str(if byte == b'`' {
                            Quote::Backtick
                        } else {
                            Quote::Single
                        });
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    b'<' if self.token_quote.is_some() => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    0xe2 if text[i..].starts_with(['\u{201c}', '\u{201d}']) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        out.text.push('"');
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 3);
                        i += 3;
                        run = i;
                        self.state = State::Str(Quote::Curly);
                    }
                    _ if is_word_byte(byte)
                        || matches!(byte, b'.' | b'+' | b'$' | b'*' | b'@' | b'~') =>
                    {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    _ => break Step::Stuck,
                },
                State::Str(Quote::Double) => {
                    let length = plain(&bytes[i..]);
                    if self.in_key {
                        self.key.push_str(&text[i..i + length]);
                        run = i + length;
                    } else if let Some(begin) =
                        self.tail_begin(&bytes[i..i + length], bytes.get(i + length))
                    {
                        i += begin;
                        out.text.push_str(&text[run..i]);
                        self.owed.push(char::from(bytes[i]));
                        (self.tail_next, self.tail_closer) = (0, 1);
                        self.state = State::Tail;
                        i += 1;
                        run = i;
                        continue;
                    }
                    i += length;
                    match bytes.get(i) {
                        None => {}
                        Some(b'"') => self.quote_in_string(text, &mut i, &mut run, out),
                        Some(b'\\') => {
                            if !self.in_key
                                && matches!(
                                    bytes.get(i + 1),
                                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
                                )
                            {
                                i += 2;
                            } else {
                                self.begin_escape(Quote::Double, text, at, &mut i, &mut run, out);
                            }
                        }
                        Some(&control) => {
                            self.copy(&text[run..i], out);
                            self.mend(out, Repair::RawControl, at + i as u64, at + i as u64 + 1);
                            escape_byte_into(
                                if self.in_key {
                                    &mut self.key
                                } else {
                                    &mut out.text
                                },
                                control,
                            );
                            i += 1;
                            run = i;
                        }
                    }
                }
                State::Str(quote) => self.odd_string(quote, text, at, &mut i, &mut run, out),
                State::Esc(quote) => self.escape(quote, text, at, &mut i, &mut run, out),
                State::Quoted => self.after_quote(text, at, &mut i, &mut run, out),
                State::Apostrophe => self.after_apostrophe(text, at, &mut i, &mut run, out),
                State::Tail => self.tail(text, at, &mut i, &mut run, out),
                State::Word => {
                    if let Some(step) = self.word(text, at, &mut i, &mut run, out) {
                        break step;
                    }
                }
                State::Slash => {
                    let slash = at + i as u64 - 1;
                    match byte {
                        b'/' => self.state = State::LineComment,
                        b'*' => self.state = State::BlockComment { star: false },
                        _ if self.resume == State::Value => {
                            // A path: `{dir: /tmp}`.
                            self.settle_comma(out);
                            self.empty = false;
                            self.begin_word(slash);
                            self.token.push('/');
                            run = i;
                            continue;
                        }
                        _ => {
                            self.mend(out, Repair::Comment, slash, slash + 1);
                            self.state = self.resume;
                            run = i;
                            continue;
                        }
                    }
                    self.mend(out, Repair::Comment, slash, slash + 1);
                    i += 1;
                    run = i;
                }
                State::LineComment => {
                    i += memchr::memchr(b'\n', &bytes[i..]).unwrap_or(bytes.len() - i);
                    run = i;
                    if i < bytes.len() {
                        self.state = self.resume;
                    }
                }
                State::BlockComment { star } => {
                    if star && byte == b'/' {
                        self.state = self.resume;
                    } else {
                        self.state = State::BlockComment { star: byte == b'*' };
                    }
                    i += 1;
                    run = i;
                }
                State::Done => break Step::Done,
            }
        };
        if run < i {
            self.copy(&text[run..i], out);
        }
        (i, step)
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
        .count()
}

/// Bytes of a number or literal at the begin.
fn word_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
        .count()
}
