//! Finds where an opener can start in plain text; it runs over every byte outside calls.
//!
//! An opener counts with its second byte, so that the letters some openers start with do not stop the search at every
//! word. The search looks for an opener's first pair of bytes that is rare in prose:
//!
//! ```text
//!   Action:      <tool_call>      to=      call:
//!        ^^      ^^                ^^         ^^      what the search looks for
//!   ^            ^                ^        ^          where it stops, if the pair there starts an opener, too
//! ```
//!
//! Keys with up to three different first bytes are found by `memchr`; more by a table of pairs, sixteen bytes a step.

use alloc::boxed::Box;

use super::bytes::{ByteSet, Finder, QUOTING};
use super::node::Node;
use super::ways::Opener;

/// The starts of all openers, and the pairs of bytes that they are searched for by.
#[derive(Clone, Debug)]
pub(crate) struct Openers {
    first: ByteSet,
    /// For each byte: `STARTS` if an opener starts with it, `QUOTES` if it changes what is quoted.
    kinds: Box<[u8; 256]>,
    /// The first two bytes.
    starts: Pairs,
    keys: Pairs,
    /// The first bytes of the keys.
    finder: Finder,
    /// The longest distance of a key from the start of its opener.
    reach: usize,
}

/// Pairs compared in one step.
const STEP: usize = 16;

/// Cap on the distance of a key from the start of its opener.
const REACH: usize = 6;

impl Openers {
    /// A byte that an opener starts with.
    pub(crate) const STARTS: u8 = 1;
    /// A byte that changes what is quoted.
    pub(crate) const QUOTES: u8 = 2;

    /// The starts of `openers`, and all texts that start with one of `bodies`.
    pub(super) fn new<'a>(
        nodes: &[Node],
        openers: impl Iterator<Item = &'a Opener>,
        bodies: &ByteSet,
    ) -> Openers {
        let mut all = Openers {
            first: ByteSet::default(),
            kinds: Box::new(core::array::from_fn(|byte| {
                u8::from(QUOTING.contains(&(byte as u8))) * Openers::QUOTES
            })),
            starts: Pairs::new(),
            keys: Pairs::new(),
            finder: Finder::default(),
            reach: 0,
        };
        let mut key_firsts = *bodies;
        for byte in bodies.iter() {
            all.start(byte, &ByteSet::ALL);
            all.keys.add(byte, &ByteSet::ALL);
        }
        for opener in openers {
            let seconds = opener.seconds(nodes);
            for first in opener.cases(0) {
                all.start(first, &seconds);
            }
            let key = key(&opener.bytes);
            let after = if key == 0 {
                seconds
            } else {
                ByteSet::of(&opener.cases(key + 1))
            };
            for first in opener.cases(key) {
                all.keys.add(first, &after);
                key_firsts.insert(first);
            }
            all.reach = all.reach.max(key);
        }
        all.finder = Finder::new(key_firsts);
        all
    }

    /// An opener starts with `a` and one of `seconds`.
    fn start(&mut self, a: u8, seconds: &ByteSet) {
        self.first.insert(a);
        self.kinds[usize::from(a)] |= Openers::STARTS;
        self.starts.add(a, seconds);
    }

    /// Whether an opener can start with `bytes`, by the first two.
    pub(crate) fn may_start(&self, bytes: &[u8]) -> bool {
        match bytes {
            [only] => self.first.has(*only),
            _ => bytes.get(..2).is_some_and(|pair| self.starts.has(pair)),
        }
    }

    /// The first position where an opener, or one of `others`, can start. A first byte at the end of `bytes` counts.
    pub(crate) fn find(&self, bytes: &[u8], others: &Finder) -> Option<usize> {
        let starts = |pair: &[u8]| self.starts.has(pair) || others.set.has(pair[0]);
        let mut from = 0;
        while let Some(key) = self.find_key(bytes, from, others) {
            // No opener starts before `from`.
            from = key.saturating_sub(self.reach).max(from);
            if let Some(at) = bytes[from..key + 2].windows(2).position(starts) {
                return Some(from + at);
            }
            from = key + 1;
        }
        // The key of an opener that starts here may not have come yet.
        from = bytes.len().saturating_sub(self.reach + 1).max(from);
        let found = bytes[from..].windows(2).position(starts);
        found.map(|at| from + at).or_else(|| {
            let &last = bytes.last()?;
            (self.first.has(last) || others.set.has(last)).then(|| bytes.len() - 1)
        })
    }

    /// The position of the first key, or of one of `others`, from `from` on.
    fn find_key(&self, bytes: &[u8], mut from: usize, others: &Finder) -> Option<usize> {
        let is_key = |pair: &[u8]| self.keys.has(pair) || others.set.has(pair[0]);
        if !self.finder.is_wide() && others.set.is_within(&self.finder.set) {
            loop {
                let at = from + self.finder.find(&bytes[from..])?;
                if is_key(bytes.get(at..at + 2)?) {
                    return Some(at);
                }
                from = at + 1;
            }
        }
        while let Some(piece) = bytes[from..].first_chunk::<{ STEP + 1 }>() {
            let pairs = piece.windows(2);
            let is_here = pairs.fold(0, |all, pair| all | self.keys.shared(pair)) != 0;
            if is_here || others.is_among(&piece[..STEP]) {
                break;
            }
            from += STEP;
        }
        let at = bytes[from..].windows(2).position(is_key)?;
        Some(from + at)
    }

    /// The kinds of bytes among these: [`STARTS`](Openers::STARTS), [`QUOTES`](Openers::QUOTES).
    pub(crate) fn kinds(&self, bytes: &[u8]) -> u8 {
        let kinds = bytes.iter().map(|&byte| self.kinds[usize::from(byte)]);
        kinds.fold(0, |all, kind| all | kind)
    }

    /// How many of the last bytes may start an opener whose second byte has not come: none or one. `None` if an opener,
    /// or one of `others`, can start before.
    #[inline(never)]
    pub(crate) fn open_end(&self, bytes: &[u8], others: &Finder) -> Option<usize> {
        let pairs = bytes.windows(2);
        let starts = pairs.fold(0, |all, pair| all | self.starts.shared(pair)) != 0;
        if starts || others.is_among(bytes) {
            return None;
        }
        let is_open = bytes.last().is_some_and(|&last| self.first.has(last));
        Some(usize::from(is_open))
    }
}

