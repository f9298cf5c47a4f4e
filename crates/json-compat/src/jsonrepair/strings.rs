//! Strings.

use super::Reader;
use super::document::{ends_word, is_delimiter, is_url_begin, is_url_byte};
use crate::failure::{Expected, RepairFailure};
use toolglot_json::Repair;
use toolglot_json::internal::Quotes;
use toolglot_json::internal::escape_byte_into;

/// Where to stop reading a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    AtMark,
    AtDelimiter,
    At(usize),
}

impl Reader<'_> {
    /// A string with the parts that `+` joins to it.
    pub(super) fn string(&mut self) -> Result<bool, RepairFailure> {
        let Some(text) = self.part()? else {
            return Ok(false);
        };
        self.writer.put("\"");
        self.writer.put(&text);
        self.writer.put("\"");
        let joined_from = self.i;
        self.space();
        while self.byte(0) == Some(b'+') {
            self.i += 1;
            self.space();
            self.writer
                .note(Repair::Concatenation, joined_from, self.i, "");
            if let Some(text) = self.part()? {
                self.writer.drop_blanks();
                self.writer.out().pop();
                self.writer.put(&text);
                self.writer.put("\"");
            }
            self.space();
        }
        Ok(true)
    }

    /// The content of one string, as JSON text; `None` if no string starts here.
    pub(super) fn part(&mut self) -> Result<Option<String>, RepairFailure> {
        let slashed = self.byte(0) == Some(b'\\');
        if slashed {
            self.i += 1;
            if Quotes::at(self.bytes, self.i).is_none() {
                return self.refuse(Expected::Value);
            }
            self.writer
                .note(Repair::EscapedDocument, self.i - 1, self.i, "");
        }
        let Some((quotes, length)) = Quotes::at(self.bytes, self.i) else {
            return Ok(None);
        };
        if quotes != Quotes::Double {
            self.writer
                .note(Repair::NonstandardQuote, self.i, self.i + length, "\"");
        }
        let start = self.i + length;
        let mut stop = Stop::AtMark;
        loop {
            self.i = start;
            if self.work > self.patience && stop == Stop::AtMark {
                stop = Stop::AtDelimiter;
            }
            let from = self.i;
            // When the string is read again, a backslash is literal.
            let read = self.inside(start, quotes, slashed && stop == Stop::AtMark, stop);
            self.work += (self.i - from) as u64;
            match read? {
                Ok(text) => return Ok(Some(text)),
                Err(again) => stop = again,
            }
        }
    }

    /// Reads the content of a string from `start` on, or returns where to stop instead.
    fn inside(
        &mut self,
        start: usize,
        quotes: Quotes,
        slashed: bool,
        stop: Stop,
    ) -> Result<Result<String, Stop>, RepairFailure> {
        let mut inside = String::new();
        // The nesting depth of `(`, `[`, `{`.
        let mut open = [0i64; 3];
        loop {
            let Some(byte) = self.byte(0) else {
                if stop == Stop::AtMark && self.byte_before(self.i).is_some_and(is_delimiter) {
                    return Ok(Err(Stop::AtDelimiter));
                }
                return Ok(Ok(self.unclosed(inside)));
            };
            // An escape may have skipped the stop position.
            if matches!(stop, Stop::At(place) if self.i >= place) {
                return Ok(Ok(self.unclosed(inside)));
            }
            if let Some(length) = quotes.close(self.bytes, self.i) {
                let quote = self.i;
                let next = self.past_line_space(quote + length);
                let follow = self.bytes.get(next).copied();
                let ends = stop == Stop::AtDelimiter
                    || match follow {
                        None => true,
                        Some(byte) if is_delimiter(byte) => {
                            !matches!(byte, b')' if open[0] > 0)
                                && !matches!(byte, b']' if open[1] > 0)
                                && !matches!(byte, b'}' if open[2] > 0)
                        }
                        Some(byte) => {
                            byte.is_ascii_digit()
                                || Quotes::at(self.bytes, next).is_some_and(|(_, length)| {
                                    let after = toolglot_json::internal::blanks_end(
                                        self.bytes,
                                        next + length,
                                    );
                                    self.bytes
                                        .get(after)
                                        .is_some_and(|&byte| !is_delimiter(byte))
                                })
                        }
                    };
                if ends {
                    self.i = quote + length;
                    return Ok(Ok(inside));
                }
                if follow == Some(b'\\') {
                    self.i = next;
                    return self.refuse(Expected::Value);
                }
                let before = self.index_before(quote);
                match self.bytes.get(before) {
                    Some(b',') => return Ok(Err(Stop::At(before))),
                    Some(&byte) if is_delimiter(byte) => return Ok(Err(Stop::AtDelimiter)),
                    _ => {}
                }
                if stop == Stop::AtMark {
                    self.writer
                        .note(Repair::UnescapedQuote, quote, quote + length, "\\\"");
                }
                // The library writes `\"` for any quote character, too.
                inside.push_str("\\\"");
                self.i = quote + length;
            } else if stop == Stop::AtDelimiter && ends_word(byte) {
                let head = self.text.get(start..self.i + 2).unwrap_or_default();
                if self.bytes[self.i - 1] == b':' && is_url_begin(head) {
                    while let Some(byte) = self.byte(0).filter(|&byte| is_url_byte(byte)) {
                        inside.push(char::from(byte));
                        self.i += 1;
                    }
                }
                return Ok(Ok(self.unclosed(inside)));
            } else if byte == b'\\' {
                self.escape(&mut inside)?;
            } else if byte == b'"' {
                inside.push_str("\\\"");
                self.i += 1;
            } else if byte < 0x20 {
                if !matches!(byte, b'\n' | b'\r' | b'\t' | 0x08 | 0x0c) {
                    return self.refuse(Expected::Character);
                }
                self.writer
                    .note(Repair::ControlCharacter, self.i, self.i + 1, "");
                escape_byte_into(&mut inside, byte);
                self.i += 1;
            } else {
                match byte {
                    b'(' => open[0] += 1,
                    b'[' => open[1] += 1,
                    b'{' => open[2] += 1,
                    b')' => open[0] -= 1,
                    b']' => open[1] -= 1,
                    b'}' => open[2] -= 1,
                    _ => {}
                }
                let from = self.i;
                self.i += 1;
                if !slashed {
                    while self.bytes.get(self.i).is_some_and(|&byte| {
                        (0x20..0x80).contains(&byte)
                            && !matches!(byte, b'"' | b'\\' | b'\'' | b'`')
                            && !is_delimiter(byte)
                    }) && stop != Stop::At(self.i)
                    {
                        self.i += 1;
                    }
                }
                while !self.text.is_char_boundary(self.i) {
                    self.i += 1;
                }
                inside.push_str(&self.text[from..self.i]);
            }
            if slashed && self.byte(0) == Some(b'\\') {
                self.i += 1;
            }
        }
    }

    /// The end of a string without its closing quote: trailing spaces are outside of the string.
    pub(super) fn unclosed(&mut self, mut inside: String) -> String {
        let length = inside.trim_end_matches(' ').len();
        inside.truncate(length);
        self.writer.note(Repair::MissingQuote, self.i, self.i, "\"");
        inside
    }

    pub(super) fn escape(&mut self, inside: &mut String) -> Result<(), RepairFailure> {
        match self.byte(1) {
            Some(byte @ (b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                inside.push('\\');
                inside.push(char::from(byte));
                self.i += 2;
            }
            Some(b'u') => {
                let digits = self.bytes[self.i + 2..]
                    .iter()
                    .take(4)
                    .take_while(|byte| byte.is_ascii_hexdigit())
                    .count();
                if digits == 4 {
                    inside.push_str(&self.text[self.i..self.i + 6]);
                    self.i += 6;
                } else if self.i + 2 + digits >= self.text.len() {
                    self.writer
                        .note(Repair::TruncatedJson, self.i, self.text.len(), "");
                    self.i = self.text.len();
                } else {
                    return self.refuse(Expected::Unicode);
                }
            }
            Some(b'\n') => {
                inside.push_str("\\n");
                self.writer
                    .note(Repair::InvalidEscape, self.i, self.i + 2, "\\n");
                self.i += 2;
            }
            Some(_) => {
                self.writer
                    .note(Repair::InvalidEscape, self.i, self.i + 1, "");
                self.i += 1;
                let c = self.text[self.i..].chars().next().unwrap_or(' ');
                toolglot_json::internal::escape_into(inside, c.encode_utf8(&mut [0; 4]));
                self.i += c.len_utf8();
            }
            None => self.i += 1,
        }
        Ok(())
    }

    /// The last nonblank position before `at`.
    pub(super) fn index_before(&self, at: usize) -> usize {
        let mut before = at.saturating_sub(1);
        while before > 0 && matches!(self.bytes[before], b' ' | b'\t' | b'\n' | b'\r') {
            before -= 1;
        }
        before
    }

    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.bytes.get(self.index_before(at)).copied()
    }
}
