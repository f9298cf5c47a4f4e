//! The results for single rows.

use toolglot_corpus::{Batch, Columns, RowReader, Task};
use toolglot_value::{Value, json};

use crate::corpus::{check, count, lines, row_reader, tools, values};

fn checked(rows: &[&str]) -> Vec<Value> {
    let mut batch = Batch::new(0);
    for row in rows {
        batch.push(row.as_bytes());
    }
    values(&String::from_utf8(check().run(&batch).data).expect("text"))
}

/// A row in the form of a line of `parse --jsonl` has the same document, after the number of the row.
#[test]
fn a_text_has_the_document_of_a_line() {
    let row = json!({"id": "a", "input": "<tool_call>{'name': 'f', 'arguments': {'pth': 'a'}}</tool_call>",
        "tools": tools("f"), "finish": "length"});
    let found = checked(&[&row.to_string()]);
    let line = toolglot_wire::Line::read(&row.to_string()).expect("a line");
    let digest = lines("hermes").read(&line).expect("it is read");
    let mut document = toolglot_value::to_value(&digest.document).expect("JSON");
    document["row"] = json!(0);
    assert_eq!(found, [document]);
    assert!(digest.is_faulty, "the path is missing");
}

#[test]
fn bad_rows_are_rows_of_the_report() {
    let found = checked(&[
        "{nothing",
        r#"{"id": 1, "prompt": "x", "answer": "y"}"#,
        r#"{"id": 2, "text": 5}"#,
        r#"{"id": 3, "messages": [1]}"#,
        r#"{"id": 4, "messages": []}"#,
        r#"{"id": 5, "text": "x", "tools": "builtin:nope"}"#,
        r#"{"id": 6, "text": "x", "tools": "[{"}"#,
        "5",
        "{}",
    ]);
    let errors: Vec<_> = found
        .iter()
        .map(|row| row["error"].as_str().unwrap_or("-"))
        .collect();
    let starts = [
        "not JSON: ",
        "no column `messages`, `conversations`, `text` or `input`; the row has `id`, `prompt`, `answer`",
        "column `text` must be a text or a list of messages, found a number",
        "`messages[0]` must be an object",
        "-",
        "unknown builtin tool set `nope`; write ",
        "column `tools` is not JSON: ",
        "expected an object, found a number",
        "no column `messages`, `conversations`, `text` or `input`; the row is empty",
    ];
    assert_eq!(errors.len(), starts.len());
    for (n, (error, start)) in errors.iter().zip(starts).enumerate() {
        assert!(error.starts_with(start), "{n}: {error}");
        assert_eq!(found[n]["row"], json!(n));
    }
    assert_eq!(found[2]["id"], json!(2));
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let mut batch = Batch::new(7);
    batch.push(b"{\"id\": 3, \"text\": \"\xff\"}");
    let output = check().run(&batch);
    let found = values(&String::from_utf8(output.data).expect("text"));
    assert_eq!(
        found,
        [json!({"row": 7, "id": 3, "error": "not UTF-8: byte 19"})]
    );
    assert_eq!((output.tally.rows, output.tally.bad_rows), (1, 1));
}

/// Structured calls are checked like calls in the text.
#[test]
fn structured_calls_are_verified() {
    let call = |name: &str, arguments: &str| json!({"id": "1", "function": {"name": name, "arguments": arguments}});
    let message =
        |calls: Value| json!({"role": "assistant", "content": "I look.", "tool_calls": calls});
    let row = json!({"messages": [
        message(json!([call("f", r#"{"path": "a"}"#)])),
        message(json!([call("f", r#"{"pth": "a"}"#)])),
        message(json!([call("g", "{}")])),
        message(json!([call("f", "{'path'")])),
    ], "tools": tools("f")});
    let found = checked(&[&row.to_string()]);
    let codes = |n: usize| -> Vec<&str> {
        let notes = found[0]["messages"][n]["notes"].as_array().expect("notes");
        notes
            .iter()
            .filter_map(|note| note["name"].as_str())
            .collect()
    };
    assert_eq!(codes(0), [""; 0]);
    assert!(codes(1).contains(&"missing-parameter"), "{:?}", codes(1));
    assert_eq!(codes(2), ["unknown-tool"]);
    assert_eq!(codes(3), ["invalid-arguments"]);
    assert_eq!(
        found[0]["messages"][3]["calls"][0]["arguments_raw"],
        "{'path'"
    );
    assert_eq!(found[0]["messages"][0]["content"], "I look.");
}

/// Broken arguments are reported without tools, too.
#[test]
fn structured_arguments_are_objects_without_tools_too() {
    let row = r#"{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]}"#;
    let mut batch = Batch::new(0);
    batch.push(row.as_bytes());
    let stats = count().run(&batch).tally;
    assert_eq!((stats.faulty_rows, stats.arguments.invalid), (1, 1));
}

#[test]
fn columns_have_other_names_when_asked_for() {
    let columns = Columns {
        content: Some("dialog".into()),
        tools: "functions".into(),
    };
    let check = toolglot_corpus::Check {
        reader: RowReader::new(lines("hermes"), columns),
        ..check()
    };
    let text = r#"<tool_call>{"name": "g", "arguments": {}}</tool_call>"#;
    let row = json!({"text": "not this", "dialog": text, "functions": tools("f"), "tools": 5});
    let mut batch = Batch::new(0);
    batch.push(row.to_string().as_bytes());
    batch.push(br#"{"text": "x"}"#);
    let output = check.run(&batch);
    let found = values(&String::from_utf8(output.data).expect("text"));
    assert_eq!(found[0]["notes"][0]["name"], "unknown-tool");
    assert_eq!(found[1]["error"], "no column `dialog`; the row has `text`");
}

/// A panic would be reported as a row: no prefix of these rows causes one.
#[test]
fn no_prefix_of_a_row_ends_a_run() {
    let row = crate::corpus::mixed(3).pop().expect("a row").to_string();
    let mut batch = Batch::new(0);
    for end in 0..row.len() {
        batch.push(&row.as_bytes()[..end]);
    }
    let tally = check().run(&batch).tally;
    assert_eq!(
        (tally.rows, tally.bad_rows),
        (row.len() as u64, row.len() as u64)
    );
    let _ = row_reader();
}
