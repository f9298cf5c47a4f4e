//! The measured facts of an entry, which hold for all its calls.

use crate::program::NodeId;

/// Facts of an entry, and how far the lookahead read its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryFacts {
    /// Its bracket directly follows a word.
    pub(super) follows_word: bool,
    /// It is an item of a list in prose.
    pub(super) is_list_item: bool,
    /// It starts with a bracket, which contains its calls.
    pub(super) is_bracketed: bool,
    /// A block of code, or a long string, encloses it.
    pub(super) is_enclosed: bool,
    /// Calls of unknown tools precede its first call, or its list had ended before its last call.
    pub(super) is_in_broken_list: bool,
    /// Whether only the tool's name makes its first call a call. The same holds for its other calls.
    is_bare: Option<bool>,
    /// The body of its last Python call, if that call is bare.
    pub(super) bare_body: Option<NodeId>,
    /// How far the lookahead read the line of bare calls.
    pub(super) read_to: u64,
    /// Where the calls of the line end, if words follow them; else 0.
    pub(super) words_before: u64,
}

impl EntryFacts {
    /// The facts of an entry that starts with `first` after the text byte `last`; `last` is 0 without text before.
    pub(super) fn new(last: u8, first: u8) -> EntryFacts {
        let is_word = last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']');
        EntryFacts {
            follows_word: first == b'[' && is_word,
            is_bracketed: matches!(first, b'[' | b'('),
            ..EntryFacts::default()
        }
    }

    /// Reads the facts in `opener`, the entry's text up to its first call.
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

    /// Records a call of the entry; `is_bare`: only its name makes it a call. Returns `is_bare` of the first call.
    pub(super) fn is_bare(&mut self, is_bare: bool) -> bool {
        *self.is_bare.get_or_insert(is_bare)
    }
}
