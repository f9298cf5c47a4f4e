//! Equality of the values and texts of two readers.

use toolglot_value::Value;

/// Equality by value: keys in any order, numbers by digits or as doubles.
pub(crate) fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other
                || (one.as_i64().is_none() || other.as_i64().is_none())
                    && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| same_value(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| {
                    other.get(key).is_some_and(|other| same_value(value, other))
                })
        }
        _ => one == other,
    }
}

/// Equality of texts except for white space, since parsers trim at different places.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    let bare = |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    bare(one) == bare(other)
}
