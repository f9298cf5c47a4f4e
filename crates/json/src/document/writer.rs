//! Where repaired text goes: what is supplied can stand before the blanks that nothing has followed yet.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::RepairedText;
use crate::repair::Repair;

/// Fixes kept per kind; the rest is counted.
const KEPT: u32 = 64;

/// One repair of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairEdit {
    /// What was done.
    pub repair: Repair,
    /// The first byte concerned, in the input.
    pub start: usize,
    /// The byte after the last. The text between is what stood there before.
    pub end: usize,
    /// What stands there now.
    pub after: Cow<'static, str>,
}

/// JSON text in the making, and what was repaired on the way.
///
/// ```text
///   out                       stretch            (the rest of the input)
///   {"a": "b", "c": true,  |  "path": "a.rs", .. |
///        copied already    |  from            to |
/// ```
///
/// What reads in the input as it should is not copied piece by piece: the stretch grows over it, and is copied as a whole
/// when something else has to be written.
#[derive(Debug, Default)]
pub struct Writer<'a> {
    /// The input.
    text: &'a str,
    /// What was written, without the stretch.
    out: String,
    /// The stretch of the input that follows, not copied yet.
    from: usize,
    to: usize,
    /// Where the blanks start that nothing has followed yet, the stretch counted.
    blanks: Option<usize>,
    fixes: Vec<RepairEdit>,
    counts: Vec<u32>,
}

impl<'a> Writer<'a> {
    /// For the repair of `text`, to which most repairs add little.
    pub fn new(text: &'a str) -> Writer<'a> {
        Writer {
            text,
            out: String::with_capacity(text.len() + text.len() / 8),
            ..Writer::default()
        }
    }

    /// What was written, blanks at its end included, to be appended to or changed.
    pub fn out(&mut self) -> &mut String {
        self.flush();
        &mut self.out
    }

    /// How many bytes were written, blanks at the end included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.out.len() + (self.to - self.from)
    }

    #[inline]
    fn flush(&mut self) {
        if self.from < self.to {
            self.out.push_str(&self.text[self.from..self.to]);
            self.from = self.to;
        }
    }

    /// Grows the stretch over these bytes of the input.
    #[inline]
    fn extend(&mut self, from: usize, to: usize) {
        if self.to != from {
            self.flush();
            self.from = from;
        }
        self.to = to;
    }

    /// Appends bytes of the input as they are, after the blanks.
    #[inline]
    pub fn pass(&mut self, from: usize, to: usize) {
        self.blanks = None;
        self.extend(from, to);
    }

    /// Appends, after the blanks.
    #[inline]
    pub fn put(&mut self, text: &str) {
        self.blanks = None;
        if self.text.as_bytes()[self.to..].starts_with(text.as_bytes()) {
            self.to += text.len();
        } else {
            self.flush();
            self.out.push_str(text);
        }
    }

    /// Appends in the place of what the input has before `next`.
    #[inline]
    pub fn put_for(&mut self, text: &str, next: usize) {
        self.blanks = None;
        self.flush();
        self.out.push_str(text);
        (self.from, self.to) = (next, next);
    }

    /// The same with one byte of ASCII, which may be what the input has there.
    #[inline]
    pub fn put_byte(&mut self, byte: u8, next: usize) {
        if self.to + 1 == next && self.text.as_bytes().get(self.to) == Some(&byte) {
            self.blanks = None;
            self.to = next;
        } else {
            self.put_for(char::from(byte).encode_utf8(&mut [0; 4]), next);
        }
    }

    /// Appends blanks of the input, which wait until something follows them.
    #[inline]
    pub fn blank(&mut self, from: usize, to: usize) {
        self.blanks = Some(self.end());
        self.extend(from, to);
    }

    /// Appends a space that waits until something follows it.
    pub fn blank_space(&mut self) {
        let blanks = self.end();
        self.put(" ");
        self.blanks = Some(blanks);
    }

