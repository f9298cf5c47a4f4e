//! Outputs of a model of 135 million parameters, through the built binary: how many calls can be read, and how many of
//! those fit the tools that the prompt lists, with repairs and without.
//!
//! `recorded` finds the outputs; without them the test is ignored.
//! The figures measure the model as much as the reader; they are in `docs/compare.md`.

use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use toolglot_value::{Map, Value, json};

use crate::recorded;

/// The third format of the prompts: no dialect that ships, four lines that do not.
const TOOL_XML: &str = "dialect small_xml\nvalues: schema|infer, entities\ncall = \"<tool name=\\\"\" name \"\\\">\" ws xml ws \"</tool>\"\n";

/// Notes from the schema, as opposed to notes on repairs.
const VERDICTS: &[&str] = &[
    "unknown-tool",
    "unknown-parameter",
    "missing-parameter",
    "invalid-arguments",
];

/// Rows with a call that can be read; rows whose calls all fit the tools; the same for rows without a repair.
#[derive(Debug, Default, PartialEq)]
struct Score {
    rows: usize,
    readable: usize,
    valid: usize,
    readable_as_written: usize,
    valid_as_written: usize,
}

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn outputs_of_a_small_model() {
    let text = recorded::text("cases/smollm2-outputs.jsonl");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect();
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let dialect = folder.path().join("small_xml");
    fs::write(&dialect, TOOL_XML).expect("the folder is writable");
    for (format, name) in [
        ("hermes", "hermes"),
        ("tool_call_colon", "tool_call"),
        ("tool_xml", dialect.to_str().expect("a plain path")),
    ] {
        let rows: Vec<&Value> = rows.iter().filter(|row| row["format"] == format).collect();
        let score = score(&rows, name);
        let _ = writeln!(io::stderr(), "{format}: {score:?}");
        assert!(score.valid >= score.valid_as_written && score.readable >= score.valid);
        let floor = match format {
            "hermes" => 27,
            "tool_call_colon" => 43,
            _ => 29,
        };
        assert!(
            score.readable >= floor,
            "{format}: {} readable, {floor} were",
            score.readable
        );
    }
}

fn score(rows: &[&Value], dialect: &str) -> Score {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(["parse", "--jsonl", "--dialect", dialect])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let lines: String = rows
        .iter()
        .map(|row| {
            let tools = tools(row["prompt"].as_str().unwrap_or_default());
            let finish = if row["finish"] == "maxTokens" {
                "length"
            } else {
                "stop"
            };
            json!({"id": row["id"], "input": row["raw"], "tools": tools, "finish": finish})
                .to_string()
                + "\n"
        })
        .collect();
    let mut pipe = child.stdin.take().expect("it was asked for");
    let writer = std::thread::spawn(move || pipe.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("it ends").expect("all is read");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let mut score = Score {
        rows: rows.len(),
        ..Score::default()
    };
    for line in text.lines() {
        let document: Value = toolglot_value::from_str(line).expect("a document a line");
        let calls = document["calls"].as_array().expect("a list of calls");
        let notes = document["notes"].as_array().expect("a list of notes");
        let is_verdict =
            |note: &&Value| VERDICTS.contains(&note["name"].as_str().unwrap_or_default());
        let readable = calls.iter().any(|call| call["end"] != "truncated");
        let valid = readable
            && calls.iter().all(|call| call["end"] != "truncated")
            && !notes.iter().any(|note| is_verdict(&note));
        let as_written = notes.iter().all(|note| is_verdict(&note));
        score.readable += usize::from(readable);
        score.valid += usize::from(valid);
        score.readable_as_written += usize::from(readable && as_written);
        score.valid_as_written += usize::from(valid && as_written);
    }
    score
}

/// The tools of a prompt: `- name(parameter: type [choice|choice]?, ..): what it does`.
fn tools(prompt: &str) -> Value {
    let mut tools = Map::new();
    for line in prompt.lines() {
        let Some((name, rest)) = line
            .strip_prefix("- ")
            .and_then(|line| line.split_once('('))
        else {
            continue;
        };
        let Some((parameters, _)) = rest.split_once("):") else {
            continue;
        };
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in parameters.split(", ") {
            let Some((key, kind)) = parameter.split_once(": ") else {
                continue;
            };
            if !kind.ends_with('?') {
                required.push(json!(key));
            }
            let kind = kind.trim_end_matches('?');
            let (kind, choices) = kind.split_once(" [").unwrap_or((kind, ""));
            let mut schema = json!({"type": kind});
            if !choices.is_empty() {
                schema["enum"] = choices.trim_end_matches(']').split('|').collect();
            }
            properties.insert(key.to_owned(), schema);
        }
        let schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        tools.insert(name.to_owned(), schema);
    }
    Value::Object(tools)
}
