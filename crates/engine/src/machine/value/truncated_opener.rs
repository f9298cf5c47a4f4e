//! The first bytes of a value whose leading marker may be left out. Bytes that almost are that marker are not text that
//! the model meant.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::program::{Fits, near};

/// The first bytes of the value: as many as the marker has, and two more.
#[derive(Debug)]
pub(super) struct TruncatedOpener {
    marker: Box<[u8]>,
    bytes: Vec<u8>,
}

impl TruncatedOpener {
    pub(super) fn new(marker: &[u8]) -> TruncatedOpener {
        TruncatedOpener {
            marker: marker.into(),
            bytes: Vec::new(),
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let missing = self.marker.len() + 2 - self.bytes.len();
        self.bytes.extend(bytes.iter().take(missing));
    }

    /// Whether the bytes start with the marker but for a few bytes.
    pub(super) fn is_near_marker(&self) -> bool {
        let (_, short) = self.marker.split_last().unwrap_or((&0, &[]));
        self.bytes.starts_with(short)
            || near(&self.marker, &self.bytes, (false, true)).0 == Fits::Whole
    }
}
