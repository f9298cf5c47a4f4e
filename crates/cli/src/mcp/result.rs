//! What a tool returned, as the protocol has it.

use serde_json::{Map, Value, json};
use toolglot_runtimes::{CallError, Called};

use crate::call;

/// The kinds of content that the protocol knows, with the key that each must have.
const KINDS: &[(&str, &str)] = &[
    ("text", "text"),
    ("image", "data"),
    ("audio", "data"),
    ("resource", "resource"),
    ("resource_link", "uri"),
];

/// A tool's result. `content` in what it returned is content, if it is a list of what the protocol knows; a map with one
/// text is that text, and everything else is shown as JSON. All of it is structured content as well.
pub(super) fn of_called(called: Called) -> Value {
    let is_error = !called.returned.success;
    let mut map = called.returned.value;
    let blocks = map
        .get("content")
        .and_then(Value::as_array)
        .filter(|blocks| blocks.iter().all(is_block));
    let content = match blocks {
        Some(blocks) => {
            let text = map
                .get("output")
                .or_else(|| map.get("error"))
                .and_then(Value::as_str);
            let text = text
                .filter(|text| !text.is_empty())
                .map(|text| json!({"type": "text", "text": text}));
            let all: Vec<Value> = text.into_iter().chain(blocks.iter().cloned()).collect();
            map.shift_remove("content");
            all
        }
        None => vec![json!({"type": "text", "text": crate::told::told(told(&map))})],
    };
    json!({"content": content, "structuredContent": map, "isError": is_error})
}

fn is_block(block: &Value) -> bool {
    let key = KINDS
        .iter()
        .find(|(kind, _)| block["type"] == *kind)
        .map(|(_, key)| *key);
    key.is_some_and(|key| block.get(key).is_some())
}

/// What a model reads of it: its one text, or the map.
fn told(map: &Map<String, Value>) -> String {
    let mut parts = map.iter().filter(|(key, _)| *key != "success");
    match (parts.next(), parts.next()) {
        (Some((key, Value::String(text))), None)
            if ["output", "data", "error"].contains(&key.as_str()) =>
        {
            text.clone()
        }
        _ => Value::Object(map.clone()).to_string(),
    }
}

/// Why a tool was not run, as a result that a model can learn from.
pub(super) fn of_error(name: &str, error: &CallError) -> Value {
    of_refusal(&call::refusal(name, error))
}

/// The same, from the form of a tool's answer.
pub(super) fn of_refusal(refusal: &Value) -> Value {
    json!({
        "content": [{"type": "text", "text": refusal["error"].as_str().unwrap_or_default()}],
        "structuredContent": refusal,
        "isError": true,
    })
}
