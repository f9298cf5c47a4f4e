use serde_json::json;

use crate::toolglot;

#[test]
fn good_lines_are_no_fault() {
    let ran = toolglot(
        &["parse", "--jsonl"],
        "{\"input\":\"a\"}\n{\"input\":\"b\"}\n",
    );
    assert_eq!((ran.code, ran.lines().len()), (0, 2), "{}", ran.err);
}

#[test]
fn who_may_not_call_tools_makes_no_calls() {
    let text = "a <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> b";
    let line = json!({"id": 1, "input": text, "dialect": "hermes", "tool_choice": "none"});
    let document = toolglot(&["parse", "--jsonl"], line.to_string()).json();
    assert_eq!(document["calls"], json!([]));
    assert_eq!(document["content"], text);
}
