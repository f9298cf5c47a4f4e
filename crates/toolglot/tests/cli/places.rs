//! Notes of a schema on a call point at the value in the text, in every format and after every repair.

use toolglot_value::{Value, json};

use crate::cli::toolglot;

/// A dialect, a message, and the texts that the notes on its arguments point at.
const ROWS: &[(&str, &str, &[&str])] = &[
    (
        "hermes",
        "<tool_call>\n{\"name\": \"edit\", \"arguments\": {\"path\": \"a\", \"level\": 7, \"edits\": [{\"line\": \"x\"}]}}\n</tool_call>",
        &["\"level\": 7", "\"line\": \"x\""],
    ),
    (
        "hermes",
        "<tool_call>\n{\"name\": \"edit\", \"arguments\": {'path': \"a\", level: 1_0, edits: [{line: 'é x'},]}}\n</tool_call>",
        &["level: 1_0", "é x"],
    ),
    (
        "hermes",
        "Now: <tool_call>\n{\"name\": \"edit\", \"arguments\": {\"level\": 1, \"file\" : {\"a\": 1}}}\n</tool_call>",
        &[
            "\"file\" : {\"a\": 1}",
            "{\"level\": 1, \"file\" : {\"a\": 1}}",
        ],
    ),
    (
        "hermes",
        "<tool_call>\n{\"arguments\": {\"Path\": \"a\", \"edits\": {\"line\" : \"x\"}}, \"name\": \"edit\"}\n</tool_call>",
        &["x"],
    ),
    (
        "mistral",
        "[TOOL_CALLS] [{\"name\": \"edit\", \"arguments\": {\"path\": \"a\"}}, {\"name\": \"edit\", \"arguments\": {\"path\": \"b\", \"level\": true}}]",
        &["\"level\": true"],
    ),
    (
        "qwen3_coder",
        "<tool_call>\n<function=edit>\n<parameter=path>\na\n</parameter>\n<parameter=level>\nseven\n</parameter>\n<parameter=edits>\n[{\"line\": \"x\"}]\n</parameter>\n</function>\n</tool_call>",
        &["seven", "\"line\": \"x\""],
    ),
    (
        "forge",
        "<tool><tool_name>edit</tool_name><arguments><path>a</path><level>12</level><edits><line>x</line></edits></arguments></tool>",
        &["12", "x"],
    ),
    (
        "pythonic",
        "[edit(path=\"a\", level=12, edits=[{\"line\": \"x\"}])]",
        &["12", "x"],
    ),
    (
        "pythonic",
        "[edit(level=1, path=['a', {'path': 1}])]",
        &["path=['a', {'path': 1}]"],
    ),
    (
        "gemma4",
        "<|tool_call>call:edit{path:<|\"|>a<|\"|>,level:12,edits:[{line:<|\"|>x<|\"|>}]}<tool_call|>",
        &["12", "x"],
    ),
];

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "edit", "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "level": {"type": "integer", "maximum": 3},
            "edits": {"type": "array", "items": {
                "type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]
            }}
        },
        "required": ["path"]
    }}}])
}

#[test]
fn faults_point_at_the_value() {
    let lines: Vec<String> = ROWS
        .iter()
        .map(|(dialect, input, _)| {
            json!({"id": dialect, "input": input, "dialect": dialect, "tools": tools()}).to_string()
        })
        .collect();
    let ran = toolglot(&["parse", "--jsonl"], lines.join("\n"));
    assert_eq!(ran.code, 1, "{}", ran.err);
    for ((dialect, input, want), answer) in ROWS.iter().zip(ran.lines()) {
        let notes = answer["notes"].as_array().expect("a list");
        let found: Vec<&str> = notes
            .iter()
            .filter(|note| note["code"] == "N063" || note["code"] == "N064")
            .map(|note| {
                let at = |n: usize| note["span"][n].as_u64().expect("a place");
                let range =
                    usize::try_from(at(0)).expect("small")..usize::try_from(at(1)).expect("small");
                &input[range]
            })
            .collect();
        assert_eq!(found, *want, "{dialect}: {input}");
    }
}
