//! Finds where the values of a text start: in prose and fences, or several in a row.

use super::quotes::{Quotes, starts_member};
use crate::repair::Repair;
use crate::scan::{blanks_end, odd_blank};
use crate::word;

/// A text that is searched for values.
pub(super) struct Framing<'a> {
    pub(super) text: &'a str,
    bytes: &'a [u8],
    /// The number of bytes of skipped comments.
    pub(super) work: u64,
    /// From this much work on, no comment is skipped.
    patience: u64,
}

/// The part after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A value starts here.
    Value(usize),
    /// A member of the previous object, whose closing bracket came too early.
    Member(usize),
    /// No value and no member follows.
    End,
}

impl<'a> Framing<'a> {
    pub(super) fn new(text: &'a str) -> Framing<'a> {
        Framing {
            text,
            bytes: text.as_bytes(),
            work: 0,
            patience: 16 * text.len() as u64 + 4096,
        }
    }

    /// The start of the first value from `at` on: a container, or a string or call exactly at `at`.
    /// `None` if there is no such value. `at` is not a blank.
    pub(super) fn first(&mut self, at: usize) -> Option<usize> {
        let byte = self.bytes[at];
        let is_quote = Quotes::at(self.bytes, at).is_some() && !self.is_fence(at);
        if is_quote || self.is_container(at, true) {
            return Some(at);
        }
        if byte == b'(' && (self.is_container(at + 1, false) || self.is_tuple(at)) {
            return Some(at);
        }
        if let Some(paren) = self.call(at) {
            let inner = self.past_space(paren + 1);
            if self.is_container(inner, true) || self.is_call_of_a_scalar(paren) {
                return Some(at);
            }
        }
        let found = self.container(at)?;
        self.after_reasoning(found).or(Some(found))
    }

    /// The next part from `at` on. An object precedes if `is_object`, a comma or a line break if `is_apart`.
    pub(super) fn next(&mut self, mut at: usize, is_object: bool, mut is_apart: bool) -> Next {
        let mut has_comma = false;
        loop {
            at = self.past_space(at);
            match self.bytes.get(at) {
                None => return Next::End,
                Some(b',') => {
                    has_comma = true;
                    at += 1;
                }
                Some(b';' | b')' | b'}' | b']') => at += 1,
                Some(b'`') if self.is_fence(at) => {
                    let found = self.container(at);
                    return found.map_or(Next::End, Next::Value);
                }
                Some(b'{' | b'[') if self.is_container(at, true) => return Next::Value(at),
                Some(_) => break,
            }
        }
        is_apart |= has_comma;
        let is_quote = Quotes::at(self.bytes, at).is_some();
        if is_quote && has_comma && is_object && starts_member(self.bytes, at) {
            return Next::Member(at);
        }
        // The line, up to its first comma, is a number or literal.
        let is_scalar = || {
            let line = self.text[at..].lines().next().unwrap_or_default();
            let word = line.split(',').next().unwrap_or_default().trim_end();
            word::is_scalar(word)
        };
        if is_apart && (is_quote || is_scalar()) {
            return Next::Value(at);
        }
        self.container(at).map_or(Next::End, Next::Value)
    }

    /// The first container from `at` on: in a fence, or else in prose.
    fn container(&mut self, at: usize) -> Option<usize> {
        self.fenced(at).or_else(|| self.in_prose(at))
    }

    /// The first container after the model's reasoning, if `found` is in the reasoning.
    fn after_reasoning(&mut self, found: usize) -> Option<usize> {
        self.text[..found].find("<think")?;
        let end = found + self.text[found..].rfind("</think")?;
        self.container(end)
    }

    /// The opening parenthesis of the call whose name starts at `at`.
    pub(super) fn call(&self, at: usize) -> Option<usize> {
        let is_start = |&byte: &u8| byte.is_ascii_alphabetic() || byte == b'_';
        self.bytes.get(at).filter(|byte| is_start(byte))?;
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        let name = self.bytes[at..].iter().take(64).take_while(is_name);
        let paren = blanks_end(self.bytes, at + name.count());
        (self.bytes.get(paren) == Some(&b'(')).then_some(paren)
    }

    /// Whether the text is one call of a string or scalar: `NumberLong("2")`, `callback(true);`.
    fn is_call_of_a_scalar(&self, paren: usize) -> bool {
        let end = self.text.trim_end().trim_end_matches(';');
        let Some(inner) = end.strip_suffix(')').and_then(|text| text.get(paren + 1..)) else {
            return false;
        };
        let inner = inner.trim();
        !inner.contains('(')
            && (Quotes::at(inner.as_bytes(), 0).is_some() || word::is_scalar(inner))
    }

    fn is_tuple(&self, at: usize) -> bool {
        let inner = blanks_end(self.bytes, at + 1);
        self.text.trim_end().ends_with(')') && self.starts_element(inner)
    }

    fn starts_element(&self, at: usize) -> bool {
        let is_start = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'(');
        Quotes::at(self.bytes, at).is_some() || self.bytes.get(at).is_some_and(is_start)
    }

    fn is_fence(&self, at: usize) -> bool {
        self.bytes[at..].starts_with(b"```")
    }

