//! Where repaired text goes: blanks wait until something follows them, so that what is supplied can stand before them.

use alloc::string::String;
use alloc::vec::Vec;

use crate::repair::Repair;

/// Fixes kept per kind; the rest is counted.
const KEPT: u32 = 64;

/// One repair of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What was done.
    pub repair: Repair,
    /// The first byte concerned, in the input.
    pub start: usize,
    /// The byte after the last. The text between is what stood there before.
    pub end: usize,
    /// What stands there now.
    pub after: String,
}

/// JSON text in the making, and what was repaired on the way.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) out: String,
    /// Blanks behind `out` that nothing has followed yet.
    pub(super) blanks: String,
    pub(super) fixes: Vec<Fix>,
    pub(super) counts: Vec<u32>,
}

impl Writer {
    pub(super) fn with_capacity(bytes: usize) -> Writer {
        Writer {
            out: String::with_capacity(bytes),
            ..Writer::default()
        }
    }

    /// Appends, behind the blanks.
    #[inline]
    pub(super) fn put(&mut self, text: &str) {
        if !self.blanks.is_empty() {
            self.out.push_str(&self.blanks);
            self.blanks.clear();
        }
        self.out.push_str(text);
    }

    /// Appends before the blanks that wait.
    #[inline]
    pub(super) fn put_before_blanks(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Takes back a comma if it is the last thing written.
    pub(super) fn take_comma(&mut self) {
        if self.out.ends_with(',') {
            self.out.pop();
        }
    }

    /// Whether what was written ends with a comma or a line break, other blanks aside.
    pub(super) fn ends_line_or_comma(&self) -> bool {
        let blanks = self.blanks.trim_end_matches([' ', '\t', '\r']);
        blanks.ends_with('\n') || (blanks.is_empty() && self.out.ends_with(','))
    }

    /// Remembers a repair.
    #[cold]
    pub(super) fn note(&mut self, repair: Repair, start: usize, end: usize, after: &str) {
        let kind = repair as usize;
        if self.counts.len() <= kind {
            self.counts.resize(kind + 1, 0);
        }
        self.counts[kind] += 1;
        if self.counts[kind] <= KEPT {
            self.fixes.push(Fix {
                repair,
                start,
                end,
                after: String::from(after),
            });
        }
    }

    pub(super) fn finish(mut self) -> (String, Vec<Fix>, Vec<u32>) {
        self.put("");
        (self.out, self.fixes, self.counts)
    }
}

/// How many repairs of each kind were counted and not kept.
pub(super) fn more(fixes: &[Fix], counts: &[u32]) -> Vec<(Repair, u32)> {
    let mut kinds: Vec<Repair> = fixes.iter().map(|fix| fix.repair).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
        .into_iter()
        .filter_map(|kind| {
            let n = counts.get(kind as usize)?.saturating_sub(KEPT);
            (n > 0).then_some((kind, n))
        })
        .collect()
}
