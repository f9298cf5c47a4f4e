//! Keywords inside a string of a Python call show that an argument before them lost its quote, or a call its bracket.
//!
//! ```text
//!   location='Paris, unit='celsius')              the quote after a keyword opens its value
//!   location='Rome')), f(location='Oslo')         the same after the bracket of another call
//!   location='Paris', unit'celsius')              the `=` after the keyword is missing
//! ```
//!
//! In a well-formed call no such quote is inside a string, since it would end the string. The swallowed text is emitted
//! already and stays text; the call is in doubt.

use alloc::vec::Vec;

use super::Transducer;
use super::groups::Inside;
use crate::scan::is_name_byte;
use crate::thresholds::RECENT;

/// What is known about the Python call being read.
#[derive(Clone, Debug, Default)]
pub(super) struct CallFacts {
    /// The arguments are in one object: `f({..})`.
    pub(super) is_wrapped: bool,
    /// The group being scanned.
    pub(super) group: Inside,
    /// Offset up to which all groups were scanned.
    pub(super) grouped_to: u64,
    /// Whether the quote that is read again starts a key, or a value without a key.
    pub(super) is_key: Option<bool>,
}

/// The last bytes of a string of a Python call, as the input has them.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentBytes {
    bytes: Vec<u8>,
    /// Offset of the first byte not seen yet.
    to: u64,
}

impl RecentBytes {
    /// Starts a string whose first byte is at `at`.
    #[inline]
    pub(super) fn start(&mut self, at: u64) {
        self.bytes.clear();
        self.to = at;
    }

    /// Adds bytes of the string, from offset `at` on. Skips bytes that were seen already.
    pub(super) fn see(&mut self, bytes: &[u8], at: u64) {
        let seen = self.to.saturating_sub(at) as usize;
        let Some(new) = bytes.get(seen..).filter(|new| !new.is_empty()) else {
            return;
        };
        self.to = at + bytes.len() as u64;
        if self.bytes.len() + new.len() > 2 * RECENT {
            let n_kept = RECENT.saturating_sub(new.len()).min(self.bytes.len());
            self.bytes.drain(..self.bytes.len() - n_kept);
        }
        self.bytes
            .extend(&new[new.len().saturating_sub(2 * RECENT)..]);
    }

    pub(super) fn ends_in_comma(&self) -> bool {
        self.bytes.ends_with(b",")
    }

    /// The last [`RECENT`] bytes in every cut, or all bytes of a shorter string.
    fn end(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(RECENT)..]
    }
}

impl Transducer {
    /// Whether a quote here, inside a string of a Python call, would open the value of a parameter.
    pub(super) fn is_after_keyword(&self) -> bool {
        let end = self.string.last.end().trim_ascii_end();
        let sign = end.strip_suffix(b"=");
        let word = sign.unwrap_or(end).trim_ascii_end();
        let n_name = word.iter().rev().take_while(|&&byte| is_name_byte(byte));
        let (before, name) = word.split_at(word.len() - n_name.count());
        let is_due = match before.trim_ascii_end().last() {
            Some(b',') => true,
            Some(b'(') => sign.is_some(),
            _ => false,
        };
        let is_same = |known: &alloc::string::String| known.as_bytes() == name;
        is_due && self.context.positions.iter().any(is_same)
    }
}
