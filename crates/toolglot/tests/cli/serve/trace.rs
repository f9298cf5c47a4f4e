//! `--trace`: what a collector of traces learns, and what it does not.

use std::fs;

use toolglot_value::{Value, from_str, json};

use super::gateway::Gateway;
use super::http::post;
use super::upstream::Upstream;

const CALL: &str =
    "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"secret\"}}\n</tool_call>";

#[test]
fn requests_and_calls_have_the_attributes_of_the_conventions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace.jsonl");
    let name = file.to_str().expect("UTF-8");
    let upstream = Upstream::writing(CALL);
    let gateway = Gateway::start(&upstream.url, &["--trace", name, "--mode", "recover"], &[]);
    let message = json!({"role": "user", "content": "Look."});
    let tools = json!([{"type": "function", "function": {"name": "ls"}}]);
    let request = json!({"model": "m", "messages": [message], "tools": tools});
    let answer = post(gateway.address, "/v1/chat/completions", &[], &request);
    assert_eq!(answer.status(), "200", "{answer:?}");
    gateway.signal("TERM");
    let (_, log) = gateway.ended();
    let text = fs::read_to_string(&file).expect("a trace");
    // The trace contains neither arguments nor texts of a conversation.
    assert!(!text.contains("secret") && !text.contains("ook"), "{text}");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| from_str(line).expect("JSON"))
        .collect();
    let event = lines
        .iter()
        .find(|line| line["fields"]["message"] == "call");
    let event = event.unwrap_or_else(|| panic!("no call: {text}{log}"));
    assert_eq!(event["fields"]["gen_ai.tool.name"], "ls");
    assert_eq!(event["fields"]["toolglot.end"], "closed");
    let ended = |name: &str| {
        let mut closed = lines
            .iter()
            .filter(|line| line["fields"]["message"] == "close");
        let span = closed.find(|line| line["span"]["name"] == name);
        &span.unwrap_or_else(|| panic!("no span {name}: {text}"))["span"]
    };
    let chat = ended("chat");
    for (key, expected) in [
        ("gen_ai.operation.name", Value::from("chat")),
        ("gen_ai.request.model", Value::from("m")),
        ("otel.name", Value::from("chat m")),
        ("server.address", Value::from("127.0.0.1")),
        ("toolglot.mode", Value::from("recover")),
    ] {
        assert_eq!(chat[key], expected, "{key}: {chat}");
    }
    let request = ended("request");
    assert_eq!(request["http.response.status_code"], 200);
    assert_eq!(request["url.path"], "/v1/chat/completions");
}
