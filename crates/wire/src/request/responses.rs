//! Requests of the Responses API.

use toolglot_value::{Map, Value, json};

use super::fields::{Fields, add_history};
use super::parts::{Seam, content};
use super::{Draft, RequestError, ToolTable};
use crate::Api;

/// Fields that only this API's server handles. Any other field goes to the upstream.
const OWN: &[&str] = &[
    "include",
    "store",
    "prompt_cache_key",
    "prompt_cache_retention",
    "service_tier",
    "truncation",
    "metadata",
    "client_metadata",
    "safety_identifier",
    "max_tool_calls",
    "stream_options",
    "context_management",
];

/// Fields that an answer repeats.
const ECHOED: &[&str] = &[
    "instructions",
    "max_output_tokens",
    "metadata",
    "reasoning",
    "temperature",
    "text",
    "top_p",
    "parallel_tool_calls",
];

/// Items of tools that a server itself ran. Models of other servers do not know these items.
const SERVER_ITEMS: &[&str] = &[
    "web_search_call",
    "file_search_call",
    "computer_call",
    "computer_call_output",
    "image_generation_call",
    "code_interpreter_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "tool_search_call",
    "tool_search_output",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "ghost_snapshot",
];

/// Calls with a type of their own for tools that clients run: the type, the tool's name, and the field with its
/// arguments.
const CLIENT_CALLS: &[(&str, &str, &str)] = &[
    ("local_shell_call", "local_shell", "action"),
    ("shell_call", "shell", "action"),
    ("apply_patch_call", "apply_patch", "operation"),
];

pub(super) fn read(fields: Map<String, Value>) -> Result<Draft, RequestError> {
    let mut draft = Draft::default();
    for key in ECHOED {
        if let Some(value) = fields.get(key).filter(|value| !value.is_null()) {
            draft.echo.insert((*key).to_owned(), value.clone());
        }
    }
    let mut fields = Fields::new(fields);
    draft.model = fields.model()?;
    draft.is_stream = fields.bool("stream")?.unwrap_or_default();
    let state = "no response is stored here: send the whole conversation as `input`";
    fields.refuse("previous_response_id", state)?;
    fields.refuse("conversation", state)?;
    fields.refuse("background", "no response is stored here")?;
    fields.refuse("prompt", "no prompt is stored here: send its text")?;
    fields.tools(Api::Responses, &mut draft)?;
    draft.is_parallel = fields.bool("parallel_tool_calls")?;

    let (mut messages, mut places) = (Vec::new(), Vec::new());
    match fields.take("instructions") {
        Value::Null => {}
        Value::String(text) => {
            if !text.is_empty() {
                messages.push(json!({"role": "system", "content": text}));
                places.push("instructions".to_owned());
            }
        }
        other => return Err(RequestError::expected("instructions", "a string", &other)),
    }
    match fields.take("input") {
        Value::String(text) => {
            messages.push(json!({"role": "user", "content": text}));
            places.push("input".to_owned());
        }
        Value::Array(items) if items.is_empty() => {
            return Err(RequestError::new("input", "must have one item at least"));
        }
        Value::Array(items) => {
            for (n, one) in items.into_iter().enumerate() {
                let at = format!("input[{n}]");
                if let Some(one) = item(one, &at, &draft.tools, &mut draft.omitted)? {
                    messages.push(one);
                    places.push(at);
                }
            }
        }
        other => {
            return Err(RequestError::expected(
                "input",
                "a string or a list of items",
                &other,
            ));
        }
    }
    add_history(&mut draft, &messages, &places)?;

    upstream_fields(&mut fields, &mut draft)?;
    let rest = fields.rest().into_iter();
    let rest = rest.filter(|(key, value)| !OWN.contains(&&**key) && !value.is_null());
    draft.rest.extend(rest);
    Ok(draft)
}

/// Fields with another name in Chat Completions.
fn upstream_fields(fields: &mut Fields, draft: &mut Draft) -> Result<(), RequestError> {
    let mut set = |key: &str, value: Value| {
        if !value.is_null() {
            draft.rest.insert(key.to_owned(), value);
        }
    };
    set("max_tokens", fields.take("max_output_tokens"));
    let reasoning = fields.object("reasoning")?;
    set(
        "reasoning_effort",
        reasoning.get("effort").cloned().unwrap_or_default(),
    );
    let text = fields.object("text")?;
    let format = text.get("format").unwrap_or(&Value::Null);
    match format["type"].as_str() {
        Some("json_schema") => {
            let mut schema = format.as_object().cloned().unwrap_or_default();
            schema.shift_remove("type");
            set(
                "response_format",
                json!({"type": "json_schema", "json_schema": schema}),
            );
        }
        Some("json_object") => set("response_format", json!({"type": "json_object"})),
        _ => {}
    }
    Ok(())
}