    /// The start of the container in the first fence that holds one.
    fn fenced(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(step) = memchr::memmem::find(&self.bytes[at..], b"```") {
            let mut inside = at + step + 3;
            while self.bytes.get(inside) == Some(&b'`') {
                inside += 1;
            }
            let is_info =
                |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.');
            let info = self.bytes[inside..].iter().take(32).take_while(is_info);
            let next = self.past_space(inside + info.count());
            let inner = blanks_end(self.bytes, next + 1);
            if self.is_container(next, true)
                || self.bytes.get(next) == Some(&b'(')
                    && (self.starts_element(inner)
                        || matches!(self.bytes.get(inner), Some(b'{' | b'[')))
            {
                return Some(next);
            }
            at = inside;
        }
        None
    }

    fn in_prose(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(step) = memchr::memchr2(b'{', b'[', self.bytes.get(at..)?) {
            at += step;
            // `property['x']` is code, not a list.
            let ends_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b']' | b')' | b'_');
            let is_index = self.bytes[at] == b'[' && self.bytes[..at].last().is_some_and(ends_name);
            if !is_index && self.is_container(at, false) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// Whether a JSON container starts at `at`: not `{name}`, not `[link](..)`. `is_alone`: no prose is around it.
    fn is_container(&mut self, mut at: usize, is_alone: bool) -> bool {
        loop {
            let Some(&byte @ (b'{' | b'[')) = self.bytes.get(at) else {
                return false;
            };
            let next = self.past_space(at + 1);
            let Some(&following) = self.bytes.get(next) else {
                return is_alone || byte == b'{';
            };
            let is_quoted = Quotes::at(self.bytes, next).is_some();
            if byte == b'{' {
                if following == b'{' && !is_alone {
                    at = next;
                    continue;
                }
                return is_quoted
                    && (is_alone || following == b'\'' || starts_member(self.bytes, next))
                    || matches!(following, b'}' | b'\\')
                    || self.text[next..].starts_with("...")
                    || is_alone && matches!(following, b',' | b'[' | b']' | b':' | b'{')
                    || self.is_bare_key(next, is_alone);
            }
            return is_quoted && !self.is_fence(next)
                || matches!(following, b']' | b'{' | b'[' | b'-' | b'\\')
                || following.is_ascii_digit()
                || self.is_literal(next)
                || is_alone && !matches!(following, b')' | b':' | b'`')
                || self.is_list_of_words(next);
        }
    }

    fn is_bare_key(&self, at: usize, is_alone: bool) -> bool {
        if starts_member(self.bytes, at) {
            return true;
        }
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ' | b'$');
        let name = self.bytes[at..].iter().take(128).take_while(is_name);
        let length = name.count();
        let is_end = |byte: &u8| matches!(byte, b':' | b'=' | b'"' | b'\'' | 0xe2);
        is_alone && length > 0 && self.bytes.get(at + length).is_none_or(is_end)
    }

    /// Whether a list of words on one line is at `at`, and is not a link: `[a, b]`.
    fn is_list_of_words(&self, at: usize) -> bool {
        let is_end = |b: &u8| matches!(b, b']' | b'\n' | b'[');
        let Some(length) = self.bytes[at..].iter().take(512).position(is_end) else {
            return false;
        };
        let end = at + length;
        self.bytes[end] == b']'
            && self.bytes[at..end].contains(&b',')
            && !matches!(self.bytes.get(end + 1), Some(b'(' | b'['))
    }

    /// Whether `true`, `None` or a similar literal is at `at`.
    fn is_literal(&self, at: usize) -> bool {
        let is_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+');
        let length = self.bytes[at..].iter().take(12).take_while(is_word).count();
        let found = &self.text[at..at + length];
        word::is_scalar(found)
            || word::value(found, false).1 == Some(Repair::PythonLiteral)
            || found == "NaN"
    }

    /// The index after the blanks and comments at `at`.
    pub(super) fn past_space(&mut self, mut at: usize) -> usize {
        loop {
            at = blanks_end(self.bytes, at);
            if let Some(length) = odd_blank(self.bytes, at) {
                at += length;
            } else if self.work < self.patience
                && let Some(end) = comment_end(self.bytes, at)
            {
                self.work += (end - at) as u64;
                at = end;
            } else {
                return at;
            }
        }
    }
}

/// Where the comment at `at` ends, if a comment starts there.
pub(super) fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let after = |end: &[u8], from: usize| {
        let found = memchr::memmem::find(&rest[from..], end);
        found.map_or(bytes.len(), |n| at + from + n + end.len())
    };
    let line = || memchr::memchr(b'\n', rest).map_or(bytes.len(), |n| at + n);
    match rest {
        [b'/', b'*', ..] => Some(after(b"*/", 2)),
        [b'/', b'/', ..] => Some(line()),
        // `#fff` is a color, `# text` is a comment.
        [b'#', b' ' | b'\t' | b'#' | b'\n' | b'\r' | b'!', ..] | [b'#'] => Some(line()),
        [b'<', b'!', b'-', b'-', ..] => Some(after(b"-->", 0)),
        _ => None,
    }
}
