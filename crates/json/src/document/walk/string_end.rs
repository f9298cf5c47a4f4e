//! Where a string ends, by evidence.
//!
//! A quote closes where what follows continues the document: after a key a colon, after a member a comma and
//! another member, or closers that fit what is open. A quote that does not is inside the string. Where a quote opens the
//! next member or element instead, the string has lost its own. Two readings may remain; then count:
//!
//! - known keys: a member with a key that the shape does not have is text;
//! - brackets: a quote after an open `{`, `[` or `(` of the string is inside, if its closer comes;
//! - parity: quotes inside a string come in pairs, so that after an odd number a quote rather closes a pair.

use super::names::name_length;
use super::space::Quotes;
use super::{Kind, Walk};
use crate::escape::is_escape;

/// Where a string was found to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The inside ends here.
    pub(super) at: usize,
    /// Reading goes on here.
    pub(super) next: usize,
    /// The closing quote is missing.
    pub(super) is_missing: bool,
    /// The inside is known to be JSON as it stands.
    pub(super) is_plain: bool,
}

/// What the string stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Key,
    Member,
    Element,
    Call,
    Root,
}

/// A key found ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyMatch {
    /// The shape has it, or there is no shape that names keys.
    Known,
    /// The shape names other keys.
    Unknown,
}

/// Brackets open inside the string so far.
#[derive(Default)]
pub(super) struct Inside {
    to: usize,
    open: [i64; 3],
}

impl Inside {
    /// Counts on to `to`.
    pub(super) fn count(&mut self, bytes: &[u8], to: usize) -> bool {
        for &byte in bytes.get(self.to..to).unwrap_or_default() {
            match byte {
                b'{' => self.open[0] += 1,
                b'[' => self.open[1] += 1,
                b'(' => self.open[2] += 1,
                b'}' => self.open[0] -= 1,
                b']' => self.open[1] -= 1,
                b')' => self.open[2] -= 1,
                _ => {}
            }
        }
        self.to = self.to.max(to);
        self.open.iter().any(|&n| n > 0)
    }
}

