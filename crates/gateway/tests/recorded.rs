//! The recorded cases of all dialects through the gateway, compared with the parser alone: the same calls and the same
//! text.
//!
//! They are in the folder that `TOOLGLOT_SHARED` names, or in `shared` beside the workspace; without them the test is ignored.
//! Only a sample is read, to save time; `TOOLGLOT_ALL_CASES=1` reads all of them in each mode and cut.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use toolglot_chat::{compile, dialects_named};
use toolglot_engine::{End, Event, Finish, Input, Parser, Span};
use toolglot_gateway::{Models, Server};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, from_slice, from_str, json};

use crate::calls::{CUTS, Cut, PATHS, Read, read_stream, read_whole, streamed, whole};
use crate::client::post;
use crate::fake_upstream::{Answer, FakeUpstream};
use crate::gateway::Gateway;

/// One of this many rows is read without `TOOLGLOT_ALL_CASES`.
const STRIDE: usize = 37;

/// Guessed calls are sent, as the parser alone emits them.
const MODELS: &str = r#"
[models."raw-open*"]
mode = "raw"
reasoning-open = true
recovered = "send"
[models."raw*"]
mode = "raw"
recovered = "send"
[models."recover-open*"]
mode = "recover"
reasoning-open = true
recovered = "send"
[models."recover*"]
mode = "recover"
recovered = "send"
[models."emulate-open*"]
mode = "emulate"
reasoning-open = true
recovered = "send"
[models."emulate*"]
mode = "emulate"
recovered = "send"
"#;

/// A message of a model.
struct Row {
    id: String,
    input: String,
    is_open: bool,
    tools: Vec<Value>,
}

/// `None` if the row needs more than an API can express: the end of a prompt, or a choice of tools.
fn row(row: &Value) -> Option<Row> {
    let has = |key: &str| row.get(key).is_some_and(|value| !value.is_null());
    if has("prompt_suffix") || has("tool_choice") {
        return None;
    }
    let mut tools = Vec::new();
    for tool in row["tools"].as_array().into_iter().flatten() {
        tool.get("function")?;
        tools.push(tool.clone());
    }
    if tools.is_empty() {
        let calls = row["expected"]["calls"].as_array();
        let names = calls.into_iter().flatten();
        let mut names: BTreeSet<&str> = names.filter_map(|call| call["name"].as_str()).collect();
        names.insert("another_tool");
        let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
        tools.extend(names.into_iter().map(tool));
    }
    Some(Row {
        id: row["id"].as_str()?.to_owned(),
        input: row["input"].as_str()?.to_owned(),
        is_open: row["reasoning_open"] == true,
        tools,
    })
}

/// The result of the parser alone.
fn parsed(row: &Row) -> Read {
    let toolbox = Toolbox::from_json(&Value::Array(row.tools.clone())).expect("tools");
    let dialects = dialects_named("auto", Some(&toolbox)).expect("dialects");
    let mut parser = Parser::new(compile(&dialects, Some(&toolbox)).expect("a program"));
    if row.is_open {
        parser = parser.reasoning_open();
    }
    let mut read = Read::default();
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut is_cut = false;
    let mut sink = |_: Span, event: Event<'_>| match event {
        Event::Text(text) => read.text += text,
        Event::CallStart(head) => calls.push((head.name.to_owned(), String::new())),
        Event::Args { call, json } => calls[call.0 as usize].1 += json,
        Event::CallEnd { call, end } => {
            let json = &mut calls[call.0 as usize].1;
            is_cut |= end == End::Truncated;
            match from_str(json) {
                Ok(value) if end != End::Truncated => *json = value.to_string(),
                _ => json.clear(),
            }
        }
        _ => {}
    };
    parser.push(Input::Text(&row.input), &mut sink);
    parser.finish(Finish::Stop, &mut sink);
    calls.retain(|(_, json)| !json.is_empty());
    read.end = match calls.len() {
        _ if is_cut => "length",
        0 => "stop",
        _ => "call",
    };
    read.calls = calls;
    read
}

