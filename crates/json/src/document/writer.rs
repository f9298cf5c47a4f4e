//! Where repaired text goes: what is supplied can stand before the blanks that nothing has followed yet.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::RepairedText;
use crate::repair::Repair;

/// Edits kept per kind; the rest is counted.
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
#[derive(Debug, Default)]
pub struct Writer {
    /// What was written.
    out: String,
    /// Where the blanks start that nothing has followed yet.
    blanks: Option<usize>,
    edits: Vec<RepairEdit>,
    /// How many repairs of each kind there were.
    counts: BTreeMap<Repair, u32>,
}

impl Writer {
    /// For the repair of `text`, to which most repairs add little.
    pub fn new(text: &str) -> Writer {
        Writer {
            out: String::with_capacity(text.len() + text.len() / 8),
            ..Writer::default()
        }
    }

    /// What was written, blanks at its end included, to be appended to or changed.
    pub fn out(&mut self) -> &mut String {
        &mut self.out
    }

    /// Appends, after the blanks.
    pub fn put(&mut self, text: &str) {
        self.blanks = None;
        self.out.push_str(text);
    }

    /// Appends blanks, which wait until something follows them.
    pub fn blank(&mut self, blanks: &str) {
        self.blanks = Some(self.end());
        self.out.push_str(blanks);
    }

    /// Where the blanks that wait start, or the end.
    fn end(&self) -> usize {
        self.blanks.unwrap_or(self.out.len())
    }

    /// The last byte that was written, the blanks that wait aside.
    pub fn last(&self) -> Option<u8> {
        self.out.as_bytes()[..self.end()].last().copied()
    }

    /// Leaves the blanks that wait out.
    pub fn drop_blanks(&mut self) {
        self.out.truncate(self.end());
        self.blanks = None;
    }

    /// Appends before the blanks that wait.
    pub fn put_before_blanks(&mut self, text: &str) {
        self.insert(self.end(), text);
    }

    /// Writes before everything.
    pub fn prepend(&mut self, text: &str) {
        self.insert(0, text);
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.out.insert_str(at, text);
        self.blanks = self.blanks.map(|at| at + text.len());
    }

    /// Takes back a comma if it is the last thing written.
    pub fn take_comma(&mut self) {
        if self.last() == Some(b',') {
            let at = self.end() - 1;
            self.out.remove(at);
            self.blanks = self.blanks.map(|_| at);
        }
    }

    /// Whether what was written ends with a comma or a line break, other blanks aside.
    pub fn ends_line_or_comma(&self) -> bool {
        let blanks = self.out[self.end()..].trim_end_matches([' ', '\t', '\r']);
        blanks.ends_with('\n') || (blanks.is_empty() && self.last() == Some(b','))
    }

    /// Remembers a repair that wrote `after`.
    pub fn note(
        &mut self,
        repair: Repair,
        start: usize,
        end: usize,
        after: impl Into<Cow<'static, str>>,
    ) {
        let n = self.counts.entry(repair).or_default();
        *n += 1;
        if *n <= KEPT {
            self.edits.push(RepairEdit {
                repair,
                start,
                end,
                after: after.into(),
            });
        }
    }

    /// Whether a repair was remembered.
    pub fn has_notes(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The document, after `work` bytes were looked at.
    pub fn finish(self, work: u64) -> RepairedText {
        let counts = self.counts.into_iter().filter(|&(_, n)| n > KEPT);
        RepairedText {
            text: self.out,
            more: counts.map(|(kind, n)| (kind, n - KEPT)).collect(),
            edits: self.edits,
            work,
        }
    }
}
