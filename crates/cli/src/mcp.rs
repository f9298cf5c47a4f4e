//! `toolglot mcp`: the registry's tools for MCP clients, over standard input and output.
//!
//! Each tool that may run here is listed under its id; a call goes the way of `toolglot call`, with the same checks, rights
//! and walls. Source: <https://modelcontextprotocol.io/specification/2025-06-18>, read 2026-11.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};
use toolglot_runtimes::{CallError, Host};

use crate::Outcome;
use crate::call::{self, Walls};
use crate::failure::Failure;
use crate::parse::write_line;

/// The versions that are spoken, the newest first.
const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// A longer line is refused.
const MAX_LINE: u64 = 64 << 20;
/// How many tools one page of the list has.
const PAGE: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// The project: the directory that holds .ai
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// What tools may do beyond reading: write, net, exec:bash, or capabilities such as shell.execute, by commas
    #[arg(long, value_name = "GRANTS", default_value = "")]
    allow: String,
    #[command(flatten)]
    walls: Walls,
}

/// An error of JSON-RPC: code, message.
type Fault = (i64, String);

const PARSE: i64 = -32_700;
const REQUEST: i64 = -32_600;
const METHOD: i64 = -32_601;
const PARAMS: i64 = -32_602;

/// Serves until standard input ends.
pub(crate) fn mcp(arguments: &McpArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let project = call::project(&arguments.root)?;
    let (registry, trust) = Host::open(&project)?;
    let granted = call::capabilities(&arguments.allow);
    let host = call::host(&registry, &trust, project, granted, &arguments.walls);
    let mut input = BufReader::new(std::io::stdin().lock());
    loop {
        let mut line = Vec::new();
        let n_read = input
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| crate::source::failed(std::path::Path::new("-"), error))?;
        if n_read == 0 {
            return Ok(Outcome::Fine);
        }
        if n_read as u64 == MAX_LINE && !line.ends_with(b"\n") {
            let fault = (REQUEST, format!("a line has more than {MAX_LINE} bytes"));
            write(out, &Value::Null, Err(fault))?;
            return Ok(Outcome::Faulty);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message = match serde_json::from_slice::<Value>(&line) {
            Ok(message) => message,
            Err(error) => {
                write(
                    out,
                    &Value::Null,
                    Err((PARSE, format!("not JSON: {error}"))),
                )?;
                continue;
            }
        };
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to what was never asked, or no message at all.
            if message.get("result").is_none() && message.get("error").is_none() {
                let id = message.get("id").cloned().unwrap_or_default();
                write(
                    out,
                    &id,
                    Err((REQUEST, "a request has a `method`".to_owned())),
                )?;
            }
            continue;
        };
        let Some(id) = message.get("id") else {
            continue;
        };
        let params = message.get("params").cloned().unwrap_or_default();
        write(out, id, answer(&host, method, &params))?;
    }
}

fn write(out: &mut dyn Write, id: &Value, answer: Result<Value, Fault>) -> Result<(), Failure> {
    let message = match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    };
    write_line(out, &message)
        .and_then(|()| out.flush())
        .map_err(Failure::Output)
}

fn answer(host: &Host<'_>, method: &str, params: &Value) -> Result<Value, Fault> {
    match method {
        "initialize" => {
            let asked = params["protocolVersion"].as_str().unwrap_or_default();
            let version = VERSIONS.iter().find(|version| **version == asked);
            Ok(json!({
                "protocolVersion": version.unwrap_or(&VERSIONS[0]),
                "capabilities": {"tools": {"listChanged": false}},
                "serverInfo": {"name": "toolglot", "version": env!("CARGO_PKG_VERSION")},
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => list(host, params),
        "tools/call" => tool_call(host, params),
        other => Err((METHOD, format!("there is no method `{other}`"))),
    }
}

/// The tools that may run here, in order of id; the cursor is the last id of the page before.
fn list(host: &Host<'_>, params: &Value) -> Result<Value, Fault> {
    let after = match &params["cursor"] {
        Value::Null => "",
        Value::String(cursor) => cursor,
        _ => return Err((PARAMS, "`cursor` is no string".to_owned())),
    };
    let (entries, _) = host.registry.list();
    let mut tools: Vec<Value> = Vec::new();
    let mut next = None;
    for entry in entries.iter().filter(|entry| entry.id.as_str() > after) {
        if tools.len() >= PAGE {
            next = Some(entry.id.as_str());
            break;
        }
        let Ok(found) = host.registry.read(entry) else {
            continue;
        };
        let tool = found.tool();
        let version = tool.metadata.version.as_deref();
        if tool.errors().next().is_some() || host.trust.borrow().standing(&found, version).is_err()
        {
            continue;
        }
        let reads_only = tool
            .metadata
            .requires
            .iter()
            .all(|requirement| requirement == "fs.read");
        for spec in tool.specs() {
            tools.push(json!({
                "name": spec.name,
                "description": spec.description,
                "inputSchema": spec.parameters,
                "annotations": {"readOnlyHint": reads_only},
            }));
        }
    }
    let mut page = json!({"tools": tools});
    // The page ended before this id: what is behind the one before it comes next.
    if let Some(next) = next {
        let last = entries.iter().rev().find(|entry| entry.id.as_str() < next);
        page["nextCursor"] = json!(last.map_or("", |entry| entry.id.as_str()));
    }
    Ok(page)
}

fn tool_call(host: &Host<'_>, params: &Value) -> Result<Value, Fault> {
    let name = params["name"]
        .as_str()
        .ok_or((PARAMS, "`name` is missing".to_owned()))?;
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err((PARAMS, "`arguments` is no object".to_owned())),
    };
    match host.call(name, arguments) {
        Ok(called) => {
            let is_error = !called.returned.success;
            let value = Value::Object(called.returned.value);
            Ok(json!({
                "content": [{"type": "text", "text": value.to_string()}],
                "structuredContent": value,
                "isError": is_error,
            }))
        }
        // The client asked for what there is not; all else a model can learn from.
        Err(error @ (CallError::Find(_) | CallError::BadId(_))) => Err((PARAMS, error.to_string())),
        Err(error) => {
            let value = call::refusal(name, &error);
            Ok(json!({
                "content": [{"type": "text", "text": error.to_string()}],
                "structuredContent": value,
                "isError": true,
            }))
        }
    }
}
