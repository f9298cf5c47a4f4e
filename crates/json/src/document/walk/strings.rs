//! Strings of the evident reading: joined ones, and quotes that come twice or three times.

use super::Walk;
use super::names::Name;
use super::space::Quotes;
use super::string_end::{End, KeyMatch, Place};
use crate::repair::Repair;

impl<'a> Walk<'a> {
    /// A string that is a value, and what is joined to it.
    pub(super) fn read_string(&mut self, marks: Quotes, length: usize) {
        let place = self.place();
        self.writer.put_byte(b'"', self.i + length);
        self.string_inside(marks, length, place);
        loop {
            let next = self.past_space(self.i);
            let joins = match self.bytes.get(next) {
                Some(b'+') => {
                    let following = self.past_space(next + 1);
                    if Quotes::at(self.bytes, following).is_some() {
                        Some(following)
                    } else if following >= self.bytes.len()
                        || matches!(self.bytes[following], b',' | b'}' | b']')
                    {
                        // A sum that was not finished.
                        self.writer.note(Repair::Concatenation, next, next + 1, "");
                        self.i = next + 1;
                        None
                    } else {
                        None
                    }
                }
                Some(b'"' | b'\'')
                    if next > self.i && matches!(place, Place::Member | Place::Call) =>
                {
                    (self.key_at(next, Place::Member).is_none()).then_some(next)
                }
                _ => None,
            };
            let Some(at) = joins else { break };
            let Some((marks, length)) = Quotes::at(self.bytes, at) else {
                break;
            };
            self.writer.note(Repair::Concatenation, self.i, at, "");
            self.i = at;
            self.string_inside(marks, length, place);
        }
        self.writer.put_byte(b'"', self.i);
    }

    /// Reads a string from its quote on and writes its inside.
    pub(super) fn string_inside(&mut self, marks: Quotes, length: usize, place: Place) {
        let start = self.i;
        if marks != Quotes::Double {
            self.writer
                .note(Repair::NonstandardQuote, start, start + length, "\"");
        }
        if let Some((from, to, next)) = self.repeated_quotes(marks, length) {
            if marks == Quotes::Double {
                self.writer
                    .note(Repair::NonstandardQuote, start, from, "\"");
            }
            self.inside(from, to, Quotes::Single);
            self.i = next;
            return;
        }
        let mut from = start + length;
        let is_key = || Name::at(self.bytes, from).is_some_and(|name| name.from > from);
        let is_doubled = place == Place::Key && marks == Quotes::Double && is_key();
        if is_doubled || self.has_a_quote_too_many(marks, from) {
            self.writer
                .note(Repair::NonstandardQuote, from, from + 1, "");
            from += 1;
        }
        let End {
            at,
            next,
            is_missing,
            is_plain,
        } = self.find_end(from, marks, place);
        if is_plain {
            self.writer.pass(from, at);
        } else {
            self.inside(from, at, marks);
        }
        if is_missing {
            self.writer.note(Repair::MissingQuote, at, at, "\"");
        }
        self.i = next;
        if !is_missing && marks == Quotes::Double && at > from && self.is_doubled(next, place) {
            self.writer
                .note(Repair::NonstandardQuote, next, next + 1, "");
            self.i = next + 1;
        }
    }

    /// A string between three quotes, or between two: the start and end of its inside, and where to go on.
    pub(super) fn repeated_quotes(
        &mut self,
        marks: Quotes,
        length: usize,
    ) -> Option<(usize, usize, usize)> {
        let mark = self.bytes[self.i];
        if length != 1 || self.byte(1) != Some(mark) {
            return None;
        }
        if self.byte(2) == Some(mark) && marks != Quotes::SingleLike {
            let from = self.i + 3;
            let three = [mark; 3];
            let rest = self.bytes.get(from..)?;
            let end = memchr::memmem::find(rest, &three);
            self.work += end.unwrap_or(rest.len()) as u64;
            return end.map(|n| (from, from + n, from + n + 3));
        }
        if !self
            .bytes
            .get(self.i + 2)
            .is_some_and(u8::is_ascii_alphanumeric)
            || self.work > self.patience
        {
            return None;
        }
        let from = self.i + 2;
        let rest = &self.bytes[from..];
        let end = memchr::memchr(mark, rest)?;
        self.work += end as u64;
        if rest.get(end + 1) != Some(&mark) {
            return None;
        }
        let following = super::super::valid::blanks(self.bytes, from + end + 2);
        matches!(
            self.bytes.get(following),
            None | Some(b',' | b':' | b'}' | b']')
        )
        .then_some((from, from + end, from + end + 2))
    }

    /// Whether the quote at `at` doubles the one before it: `""value"`, with one to close.
    pub(super) fn has_a_quote_too_many(&mut self, marks: Quotes, at: usize) -> bool {
        if marks != Quotes::Double
            || self.bytes.get(at) != Some(&b'"')
            || !self
                .bytes
                .get(at + 1)
                .is_some_and(u8::is_ascii_alphanumeric)
            || self.work > self.patience
        {
            return false;
        }
        let rest = &self.bytes[at + 1..];
        let Some(end) = memchr::memchr(b'"', rest) else {
            return false;
        };
        self.work += end as u64;
        let following = super::super::valid::blanks(self.bytes, at + 1 + end + 1);
        matches!(
            self.bytes.get(following),
            None | Some(b',' | b':' | b'}' | b']')
        ) && self.key_at(at, Place::Member) != Some(KeyMatch::Known)
    }

    /// Writes `text` between quotes, notes that it was bare.
    pub(super) fn put_bare(&mut self, start: usize, end: usize) {
        let text: &'a str = self.text;
        let from = self.writer.len();
        self.put_string(&text[start..end]);
        self.writer
            .note_written(Repair::UnquotedString, start, end, from);
    }
}
