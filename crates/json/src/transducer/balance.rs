//! The brackets that a string opened and did not close.
//!
//! A line of code that ends in `}` opened it, a path that does lost its mark: `"path": "app.js}`. And a `"key":` at the
//! begin of a line belongs to what opened before it, or to the object around the string.

use super::HELD;

/// How many brackets a string has opened and not closed. Only its first bytes are counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    n_open: i32,
    /// Where in the input the first byte stands that was not counted, and the first that is not.
    to: u64,
    end: u64,
}

impl Balance {
    /// A string begins, whose first byte stands at `at`.
    #[inline]
    pub(super) fn begin(&mut self, at: u64) {
        *self = Balance {
            n_open: 0,
            to: at,
            end: at + HELD as u64,
        };
    }

    /// What was counted says nothing: another string goes on with this one.
    pub(super) fn give_up(&mut self) {
        (self.n_open, self.to) = (0, u64::MAX);
    }

    /// Bytes of the string, the first of which stands at `at`. Those that were counted already are passed over.
    #[inline]
    pub(super) fn count(&mut self, bytes: &[u8], at: u64) {
        if !bytes.is_empty() && self.to < self.end && at + bytes.len() as u64 > self.to {
            self.count_on(bytes, at);
        }
    }

    fn count_on(&mut self, bytes: &[u8], at: u64) {
        let begin = self.to.saturating_sub(at) as usize;
        let end = bytes.len().min(self.end.saturating_sub(at) as usize);
        let (eights, rest) = bytes.get(begin..end).unwrap_or_default().as_chunks::<8>();
        self.n_open += eights.iter().map(|eight| weight_of(*eight)).sum::<i32>();
        self.n_open += rest.iter().map(|&byte| weight(byte)).sum::<i32>();
        self.to = at + bytes.len() as u64;
    }

    /// Whether the string is short, and has closed what it opened.
    pub(super) fn is_even(&self) -> bool {
        self.n_open <= 0 && self.to <= self.end
    }

    /// Whether a bracket of the string is open, as far as it was counted.
    pub(super) fn is_open(&self) -> bool {
        self.n_open > 0
    }
}

fn weight(byte: u8) -> i32 {
    // `{` and `[` differ in one bit, and so do their closers.
    let folded = byte | 0x20;
    i32::from(folded == b'{' || byte == b'(') - i32::from(folded == b'}' || byte == b')')
}

/// The weights of eight bytes together.
fn weight_of(eight: [u8; 8]) -> i32 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const REST: u64 = LOW * 0x7f;
    let word = u64::from_le_bytes(eight);
    // One bit for each byte that is another.
    let others = |word: u64, byte: u8| {
        let differs = word ^ (LOW * u64::from(byte));
        ((((differs & REST) + REST) | differs) >> 7) & LOW
    };
    let sum = |bits: u64| (bits.wrapping_mul(LOW) >> 56) as i32;
    let folded = word | (LOW * 0x20);
    let not_open = others(folded, b'{') + others(word, b'(');
    let not_closed = others(folded, b'}') + others(word, b')');
    sum(not_closed) - sum(not_open)
}

#[cfg(test)]
mod tests {
    use super::{weight, weight_of};

    #[test]
    fn eight_bytes_weigh_what_each_of_them_does() {
        for byte in 0..=u8::MAX {
            for n in 0..8 {
                let mut eight = *b"a{]()}[z";
                eight[n] = byte;
                assert_eq!(
                    weight_of(eight),
                    eight.iter().map(|&byte| weight(byte)).sum::<i32>(),
                    "{eight:?}"
                );
            }
        }
    }
}
