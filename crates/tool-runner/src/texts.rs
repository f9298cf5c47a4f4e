//! Collects the texts of a value.

use toolglot_value::Value;

/// All texts of a value, a line each.
pub(crate) fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(map) => map.values().map(texts).collect(),
        _ => String::new(),
    }
}
