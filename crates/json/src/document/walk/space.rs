//! Blanks, comments, ellipses, and the quotes there are.

use super::Walk;
use crate::repair::Repair;
use crate::scan::{odd_blank, plain, plain_single};

/// Quotes that can close one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// `"`
    Double,
    /// `'`
    Single,
    /// `“ ”`, closed by `"` as well.
    DoubleLike,
    /// `‘ ’`, a backtick and an acute accent, closed by `'` as well.
    SingleLike,
}

impl Quotes {
    /// The quotes that a string beginning with the quote at `at` has, and how many bytes that quote is.
    pub fn at(bytes: &[u8], at: usize) -> Option<(Quotes, usize)> {
        match *bytes.get(at)? {
            b'"' => Some((Quotes::Double, 1)),
            b'\'' => Some((Quotes::Single, 1)),
            b'`' => Some((Quotes::SingleLike, 1)),
            0xc2 if bytes.get(at + 1) == Some(&0xb4) => Some((Quotes::SingleLike, 2)),
            0xe2 if bytes.get(at + 1) == Some(&0x80) => match bytes.get(at + 2)? {
                0x98 | 0x99 => Some((Quotes::SingleLike, 3)),
                0x9c | 0x9d => Some((Quotes::DoubleLike, 3)),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many bytes the quote at `at` has, if it can close such a string.
    pub fn close(self, bytes: &[u8], at: usize) -> Option<usize> {
        let (mark, length) = Quotes::at(bytes, at)?;
        let closes = match self {
            Quotes::Double | Quotes::Single => mark == self,
            Quotes::DoubleLike => matches!(mark, Quotes::Double | Quotes::DoubleLike),
            Quotes::SingleLike => matches!(mark, Quotes::Single | Quotes::SingleLike),
        };
        closes.then_some(length)
    }

    /// Whether strings with these quotes are found by one byte.
    pub(super) fn is_ascii(self) -> bool {
        matches!(self, Quotes::Double | Quotes::Single)
    }

    /// The next byte at or after `at` that is such a quote, or none that stands in a JSON string as it is.
    #[inline]
    pub(super) fn find_plain(self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(at..).unwrap_or_default();
        at + if self == Quotes::Single {
            plain_single(rest)
        } else {
            plain(rest)
        }
    }

    /// The next byte at or after `at` that may start a quote of this kind, or a backslash.
    pub(super) fn find(self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = match self {
            Quotes::Double => memchr::memchr2(b'"', b'\\', rest),
            Quotes::Single => memchr::memchr2(b'\'', b'\\', rest),
            Quotes::DoubleLike => memchr::memchr3(b'"', b'\\', 0xe2, rest),
            Quotes::SingleLike => rest
                .iter()
                .position(|b| matches!(b, b'\'' | b'`' | b'\\' | 0xc2 | 0xe2)),
        };
        at + found.unwrap_or(rest.len())
    }
}

/// The bytes that blanks and comments start with, those too that JSON does not know.
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

    /// Where the comment at `at` ends, if one starts there.
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

    /// After blanks and comments from `at` on, without reading them.
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

    /// Leaves out three dots (or the one character for them) and a comma after them.
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
