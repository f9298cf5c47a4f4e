//! A server's description of a tool, normalized and compared by its digest.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toolglot_value::{Map, Value};

/// The keys of a tool that a model or a user relies on; other keys may change freely.
const PINNED: &[&str] = &[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
];
/// Deeper values are cut off before the comparison: honest values do not nest so deeply.
const MAX_DEPTH: usize = 128;

/// The fields of a tool that are pinned.
pub fn pinned_fields(tool: &Value) -> Value {
    let map: Map<String, Value> = PINNED
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), tool.get(*key)?.clone())))
        .collect();
    Value::Object(map)
}

/// The digest of a server's description of a tool: `sha256:` and 64 hexadecimal digits. It covers the JSON with sorted
/// keys, no blanks and numbers in their original form (RFC 8785 except for the numbers).
pub fn digest(tool: &Value) -> String {
    hashed(&pinned_fields(tool))
}

/// The digest of a whole list of tools, independent of its order.
pub fn digest_of_all(tools: &[Value]) -> String {
    let mut all: Vec<Value> = tools.iter().map(pinned_fields).collect();
    all.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
    hashed(&Value::Array(all))
}

fn hashed(value: &Value) -> String {
    let mut text = String::new();
    canonical(value, &mut text, 0);
    let mut out = String::from("sha256:");
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn canonical(value: &Value, out: &mut String, depth: usize) {
    if depth > MAX_DEPTH {
        out.push_str("null");
        return;
    }
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(item, out, depth + 1);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_by(|one, other| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::String(key.clone()));
                canonical(&map[key.as_str()], out, depth + 1);
            }
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

/// Whether a tool's name is valid in the protocol: 1 to 128 letters, digits, `_`, `-` and `.`
/// (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, "Tool Names").
pub fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && !name.starts_with('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Characters that a model reads and a person does not see: tags, zero width, direction, variation selectors, private
/// use.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{f0000}'..='\u{10ffff}')
        || (c.is_control() && c != '\n' && c != '\t')
}

/// The value without hidden characters in its texts, and the number of these characters.
pub fn without_hidden(value: &Value) -> (Value, usize) {
    let mut n_hidden = 0;
    let value = cleaned(value, &mut n_hidden, 0);
    (value, n_hidden)
}

fn cleaned(value: &Value, n_hidden: &mut usize, depth: usize) -> Value {
    let mut text = |text: &str| -> String {
        let clean: String = text.chars().filter(|c| !is_hidden(*c)).collect();
        *n_hidden += text.chars().count() - clean.chars().count();
        clean
    };
    match value {
        _ if depth > MAX_DEPTH => Value::Null,
        Value::String(value) => Value::String(text(value)),
        Value::Array(items) => items
            .iter()
            .map(|item| cleaned(item, n_hidden, depth + 1))
            .collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let key: String = key.chars().filter(|c| !is_hidden(*c)).collect();
                (key, cleaned(value, n_hidden, depth + 1))
            })
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn a_digest_tells_changes_and_not_orders() {
        let tool =
            json!({"name": "a", "description": "d", "inputSchema": {"type": "object", "x": 1.0}});
        let turned = json!({"inputSchema": {"x": 1.0, "type": "object"}, "description": "d", "name": "a", "_meta": {"n": 1}});
        assert_eq!(digest(&tool), digest(&turned));
        for (key, value) in [
            ("description", json!("e")),
            ("inputSchema", json!({"type": "object"})),
            ("annotations", json!({"readOnlyHint": true})),
            ("outputSchema", json!({})),
            ("title", json!("T")),
        ] {
            let mut other = tool.clone();
            other[key] = value;
            assert_ne!(digest(&tool), digest(&other), "{key}");
        }
        let other = json!({"name": "b"});
        assert_eq!(
            digest_of_all(&[tool.clone(), other.clone()]),
            digest_of_all(&[other, tool])
        );
    }

    #[test]
    fn names_have_no_more_than_the_protocol_gives_them() {
        for name in ["a", "A_b-c.d9", &"x".repeat(128)] {
            assert!(is_tool_name(name), "{name}");
        }
        for name in [
            "",
            "../../x",
            "a b",
            "a\n<b>",
            "ä",
            ".a",
            "..",
            "a/b",
            &"x".repeat(129),
        ] {
            assert!(!is_tool_name(name), "{name}");
        }
    }

    #[test]
    fn what_nobody_sees_is_taken_out_and_counted() {
        let said = json!({"description": "Echo\u{e0041}\u{e0042}es\u{200b}", "inputSchema": {"x": ["\u{202e}a"]}});
        let (clean, n) = without_hidden(&said);
        assert_eq!(
            clean,
            json!({"description": "Echoes", "inputSchema": {"x": ["a"]}})
        );
        assert_eq!(n, 4);
        assert_eq!(
            without_hidden(&json!("Über 日本\n\tx")),
            (json!("Über 日本\n\tx"), 0)
        );
    }
}
