//! The client that the official conformance suite drives: it calls us with the URL of a server of its own as the last
//! argument, and says in `MCP_CONFORMANCE_SCENARIO` what is to be done there. `conformance/run` starts it.

use std::time::Duration;

use serde_json::{Map, Value, json};
use toolglot_mcp::client::{Client, Profile, Terms};
use toolglot_runtimes::wire_to;

const TIME: Duration = Duration::from_secs(20);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().next_back().unwrap_or_default();
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let mut profile = Profile {
        // A user who accepts what a form suggests.
        capabilities: json!({"elicitation": {"form": {"applyDefaults": true}}}),
        answers: Box::new(|method, params| {
            (method == "elicitation/create").then(|| Ok(accepted(params)))
        }),
        ..Profile::default()
    };
    if let Ok(version) = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        profile.version = version;
    }
    let mut client = Client::open(
        wire_to(&url, Vec::new(), TIME)?,
        profile,
        &Terms::within(TIME),
    )?;
    let tools = client.tools(&Terms::within(TIME))?;
    let schema = tools
        .iter()
        .find(|tool| tool["name"] == "json_schema_2020_12_tool");
    for tool in &tools {
        let name = tool["name"].as_str().unwrap_or_default();
        let arguments = match (scenario.as_str(), schema) {
            ("json-schema-2020-12-preservation", Some(schema))
                if tool["name"] != schema["name"] =>
            {
                json!({"schema": schema["inputSchema"]})
            }
            ("json-schema-2020-12-preservation", _) => continue,
            _ => example(&tool["inputSchema"]),
        };
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        client.call(name, &arguments, &Terms::within(TIME))?;
    }
    Ok(())
}

/// What a form suggests.
fn accepted(params: &Map<String, Value>) -> Value {
    let properties = params
        .get("requestedSchema")
        .and_then(|schema| schema.get("properties"));
    let properties = properties.and_then(Value::as_object);
    let content: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
        .collect();
    json!({"action": "accept", "content": content})
}

/// Arguments that fit a simple schema.
fn example(schema: &Value) -> Value {
    let properties = schema["properties"].as_object();
    let fields = properties.into_iter().flatten().map(|(name, field)| {
        let value = match field["type"].as_str() {
            Some("number" | "integer") => json!(2),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("text"),
        };
        (name.clone(), value)
    });
    Value::Object(fields.collect())
}