/// One item with its content in the form of Chat Completions; `None` for an item without content for the model.
fn item(
    mut item: Value,
    at: &str,
    tools: &ToolTable,
    omitted: &mut Vec<String>,
) -> Result<Option<Value>, RequestError> {
    if !item.is_object() {
        return Err(RequestError::expected(at, "an object", &item));
    }
    let kind = match &item["type"] {
        Value::Null if item["role"].is_string() => "message".to_owned(),
        Value::String(kind) => kind.clone(),
        other => {
            return Err(RequestError::expected(
                format!("{at}.type"),
                "a string",
                other,
            ));
        }
    };
    if SERVER_ITEMS.contains(&&*kind) {
        omitted.push(format!("{at} of the type `{kind}`"));
        return Ok(None);
    }
    let client_call = CLIENT_CALLS.iter().find(|(of, ..)| *of == kind);
    if let Some((_, name, field)) = client_call {
        let (id, arguments) = (&item["call_id"], &item[*field]);
        if !arguments.is_object() {
            return Err(RequestError::expected(
                format!("{at}.{field}"),
                "an object",
                arguments,
            ));
        }
        let arguments = arguments.to_string();
        return Ok(Some(
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}),
        ));
    }
    match &*kind {
        "message" => message(&mut item, at).map(|()| Some(item)),
        "reasoning" => {
            let parts = [&item["content"], &item["summary"]];
            let has_text = |parts: &Value| {
                let mut parts = parts.as_array().into_iter().flatten();
                parts.any(|part| part["text"].as_str().is_some_and(|text| !text.is_empty()))
            };
            // Encrypted content is only for its own server.
            let is_shown = parts.into_iter().any(has_text);
            Ok(is_shown.then_some(item))
        }
        "function_call" | "custom_tool_call" => {
            let name = item["name"].as_str().unwrap_or_default();
            let taught = tools.taught(item["namespace"].as_str(), name);
            if let Some(taught) = taught.map(str::to_owned) {
                item["name"] = Value::String(taught);
            }
            Ok(Some(item))
        }
        "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "shell_call_output"
        | "apply_patch_call_output" => output(&mut item, &kind, at).map(|()| Some(item)),
        "item_reference" => Err(RequestError::new(
            at,
            "no item is stored here: send it whole",
        )),
        other => Err(RequestError::new(
            format!("{at}.type"),
            format!("unknown type `{other}`"),
        )),
    }
}

fn message(item: &mut Value, at: &str) -> Result<(), RequestError> {
    let role = match &item["role"] {
        Value::String(role) => role.clone(),
        other => {
            return Err(RequestError::expected(
                format!("{at}.role"),
                "a role",
                other,
            ));
        }
    };
    if !["user", "assistant", "system", "developer"].contains(&&*role) {
        let why = format!("unknown role `{role}`");
        return Err(RequestError::new(format!("{at}.role"), why));
    }
    let seam = match &*role {
        "assistant" => Seam::None,
        _ => Seam::Line,
    };
    let text = content(&item["content"], seam, &format!("{at}.content"))?;
    *item = json!({"type": "message", "role": role, "content": text});
    Ok(())
}

/// The result of a call. Shells return a list of outputs, which stays JSON.
fn output(item: &mut Value, kind: &str, at: &str) -> Result<(), RequestError> {
    let at_output = format!("{at}.output");
    let output = match &item["output"] {
        Value::Null if kind == "apply_patch_call_output" => item["status"].clone(),
        Value::Null => {
            return Err(RequestError::expected(
                at_output,
                "a string or a list of parts",
                &Value::Null,
            ));
        }
        list @ Value::Array(_) if kind == "shell_call_output" => Value::String(list.to_string()),
        // Codex puts the content beside a flag.
        Value::Object(fields) if fields.contains_key("content") => {
            content(&item["output"]["content"], Seam::Line, &at_output)?
        }
        other => content(other, Seam::Line, &at_output)?,
    };
    // The API identifies a result by the id of its call; older shells used the field `id` for it.
    let id = if item["call_id"].is_string() {
        &item["call_id"]
    } else {
        &item["id"]
    };
    *item = json!({"type": "function_call_output", "call_id": id, "output": output});
    Ok(())
}
