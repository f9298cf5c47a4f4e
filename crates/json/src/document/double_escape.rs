//! A document that was escaped once too often.

use alloc::string::String;

use crate::escape::{quoted, unescape};

/// The unescaped text, if `text` is JSON that was escaped as the inside of a string: `{\"a\": \"b\"}`.
///
/// A container is escaped if an escaped quote follows its opening brackets and all its quotes are escaped.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let trimmed = text.trim();
    if let Some(inside) = trimmed.strip_prefix("\\\"") {
        // A string.
        let inside = inside.trim_end_matches(['"', '\\']);
        let is_one = !inside.contains('"') || inside.contains("\\\\\"");
        return is_one.then(|| quoted(&unescape(&unescape(inside))));
    }
    let start = text.find(['{', '['])?;
    let before = text[..start].trim_matches(['\\', '"', ' ', '\n', 'n', 't']);
    let following = text[start + 1..].trim_start_matches(['{', '[', ' ', '\n', '\t', '\r']);
    let following = following.trim_start_matches("\\n");
    let following = following.trim_start_matches([' ', '\t']);
    if !before.is_empty() || !following.starts_with("\\\"") {
        return None;
    }
    let end = text.rfind(['}', ']']).map_or(text.len(), |n| n + 1);
    let inside = &text[start..end.max(start + 1)];
    let bytes = inside.as_bytes();
    let is_escaped = |at: usize| at > 0 && bytes[at - 1] == b'\\';
    let mut found = memchr::memchr_iter(b'"', bytes);
    found.all(is_escaped).then(|| unescape(inside).into_owned())
}
