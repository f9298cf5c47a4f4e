//! What a model reads of one result, and how much of it.

use toolglot_value::{Map, Value};

/// The most, in bytes. Twice what a builtin tool returns and what is kept of what a program prints, so that what tells how to go
/// on is named as well.
pub const RESULT_BYTES: usize = 512 << 10;

/// A text for a model: where it is longer than [`RESULT_BYTES`], its start and its end, with a line between that says how
/// much was cut.
pub fn cut_result(text: String) -> String {
    toolglot_builtins::cut(text, RESULT_BYTES)
}

/// What a model reads of a result: its one part where there is but one, else the map; whether it succeeded, its dialect
/// says.
pub(crate) fn model_text(value: &Map<String, Value>) -> String {
    let mut parts = value.iter().filter(|(key, _)| *key != "success");
    match (parts.next(), parts.next()) {
        (Some((key, Value::String(text))), None)
            if ["output", "data", "error"].contains(&key.as_str()) =>
        {
            text.clone()
        }
        (Some((key, value)), None) if ["output", "data", "error"].contains(&key.as_str()) => {
            value.to_string()
        }
        _ => Value::Object(value.clone()).to_string(),
    }
}
