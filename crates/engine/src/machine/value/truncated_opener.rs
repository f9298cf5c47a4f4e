//! The first bytes of a value before which a marker may be left out: what misses that marker by one byte is no text that
//! the model meant.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// The first bytes, as many as the marker has and one more.
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
        let missing = self.marker.len() + 1 - self.bytes.len();
        self.bytes.extend(bytes.iter().take(missing));
    }

    /// Whether they begin with the marker but for one byte: that is missing, doubled or another one.
    pub(super) fn misses_by_one(&self) -> bool {
        let (marker, bytes) = (&*self.marker, &*self.bytes);
        let both = marker.iter().zip(bytes);
        let same = both.take_while(|(wanted, byte)| wanted == byte).count();
        if same == marker.len() {
            return false;
        }
        let begins =
            |at: usize, rest: &[u8]| bytes.get(at..).is_some_and(|have| have.starts_with(rest));
        let (rest, after) = (&marker[same..], &marker[same + 1..]);
        begins(same, after) || begins(same + 1, after) || begins(same + 1, rest)
    }
}
