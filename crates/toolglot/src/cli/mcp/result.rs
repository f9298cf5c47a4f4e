//! The result of a tool, in the form of the protocol.

use toolglot_tool_runner::{CallError, CallResult};
use toolglot_value::{Map, Value, json};

use crate::cli::call;
use toolglot_session::{RESULT_BYTES as MOST, cut_result};

/// The kinds of content that the protocol knows, with the key that each must have.
const KINDS: &[(&str, &str)] = &[
    ("text", "text"),
    ("image", "data"),
    ("audio", "data"),
    ("resource", "resource"),
    ("resource_link", "uri"),
];

/// A tool's result. A returned `content` becomes the content, if it is a list of known blocks. A map with one text
/// becomes the text, and any other map becomes JSON. The map without those blocks is the structured content.
pub(super) fn of_called(called: CallResult) -> Value {
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
            bounded(all)
        }
        None => vec![json!({"type": "text", "text": cut_result(told(&map))})],
    };
    let mut result =
        json!({"content": content, "structuredContent": structured(map), "isError": is_error});
    if !called.notes.is_empty() {
        // Notes about the tool are not part of its result.
        result["_meta"] = json!({"toolglot/notes": called.notes});
    }
    result
}

/// Bounds blocks to the size of a result: a text is cut, and a notice replaces any other block that does not fit.
fn bounded(blocks: Vec<Value>) -> Vec<Value> {
    let mut left = MOST;
    let bound = |mut block: Value| {
        let size = block.to_string().len();
        if size > left {
            let kind = block["type"].as_str().unwrap_or_default().to_owned();
            let text = match block["text"].take() {
                Value::String(text) if kind == "text" && left > SHORT => {
                    toolglot_builtins::cut(text, left)
                }
                _ => format!("({kind} of {size} bytes was left out: a result has at most {MOST})"),
            };
            block = json!({"type": "text", "text": text});
        }
        left = left.saturating_sub(size);
        block
    };
    blocks.into_iter().map(bound).collect()
}

/// A text is not cut to fewer bytes than this.
const SHORT: usize = 1 << 10;

/// Bounds a map to the size of a result, the longest members first. A text is cut, and any other member moves to
/// `left_out`, with its name and size.
fn structured(mut map: Map<String, Value>) -> Map<String, Value> {
    let mut sizes: Vec<(usize, String)> = map
        .iter()
        .map(|(key, value)| (value.to_string().len(), key.clone()))
        .collect();
    let mut sum: usize = sizes.iter().map(|(size, key)| size + key.len() + 4).sum();
    if sum <= MOST {
        return map;
    }
    sizes.sort_by(|one, other| other.cmp(one));
    let mut left_out = Map::new();
    for (size, key) in sizes {
        if sum <= MOST {
            break;
        }
        let rest = sum - size;
        match map.get_mut(&key) {
            Some(Value::String(text)) if rest + SHORT < MOST => {
                // Escapes may lengthen the text again.
                let most = (MOST - rest) / 2;
                *text = toolglot_builtins::cut(std::mem::take(text), most);
                sum = rest + most;
            }
            _ => {
                map.shift_remove(&key);
                left_out.insert(key, json!(format!("{size} bytes")));
                sum = rest;
            }
        }
    }
    if !left_out.is_empty() {
        map.insert("left_out".to_owned(), Value::Object(left_out));
    }
    map
}

fn is_block(block: &Value) -> bool {
    let key = KINDS
        .iter()
        .find(|(kind, _)| block["type"] == *kind)
        .map(|(_, key)| *key);
    key.is_some_and(|key| block.get(key).is_some())
}

/// The text of a result for the model: its one text, or the map as JSON.
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

/// The same result, from the JSON form of a refusal.
pub(super) fn of_refusal(refusal: &Value) -> Value {
    json!({
        "content": [{"type": "text", "text": refusal["error"].as_str().unwrap_or_default()}],
        "structuredContent": refusal,
        "isError": true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_content_is_cut_as_text_is() {
        let long = "a".repeat(2 * MOST);
        let rows: Vec<u32> = (0..200_000).collect();
        let small = json!({"success": true, "data": {"n": 1}});
        for (value, is_cut) in [
            (small.clone(), false),
            (json!({"success": true, "output": long}), true),
            (json!({"success": true, "data": rows, "output": "ok"}), true),
            (json!({"success": true, "data": rows, "output": long}), true),
        ] {
            let map = value.as_object().expect("a map").clone();
            let output = Value::Object(structured(map));
            assert_eq!(output != value, is_cut);
            assert!(output.to_string().len() <= MOST + SHORT);
            assert_eq!(output["success"], json!(true));
            assert_eq!(output.get("left_out").is_some(), value["data"].is_array());
        }
        let image = json!({"type": "image", "data": long, "mimeType": "image/png"});
        let blocks = vec![json!({"type": "text", "text": long}), image, small];
        let output = bounded(blocks.clone());
        assert_eq!(output.len(), blocks.len());
        assert!(Value::from(output).to_string().len() <= MOST + SHORT);
    }
}
