//! Steps over text that passes.

use super::State;
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

/// Reads on in a value about which nothing is known; no state where it ends.
pub(super) fn free(
    bytes: &[u8],
    mut i: usize,
    mut depth: usize,
    mut in_string: bool,
    mut escaped: bool,
) -> (usize, Option<State>) {
    while i < bytes.len() {
        if in_string {
            if let Some(length) = string_end(&bytes[i..], escaped) {
                i += length;
                (in_string, escaped) = (false, false);
            } else {
                escaped = ends_in_escape(&bytes[i..], escaped);
                i = bytes.len();
            }
            continue;
        }
        match bytes[i] {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return (i + 1, None);
                }
            }
            _ => {}
        }
        i += 1;
    }
    let state = State::Free {
        depth,
        in_string,
        escaped,
    };
    (i, Some(state))
}
