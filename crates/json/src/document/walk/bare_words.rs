//! Words and numbers without quotes.

use alloc::borrow::Cow;
use alloc::string::String;

use super::space::Quotes;
use super::string_end::{KeyMatch, Place};
use super::{Kind, State, Walk};
use crate::repair::Repair;
use crate::word;

impl Walk<'_> {
    pub(super) fn bare_value(&mut self) -> State {
        if self.plain_scalar() {
            return State::Ended(true);
        }
        let start = self.i;
        let name = self.bytes[start..]
            .iter()
            .take(64)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
            .count();
        if name > 0 && !self.bytes[start].is_ascii_digit() {
            let word = &self.text[start..start + name];
            if word::is_string_prefix(word)
                && let Some((marks @ (Quotes::Double | Quotes::Single), length)) =
                    Quotes::at(self.bytes, start + name)
                && !matches!(
                    self.bytes.get(start + name + length),
                    None | Some(b',' | b']' | b'}' | b':')
                )
            {
                // r'..', b'..', u"..", f'..' of Python.
                self.writer
                    .note(Repair::NonstandardQuote, start, start + name, "");
                self.i += name;
                self.read_string(marks, length);
                return State::Ended(true);
            }
            let paren = super::super::valid::blanks(self.bytes, start + name);
            if self.bytes.get(paren) == Some(&b'(') {
                let inner = self.past_space(paren + 1);
                let opens = matches!(self.bytes.get(inner), Some(b'{' | b'['));
                if word::is_wrapper(word) || self.stack.is_empty() && opens {
                    self.writer.note(Repair::Wrapper, start, paren + 1, "");
                    let state = self.open(Kind::Call);
                    self.i = paren + 1;
                    return state;
                }
            }
            if word == "new" && word::begins_with_wrapper(&self.text[paren..]) {
                self.junk(paren - start);
                return State::Value;
            }
        }
        let end = self.bare_end(start);
        let end = start + self.text[start..end].trim_end().len();
        if end == start {
            // Nothing that a word could start with.
            let length = self.text[start..].chars().next().map_or(1, char::len_utf8);
            self.junk(length);
            return State::Value;
        }
        self.bare(start, end);
        self.i = end;
        // A quote that closes what no quote opened.
        if let Some(length) = Quotes::Double.close(self.bytes, end)
            && self.place() != Place::Root
        {
            let next = self.past_space(end + length);
            if matches!(self.bytes.get(next), None | Some(b',' | b'}' | b']')) {
                self.writer
                    .note(Repair::MissingQuote, end, end + length, "");
                self.i = end + length;
            }
        }
        State::Ended(true)
    }

    /// A number or literal with what ends it right after it, as nearly all are. `false` if none stands here.
    fn plain_scalar(&mut self) -> bool {
        let start = self.i;
        let length = self.bytes[start..]
            .iter()
            .take(64)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            .count();
        let end = start + length;
        let ends = match (self.place(), self.bytes.get(end)) {
            (Place::Member | Place::Element, Some(b'}' | b']'))
            | (Place::Element, Some(b',' | b'\n')) => true,
            (Place::Member, Some(b',')) => !self.is_thousands(end),
            (Place::Member, Some(b'\n')) => {
                let next = super::super::valid::blanks(self.bytes, end);
                matches!(self.bytes.get(next), Some(b'}' | b']'))
                    || self.key_at(next, Place::Key).is_some()
            }
            _ => false,
        };
        if !ends {
            return false;
        }
        let word = &self.text[start..end];
        if word::stands(word) {
            self.writer.pass(start, end);
        } else {
            let json = match word {
                "True" => "true",
                "False" => "false",
                "None" => "null",
                _ => return false,
            };
            self.writer.note(Repair::PythonLiteral, start, end, json);
            self.writer.put_for(json, end);
        }
        self.i = end;
        true
    }

    /// Writes a word as what it stands for.
    fn bare(&mut self, start: usize, end: usize) {
        let word = &self.text[start..end];
        let (json, repair) = word::value(word, false);
        match repair {
            None => self.writer.put(&json),
            Some(Repair::UnquotedString) => {
                if self.past_space(end) >= self.bytes.len()
                    && let Some(json) = cut_word(word)
                {
                    self.writer
                        .note_text(Repair::TruncatedJson, start, end, &json);
                    self.writer.put(&json);
                } else {
                    self.put_bare(start, end);
                }
            }
            Some(repair) => {
                self.writer.put(&json);
                self.writer.note_text(repair, start, end, &json);
            }
        }
    }

    /// Where the word that starts at `start` ends.
    fn bare_end(&mut self, start: usize) -> usize {
        let place = self.place();
        let mut at = start;
        let mut depth = 0usize;
        while let Some(&byte) = self.bytes.get(at) {
            let so_far = || self.text[start..at].trim_end();
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => {
                    // The second of two words, where the first is whole and a list goes on without a comma.
                    if place == Place::Element
                        && at > start
                        && self.bytes[at - 1].is_ascii_whitespace()
                        && is_whole(so_far())
                    {
                        return at;
                    }
                    if place == Place::Member
                        && at > start
                        && self.bytes[at - 1].is_ascii_whitespace()
                        && is_whole(so_far())
                        && self.key_at(at, place).is_some()
                    {
                        return at;
                    }
                    at += 1;
                    continue;
                }
                b',' if depth == 0 || place == Place::Element => match place {
                    Place::Element | Place::Call => return at,
                    Place::Member => {
                        if is_whole(so_far()) && !self.is_thousands(at) {
                            return at;
                        }
                        let next = self.past_space(at + 1);
                        match self.bytes.get(next) {
                            None | Some(b'}' | b']' | b',') => return at,
                            Some(b'.') if self.text[next..].starts_with("...") => return at,
                            _ if self.key_at(next, Place::Key).is_some() => return at,
                            _ => {}
                        }
                    }
                    Place::Root | Place::Key => {}
                },
                b'{' | b'[' | b'(' => {
                    if depth == 0 && place != Place::Root && byte != b'(' && is_whole(so_far()) {
                        return at;
                    }
                    depth += 1;
                }
                b'}' | b']' | b')' => {
                    if depth > 0 {
                        depth -= 1;
                    } else if byte == b')' {
                        if place == Place::Call
                            || is_whole(so_far())
                            || self.stack.last().is_some_and(|top| top.kind == Kind::Tuple)
                        {
                            return at;
                        }
                    } else if place != Place::Root {
                        return at;
                    }
                }
                b'\n' => match place {
                    Place::Element => return at,
                    Place::Member => {
                        let next = self.past_space(at);
                        match self.bytes.get(next) {
                            None | Some(b'}' | b']') => return at,
                            _ if self.key_at(next, Place::Key).is_some() => return at,
                            _ => {}
                        }
                    }
                    _ => {}
                },
                b'"' | b'\'' if place != Place::Root => {
                    let apart = at > start && self.bytes[at - 1].is_ascii_whitespace();
                    if place == Place::Member && (apart || byte == b'"') {
                        match self.key_at(at, place) {
                            Some(KeyMatch::Known) => return at,
                            Some(KeyMatch::Unknown) if is_whole(so_far()) => return at,
                            _ => {}
                        }
                    }
                    if place == Place::Element && apart {
                        return at;
                    }
                    if byte == b'"' {
                        let next = self.past_space(at + 1);
                        let ends = matches!(self.bytes.get(next), None | Some(b',' | b'}' | b']'));
                        if ends && !self.text[start..at].contains('"') {
                            return at;
                        }
                    }
                }
                b'/' if at > start && self.bytes[at - 1] == b':' && self.byte_is(at + 1, b'/') => {
                    let head = self.text.get(start..at + 2).unwrap_or_default();
                    if is_url_begin(head) {
                        while self.bytes.get(at).is_some_and(|&byte| is_url_byte(byte)) {
                            at += 1;
                        }
                        continue;
                    }
                }
                b'/' | b'#' | b'<'
                    if at > start
                        && (self.bytes[at - 1].is_ascii_whitespace()
                            || byte == b'/' && self.byte_is(at + 1, b'*'))
                        && self.comment_end(at).is_some()
                        && place != Place::Root =>
                {
                    return at;
                }
                b'`' if self.text[at..].starts_with("```") && place != Place::Root => return at,
                b';' if matches!(place, Place::Member | Place::Element) && is_whole(so_far()) => {
                    return at;
                }
                _ => {}
            }
            at += 1;
        }
        self.bytes.len()
    }

    fn byte_is(&self, at: usize, byte: u8) -> bool {
        self.bytes.get(at) == Some(&byte)
    }

    /// Whether the comma at `at` stands between digits of one number: `12,345`.
    fn is_thousands(&self, at: usize) -> bool {
        let digits = self.bytes[at + 1..]
            .iter()
            .take(4)
            .take_while(|b| b.is_ascii_digit())
            .count();
        digits == 3 && at > 0 && self.bytes[at - 1].is_ascii_digit()
    }

    /// Where the bare key here ends. `None` if the word belongs to nothing, and was left out.
    pub(super) fn bare_key(&mut self) -> Option<usize> {
        let start = self.i;
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b':' | b'=' | b',' | b'}' | b']' | b'{' | b'[' | b')' | b'\n' => break,
                b'"' | b'\'' if at > start => {
                    if self.key_at(at, Place::Key).is_some() {
                        // A word before a key in quotes.
                        self.junk(at - start);
                        return None;
                    }
                    let next = super::super::valid::blanks(self.bytes, at + 1);
                    if self.byte_is(next, b':') || self.bytes[at - 1].is_ascii_whitespace() {
                        break;
                    }
                }
                b'/' | b'#' if at > start && self.comment_end(at).is_some() => break,
                _ => {}
            }
            at += 1;
        }
        let end = start + self.text[start..at].trim_end().len();
        if end == start {
            let length = self.text[start..].chars().next().map_or(1, char::len_utf8);
            self.junk(length);
            return None;
        }
        if self.byte_is(at, b'\n') {
            // Over the line's end only to a colon.
            let next = self.past_space(at);
            if !self.byte_is(next, b':') && next < self.bytes.len() {
                self.junk(end - start);
                return None;
            }
        }
        Some(end)
    }
}

/// Whether a word is a number or a literal as it stands.
fn is_whole(word: &str) -> bool {
    word::is_scalar(word)
        || matches!(
            word,
            "True" | "False" | "None" | "undefined" | "NaN" | "Infinity"
        )
}

/// What a word stands for that the end of the text cuts off.
fn cut_word(word: &str) -> Option<Cow<'static, str>> {
    const WORDS: &[(&str, &str)] = &[
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("True", "true"),
        ("False", "false"),
        ("None", "null"),
    ];
    if word == "-" {
        return Some(Cow::Borrowed("null"));
    }
    let digits = word
        .trim_end_matches(['-', '+'])
        .trim_end_matches(['e', 'E']);
    if digits.len() < word.len() && word::is_number(digits) {
        return Some(Cow::Owned(String::from(digits)));
    }
    WORDS
        .iter()
        .find(|(whole, _)| whole.starts_with(word))
        .map(|&(_, json)| Cow::Borrowed(json))
}

fn is_url_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+;=".contains(&byte)
}

/// Whether `text` is a scheme with its `://`.
fn is_url_begin(text: &str) -> bool {
    matches!(
        text,
        "http://" | "https://" | "ftp://" | "mailto://" | "file://" | "data://" | "irc://"
    )
}
