//! The recorded cases of the five systems, through the built binary, whole and cut in pieces of 1, 3 and 64 bytes.
//!
//! `recorded` finds the cases; without them the test is ignored.
//! Every row is read as recorded, or is in [`DIFFERENT`] with the reason.

use std::collections::{BTreeMap, BTreeSet};

use toolglot_value::{Map, Value, json};

use crate::recorded;

/// Rows that are read differently than recorded, and why.
const DIFFERENT: &[(&str, &str)] = &[
    // roo
    (
        "roo-codectx-01",
        "a fence of data after text, which begins with a call of a known tool, wraps it",
    ),
    ("roo-codectx-09", "an HTML comment quotes what stands in it"),
    (
        "roo-stream-size-limit",
        "a message has no largest size; limits bound what is held undecided",
    ),
    (
        "roo-path-unclosed",
        "the tool's own closer ends the value as well, and the call is recovered instead of truncated",
    ),
    (
        "roo-partial-unclosed",
        "only the call's closer is missing after a stop, where servers strip it: the call is closed, with a note",
    ),
    // forge
    (
        "forge-infer-special-infp",
        "a number that JSON cannot carry is a string, with a note",
    ),
    (
        "forge-infer-special-infm",
        "a number that JSON cannot carry is a string, with a note",
    ),
    (
        "forge-infer-special-nan",
        "a number that JSON cannot carry is a string, with a note",
    ),
    ("forge-bare-lt", "a bare `<` is mended, with a note"),
    (
        "forge-size-limit",
        "a message has no largest size; limits bound what is held undecided",
    ),
    ("forge-two-tools", "every call of a message is read"),
    ("forge-early-name-06", "without `<tool>` there is no call"),
    ("forge-early-name-11", "without `<tool>` there is no call"),
    ("forge-early-name-12", "without `<tool>` there is no call"),
    // axe
    (
        "axe-native-mixed-seed",
        "calls are in the order of the message, whatever their form",
    ),
    (
        "axe-bash-dedup",
        "`parse` lists every call; repeated ones are found by `run`",
    ),
    (
        "axe-dedup-across-formats",
        "`parse` lists every call; repeated ones are found by `run`",
    ),
    (
        "axe-invoke-unknown-tool",
        "a call of an unknown tool is shown, not dropped",
    ),
    (
        "axe-invoke-missing-close",
        "a call that is not closed is shown as truncated, and never run",
    ),
];

/// File, and the dialect where all its rows have one.
const FILES: &[(&str, Option<&str>)] = &[
    ("000-roo", None),
    ("001-forge", None),
    ("002-rye", Some("rye_invoke")),
    ("003-axe", Some("axe")),
    ("004-toolcall-json", None),
];

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn recorded_cases_are_read_as_recorded() {
    let mut different = BTreeMap::new();
    for (file, dialect) in FILES {
        let text = recorded::text(&format!("cases/seeds/{file}.jsonl"));
        let rows: Vec<Row> = text
            .lines()
            .filter(|line| is_message(line))
            .map(|line| Row::read(line, *dialect))
            .collect();
        let whole = parsed(&rows, None);
        for chunk in ["1", "3", "64"] {
            for (cut, whole) in parsed(&rows, Some(chunk)).iter().zip(&whole) {
                assert!(cut == whole, "{} in pieces of {chunk}", whole["id"]);
            }
        }
        for (row, document) in rows.iter().zip(&whole) {
            let misses = row.misses(document);
            if !misses.is_empty() {
                different.insert(row.id.clone(), misses);
            }
        }
    }
    let explained: BTreeSet<&str> = DIFFERENT.iter().map(|(id, _)| *id).collect();
    for (id, misses) in &different {
        assert!(
            explained.contains(id.as_str()),
            "{id}: {}",
            misses.join("\n")
        );
    }
    let well_read: Vec<&str> = explained
        .into_iter()
        .filter(|id| !different.contains_key(*id))
        .collect();
    assert!(
        well_read.is_empty(),
        "as recorded now, to be struck from the list: {well_read:?}"
    );
}

