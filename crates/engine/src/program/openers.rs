//! Where in plain text an opener can begin: the question asked of every byte outside calls.
//!
//! An opener counts with its second byte, so that the letters some openers begin with do not stop the search at every word.
//! And it is searched for by its first pair of bytes that prose is not made of:
//!
//! ```text
//!   Action:      <tool_call>      to=      call:
//!        ^^      ^^                ^^         ^^      what the search looks for
//!   ^            ^                ^        ^          where it stops, if the pair there begins an opener, too
//! ```
//!
//! Keys that begin with up to three different bytes are searched for by `memchr`; more by a table of pairs, sixteen bytes
//! a step.

use alloc::boxed::Box;

use super::bytes::{ByteSet, Finder, QUOTING};
use super::node::Node;
use super::ways::Opener;

/// The begins of all openers that may stand somewhere, and what they are searched for by.
#[derive(Clone, Debug)]
pub(crate) struct Openers {
    first: ByteSet,
    /// For each byte whether it is one of those, and whether it changes what is quoted.
    kinds: Box<[u8; 256]>,
    /// The first two bytes.
    starts: Pairs,
    keys: Pairs,
    /// The first bytes of the keys.
    finder: Finder,
    /// How far behind its opener's begin a key stands at most.
    reach: usize,
}

/// Pairs looked at in one step.
const STEP: usize = 16;

/// How far behind an opener's begin its key may stand.
const REACH: usize = 6;

impl Openers {
    /// A byte that an opener begins with.
    pub(crate) const STARTS: u8 = 1;
    /// A byte that changes what is quoted.
    pub(crate) const QUOTES: u8 = 2;

    /// Those of `openers`, and all that begins with one of `bodies`.
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

    /// An opener begins with `a` and one of `seconds`.
    fn start(&mut self, a: u8, seconds: &ByteSet) {
        self.first.insert(a);
        self.kinds[usize::from(a)] |= Openers::STARTS;
        self.starts.add(a, seconds);
    }

    /// Whether an opener can begin with `bytes`, as far as two of them tell.
    pub(crate) fn may_start(&self, bytes: &[u8]) -> bool {
        match bytes {
            [only] => self.first.has(*only),
            _ => bytes.get(..2).is_some_and(|pair| self.starts.has(pair)),
        }
    }

    /// Where the first place is that an opener, or one of `others`, can begin at. A first byte that is the last of all
    /// counts.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], others: &Finder) -> Option<usize> {
        let starts = |pair: &[u8]| self.starts.has(pair) || others.set.has(pair[0]);
        let mut from = 0;
        while let Some(key) = self.find_key(bytes, from, others) {
            // Nothing before `from` begins one.
            from = key.saturating_sub(self.reach).max(from);
            if let Some(at) = bytes[from..key + 2].windows(2).position(starts) {
                return Some(from + at);
            }
            from = key + 1;
        }
        // Of what begins here the key may be still to come.
        from = bytes.len().saturating_sub(self.reach + 1).max(from);
        let found = bytes[from..].windows(2).position(starts);
        found.map(|at| from + at).or_else(|| {
            let &last = bytes.last()?;
            (self.first.has(last) || others.set.has(last)).then(|| bytes.len() - 1)
        })
    }

    /// Where the first key, or one of `others`, stands, from `from` on.
    #[inline]
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

    /// What kinds of bytes are among these: [`BEGINS`](Openers::BEGINS), [`QUOTES`](Openers::QUOTES).
    #[inline]
    pub(crate) fn kinds(&self, bytes: &[u8]) -> u8 {
        let kinds = bytes.iter().map(|&byte| self.kinds[usize::from(byte)]);
        kinds.fold(0, |all, kind| all | kind)
    }

    /// How many of the last of a few bytes may begin an opener whose second byte is not here: none or one. `None` if an
    /// opener, or one of `others`, can begin before.
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

/// Where the pair begins that an opener is searched for by: the first that is not made of small letters and blanks, as most
/// of prose is.
fn key(opener: &[u8]) -> usize {
    let is_rare = |pair: &[u8]| {
        pair.iter()
            .any(|&byte| !byte.is_ascii_lowercase() && byte != b' ')
    };
    let mut pairs = opener.windows(2).take(REACH + 1);
    pairs.position(is_rare).unwrap_or(0)
}

/// Pairs of bytes: each first byte has a bit, and each second byte the bits of those it stands behind. Past sixty-four
/// first bytes two share one, and more pairs are found than there are.
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

    /// The bit of a pair, 0 if it is none.
    #[inline]
    fn shared(&self, pair: &[u8]) -> u64 {
        self.firsts[usize::from(pair[0])] & self.seconds[usize::from(pair[1])]
    }

    #[inline]
    fn has(&self, pair: &[u8]) -> bool {
        self.shared(pair) != 0
    }
}
