//! JSON pointers (RFC 6901): how to build, display and resolve them.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;
use core::ops::Range;

use crate::reader::{elements, entries, string};
use crate::word::is_digits;

/// Appends a member's key to a pointer.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    if key.contains(['~', '/']) {
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(key);
    }
}

/// Appends an element's index to a pointer.
pub(crate) fn push_index(pointer: &mut String, index: usize) {
    // Writing to a `String` cannot fail.
    let _ = write!(pointer, "/{index}");
}

/// A pointer in the notation of people and models: `edits[0].search` for `/edits/0/search`; empty for the root.
///
/// ```
/// assert_eq!(toolglot_json::internal::place("/edits/0/a~1b"), "edits[0].a/b");
/// ```
pub fn place(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for segment in pointer.split('/').skip(1) {
        if is_digits(segment) && !out.is_empty() {
            let _ = write!(out, "[{segment}]");
            continue;
        }
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(&decoded(segment));
    }
    out
}

/// The range in `json`, a valid JSON text, of the value that `pointer` names. The range of a member starts at its
/// quoted key. The last member of a duplicate key counts.
///
/// If the value does not exist, returns the range of the innermost container on the way that exists.
///
/// Linear in the text for each segment.
///
/// ```
/// let json = r#"{"edits": [{"line": "x"}]}"#;
/// assert_eq!(&json[toolglot_json::internal::locate(json, "/edits/0/line")], r#""line": "x""#);
/// assert_eq!(&json[toolglot_json::internal::locate(json, "/edits/0/text")], r#"{"line": "x"}"#);
/// ```
pub fn locate(json: &str, pointer: &str) -> Range<usize> {
    let offset = |part: &str| part.as_ptr() as usize - json.as_ptr() as usize;
    let start = json.len() - json.trim_start().len();
    let mut found = start..json.trim_end().len().max(start);
    let mut value = found.clone();
    for segment in pointer.split('/').skip(1) {
        let text = &json[value.clone()];
        let segment = decoded(segment);
        let inner = if text.starts_with('{') {
            let named = entries(text, '{').map_while(|member| Some((string(member.0)?, member)));
            let named = named.filter(|(name, _)| *name == segment).last();
            named.map(|(_, member)| member)
        } else {
            let n = segment.parse::<usize>().ok();
            n.and_then(|n| elements(text).nth(n))
                .map(|element| (element, element))
        };
        let Some((first, inner)) = inner else {
            break;
        };
        value = offset(inner)..offset(inner) + inner.len();
        found = offset(first)..value.end;
    }
    found
}

fn decoded(segment: &str) -> Cow<'_, str> {
    if segment.contains('~') {
        Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_models_write_them() {
        for (pointer, shown) in [
            ("", ""),
            ("/path", "path"),
            ("/edits/0/new text", "edits[0].new text"),
            ("/0/1", "0[1]"),
            ("/a~1b/~0", "a/b.~"),
        ] {
            assert_eq!(place(pointer), shown);
        }
    }

    #[test]
    fn values_are_found_with_their_keys() {
        let json = " {\"a\": [1, {\"b/c\": \"}\\\"\"}], \"a\\u0062\" : 2, \"x\": 1, \"x\": [ ]} ";
        for (pointer, want) in [
            ("", json.trim()),
            ("/a", "\"a\": [1, {\"b/c\": \"}\\\"\"}]"),
            ("/a/0", "1"),
            ("/a/1/b~1c", "\"b/c\": \"}\\\"\""),
            ("/ab", "\"a\\u0062\" : 2"),
            ("/x", "\"x\": [ ]"),
            ("/a/7", "\"a\": [1, {\"b/c\": \"}\\\"\"}]"),
            ("/nothing/here", json.trim()),
        ] {
            assert_eq!(&json[locate(json, pointer)], want, "{pointer}");
        }
    }
}