/// Whether the row's input is a model's text. Some of Rye's rows are about tool files and their capabilities.
fn is_message(line: &str) -> bool {
    let row: Value = toolglot_value::from_str(line).expect("a row is JSON");
    !row["dialect"]
        .as_str()
        .unwrap_or_default()
        .starts_with("rye-")
}

/// The documents of the rows, in order.
fn parsed(rows: &[Row], chunk: Option<&str>) -> Vec<Value> {
    let lines: Vec<Value> = rows.iter().map(|row| row.line.clone()).collect();
    let cut = chunk.map(|chunk| ["--chunk", chunk]);
    recorded::parsed(cut.as_ref().map_or(&[], |cut| &cut[..]), &lines)
}

/// One recorded case.
struct Row {
    id: String,
    /// The request to the binary.
    line: Value,
    /// The expected answer; `None` if the record only contains what must not be read.
    expected: Option<Value>,
    /// Whether the recorded names are the names of AXE's classes.
    has_classes: bool,
}

impl Row {
    fn read(line: &str, dialect: Option<&str>) -> Row {
        let row: Value = toolglot_value::from_str(line).expect("a row is JSON");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let mut line = json!({
            "id": row["id"],
            "input": input(&row),
            "dialect": dialect.map_or_else(|| text("dialect"), str::to_owned),
        });
        // `roo-default` names the tools that the dialect has by default.
        if row["tools"].is_object() {
            line["tools"] = row["tools"].clone();
        }
        let expected = [&row["expected"], &row["better"]];
        Row {
            id: text("id"),
            line,
            expected: expected.into_iter().find(|e| e.is_object()).cloned(),
            has_classes: dialect == Some("axe"),
        }
    }

