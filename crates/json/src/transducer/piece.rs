//! The piece of text that is being read.

use super::Output;

/// A piece of the input, how far it was read, and the output.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// Offset of the first byte of `text` in the input.
    pub(super) at: u64,
    /// Index of the next byte in `text`.
    pub(super) i: usize,
    /// Bytes `[run, i)` are written unchanged; no byte is held undecided while a run is open.
    pub(super) run: usize,
    /// Brackets before this index are data of their string.
    pub(super) settled: usize,
    pub(super) out: &'a mut Output,
}

impl<'a> Piece<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Offset of the next byte in the input.
    pub(super) fn here(&self) -> u64 {
        self.at + self.i as u64
    }

    /// The next character; empty at the end.
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

    /// Passes bytes that are not written unchanged; the run before them is written already.
    pub(super) fn skip(&mut self, length: usize) {
        self.i += length;
        self.run = self.i;
    }
}
