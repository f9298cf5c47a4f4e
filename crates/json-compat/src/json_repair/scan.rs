//! Lookahead, under one budget: after the budget every search fails, and the plainest reading is taken.

use super::Reader;

/// Whether the character is a quote that starts a string.
pub(super) fn is_mark(c: Option<char>) -> bool {
    matches!(c, Some('"' | '\'' | '“' | '”'))
}

pub(super) fn is_one_of(c: Option<char>, set: &str) -> bool {
    c.is_some_and(|c| set.contains(c))
}

impl Reader<'_> {
    /// The character at `at`.
    #[inline]
    pub(super) fn at(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(&byte) if byte < 0x80 => Some(char::from(byte)),
            Some(_) => self.text.get(at..)?.chars().next(),
            None => None,
        }
    }

    #[inline]
    pub(super) fn here(&self) -> Option<char> {
        self.at(self.i)
    }

    /// The position after the character at `at`; at the end of the text, one further.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        at + self.at(at).map_or(1, char::len_utf8)
    }

    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    pub(super) fn step(&mut self) {
        self.i = self.after(self.i);
    }

    /// The first unescaped character of `targets` from `from` on; the end of the text if there is none.
    pub(super) fn skip_to(&mut self, targets: &[char], from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let end = bytes.len();
        if from >= end || self.work > self.patience {
            return end;
        }
        let mut slashes = 0usize;
        let mut at = from;
        let is_ascii = targets.iter().all(char::is_ascii);
        while at < end {
            let byte = bytes[at];
            if byte == b'\\' {
                slashes += 1;
                at += 1;
                continue;
            }
            let (found, length) = if byte < 0x80 {
                (targets.contains(&char::from(byte)), 1)
            } else if is_ascii {
                (false, 1)
            } else {
                let c = self.at(at).unwrap_or(' ');
                (targets.contains(&c), c.len_utf8())
            };
            if found && slashes.is_multiple_of(2) {
                break;
            }
            slashes = 0;
            at += length;
        }
        self.work += (at - from) as u64;
        at
    }

    /// The first position from `from` on that is not white space.
    pub(super) fn scroll(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(c) = self.at(at)
            && c.is_whitespace()
        {
            at += c.len_utf8();
        }
        at
    }

    /// Like [`Reader::skip_to`], cached per string: each comma repeats the same search.
    pub(super) fn skip_to_cached(&mut self, slot: usize, targets: &[char], from: usize) -> usize {
        if let Some((start, found)) = self.cache[slot]
            && start <= from
            && from <= found
        {
            return found;
        }
        let found = self.skip_to(targets, from);
        let is_escaped = found > 0 && self.text.as_bytes().get(found - 1) == Some(&b'\\');
        if found >= self.text.len() || !is_escaped {
            self.cache[slot] = Some((from, found));
        }
        found
    }

    pub(super) fn skip_space(&mut self) {
        self.i = self.scroll(self.i);
    }

    pub(super) fn skip_space_and_comments(&mut self) {
        loop {
            self.skip_space();
            let is_comment = match self.here() {
                Some('#') => true,
                Some('/') => matches!(self.at(self.i + 1), Some('/' | '*')),
                _ => false,
            };
            if !is_comment {
                return;
            }
            self.skip_comment();
        }
    }

    /// Skips one comment, or one slash.
    pub(super) fn skip_comment(&mut self) {
        let from = self.i;
        let rest = self.text.get(from..).unwrap_or_default();
        if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/");
            self.i = end.map_or(self.text.len(), |n| from + 2 + n + 2);
        } else if rest.starts_with('#') || rest.starts_with("//") {
            let is_hash = rest.starts_with('#');
            let ends = |c: char| {
                matches!(c, '\n' | '\r')
                    || is_hash
                        && (c == ']' && self.n_array > 0
                            || c == '}' && self.n_value > 0
                            || c == ':' && self.n_key > 0)
            };
            self.i = rest.find(ends).map_or(self.text.len(), |n| from + n);
        } else {
            self.i += 1;
        }
        self.fix(toolglot_json::Repair::Comment, from, self.i, "");
    }

    /// The first position from `from` on that is not in white space or a comment.
    pub(super) fn past_comments(&mut self, from: usize) -> usize {
        let mut at = self.scroll(from);
        loop {
            if self.work > self.patience {
                return at;
            }
            let rest = self.text.get(at..).unwrap_or_default();
            let length = if rest.starts_with('#') || rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if let Some(inside) = rest.strip_prefix("/*") {
                match inside.find("*/") {
                    Some(n) => n + 4,
                    None => return self.text.len(),
                }
            } else {
                return at;
            };
            self.work += length as u64;
            at = self.scroll(at + length);
        }
    }
}
