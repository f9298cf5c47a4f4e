//! What follows a quote: members, elements, closers, the end of the document.

use alloc::borrow::Cow;

use super::names::Name;
use super::space::Quotes;
use super::string_end::{Inside, KeyMatch, Place};
use super::{Kind, Walk};
use crate::escape::unescape;
use crate::shape::Shape;

/// Longest key that is looked for as evidence, in bytes.
const LONGEST_KEY: usize = 256;

impl Walk<'_> {
    /// Whether the comma at `comma`, after a quote, is followed by what can follow a string there.
    pub(super) fn comma_continues(
        &mut self,
        mark: usize,
        comma: usize,
        place: Place,
        n_inner: usize,
        inside: &mut Inside,
    ) -> bool {
        let next = self.past_space(comma + 1);
        let Some(&follow) = self.bytes.get(next) else {
            return true;
        };
        if matches!(follow, b'}' | b']') {
            return self.closers_fit(next, n_inner);
        }
        if place == Place::Member {
            let wary = if n_inner == 0 { Place::Key } else { place };
            return match self.key_at(next, wary) {
                Some(KeyMatch::Known) => {
                    n_inner == 0
                        || !inside.count(self.bytes, mark)
                        || !self.closer_is_data(mark, comma)
                }
                Some(KeyMatch::Unknown) => n_inner == 0,
                None => {
                    self.dots_at(next)
                        || n_inner == 0
                            && (self.damaged_key_at(next)
                                || self.cut_key_at(next)
                                || matches!(follow, b'[' | b'{')
                                || self.word_before_key(next))
                }
            };
        }
        let even = n_inner.is_multiple_of(2);
        match follow {
            b'"' | b'\'' => {
                let inside_brackets = n_inner > 0
                    && inside.count(self.bytes, mark)
                    && self.closer_is_data(mark, comma);
                !inside_brackets && (even || self.proper_string_at(next))
            }
            b'{' | b'[' | b'-' | b'0'..=b'9' | b'(' | b',' => even || n_inner == 0,
            b'.' => self.dots_at(next),
            _ => n_inner == 0 || self.literal_at(next),
        }
    }

    /// Whether a key stands at `at` that lost or doubled a quote, its colon, or the comma before it. Names only: after a
    /// quote and a comma nothing else is likely.
    fn damaged_key_at(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start_matches([',', ' ', '\t', '\n', '\r']);
        let Some(name) = rest.strip_prefix('"') else {
            return false;
        };
        let name = name.strip_prefix('"').unwrap_or(name);
        let length = name
            .bytes()
            .take(64)
            .take_while(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$' | b'.')
            })
            .count();
        if length == 0 {
            return false;
        }
        let following = &name[length..];
        let marks = following
            .bytes()
            .take(2)
            .take_while(|byte| matches!(byte, b'"' | b'\''))
            .count();
        let next = following[marks..].trim_start();
        let is_apart = next.len() < following.len() - marks;
        let value = next.strip_prefix([':', '=']).map(str::trim_start);
        let begins = |text: &str| {
            text.starts_with(['"', '\'', '{', '[', '-'])
                || text.starts_with(|c: char| c.is_ascii_digit())
                || begins_literal(text)
        };
        match value {
            Some(value) if marks > 0 => !value.starts_with('='),
            Some(value) => next.starts_with(':') && begins(value),
            None => marks > 0 && is_apart && begins(next),
        }
    }

    /// Whether the end of the text cuts off a key that starts at `at`, or what comes after it.
    fn cut_key_at(&self, at: usize) -> bool {
        self.bytes.len() - at <= LONGEST_KEY
            && Quotes::at(self.bytes, at)
                .is_some_and(|(marks, length)| self.cut_string(marks, at + length).is_some())
    }

    /// Whether dots stand at `at`, after commas perhaps, and nothing but structure after them.
    fn dots_at(&self, at: usize) -> bool {
        let text = self.text[at..].trim_start_matches(',');
        let following = text
            .strip_prefix("...")
            .or_else(|| text.strip_prefix('\u{2026}'));
        following.is_some_and(|text| {
            let next = text.trim_start().as_bytes().first();
            next.is_none_or(|byte| matches!(byte, b',' | b'}' | b']'))
        })
    }

    /// Whether a few bare words and then a key in quotes stand at `at`.
    pub(super) fn word_before_key(&mut self, at: usize) -> bool {
        let length = self.bytes[at..]
            .iter()
            .take(48)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b' '))
            .count();
        length > 0
            && Quotes::at(self.bytes, at + length).is_some()
            && self.key_at(at + length, Place::Member) == Some(KeyMatch::Known)
    }

    /// The key that stands at `at` with its colon, in quotes or bare.
    pub(super) fn key_at(&mut self, at: usize, place: Place) -> Option<KeyMatch> {
        if let Some(name) = Name::at(self.bytes, at)
            && name.from > at
        {
            return Some(self.ahead(&self.text[name.from..name.to]));
        }
        let limit = (at + LONGEST_KEY).min(self.bytes.len());
        let (name, end) = if let Some((marks, length)) = Quotes::at(self.bytes, at) {
            let from = at + length;
            let mut end = from;
            loop {
                end = marks.find(&self.bytes[..limit], end);
                if end >= limit {
                    return None;
                }
                if self.bytes[end] == b'\\' {
                    end += 2;
                    continue;
                }
                match marks.close(self.bytes, end) {
                    Some(length) => break (self.text.get(from..end)?, end + length),
                    None => end += 1,
                }
            }
        } else {
            let length = self.bytes[at..limit]
                .iter()
                .take_while(|&&byte| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'_' | b'-' | b'$' | b'.')
                        || byte >= 0x80
                })
                .count();
            if length == 0 {
                return None;
            }
            let mark = usize::from(self.bytes.get(at + length) == Some(&b'"'));
            (self.text.get(at..at + length)?, at + length + mark)
        };
        let is_bare = end == at + name.len();
        let colon = super::super::valid::blanks(self.bytes, end);
        if self.bytes.get(colon) != Some(&b':') {
            return None;
        }
        if is_bare {
            // `http://..` is no key, and prose has colons: what follows must look like a value.
            let value = super::super::valid::blanks(self.bytes, colon + 1);
            match self.bytes.get(value) {
                Some(b'"' | b'\'' | b'{' | b'[' | b'0'..=b'9' | b'-') | None => {}
                Some(_) if self.literal_at(value) => {}
                Some(b'/') => return None,
                Some(_) if place == Place::Key || self.known_exactly(name) => {}
                Some(_) => return None,
            }
        }
        Some(self.ahead(name))
    }

    /// Whether the keys of the innermost object are known, and `name` is one.
    pub(super) fn ahead(&self, name: &str) -> KeyMatch {
        let Some(top) = self.stack.last() else {
            return KeyMatch::Known;
        };
        let Shape::Object(fields) = top.shape else {
            return KeyMatch::Known;
        };
        let name = if name.contains('\\') {
            unescape(name)
        } else {
            Cow::Borrowed(name)
        };
        if fields.properties.is_empty() || fields.get(&name).is_some() {
            KeyMatch::Known
        } else {
            KeyMatch::Unknown
        }
    }

    pub(super) fn known_exactly(&self, name: &str) -> bool {
        matches!(self.stack.last().map(|top| top.shape), Some(Shape::Object(fields)) if fields.get(name).is_some())
    }

    /// Whether a comma is meant by the semicolon at `at`, after a string without quotes inside.
    pub(super) fn semicolon_continues(&mut self, at: usize, place: Place) -> bool {
        let next = self.past_space(at + 1);
        match place {
            Place::Member => {
                Quotes::at(self.bytes, next).is_some()
                    && self.key_at(next, place) == Some(KeyMatch::Known)
            }
            _ => self.proper_string_at(next),
        }
    }

    /// Whether `true`, `None` or the like stands at `at`.
    pub(super) fn literal_at(&self, at: usize) -> bool {
        let length = self.bytes[at..]
            .iter()
            .take(12)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'))
            .count();
        let word = &self.text[at..at + length];
        crate::word::is_scalar(word)
            || matches!(
                word,
                "True"
                    | "False"
                    | "None"
                    | "undefined"
                    | "TRUE"
                    | "FALSE"
                    | "NULL"
                    | "Null"
                    | "NaN"
            )
    }

    /// Whether the string at `at` ends at its next quote, before something that can follow an element.
    pub(super) fn proper_string_at(&mut self, at: usize) -> bool {
        let Some((marks, length)) = Quotes::at(self.bytes, at) else {
            return false;
        };
        let mut end = at + length;
        loop {
            end = marks.find(self.bytes, end);
            match self.bytes.get(end) {
                None => return true,
                Some(b'\\') => end += 2,
                Some(_) => match marks.close(self.bytes, end) {
                    Some(length) => {
                        let next = self.past_space(end + length);
                        return self
                            .bytes
                            .get(next)
                            .is_none_or(|byte| b",]})\"'{[-0123456789".contains(byte));
                    }
                    None => end += 1,
                },
            }
        }
    }

    /// Whether a `+` at `at` joins a string to another.
    pub(super) fn joined(&mut self, at: usize) -> bool {
        let next = self.past_space(at + 1);
        Quotes::at(self.bytes, next).is_some()
    }

    /// Whether closers from `at` on close what is open, and something that can follow them does.
    pub(super) fn closers_fit(&mut self, at: usize, n_inner: usize) -> bool {
        let mut depth = self.stack.len();
        let mut at = at;
        loop {
            let want = match self.bytes.get(at) {
                None => return true,
                Some(b'}') => Kind::Object,
                Some(b']') => Kind::Array,
                Some(b')') => Kind::Tuple,
                Some(_) => break,
            };
            let Some(top) = depth.checked_sub(1).and_then(|n| self.stack.get(n)) else {
                // Too many at the end of the document.
                let rest = self.past_space(at + 1);
                at = rest;
                continue;
            };
            let fits = matches!(
                (want, top.kind),
                (Kind::Object, Kind::Object | Kind::Tuple)
                    | (Kind::Array, Kind::Array)
                    | (Kind::Tuple, Kind::Tuple | Kind::Call)
            );
            if fits {
                depth -= 1;
            } else {
                let outer = match want {
                    Kind::Object => top.object,
                    Kind::Array => top.array,
                    _ => 0,
                };
                if outer == 0 && n_inner > 0 {
                    return false;
                }
                // One that fits nothing is one too many.
                depth = if outer == 0 { depth } else { outer - 1 };
            }
            let next = self.past_space(at + 1);
            if depth == 0 {
                return self.document_may_end(at + 1, next, n_inner);
            }
            at = next;
        }
        let follow = self.bytes[at];
        let Some(kind) = depth
            .checked_sub(1)
            .and_then(|n| self.stack.get(n))
            .map(|top| top.kind)
        else {
            return true;
        };
        match (kind, follow) {
            (Kind::Object, b',' | b';') => {
                let next = self.past_space(at + 1);
                match self.bytes.get(next) {
                    None | Some(b'}' | b']' | b',') => true,
                    Some(b'.') => true,
                    Some(b'{' | b'[') => n_inner == 0,
                    // The key is one of an object further out, whose shape is not looked at.
                    Some(_) => {
                        self.key_at(next, Place::Member).is_some()
                            || n_inner == 0 && (self.damaged_key_at(next) || self.cut_key_at(next))
                    }
                }
            }
            (Kind::Object, b'"' | b'\'') => self.key_at(at, Place::Member).is_some(),
            (Kind::Object, _) => n_inner == 0 && self.key_at(at, Place::Member).is_some(),
            (_, b',' | b'{' | b'[' | b';') => true,
            (_, b'"' | b'\'') => self.proper_string_at(at),
            _ => n_inner == 0,
        }
    }

    /// Whether the document may end after the last closer, where `next` is the first byte that is no blank.
    pub(super) fn document_may_end(
        &mut self,
        following: usize,
        next: usize,
        n_inner: usize,
    ) -> bool {
        let Some(&follow) = self.bytes.get(next) else {
            return true;
        };
        match follow {
            b'`' => self.text[next..].starts_with("```"),
            b',' => {
                let value = self.past_space(next + 1);
                n_inner == 0
                    || match self.bytes.get(value) {
                        None | Some(b'{' | b'[') => true,
                        Some(_) => {
                            Quotes::at(self.bytes, value).is_some()
                                && self.key_at(value, Place::Key).is_some()
                        }
                    }
            }
            b';' | b'{' | b'[' => true,
            b'}' | b']' | b')' => self.closers_to_the_end(next) || n_inner == 0,
            b'"' | b'\'' => false,
            _ if n_inner == 0 => true,
            _ => {
                self.bytes[following..next].contains(&b'\n')
                    || self.work < self.patience && {
                        self.work += (self.bytes.len() - next) as u64;
                        memchr::memchr(b'"', &self.bytes[next..]).is_none()
                    }
            }
        }
    }

    pub(super) fn closers_to_the_end(&mut self, at: usize) -> bool {
        let length = self.bytes[at..]
            .iter()
            .take_while(|byte| b"}]) \t\r\n".contains(byte))
            .count();
        self.work += length as u64;
        at + length == self.bytes.len()
    }

    /// Whether the closer of a bracket that is open inside the string comes after `at`, and text after it: then what
    /// stands between is the string's own.
    pub(super) fn closer_is_data(&mut self, _mark: usize, at: usize) -> bool {
        if self.work > self.patience {
            return false;
        }
        let mut depth = 1usize;
        let mut end = at;
        for &byte in &self.bytes[at..] {
            end += 1;
            match byte {
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.work += (end - at) as u64;
        if depth > 0 {
            return false;
        }
        let next = self.past_space(end);
        match self.bytes.get(next) {
            None | Some(b',' | b'}' | b']') => false,
            Some(b'`') => !self.text[next..].starts_with("```"),
            Some(_) => true,
        }
    }
}

fn begins_literal(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric()).next();
    word.is_some_and(|word| {
        crate::word::is_scalar(word) || matches!(word, "True" | "False" | "None")
    })
}
