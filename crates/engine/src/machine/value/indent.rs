//! A block of lines, without what stands before each of them.

use alloc::string::String;

use crate::grammar::Indent;

/// Leaves out what stands before the lines of a text that comes in pieces. Line breaks wait for the line after them: those
/// at the end are the block's, not the value's, unless a line of blanks alone is as long as what stands before a line.
#[derive(Debug)]
pub(super) struct Unindenter {
    indent: Indent,
    /// How many bytes stand before a line, once one has shown it.
    width: Option<usize>,
    /// How many of them were read on this line; `None` after them.
    read: Option<usize>,
    breaks: String,
    /// A line has fewer.
    pub(super) is_short: bool,
}

impl Unindenter {
    pub(super) fn new(indent: Indent) -> Unindenter {
        Unindenter {
            width: indent.width(),
            indent,
            read: Some(0),
            breaks: String::new(),
            is_short: false,
        }
    }

    /// Hands on the text of lines, with the place where each run of it stands. `piece` stands at `at`.
    pub(super) fn feed(&mut self, piece: &str, at: u64, mut write: impl FnMut(&str, u64)) {
        let mut rest = piece;
        while let Some(&byte) = rest.as_bytes().first() {
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
            if is_before && self.indent.goes_on(n, byte) {
                (self.read, rest) = (Some(n + 1), &rest[1..]);
                continue;
            }
            if is_before && matches!(byte, b'\n' | b'\r') {
                (self.read, rest) = (Some(0), &rest[1..]);
                self.breaks.push(char::from(byte));
                continue;
            }
            let width = *self.width.get_or_insert(n);
            self.is_short |= n < width || width == 0;
            write(&core::mem::take(&mut self.breaks), here);
            self.read = None;
        }
        // A line that is as long as what stands before lines, and no longer, is an empty one.
        if self.width.is_some() && self.read == self.width {
            write(&core::mem::take(&mut self.breaks), at + piece.len() as u64);
        }
    }
}
