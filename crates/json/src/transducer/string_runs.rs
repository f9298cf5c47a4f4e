//! The fast path of strings between `"`: how far their content passes unchanged. Most of a long text is read here.
//!
//! Each block of bytes is scanned at once for escapes and brackets, which are checked one by one. Most escapes pass
//! with the byte after them, and most brackets cannot be structure.

use super::Transducer;
use crate::scan::{BLOCK, plain_data, stops};

/// For fewer bytes than this, a scan of words is faster than a scan of blocks.
const NEAR: usize = 16;

/// A string of fewer bytes is short.
const SHORT: usize = 64;

/// A byte that ends a run: a quote, or a control character.
const END: u8 = 1;
const BACKSLASH: u8 = 2;
/// A bracket that may be structure.
const BRACKET: u8 = 4;
/// A byte that, after a backslash, makes an escape of two bytes.
const ESCAPED: u8 = 8;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'"' => END | ESCAPED,
            0..=0x1f => END,
            b'\\' => BACKSLASH | ESCAPED,
            b']' | b'}' => BRACKET,
            b'/' | b'b' | b'f' | b'n' | b'r' | b't' => ESCAPED,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

impl Transducer {
    /// Returns the index of the first byte from `bytes[i]` on that may be more than data, and the new `settled`. Such a
    /// byte is a quote, a control character, a backslash that starts no escape of two bytes, or a bracket that may be
    /// structure. Bytes before `run` are ignored, and brackets before `settled` are data.
    #[expect(
        clippy::inline_always,
        reason = "a push of a few bytes is read here and nowhere else"
    )]
    #[inline(always)]
    pub(super) fn inside_end(
        &self,
        bytes: &[u8],
        (run, mut i): (usize, usize),
        mut settled: usize,
    ) -> (usize, usize) {
        // Most strings end soon.
        i += plain_data(&bytes[i..bytes.len().min(i + NEAR)]);
        loop {
            if bytes.len() - i >= BLOCK && bytes[i] != b'"' {
                i = self.blocks_end(bytes, (run, i), &mut settled);
            }
            match self.passing(bytes, (run, i), &mut settled) {
                0 => return (i, settled),
                length => i += length,
            }
            i += plain_data(&bytes[i..]);
        }
    }

    /// Does what [`inside_end`](Transducer::inside_end) does, by blocks, up to where less than a block is left.
    #[inline(never)]
    fn blocks_end(&self, bytes: &[u8], run: (usize, usize), settled: &mut usize) -> usize {
        let (run, mut i) = run;
        while let Some(block) = bytes[i..].first_chunk::<BLOCK>() {
            let mut stops = stops(block);
            let mut length = BLOCK;
            while stops != 0 {
                let n = stops.trailing_zeros() as usize % BLOCK;
                match self.passing(bytes, (run, i + n), settled) {
                    0 => return i + n,
                    1 => {}
                    passed => {
                        // The byte after the backslash passes too, even in the next block.
                        stops &= !(2 << n);
                        length = length.max(n + passed);
                    }
                }
                stops &= stops - 1;
            }
            i += length;
        }
        i
    }

    /// How many bytes pass at `bytes[i]`, which may be more than data.
    fn passing(&self, bytes: &[u8], (run, i): (usize, usize), settled: &mut usize) -> usize {
        let kind = |i: usize| bytes.get(i).map_or(END, |&byte| KINDS[usize::from(byte)]);
        match kind(i) & (END | BACKSLASH | BRACKET) {
            // An escape of two bytes.
            BACKSLASH if kind(i + 1) & ESCAPED != 0 && !self.string.is_raw => 2,
            BACKSLASH | END => 0,
            BRACKET if i >= *settled && self.may_be_tail(bytes.get(i + 1)) => {
                usize::from(self.settles(bytes, (run, i), settled))
            }
            _ => 1,
        }
    }

    /// Whether the bracket at `bytes[i]` and the rest of its run are data.
    #[inline(never)]
    fn settles(&self, bytes: &[u8], (run, i): (usize, usize), settled: &mut usize) -> bool {
        // The byte after the run most often cannot follow the end of a string. The run has no byte that `tail_starts`
        // would not take.
        let (takes_commas, mut has_comma) = (self.takes_commas(), false);
        let is_more = |&byte: &u8| {
            has_comma |= byte == b',' && takes_commas;
            !(matches!(byte, b']' | b'}' | b' ') || has_comma && matches!(byte, b',' | b'[' | b'{'))
        };
        let more = bytes[i..].iter().position(is_more);
        if let Some(length) = more
            && !self.may_be_tail(bytes.get(i + length))
        {
            *settled = i + length;
            return true;
        }
        let from = run.max(*settled);
        let (length, is_open) = self.tail_starts(&bytes[from..], i - from);
        // If a line ends in the run, the caller counts the brackets before the run.
        let is_data = !is_open && !bytes[i..i + length].contains(&b'\n');
        if is_data {
            *settled = i + length;
        }
        is_data
    }

    /// How many bytes at the start of `bytes` are inside a JSON string and pass unchanged.
    pub(super) fn plain_run(&self, bytes: &[u8]) -> usize {
        let (end, _) = self.inside_end(bytes, (0, 0), 0);
        end - self.pause(&bytes[..end])
    }
}

/// Whether the string whose content starts with `bytes` is short.
pub(super) fn ends_soon(bytes: &[u8]) -> bool {
    let near = plain_data(&bytes[..bytes.len().min(SHORT)]);
    bytes.get(near) == Some(&b'"')
}