    /// Where the blanks that wait start, or the end.
    fn end(&self) -> usize {
        self.blanks.unwrap_or(self.len())
    }

    /// The last byte that was written, the blanks that wait aside.
    pub fn last(&self) -> Option<u8> {
        let last = self.end().checked_sub(1)?;
        match last.checked_sub(self.out.len()) {
            Some(n) => self.text.as_bytes().get(self.from + n).copied(),
            None => self.out.as_bytes().get(last).copied(),
        }
    }

    /// Leaves the blanks that wait out.
    pub fn drop_blanks(&mut self) {
        self.flush();
        self.out.truncate(self.end());
        self.blanks = None;
    }

    /// Appends before the blanks that wait.
    #[inline]
    pub fn put_before_blanks(&mut self, text: &str) {
        let Some(at) = self.blanks else {
            self.put(text);
            return;
        };
        if let Some(n) = at.checked_sub(self.out.len()) {
            let split = self.from + n;
            self.out.push_str(&self.text[self.from..split]);
            self.out.push_str(text);
            self.from = split;
            self.blanks = Some(self.out.len());
        } else {
            self.out.insert_str(at, text);
            self.blanks = Some(at + text.len());
        }
    }

    /// Writes before everything.
    pub fn prepend(&mut self, text: &str) {
        self.out.insert_str(0, text);
        if let Some(end) = &mut self.blanks {
            *end += text.len();
        }
    }

    /// Takes back a comma if it is the last thing written.
    pub fn take_comma(&mut self) {
        if self.last() == Some(b',') {
            self.flush();
            let at = self.end() - 1;
            self.out.remove(at);
            if let Some(end) = &mut self.blanks {
                *end = at;
            }
        }
    }

    /// Whether what was written ends with a comma or a line break, other blanks aside.
    pub fn ends_line_or_comma(&mut self) -> bool {
        self.flush();
        let blanks = self.out[self.end()..].trim_end_matches([' ', '\t', '\r']);
        blanks.ends_with('\n') || (blanks.is_empty() && self.last() == Some(b','))
    }

    /// Remembers a repair that wrote `after`.
    #[inline]
    pub fn note(&mut self, repair: Repair, start: usize, end: usize, after: &'static str) {
        if self.counts(repair) {
            self.keep(repair, start, end, Cow::Borrowed(after));
        }
    }

    /// The same, of a text that is made at run time.
    #[cold]
    pub fn note_text(&mut self, repair: Repair, start: usize, end: usize, after: &str) {
        if self.counts(repair) {
            self.keep(repair, start, end, Cow::Owned(String::from(after)));
        }
    }

    /// Whether a repair was remembered.
    pub fn has_notes(&self) -> bool {
        !self.fixes.is_empty()
    }

    /// Counts a repair; whether it is to be kept.
    #[inline]
    fn counts(&mut self, repair: Repair) -> bool {
        let kind = repair as usize;
        if self.counts.len() <= kind {
            self.counts.resize(kind + 1, 0);
        }
        self.counts[kind] += 1;
        self.counts[kind] <= KEPT
    }

    #[cold]
    fn keep(&mut self, repair: Repair, start: usize, end: usize, after: Cow<'static, str>) {
        self.fixes.push(RepairEdit {
            repair,
            start,
            end,
            after,
        });
    }

    /// The document, after `work` bytes were looked at.
    pub fn finish(mut self, work: u64) -> RepairedText {
        self.flush();
        RepairedText {
            text: self.out,
            more: more(&self.fixes, &self.counts),
            edits: self.fixes,
            work,
        }
    }
}

/// How many repairs of each kind were counted and not kept.
fn more(fixes: &[RepairEdit], counts: &[u32]) -> Vec<(Repair, u32)> {
    let mut kinds: Vec<Repair> = fixes.iter().map(|fix| fix.repair).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let beyond = |kind: Repair| {
        let n = counts.get(kind as usize)?.saturating_sub(KEPT);
        (n > 0).then_some((kind, n))
    };
    kinds.into_iter().filter_map(beyond).collect()
}
