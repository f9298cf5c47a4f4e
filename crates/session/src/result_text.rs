//! The text that a model reads for one result, and its maximum length.

use toolglot_value::{Map, Value};

/// The maximum in bytes. It is twice the limits of builtin tools and of program output, so that the hint on how to
/// continue also fits.
pub const RESULT_BYTES: usize = 512 << 10;

/// Shortens a text for a model. If it is longer than [`RESULT_BYTES`], its start and end remain, with a line between
/// them that gives the number of cut bytes.
pub fn cut_result(text: String) -> String {
    toolglot_builtins::cut(text, RESULT_BYTES)
}

/// The text that a model reads for a result: the only part if there is one, else the map. The dialect reports the
/// success.
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
