//! Where in plain text an opener can begin: the question asked of every byte outside calls.
//!
//! An opener counts with its second byte, so that the letters some openers begin with do not stop the search at every word.
//! Up to three first bytes are searched for by `memchr`; more by a table of pairs, eight bytes a step.

use alloc::boxed::Box;

use super::bytes::{ByteSet, Finder, QUOTING};

/// The first two bytes of all openers.
#[derive(Clone, Debug)]
pub(crate) struct Openers {
    first: ByteSet,
    /// For each byte whether it is one of those, and whether it changes what is quoted.
    kinds: Box<[u8; 256]>,
    /// Behind each first byte, the second bytes of openers.
    seconds: Box<[ByteSet; 256]>,
    finder: Finder,
}

/// Pairs looked at in one step.
const STEP: usize = 8;

impl Openers {
    /// A byte that an opener begins with.
    pub(crate) const BEGINS: u8 = 1;
    /// A byte that changes what is quoted.
    pub(crate) const QUOTES: u8 = 2;

    pub(super) fn new() -> Openers {
        Openers {
            first: ByteSet::default(),
            kinds: Box::new(core::array::from_fn(|byte| {
                u8::from(QUOTING.contains(&(byte as u8))) * Openers::QUOTES
            })),
            seconds: Box::new([ByteSet::default(); 256]),
            finder: Finder::default(),
        }
    }

    /// An opener begins with `a` and one of `seconds`.
    pub(super) fn add(&mut self, a: u8, seconds: &ByteSet) {
        self.first.insert(a);
        self.kinds[usize::from(a)] |= Openers::BEGINS;
        self.seconds[usize::from(a)].add(seconds);
    }

    /// All openers were added.
    pub(super) fn seal(&mut self) {
        self.finder = Finder::new(self.first);
    }

    #[inline]
    fn has(&self, a: u8, b: u8) -> bool {
        self.seconds[usize::from(a)].has(b)
    }

    /// Whether an opener can begin with `bytes`, as far as two of them tell.
    pub(crate) fn may_begin(&self, bytes: &[u8]) -> bool {
        match bytes {
            [a, b, ..] => self.has(*a, *b),
            [a] => self.first.has(*a),
            [] => false,
        }
    }

    /// Where the first place is that an opener can begin at. A first byte that is the last of all counts.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        if self.finder.is_wide() {
            return self.search(bytes, |_| false);
        }
        let mut from = 0;
        loop {
            let at = from + self.finder.find(&bytes[from..])?;
            match bytes.get(at + 1) {
                Some(&b) if !self.has(bytes[at], b) => from = at + 1,
                _ => return Some(at),
            }
        }
    }

    /// The same, or the first byte of `others`.
    pub(crate) fn find_or(&self, bytes: &[u8], others: &ByteSet) -> Option<usize> {
        self.search(bytes, |a| others.has(a))
    }

    #[inline]
    fn search(&self, bytes: &[u8], other: impl Fn(u8) -> bool) -> Option<usize> {
        let begins = |pair: &[u8]| self.has(pair[0], pair[1]) | other(pair[0]);
        let mut from = 0;
        while let Some(piece) = bytes[from..].first_chunk::<{ STEP + 1 }>() {
            if piece.windows(2).fold(false, |any, pair| any | begins(pair)) {
                break;
            }
            from += STEP;
        }
        let found = bytes[from..].windows(2).position(begins);
        found.map(|at| from + at).or_else(|| {
            let &last = bytes.last()?;
            (self.first.has(last) || other(last)).then(|| bytes.len() - 1)
        })
    }

    /// What kinds of bytes are among these: [`BEGINS`](Openers::BEGINS), [`QUOTES`](Openers::QUOTES).
    #[inline]
    pub(crate) fn kinds(&self, bytes: &[u8]) -> u8 {
        let kinds = bytes.iter().map(|&byte| self.kinds[usize::from(byte)]);
        kinds.fold(0, |all, kind| all | kind)
    }

    /// How many of the last of a few bytes may begin an opener whose second byte is not here: none or one. `None` if an
    /// opener, or one of `others`, can begin before.
    #[inline]
    pub(crate) fn open_end(&self, bytes: &[u8], others: &ByteSet) -> Option<usize> {
        let begins = bytes
            .windows(2)
            .fold(false, |any, pair| any | self.has(pair[0], pair[1]));
        if begins || !others.is_empty() && bytes.iter().any(|&byte| others.has(byte)) {
            return None;
        }
        let is_open = bytes.last().is_some_and(|&last| self.first.has(last));
        Some(usize::from(is_open))
    }
}
