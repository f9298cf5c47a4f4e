//! Cases that any parser of a dialect should read the same: `crates/conform` gives them to other projects' parsers.
//!
//! They come from four files of each dialect and have no notes, only closed calls and no special options.
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot-dialects --test tests cases::shared` regenerates them.

use std::collections::BTreeMap;

use toolglot_dialect_check::Case;
use toolglot_engine::{Calls, End, Finish, Input, Parser};
use toolglot_value::{Value, json};

use super::documents::{self, DocumentCase};

const FILES: &[&str] = &["one_call", "several_calls", "text_around", "plain_text"];

#[test]
fn cases_for_other_parsers_are_up_to_date() {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = String::new();
    for DocumentCase { file, case } in documents::all() {
        let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        let Some(mut row) = FILES.contains(&stem).then(|| row(&case, stem)).flatten() else {
            continue;
        };
        let name = row["name"].as_str().expect("a name").to_owned();
        let n_same = names
            .entry(format!("{}{name}", row["dialect"]))
            .or_default();
        *n_same += 1;
        if *n_same > 1 {
            row["name"] = Value::from(format!("{name} {n_same}"));
        }
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    assert!(lines.lines().count() > 200, "{}", lines.lines().count());
    documents::assert_up_to_date("crates/conform/data/written.jsonl", &lines);
}

/// The case with its parsed calls; `None` if other parsers may reasonably differ.
fn row(case: &Case, stem: &str) -> Option<Value> {
    let [dialect] = case.options.dialects.as_slice() else {
        return None;
    };
    let is_plain = case.options.finish == Finish::Stop
        && !case.options.reasoning_open
        && case.input.iter().all(|part| !part.special);
    if !is_plain {
        return None;
    }
    let input: String = case.input.iter().map(|part| part.text.as_str()).collect();
    let mut read = Calls::default();
    let mut parser = Parser::new(documents::program(case).expect("a program"));
    parser.push(Input::Text(&input), &mut read);
    parser.finish(case.options.finish, &mut read);
    let is_closed = read.calls.iter().all(|call| call.end == End::Closed);
    if !read.notes.is_empty() || !read.reasoning.is_empty() || !is_closed {
        return None;
    }
    let calls = read.calls.iter().map(|call| {
        let arguments = toolglot_value::from_str(&call.arguments).expect("closed arguments");
        json!({"name": call.name, "arguments": arguments})
    });
    let toolbox = case.toolbox().expect("it is checked when it is read");
    let tools = toolbox.map(|toolbox| {
        let tools = toolbox.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name,
                "parameters": tool.parameters,
            }})
        });
        Value::Array(tools.collect())
    });
    let mut row = json!({
        "dialect": dialect,
        "name": format!("{stem}: {}", case.title),
        "input": input,
        "calls": Value::Array(calls.collect()),
        "content": read.content,
    });
    if let Some(tools) = tools {
        row.as_object_mut()?.insert("tools".to_owned(), tools);
    }
    Some(row)
}
