//! Requests of Anthropic's Messages.

use toolglot_value::{Map, Value, json};

use super::fields::{Fields, add_history};
use super::parts::{Seam, content};
use super::{Draft, RequestError};
use crate::Api;

/// Fields that only this API's server handles. Any other field goes to the upstream.
const OWN: &[&str] = &[
    "metadata",
    "thinking",
    "service_tier",
    "container",
    "mcp_servers",
    "context_management",
    "output_config",
    "output_format",
    "betas",
    "speed",
    "inference_geo",
];

/// Blocks of tools that a server itself ran.
const SERVER_BLOCKS: &[&str] = &[
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "compaction",
];

pub(super) fn read(fields: Map<String, Value>) -> Result<Draft, RequestError> {
    let mut fields = Fields::new(fields);
    let mut draft = Draft {
        model: fields.model()?,
        is_stream: fields.bool("stream")?.unwrap_or_default(),
        ..Draft::default()
    };
    let is_serial = disables_parallel(&mut fields)?;
    fields.tools(Api::Messages, &mut draft)?;
    draft.is_parallel = is_serial.map(|is_serial| !is_serial);
    let (mut messages, mut places) = (Vec::new(), Vec::new());
    let system = content(&fields.take("system"), Seam::Line, "system")?;
    if system.as_str().is_some_and(|text| !text.is_empty()) {
        messages.push(json!({"role": "system", "content": system}));
        places.push("system".to_owned());
    } else if system.is_array() {
        return Err(RequestError::new("system", "holds text alone"));
    }
    for (n, mut one) in fields.messages("messages")?.into_iter().enumerate() {
        let at = format!("messages[{n}]");
        message(&mut one, &at, &mut draft.omitted)?;
        messages.push(one);
        places.push(at);
    }
    add_history(&mut draft, &messages, &places)?;

    let stop = fields.take("stop_sequences");
    if !stop.is_null() {
        draft.rest.insert("stop".to_owned(), stop);
    }
    let config = fields.object("output_config")?;
    let older = fields.take("output_format");
    let format = config.get("format").unwrap_or(&older);
    if format["type"] == "json_schema" {
        let schema = json!({"name": "answer", "schema": &format["schema"], "strict": true});
        let format = json!({"type": "json_schema", "json_schema": schema});
        draft.rest.insert("response_format".to_owned(), format);
    }
    let rest = fields.rest().into_iter();
    let rest = rest.filter(|(key, value)| !OWN.contains(&&**key) && !value.is_null());
    draft.rest.extend(rest);
    Ok(draft)
}

/// Whether `tool_choice` disables parallel calls.
fn disables_parallel(fields: &mut Fields) -> Result<Option<bool>, RequestError> {
    match fields
        .peek("tool_choice")
        .map(|choice| &choice["disable_parallel_tool_use"])
    {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(other) => {
            let at = "tool_choice.disable_parallel_tool_use";
            Err(RequestError::expected(at, "true or false", other))
        }
    }
}

/// Converts the blocks of a message to the form of Chat Completions, except calls, results and reasoning.
fn message(message: &mut Value, at: &str, omitted: &mut Vec<String>) -> Result<(), RequestError> {
    if !message.is_object() {
        return Err(RequestError::expected(at, "an object", message));
    }
    let role = match &message["role"] {
        Value::String(role) => role.clone(),
        other => {
            return Err(RequestError::expected(
                format!("{at}.role"),
                "a role",
                other,
            ));
        }
    };
    let seam = match &*role {
        "user" | "system" => Seam::Line,
        "assistant" => Seam::None,
        _ => {
            let why = format!("unknown role `{role}`");
            return Err(RequestError::new(format!("{at}.role"), why));
        }
    };
    let at = format!("{at}.content");
    let mut blocks = match &message["content"] {
        Value::Array(blocks) => blocks.clone(),
        Value::String(_) => {
            *message = json!({"role": role, "content": &message["content"]});
            return Ok(());
        }
        other => {
            return Err(RequestError::expected(
                at,
                "a string or a list of blocks",
                other,
            ));
        }
    };
    for (n, block) in blocks.iter_mut().enumerate() {
        if block["type"] == "tool_result" {
            let at = format!("{at}[{n}].content");
            let result = content(&block["content"], Seam::Line, &at)?;
            block["content"] = result;
        }
    }
    let mut n = 0;
    blocks.retain(|block| {
        let kind = block["type"].as_str().unwrap_or_default();
        let is_server = SERVER_BLOCKS.contains(&kind);
        if is_server {
            omitted.push(format!("{at}[{n}] of the type `{kind}`"));
        }
        n += 1;
        !is_server
    });
    let blocks = content(&Value::Array(blocks), seam, &at)?;
    *message = json!({"role": role, "content": blocks});
    Ok(())
}