/// The position of an opener's key: its first pair that is not only small letters and blanks, as most of prose is.
fn key(opener: &[u8]) -> usize {
    let is_rare = |pair: &[u8]| {
        pair.iter()
            .any(|&byte| !byte.is_ascii_lowercase() && byte != b' ')
    };
    let mut pairs = opener.windows(2).take(REACH + 1);
    pairs.position(is_rare).unwrap_or(0)
}

/// Pairs of bytes: each first byte has a bit, and each second byte has the bits of those that it may follow. With more
/// than sixty-four first bytes, some share a bit, and more pairs match than were added.
#[derive(Clone, Debug)]
struct Pairs {
    firsts: Box<[u64; 256]>,
    seconds: Box<[u64; 256]>,
    n: u32,
}

impl Pairs {
    fn new() -> Pairs {
        Pairs {
            firsts: Box::new([0; 256]),
            seconds: Box::new([0; 256]),
            n: 0,
        }
    }

    fn add(&mut self, first: u8, seconds: &ByteSet) {
        let bit = &mut self.firsts[usize::from(first)];
        if *bit == 0 {
            *bit = 1 << (self.n % u64::BITS);
            self.n += 1;
        }
        for second in seconds.iter() {
            self.seconds[usize::from(second)] |= *bit;
        }
    }

    /// The bits that a pair shares, 0 if it was not added.
    fn shared(&self, pair: &[u8]) -> u64 {
        self.firsts[usize::from(pair[0])] & self.seconds[usize::from(pair[1])]
    }

    fn has(&self, pair: &[u8]) -> bool {
        self.shared(pair) != 0
    }
}
