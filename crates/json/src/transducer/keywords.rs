//! Keywords inside a string of a Python call: evidence that an argument before them lost its quote, or a call its bracket.
//!
//! ```text
//!   location='Paris, unit='celsius')              the quote after a keyword opens its value
//!   location='Rome')), f(location='Oslo')         so it does after the bracket of another call
//!   location='Paris', unit'celsius')              the sign after the keyword is missing
//! ```
//!
//! In a call that is written well no quote stands there inside a string: it would have ended it.
//! What the string has swallowed was told already, so that it stays text; the call is in doubt.

use alloc::vec::Vec;

use super::Transducer;
use super::groups::Inside;
use super::quotes::is_name_byte;

/// Longest end of a string that is looked at, in bytes.
const END: usize = 96;

/// What is known of the Python call being read.
#[derive(Clone, Debug, Default)]
pub(super) struct CallFacts {
    /// Its arguments stand in one object: `f({..})`.
    pub(super) is_wrapped: bool,
    /// The group that is being looked at.
    pub(super) group: Inside,
    /// Up to where all groups were looked at.
    pub(super) grouped_to: u64,
    /// What the quote that is read again starts: a key, or a value without one.
    pub(super) is_key: Option<bool>,
}

/// The last bytes of a string of a Python call, as they stand in the input.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentBytes {
    bytes: Vec<u8>,
    /// Where in the input the first byte stands that was not seen.
    to: u64,
}

impl RecentBytes {
    /// A string starts, whose first byte stands at `at`.
    #[inline]
    pub(super) fn start(&mut self, at: u64) {
        self.bytes.clear();
        self.to = at;
    }

    /// Bytes of the string, the first of which stands at `at`. Those that were seen already are passed over.
    pub(super) fn see(&mut self, bytes: &[u8], at: u64) {
        let seen = self.to.saturating_sub(at) as usize;
        let Some(new) = bytes.get(seen..).filter(|new| !new.is_empty()) else {
            return;
        };
        self.to = at + bytes.len() as u64;
        if self.bytes.len() + new.len() > 2 * END {
            let n_kept = END.saturating_sub(new.len()).min(self.bytes.len());
            self.bytes.drain(..self.bytes.len() - n_kept);
        }
        self.bytes.extend(&new[new.len().saturating_sub(2 * END)..]);
    }

    pub(super) fn ends_in_comma(&self) -> bool {
        self.bytes.ends_with(b",")
    }

    /// The last of them, always as many.
    fn end(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(END)..]
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
        let is_it = |known: &alloc::string::String| known.as_bytes() == name;
        is_due && self.context.positions.iter().any(is_it)
    }
}
