//! What is measured of an entry: facts of all its calls.

use crate::program::NodeId;

/// Facts of an entry, and how far its line was read ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryFacts {
    /// Its bracket stands right after a word.
    pub(super) follows_word: bool,
    /// It is an item of a list in prose.
    pub(super) is_list_item: bool,
    /// It begins with a bracket, in which its calls stand.
    pub(super) is_bracketed: bool,
    /// A block of code, or a long string, encloses it.
    pub(super) is_enclosed: bool,
    /// Calls of no tool stand before its first one, or its list had ended before the last one.
    pub(super) is_in_broken_list: bool,
    /// Whether its first call has nothing but its name to say that it is one. All others are as that.
    is_bare: Option<bool>,
    /// The body of its last call of Python, if that is bare.
    pub(super) bare_body: Option<NodeId>,
    /// How far the line of bare calls was read ahead.
    pub(super) read_to: u64,
    /// Where the calls end that words follow on their line.
    pub(super) words_before: u64,
}

impl EntryFacts {
    /// Those of an entry that begins with `first`, after the byte `last` of text; 0 where no text stands before it.
    pub(super) fn new(last: u8, first: u8) -> EntryFacts {
        let is_word = last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']');
        EntryFacts {
            follows_word: first == b'[' && is_word,
            is_bracketed: matches!(first, b'[' | b'('),
            ..EntryFacts::default()
        }
    }

    /// What the entry's text up to its first call says.
    pub(super) fn read(&mut self, opener: &str) {
        let after_number = opener.trim_start_matches(|c: char| c.is_ascii_digit());
        let bullets = if after_number.len() < opener.len() {
            &[". ", ") "][..]
        } else {
            &["- ", "* ", "+ ", "\u{2022} "]
        };
        let is_bullet = |bullet: &&str| after_number.starts_with(*bullet);
        self.is_list_item = bullets.iter().any(is_bullet);
    }

    /// A call of the entry begins; `is_bare`: it has nothing but its name to say that it is one. Whether the entry's first
    /// call has no more.
    pub(super) fn is_bare(&mut self, is_bare: bool) -> bool {
        *self.is_bare.get_or_insert(is_bare)
    }
}
