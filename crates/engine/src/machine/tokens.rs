//! Special tokens: where they are in the held bytes, and which spellings count only as tokens.

use alloc::string::String;
use alloc::vec::Vec;

/// Words that distinguish the two tokens of a bracket (`<|tool_call_begin|>`, `<|tool_call_end|>`).
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
    /// Extents of the tokens that are still in the buffer.
    extents: Vec<(u64, u64)>,
    /// Spellings that count only as tokens: those that the caller names, those that came as tokens, and their closers.
    spellings: Vec<String>,
}

impl Tokens {
    /// Adds a spelling that counts only as a token.
    pub(super) fn add(&mut self, spelling: &str) {
        if !spelling.is_empty() && !self.counts_only_as_one(spelling) {
            self.spellings.push(spelling.into());
        }
    }

    /// Adds the token that came at `at`. Its closer is a token, too: a vocabulary has both tokens of a bracket.
    pub(super) fn came(&mut self, spelling: &str, at: u64) {
        self.extents.push((at, at + spelling.len() as u64));
        if !self.counts_only_as_one(spelling) {
            self.add(spelling);
            closers(spelling, |closer| self.add(closer));
        }
    }

    pub(super) fn counts_only_as_one(&self, spelling: &str) -> bool {
        self.spellings.iter().any(|known| known == spelling)
    }

    /// Whether no token is in the held bytes.
    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// Forgets the tokens before `base`, which are emitted.
    pub(super) fn forget_before(&mut self, base: u64) {
        self.extents.retain(|&(_, end)| end > base);
    }

    /// Whether the byte at `at` came in a token.
    pub(super) fn is_at(&self, at: u64) -> bool {
        let holds = |&(start, end): &(u64, u64)| start <= at && at < end;
        self.extents.iter().any(holds)
    }

    /// Where a token starts or ends after `at`, before `end`; otherwise `end`.
    pub(super) fn next_edge(&self, at: u64, end: u64) -> u64 {
        let edges = self.extents.iter().flat_map(|&(start, end)| [start, end]);
        edges.filter(|&edge| edge > at).fold(end, u64::min)
    }

    /// Whether `bytes`, at `at`, contain in plain letters a spelling that counts only as a token.
    pub(crate) fn is_spelled(&self, bytes: &[u8], at: u64) -> bool {
        self.spellings.iter().any(|spelling| {
            let mut windows = bytes.windows(spelling.len()).enumerate();
            windows.any(|(n, window)| window == spelling.as_bytes() && !self.is_at(at + n as u64))
        })
    }
}

/// Visits the spellings that the closer of `opener` may have. A spelling that no dialect has does nothing.
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
