//! Checks whether a text is JSON. A text that is JSON is not repaired.

use alloc::vec::Vec;

use crate::escape::hex4;
use crate::scan::{blanks_end, plain};
use crate::word::{is_json, is_scalar, word_length};

/// Whether `text` is one JSON value (RFC 8259), with white space allowed around it. `finite`: a number too large for an
/// `f64` is invalid. Linear; one byte of memory a level.
pub fn is_valid(text: &str, finite: bool) -> bool {
    let start = blanks_end(text.as_bytes(), 0);
    let last = text.trim_ascii_end().as_bytes().last();
    match text.as_bytes().get(start) {
        // A text that is cut off need not be read to its end.
        Some(b'{') if last != Some(&b'}') => return false,
        Some(b'[') if last != Some(&b']') => return false,
        _ => {}
    }
    let is_word = if finite { is_json } else { is_scalar };
    let end = end_of(text, start, is_word);
    end.is_some_and(|end| blanks_end(text.as_bytes(), end) == text.len())
}

/// The index after the JSON value that starts at `at`; `None` if no value starts there.
pub fn value_end(text: &str, at: usize) -> Option<usize> {
    end_of(text, at, is_scalar)
}

/// Like [`value_end`], where a word is a scalar if `is_word` holds.
fn end_of(text: &str, mut at: usize, is_word: fn(&str) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    // The closer of each open container.
    let mut open = Vec::new();
    loop {
        // A value is due.
        match bytes.get(at)? {
            bracket @ (b'{' | b'[') => {
                // The codes of `}` and `]` are two above the codes of their openers.
                let closer = bracket + 2;
                at = blanks_end(bytes, at + 1);
                if bytes.get(at) == Some(&closer) {
                    at += 1;
                } else {
                    open.push(closer);
                    at = element(bytes, at, closer)?;
                    continue;
                }
            }
            b'"' => at = string(bytes, at + 1)?,
            _ => {
                let length = word_length(&bytes[at..]);
                if !is_word(&text[at..at + length]) {
                    return None;
                }
                at += length;
            }
        }
        // A value ended.
        loop {
            let end = at;
            at = blanks_end(bytes, at);
            let Some(&closer) = open.last() else {
                return Some(end);
            };
            match bytes.get(at)? {
                b',' => {
                    at = element(bytes, blanks_end(bytes, at + 1), closer)?;
                    break;
                }
                byte if *byte == closer => at += 1,
                _ => return None,
            }
            open.pop();
        }
    }
}

/// Where the value of the member or element at `at` starts. The value of a member is after the key, colon and blanks.
/// `None` if the key or colon is missing.
#[inline]
fn element(bytes: &[u8], at: usize, closer: u8) -> Option<usize> {
    if closer == b']' {
        return Some(at);
    }
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let at = blanks_end(bytes, string(bytes, at + 1)?);
    (bytes.get(at) == Some(&b':')).then(|| blanks_end(bytes, at + 1))
}

/// The index after the string whose inside starts at `at`; `None` if the string is invalid.
#[inline]
pub fn string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += plain(&bytes[at..]);
        match bytes.get(at) {
            Some(b'"') => return Some(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => {
                    at += 6;
                    match hex4(bytes, at - 4)? {
                        0xd800..0xdc00 if bytes.get(at..at + 2) == Some(b"\\u") => {
                            if !(0xdc00..0xe000).contains(&hex4(bytes, at + 2)?) {
                                return None;
                            }
                            at += 6;
                        }
                        0xd800..0xe000 => return None,
                        _ => {}
                    }
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn json_is_distinguished_from_other_text() {
        for good in [
            "{}",
            " [ ] ",
            "1",
            "\"\"",
            "null",
            "[1,[2,{\"a\":[]}],\"\\ud83e\\udd80\"]",
            "{\"a\" : 1 , \"b\":{}}\n",
        ] {
            assert!(is_valid(good, true), "{good}");
        }
        for bad in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "1 2",
            "\"\n\"",
            "\"\\x\"",
            "\"\\ud83e\"",
            "[1}",
            "{\"a\"}",
            "01",
            "tru",
        ] {
            assert!(!is_valid(bad, false), "{bad}");
        }
        let huge = "[1e999]";
        assert!(is_valid(huge, false) && !is_valid(huge, true));
    }
}
