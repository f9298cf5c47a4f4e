//! The output of repairs: supplied text can be inserted before pending blanks, which no text follows yet.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::RepairedText;
use crate::repair::Repair;

/// The number of edits kept per kind; further edits are counted.
const KEPT: u32 = 64;

/// One repair of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairEdit {
    /// The kind of repair.
    pub repair: Repair,
    /// The first byte concerned, in the input.
    pub start: usize,
    /// The byte after the last. `start..end` is the replaced text.
    pub end: usize,
    /// The replacement.
    pub after: Cow<'static, str>,
}

/// The JSON text so far, and its repairs.
#[derive(Debug, Default)]
pub struct Writer {
    /// The text so far.
    out: String,
    /// Where the pending blanks start, which no text follows yet.
    blanks: Option<usize>,
    edits: Vec<RepairEdit>,
    /// The number of repairs of each kind.
    counts: BTreeMap<Repair, u32>,
}

impl Writer {
    /// A writer for the repair of `text`; most repairs add little to the length.
    pub fn new(text: &str) -> Writer {
        Writer {
            out: String::with_capacity(text.len() + text.len() / 8),
            ..Writer::default()
        }
    }

    /// The text so far, including pending blanks. The caller may append to it or change it.
    pub fn out(&mut self) -> &mut String {
        &mut self.out
    }

    /// Appends `text` after the pending blanks.
    pub fn put(&mut self, text: &str) {
        self.blanks = None;
        self.out.push_str(text);
    }

    /// Appends blanks, which are pending until text follows them.
    pub fn blank(&mut self, blanks: &str) {
        self.blanks = Some(self.end());
        self.out.push_str(blanks);
    }

    /// Where the pending blanks start, or the end of the text.
    fn end(&self) -> usize {
        self.blanks.unwrap_or(self.out.len())
    }

    /// The last byte before the pending blanks.
    pub fn last(&self) -> Option<u8> {
        self.out.as_bytes()[..self.end()].last().copied()
    }

    /// Removes the pending blanks.
    pub fn drop_blanks(&mut self) {
        self.out.truncate(self.end());
        self.blanks = None;
    }

    /// Inserts `text` before the pending blanks.
    pub fn put_before_blanks(&mut self, text: &str) {
        self.insert(self.end(), text);
    }

    /// Inserts `text` at the start.
    pub fn prepend(&mut self, text: &str) {
        self.insert(0, text);
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.out.insert_str(at, text);
        self.blanks = self.blanks.map(|at| at + text.len());
    }

    /// Removes the last byte before the pending blanks, if it is a comma.
    pub fn take_comma(&mut self) {
        if self.last() == Some(b',') {
            let at = self.end() - 1;
            self.out.remove(at);
            self.blanks = self.blanks.map(|_| at);
        }
    }

    /// Whether the text ends with a comma or a line break, not counting other blanks.
    pub fn ends_line_or_comma(&self) -> bool {
        let blanks = self.out[self.end()..].trim_end_matches([' ', '\t', '\r']);
        blanks.ends_with('\n') || (blanks.is_empty() && self.last() == Some(b','))
    }

    /// Records a repair that wrote `after`.
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

    /// Whether a repair was recorded.
    pub fn has_notes(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The repaired document. `work`: the number of bytes read.
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
