//! The brackets that a string opened and did not close.
//!
//! A line of code that ends in `}` opened this bracket too; a path that ends in `}` lost its quote: `"path": "app.js}`.
//! A `"key":` at the start of a line belongs to a bracket that opened before it, or to the object around the string.

use super::piece::Piece;
use super::{HELD, Transducer};

/// How many brackets a string has opened and not closed. Only the string's first bytes are counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    n_open: i32,
    /// How many quotes the string has inside, escaped quotes included.
    n_quotes: usize,
    /// Offsets of the first byte not counted yet, and of the first byte that is never counted.
    to: u64,
    end: u64,
}

impl Balance {
    /// Starts a string whose first byte is at `at`.
    #[inline]
    pub(super) fn start(&mut self, at: u64) {
        let end = at + HELD as u64;
        (self.n_open, self.n_quotes, self.to, self.end) = (0, 0, at, end);
    }

    /// Stops the count: another string continues this one.
    pub(super) fn give_up(&mut self) {
        (self.n_open, self.n_quotes, self.to) = (0, 0, u64::MAX);
    }

    /// Counts bytes of the string, from offset `at` on. Skips bytes that were counted already.
    #[inline]
    pub(super) fn count(&mut self, bytes: &[u8], at: u64) {
        if !bytes.is_empty() && self.to < self.end && at + bytes.len() as u64 > self.to {
            self.count_on(bytes, at);
        }
    }

    fn count_on(&mut self, bytes: &[u8], at: u64) {
        let start = self.to.saturating_sub(at) as usize;
        let end = bytes.len().min(self.end.saturating_sub(at) as usize);
        let new = bytes.get(start..end).unwrap_or_default();
        for chunk in new.chunks(CHUNK) {
            let (n_open, n_quotes) = chunk.iter().copied().fold((0, 0), add);
            self.n_open += i32::from(n_open);
            self.n_quotes += usize::from(n_quotes);
        }
        self.to = at + bytes.len() as u64;
    }

    /// Whether the string is short, and has closed all brackets that it opened.
    pub(super) fn is_even(&self) -> bool {
        self.n_open <= 0 && self.to <= self.end
    }

    /// Whether the string is short, and has an odd number of quotes inside.
    pub(super) fn has_odd_quote(&self) -> bool {
        self.n_quotes % 2 == 1 && self.to <= self.end
    }

    /// Whether at most two bytes of the string are before `at`.
    pub(super) fn is_near_start(&self, at: u64) -> bool {
        at + HELD as u64 <= self.end + 2
    }

    /// Whether a bracket of the string is open, in the bytes counted.
    pub(super) fn is_open(&self) -> bool {
        self.n_open > 0
    }
}

/// The chunk size of the count, in bytes. The sums of a chunk fit a byte, so that one instruction adds several.
const CHUNK: usize = 96;

/// Adds a byte: 1 for an opening bracket, -1 for a closing one, and 1 for a quote.
#[inline]
fn add((n_open, n_quotes): (i8, u8), byte: u8) -> (i8, u8) {
    // `{` and `[` differ in one bit, and so do their closers.
    let folded = byte | 0x20;
    let weight =
        i8::from(folded == b'{' || byte == b'(') - i8::from(folded == b'}' || byte == b')');
    (n_open + weight, n_quotes + u8::from(byte == b'"'))
}

impl Transducer {
    /// Counts the brackets of the string up to `at`, in the bytes of the piece.
    #[inline]
    pub(super) fn count_brackets(&mut self, at: u64, piece: &Piece<'_>) {
        let n_before = at.saturating_sub(piece.at) as usize;
        self.count(&piece.bytes()[..n_before], piece.at);
    }

    /// Counts bytes of the open string, from offset `at` on.
    #[inline]
    pub(super) fn count(&mut self, bytes: &[u8], at: u64) {
        // A Python call needs the last bytes for its keywords; other documents need the brackets.
        if self.context.python {
            self.string.last.see(bytes, at);
        } else {
            self.string.balance.count(bytes, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Balance, HELD, add};

    #[test]
    fn many_bytes_count_as_each_of_them_does() {
        let counted = |bytes: &[u8]| {
            let mut balance = Balance::default();
            balance.start(0);
            balance.count(bytes, 0);
            (balance.n_open, balance.n_quotes)
        };
        for length in [0, 1, 31, 32, 95, 96, 97, HELD] {
            for byte in 0..=u8::MAX {
                let bytes: Vec<u8> = (0..length)
                    .map(|n| if n % 3 == 0 { byte } else { b"{]()}[z"[n % 7] })
                    .collect();
                let ones = bytes.iter().map(|&byte| add((0, 0), byte));
                let each = ones.fold((0, 0), |(n_open, n_quotes), (one, quote)| {
                    (n_open + i32::from(one), n_quotes + usize::from(quote))
                });
                assert_eq!(counted(&bytes), each, "{byte} in {length}");
            }
        }
        assert_eq!(counted(&[b'{'; HELD]), (4096, 0));
        assert_eq!(counted(&[b')'; HELD]), (-4096, 0));
        assert_eq!(counted(&[b'"'; HELD]), (0, HELD));
    }
}
