//! Conversations in another dialect.

use toolglot_corpus::{Batch, Columns, Convert, Target, Task};
use toolglot_value::{Value, json};

use crate::corpus::{lines, tools, values};

pub(crate) fn convert(to: &str) -> Convert {
    Convert {
        lines: lines("hermes"),
        is_structured: false,
        target: match to {
            "openai" => Target::Chat,
            "responses" => Target::Responses,
            name => Target::Text(Box::new(
                toolglot_chat::dialect_named(name)
                    .expect("it is built in")
                    .clone(),
            )),
        },
        is_checked: true,
        columns: Columns::default(),
        settings: Value::Null,
    }
}

fn converted(to: &str, rows: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let mut batch = Batch::new(0);
    for row in rows {
        batch.push(row.to_string().as_bytes());
    }
    let output = convert(to).run(&batch);
    let lines = |bytes| values(&String::from_utf8(bytes).expect("text"));
    (lines(output.data), lines(output.report))
}

const CALL: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {\"path\": \"x\"}}</tool_call>";

#[test]
fn texts_and_conversations_are_written_in_the_other_dialect() {
    let (rows, report) = converted(
        "qwen3_coder",
        &[
            json!({"id": 1, "text": CALL, "tools": tools("f")}),
            json!({"id": 2, "messages": [{"role": "assistant", "content": CALL}]}),
            json!({"id": 3, "messages": json!([{"role": "assistant", "content": CALL}]).to_string()}),
        ],
    );
    let text =
        "<tool_call>\n<function=f>\n<parameter=path>\nx\n</parameter>\n</function>\n</tool_call>";
    assert_eq!(rows[0]["text"], json!(text));
    assert_eq!(rows[1]["messages"][0]["content"], json!(text));
    let encoded = rows[2]["messages"]
        .as_str()
        .expect("a list as text stays one");
    assert_eq!(values(encoded)[0][0]["content"], json!(text));
    assert_eq!(report, [Value::Null; 0]);
}

#[test]
fn a_text_becomes_messages_where_the_target_is_structured() {
    let rows = [json!({"id": 1, "text": CALL})];
    let (chat, _) = converted("openai", &rows);
    assert_eq!(
        chat[0]["messages"][0]["tool_calls"][0]["function"]["name"],
        "f"
    );
    assert!(chat[0].get("text").is_none());
    let (items, _) = converted("responses", &rows);
    assert_eq!(items[0]["input"][0]["type"], "function_call");
}

#[test]
fn what_is_not_carried_stays_and_is_reported() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {\"path\": \"x";
    let row = json!({"id": 4, "messages": [{"role": "assistant", "content": text}]});
    let (rows, report) = converted("openai", &[row.clone(), json!({"id": 5})]);
    assert_eq!(rows[0], row);
    let left = json!(["messages[0]: the call of `f` is cut short"]);
    assert_eq!(report[0], json!({"row": 0, "id": 4, "left": left}));
    assert_eq!(
        (&report[1]["row"], &report[1]["id"]),
        (&json!(1), &json!(5))
    );
    assert_eq!(rows[1]["id"], json!(5));
    assert!(
        rows[1]["error"].is_string(),
        "a bad row has its answer in its place"
    );
}
