//! Ranges of the model's text.

use core::fmt;
use core::ops::Range;

/// A half-open range of bytes of UTF-8, counted from the first byte pushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

impl Span {
    /// The same bytes, counted from `origin`; bytes before `origin` are cut off.
    pub(crate) const fn since(self, origin: u64) -> Span {
        Span {
            start: self.start.saturating_sub(origin),
            end: self.end.saturating_sub(origin),
        }
    }

    /// The span from `start` to `end`; `start <= end`.
    pub fn new(start: u64, end: u64) -> Span {
        debug_assert!(start <= end, "span {start}..{end} is reversed");
        Span { start, end }
    }

    /// An empty span at `at`.
    pub fn empty(at: u64) -> Span {
        Span { start: at, end: at }
    }

    /// Length in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether the span covers no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as indices into a text that was pushed whole.
    ///
    /// # Panics
    /// If the span does not fit `usize`.
    pub fn range(self) -> Range<usize> {
        usize::try_from(self.start).expect("span fits memory")
            ..usize::try_from(self.end).expect("span fits memory")
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
