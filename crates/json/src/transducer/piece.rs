//! The piece of text that is being read.

use super::Output;

/// A piece of the input: how far it was read, and where what it says goes.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// Where its first byte stands in the input.
    pub(super) at: u64,
    /// The next byte.
    pub(super) i: usize,
    /// Bytes `[run, i)` go out as they stand; nothing is kept undecided while a run is open.
    pub(super) run: usize,
    /// Brackets before this place are data of the string they stand in.
    pub(super) settled: usize,
    pub(super) out: &'a mut Output,
}

impl<'a> Piece<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Where the next byte stands in the input.
    pub(super) fn here(&self) -> u64 {
        self.at + self.i as u64
    }

    /// The next character; nothing at the end.
    pub(super) fn character(&self) -> &'a str {
        let rest = &self.text[self.i..];
        let length = rest.chars().next().map_or(0, char::len_utf8);
        &rest[..length]
    }

    /// Writes the run.
    pub(super) fn flush(&mut self) {
        self.out.text.push_str(&self.text[self.run..self.i]);
        self.run = self.i;
    }

    /// Passes bytes that are not written as they stand; the run before them was.
    pub(super) fn skip(&mut self, length: usize) {
        self.i += length;
        self.run = self.i;
    }
}
