//! Words without quotation marks.

use super::state::{Frame, Quote, State};
use super::{HELD, Output, Step, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;
use crate::word;

impl Transducer {
    pub(super) fn begin_word(&mut self, at: u64) {
        self.token.clear();
        self.token_at = at;
        (self.nest, self.raw) = (0, false);
        self.state = State::Word;
    }

    pub(super) fn word(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let bytes = text.as_bytes();
        let byte = bytes[*i];
        *run = *i;
        if let Some(quote) = &self.token_quote
            && let Some(wanted) = quote.strip_prefix(self.token.as_str())
            && let Some(c) = text[*i..].chars().next()
            && wanted.starts_with(c)
        {
            self.token.push(c);
            *i += c.len_utf8();
            *run = *i;
            if self.token.len() == quote.len() {
                self.token.clear();
                if self.in_key {
                    self.key.clear();
                } else {
                    out.text.push('"');
                }
                self.state = State::Str(Quote::Token);
            }
            return None;
        }
        let is_python = self.python && !self.in_key;
        let behind_literal =
            is_python && self.token.ends_with([' ', '\t']) && is_literal(self.token.trim_end());
        let ends = match byte {
            // `1 + 2` goes on behind its blank; `1 b=2` has lost its comma.
            b' ' | b'\t' if is_python => false,
            _ if behind_literal && !is_operator(byte) => true,
            // An expression's own brackets and what stands in them.
            b',' | b'}' | b']' | b')' | b'<' | b' ' if self.nest > 0 => false,
            b',' | b'}' | b']' | b'\n' | b'<' => true,
            b':' | b'=' => self.in_key,
            b' ' | b'\t' | b'\r' => self.in_key || is_literal(&self.token),
            b')' => matches!(self.stack.last(), Some(Frame::Tuple | Frame::Keywords)),
            b'"' | b'\'' if !self.in_key && is_string_prefix(&self.token) => {
                // r'..', b'..', u"..", f'..' of Python.
                out.text.push('"');
                self.mend(out, Repair::OtherQuote, self.token_at, at + *i as u64 + 1);
                self.raw = self.python && self.token.contains(['r', 'R']);
                self.token.clear();
                self.state = State::Str(if byte == b'"' {
                    Quote::Double
                } else {
                    Quote::Single
                });
                *i += 1;
                *run = *i;
                return None;
            }
            b'"' => self.in_key,
            _ => self.token.len() >= HELD,
        };
        if ends {
            if self.in_key && matches!(byte, b',' | b')') && self.expects_positions() {
                self.in_key = false;
                self.name_position(self.token_at, out);
                self.end_word(at + *i as u64, out);
                return None;
            }
            if self.in_key {
                let mut key = core::mem::take(&mut self.token);
                if self.python && key.contains("\\_") {
                    // Markdown writers escape underscores.
                    key = key.replace("\\_", "_");
                    self.mend(out, Repair::BadEscape, self.token_at, at + *i as u64);
                }
                self.key.clear();
                escape_into(&mut self.key, key.trim_end());
                if self.stack.last() != Some(&Frame::Keywords) {
                    self.mend(out, Repair::BareKey, self.token_at, at + *i as u64);
                }
                self.end_key(at + *i as u64, out);
                if byte == b'"' {
                    *i += 1;
                    *run = *i;
                }
                return None;
            }
            if self.token.is_empty() {
                return Some(Step::Stuck);
            }
            self.end_word(at + *i as u64, out);
            return None;
        }
        // At least one character, and no more than the cap has room for: a word ends at the same byte in every cut.
        let room = HELD
            .saturating_sub(self.token.len())
            .clamp(1, bytes.len() - *i);
        let rest = &bytes[*i..*i + room];
        let run_length = rest.iter().position(|b| {
            matches!(
                b,
                b',' | b'}'
                    | b']'
                    | b'\n'
                    | b'<'
                    | b':'
                    | b'='
                    | b' '
                    | b'\t'
                    | b'\r'
                    | b')'
                    | b'"'
                    | b'\''
            )
        });
        let end = *i + run_length.unwrap_or(rest.len()).max(1);
        let end = (end..=bytes.len())
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(bytes.len());
        self.token.push_str(&text[*i..end]);
        if self.python && !self.in_key {
            for byte in &bytes[*i..end] {
                match byte {
                    b'[' | b'(' | b'{' => self.nest = self.nest.saturating_add(1),
                    b']' | b')' | b'}' => self.nest = self.nest.saturating_sub(1),
                    _ => {}
                }
            }
        }
        *i = end;
        *run = end;
        None
    }

    /// Whether the dialect's own quotation token begins with the byte.
    pub(super) fn begins_token(&self, byte: u8) -> bool {
        let quote = self.token_quote.as_ref();
        quote.is_some_and(|quote| quote.as_bytes().first() == Some(&byte))
    }

    pub(super) fn end_word(&mut self, at: u64, out: &mut Output) {
        let token = core::mem::take(&mut self.token);
        let word = token.trim_end();
        match word.strip_suffix(['"', '\'']) {
            // `"path": a.js"`: only the first mark is missing.
            Some(inside) if !self.python && !inside.contains(['"', '\'']) => {
                out.text.push('"');
                escape_into(&mut out.text, inside);
                out.text.push('"');
                self.mend(out, Repair::MissingQuote, self.token_at, self.token_at);
            }
            _ => {
                let (json, repair) = word::value(word, self.python);
                out.text.push_str(&json);
                if let Some(repair) = repair {
                    self.mend(out, repair, self.token_at, at);
                }
            }
        }
        self.token = token;
        self.token.clear();
        self.end_value();
    }
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Bytes of a number or literal at the begin.
pub(super) fn word_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
        .count()
}

/// Whether the byte goes on with an expression behind a literal.
fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'>' | b' ' | b'\t'
    )
}

pub(super) fn is_literal(word: &str) -> bool {
    word::is_scalar(word) || matches!(word, "True" | "False" | "None")
}

pub(super) fn is_string_prefix(word: &str) -> bool {
    matches!(
        word,
        "r" | "b" | "u" | "f" | "R" | "B" | "U" | "F" | "rb" | "br" | "fr" | "rf"
    )
}
