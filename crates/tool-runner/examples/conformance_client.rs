//! The client that the official conformance suite starts with the URL of its server as the last argument.
//! `MCP_CONFORMANCE_SCENARIO` names the scenario, and `MCP_CONFORMANCE_CONTEXT` has the values of a user's server
//! definition. `conformance/run` starts the suite.
//!
//! It uses the code of `toolglot call` and `toolglot mcp login`; this file simulates the person and the browser.

use std::any::Any;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

use toolglot_mcp::auth::{Grant, Person, Secret, Settings, Store};
use toolglot_mcp::client::{Client, Profile, Terms};
use toolglot_tool_runner::{authorizer_of, wire_to};
use toolglot_value::{Map, Value, json};

const TIME: Duration = Duration::from_secs(20);
/// The metadata document of the client that the suite knows.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().next_back().unwrap_or_default();
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let mut profile = Profile {
        // A user who accepts a form's defaults.
        capabilities: json!({"elicitation": {"form": {"applyDefaults": true}}}),
        answers: Box::new(|method, params| {
            (method == "elicitation/create").then(|| Ok(accepted(params)))
        }),
        ..Profile::default()
    };
    if let Ok(version) = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        profile.version = version;
    }
    let person = Person {
        show: Box::new(|address| {
            let address = address.to_owned();
            std::thread::spawn(move || visit(&address));
        }),
        port: 0,
        time: TIME,
    };
    let settings = settings(&scenario);
    let authorizer = authorizer_of(&url, settings, Box::<Memory>::default(), Some(person))?;
    let mut client = Client::open(
        wire_to(&url, Vec::new(), Some(authorizer), TIME)?,
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
            ("http-custom-headers", _) => given(name),
            _ => example(&tool["inputSchema"]),
        };
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        client.call(name, &arguments, &Terms::within(TIME))?;
    }
    Ok(())
}

/// The `oauth` settings of a user's definition.
fn settings(scenario: &str) -> Settings {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = toolglot_value::from_str(&context).unwrap_or_default();
    let of = |key: &str| context[key].as_str().map(str::to_owned);
    Settings {
        client_id: of("client_id").or(Some(DOCUMENT.to_owned())),
        client_secret: of("client_secret").map(Secret::new),
        private_key: of("private_key_pem").map(Secret::new),
        issuer: of("issuer"),
        scope: None,
        is_machine: scenario.starts_with("auth/client-credentials"),
    }
}

/// Simulates a browser whose person agrees at once: it follows redirections over plain HTTP on this machine.
fn visit(address: &str) -> Option<()> {
    let mut address = address.to_owned();
    for _ in 0..5 {
        let (host, rest) = address.strip_prefix("http://")?.split_once('/')?;
        let mut stream = TcpStream::connect(host).ok()?;
        stream.set_read_timeout(Some(TIME)).ok()?;
        let head = format!("GET /{rest} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let location = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("location")
                .then(|| value.trim().to_owned())
        });
        address = location?;
    }
    None
}

/// Stores a grant for the life of the process.
#[derive(Debug, Default)]
struct Memory(Mutex<Option<Grant>>);

impl Store for Memory {
    fn load(&self) -> Result<Option<Grant>, String> {
        let grant = self.0.lock().map_err(|error| error.to_string())?;
        Ok(grant.clone())
    }

    fn save(&self, grant: &Grant) -> Result<(), String> {
        *self.0.lock().map_err(|error| error.to_string())? = Some(grant.clone());
        Ok(())
    }

    fn alone(&self) -> Result<Box<dyn Any>, String> {
        Ok(Box::new(()))
    }
}

/// The arguments that the suite names for a tool.
fn given(name: &str) -> Value {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = toolglot_value::from_str(&context).unwrap_or_default();
    let calls = context["toolCalls"].as_array().into_iter().flatten();
    let own = calls.into_iter().find(|call| call["name"] == name);
    own.map_or_else(|| json!({}), |call| call["arguments"].clone())
}

/// The default values of a form.
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
