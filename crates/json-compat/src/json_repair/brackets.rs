//! Commas, brackets and fences inside a string: part of the string, or of the document.

use super::Reader;
use super::scan::{is_mark, is_one_of};
use super::string::{Comma, Piece};

impl Reader<'_> {
    /// Whether the character closes a bracket that belongs to the string.
    pub(super) fn is_inner_closer(piece: &mut Piece, c: char) -> bool {
        if matches!(c, '{' | '[') {
            if core::mem::take(&mut piece.awaits_bracket) || !piece.brackets.is_empty() {
                piece.brackets.push(c);
            }
            return false;
        }
        let open = match c {
            '}' => '{',
            ']' => '[',
            _ => return false,
        };
        if piece.brackets.last() == Some(&open) {
            piece.brackets.pop();
            return true;
        }
        false
    }

    /// Whether the `}` here ends the string, since the closing quote is missing.
    pub(super) fn brace_ends_string(&mut self, piece: &Piece) -> bool {
        let right = piece.right;
        let mut is_missing = self.at(self.i + 1) != Some('\\');
        let quote = self.skip_to_cached(0, &[right], self.i + 1);
        if quote < self.text.len() {
            let follow = self.scroll(self.after(quote));
            match self.at(follow) {
                None | Some(',' | '}') => is_missing = false,
                Some(_) => {
                    let second = self.skip_to_cached(1, &[piece.left], follow);
                    if second >= self.text.len() {
                        is_missing = false;
                    } else {
                        let next = self.scroll(self.after(second));
                        if self.at(next).is_some_and(|c| c != ':') {
                            is_missing = false;
                        }
                    }
                }
            }
        } else {
            let colon = self.skip_to(&[':'], self.i + 1);
            if colon < self.text.len() {
                return true;
            }
            let next = self.scroll(self.i + 1);
            let brace = self.skip_to(&['}'], next);
            if brace > next + 1 {
                is_missing = false;
            }
        }
        is_missing
    }

    /// Whether a fence after a brace belongs to the string.
    pub(super) fn fence_belongs(&mut self, piece: &mut Piece, fence: usize) -> bool {
        let mut from = fence + 3;
        let content = self.past_comments(from);
        let mut keeps = false;
        if is_one_of(self.at(content), "[{(")
            && let Some(end) = self.container_end(content)
        {
            if self.container_precedes_member(end) {
                return false;
            }
            keeps = true;
            from = end;
        }
        let right = piece.right;
        let mut quote = self.skip_to(&[right], from);
        while self.at(quote) == Some(right) {
            let follow = self.at(self.scroll(self.after(quote)));
            if matches!(follow, Some(',' | '}' | ']') | None) {
                piece.awaits_bracket |= keeps;
                return true;
            }
            quote = self.skip_to(&[right], self.after(quote));
        }
        false
    }

    pub(super) fn container_precedes_member(&mut self, end: usize) -> bool {
        let next = self.scroll(end);
        match self.at(next) {
            None | Some('}') => true,
            Some(',') => {
                let member = self.past_comments(next + 1);
                matches!(self.at(member), None | Some('}')) || self.is_member(member)
            }
            Some(_) => false,
        }
    }

    pub(super) fn member_follows(&mut self, quote: usize) -> bool {
        let comma = self.scroll(self.after(quote));
        if self.at(comma) != Some(',') {
            return false;
        }
        let member = self.past_comments(comma + 1);
        self.is_member(member)
    }

    pub(super) fn is_member(&mut self, at: usize) -> bool {
        let c = self.at(at);
        if is_mark(c) {
            let closer = if c == Some('“') {
                '”'
            } else {
                c.unwrap_or('"')
            };
            let end = self.skip_to(&[closer], self.after(at));
            return self.at(end) == Some(closer)
                && self.at(self.scroll(self.after(end))) == Some(':');
        }
        c.is_some_and(|c| c.is_alphanumeric() || c == '_') && self.is_bare_key(at)
    }

    /// Whether a bare key with its colon is at `at`.
    pub(super) fn is_bare_key(&self, at: usize) -> bool {
        let mut end = at;
        while let Some(c) = self.at(end)
            && (c.is_alphanumeric() || c == '_' || c == '-' && end > at)
        {
            end += c.len_utf8();
        }
        end > at && self.at(self.scroll(end)) == Some(':')
    }

    /// The position after the bracket that closes the one at `from`; `None` if no bracket does.
    pub(super) fn container_end(&mut self, from: usize) -> Option<usize> {
        let closer = |c: Option<char>| match c {
            Some('{') => Some('}'),
            Some('[') => Some(']'),
            Some('(') => Some(')'),
            _ => None,
        };
        let mut open = Vec::from([closer(self.at(from))?]);
        let mut at = from + 1;
        while let Some(&want) = open.last() {
            if self.work > self.patience {
                return None;
            }
            self.work += 1;
            let c = self.at(at)?;
            if is_mark(Some(c)) {
                let end_quote = if c == '“' { '”' } else { c };
                at = self.skip_to(&[end_quote], self.after(at));
                if self.at(at) != Some(end_quote) {
                    return None;
                }
            } else if let Some(closes) = closer(Some(c))
                && self.nests(at, from)
            {
                open.push(closes);
            } else if c == want {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            at = self.after(at);
        }
        None
    }

    /// Whether the bracket at `at` opens a container inside the one at `from`; the characters around the bracket
    /// decide.
    pub(super) fn nests(&mut self, at: usize, from: usize) -> bool {
        let head = self.text[..at].trim_end();
        let Some(before) = head.chars().next_back() else {
            return true;
        };
        let _ = from;
        if matches!(before, '[' | '{' | '(') {
            return true;
        }
        if !matches!(before, ',' | ':') {
            return false;
        }
        let next_at = self.scroll(at + 1);
        let next = self.at(next_at);
        if matches!(self.at(at), Some('[' | '(')) {
            return is_mark(next)
                || is_one_of(next, "])-[{(tfn")
                || next.is_some_and(char::is_numeric);
        }
        is_mark(next) || next == Some('}') || before == ':' && self.is_bare_key(next_at)
    }

    /// The role of the comma here.
    pub(super) fn comma(&mut self) -> Comma {
        let at = self.scroll(self.i + 1);
        let Some(c) = self.at(at) else {
            return Comma::Member;
        };
        if c == '}' {
            return Comma::Member;
        }
        if is_mark(Some(c)) {
            let end = self.skip_to(&[c], self.after(at));
            let is_key =
                end < self.text.len() && self.at(self.scroll(self.after(end))) == Some(':');
            return if is_key { Comma::Member } else { Comma::Text };
        }
        if c == '`' {
            return if self.is_bare_key(at + 1) || self.at(self.scroll(at + 1)) == Some(':') {
                Comma::Member
            } else {
                Comma::Text
            };
        }
        if (c.is_alphanumeric() || c == '_') && self.is_bare_key(at) {
            let mut end = at;
            while self.at(end).is_some_and(|c| c != ':') {
                end = self.after(end);
            }
            if self.has_value(end + 1) {
                return Comma::Member;
            }
        }
        if matches!(c, '{' | '[') {
            return Comma::Container;
        }
        let special = self.skip_to_cached(2, &['"', '\'', '“', '”', '{', '['], at);
        match self.at(special) {
            None => Comma::LastText,
            Some('{' | '[') => Comma::Text,
            Some(quote) => {
                let end = self.skip_to(&[quote], self.after(special));
                let is_key =
                    end < self.text.len() && self.at(self.scroll(self.after(end))) == Some(':');
                if is_key { Comma::Member } else { Comma::Text }
            }
        }
    }

    /// Whether a value follows the colon of a bare key.
    pub(super) fn has_value(&mut self, from: usize) -> bool {
        let at = self.scroll(from);
        let c = self.at(at);
        if is_mark(c) || is_one_of(c, "{[-") || c.is_some_and(char::is_numeric) {
            return true;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        for word in ["true", "false", "null"] {
            if let Some(rest) = rest.strip_prefix(word) {
                let next = rest.chars().next();
                if next.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '}' | ']')) {
                    return true;
                }
            }
        }
        let end = self.skip_to(&['"', '\'', '“', '”', '}'], at);
        self.at(end) == Some('}')
    }
}
