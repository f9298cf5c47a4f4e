//! Revision 2026-07-28, which has no sessions. Every request names in `_meta` the client, the version and the
//! capabilities; over HTTP its headers repeat parts of the message
//! (<https://modelcontextprotocol.io/specification/draft>, as of 2026-11).

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolglot_value::{Map, Value, json};

use super::profile::Profile;
use super::trouble::Trouble;
use super::wire::Heard;
use crate::STATELESS;
use crate::message::{Fault, METHOD, Message};

/// The server does not support the request's version, and lists its versions.
pub(super) const UNSUPPORTED: i64 = -32_022;
/// The version header is missing, or differs from the message. No server with sessions has this code.
const HEADERS: i64 = -32_020;
/// The prefix of the keys of `_meta`.
pub(super) const PREFIX: &str = "io.modelcontextprotocol/";

/// Whether a server refused a session because it has none.
pub(super) fn has_no_sessions(trouble: &Trouble) -> bool {
    let Trouble::Refused { fault, .. } = trouble else {
        return false;
    };
    matches!(fault.code, METHOD | HEADERS) || fault.code == UNSUPPORTED && supports(fault)
}

pub(super) fn supports(fault: &Fault) -> bool {
    let said = fault.data.as_ref().and_then(|data| data.get("supported"));
    let said = said.and_then(Value::as_array);
    said.is_some_and(|said| said.iter().any(|version| version == STATELESS))
}

/// Adds the client's identity to a request.
pub(super) fn add_meta(params: &mut Map<String, Value>, profile: &Profile) {
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    let info = json!({"name": "toolglot", "version": env!("CARGO_PKG_VERSION")});
    for (key, value) in [
        ("protocolVersion", json!(STATELESS)),
        ("clientInfo", info),
        ("clientCapabilities", profile.capabilities.clone()),
    ] {
        meta[format!("{PREFIX}{key}")] = value;
    }
}

/// The headers that repeat parts of a message.
pub(super) fn headers(message: &Message) -> Vec<(String, String)> {
    let (Message::Request { method, params, .. } | Message::Notification { method, params }) =
        message
    else {
        return Vec::new();
    };
    let mut out = vec![("Mcp-Method".to_owned(), method.clone())];
    let key = match method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return out,
    };
    if let Some(name) = params.get(key).and_then(Value::as_str) {
        out.push(("Mcp-Name".to_owned(), encoded(name)));
    }
    out
}

/// A value in the form of a header: as it is, or in base64 if a header cannot carry it.
fn encoded(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    if is_plain {
        return text.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(text))
}

/// The parameters of a tool that headers repeat (`x-mcp-header`), by the header's name. `None` if its header rules are
/// invalid; such a tool is not used.
pub(super) fn mirrored(tool: &Value) -> Option<BTreeMap<String, String>> {
    let (mut out, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let properties = tool["inputSchema"]["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        let Some(header) = schema.get("x-mcp-header") else {
            continue;
        };
        let header = header.as_str()?;
        let is_letter =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_name = (1..=64).contains(&header.len()) && header.bytes().all(is_letter);
        let is_scalar = matches!(
            schema["type"].as_str(),
            Some("string" | "integer" | "boolean")
        );
        if !(is_name && is_scalar && seen.insert(header.to_ascii_lowercase())) {
            return None;
        }
        out.insert(name.clone(), header.to_owned());
    }
    Some(out)
}

/// The headers that repeat a call's arguments.
pub(super) fn arguments(
    mirrored: &BTreeMap<String, String>,
    arguments: &Map<String, Value>,
) -> Vec<(String, String)> {
    let said = mirrored.iter().filter_map(|(name, header)| {
        let value = match arguments.get(name)? {
            Value::String(text) => encoded(text),
            Value::Number(number) => number.to_string(),
            Value::Bool(is) => is.to_string(),
            _ => return None,
        };
        Some((format!("Mcp-Param-{header}"), value))
    });
    said.collect()
}

/// The response in the body of an HTTP error, if it is an error of the protocol for this request.
pub(super) fn fault(text: &str, id: &Value) -> Option<Heard> {
    let value: Value = toolglot_value::from_str(text).ok()?;
    (value.get("id") == Some(id) && value["error"]["code"].is_i64())
        .then_some(Heard::Message(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_into_headers_as_they_can_arrive() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("us west 1", "us west 1"),
            ("", ""),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("a\r\nX: b", "=?base64?YQ0KWDogYg==?="),
            ("世", "=?base64?5LiW?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        ] {
            assert_eq!(encoded(text), header, "{text:?}");
        }
    }

    #[test]
    fn a_tool_that_names_no_header_is_no_tool() {
        let of = |property: Value| {
            mirrored(
                &json!({"inputSchema": {"properties": {"a": property, "b": {"type": "string", "x-mcp-header": "B"}}}}),
            )
        };
        assert_eq!(
            of(json!({"type": "integer", "x-mcp-header": "A"})).map(|all| all.len()),
            Some(2)
        );
        assert_eq!(of(json!({"type": "object"})).map(|all| all.len()), Some(1));
        for property in [
            json!({"type": "string", "x-mcp-header": ""}),
            json!({"type": "string", "x-mcp-header": "b"}),
            json!({"type": "string", "x-mcp-header": "A: b\r\nC"}),
            json!({"type": "string", "x-mcp-header": "é"}),
            json!({"type": "string", "x-mcp-header": 1}),
            json!({"type": "number", "x-mcp-header": "A"}),
            json!({"type": "object", "x-mcp-header": "A"}),
        ] {
            assert_eq!(of(property.clone()), None, "{property}");
        }
    }
}
