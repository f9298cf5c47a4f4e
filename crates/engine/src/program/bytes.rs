//! Sets of bytes.

use core::iter::successors;

/// A set of bytes as 256 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

/// Within a line only these bytes change what is quoted: they belong to a fence, a span or a comment, or end the line.
pub(crate) const QUOTING: [u8; 3] = *b"`<\n";

impl ByteSet {
    pub(crate) const ALL: ByteSet = ByteSet([u64::MAX; 4]);
    /// A line break, perhaps after blanks.
    pub(crate) const LINE_END: ByteSet = ByteSet([1 << b'\n' | 1 << b'\r' | 1 << b' ', 0, 0, 0]);

    pub(crate) fn of(bytes: &[u8]) -> ByteSet {
        bytes.iter().fold(ByteSet::default(), |mut set, &byte| {
            set.insert(byte);
            set
        })
    }

    /// The bytes for which `is_one` holds.
    pub(super) fn matching(is_one: impl Fn(u8) -> bool) -> ByteSet {
        let mut set = ByteSet::default();
        let bytes = (0..=255).filter(|&byte| is_one(byte));
        bytes.for_each(|byte| set.insert(byte));
        set
    }

    pub(crate) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Inserts `byte`; `fold`: in either letter case.
    pub(crate) fn insert_folded(&mut self, byte: u8, fold: bool) {
        self.insert(byte);
        if fold {
            self.insert(byte.to_ascii_uppercase());
            self.insert(byte.to_ascii_lowercase());
        }
    }

    pub(crate) fn add(&mut self, other: &ByteSet) {
        (self.0.iter_mut().zip(other.0)).for_each(|(word, more)| *word |= more);
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub(crate) fn is_within(&self, other: &ByteSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn meets(&self, other: &ByteSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// The bytes, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        let some = |word: u64| (word != 0).then_some(word);
        let left = move |n: usize| successors(some(self.0[n]), move |word| some(word & (word - 1)));
        let byte = |n: usize, word: u64| (64 * n) as u8 + word.trailing_zeros() as u8;
        (0..4).flat_map(move |n| left(n).map(move |word| byte(n, word)))
    }
}

/// Finds the next byte of a set: with `memchr` for up to three bytes, with the set's table otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Finder {
    pub(crate) set: ByteSet,
    few: [u8; 3],
    n: u8,
}

/// For fewer bytes, eight at a time are faster than a wide search.
const SHORT: usize = 64;

impl Finder {
    pub(crate) fn new(set: ByteSet) -> Finder {
        let mut bytes = set.iter();
        let first = set.iter().next().unwrap_or(0);
        let few = core::array::from_fn(|_| bytes.next().unwrap_or(first));
        let n = set.iter().take(few.len() + 1).count() as u8;
        Finder { set, few, n }
    }

    /// Whether the set is too large for `memchr`.
    pub(crate) fn is_wide(&self) -> bool {
        usize::from(self.n) > self.few.len()
    }

    /// Whether these bytes contain a byte of the set.
    pub(crate) fn is_among(&self, bytes: &[u8]) -> bool {
        let [a, b, c] = self.few;
        match self.n {
            0 => false,
            1..=3 => {
                let is_one =
                    |byte: &u8| u8::from(*byte == a) | u8::from(*byte == b) | u8::from(*byte == c);
                bytes.iter().fold(0, |any, byte| any | is_one(byte)) != 0
            }
            _ => bytes.iter().any(|&byte| self.set.has(byte)),
        }
    }

    /// The position of the first byte of the set.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let [a, b, c] = self.few;
        match self.n {
            0 => None,
            1 if bytes.len() < SHORT => self.find_short([a], bytes),
            2 | 3 if bytes.len() < SHORT => self.find_short([a, b, c], bytes),
            1 => memchr::memchr(a, bytes),
            2 => memchr::memchr2(a, b, bytes),
            3 => memchr::memchr3(a, b, c, bytes),
            _ => bytes.iter().position(|&byte| self.set.has(byte)),
        }
    }

    /// Searches a short text for a few bytes.
    fn find_short<const N: usize>(&self, few: [u8; N], bytes: &[u8]) -> Option<usize> {
        const LOW: u64 = 0x0101_0101_0101_0101;
        let few = few.map(|byte| LOW * u64::from(byte));
        // The high bit of the lowest match, and perhaps bits of bytes above it.
        let found = |chunk: [u8; 8]| {
            let word = u64::from_le_bytes(chunk);
            let zeros = |same: u64| same.wrapping_sub(LOW) & !same;
            let all = few.iter().fold(0, |all, one| all | zeros(word ^ one));
            all & (LOW << 7)
        };
        let mut at = 0;
        while let Some(&chunk) = bytes.get(at..)?.first_chunk() {
            match found(chunk) {
                0 => at += 8,
                bits => return Some(at + (bits.trailing_zeros() / 8) as usize),
            }
        }
        let rest = bytes[at..].iter().position(|&byte| self.set.has(byte))?;
        Some(at + rest)
    }
}

/// Finds where a literal may start, by the sets of its first three bytes. Where the bytes end earlier, it may start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prefilter {
    pub(super) first: Finder,
    pub(super) following: [ByteSet; 2],
}

impl Prefilter {
    /// The first such position, `at` or later.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            at += self.first.find(&bytes[at..])?;
            let next = bytes[at + 1..].iter().zip(&self.following);
            if next.fold(true, |fits, (&byte, set)| fits & set.has(byte)) {
                return Some(at);
            }
            at += 1;
        }
    }
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