    /// The differences between `document` and the record.
    fn misses(&self, document: &Value) -> Vec<String> {
        let Some(expected) = &self.expected else {
            return Vec::new();
        };
        let mut misses = Vec::new();
        let mut check = |what: &str, expected: Value, found: Value| {
            if !same(&expected, &found) {
                misses.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        let written = document["calls"].as_array().expect("a document has calls");
        let is_announced = expected.get("early_tool_name").is_some();
        let is_error = expected["error"].is_string();
        // An error is a call that never runs, or no call. An announced name belongs to a call that has just started.
        let counts = |call: &&Value| !(is_announced || is_error && call["end"] == "truncated");
        let found: Vec<Value> = written
            .iter()
            .filter(counts)
            .map(|call| self.found(call))
            .collect();
        let recorded = expected["calls"].as_array().into_iter().flatten();
        let recorded: Vec<Value> = recorded.map(|call| self.recorded(call)).collect();
        check("calls", json!(recorded), json!(found));
        for (call, found) in expected["calls"]
            .as_array()
            .into_iter()
            .flatten()
            .zip(written)
        {
            if call["partial"] == true {
                check("end", json!("truncated"), found["end"].clone());
            }
            if call["server"].is_string() {
                check("server", call["server"].clone(), found["server"].clone());
            }
        }
        if is_announced {
            let first = written.first().map(|call| &call["name"]);
            check("name", expected["early_tool_name"].clone(), json!(first));
        }
        if let Some(error) = expected["error"].as_str() {
            let notes = document["notes"].as_array().into_iter().flatten();
            let is_noted = notes.into_iter().any(|note| is_said(error, note));
            check(
                "noted",
                json!(error),
                json!(if is_noted { error } else { "" }),
            );
        }
        let content = document["content"].as_str().unwrap_or_default();
        if let Some(text) = expected["content"].as_str() {
            check("content", json!(text.trim()), json!(content.trim()));
        }
        if let Some(blocks) = expected["text_blocks"].as_array() {
            let mut rest = content;
            let are_there = blocks.iter().filter_map(Value::as_str).all(|block| {
                let found = rest.split_once(block);
                rest = found.map_or(rest, |(_, after)| after);
                found.is_some()
            });
            check("text blocks", json!(true), json!(are_there));
        }
        for (key, at_start) in [("text_before", true), ("text_after", false)] {
            if let Some(text) = expected[key].as_str() {
                let content = content.trim();
                let found = if at_start {
                    content.starts_with(text)
                } else {
                    content.ends_with(text)
                };
                check(key, json!(true), json!(found));
            }
        }
        misses
    }

    fn recorded(&self, call: &Value) -> Value {
        let arguments = self.arguments(&call["arguments"]);
        let name = call["name"].as_str().unwrap_or_default();
        let written = call["raw_name"].as_str().unwrap_or_default();
        json!([
            if self.has_classes {
                class(name, written)
            } else {
                name
            },
            arguments
        ])
    }

    fn found(&self, call: &Value) -> Value {
        let name = call["name"].as_str().unwrap_or_default();
        json!([
            if self.has_classes { tool(name) } else { name },
            self.arguments(&call["arguments"])
        ])
    }

    fn arguments(&self, written: &Value) -> Value {
        let Some(object) = written.as_object().filter(|_| self.has_classes) else {
            return written.clone();
        };
        let renamed = object
            .iter()
            .map(|(key, value)| (parameter(key).to_owned(), value.clone()));
        Value::Object(renamed.collect::<Map<_, _>>())
    }
}

/// The row's text, with padding of the recorded size.
fn input(row: &Value) -> String {
    let text = row["input"].as_str().unwrap_or_default();
    let generator = &row["generator"];
    let Some(pad) = generator["pad_char"].as_str() else {
        return text.to_owned();
    };
    let size = |key: &str| {
        generator[key]
            .as_u64()
            .and_then(|size| usize::try_from(size).ok())
    };
    let n_pads =
        size("pad_bytes").or_else(|| Some(size("total_bytes")? + "{PAD}".len() - text.len()));
    text.replace("{PAD}", &pad.repeat(n_pads.unwrap_or_default()))
}

/// Whether a note reports the `error` of the record.
fn is_said(error: &str, note: &Value) -> bool {
    let name = note["name"].as_str().unwrap_or_default();
    match error {
        "malformed_json" => matches!(name, "malformed-json" | "not-a-call"),
        // A text without any part of a call is reported as not a call.
        "missing_tool_name" => matches!(name, "missing-tool-name" | "not-a-call"),
        error => name == error.replace('_', "-"),
    }
}

/// The tool for one of AXE's classes.
fn class<'a>(class: &'a str, written: &str) -> &'a str {
    match class {
        "READ" => "read_file",
        "WRITE" => "write_file",
        "APPEND" => "append_file",
        "EXEC" if matches!(written, "list_dir" | "list_directory" | "ls" | "listdir") => {
            "list_files"
        }
        "EXEC" => "execute_command",
        other => other,
    }
}

/// The tool for one of the names that AXE knows.
fn tool(written: &str) -> &str {
    match written.to_ascii_lowercase().as_str() {
        "read_file" | "read" | "cat" | "get_file" | "view_file" => "read_file",
        "write_file" | "write" | "create_file" | "save_file" => "write_file",
        "append_file" | "append_to_file" | "append" => "append_file",
        "shell" | "bash" | "exec" | "run_shell" | "execute" | "run_command" => "execute_command",
        "list_dir" | "list_directory" | "ls" | "listdir" => "list_files",
        _ => written,
    }
}

/// The parameter for one of the names that AXE knows.
fn parameter(written: &str) -> &str {
    match written {
        "file_path" | "filename" | "file" => "path",
        "data" | "text" | "contents" => "content",
        "cmd" | "shell_command" => "command",
        "directory" | "dir" => "path",
        other => other,
    }
}

/// Equality of values: numbers by value, keys in any order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one.to_string() == other.to_string()
                || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}
