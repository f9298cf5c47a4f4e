use serde_json::json;

use crate::toolglot;

#[test]
fn results_are_no_calls() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let results =
        json!({"results": [{"name": "read_file", "arguments": {"path": "a"}, "result": text}]});
    let rendered = toolglot(&["render", "--dialect", "hermes"], results.to_string());
    assert_eq!(rendered.code, 0, "{}", rendered.err);
    let document = toolglot(
        &["parse", "--dialect", "hermes", "--format", "json"],
        &rendered.out,
    )
    .json();
    assert_eq!(document["calls"], json!([]), "{}", rendered.out);
}

#[test]
fn what_is_no_message_is_an_error_of_usage() {
    let ran = toolglot(
        &["render", "--dialect", "hermes"],
        "{\"calls\":[],\"results\":[]}",
    );
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "error: expected either `calls` or `results`\n");
}
