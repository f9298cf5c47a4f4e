//! Blanks, comments, ellipses, and the quotation marks there are.

use super::Walk;
use crate::repair::Repair;
use crate::scan::{odd_blank, plain, plain_single};

/// Quotation marks that can close one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `“ ”`, closed by `"` as well.
    DoubleLike,
    /// `‘ ’`, a backtick and an acute accent, closed by `'` as well.
    SingleLike,
}

impl Marks {
    /// The marks that a string beginning with the mark at `at` has, and how many bytes that mark is.
    pub fn at(bytes: &[u8], at: usize) -> Option<(Marks, usize)> {
        match *bytes.get(at)? {
            b'"' => Some((Marks::Double, 1)),
            b'\'' => Some((Marks::Single, 1)),
            b'`' => Some((Marks::SingleLike, 1)),
            0xc2 if bytes.get(at + 1) == Some(&0xb4) => Some((Marks::SingleLike, 2)),
            0xe2 if bytes.get(at + 1) == Some(&0x80) => match bytes.get(at + 2)? {
                0x98 | 0x99 => Some((Marks::SingleLike, 3)),
                0x9c | 0x9d => Some((Marks::DoubleLike, 3)),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many bytes the mark at `at` has, if it can close such a string.
    pub fn close(self, bytes: &[u8], at: usize) -> Option<usize> {
        let (mark, length) = Marks::at(bytes, at)?;
        let closes = match self {
            Marks::Double | Marks::Single => mark == self,
            Marks::DoubleLike => matches!(mark, Marks::Double | Marks::DoubleLike),
            Marks::SingleLike => matches!(mark, Marks::Single | Marks::SingleLike),
        };
        closes.then_some(length)
    }

    /// Whether strings with these marks are found by one byte.
    pub(super) fn is_ascii(self) -> bool {
        matches!(self, Marks::Double | Marks::Single)
    }

    /// The next byte at or behind `at` that is such a mark, or none that stands in a JSON string as it is.
    #[inline]
    pub(super) fn find_plain(self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(at..).unwrap_or_default();
        at + if self == Marks::Single {
            plain_single(rest)
        } else {
            plain(rest)
        }
    }

    /// The next byte at or behind `at` that may begin a mark of this kind, or a backslash.
    pub(super) fn find(self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = match self {
            Marks::Double => memchr::memchr2(b'"', b'\\', rest),
            Marks::Single => memchr::memchr2(b'\'', b'\\', rest),
            Marks::DoubleLike => memchr::memchr3(b'"', b'\\', 0xe2, rest),
            Marks::SingleLike => rest
                .iter()
                .position(|b| matches!(b, b'\'' | b'`' | b'\\' | 0xc2 | 0xe2)),
        };
        at + found.unwrap_or(rest.len())
    }
}

/// The bytes that blanks and comments begin with, those too that JSON does not know.
const BEGINS_SPACE: [bool; 256] = {
    let mut begins = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        begins[byte] = matches!(
            byte as u8,
            b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'#' | b'<' | 0xc2 | 0xe1..=0xef
        );
        byte += 1;
    }
    begins
};

impl Walk<'_> {
    /// Copies blanks and leaves comments out.
    #[inline]
    pub(super) fn space(&mut self, line_breaks: bool) {
        if self.begins_space() {
            self.some_space(line_breaks);
        }
    }

    #[inline]
    fn begins_space(&self) -> bool {
        let begins = |&byte: &u8| BEGINS_SPACE[usize::from(byte)];
        self.bytes.get(self.i).is_some_and(begins)
    }

    fn some_space(&mut self, line_breaks: bool) {
        let from = self.i;
        if self.bytes[from] == b' ' {
            // Most runs are one space.
            self.i += 1;
            if !self.begins_space() {
                self.writer.blank(from, from + 1);
                return;
            }
        }
        if line_breaks {
            self.i = super::super::valid::blanks(self.bytes, self.i);
        } else {
            while let Some(b' ' | b'\t' | b'\r') = self.bytes.get(self.i) {
                self.i += 1;
            }
        }
        if self.i > from {
            self.writer.blank(from, self.i);
        }
        if self.begins_space() {
            self.odd_space(line_breaks);
        }
    }

    #[cold]
    fn odd_space(&mut self, line_breaks: bool) {
        loop {
            let at = self.i;
            if let Some(length) = odd_blank(self.bytes, at) {
                self.writer.blank_space();
                self.writer.note(Repair::OddBlank, at, at + length, " ");
                self.i += length;
            } else if let Some(end) = self.comment_end(at) {
                self.writer.note(Repair::Comment, at, end, "");
                self.i = end;
            } else if matches!(self.bytes.get(at), Some(b' ' | b'\t' | b'\r'))
                || line_breaks && self.bytes.get(at) == Some(&b'\n')
            {
                self.writer.blank(at, at + 1);
                self.i += 1;
            } else {
                return;
            }
        }
    }

    /// Where the comment at `at` ends, if one begins there.
    pub(super) fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        let line = || memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |n| at + n);
        match rest {
            [b'/', b'*', ..] => {
                let end = memchr::memmem::find(&rest[2..], b"*/");
                Some(end.map_or(self.bytes.len(), |n| at + 2 + n + 2))
            }
            [b'/', b'/', ..] => Some(line()),
            // `#fff` is a colour, `# text` a comment.
            [b'#', b' ' | b'\t' | b'#' | b'\n' | b'\r' | b'!', ..] | [b'#'] => Some(line()),
            [b'<', b'!', b'-', b'-', ..] => {
                let end = memchr::memmem::find(rest, b"-->");
                Some(end.map_or(self.bytes.len(), |n| at + n + 3))
            }
            _ => None,
        }
    }

    /// Behind blanks and comments from `at` on, without reading them.
    #[inline]
    pub(super) fn past_space(&mut self, at: usize) -> usize {
        let next = super::super::valid::blanks(self.bytes, at);
        match self.bytes.get(next) {
            Some(b'/' | b'#' | b'<' | 0xc2 | 0xe1..=0xef) => self.past_odd_space(next),
            _ => next,
        }
    }

    #[cold]
    fn past_odd_space(&mut self, mut at: usize) -> usize {
        loop {
            if matches!(self.bytes.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                at += 1;
            } else if let Some(length) = odd_blank(self.bytes, at) {
                at += length;
            } else if self.work < self.patience
                && let Some(end) = self.comment_end(at)
            {
                self.work += (end - at) as u64;
                at = end;
            } else {
                return at;
            }
        }
    }

    /// Leaves out three dots (or the one character for them) and a comma behind them.
    pub(super) fn ellipsis(&mut self) -> bool {
        self.space(true);
        let rest = &self.bytes[self.i..];
        let length = if rest.starts_with(b"...") || rest.starts_with("…".as_bytes()) {
            3
        } else {
            return false;
        };
        self.writer
            .note(Repair::Ellipsis, self.i, self.i + length, "");
        self.i += length;
        self.space(true);
        if self.byte(0) == Some(b',') {
            self.i += 1;
        }
        true
    }
}
