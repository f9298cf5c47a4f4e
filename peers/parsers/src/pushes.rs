//! A text cut into the pieces of a stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A text, its cuts, and the position up to which it has been returned.
///
/// Owned and cheap to copy, since one of the parsers needs a stream that borrows nothing.
#[derive(Clone)]
pub struct Pushes {
    text: Arc<str>,
    /// Ends of the pieces, ascending; the last is the end of the text.
    ends: Arc<[usize]>,
    given: Arc<AtomicUsize>,
}

impl Pushes {
    /// Pieces of at least `size` bytes that end between characters. A special token is a piece of its own, as a tokenizer
    /// delivers it.
    pub fn of_size(text: &str, size: usize, specials: &[&str]) -> Pushes {
        let mut tokens: Vec<(usize, usize)> = specials
            .iter()
            .flat_map(|special| {
                text.match_indices(special)
                    .map(|(at, found)| (at, at + found.len()))
            })
            .collect();
        tokens.sort_unstable();
        let mut ends = Vec::with_capacity(text.len() / size + 2 * tokens.len() + 1);
        let mut at = 0;
        for (begin, end) in tokens.into_iter().chain([(text.len(), text.len())]) {
            while at < begin {
                let mut next = (at + size).min(begin);
                while !text.is_char_boundary(next) {
                    next += 1;
                }
                ends.push(next);
                at = next;
            }
            if at < end {
                ends.push(end);
                at = end;
            }
        }
        Pushes::new(text, ends)
    }

    /// These pieces; a piece whose end splits a special token ends after the token.
    pub fn of_chunks(chunks: &[&str], specials: &[&str]) -> Pushes {
        let text = chunks.concat();
        let found = |special: &&str| -> Vec<(usize, usize)> {
            let places = text.match_indices(*special);
            places.map(|(at, found)| (at, at + found.len())).collect()
        };
        let tokens: Vec<(usize, usize)> = specials.iter().flat_map(found).collect();
        let mut ends = Vec::new();
        let mut end = 0;
        for chunk in chunks {
            end += chunk.len();
            let split = tokens
                .iter()
                .find(|&&(first, last)| first < end && end < last);
            let end = split.map_or(end, |&(_, last)| last);
            if end > ends.last().copied().unwrap_or(0) {
                ends.push(end);
            }
        }
        Pushes::new(&text, ends)
    }

    /// Two pieces.
    pub fn split_at(text: &str, at: usize) -> Pushes {
        Pushes::new(text, vec![at, text.len()])
    }

    fn new(text: &str, ends: Vec<usize>) -> Pushes {
        Pushes {
            text: text.into(),
            ends: ends.into(),
            given: Arc::default(),
        }
    }

    /// The number of bytes that the latest iteration over the pieces returned.
    pub fn given(&self) -> usize {
        self.given.load(Relaxed)
    }

    /// The pieces, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.given.store(0, Relaxed);
        (0..self.ends.len()).filter_map(|index| self.piece(index))
    }

    /// The piece at `index`.
    pub fn piece(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.given.store(end, Relaxed);
        Some(&self.text[start..end])
    }
}
