//! Whether a text is JSON already. Nothing is repaired in one that is.

use alloc::vec::Vec;

use crate::escape::hex4;
use crate::scan::plain;
use crate::word::{is_scalar, stands, word_length};

/// Whether `text` is one JSON value (RFC 8259), white space around it allowed; `finite`: with no number that is beyond all.
/// Linear; one bit of memory a level.
pub fn is_valid(text: &str, finite: bool) -> bool {
    let begin = blanks(text.as_bytes(), 0);
    let last = text.trim_ascii_end().as_bytes().last();
    match text.as_bytes().get(begin) {
        // What is cut off need not be read to its end.
        Some(b'{') if last != Some(&b'}') => return false,
        Some(b'[') if last != Some(&b']') => return false,
        _ => {}
    }
    let end = if finite {
        end_of(text, begin, stands)
    } else {
        value_end(text, begin)
    };
    end.is_some_and(|end| blanks(text.as_bytes(), end) == text.len())
}

/// After the JSON value that starts at `at`; `None` if none does.
pub fn value_end(text: &str, at: usize) -> Option<usize> {
    end_of(text, at, is_scalar)
}

/// The same, where the words for which `is_word` holds are the scalars.
fn end_of(text: &str, mut at: usize, is_word: impl Fn(&str) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = Levels::default();
    loop {
        // A value is due.
        match bytes.get(at) {
            Some(b'{') => {
                at = blanks(bytes, at + 1);
                if bytes.get(at) == Some(&b'}') {
                    at += 1;
                } else {
                    open.push(true);
                    at = key(bytes, at)?;
                    continue;
                }
            }
            Some(b'[') => {
                at = blanks(bytes, at + 1);
                if bytes.get(at) == Some(&b']') {
                    at += 1;
                } else {
                    open.push(false);
                    continue;
                }
            }
            Some(b'"') => at = string(bytes, at + 1)?,
            Some(_) => {
                let length = word_length(&bytes[at..]);
                if !is_word(&text[at..at + length]) {
                    return None;
                }
                at += length;
            }
            None => return None,
        }
        // A value ended.
        loop {
            let end = at;
            at = blanks(bytes, at);
            let Some(in_object) = open.last() else {
                return Some(end);
            };
            match bytes.get(at) {
                Some(b',') => {
                    at = blanks(bytes, at + 1);
                    if in_object {
                        at = key(bytes, at)?;
                    }
                    break;
                }
                Some(b'}') if in_object => at += 1,
                Some(b']') if !in_object => at += 1,
                _ => return None,
            }
            open.pop();
        }
    }
}

/// After the key, its colon and the blanks; `None` if there is none.
#[inline]
fn key(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let at = blanks(bytes, string(bytes, at + 1)?);
    (bytes.get(at) == Some(&b':')).then(|| blanks(bytes, at + 1))
}

/// After the string whose inside starts at `at`.
#[inline]
pub fn string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += plain(&bytes[at..]);
        match bytes.get(at) {
            Some(b'"') => return Some(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => {
                    let code = hex4(bytes, at + 2)?;
                    at += 6;
                    if (0xdc00..0xe000).contains(&code) {
                        return None;
                    }
                    if (0xd800..0xdc00).contains(&code) {
                        let is_escape = bytes.get(at..at + 2) == Some(b"\\u");
                        if !is_escape || !(0xdc00..0xe000).contains(&hex4(bytes, at + 2)?) {
                            return None;
                        }
                        at += 6;
                    }
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

#[inline]
pub fn blanks(bytes: &[u8], at: usize) -> usize {
    at + crate::scan::blanks(bytes.get(at..).unwrap_or_default())
}

/// Open containers, a bit each: whether it is an object.
#[derive(Default)]
struct Levels {
    words: Vec<u64>,
    depth: usize,
}

impl Levels {
    #[inline]
    fn push(&mut self, is_object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(is_object) << bit;
        self.depth += 1;
    }

    #[inline]
    fn last(&self) -> Option<bool> {
        let at = self.depth.checked_sub(1)?;
        Some(self.words[at / 64] >> (at % 64) & 1 == 1)
    }

    #[inline]
    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn json_is_told_from_what_is_not() {
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
        let beyond = "[1e999]";
        assert!(is_valid(beyond, false) && !is_valid(beyond, true));
    }
}
