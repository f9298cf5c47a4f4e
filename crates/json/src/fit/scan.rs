//! Steps over text that passes.

use crate::scan::plain;

/// Below this many bytes eight a step beat a wide search.
const NEAR: usize = 16;

pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')
}

/// Where a string ends, its quote included; `escaped`: the first byte is after a backslash.
pub(super) fn string_end(bytes: &[u8], escaped: bool) -> Option<usize> {
    if !escaped {
        let near = plain(&bytes[..bytes.len().min(NEAR)]);
        if bytes.get(near) == Some(&b'"') {
            return Some(near + 1);
        }
    }
    let mut at = 0;
    loop {
        let mark = at + memchr::memchr(b'"', bytes.get(at..)?)?;
        if !ends_in_escape(&bytes[at..mark], escaped && at == 0) {
            return Some(mark + 1);
        }
        at = mark + 1;
    }
}

/// Whether the inside of a string ends in a lone backslash.
pub(super) fn ends_in_escape(bytes: &[u8], escaped: bool) -> bool {
    let slashes = bytes.iter().rev().take_while(|&&b| b == b'\\').count();
    let all = slashes == bytes.len() && escaped;
    (slashes + usize::from(all)) % 2 == 1
}

/// How far a value was read about which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnknownValue {
    /// Brackets that are open.
    pub(super) depth: usize,
    pub(super) in_string: bool,
    /// The next byte of the string is after a backslash.
    pub(super) escaped: bool,
}

impl UnknownValue {
    /// Reads on from `bytes[i]`; nothing is left of it where it ends.
    pub(super) fn read(mut self, bytes: &[u8], mut i: usize) -> (usize, Option<UnknownValue>) {
        while i < bytes.len() {
            if self.in_string {
                let end = string_end(&bytes[i..], self.escaped);
                self.escaped = end.is_none() && ends_in_escape(&bytes[i..], self.escaped);
                self.in_string = end.is_none();
                i = end.map_or(bytes.len(), |length| i + length);
                continue;
            }
            match bytes[i] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (i + 1, None);
                    }
                }
                _ => {}
            }
            i += 1;
        }
        (i, Some(self))
    }
}
