//! Rows whose broken calls are rewritten.

use toolglot_corpus::{Batch, Repair, RepairTally, Task};
use toolglot_value::{Value, json};

use crate::corpus::{check, row_reader, tools, values};

pub(crate) fn repair() -> Repair {
    Repair {
        reader: row_reader(),
        settings: Value::Null,
    }
}

/// The result for rows: the rows, the report, and the counts.
fn repaired(rows: &[Value]) -> (Vec<Value>, Vec<Value>, RepairTally) {
    let mut batch = Batch::new(0);
    for row in rows {
        batch.push(row.to_string().as_bytes());
    }
    let output = repair().run(&batch);
    let lines = |bytes| values(&String::from_utf8(bytes).expect("text"));
    (lines(output.data), lines(output.report), output.tally)
}

fn repaired_text(text: &str) -> String {
    let (rows, _, _) = repaired(&[json!({ "text": text })]);
    rows[0]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn what_is_around_a_call_stays_byte_for_byte() {
    let fine = "<tool_call>{\"name\": \"f\",   \"arguments\": {}}</tool_call>";
    let text = format!(
        " a\r\n<tool_call>{{'name': 'f', 'arguments': {{'path': 'x',}}}}</tool_call>\t b {fine} c "
    );
    assert_eq!(
        repaired_text(&text),
        format!(
            " a\r\n<tool_call>\n{{\"name\": \"f\", \"arguments\": {{\"path\": \"x\"}}}}\n</tool_call>\t b {fine} c "
        )
    );
}

#[test]
fn a_closer_that_is_missing_at_the_end_is_written() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {\"path\": \"x\"}}";
    assert_eq!(
        repaired_text(text),
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"path\": \"x\"}}\n</tool_call>"
    );
}

#[test]
fn rows_without_a_repair_stay_as_they_were_written() {
    let row = "{ \"text\" : \"<tool_call>{\\\"name\\\":\\\"f\\\",\\\"arguments\\\":{\\\"n\\\":1.50}}</tool_call>\",\"z\":1e5}";
    let mut batch = Batch::new(0);
    batch.push(row.as_bytes());
    let output = repair().run(&batch);
    assert_eq!(output.data, format!("{row}\n").as_bytes());
    assert_eq!(output.report, b"");
}

#[test]
fn a_truncated_call_stays_and_is_reported() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {\"path\": \"x";
    let (rows, report, tally) = repaired(&[json!({"id": 9, "text": text})]);
    assert_eq!(rows, [json!({"id": 9, "text": text})]);
    let left = json!(["the call of `f` stays: it is cut short"]);
    assert_eq!(report, [json!({"row": 0, "id": 9, "left": left})]);
    assert_eq!((tally.left, tally.changed_rows), (1, 0));
}

#[test]
fn arguments_beside_the_text_are_repaired_to_the_schema() {
    let call = |arguments: Value| {
        json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}]}], "tools": tools("f")})
    };
    let (rows, report, tally) = repaired(&[
        call(json!("{'path': 'x'")),
        call(json!("{\"path\":  \"x\"}")),
        call(json!("{\"n\": 1}")),
        call(json!({"path": "x"})),
    ]);
    let arguments = |n: usize| &rows[n]["messages"][0]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(arguments(0), &json!("{\"path\": \"x\"}"));
    assert_eq!(arguments(1), &json!("{\"path\":  \"x\"}"));
    assert_eq!(arguments(2), &json!("{\"n\": 1}"));
    assert_eq!(arguments(3), &json!({"path": "x"}));
    assert_eq!((tally.repaired, tally.left), (1, 1));
    assert!(
        report[1]["left"][0]
            .as_str()
            .is_some_and(|left| left.contains("`path`")),
        "{report:?}"
    );
}

#[test]
fn texts_are_repaired_in_the_place_that_their_form_has() {
    let broken = "<tool_call>{'name': 'f', 'arguments': {}}</tool_call>";
    let whole = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
    let forms = |text: &str| {
        [
            json!({"messages": [{"role": "assistant", "content": text}]}),
            json!({"conversations": [{"from": "gpt", "value": text}]}),
            json!({"messages": [{"role": "assistant", "content": [{"type": "text", "text": text}]}]}),
            json!({"messages": json!([{"role": "assistant", "content": text}]).to_string()}),
            json!([{"role": "assistant", "content": text}]),
        ]
    };
    let (rows, _, tally) = repaired(&forms(broken));
    assert_eq!(rows, forms(whole));
    assert_eq!((tally.repaired, tally.changed_rows), (5, 5));
}

/// A repaired row needs no further repair, and is equal when repaired again.
#[test]
fn repaired_rows_need_no_repair() {
    let rows = crate::corpus::mixed(60);
    let (once, _, _) = repaired(&rows);
    let (twice, _, tally) = repaired(&once);
    assert_eq!(once, twice);
    assert_eq!(tally.repaired, 0);
    let calls = |rows: &[Value]| {
        let mut batch = Batch::new(0);
        for row in rows {
            batch.push(row.to_string().as_bytes());
        }
        check().run(&batch).tally.calls
    };
    assert_eq!(calls(&rows), calls(&once));
}
