//! The evident reading: members, elements and strings, whatever is missing between them.

use super::names::Name;
use super::space::Quotes;
use super::string_end::Place;
use super::{Kind, State, Walk};
use crate::repair::Repair;

impl Walk<'_> {
    pub(super) fn read_value(&mut self) -> State {
        loop {
            self.space(true);
            let Some(byte) = self.byte(0) else {
                return State::Ended(false);
            };
            match byte {
                b'{' => {
                    let kind = if self.is_set() {
                        Kind::Tuple
                    } else {
                        Kind::Object
                    };
                    if kind == Kind::Tuple {
                        self.writer
                            .note(Repair::PythonLiteral, self.i, self.i + 1, "[");
                    }
                    let opener = if kind == Kind::Tuple { b'[' } else { b'{' };
                    self.writer.put_byte(opener, self.i + 1);
                    let state = self.open(kind);
                    self.i += 1;
                    return state;
                }
                b'[' => {
                    self.writer.put_byte(b'[', self.i + 1);
                    let state = self.open(Kind::Array);
                    self.i += 1;
                    return state;
                }
                b'(' => {
                    let kind = if self.has_comma(self.i + 1) {
                        Kind::Tuple
                    } else {
                        Kind::Call
                    };
                    self.writer.note(
                        Repair::PythonLiteral,
                        self.i,
                        self.i + 1,
                        if kind == Kind::Tuple { "[" } else { "" },
                    );
                    if kind == Kind::Tuple {
                        self.writer.put("[");
                    }
                    let state = self.open(kind);
                    self.i += 1;
                    return state;
                }
                b'}' | b']' | b',' => return State::Ended(false),
                b')' if self
                    .stack
                    .iter()
                    .rev()
                    .take(2)
                    .any(|f| matches!(f.kind, Kind::Tuple | Kind::Call)) =>
                {
                    return State::Ended(false);
                }
                b':' | b';' | b')' => self.junk(1),
                b'\\' if Quotes::at(self.bytes, self.i + 1).is_some() => self.junk(1),
                _ => {
                    if let Some((marks, length)) = Quotes::at(self.bytes, self.i) {
                        if self.place() == Place::Element
                            && self.is_member_without_brace(marks, length)
                        {
                            self.writer
                                .note(Repair::MissingBracket, self.i, self.i, "{");
                            self.writer.put("{");
                            return self.open(Kind::Object);
                        }
                        self.read_string(marks, length);
                        return State::Ended(true);
                    }
                    return self.bare_value();
                }
            }
        }
    }

    /// Leaves out bytes that belong to nothing.
    pub(super) fn junk(&mut self, length: usize) {
        self.writer.note(Repair::Junk, self.i, self.i + length, "");
        self.i += length;
    }

    /// Whether the `{` here starts a set of Python: strings without colons.
    fn is_set(&mut self) -> bool {
        let first = self.past_space(self.i + 1);
        if Name::at(self.bytes, first).is_some() {
            return false;
        }
        let Some((marks, length)) = Quotes::at(self.bytes, first) else {
            return false;
        };
        let limit = (first + 256).min(self.bytes.len());
        let mut end = first + length;
        loop {
            end = marks.find(&self.bytes[..limit], end);
            match self.bytes[..limit].get(end) {
                None => return false,
                Some(b'\\') => end += 2,
                Some(_) => match marks.close(self.bytes, end) {
                    Some(length) => {
                        end += length;
                        break;
                    }
                    None => end += 1,
                },
            }
        }
        let next = self.past_space(end);
        match self.bytes.get(next) {
            Some(b'}') => true,
            Some(b',') => {
                let second = self.past_space(next + 1);
                Quotes::at(self.bytes, second).is_some()
                    && self.key_at(second, Place::Member).is_none()
            }
            _ => false,
        }
    }

    /// Whether a comma stands between this place and the bracket that closes it: then `(..)` is a tuple.
    fn has_comma(&mut self, from: usize) -> bool {
        let mut depth = 0usize;
        let mut at = from;
        let mut is_empty = true;
        while let Some(&byte) = self.bytes.get(at) {
            if self.work > self.patience {
                return true;
            }
            self.work += 1;
            if let Some((marks, length)) = Quotes::at(self.bytes, at) {
                is_empty = false;
                let mut end = at + length;
                loop {
                    end = marks.find(self.bytes, end);
                    match self.bytes.get(end) {
                        None => break,
                        Some(b'\\') => end += 2,
                        Some(_) if marks.close(self.bytes, end).is_some() => break,
                        Some(_) => end += 1,
                    }
                }
                self.work += (end - at) as u64;
                at = end + 1;
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return is_empty,
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 0 => return true,
                _ => {}
            }
            is_empty &= byte.is_ascii_whitespace();
            at += 1;
        }
        true
    }

    fn is_member_without_brace(&mut self, marks: Quotes, length: usize) -> bool {
        let limit = (self.i + 256).min(self.bytes.len());
        let end = marks.find(&self.bytes[..limit], self.i + length);
        self.work += 1;
        let Some(mark) = marks.close(self.bytes, end) else {
            return false;
        };
        let colon = super::super::valid::blanks(self.bytes, end + mark);
        end < limit && self.bytes.get(colon) == Some(&b':')
    }

    /// Passes what may stand before a member and an element alike: blanks, commas, ellipses. The container ends with the
    /// text, and where a fence does: then its end is the error.
    fn next_item(&mut self, initial: bool, comma: &mut Option<usize>) -> Result<u8, State> {
        loop {
            self.space(true);
            match self.byte(0) {
                Some(b',' | b';') => self.comma(initial, comma),
                Some(b'.' | 0xe2) if self.text[self.i..].starts_with(['.', '\u{2026}']) => {
                    if !self.ellipsis() {
                        return Ok(b'.');
                    }
                }
                Some(byte) if byte != b'`' || !self.text[self.i..].starts_with("```") => {
                    return Ok(byte);
                }
                _ => {
                    self.drop_comma(*comma);
                    return Err(self.close(true));
                }
            }
        }
    }

    pub(super) fn read_member(&mut self) -> State {
        let initial = self.stack.last().is_some_and(|top| top.initial);
        let mut comma: Option<usize> = None;
        loop {
            let byte = match self.next_item(initial, &mut comma) {
                Ok(byte) => byte,
                Err(ended) => return ended,
            };
            match byte {
                b'}' => {
                    self.drop_comma(comma);
                    return self.close(false);
                }
                b']' => {
                    if self.stack.last().is_some_and(|top| top.array > 0) {
                        self.drop_comma(comma);
                        return self.close(true);
                    }
                    self.wrong_bracket();
                }
                b')' => {
                    let below = self
                        .stack
                        .len()
                        .checked_sub(2)
                        .and_then(|n| self.stack.get(n));
                    if below.is_some_and(|f| matches!(f.kind, Kind::Tuple | Kind::Call)) {
                        self.drop_comma(comma);
                        return self.close(true);
                    }
                    self.wrong_bracket();
                }
                b'{' => {
                    let below = self
                        .stack
                        .len()
                        .checked_sub(2)
                        .and_then(|n| self.stack.get(n));
                    if !initial && below.is_some_and(|f| f.kind == Kind::Array) {
                        self.drop_comma(comma);
                        return self.close(true);
                    }
                    self.wrong_bracket();
                }
                b'[' if !initial => {
                    self.drop_comma(comma);
                    if self.writer.last() != Some(b']') {
                        self.wrong_bracket();
                        comma = None;
                        continue;
                    }
                    // A list that goes on after its bracket.
                    self.writer
                        .note(Repair::MismatchedBracket, self.i, self.i + 1, "");
                    self.writer.drop_blanks();
                    self.writer.out().pop();
                    let is_empty = self.writer.out().trim_end().ends_with('[');
                    self.open(Kind::Array);
                    self.i += 1;
                    if let Some(top) = self.top() {
                        top.initial = is_empty;
                    }
                    return State::Element;
                }
                b'[' => self.wrong_bracket(),
                b'\\' => self.junk(1),
                _ => {
                    if let Some(state) = self.read_key(initial, comma) {
                        return state;
                    }
                }
            }
        }
    }

    pub(super) fn read_element(&mut self) -> State {
        let (initial, kind) = self
            .stack
            .last()
            .map_or((true, Kind::Array), |top| (top.initial, top.kind));
        let mut comma: Option<usize> = None;
        loop {
            let byte = match self.next_item(initial, &mut comma) {
                Ok(byte) => byte,
                Err(ended) => return ended,
            };
            match byte {
                b']' => {
                    self.drop_comma(comma);
                    if kind == Kind::Tuple {
                        self.writer
                            .note(Repair::MismatchedBracket, self.i, self.i + 1, "]");
                    }
                    return self.close(false);
                }
                b')' => {
                    self.drop_comma(comma);
                    if kind == Kind::Array {
                        self.writer
                            .note(Repair::MismatchedBracket, self.i, self.i + 1, "]");
                    }
                    return self.close(false);
                }
                b'}' => {
                    if kind == Kind::Tuple || self.is_meant_for_list() {
                        self.drop_comma(comma);
                        if kind == Kind::Array {
                            self.writer
                                .note(Repair::MismatchedBracket, self.i, self.i + 1, "]");
                        }
                        return self.close(false);
                    }
                    if self.stack.last().is_some_and(|top| top.object > 0) {
                        self.drop_comma(comma);
                        return self.close(true);
                    }
                    self.wrong_bracket();
                }
                b':' => self.junk(1),
                _ => {
                    if !initial && self.is_member_around() {
                        self.drop_comma(comma);
                        return self.close(true);
                    }
                    if !initial && comma.is_none() {
                        self.writer.note(Repair::MissingComma, self.i, self.i, ",");
                        self.writer.put_before_blanks(",");
                    }
                    return State::Value;
                }
            }
        }
    }

    /// Whether a member of the object around the list stands here: the list, whose last element is no container, has
    /// lost its bracket.
    fn is_member_around(&mut self) -> bool {
        let Some((marks, length)) = Quotes::at(self.bytes, self.i) else {
            return false;
        };
        let around = self
            .stack
            .len()
            .checked_sub(2)
            .and_then(|n| self.stack.get(n));
        around.is_some_and(|frame| frame.kind == Kind::Object)
            && self.is_member_without_brace(marks, length)
            && !self
                .writer
                .solid()
                .trim_end_matches(',')
                .ends_with(['}', ']'])
    }

    /// Whether the `}` here closes the list: if it closed the object around it, what follows would belong to nothing.
    fn is_meant_for_list(&mut self) -> bool {
        let object = self.stack.last().map_or(0, |top| top.object);
        let Some(around) = object.checked_sub(1) else {
            return false;
        };
        if around
            .checked_sub(1)
            .and_then(|n| self.stack.get(n))
            .is_some_and(|f| f.kind == Kind::Object)
        {
            return false;
        }
        let next = self.past_space(self.i + 1);
        if self.bytes.get(next) != Some(&b',') {
            return false;
        }
        let next = self.past_space(next + 1);
        Quotes::at(self.bytes, next).is_some() && self.key_at(next, Place::Member).is_some()
    }

    /// A comma between members or elements; a second one, or one before the first, goes.
    fn comma(&mut self, initial: bool, comma: &mut Option<usize>) {
        if initial || comma.is_some() {
            self.writer.note(Repair::ExtraComma, self.i, self.i + 1, "");
        } else {
            if self.byte(0) == Some(b';') {
                self.writer
                    .note(Repair::MissingComma, self.i, self.i + 1, ",");
            }
            self.writer.put_byte(b',', self.i + 1);
            *comma = Some(self.i);
        }
        self.i += 1;
    }

    /// A closer comes: the comma before it goes.
    fn drop_comma(&mut self, comma: Option<usize>) {
        if let Some(at) = comma {
            self.writer.note(Repair::TrailingComma, at, at + 1, "");
            self.writer.take_comma();
        }
    }

    fn wrong_bracket(&mut self) {
        self.writer
            .note(Repair::MismatchedBracket, self.i, self.i + 1, "");
        self.i += 1;
    }

    pub(super) fn read_end(&mut self, found: bool) -> State {
        let Some(top) = self.stack.last_mut() else {
            return State::Ended(found);
        };
        match top.kind {
            Kind::Object => {
                if !found {
                    self.writer
                        .note(Repair::MissingValue, self.i, self.i, "null");
                    self.writer.put("null");
                }
                State::Member
            }
            Kind::Array | Kind::Tuple => {
                if found {
                    top.initial = false;
                } else {
                    // The comma that was written for it goes again.
                    self.writer.take_comma();
                }
                State::Element
            }
            Kind::Call => {
                if !found {
                    self.writer
                        .note(Repair::MissingValue, self.i, self.i, "null");
                    self.writer.put("null");
                }
                if self.byte(0) == Some(b')') {
                    self.i += 1;
                    if self.byte(0) == Some(b';') {
                        self.i += 1;
                    }
                }
                self.stack.pop();
                State::Ended(true)
            }
        }
    }
}
