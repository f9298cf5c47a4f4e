//! Blanks, comments and ellipses.

use toolglot_json::Repair;
use toolglot_json::internal::odd_blank;

use super::Reader;

impl Reader<'_> {
    /// Copies blanks and omits comments.
    pub(super) fn space(&mut self) {
        loop {
            let at = self.i;
            if matches!(self.byte(0), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.i += 1;
                self.writer.blank(&self.text[at..self.i]);
            } else if let Some(length) = odd_blank(self.bytes, at) {
                self.i += length;
                self.writer.blank(" ");
                self.writer.note(Repair::OddBlank, at, self.i, " ");
            } else if let Some(end) = self.comment_end(at) {
                self.i = end;
                self.writer.note(Repair::Comment, at, end, "");
            } else {
                return;
            }
        }
    }

    /// Where the comment at `at` ends, if one starts there.
    fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let (closer, length) = if rest.starts_with("/*") {
            ("*/", 2)
        } else if rest.starts_with("//") {
            ("\n", 0)
        } else {
            return None;
        };
        let end = rest[2..].find(closer);
        Some(end.map_or(self.text.len(), |n| at + 2 + n + length))
    }

    /// The end of blanks and comments from `at` on; a line break is also an end.
    pub(super) fn past_line_space(&mut self, mut at: usize) -> usize {
        loop {
            if matches!(self.bytes.get(at), Some(b' ' | b'\t' | b'\r')) {
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

    /// Omits an ellipsis (three dots or the one character) and a comma after it.
    pub(super) fn ellipsis(&mut self) {
        self.space();
        let rest = &self.bytes[self.i..];
        if !rest.starts_with(b"...") && !rest.starts_with("…".as_bytes()) {
            return;
        }
        self.writer.note(Repair::Ellipsis, self.i, self.i + 3, "");
        self.i += 3;
        self.space();
        if self.byte(0) == Some(b',') {
            self.i += 1;
        }
    }
}
