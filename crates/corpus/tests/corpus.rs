//! Helpers that make corpora and tasks for the tests.

use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use toolglot_chat::{ChatError, DialectChoice, LineReader, Reader, dialect_named};
use toolglot_corpus::{
    Check, Columns, Count, Input, ReportedRows, RowReader, Runner, Streams, Summary, Task,
};
use toolglot_value::{Value, json};

/// A reader of the lines of a batch in these dialects.
pub(crate) fn lines(dialects: &str) -> LineReader {
    let find = |name: &str| Ok::<_, ChatError>(vec![dialect_named(name)?.clone()]);
    let dialects = DialectChoice::new(dialects, find).expect("dialects");
    let reader = Reader::new(toolglot_dialects::auto().clone());
    LineReader::new(reader, dialects, None).expect("they compile")
}

/// A reader of rows in the dialect `hermes`.
pub(crate) fn row_reader() -> RowReader {
    RowReader::new(lines("hermes"), Columns::default())
}

pub(crate) fn check() -> Check {
    Check {
        reader: row_reader(),
        rows: ReportedRows::All,
        is_strict: false,
        settings: Value::Null,
    }
}

pub(crate) fn count() -> Count {
    Count {
        reader: row_reader(),
        settings: Value::Null,
    }
}

/// The result of a task for inputs: the data, the report, and the counts.
pub(crate) fn ran<T: Task>(
    task: &T,
    paths: &[PathBuf],
    threads: usize,
) -> (String, String, Summary<T::Tally>) {
    let inputs = Input::all(paths).expect("they are there");
    let runner = Runner::new(Some(threads)).expect("threads start");
    let (mut data, mut report) = (Vec::new(), Vec::new());
    let streams = Streams {
        data: &mut data,
        report: &mut report,
    };
    let summary = runner.stream(task, &inputs, streams, &mut |_| ControlFlow::Continue(()));
    let text = |bytes| String::from_utf8(bytes).expect("JSON is text");
    (text(data), text(report), summary.expect("it runs"))
}

/// The lines of an output.
pub(crate) fn values(lines: &str) -> Vec<Value> {
    let value = |line: &str| toolglot_value::from_str(line).expect("a line of JSON");
    lines.lines().map(value).collect()
}

/// Writes a file of rows, and returns its path.
pub(crate) fn file(folder: &Path, name: &str, rows: &[Value]) -> PathBuf {
    let mut text = Vec::new();
    for row in rows {
        writeln!(text, "{row}").expect("it is memory");
    }
    bytes(folder, name, &text)
}

/// Writes a file, and returns its path.
pub(crate) fn bytes(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("the folder is writable");
    path
}

/// A list of one tool whose `path` is required.
pub(crate) fn tools(name: &str) -> Value {
    json!([{"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}])
}

/// Varied rows: conversations with valid, broken, unknown and truncated calls, and texts.
pub(crate) fn mixed(n: usize) -> Vec<Value> {
    let row = |n: usize| {
        let name = format!("tool_{}", n % 7);
        let text = match n % 5 {
            0 => format!(
                "<tool_call>{{\"name\": \"{name}\", \"arguments\": {{\"path\": \"{n}\"}}}}</tool_call>"
            ),
            1 => format!(
                "<tool_call>{{'name': '{name}', 'arguments': {{'path': '{n}',}}}}</tool_call>"
            ),
            2 => "<tool_call>{\"name\": \"unknown\", \"arguments\": {}}</tool_call>".to_owned(),
            3 => format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{\"path\": \"{n}"),
            _ => "No call.".to_owned(),
        };
        match n % 3 {
            0 => json!({"id": n, "text": text}),
            1 => json!({"id": n, "text": text, "tools": tools(&name)}),
            _ => json!({"id": n, "tools": tools(&name).to_string(), "messages": [
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": text},
                {"role": "tool", "content": "done"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": name, "arguments": "{'path': 'a'"}}]},
            ]}),
        }
    };
    (0..n).map(row).collect()
}
