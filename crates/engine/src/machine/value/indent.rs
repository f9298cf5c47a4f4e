//! A block of lines, without its indentation.

use alloc::string::String;

use crate::grammar::Indent;

/// Removes the indentation of a text that comes in pieces. Line breaks are held until the next line. At the end they
/// belong to the block and not to the value, unless a blank line there is as long as the indentation.
#[derive(Debug)]
pub(super) struct Unindenter {
    indent: Indent,
    /// Length of the indentation in bytes, once a line has it.
    width: Option<usize>,
    /// Length of the sign before each line, without the blanks after it: a line of these bytes is empty.
    sign: usize,
    /// Bytes of indentation that were read on this line; `None` after the indentation.
    read: Option<usize>,
    /// Line breaks that are held.
    breaks: String,
    /// A line has less indentation, or the block has none.
    pub(super) is_short: bool,
}

impl Unindenter {
    pub(super) fn new(indent: Indent) -> Unindenter {
        Unindenter {
            width: indent.width(),
            sign: indent.written().trim_end().len(),
            indent,
            read: Some(0),
            breaks: String::new(),
            is_short: false,
        }
    }

    /// Writes the text of lines, each run with its position. `piece` is at `at`.
    pub(super) fn feed(&mut self, piece: &str, at: u64, mut write: impl FnMut(&str, u64)) {
        let mut rest = piece;
        while let Some(c) = rest.chars().next() {
            let here = at + (piece.len() - rest.len()) as u64;
            let Some(n) = self.read else {
                let end = rest.find('\n').unwrap_or(rest.len());
                write(&rest[..end], here);
                rest = &rest[end..];
                if !rest.is_empty() {
                    (self.read, rest) = (Some(0), &rest[1..]);
                    self.breaks.push('\n');
                }
                continue;
            };
            let is_before = self.width != Some(n);
            if is_before && self.indent.continues(n, c) {
                (self.read, rest) = (Some(n + c.len_utf8()), &rest[c.len_utf8()..]);
                continue;
            }
            if is_before && matches!(c, '\n' | '\r') {
                (self.read, rest) = (Some(0), &rest[1..]);
                self.breaks.push(c);
                continue;
            }
            let width = *self.width.get_or_insert(n);
            self.is_short |= n < width || width == 0;
            write(&core::mem::take(&mut self.breaks), here);
            self.read = None;
        }
        // A line of indentation alone is empty.
        let is_line = |n| self.width == Some(n) || self.sign > 0 && n >= self.sign;
        if self.read.is_some_and(is_line) {
            write(&core::mem::take(&mut self.breaks), at + piece.len() as u64);
        }
    }
}