impl Walk<'_> {
    pub(super) fn place(&self) -> Place {
        match self.stack.last().map(|top| top.kind) {
            None => Place::Root,
            Some(Kind::Object) => Place::Member,
            Some(Kind::Array | Kind::Tuple) => Place::Element,
            Some(Kind::Call) => Place::Call,
        }
    }

    /// Where the string ends whose inside starts at `from`.
    pub(super) fn find_end(&mut self, from: usize, marks: Quotes, place: Place) -> End {
        if place == Place::Key
            && marks == Quotes::Double
            && let Some(end) = self.name_without_its_quote(from)
        {
            return end;
        }
        let mut at = from;
        let mut n_inner = 0usize;
        let mut inside = Inside {
            to: from,
            open: [0; 3],
        };
        // Where the string may have lost its quote.
        let mut lost: Option<End> = None;
        // The first quote that does not close stands at the end of the first line.
        let mut line_quote: Option<usize> = None;
        let hasty = self.work > self.patience;
        let mut is_plain = marks.is_ascii();
        let end = loop {
            at = if is_plain {
                marks.find_plain(self.bytes, at)
            } else {
                marks.find(self.bytes, at)
            };
            if at >= self.bytes.len() {
                let end = match place {
                    Place::Member | Place::Element => {
                        self.end_of_line(from, marks, n_inner, line_quote)
                    }
                    _ => None,
                };
                break end
                    .or(lost)
                    .unwrap_or_else(|| self.tail(from, n_inner, place));
            }
            if self.bytes[at] == b'\\' {
                is_plain &= self.bytes.get(at + 1).is_some_and(|&byte| is_escape(byte));
                at += 2;
                continue;
            }
            let Some(length) = marks.close(self.bytes, at) else {
                is_plain = false;
                at += 1;
                continue;
            };
            let next = self.past_space(at + length);
            if self.closes(at, at + length, next, place, n_inner, &mut inside) {
                if n_inner % 2 == 1
                    && let Some(lost) = lost
                {
                    break lost;
                }
                break End {
                    at,
                    next: at + length,
                    is_missing: false,
                    is_plain: is_plain && n_inner == 0,
                };
            }
            if lost.is_none() {
                let (candidate, is_strong) = self.opens_next(from, at, place, &mut inside);
                lost = candidate;
                if let Some(lost) = lost
                    && (is_strong || hasty)
                {
                    break lost;
                }
            }
            if n_inner == 0 && marks == Quotes::Double {
                let is_last = self.bytes[at + length..next].contains(&b'\n');
                line_quote = is_last.then_some(at);
            }
            n_inner += 1;
            at += length;
        };
        // What was looked at and will be looked at again.
        self.work += at.min(self.bytes.len()).saturating_sub(end.next) as u64;
        end
    }

    /// The end of a key whose closing quote is missing before a container, or is of the other kind: `"a: {"b": 1}`,
    /// `"a': 1`.
    fn name_without_its_quote(&self, from: usize) -> Option<End> {
        let length = name_length(&self.bytes[from..]);
        let at = from + length;
        let next = at + usize::from(self.bytes.get(at) == Some(&b'\''));
        let colon = super::super::valid::blanks(self.bytes, next);
        let value = super::super::valid::blanks(self.bytes, colon + 1);
        let is_key = length > 0
            && self.bytes.get(colon) == Some(&b':')
            && (next > at || matches!(self.bytes.get(value), Some(b'{' | b'[')));
        is_key.then_some(End {
            at,
            next,
            is_missing: true,
            is_plain: true,
        })
    }

    /// Whether the quote at `mark` closes; `next` is the first byte after it that is no blank.
    fn closes(
        &mut self,
        mark: usize,
        following: usize,
        next: usize,
        place: Place,
        n_inner: usize,
        inside: &mut Inside,
    ) -> bool {
        let Some(&follow) = self.bytes.get(next) else {
            return true;
        };
        let apart = next > following;
        match (place, follow) {
            (Place::Key, b':' | b'=') => true,
            (Place::Key, b',' | b'}' | b']' | b'{' | b'[' | b'0'..=b'9' | b'-') => true,
            (Place::Key, b'"' | b'\'') => apart || n_inner.is_multiple_of(2),
            (Place::Key, _) => {
                apart && (self.literal_at(next) || Quotes::at(self.bytes, next).is_some())
            }
            (Place::Root, b']' | b'}') => n_inner == 0 && self.closers_to_the_end(next),
            (Place::Root, b',') => n_inner == 0,
            (Place::Root, b'`') => self.text[next..].starts_with("```"),
            (Place::Root, b'+') => n_inner == 0 && self.joined(next),
            (Place::Root, _) => {
                n_inner == 0
                    && self.bytes[following..next].contains(&b'\n')
                    && Quotes::at(self.bytes, next).is_some()
            }
            (Place::Call, b')') => n_inner.is_multiple_of(2) || !inside.count(self.bytes, mark),
            (Place::Call, b',') => n_inner.is_multiple_of(2),
            (Place::Call, b'"' | b'\'') => n_inner == 0 && apart && self.proper_string_at(next),
            (Place::Call, _) => false,
            (Place::Member | Place::Element, b',') => {
                self.comma_continues(mark, next, place, n_inner, inside)
            }
            (Place::Member | Place::Element, b';') => {
                n_inner == 0 && self.semicolon_continues(next, place)
            }
            (Place::Member | Place::Element, b'"')
                if n_inner == 0 && self.is_doubled(following, place) =>
            {
                true
            }
            (Place::Member | Place::Element, b'}' | b']' | b')') => {
                self.closers_fit(next, n_inner)
                    && !(n_inner > 0
                        && inside.count(self.bytes, mark)
                        && self.closer_is_data(mark, next))
            }
            (Place::Member | Place::Element, b'+') => n_inner == 0 && self.joined(next),
            (Place::Member | Place::Element, b'`') if self.text[next..].starts_with("```") => {
                n_inner == 0 || self.text[next + 3..].trim().is_empty()
            }
            (Place::Member, b'"' | b'\'' | 0xe2) => match self.key_at(next, place) {
                Some(ahead) => {
                    ahead == KeyMatch::Known && !(n_inner > 0 && inside.count(self.bytes, mark))
                }
                // Strings side by side are one.
                None => n_inner == 0 && apart && follow != 0xe2 && self.proper_string_at(next),
            },
            (Place::Member, _) => {
                self.bytes[following..next].contains(&b'\n')
                    && self
                        .key_at(next, if n_inner == 0 { Place::Key } else { place })
                        .is_some()
                    && !(n_inner > 0 && inside.count(self.bytes, mark))
            }
            (Place::Element, b'"' | b'\'') => {
                n_inner.is_multiple_of(2) && (apart || n_inner == 0) && self.proper_string_at(next)
            }
            (Place::Element, b'{' | b'[' | b'0'..=b'9' | b'-') => {
                n_inner.is_multiple_of(2) && apart
            }
            (Place::Element, _) => {
                n_inner.is_multiple_of(2)
                    && apart
                    && (self.bytes[following..next].contains(&b'\n') || self.literal_at(next))
            }
        }
    }

    /// Whether the quote at `at`, right after another, is one too many: what can follow a string does.
    pub(super) fn is_doubled(&mut self, at: usize, place: Place) -> bool {
        if self.bytes.get(at) != Some(&b'"') || self.bytes[..at].ends_with(b"\"\"") {
            return false;
        }
        let next = self.past_space(at + 1);
        match self.bytes.get(next) {
            Some(b':') => place == Place::Key,
            Some(b',' | b'}' | b']') => place != Place::Key,
            _ => false,
        }
    }

    /// Whether the quote at `mark` opens the next member or element: the string ended before, without its own quote. The
    /// second is whether nothing else can be meant.
    fn opens_next(
        &mut self,
        from: usize,
        mark: usize,
        place: Place,
        inside: &mut Inside,
    ) -> (Option<End>, bool) {
        if !matches!(place, Place::Member | Place::Element | Place::Key) || mark == from {
            return (None, false);
        }
        let head = &self.bytes[from..mark];
        let kept = head
            .iter()
            .rposition(|byte| !byte.is_ascii_whitespace())
            .map_or(0, |n| n + 1);
        self.work += (head.len() - kept) as u64;
        let is_comma = kept > 0 && head[kept - 1] == b',';
        let is_line = head[kept..].contains(&b'\n');
        let is_apart = kept < head.len();
        let end = if is_comma {
            let text = head[..kept - 1].trim_ascii_end().len();
            End {
                at: from + text,
                next: from + kept - 1,
                is_missing: true,
                is_plain: false,
            }
        } else {
            End {
                at: from + kept,
                next: from + kept,
                is_missing: true,
                is_plain: false,
            }
        };
        if place == Place::Key {
            // `{"key:"value"}`: the colon says where the key ended.
            if (is_comma || is_line)
                && self.key_at(mark, place).is_some()
                && let Some(colon) = memchr::memchr(b':', head)
            {
                // `{"a: 1, "b": 2}`: so does the next key.
                let end = End {
                    at: from + head[..colon].trim_ascii_end().len(),
                    next: from + colon,
                    is_missing: true,
                    is_plain: false,
                };
                return (Some(end), true);
            }
            let is_colon = kept > 0 && head[kept - 1] == b':';
            let end = End {
                at: from + head[..kept.saturating_sub(1)].trim_ascii_end().len(),
                next: from + kept.saturating_sub(1),
                is_missing: true,
                is_plain: false,
            };
            return (is_colon.then_some(end), true);
        }
        if place == Place::Element && is_comma && self.key_at(mark, Place::Key).is_some() {
            // `["a" b], "key":`: the list ended as well.
            let list = head[..kept - 1].trim_ascii_end().len();
            if head[..list].ends_with(b"]") && !inside.count(self.bytes, mark) && inside.open[1] < 0
            {
                let end = End {
                    at: from + head[..list - 1].trim_ascii_end().len(),
                    next: from + list - 1,
                    is_missing: true,
                    is_plain: false,
                };
                return (Some(end), true);
            }
        }
        if place == Place::Element {
            let is_close = self
                .bytes
                .get(mark + 1)
                .is_some_and(|byte| !byte.is_ascii_whitespace() && !b",]})".contains(byte));
            let opens = is_comma && (is_line || is_close);
            return (opens.then_some(end), false);
        }
        if kept > 0 && head[kept - 1] == b':' && self.proper_string_at(mark) {
            // `"first, b: "second"`: a bare key stands before the quote.
            let name = head[..kept - 1]
                .iter()
                .rev()
                .take(64)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
                .count();
            let text = head[..kept - 1 - name].trim_ascii_end();
            if name > 0 && text.ends_with(b",") {
                let end = End {
                    at: from + text[..text.len() - 1].trim_ascii_end().len(),
                    next: from + text.len() - 1,
                    is_missing: true,
                    is_plain: false,
                };
                return (Some(end), false);
            }
        }
        if !is_comma && !is_line && !is_apart {
            return (None, false);
        }
        match self.key_at(mark, place) {
            Some(ahead) => {
                let is_open = inside.count(self.bytes, mark);
                let closers = if is_comma {
                    self.closers_before(&head[..kept - 1])
                } else {
                    None
                };
                if let Some(closers) = closers {
                    // `{"a": {"b": "x}, "c": 1}`: so did what is around the string.
                    let end = End {
                        at: from + head[..closers].trim_ascii_end().len(),
                        next: from + closers,
                        is_missing: true,
                        is_plain: false,
                    };
                    return (Some(end), true);
                }
                let is_strong = (is_comma || is_line) && !is_open && ahead == KeyMatch::Known;
                let is_weak = ahead == KeyMatch::Known || !is_open;
                (is_weak.then_some(end), is_strong)
            }
            None => (None, false),
        }
    }

    /// Where the closers start that end `head`, the inside of a string so far, if the string opened none of them and they
    /// close what is open, up to an object.
    fn closers_before(&mut self, head: &[u8]) -> Option<usize> {
        if self.work > self.patience {
            return None;
        }
        self.work += head.len() as u64;
        let is_run = |byte: &&u8| matches!(byte, b'}' | b']') || byte.is_ascii_whitespace();
        let begin = head.len() - head.iter().rev().take_while(is_run).count();
        let mut text = Inside::default();
        text.count(head, begin);
        let mut open = self.stack.len();
        for &byte in &head[begin..] {
            let (own, kind) = match byte {
                b'}' => (text.open[0], Kind::Object),
                b']' => (text.open[1], Kind::Array),
                _ => continue,
            };
            if own > 0 || open == 0 || self.stack[open - 1].kind != kind {
                return None;
            }
            open -= 1;
        }
        let is_object = open > 0 && self.stack[open - 1].kind == Kind::Object;
        (open < self.stack.len() && is_object).then_some(begin)
    }

    /// The end of a string of one line that no quote closes, with text after its line: at the quote where the line ends, or
    /// before the brackets there that the string did not open. What stands beyond is no part of the document.
    fn end_of_line(
        &mut self,
        from: usize,
        marks: Quotes,
        n_inner: usize,
        line_quote: Option<usize>,
    ) -> Option<End> {
        let rest = &self.bytes[from..];
        let line = memchr::memchr(b'\n', rest)?;
        let is_run = |byte: u8| matches!(byte, b'}' | b']') || byte.is_ascii_whitespace();
        let (at, next) = match (n_inner, line_quote) {
            (0, _) if marks.is_ascii() => {
                let text = &rest[..line];
                let kept = text
                    .iter()
                    .rposition(|&byte| !is_run(byte))
                    .map_or(0, |n| n + 1);
                let at = text[..kept].trim_ascii_end().len();
                (from + at, from + kept)
            }
            (1, Some(mark)) if mark < from + line => (mark, mark + 1),
            _ => return None,
        };
        let n_run = self.bytes[next..]
            .iter()
            .take_while(|&&byte| is_run(byte))
            .count();
        let (run, beyond) = self.bytes[next..].split_at(n_run);
        let brackets = run.iter().filter(|byte| matches!(byte, b'}' | b']'));
        let n_brackets = brackets.clone().count();
        let open = self.stack.iter().rev().map(|frame| match frame.kind {
            Kind::Object => b'}',
            Kind::Array => b']',
            Kind::Tuple | Kind::Call => b')',
        });
        let is_opened_here = || Inside::default().count(&self.bytes[from..], at - from);
        let closes = brackets
            .zip(open)
            .all(|(bracket, closer)| *bracket == closer)
            && (n_brackets >= self.stack.len() || n_brackets > 0 && !is_opened_here());
        let is_line = run
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_whitespace())
            .any(|&byte| byte == b'\n');
        self.work += rest.len() as u64;
        if beyond.is_empty() || beyond.contains(&b'\\') || n_inner == 0 && !(closes && is_line) {
            return None;
        }
        let end = next + n_run;
        (self.text, self.bytes) = (&self.text[..end], &self.bytes[..end]);
        Some(End {
            at,
            next,
            is_missing: n_inner == 0,
            is_plain: false,
        })
    }

    /// The end of a string that no quote closes: the end of the text, or closers there that the string did not open.
    fn tail(&mut self, from: usize, n_inner: usize, place: Place) -> End {
        let whole = End {
            at: self.bytes.len(),
            next: self.bytes.len(),
            is_missing: true,
            is_plain: false,
        };
        if place == Place::Key
            && let Some(colon) = memchr::memchr(b':', &self.bytes[from..])
        {
            return End {
                at: from + colon,
                next: from + colon,
                is_missing: true,
                is_plain: false,
            };
        }
        if self.stack.is_empty() || n_inner % 2 == 1 && n_inner > 2 {
            return whole;
        }
        let mut text = self.text[from..].trim_end();
        if let Some(head) = text.strip_suffix("```") {
            text = head.trim_end();
        }
        let closers = text
            .bytes()
            .rev()
            .take_while(|byte| matches!(byte, b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r'))
            .count();
        if closers == 0 {
            return whole;
        }
        let mut kept = text.len() - closers;
        let mut counts = Inside::default();
        counts.count(text.as_bytes(), kept);
        let mut depth = self.stack.len();
        let mut end = None;
        for (n, byte) in text.bytes().enumerate().skip(kept) {
            let (own, kind) = match byte {
                b'}' => (&mut counts.open[0], Kind::Object),
                b']' => (&mut counts.open[1], Kind::Array),
                _ => continue,
            };
            if *own > 0 {
                *own -= 1;
                end = None;
                kept = n + 1;
                continue;
            }
            let outer = depth
                .checked_sub(1)
                .and_then(|n| self.stack.get(n))
                .map_or(0, |top| {
                    if kind == Kind::Object {
                        top.object
                    } else {
                        top.array
                    }
                });
            if outer == 0 {
                continue;
            }
            depth = outer - 1;
            if end.is_none() {
                end = Some(n);
            }
        }
        if end.is_none() {
            return whole;
        }
        let at = from + text[..kept].trim_end().len();
        End {
            at,
            next: from + kept,
            is_missing: true,
            is_plain: false,
        }
    }
}
