//! Splits a server's output into lines, one message each, from pieces of any size.

use super::trouble::Trouble;
use super::wire::{Heard, heard};

/// The received bytes that were not processed yet.
#[derive(Debug)]
pub struct Lines {
    bytes: Vec<u8>,
    /// The start of the first line that was not returned yet.
    begin: usize,
    /// The end of the part of that line without a line break.
    looked: usize,
    /// A longer line is not a message.
    limit: usize,
}

impl Lines {
    /// No bytes yet; a line has less than `limit` bytes.
    pub fn new(limit: usize) -> Lines {
        Lines {
            bytes: Vec::new(),
            begin: 0,
            looked: 0,
            limit,
        }
    }

    /// Appends received bytes.
    pub fn push(&mut self, piece: &[u8]) {
        if self.begin == self.bytes.len() {
            self.bytes.clear();
            (self.begin, self.looked) = (0, 0);
        } else if self.begin >= piece.len().max(self.bytes.len() - self.begin) {
            // The rest is moved at most as often as bytes are received.
            self.bytes.drain(..self.begin);
            (self.begin, self.looked) = (0, self.looked - self.begin);
        }
        self.bytes.extend_from_slice(piece);
    }

    /// The next nonempty line, once its end was received. Linear in all received bytes, for any sizes of the pieces.
    pub fn take(&mut self) -> Option<Heard> {
        loop {
            let Some(length) = memchr::memchr(b'\n', &self.bytes[self.looked..]) else {
                self.looked = self.bytes.len();
                let is_too_long = self.looked - self.begin >= self.limit;
                return is_too_long.then(|| self.too_long());
            };
            let end = self.looked + length;
            let line = self.bytes[self.begin..end].trim_ascii();
            if end - self.begin >= self.limit {
                return Some(self.too_long());
            }
            (self.begin, self.looked) = (end + 1, end + 1);
            if line.is_empty() {
                continue;
            }
            return Some(heard(line));
        }
    }

    fn too_long(&self) -> Heard {
        let limit = self.limit;
        let why = format!("wrote a line that is too long ({limit} bytes are the most)");
        Heard::Failed(Trouble::Odd(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]], limit: usize) -> Vec<Heard> {
        let mut lines = Lines::new(limit);
        let mut heard = Vec::new();
        for piece in pieces {
            lines.push(piece);
            while let Some(one) = lines.take() {
                let is_over = matches!(one, Heard::Failed(_));
                heard.push(one);
                if is_over {
                    return heard;
                }
            }
        }
        heard
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = b"{\"a\": 1}\n\n  \nlog: x\r\n[2]\n7\n\"s\"\n{\"b\":\n\xff\n{\"c\": 3}\nrest";
        let whole = all(&[text], 100);
        let message = |text: &str| Heard::Message(serde_json::from_str(text).expect(text));
        let noise = |text: &str| Heard::Noise(text.to_owned());
        let expected = [
            message("{\"a\": 1}"),
            noise("log: x"),
            message("[2]"),
            noise("7"),
            noise("\"s\""),
            noise("{\"b\":"),
            noise("\u{fffd}"),
            message("{\"c\": 3}"),
        ];
        assert_eq!(whole, expected);
        for size in 1..text.len() {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            assert_eq!(all(&pieces, 100), whole, "{size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_before_its_end() {
        for size in 1..30 {
            let heard = all(
                &b"{\"a\": 1}\n0123456789012345\n"
                    .chunks(size)
                    .collect::<Vec<_>>(),
                12,
            );
            assert_eq!(heard.len(), 2, "{size}: {heard:?}");
            assert!(matches!(heard[1], Heard::Failed(_)), "{size}: {heard:?}");
        }
    }
}
