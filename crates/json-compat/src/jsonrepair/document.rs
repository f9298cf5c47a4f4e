//! The document, its containers, numbers and bare words.

use super::{Kind, Reader, State};
use crate::failure::{Expected, RepairFailure};
use toolglot_json::Repair;
use toolglot_json::internal::Quotes;
use toolglot_json::internal::quoted;

pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b',' | b':' | b'[' | b']' | b'/' | b'{' | b'}' | b'(' | b')' | b'\n' | b'+'
    )
}

pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'/' | b'{' | b'}' | b'\n' | b'+')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

pub(super) fn is_url_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+;=".contains(&byte)
}

/// Whether `text` is a scheme with its `://`.
pub(super) fn is_url_begin(text: &str) -> bool {
    matches!(
        text,
        "http://" | "https://" | "ftp://" | "mailto://" | "file://" | "data://" | "irc://"
    )
}

impl Reader<'_> {
    pub(super) fn document(&mut self) -> Result<(), RepairFailure> {
        self.fence(&["```", "[```", "{```"]);
        if !self.one_value()? {
            self.i = self.text.len();
            return self.refuse(Expected::Value);
        }
        self.fence(&["```", "```]", "```}"]);
        let comma = self.byte(0) == Some(b',');
        if comma {
            self.writer.put(",");
            self.i += 1;
            self.space();
        }
        if self.starts_value() && self.writer.ends_line_or_comma() {
            self.lines(comma)?;
        } else if comma {
            self.writer.note(Repair::TrailingComma, self.i, self.i, "");
            self.writer.take_comma();
        }
        while matches!(self.byte(0), Some(b'}' | b']')) {
            self.writer
                .note(Repair::MismatchedBracket, self.i, self.i + 1, "");
            self.i += 1;
            self.space();
        }
        if self.i < self.text.len() {
            return self.refuse(Expected::End);
        }
        Ok(())
    }

    /// Several values, separated by line breaks or commas: they become an array.
    fn lines(&mut self, comma: bool) -> Result<(), RepairFailure> {
        self.writer
            .note(Repair::MultipleValues, 0, self.text.len(), "[..]");
        if !comma {
            self.writer.put_before_blanks(",");
        }
        let mut initial = true;
        loop {
            if !initial {
                if self.byte(0) == Some(b',') {
                    self.writer.put(",");
                    self.i += 1;
                } else {
                    self.writer.put_before_blanks(",");
                }
            }
            initial = false;
            if !self.one_value()? {
                break;
            }
        }
        self.writer.take_comma();
        self.writer.prepend("[\n");
        self.writer.put("\n]");
        Ok(())
    }

    fn starts_value(&self) -> bool {
        Quotes::at(self.bytes, self.i).is_some()
            || self.byte(0).is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'[' | b'{')
            })
    }

    fn fence(&mut self, forms: &[&str]) {
        while matches!(self.byte(0), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.space();
        }
        let rest = &self.text[self.i..];
        let Some(form) = forms.iter().find(|form| rest.starts_with(**form)) else {
            return;
        };
        let from = self.i;
        self.i += form.len();
        if self
            .byte(0)
            .is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit())
        {
            while self.byte(0).is_some_and(is_name) {
                self.i += 1;
            }
        }
        self.writer.note(Repair::CodeFence, from, self.i, "");
        self.space();
    }

    pub(super) fn value(&mut self) -> Result<State, RepairFailure> {
        self.space();
        let Some(byte) = self.byte(0) else {
            return Ok(State::Ended(false));
        };
        if byte == b'{' || byte == b'[' {
            self.writer.put(if byte == b'{' { "{" } else { "[" });
            let state = self.open(if byte == b'{' {
                Kind::Object
            } else {
                Kind::Array
            });
            self.i += 1;
            self.space();
            if self.byte(0) == Some(b',') {
                self.writer.note(Repair::ExtraComma, self.i, self.i + 1, "");
                self.i += 1;
                self.space();
            }
            return Ok(state);
        }
        if self.string()? || self.number() || self.keyword() {
            return Ok(State::Ended(true));
        }
        if let Some(state) = self.word(false) {
            return Ok(state);
        }
        if byte == b'/' {
            self.regex();
            return Ok(State::Ended(true));
        }
        Ok(State::Ended(false))
    }

    pub(super) fn element(&mut self) -> State {
        match self.byte(0) {
            None => return self.close(true),
            Some(b']') => return self.close(false),
            _ => {}
        }
        if !self.stack.last().is_some_and(|top| top.initial) {
            self.comma();
        }
        self.ellipsis();
        State::Value
    }

    fn comma(&mut self) {
        if self.byte(0) == Some(b',') {
            self.writer.put(",");
            self.i += 1;
        } else {
            self.writer.note(Repair::MissingComma, self.i, self.i, ",");
            self.writer.put_before_blanks(",");
        }
    }

    pub(super) fn member(&mut self) -> Result<State, RepairFailure> {
        match self.byte(0) {
            None => return Ok(self.close(true)),
            Some(b'}') => return Ok(self.close(false)),
            _ => {}
        }
        let initial = self.stack.last().is_some_and(|top| top.initial);
        if !initial {
            self.comma();
            self.space();
        }
        self.ellipsis();
        if !self.string()? && self.word(true).is_none() {
            if matches!(self.byte(0), None | Some(b'}' | b'{' | b']' | b'[')) {
                if !initial {
                    self.writer.note(Repair::TrailingComma, self.i, self.i, "");
                    self.writer.take_comma();
                }
            } else {
                return self.refuse(Expected::Key);
            }
            return Ok(self.close(self.byte(0) != Some(b'}')));
        }
        self.space();
        let colon = self.byte(0) == Some(b':');
        let truncated = self.i >= self.text.len();
        if colon {
            self.writer.put(":");
            self.i += 1;
        } else if self.starts_value() || truncated {
            self.writer.note(Repair::MissingColon, self.i, self.i, ":");
            self.writer.put_before_blanks(":");
        } else {
            return self.refuse(Expected::Colon);
        }
        if let Some(top) = self.top() {
            (top.colon, top.truncated) = (colon, truncated);
        }
        Ok(State::Value)
    }

    pub(super) fn end(&mut self, found: bool) -> Result<State, RepairFailure> {
        let Some(&top) = self.stack.last() else {
            return Ok(State::Ended(found));
        };
        match top.kind {
            Kind::Call => {
                if !found {
                    return self.refuse(Expected::Value);
                }
                if self.byte(0) == Some(b')') {
                    self.i += 1;
                    if self.byte(0) == Some(b';') {
                        self.i += 1;
                    }
                }
                self.stack.pop();
                return Ok(State::Ended(true));
            }
            Kind::Object => {
                if !found {
                    if !top.colon && !top.truncated {
                        return self.refuse(Expected::Colon);
                    }
                    self.writer
                        .note(Repair::MissingValue, self.i, self.i, "null");
                    self.writer.put("null");
                }
            }
            Kind::Array => {
                if !found {
                    if !top.initial {
                        self.writer.note(Repair::TrailingComma, self.i, self.i, "");
                        self.writer.take_comma();
                    }
                    return Ok(self.close(self.byte(0) != Some(b']')));
                }
            }
        }
        if let Some(top) = self.top() {
            top.initial = false;
        }
        Ok(if top.kind == Kind::Object {
            State::Member
        } else {
            State::Element
        })
    }

    fn number(&mut self) -> bool {
        let start = self.i;
        let digits = |reader: &mut Self| {
            let from = reader.i;
            while reader.byte(0).is_some_and(|byte| byte.is_ascii_digit()) {
                reader.i += 1;
            }
            reader.i > from
        };
        let mut number = String::new();
        let mut invalid = false;
        if self.byte(0) == Some(b'-') {
            number.push('-');
            self.i += 1;
            if !self.byte(0).is_some_and(|byte| byte.is_ascii_digit()) && self.ends_number() {
                number.push('0');
            }
        }
        invalid |=
            self.byte(0) == Some(b'0') && self.byte(1).is_some_and(|byte| byte.is_ascii_digit());
        let from = self.i;
        digits(self);
        number.push_str(&self.text[from..self.i]);
        if self.byte(0) == Some(b'.') {
            if number.is_empty() || number == "-" {
                number.push('0');
            }
            let from = self.i;
            self.i += 1;
            let some = digits(self);
            number.push_str(&self.text[from..self.i]);
            if !some {
                number.push('0');
            }
        }
        if self.i == start {
            return false;
        }
        if matches!(self.byte(0), Some(b'e' | b'E')) {
            invalid |= number == "-";
            let from = self.i;
            self.i += 1;
            if matches!(self.byte(0), Some(b'-' | b'+')) {
                self.i += 1;
            }
            let some = digits(self);
            number.push_str(&self.text[from..self.i]);
            if !some {
                number.push('0');
            }
        }
        if !self.ends_number() {
            self.i = start;
            return false;
        }
        let source = &self.text[start..self.i];
        if invalid {
            number = quoted(source);
        }
        if number != source {
            self.writer
                .note(Repair::InvalidNumber, start, self.i, number.clone());
        }
        self.writer.put(&number);
        true
    }

    fn ends_number(&self) -> bool {
        self.byte(0)
            .is_none_or(|byte| is_delimiter(byte) || matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    fn keyword(&mut self) -> bool {
        let rest = &self.text[self.i..];
        for (word, json) in [
            ("true", "true"),
            ("false", "false"),
            ("null", "null"),
            ("True", "true"),
            ("False", "false"),
            ("None", "null"),
        ] {
            if rest.starts_with(word) && !self.byte(word.len()).is_some_and(is_name) {
                if word != json {
                    self.writer
                        .note(Repair::PythonLiteral, self.i, self.i + word.len(), json);
                }
                self.writer.put(json);
                self.i += word.len();
                return true;
            }
        }
        false
    }

    /// A word without quotes, or the start of a call around a value.
    fn word(&mut self, is_key: bool) -> Option<State> {
        let start = self.i;
        if self
            .byte(0)
            .is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit())
        {
            while self.byte(0).is_some_and(is_name) {
                self.i += 1;
            }
            let paren = toolglot_json::internal::blanks_end(self.bytes, self.i);
            if self.bytes.get(paren) == Some(&b'(') && !is_key {
                self.i = paren + 1;
                self.writer.note(Repair::Wrapper, start, self.i, "");
                return Some(self.open(Kind::Call));
            }
        }
        while let Some(byte) = self.byte(0) {
            if ends_word(byte)
                || (is_key && byte == b':')
                || Quotes::at(self.bytes, self.i).is_some()
            {
                break;
            }
            self.i += 1;
            while !self.text.is_char_boundary(self.i) {
                self.i += 1;
            }
        }
        let head_end = (self.i + 2).min(self.text.len());
        if self.i > start
            && self.bytes[self.i - 1] == b':'
            && self.text.get(start..head_end).is_some_and(is_url_begin)
        {
            while self.byte(0).is_some_and(is_url_byte) {
                self.i += 1;
            }
        }
        if self.i == start {
            return None;
        }
        let end = start
            + self.text[start..self.i]
                .trim_end_matches([' ', '\t', '\n', '\r'])
                .len();
        self.i = end;
        let word = &self.text[start..end];
        let (json, repair) = match word {
            "undefined" => (String::from("null"), Repair::PythonLiteral),
            _ => (
                quoted(word),
                if is_key {
                    Repair::UnquotedKey
                } else {
                    Repair::UnquotedString
                },
            ),
        };
        self.writer.put(&json);
        self.writer.note(repair, start, end, json);
        if self.byte(0) == Some(b'"') {
            self.i += 1;
        }
        Some(State::Ended(true))
    }

    fn regex(&mut self) {
        let start = self.i;
        self.i += 1;
        while self
            .byte(0)
            .is_some_and(|byte| byte != b'/' || self.bytes[self.i - 1] == b'\\')
        {
            self.i += 1;
        }
        self.i = (self.i + 1).min(self.text.len());
        let json = quoted(&self.text[start..self.i]);
        self.writer.put(&json);
        self.writer
            .note(Repair::UnquotedString, start, self.i, json);
    }
}
