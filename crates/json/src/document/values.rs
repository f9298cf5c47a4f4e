//! Reads a whole document: the [`Transducer`] reads the values, the text around them is left out.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;

use super::framing::{Framing, Next, comment_end};
use super::quotes::{Quotes, starts_member};
use super::writer::Writer;
use crate::escape::{escape_into, quoted};
use crate::repair::{Repair, RepairSpan};
use crate::scan::blanks_end;
use crate::shape::Shape;
use crate::transducer::{Frame, Output, Root, Step, Transducer};
use crate::word;

/// One document being read.
pub(super) struct Document<'a> {
    text: &'a str,
    i: usize,
    framing: Framing<'a>,
    machine: Transducer,
    writer: Writer,
    /// The keys that the shape declares for the document.
    known: Option<Arc<[String]>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str, shape: &Shape) -> Document<'a> {
        let known = match shape.of_container(true) {
            Shape::Object(fields) if !fields.properties.is_empty() => {
                let keys = fields.properties.iter().map(|(key, _)| key.clone());
                Some(keys.collect())
            }
            _ => None,
        };
        Document {
            text,
            i: 0,
            framing: Framing::new(text),
            machine: Transducer::whole(),
            writer: Writer::new(text),
            known,
        }
    }

    /// Reads the document to its end. The output is JSON, whatever the text is.
    pub(super) fn read(mut self) -> (Writer, u64) {
        let start = self.framing.past_space(0);
        if start == self.text.len() {
            self.writer.note(Repair::MissingValue, 0, start, "null");
            self.writer.put("null");
        } else if let Some(first) = self.framing.first(start) {
            self.leave_out(first);
            self.values();
        } else {
            self.leave_out(start);
            self.scalar();
        }
        let work = self.framing.work + self.machine.work() + 2 * self.text.len() as u64;
        (self.writer, work)
    }

    /// Reads the value here and the values after it. Several values become a list.
    fn values(&mut self) {
        let mut n_values = 1;
        self.value();
        loop {
            let is_object = self.writer.last() == Some(b'}');
            let is_apart = self.writer.ends_line_or_comma();
            match self.framing.next(self.i, is_object, is_apart) {
                Next::Value(at) => {
                    self.leave_out(at);
                    n_values += 1;
                    self.writer.put_before_blanks(",");
                    self.value();
                }
                Next::Member(at) => {
                    self.leave_out(at);
                    self.writer.drop_blanks();
                    self.writer.out().pop();
                    self.writer.note(Repair::MismatchedBracket, at, at, "");
                    let is_empty = self.writer.out().trim_end().ends_with('{');
                    self.machine.reopen(is_empty);
                    self.feed();
                }
                Next::End => break,
            }
        }
        self.leave_out(self.text.len());
        if n_values > 1 {
            let end = self.text.len();
            self.writer.note(Repair::MultipleValues, 0, end, "[..]");
            self.writer.prepend("[");
            self.writer.put_before_blanks("]");
        }
    }

    /// Reads one value from its first byte on.
    fn value(&mut self) {
        let bytes = self.text.as_bytes();
        let mut is_call = false;
        if Quotes::at(bytes, self.i).is_some() {
            if starts_member(bytes, self.i) {
                let here = self.i;
                self.writer.note(Repair::MissingBracket, here, here, "{");
                self.writer.put("{");
                self.machine.restart_in(Frame::Object);
            } else {
                self.machine.restart_in(Frame::Root);
            }
        } else if let Some(paren) = self.framing.call(self.i) {
            self.writer.note(Repair::Wrapper, self.i, paren + 1, "");
            self.i = paren + 1;
            self.machine.restart_in(Frame::Call);
            is_call = true;
        } else {
            self.machine.restart(Root::Value);
        }
        self.feed();
        self.i += usize::from(is_call && bytes.get(self.i) == Some(&b';'));
        let end = blanks_end(bytes, self.i);
        self.writer.blank(&self.text[self.i..end]);
        self.i = end;
    }

    /// Feeds the machine until the value or the text ends.
    fn feed(&mut self) {
        let mut out = Output::default();
        // New text follows the pending blanks.
        self.writer.put("");
        core::mem::swap(&mut out.text, self.writer.out());
        if let Some(keys) = &self.known {
            self.machine.add_keys(1, Arc::clone(keys));
        }
        loop {
            let rest = &self.text[self.i..];
            let (used, step) = self.machine.feed(rest, self.i as u64, &mut out);
            self.i += used;
            match step {
                Step::Done => {
                    // A key split at its colon is read again unescaped: `end` may be inside a character.
                    let end = self.i.saturating_sub(self.machine.n_unread());
                    self.i = self.boundary(end);
                    break;
                }
                Step::More if self.machine.settle_quote(self.i as u64, &mut out) => {}
                Step::More => break self.machine.cut(self.i as u64, &mut out),
                Step::Stuck => {
                    let rest = &self.text[self.i..];
                    let is_end = self.machine.is_unrepairable() && !rest.contains('"');
                    if is_end || rest.starts_with("```") || rest.is_empty() {
                        break self.machine.cut(self.i as u64, &mut out);
                    }
                    let length = rest.chars().next().map_or(1, char::len_utf8);
                    self.i += self.machine.skip(length, self.i as u64, &mut out);
                }
                Step::Member | Step::Value | Step::String => {}
            }
        }
        core::mem::swap(&mut out.text, self.writer.out());
        let mut brackets = self.machine.take_brackets().into_iter();
        for span in &out.repairs {
            let is_bracket = span.repair == Repair::MissingBracket;
            let bracket = is_bracket.then(|| brackets.next()).flatten();
            self.note(span, bracket);
        }
    }

    /// Reads a text without a container: numbers and literals in lines, or a string.
    fn scalar(&mut self) {
        // Blanks that JSON does not allow.
        let start = self.text.len() - self.text[self.i..].trim_start().len();
        self.leave_out(start);
        let text = self.text[start..].trim_end();
        let end = start + text.len();
        let bare = text.trim_end_matches([',', ';']).trim_end();
        let (json, repair) = word::value(bare, false);
        if repair != Some(Repair::UnquotedString) {
            let end = start + bare.len();
            if let Some(repair) = repair {
                self.writer.note(repair, start, end, String::from(&*json));
            }
            self.writer.put(&json);
            self.i = end;
            return self.leave_out(self.text.len());
        }
        let is_scalar = |word: &str| word::is_scalar(word.trim());
        // `12,345` may be one number in groups or two numbers: it stays text.
        let is_group = |part: &str| part.bytes().take(3).filter(u8::is_ascii_digit).count() == 3;
        let is_grouped = bare.split(',').skip(1).all(is_group);
        let is_full = |part: &&str| !part.trim().is_empty();
        let parts = || bare.split(['\n', ',']).filter(is_full);
        if parts().count() > 1 && parts().all(is_scalar) && (!is_grouped || bare.contains('\n')) {
            let end = self.text.len();
            self.writer.note(Repair::MultipleValues, start, end, "[..]");
            for (n, part) in parts().enumerate() {
                self.writer.put(if n > 0 { "," } else { "[" });
                self.writer.put(part.trim());
            }
            self.writer.put("]");
            return;
        }
        // A string that lost one of its two quotes.
        let has_no_quote = |text: &&str| !text.contains('"');
        let first = text.strip_prefix('"').filter(has_no_quote);
        let last = text.strip_suffix('"').filter(has_no_quote);
        let text = first.or(last).unwrap_or(text);
        let json = quoted(text);
        self.writer.put(&json);
        self.writer.note(Repair::UnquotedString, start, end, json);
        self.i = end;
        self.leave_out(self.text.len());
    }

    /// Leaves out the text up to `at`. Blanks that JSON allows are left out without a note.
    fn leave_out(&mut self, at: usize) {
        let skipped = &self.text[self.i.min(at)..at];
        let is_text = |c: char| !matches!(c, ' ' | '\t' | '\n' | '\r');
        if let (Some(first), Some(last)) = (skipped.find(is_text), skipped.rfind(is_text)) {
            let length = skipped[last..].chars().next().map_or(0, char::len_utf8);
            let (start, end) = (self.i + first, self.i + last + length);
            let repair = repair_of(&self.text[start..end], self.text.as_bytes(), start);
            self.writer.note(repair, start, end, "");
        }
        self.i = self.i.max(at);
    }

    /// The start of the character that contains `at`.
    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let is_start = |&at: &usize| self.text.is_char_boundary(at);
        (0..=at).rev().find(is_start).unwrap_or(0)
    }

    /// Notes a repair of the machine.
    fn note(&mut self, span: &RepairSpan, bracket: Option<&'static str>) {
        let (start, end) = (span.start as usize, span.end as usize);
        let (start, end) = (self.boundary(start), self.boundary(end));
        let end = match span.repair {
            Repair::Comment => comment_end(self.text.as_bytes(), start).unwrap_or(end),
            _ => end,
        };
        let after = || written(span.repair, &self.text[start..end], &self.text[end..]);
        let after = bracket.map_or_else(after, Cow::Borrowed);
        self.writer.note(span.repair, start, end, after);
    }
}

