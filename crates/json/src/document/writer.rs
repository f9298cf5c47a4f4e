//! Where repaired text goes: what is supplied can stand before the blanks that nothing has followed yet.

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
    /// What was written, blanks at its end included.
    pub(super) out: String,
    /// Where the blanks begin that nothing has followed yet.
    blanks: Option<usize>,
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
        self.blanks = None;
        self.out.push_str(text);
    }

    /// Appends blanks, which wait until something follows them.
    #[inline]
    pub(super) fn blank(&mut self, blanks: &str) {
        self.blanks.get_or_insert(self.out.len());
        self.out.push_str(blanks);
    }

    /// Where the blanks that wait begin, or the end.
    fn end(&self) -> usize {
        self.blanks.unwrap_or(self.out.len())
    }

    /// What was written, without the blanks that wait.
    pub(super) fn solid(&self) -> &str {
        &self.out[..self.end()]
    }

    /// Leaves the blanks that wait out.
    pub(super) fn drop_blanks(&mut self) {
        self.out.truncate(self.end());
        self.blanks = None;
    }

    /// Appends before the blanks that wait.
    #[inline]
    pub(super) fn put_before_blanks(&mut self, text: &str) {
        match &mut self.blanks {
            None => self.out.push_str(text),
            Some(end) => {
                self.out.insert_str(*end, text);
                *end += text.len();
            }
        }
    }

    /// Writes before everything.
    pub(super) fn prepend(&mut self, text: &str) {
        self.out.insert_str(0, text);
        if let Some(end) = &mut self.blanks {
            *end += text.len();
        }
    }

    /// Takes back a comma if it is the last thing written.
    pub(super) fn take_comma(&mut self) {
        if self.solid().ends_with(',') {
            let at = self.end() - 1;
            self.out.remove(at);
            if let Some(end) = &mut self.blanks {
                *end = at;
            }
        }
    }

    /// Whether what was written ends with a comma or a line break, other blanks aside.
    pub(super) fn ends_line_or_comma(&self) -> bool {
        let blanks = self.out[self.end()..].trim_end_matches([' ', '\t', '\r']);
        blanks.ends_with('\n') || (blanks.is_empty() && self.solid().ends_with(','))
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

    /// Remembers a repair that was written from `from` on.
    #[cold]
    pub(super) fn note_written(&mut self, repair: Repair, start: usize, end: usize, from: usize) {
        let is_kept = self
            .counts
            .get(repair as usize)
            .is_none_or(|&count| count < KEPT);
        let after = if is_kept {
            String::from(self.out.get(from..).unwrap_or_default())
        } else {
            String::new()
        };
        self.note(repair, start, end, &after);
    }

    pub(super) fn finish(self) -> (String, Vec<Fix>, Vec<u32>) {
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
