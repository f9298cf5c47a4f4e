//! The bytes the machine can see: everything that no event accounts for yet.

use crate::Span;
use crate::program::Program;

/// A piece of the input, where the piece starts, and the program that reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) program: &'a Program,
    pub(crate) text: &'a str,
    pub(crate) base: u64,
    /// The message ends where the text does.
    pub(crate) eof: bool,
}

impl<'a> View<'a> {
    /// A piece that does not end the message.
    pub(crate) fn new(program: &'a Program, text: &'a str, base: u64) -> View<'a> {
        View {
            program,
            text,
            base,
            eof: false,
        }
    }

    pub(crate) fn end(&self) -> u64 {
        self.base + self.text.len() as u64
    }

    pub(crate) fn index(&self, pos: u64) -> usize {
        debug_assert!(
            pos >= self.base && pos <= self.end(),
            "{pos} is outside {}..{}",
            self.base,
            self.end()
        );
        (pos - self.base) as usize
    }

    pub(crate) fn byte(&self, pos: u64) -> Option<u8> {
        self.text.as_bytes().get(self.index(pos)).copied()
    }

    /// The first character boundary from `pos` on, or the end.
    pub(crate) fn boundary(&self, pos: u64) -> u64 {
        let at = self.index(pos.min(self.end()));
        let end = (at..self.text.len()).find(|&at| self.text.is_char_boundary(at));
        self.base + end.unwrap_or(self.text.len()) as u64
    }

    /// Where the character that contains the byte at `pos` starts.
    pub(crate) fn char_start(&self, pos: u64) -> u64 {
        debug_assert!(pos >= self.base, "{pos} is before {}", self.base);
        let starts = (0..=self.index(pos.max(self.base))).rev();
        let start = { starts }.find(|&at| self.text.is_char_boundary(at));
        self.base + start.unwrap_or(0) as u64
    }

    /// The text between two positions, which are character boundaries.
    pub(crate) fn slice(&self, start: u64, end: u64) -> &'a str {
        let (start, end) = (self.index(start), self.index(end));
        debug_assert!(self.text.get(start..end).is_some(), "{start}..{end}");
        self.text.get(start..end).unwrap_or("")
    }

    /// The text of a span, whose ends are character boundaries.
    pub(crate) fn at(&self, span: Span) -> &'a str {
        self.slice(span.start, span.end)
    }

    pub(crate) fn bytes(&self, start: u64, end: u64) -> &'a [u8] {
        self.text
            .as_bytes()
            .get(self.index(start)..self.index(end))
            .unwrap_or(&[])
    }

    /// The bytes from `pos` on.
    pub(crate) fn from(&self, pos: u64) -> &'a [u8] {
        self.text.as_bytes().get(self.index(pos)..).unwrap_or(&[])
    }
}
