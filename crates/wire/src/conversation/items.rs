//! Writes chat messages as items of OpenAI's Responses API, the reverse of `apis`.

use toolglot_value::{Value, json};

use super::turn::structured_calls;

/// The items of a conversation, in order.
pub(super) fn of(messages: &[Value]) -> Vec<Value> {
    let mut items = Vec::new();
    // The ids of calls of freeform tools.
    let mut freeform: Vec<&str> = Vec::new();
    for message in messages {
        match message["role"].as_str() {
            Some("tool") => items.push(result_item(message, &freeform)),
            Some("assistant") => {
                items.extend(assistant_items(message));
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    if call["type"] == "custom" {
                        freeform.extend(call["id"].as_str());
                    }
                    items.push(call_item(call));
                }
            }
            _ => items.push(other_item(message)),
        }
    }
    items
}

/// The reasoning and the text of an assistant's message.
fn assistant_items(message: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(text) = message["reasoning_content"].as_str() {
        let content = json!([{"type": "reasoning_text", "text": text}]);
        items.push(json!({"type": "reasoning", "summary": [], "content": content}));
    }
    let has_calls = !structured_calls(message).is_empty();
    let content = &message["content"];
    if !content.is_null() || !has_calls && items.is_empty() {
        let content = parts(content, "output_text");
        items.push(json!({"type": "message", "role": "assistant", "content": content}));
    }
    items
}

fn call_item(call: &Value) -> Value {
    let (id, function, custom) = (&call["id"], &call["function"], &call["custom"]);
    if call["type"] == "custom" {
        return json!({"type": "custom_tool_call", "call_id": id, "name": custom["name"], "input": custom["input"]});
    }
    json!({"type": "function_call", "call_id": id, "name": function["name"], "arguments": function["arguments"]})
}

/// A result. The API has no field for a failed result: the text reports the failure.
fn result_item(message: &Value, freeform: &[&str]) -> Value {
    let id = message["tool_call_id"].as_str().unwrap_or_default();
    let kind = if freeform.contains(&id) {
        "custom_tool_call_output"
    } else {
        "function_call_output"
    };
    let output = match &message["content"] {
        Value::String(text) if message["is_error"] == true && !text.starts_with("Error: ") => {
            format!("Error: {text}").into()
        }
        content => parts(content, "input_text"),
    };
    json!({"type": kind, "call_id": id, "output": output})
}

/// Any other message.
fn other_item(message: &Value) -> Value {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    if let Some(content) = fields.get_mut("content") {
        *content = parts(content, "input_text");
    }
    fields.insert("type".to_owned(), "message".into());
    Value::Object(fields)
}

/// A content whose texts have the API's type; a single text stays a string.
fn parts(content: &Value, kind: &str) -> Value {
    let Value::Array(parts) = content else {
        return content.clone();
    };
    let part = |part: &Value| match (&part["type"], &part["text"]) {
        (Value::String(word), Value::String(text)) if word == "text" => {
            json!({"type": kind, "text": text})
        }
        _ => part.clone(),
    };
    parts.iter().map(part).collect()
}
