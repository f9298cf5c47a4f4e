//! What stands around values: prose, fences, wrappers, other values.

use super::space::Quotes;
use super::string_end::Place;
use super::{Kind, Walk};
use crate::repair::Repair;

impl Walk<'_> {
    /// Reads the document; what it writes is JSON whatever the text is.
    pub(super) fn document(&mut self) {
        self.space(true);
        if self.i >= self.bytes.len() {
            self.writer
                .note(Repair::MissingValue, 0, self.bytes.len(), "null");
            self.writer.put("null");
            return;
        }
        let first = self.begin();
        if let Some(at) = first {
            self.leave_out(at);
            self.member_or_value();
        } else {
            let end = self.text.trim_end().len();
            self.scalar_document();
            // Blanks that JSON does not know.
            let is_odd = |c: char| !matches!(c, ' ' | '\t' | '\n' | '\r');
            if self.text[end..].contains(is_odd) {
                self.writer.note(Repair::Junk, end, self.text.len(), "");
            }
            return;
        }
        let mut n_values = 1;
        loop {
            (self.text, self.bytes) = (self.whole, self.whole.as_bytes());
            let (next, continues) = self.next_value();
            match next {
                Some(at) if continues => {
                    // Members that go on after the bracket of the object.
                    self.leave_out(at);
                    if let Some(end) = self.root_closer.take() {
                        self.writer.drop_blanks();
                        self.writer.out().truncate(end);
                        self.writer.note(Repair::MismatchedBracket, at, at, "");
                        let is_empty = self.writer.out().trim_end().ends_with('{');
                        self.open(Kind::Object);
                        if let Some(top) = self.top() {
                            top.initial = is_empty;
                        }
                        self.resume();
                    }
                }
                Some(at) => {
                    self.leave_out(at);
                    n_values += 1;
                    self.writer.put_before_blanks(",");
                    self.member_or_value();
                }
                None => break,
            }
        }
        let rest = self.bytes.len();
        self.leave_out(rest);
        if n_values > 1 {
            self.writer
                .note(Repair::MultipleValues, 0, self.bytes.len(), "[..]");
            self.writer.prepend("[");
            self.writer.put_before_blanks("]");
        }
    }

    /// Goes on with the container on the stack until it is closed.
    fn resume(&mut self) {
        let floor = 0;
        let mut state = super::State::Member;
        loop {
            state = match state {
                super::State::Value => self.read_value(),
                super::State::Member => self.read_member(),
                super::State::Element => self.read_element(),
                super::State::Ended(found) => {
                    self.space(true);
                    if self.stack.len() <= floor {
                        return;
                    }
                    self.read_end(found)
                }
            };
        }
    }

    /// A value; members without the brace before them are an object.
    fn member_or_value(&mut self) {
        if Quotes::at(self.bytes, self.i).is_some() && self.key_at(self.i, Place::Key).is_some() {
            self.writer
                .note(Repair::MissingBracket, self.i, self.i, "{");
            self.writer.put("{");
            self.open(Kind::Object);
            self.resume();
            return;
        }
        if !self.value() {
            self.writer.put("null");
        }
    }

    /// Leaves out everything up to `at`, blanks apart.
    fn leave_out(&mut self, at: usize) {
        let skipped = &self.text[self.i.min(at)..at];
        let trimmed = skipped.trim();
        if trimmed.is_empty() {
            // Blanks that JSON does not have are left out as well, and not in silence.
            let is_odd = |c: char| !matches!(c, ' ' | '\t' | '\n' | '\r');
            let (first, last) = (skipped.find(is_odd), skipped.rfind(is_odd));
            if let (Some(first), Some(last)) = (first, last) {
                let end = skipped[last..]
                    .chars()
                    .next()
                    .map_or(last, |c| last + c.len_utf8());
                let note = (self.i + first, self.i + end);
                self.writer.note(Repair::Junk, note.0, note.1, "");
            }
        } else {
            let from = self.i + (skipped.len() - skipped.trim_start().len());
            let repair =
                if trimmed.starts_with("```") && trimmed.len() < 24 && !trimmed.contains('\n') {
                    Repair::CodeFence
                } else if trimmed
                    .bytes()
                    .all(|b| b"}])".contains(&b) || b.is_ascii_whitespace())
                {
                    Repair::MismatchedBracket
                } else if trimmed == "," {
                    Repair::TrailingComma
                } else if trimmed.bytes().all(|b| b";".contains(&b)) {
                    Repair::Junk
                } else {
                    Repair::Prose
                };
            self.writer.note(repair, from, from + trimmed.len(), "");
        }
        self.i = self.i.max(at);
    }

    /// Where the first value starts: a container, or a string or call at the very start. `None` for a text without one.
    fn begin(&mut self) -> Option<usize> {
        let at = self.i;
        let byte = self.bytes[at];
        if matches!(byte, b'{' | b'[') && self.is_container(at, true) {
            return Some(at);
        }
        if Quotes::at(self.bytes, at).is_some() && !self.text[at..].starts_with("```") {
            if self.key_at(at, Place::Key).is_some() {
                return Some(at);
            }
            if self.is_only_strings(at) {
                return Some(at);
            }
        }
        if byte == b'(' && self.is_container(at + 1, false) | self.is_tuple(at) {
            return Some(at);
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            let name = self.bytes[at..]
                .iter()
                .take(64)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
                .count();
            let paren = super::super::valid::blanks(self.bytes, at + name);
            if self.bytes.get(paren) == Some(&b'(') {
                let inner = self.past_space(paren + 1);
                if self.is_container(inner, true) || self.is_call_of_a_scalar(paren) {
                    return Some(at);
                }
            }
        }
        let found = self.fenced(at).or_else(|| self.container_in_prose(at))?;
        self.after_reasoning(found).or(Some(found))
    }

    /// The first container after the model's reasoning, if `found` stands in it.
    fn after_reasoning(&mut self, found: usize) -> Option<usize> {
        self.text[..found].find("<think")?;
        let end = found + self.text[found..].rfind("</think")?;
        self.fenced(end).or_else(|| self.container_in_prose(end))
    }

    fn is_tuple(&self, at: usize) -> bool {
        let inner = super::super::valid::blanks(self.bytes, at + 1);
        self.text.trim_end().ends_with(')')
            && (Quotes::at(self.bytes, inner).is_some()
                || self
                    .bytes
                    .get(inner)
                    .is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'(')))
    }

    /// `NumberLong("2")`, `callback(true);` and nothing else.
    fn is_call_of_a_scalar(&self, paren: usize) -> bool {
        let end = self.text.trim_end().trim_end_matches(';');
        let Some(inner) = end.strip_suffix(')').and_then(|text| text.get(paren + 1..)) else {
            return false;
        };
        let inner = inner.trim();
        !inner.contains('(')
            && (Quotes::at(inner.as_bytes(), 0).is_some() || crate::word::is_scalar(inner))
    }

    /// Whether the text from `at` on is one string, or strings joined or listed.
    fn is_only_strings(&mut self, at: usize) -> bool {
        let Some((marks, length)) = Quotes::at(self.bytes, at) else {
            return false;
        };
        let end = self.find_end(at + length, marks, Place::Root);
        let next = self.past_space(end.next);
        next >= self.bytes.len()
            || matches!(self.bytes[next], b'+' | b',' | b';' | b'}' | b']' | b'`')
            || Quotes::at(self.bytes, next).is_some()
            || matches!(self.bytes[next], b'{' | b'[')
    }

    /// The first fence that holds a container: where that starts.
    fn fenced(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(step) = memchr::memmem::find(&self.bytes[at..], b"```") {
            let mut inside = at + step + 3;
            while self.bytes.get(inside) == Some(&b'`') {
                inside += 1;
            }
            let info = self.bytes[inside..]
                .iter()
                .take(32)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.'))
                .count();
            let next = self.past_space(inside + info);
            if self.is_container(next, true)
                || self.bytes.get(next) == Some(&b'(') && self.is_tuple_in_fence(next)
            {
                return Some(next);
            }
            at = inside;
        }
        None
    }

    fn is_tuple_in_fence(&self, at: usize) -> bool {
        let inner = super::super::valid::blanks(self.bytes, at + 1);
        Quotes::at(self.bytes, inner).is_some()
            || self
                .bytes
                .get(inner)
                .is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'(' | b'{' | b'['))
    }

    fn container_in_prose(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(step) = memchr::memchr2(b'{', b'[', self.bytes.get(at..)?) {
            at += step;
            // `property['x']` is code, not a list.
            let is_index = self.bytes[at] == b'['
                && at > 0
                && (self.bytes[at - 1].is_ascii_alphanumeric()
                    || matches!(self.bytes[at - 1], b']' | b')' | b'_'));
            if !is_index && self.is_container(at, false) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// Whether a container that is one stands at `at`: not `{name}`, not `[link](..)`.
    fn is_container(&mut self, at: usize, is_alone: bool) -> bool {
        let Some(&byte) = self.bytes.get(at) else {
            return false;
        };
        if !matches!(byte, b'{' | b'[') {
            return false;
        }
        let next = self.past_space(at + 1);
        let Some(&follow) = self.bytes.get(next) else {
            return is_alone || byte == b'{';
        };
        let is_quoted = Quotes::at(self.bytes, next).is_some();
        if byte == b'{' {
            return is_quoted
                && (is_alone || self.key_at(next, Place::Key).is_some() || follow == b'\'')
                || follow == b'}'
                || follow == b'\\'
                || self.text[next..].starts_with("...")
                || is_alone && matches!(follow, b',' | b'[' | b']' | b':')
                || follow == b'{' && (is_alone || self.is_container(next, false))
                || self.bare_key_at(next, is_alone);
        }
        is_quoted && !self.text[next..].starts_with("```")
            || matches!(follow, b']' | b'{' | b'[' | b'-')
            || follow.is_ascii_digit()
            || follow == b'\\'
            || self.literal_at(next)
            || is_alone && !matches!(follow, b')' | b':' | b'`')
            || self.is_list_of_words(next)
    }

    fn bare_key_at(&mut self, at: usize, is_alone: bool) -> bool {
        if self.key_at(at, Place::Key).is_some() {
            return true;
        }
        is_alone && {
            let length = self.bytes[at..]
                .iter()
                .take(128)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ' | b'$'))
                .count();
            length > 0
                && matches!(
                    self.bytes.get(at + length),
                    Some(b':' | b'=' | b'"' | b'\'' | 0xe2) | None
                )
        }
    }

    /// `[a, b]` on one line, with nothing after it that makes it a link.
    fn is_list_of_words(&self, at: usize) -> bool {
        let line = self.bytes[at..]
            .iter()
            .take(512)
            .position(|&b| b == b']' || b == b'\n' || b == b'[');
        let Some(length) = line else { return false };
        let end = at + length;
        self.bytes[end] == b']'
            && self.bytes[at..end].contains(&b',')
            && !matches!(self.bytes.get(end + 1), Some(b'(' | b'['))
    }

    /// Where the next value starts, and whether it is a member that continues the object before.
    fn next_value(&mut self) -> (Option<usize>, bool) {
        let mut at = self.i;
        let mut comma = false;
        loop {
            at = self.past_space(at);
            match self.bytes.get(at) {
                None => return (None, false),
                Some(b',') => {
                    comma = true;
                    at += 1;
                }
                Some(b';' | b')' | b'}' | b']') => at += 1,
                Some(b'`') if self.text[at..].starts_with("```") => {
                    let found = self.fenced(at).or_else(|| self.container_in_prose(at + 3));
                    return (found, false);
                }
                Some(b'{' | b'[') if self.is_container(at, true) => return (Some(at), false),
                Some(_) => break,
            }
        }
        if comma
            && self.root_closer.is_some()
            && Quotes::at(self.bytes, at).is_some()
            && self.key_at(at, Place::Key).is_some()
        {
            return (Some(at), true);
        }
        if Quotes::at(self.bytes, at).is_some()
            && (comma || self.writer.ends_line_or_comma())
            && self.is_only_strings(at)
        {
            return (Some(at), false);
        }
        if self.writer.ends_line_or_comma() || comma {
            // A line with one number or literal.
            let line = self.text[at..].lines().next().unwrap_or_default();
            let word = line.trim_end_matches([',', ' ', '\r']);
            let word = word.split(',').next().unwrap_or_default().trim_end();
            if crate::word::is_scalar(word) {
                return (Some(at), false);
            }
        }
        (
            self.fenced(at).or_else(|| self.container_in_prose(at)),
            false,
        )
    }

    /// A text without a container: numbers and literals in lines, or a string.
    fn scalar_document(&mut self) {
        let rest = &self.text[self.i..];
        let text = rest.trim();
        // Blanks that JSON does not know.
        let odd = rest.len() - rest.trim_start().len();
        if odd > 0 {
            self.junk(odd);
        }
        let bare = text.trim_end_matches([',', ';']).trim_end();
        if crate::word::value(bare, false).1 != Some(Repair::UnquotedString) {
            // One number or literal.
            let start = self.i;
            self.scalar(start, start + bare.len());
            return;
        }
        let is_scalar = |word: &str| crate::word::is_scalar(word.trim());
        // `12,345` is one number in groups, or two: it stays text.
        let is_grouped = bare
            .split(',')
            .skip(1)
            .all(|part| part.bytes().take(3).filter(u8::is_ascii_digit).count() == 3);
        let parts = || {
            bare.split(['\n', ','])
                .filter(|part| !part.trim().is_empty())
        };
        if parts().count() > 1 && parts().all(is_scalar) && (!is_grouped || bare.contains('\n')) {
            self.writer
                .note(Repair::MultipleValues, self.i, self.bytes.len(), "[..]");
            self.writer.put("[");
            for (n, part) in parts().enumerate() {
                if n > 0 {
                    self.writer.put(",");
                }
                self.writer.put(part.trim());
            }
            self.writer.put("]");
            return;
        }
        let start = self.i;
        let mut end = start + text.len();
        let mut from = start;
        if let Some((marks, length)) = Quotes::at(self.bytes, start)
            && self.text[start + length..end].chars().all(|c| c != '"')
            && marks == Quotes::Double
        {
            // A string that lost its end.
            from = start + length;
            self.writer.note(Repair::MissingQuote, end, end, "\"");
            self.writer.put("\"");
            self.inside(from, end, marks);
            self.writer.put("\"");
            return;
        }
        if let Some(head) = self.text[from..end].strip_suffix('"')
            && !head.contains('"')
        {
            end -= 1;
        }
        self.put_bare(from, end);
    }

    fn scalar(&mut self, start: usize, end: usize) {
        let (json, repair) = crate::word::value(&self.text[start..end], false);
        if let Some(repair) = repair {
            self.writer.note_text(repair, start, end, &json);
        }
        if end < self.text.trim_end().len() {
            self.writer
                .note(Repair::TrailingComma, end, self.text.trim_end().len(), "");
        }
        self.writer.put(&json);
    }
}
