//! Keys of the evident reading: quoted, bare, cut off; their colons, and what the shape says of their values.

use alloc::string::String;

use super::names::Name;
use super::space::Quotes;
use super::string_end::Place;
use super::{State, Walk};
use crate::escape::{escape_into, unescape};
use crate::repair::Repair;
use crate::shape::Shape;

impl<'a> Walk<'a> {
    /// A key, its colon, and what the shape says of its value. `None` if it was a word that belongs to nothing.
    pub(super) fn read_key(&mut self, initial: bool, comma: Option<usize>) -> Option<State> {
        let start = self.i;
        if let Some(name) = Name::at(self.bytes, start) {
            return Some(self.plain_key(name, initial, comma));
        }
        let marks = Quotes::at(self.bytes, self.i);
        let mut bare = None;
        if marks.is_none() && self.byte(0) != Some(b':') {
            match self.bare_key() {
                Some(end) => bare = Some(end),
                None => return None,
            }
        }
        // A key that the end of the text cuts off says nothing.
        let is_cut = match (marks, bare) {
            (Some((marks, length)), _) => self.is_cut_key(marks, start + length),
            (None, Some(end)) => self.past_space(end) >= self.bytes.len(),
            (None, None) => false,
        };
        if is_cut {
            self.writer
                .note(Repair::TruncatedJson, start, self.bytes.len(), "");
            self.i = self.bytes.len();
            return None;
        }
        if !initial && comma.is_none() {
            self.writer.note(Repair::MissingComma, start, start, ",");
            self.writer.put_before_blanks(",");
        }
        self.writer.put("\"");
        let from = self.writer.len();
        match (marks, bare) {
            (Some((marks, length)), _) => self.string_inside(marks, length, Place::Key),
            (None, Some(end)) => {
                let name = &self.text[start..end];
                escape_into(self.writer.out(), name);
                self.i = end;
                if self.byte(0) == Some(b'"') {
                    self.i += 1;
                }
            }
            (None, None) => self.writer.note(Repair::UnquotedKey, start, start, "\"\""),
        }
        let written = String::from(&self.writer.out()[from..]);
        let inner = self.member_shape(&unescape(&written), start);
        self.writer.put("\"");
        if let (None, Some(end)) = (marks, bare) {
            self.writer
                .note_written(Repair::UnquotedKey, start, end, from - 1);
        }
        if let Some(top) = self.top() {
            top.initial = false;
            top.inner = inner;
        }
        self.space(true);
        match self.byte(0) {
            Some(b':') => {
                self.writer.put(":");
                self.i += 1;
            }
            Some(b'=') => {
                let length = if self.byte(1) == Some(b'>') { 2 } else { 1 };
                self.writer
                    .note(Repair::MissingColon, self.i, self.i + length, ":");
                self.writer.put(":");
                self.i += length;
            }
            Some(b',' | b'}' | b']' | b')') | None => {
                self.writer
                    .note(Repair::MissingValue, self.i, self.i, ":null");
                self.writer.put_before_blanks(":null");
                return Some(State::Member);
            }
            Some(_) => {
                self.writer.note(Repair::MissingColon, self.i, self.i, ":");
                self.writer.put_before_blanks(":");
            }
        }
        Some(State::Value)
    }

    /// A key that needs no evidence, as nearly all are, and its colon.
    fn plain_key(&mut self, name: Name, initial: bool, comma: Option<usize>) -> State {
        let Name { from, to, colon } = name;
        let start = self.i;
        let text: &'a str = self.text;
        if !initial && comma.is_none() {
            self.writer.note(Repair::MissingComma, start, start, ",");
            self.writer.put_before_blanks(",");
        }
        let is_bare = from == start;
        if is_bare {
            self.writer.put_for("\"", start);
        } else {
            if self.bytes[start] != b'"' {
                self.writer
                    .note(Repair::NonstandardQuote, start, from, "\"");
            }
            self.writer.put_byte(b'"', from);
        }
        self.writer.pass(from, to);
        self.i = colon;
        let inner = self.member_shape(&text[from..to], start);
        self.writer.put_byte(b'"', colon);
        if is_bare {
            let from = self.writer.len() - (to - from) - 2;
            self.writer
                .note_written(Repair::UnquotedKey, start, to, from);
        }
        self.writer.put_byte(b':', colon + 1);
        self.i = colon + 1;
        if let Some(top) = self.top() {
            top.initial = false;
            top.inner = inner;
        }
        State::Value
    }

    /// Notes a key that came before; returns the shape of the member with this name.
    fn member_shape(&mut self, name: &str, start: usize) -> &'a Shape {
        let shape = self.stack.last().map_or(&Shape::Any, |top| top.shape);
        let inner = match shape {
            Shape::Object(fields) => fields
                .get(name)
                .or(fields.others.as_deref())
                .unwrap_or(&Shape::Any),
            _ => &Shape::Any,
        };
        if !self.keys.insert(name.as_bytes()) {
            let name = crate::escape::quoted(name);
            self.writer
                .note_text(Repair::DuplicateKey, start, self.i, &name);
        }
        inner
    }

    fn is_cut_key(&self, marks: Quotes, from: usize) -> bool {
        // Without its quote it is cut off, unless a colon says that only the quote is missing.
        self.cut_string(marks, from)
            .is_some_and(|has_mark| has_mark || !self.bytes[from..].contains(&b':'))
    }

    /// Whether the string has its quote whose inside starts at `from`, if the text ends in it or right after it.
    pub(super) fn cut_string(&self, marks: Quotes, from: usize) -> Option<bool> {
        let mut at = from;
        loop {
            at = marks.find(self.bytes, at);
            match self.bytes.get(at) {
                None => return Some(false),
                Some(b'\\') => at += 2,
                Some(_) => match marks.close(self.bytes, at) {
                    Some(length) => {
                        let next = super::super::valid::blanks(self.bytes, at + length);
                        return (next >= self.bytes.len()).then_some(true);
                    }
                    None => at += 1,
                },
            }
        }
    }
}
