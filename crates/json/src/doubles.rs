//! Duplicate keys: the last member counts, as in many readers of JSON (RFC 8259, section 4).

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::reader::{extent, string};

/// `json`, a valid JSON text, without the earlier members of duplicate keys. The last member keeps its place.
///
/// All other bytes are unchanged. Borrowed if no object has a duplicate key. Iterative. Linear in the text, except that
/// each key is searched among the keys of its object.
///
/// ```
/// let json = r#"{"a": 1, "b": [{"c": 2, "c": 3}], "a": 4}"#;
/// assert_eq!(toolglot_json::internal::last_members(json), r#"{"b": [{"c": 3}], "a": 4}"#);
/// ```
pub fn last_members(json: &str) -> Cow<'_, str> {
    let mut earlier = earlier_members(json);
    if earlier.is_empty() {
        return Cow::Borrowed(json);
    }
    earlier.sort_unstable_by_key(|range| range.start);
    let mut out = String::with_capacity(json.len());
    let mut at = 0;
    for range in earlier {
        // A removed member may be inside another one.
        out.push_str(&json[at..range.start.max(at)]);
        at = at.max(range.end);
    }
    out.push_str(&json[at..]);
    Cow::Owned(out)
}

/// The members that a later member with the same key replaces, each up to the start of the next member.
fn earlier_members(json: &str) -> Vec<Range<usize>> {
    let mut earlier = Vec::new();
    // `None` is a list.
    let mut open: Vec<Option<Object<'_>>> = Vec::new();
    let mut is_key_due = false;
    let mut at = 0;
    while let Some(&byte) = json.as_bytes().get(at) {
        let mut n_bytes = 1;
        match byte {
            b'{' => open.push(Some(Object::default())),
            b'[' => open.push(None),
            b'}' | b']' => {
                open.pop();
            }
            b'"' => {
                n_bytes = extent(&json[at..]);
                if let (true, Some(Some(object))) = (is_key_due, open.last_mut()) {
                    earlier.extend(object.member(&json[at..at + n_bytes], at));
                }
            }
            _ => {}
        }
        is_key_due = match byte {
            b'{' | b',' => true,
            b' ' | b'\t' | b'\n' | b'\r' => is_key_due,
            _ => false,
        };
        at += n_bytes;
    }
    earlier
}

/// An open object.
#[derive(Default)]
struct Object<'a> {
    /// Where each member starts.
    starts: Vec<usize>,
    /// The index of the last member of each key so far.
    latest: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> Object<'a> {
    /// Adds the member at `at`. Returns the earlier member with the same key, up to the start of the next member.
    fn member(&mut self, key: &'a str, at: usize) -> Option<Range<usize>> {
        let index = self.starts.len();
        self.starts.push(at);
        let earlier = self.latest.insert(string(key)?, index)?;
        Some(self.starts[earlier]..self.starts[earlier + 1])
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::Cow;

    use super::last_members;

    #[test]
    fn of_each_key_the_last_member_is_left() {
        for (json, left) in [
            (r#"{"a":1,"a":2,"a":3}"#, r#"{"a":3}"#),
            (r#"{"a":1, "b":2, "a":3}"#, r#"{"b":2, "a":3}"#),
            (
                r#"{"a":{"b":1,"b":2},"c":0,"a":[{"b":1,"b":2}]}"#,
                r#"{"c":0,"a":[{"b":2}]}"#,
            ),
            // The same key in two spellings.
            (r#"{"\u0061":"a","a":"x"}"#, r#"{"a":"x"}"#),
        ] {
            assert_eq!(last_members(json), left);
        }
    }

    #[test]
    fn what_has_each_key_once_is_as_it_was() {
        for json in [
            "{}",
            "",
            "[",
            r#"{"a":{"a":["a","a"]},"b":"a"}"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"{"a":"\"a\":1,","b":1}"#,
        ] {
            assert!(matches!(last_members(json), Cow::Borrowed(same) if same == json));
        }
    }

    #[test]
    fn nothing_recurses() {
        let deep = r#"{"a":"#.repeat(100_000);
        assert_eq!(last_members(&deep), deep);
    }
}
