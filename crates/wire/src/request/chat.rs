//! Requests of Chat Completions.

use toolglot_value::{Map, Value};

use super::fields::{Fields, add_history};
use super::parts::{Seam, content};
use super::{Draft, RequestError, ToolTable};
use crate::Api;

const ROLES: [&str; 6] = [
    "system",
    "developer",
    "user",
    "assistant",
    "tool",
    "function",
];

pub(super) fn read(fields: Map<String, Value>) -> Result<Draft, RequestError> {
    let mut fields = Fields::new(fields);
    let mut draft = Draft {
        model: fields.model()?,
        is_stream: fields.bool("stream")?.unwrap_or_default(),
        ..Draft::default()
    };
    let options = fields.object("stream_options")?;
    draft.has_usage_chunk = options.get("include_usage") == Some(&Value::Bool(true));
    match fields.take("n") {
        Value::Null => {}
        n if n == 1 => {}
        _ => return Err(RequestError::new("n", "an answer has one choice here")),
    }
    let old = "it is the older form of `tools`: write `tools` instead";
    fields.refuse("functions", old)?;
    fields.refuse(
        "function_call",
        "it is the older form of `tool_choice`: write `tool_choice` instead",
    )?;
    fields.tools(Api::Chat, &mut draft)?;
    draft.is_parallel = fields.bool("parallel_tool_calls")?;
    let mut messages = fields.messages("messages")?;
    let places: Vec<String> = (0..messages.len())
        .map(|n| format!("messages[{n}]"))
        .collect();
    for (message, at) in messages.iter_mut().zip(&places) {
        normalize(message, at, &draft.tools)?;
    }
    add_history(&mut draft, &messages, &places)?;
    draft.rest = fields.rest();
    Ok(draft)
}

fn normalize(message: &mut Value, at: &str, tools: &ToolTable) -> Result<(), RequestError> {
    if !message.is_object() {
        return Err(RequestError::expected(at, "an object", message));
    }
    let role = match &message["role"] {
        Value::String(role) if ROLES.contains(&&**role) => role.clone(),
        Value::String(role) => {
            let why = format!("unknown role `{role}`");
            return Err(RequestError::new(format!("{at}.role"), why));
        }
        other => {
            return Err(RequestError::expected(
                format!("{at}.role"),
                "a role",
                other,
            ));
        }
    };
    let seam = if role == "assistant" {
        Seam::None
    } else {
        Seam::Line
    };
    let content_at = format!("{at}.content");
    if role != "assistant" && message["content"].is_null() {
        let what = "a string or a list of parts";
        return Err(RequestError::expected(content_at, what, &Value::Null));
    }
    let text = content(&message["content"], seam, &content_at)?;
    if let Value::Object(fields) = message
        && fields.contains_key("content")
    {
        fields.insert("content".to_owned(), text);
    }
    if role == "tool" && !message["tool_call_id"].is_string() {
        let at = format!("{at}.tool_call_id");
        return Err(RequestError::expected(
            at,
            "a string",
            &message["tool_call_id"],
        ));
    }
    match message.get_mut("tool_calls") {
        Some(listed) => calls(listed, &format!("{at}.tool_calls"), tools),
        None => Ok(()),
    }
}

/// Checks the calls of a message, and gives their tools the names that the model knows.
fn calls(calls: &mut Value, at: &str, tools: &ToolTable) -> Result<(), RequestError> {
    let list = match calls {
        Value::Null => return Ok(()),
        Value::Array(list) => list,
        other => return Err(RequestError::expected(at, "a list", other)),
    };
    for (n, call) in list.iter_mut().enumerate() {
        let at = format!("{at}[{n}]");
        if !call.is_object() {
            return Err(RequestError::expected(at, "an object", call));
        }
        let kind = match call["type"].as_str() {
            Some("custom") => "custom",
            _ => "function",
        };
        let Value::String(name) = &call[kind]["name"] else {
            let found = &call[kind]["name"];
            return Err(RequestError::expected(
                format!("{at}.{kind}.name"),
                "a string",
                found,
            ));
        };
        let taught = tools.taught(None, name).map(str::to_owned);
        if !call["id"].is_string() {
            return Err(RequestError::expected(
                format!("{at}.id"),
                "a string",
                &call["id"],
            ));
        }
        if let Some(taught) = taught {
            call[kind]["name"] = Value::String(taught);
        }
    }
    Ok(())
}
