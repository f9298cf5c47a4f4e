//! Reads valid JSON text without building a value: members, elements, extents.

use alloc::borrow::Cow;

use crate::escape::unescape;

/// A kind of JSON value, told by its first byte.
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

/// The kind of the value that `text` starts with, white space aside.
pub fn kind(text: &str) -> Kind {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        _ => Kind::Scalar,
    }
}

/// The text of a JSON string, `None` for any other value.
pub fn string(text: &str) -> Option<Cow<'_, str>> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some(unescape(inside))
}

/// The members of a valid JSON object: decoded key and the value's text. Ends early where `text` is not valid.
pub fn members(text: &str) -> Members<'_> {
    Members {
        rest: text.trim_start().strip_prefix('{').unwrap_or(""),
    }
}

/// The elements of a valid JSON array, as text.
pub fn elements(text: &str) -> Elements<'_> {
    Elements {
        rest: text.trim_start().strip_prefix('[').unwrap_or(""),
    }
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    rest: &'a str,
}

impl<'a> Members<'a> {
    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        let (key, after) = split_value(text)?;
        let key = string(key)?;
        let (value, rest) = split_value(after.trim_start().strip_prefix(':')?.trim_start())?;
        self.rest = rest;
        Some((key, value))
    }
}

/// See [`elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        let (value, rest) = split_value(text)?;
        self.rest = rest;
        Some(value)
    }
}

/// The value at the start of `text`, and what follows it.
fn split_value(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(extent(text))
        .filter(|(value, _)| !value.is_empty())
}

/// How many bytes the value at the start of `text` has; 0 if there is none. Iterative, linear.
pub(crate) fn extent(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let rest = &bytes[at..];
                let end = rest.iter().position(|b| b",:]} \t\n\r\"{[".contains(b));
                at += end.unwrap_or(rest.len());
            }
        }
        if depth == 0 {
            return at;
        }
    }
    at
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
