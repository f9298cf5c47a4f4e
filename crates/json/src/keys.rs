//! The keys that the open objects have so far, as hashes in a stack.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// An object with more keys than this is searched by a set instead of linearly.
const FEW: usize = 24;

/// The initial capacity: an envelope and the arguments of most calls fit.
const ROOM: usize = 16;

/// The keys of all open objects, as hashes of 64 bits. The first object is open from the start.
///
/// Two keys with equal hashes look like one duplicate key.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Per object: where the keys of the outer object start (except in the first object), then the object's own keys.
    hashes: Vec<u64>,
    /// Where the keys of the innermost object start.
    from: usize,
    many: BTreeSet<(usize, u64)>,
}

impl Keys {
    /// An object starts.
    pub fn open(&mut self) {
        if self.hashes.is_empty() {
            self.hashes.reserve(ROOM);
        }
        self.hashes.push(self.from as u64);
        self.from = self.hashes.len();
    }

    /// The innermost object ends.
    pub fn close(&mut self) {
        let from = self.from;
        if self.hashes.len() - from > FEW {
            for &hash in &self.hashes[from..] {
                self.many.remove(&(from, hash));
            }
        }
        self.hashes.truncate(from);
        self.from = self.hashes.pop().unwrap_or(0) as usize;
    }

    /// Adds a key to the innermost object; `false` if the object has the key already.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) -> bool {
        let (from, hash) = (self.from, hash(key));
        let new = !self.has_hash(hash);
        if new {
            self.hashes.push(hash);
            let level = &self.hashes[from..];
            match level.len() {
                ..=FEW => {}
                n if n == FEW + 1 => self.many.extend(level.iter().map(|&hash| (from, hash))),
                _ => drop(self.many.insert((from, hash))),
            }
        }
        new
    }

    /// Whether the innermost object has this key so far.
    pub fn has(&self, key: &[u8]) -> bool {
        self.has_hash(hash(key))
    }

    #[inline]
    fn has_hash(&self, hash: u64) -> bool {
        let level = &self.hashes[self.from..];
        match level.len() {
            ..=FEW => level.contains(&hash),
            _ => self.many.contains(&(self.from, hash)),
        }
    }

    /// The keys of the innermost object alone, at most `FEW` of them.
    pub(crate) fn innermost(&self) -> Keys {
        let level = &self.hashes[self.from..];
        Keys {
            hashes: level[..level.len().min(FEW)].to_vec(),
            ..Keys::default()
        }
    }

    /// Forgets all keys, and keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.from = 0;
        self.many.clear();
    }
}

/// Eight bytes a step; the last step may overlap the step before.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = bytes.len() as u64 ^ K;
    let mut add = |word: u64| {
        h = (h ^ word).wrapping_mul(K);
        h ^= h >> 29;
    };
    if let Some(last) = bytes.last_chunk::<8>() {
        for chunk in bytes.chunks_exact(8) {
            add(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
        }
        add(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        add(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
    } else {
        let shift = |word, &byte: &u8| word << 8 | u64::from(byte);
        add(bytes.iter().fold(0, shift));
    }
    h ^ h >> 32
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::Keys;

    #[test]
    fn a_key_counts_in_its_own_object_only() {
        let mut keys = Keys::default();
        keys.open();
        assert!(keys.insert(b"a"));
        keys.open();
        assert!(keys.insert(b"a"));
        keys.close();
        assert!(!keys.insert(b"a"));
    }

    #[test]
    fn keys_of_any_length_that_differ_in_a_byte_are_two() {
        for length in 1..40 {
            for at in 0..length {
                let (plain, mut other) = (vec![b'a'; length], vec![b'a'; length]);
                other[at] = b'b';
                assert_ne!(super::hash(&plain), super::hash(&other), "{at} of {length}");
            }
        }
    }

    #[test]
    fn many_keys_are_kept_apart() {
        let mut keys = Keys::default();
        keys.open();
        for n in 0..1000u32 {
            assert!(keys.insert(&n.to_le_bytes()), "{n}");
        }
        for n in 0..1000u32 {
            assert!(!keys.insert(&n.to_le_bytes()), "{n}");
        }
    }
}
