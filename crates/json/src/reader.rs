//! Reads valid JSON text without building a value: members, elements, lengths.

use alloc::borrow::Cow;
use core::iter::from_fn;

use crate::escape::unescape;

/// A kind of JSON value, determined by the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{..}`
    Object,
    /// `[..]`
    Array,
    /// `".."`
    String,
    /// A number, `true`, `false` or `null`.
    Scalar,
}

/// The kind of the value at the start of `text`, after white space.
pub fn kind(text: &str) -> Kind {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        _ => Kind::Scalar,
    }
}

/// The decoded text of a JSON string, `None` for any other value.
pub fn string(text: &str) -> Option<Cow<'_, str>> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some(unescape(inside))
}

/// The members of a valid JSON object: decoded key and the text of the value. Ends early where `text` is not valid.
pub fn members(text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    entries(text, '{').map_while(|(key, value)| Some((string(key)?, value)))
}

/// The elements of a valid JSON array, as text.
pub fn elements(text: &str) -> impl Iterator<Item = &str> {
    entries(text, '[').map(|(_, value)| value)
}

/// The members of an object, or the elements of an array, that starts with `bracket`: key and value. The key is as
/// written, or empty in an array.
pub(crate) fn entries(text: &str, bracket: char) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text.trim_start().strip_prefix(bracket).unwrap_or("");
    from_fn(move || {
        let (mut key, value);
        (key, rest) = ("", rest.trim_start_matches([' ', '\t', '\n', '\r', ',']));
        if bracket == '{' {
            (key, rest) = split_value(rest)?;
            rest = rest.trim_start().strip_prefix(':')?.trim_start();
        }
        (value, rest) = split_value(rest)?;
        Some((key, value))
    })
}

/// The value at the start of `text`, and the rest.
fn split_value(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(extent(text))
        .filter(|(value, _)| !value.is_empty())
}

/// The length in bytes of the value at the start of `text`; 0 if there is no value. Iterative, linear.
pub(crate) fn extent(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'"') => 1 + string_end(&bytes[1..], false).unwrap_or(bytes.len() - 1),
        Some(b'{' | b'[') => UnknownValue::default().read(bytes, 0).0,
        _ => {
            let end = bytes.iter().position(|b| b",:]} \t\n\r\"{[".contains(b));
            end.unwrap_or(bytes.len())
        }
    }
}

/// The end of a string, after its quote; else `Err`: whether the byte after `bytes` is escaped. `escaped`: whether the
/// first byte is escaped.
pub(crate) fn string_end(bytes: &[u8], escaped: bool) -> Result<usize, bool> {
    let mut at = 0;
    loop {
        let length = memchr::memchr(b'"', &bytes[at..]);
        let inside = &bytes[at..length.map_or(bytes.len(), |length| at + length)];
        let slashes = inside.iter().rev().take_while(|&&b| b == b'\\').count();
        let is_started = escaped && at == 0 && slashes == inside.len();
        match (length, (slashes + usize::from(is_started)) % 2 == 1) {
            (None, is_escaped) => return Err(is_escaped),
            (Some(length), false) => return Ok(at + length + 1),
            (Some(length), true) => at += length + 1,
        }
    }
}

/// The reading state in a value of unknown shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnknownValue {
    /// The number of open brackets.
    pub(crate) depth: usize,
    pub(crate) in_string: bool,
    /// The next byte of the string is escaped.
    pub(crate) escaped: bool,
}

impl UnknownValue {
    /// Continues at `bytes[i]`. Returns the index after the last byte read, and the state; `None` if the value ended.
    pub(crate) fn read(mut self, bytes: &[u8], mut i: usize) -> (usize, Option<UnknownValue>) {
        while i < bytes.len() {
            if self.in_string {
                let end = string_end(&bytes[i..], self.escaped);
                (self.in_string, self.escaped) = (end.is_err(), end == Err(true));
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn members_and_elements_are_cut_exactly() {
        let text = r#" {"a": [1, {"b": "}"}], "c\n":"x\"y" ,"d":-1.5e3} "#;
        let found: Vec<_> = members(text)
            .map(|(key, value)| (key.into_owned(), value))
            .collect();
        assert_eq!(found[0], ("a".into(), r#"[1, {"b": "}"}]"#));
        assert_eq!(found[1], ("c\n".into(), r#""x\"y""#));
        assert_eq!(found[2], ("d".into(), "-1.5e3"));
        assert_eq!(
            elements(found[0].1).collect::<Vec<_>>(),
            ["1", r#"{"b": "}"}"#]
        );
        assert_eq!(elements("[]").count() + members("{}").count(), 0);
    }
}
