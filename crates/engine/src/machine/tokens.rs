//! Special tokens: where they stand in what is held, and which spellings count only as one.

use alloc::string::String;
use alloc::vec::Vec;

/// Words by which the two ends of a bracket differ (`<|tool_call_begin|>`, `<|tool_call_end|>`).
const ENDS: [(&str, &str); 8] = [
    ("begin", "end"),
    ("BEGIN", "END"),
    ("start", "end"),
    ("START", "END"),
    ("open", "close"),
    ("OPEN", "CLOSE"),
    ("prefix", "suffix"),
    ("PREFIX", "SUFFIX"),
];

#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// Where they stand, of those that are still in the buffer.
    extents: Vec<(u64, u64)>,
    /// What counts only as a token: what the caller says comes as one, what came as one, and what closes that.
    spellings: Vec<String>,
}

impl Tokens {
    /// `spelling` comes as a token, or not at all.
    pub(super) fn add(&mut self, spelling: &str) {
        if !spelling.is_empty() && !self.counts_only_as_one(spelling) {
            self.spellings.push(spelling.into());
        }
    }

    /// A token came, and stands at `at`. What closes it is one as well: a vocabulary has both ends of a bracket.
    pub(super) fn came(&mut self, spelling: &str, at: u64) {
        self.extents.push((at, at + spelling.len() as u64));
        if !self.counts_only_as_one(spelling) {
            self.add(spelling);
            closers(spelling, |closer| self.add(closer));
        }
    }

    pub(super) fn counts_only_as_one(&self, spelling: &str) -> bool {
        self.spellings.iter().any(|have| have == spelling)
    }

    /// No token stands in what is held.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// What stands before `base` is told.
    pub(super) fn forget_before(&mut self, base: u64) {
        self.extents.retain(|&(_, end)| end > base);
    }

    /// Whether the byte at `at` came in a token.
    pub(super) fn is_at(&self, at: u64) -> bool {
        let holds = |&(start, end): &(u64, u64)| start <= at && at < end;
        self.extents.iter().any(holds)
    }

    /// Where a token begins or ends after `at`, before `end`; otherwise `end`.
    pub(super) fn next_edge(&self, at: u64, end: u64) -> u64 {
        let edges = self.extents.iter().flat_map(|&(start, end)| [start, end]);
        edges.filter(|&edge| edge > at).fold(end, u64::min)
    }

    /// Whether `bytes`, which stand at `at`, hold in plain letters what counts only as a token.
    #[inline]
    pub(crate) fn is_spelled(&self, bytes: &[u8], at: u64) -> bool {
        !self.spellings.is_empty() && self.holds_one(bytes, at)
    }

    #[cold]
    fn holds_one(&self, bytes: &[u8], at: u64) -> bool {
        self.spellings.iter().any(|spelling| {
            let mut windows = bytes.windows(spelling.len()).enumerate();
            windows.any(|(n, window)| window == spelling.as_bytes() && !self.is_at(at + n as u64))
        })
    }
}

/// Visits the spellings that what closes `opener` may have. A spelling that no dialect has does nothing.
fn closers(opener: &str, mut visit: impl FnMut(&str)) {
    if let Some((bracket @ ("<" | "["), rest)) = opener.split_at_checked(1)
        && !rest.starts_with('/')
    {
        visit(&[bracket, "/", rest].concat());
        // `<|tool_call>` and `<tool_call|>`.
        if let Some(word) = rest
            .strip_prefix('|')
            .and_then(|rest| rest.strip_suffix('>'))
            && !word.ends_with('|')
        {
            visit(&["<", word, "|>"].concat());
        }
    }
    for (start, end) in ENDS {
        if opener.contains(start) {
            visit(&opener.replace(start, end));
        }
    }
}
