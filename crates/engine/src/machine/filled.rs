//! Literals whose holes were filled from captures: each is kept once, all in one buffer.

use alloc::vec::Vec;

use super::thread::Thread;
use crate::program::{Literal, Node, Program};

/// The filled literals of a candidate, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filled {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Filled {
    /// Clears all literals and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// The literal with this number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from..self.ends[number]]
    }

    /// The literal that a position is in.
    #[expect(clippy::inline_always, reason = "runs for each position at each byte")]
    #[inline(always)]
    pub(crate) fn literal<'a>(
        &'a self,
        program: &'a Program,
        thread: &Thread,
    ) -> Option<Literal<'a>> {
        let (bytes, fold, mark, next) = match program.node(thread.node) {
            Node::Literal {
                bytes,
                fold,
                mark,
                next,
            } => (&**bytes, *fold, *mark, *next),
            Node::Template { fold, next, .. } => (self.get(thread.instance), *fold, false, *next),
            _ => return None,
        };
        Some(Literal {
            bytes,
            fold,
            mark,
            next,
        })
    }

    /// Adds the literal that `pieces` make and returns its number; `None` if the literal is empty.
    pub(crate) fn add<'a>(&mut self, pieces: impl Iterator<Item = &'a [u8]>) -> Option<u32> {
        let from = self.bytes.len();
        pieces.for_each(|piece| self.bytes.extend(piece));
        if self.bytes.len() == from {
            return None;
        }
        let number = self.ends.len() as u32;
        let (before, new) = self.bytes.split_at(from);
        let mut start = 0;
        for (number, &end) in self.ends.iter().enumerate() {
            if before[start..end] == *new {
                self.bytes.truncate(from);
                return Some(number as u32);
            }
            start = end;
        }
        self.ends.push(self.bytes.len());
        Some(number)
    }
}