/// The repair that leaves out `text`, which starts at `start`.
fn repair_of(text: &str, bytes: &[u8], start: usize) -> Repair {
    let is_all = |set: &[u8]| text.bytes().all(|b| set.contains(&b) || b <= b' ');
    if text.starts_with("```") && text.len() < 24 && !text.contains('\n') {
        Repair::CodeFence
    } else if is_all(b"}])") {
        Repair::MismatchedBracket
    } else if text == "," {
        Repair::TrailingComma
    } else if is_all(b";") || text.trim().is_empty() {
        Repair::Junk
    } else if comment_end(bytes, start) == Some(start + text.len()) {
        Repair::Comment
    } else {
        Repair::Prose
    }
}

/// The text that a repair wrote in place of `before`. `rest` follows `before`.
fn written(repair: Repair, before: &str, rest: &str) -> Cow<'static, str> {
    let word = |text: &str| Cow::Owned(String::from(word::value(text.trim_end(), false).0));
    match repair {
        Repair::MissingComma => Cow::Borrowed(","),
        Repair::MissingColon => Cow::Borrowed(":"),
        Repair::MissingQuote => Cow::Borrowed("\""),
        Repair::UnescapedQuote => Cow::Borrowed("\\\""),
        Repair::MissingValue => Cow::Borrowed("null"),
        Repair::OddBlank => Cow::Borrowed(" "),
        Repair::NonstandardQuote if before == "\"" => Cow::Borrowed(""),
        Repair::NonstandardQuote => Cow::Borrowed("\""),
        Repair::PythonLiteral if before.starts_with(['(', '{']) => Cow::Borrowed("["),
        Repair::PythonLiteral
        | Repair::UnquotedString
        | Repair::InvalidNumber
        | Repair::UnrepresentableNumber => word(before),
        Repair::UnquotedKey => Cow::Owned(quoted(before.trim_end())),
        Repair::DuplicateKey | Repair::AmbiguousString => Cow::Owned(String::from(before)),
        Repair::ControlCharacter => {
            let mut after = String::new();
            escape_into(&mut after, before);
            Cow::Owned(after)
        }
        Repair::InvalidEscape => match rest.bytes().next() {
            Some(b'\n') => Cow::Borrowed("\\n"),
            Some(b'\'' | b'`') => Cow::Borrowed(""),
            Some(byte) if crate::escape::is_markdown_escape(byte) => Cow::Borrowed(""),
            _ => Cow::Borrowed("\\\\"),
        },
        Repair::LoneSurrogate => Cow::Borrowed("\\ufffd"),
        _ => Cow::Borrowed(""),
    }
}