/// The body of a request with these tools.
fn request(path: &str, model: &str, row: &Row, is_stream: bool) -> String {
    let tools = row.tools.iter().map(|tool| {
        let mut function = match &tool["function"] {
            Value::Object(function) => function.clone(),
            _ => Map::new(),
        };
        match path {
            "/v1/chat/completions" => return tool.clone(),
            "/v1/responses" => {
                function.insert("type".to_owned(), Value::from("function"));
            }
            _ => {
                let schema = function.remove("parameters");
                let schema = schema.unwrap_or_else(|| json!({"type": "object"}));
                function.insert("input_schema".to_owned(), schema);
                function.remove("strict");
            }
        }
        Value::Object(function)
    });
    let tools: Vec<Value> = tools.collect();
    let message = json!([{"role": "user", "content": "Go on."}]);
    let mut body = json!({"model": model, "stream": is_stream, "tools": tools, "max_tokens": 9000});
    let messages = if path == "/v1/responses" {
        "input"
    } else {
        "messages"
    };
    body[messages] = message;
    body.to_string()
}

/// Removes differences without meaning: blanks between items are not an item, and a truncated streamed call is a
/// prefix.
fn comparable(mut read: Read) -> Read {
    read.text.retain(|c| !c.is_whitespace());
    read.calls.retain(|(_, json)| json.starts_with('{'));
    read
}

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn recorded_cases_come_through_the_gateway_as_the_parser_reads_them() {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let shared = std::env::var_os("TOOLGLOT_SHARED").unwrap_or_else(|| "../shared".into());
    let file = root.join(shared).join("cases/models.jsonl");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!(
            "no recorded cases: {}: {error}; set TOOLGLOT_SHARED",
            file.display()
        )
    });
    let is_all = std::env::var_os("TOOLGLOT_ALL_CASES").is_some();
    let rows: Vec<Row> = text
        .lines()
        .filter_map(|line| row(&from_str(line).expect("JSON")))
        .collect();
    let rows: Arc<Vec<Row>> = Arc::new(rows);

    // The model's name encodes the mode, the row and the cut.
    let script = Arc::clone(&rows);
    let upstream = FakeUpstream::scripted(move |_, asked| {
        let body = from_slice(&asked.body).unwrap_or_default();
        let model = body["model"].as_str().unwrap_or_default();
        let mut parts = model.split('/').skip(1);
        let (Some(at), Some(cut)) = (parts.next(), parts.next()) else {
            return Answer::json(404, "{}");
        };
        let text = &script[at.parse::<usize>().expect("a number")].input;
        match cut {
            "Bytes" => streamed(text, Cut::Bytes, "stop"),
            "Tokens" => streamed(text, Cut::Tokens, "stop"),
            "Whole" => streamed(text, Cut::Whole, "stop"),
            _ => whole(text, "stop"),
        }
    });
    let models = Models::from_toml(MODELS).expect("a configuration");
    let gateway = Gateway::of(Server::builder(upstream.url()).models(models));

    let (mut n, mut wrong) = (0, Vec::new());
    let step = if is_all { 1 } else { STRIDE };
    for (at, row) in rows.iter().enumerate().step_by(step) {
        let expected = comparable(parsed(row));
        for (n_mode, mode) in ["raw", "recover", "emulate"].into_iter().enumerate() {
            for (n_cut, cut) in CUTS.map(Some).into_iter().chain([None]).enumerate() {
                // A row is combined with each mode, each cut and each API, but not with each combination.
                let path = PATHS[(n_mode + n_cut + at / step) % PATHS.len()];
                // Single-byte cuts take most of the time.
                if !is_all && n_cut == 0 && (at / step) % 3 != n_mode {
                    continue;
                }
                let open = if row.is_open { "-open" } else { "" };
                let word = cut.map_or("none".to_owned(), |cut| format!("{cut:?}"));
                let model = format!("{mode}{open}/{at}/{word}");
                let body = request(path, &model, row, cut.is_some());
                let reply = post(gateway.address, path, &body);
                let read = if reply.status != 200 {
                    Read::default()
                } else if cut.is_some() {
                    read_stream(path, &reply.body)
                } else {
                    read_whole(path, &reply.body)
                };
                let read = comparable(read);
                n += 1;
                if read != expected {
                    let id = &row.id;
                    wrong.push(format!(
                        "{id} {model} {path} {}\n  {read:?}\n  {expected:?}",
                        reply.status
                    ));
                }
            }
        }
    }
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>();
    assert!(
        wrong.is_empty(),
        "{} of {n} differ:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(n > 250, "{n} answers were compared");
}
