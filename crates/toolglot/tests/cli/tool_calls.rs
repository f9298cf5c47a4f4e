//! Calls of tools that are files: by models and by clients of MCP.

use std::fs;
use std::process::Command;

use toolglot_value::{Value, json};

use crate::cli::tool_project::{World, can_run};

#[test]
fn a_model_that_signs_changes_files() {
    let world = World::new();
    assert!(world.toolglot(&["tools", "keys", "new"]).status.success());
    let file = world.project().join(".ai/tools/text/count-words.py");
    let before = fs::read_to_string(&file).expect("a file");
    fs::write(
        world.project().join("message.txt"),
        "<tool_call>{\"name\": \"rye_sign\", \"arguments\": {\"item_id\": \"text/count-words\"}}</tool_call>",
    )
    .expect("a file");
    let policy = world.project().join("policy.toml");
    let run = |rules: &str| -> Value {
        fs::write(
            &policy,
            format!("version = 1\ndefault = \"allow\"\n{rules}"),
        )
        .expect("a file");
        let (record, _) = world.json(&[
            "run",
            "message.txt",
            "--allow",
            "rye.sign",
            "--policy",
            "policy.toml",
            "--format",
            "json",
        ]);
        record["calls"][0].clone()
    };
    for rules in [
        "[[rule]]\nid = \"no-writing\"\ndecision = \"deny\"\ncapabilities = [\"write\"]\n",
        "[[rule]]\nid = \"no-writing\"\ndecision = \"deny\"\npaths = [\".ai/**\"]\n",
    ] {
        let call = run(rules);
        assert_eq!(call["verdict"]["decision"], json!("deny"), "{call}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), before);
    }
    let call = run("");
    assert_eq!(call["result"]["output"]["success"], json!(true), "{call}");
    assert!(
        fs::read_to_string(&file)
            .expect("a file")
            .starts_with("# rye:signed:")
    );
}

#[test]
fn models_call_tools_by_id_by_server_and_by_verb() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.trust_all();
    let run = |dialect: &str, message: &str| -> Value {
        fs::write(world.project().join("message.txt"), message).expect("a file");
        world
            .json(&[
                "run",
                "message.txt",
                "--dialect",
                dialect,
                "--format",
                "json",
            ])
            .0
    };
    let record = run(
        "rye_invoke",
        "<invoke name=\"rye_execute\">\n<parameter name=\"item_id\">text/make-slug</parameter>\n<parameter name=\"parameters\">{\"title\": \"A b\"}</parameter>\n</invoke>\n<invoke name=\"text/make-slug\">\n<parameter name=\"title\">C d</parameter>\n<parameter name=\"max_length\">1</parameter>\n</invoke>",
    );
    let results: Vec<&Value> = (0..2)
        .map(|i| &record["calls"][i]["result"]["output"]["output"])
        .collect();
    assert_eq!(results, [&json!("a-b"), &json!("c")], "{record}");
    let record = run(
        "forge",
        "<tool><server_name>text</server_name><tool_name>make-slug</tool_name><arguments><title>E f</title></arguments></tool>",
    );
    assert_eq!(
        record["calls"][0]["result"]["output"]["output"],
        json!("e-f"),
        "{record}"
    );
    let record = run(
        "hermes",
        "<tool_call>{\"name\": \"rye_search\", \"arguments\": {\"query\": \"slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye_load\", \"arguments\": {\"item_id\": \"text/make-slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye_sign\", \"arguments\": {\"item_id\": \"text/make-slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye/bash/bash\", \"arguments\": {\"command\": \"id\"}}</tool_call>\n<tool_call>{\"name\": \"text/make-slug\", \"arguments\": {\"titel\": \"x\"}}</tool_call>",
    );
    let call = |i: usize| &record["calls"][i];
    assert_eq!(
        call(0)["result"]["output"]["data"][0]["item_id"],
        json!("text/make-slug")
    );
    assert!(
        call(1)["result"]["output"]["data"]["text"]
            .as_str()
            .expect("a text")
            .contains("normalize")
    );
    for (i, rule) in [
        (2, "not-granted"),
        (3, "not-granted"),
        (4, "invalid-arguments"),
    ] {
        assert_eq!(
            (&call(i)["verdict"]["rule"], &call(i)["result"]),
            (&json!(rule), &Value::Null)
        );
    }
    let half = run(
        "hermes",
        "<tool_call>{\"name\": \"text/make-slug\", \"arguments\": {\"title\": \"x",
    );
    assert_eq!(half["calls"][0]["result"], Value::Null);
}

#[test]
fn a_client_of_mcp_lists_and_calls_tools() {
    use std::io::Write;
    if !can_run() {
        return;
    }
    let world = World::new();
    assert!(
        world
            .toolglot(&["tools", "trust", "text/*"])
            .status
            .success()
    );
    let mut server = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .arg("mcp")
        .current_dir(world.project())
        .env("USER_SPACE", world.home())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let requests = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"two","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"text/make-slug","arguments":{"title":"A b"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"text/make-slug","arguments":{"titel":"A b"}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"repo/show-date"}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"no-such-tool"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#,
        "{not json",
        r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
    ];
    let mut input = server.stdin.take().expect("a pipe");
    input
        .write_all((requests.join("\n") + "\n").as_bytes())
        .expect("it reads");
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    let mut answers: Vec<Value> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // Calls run in parallel, so their answers arrive in any order.
    let wanted = json!([1, "two", 3, 4, 5, 6, 7, null, 8]);
    let wanted = wanted.as_array().expect("a list");
    answers.sort_by_key(|answer| wanted.iter().position(|id| *id == answer["id"]));
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, wanted.iter().collect::<Vec<_>>());
    assert_eq!(answers[0]["result"]["protocolVersion"], json!("2024-11-05"));
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        names.contains(&"text.make-slug") && names.contains(&"rye.bash.bash"),
        "{names:?}"
    );
    assert!(!names.contains(&"repo.show-date"), "nobody trusts it");
    assert_eq!(
        answers[2]["result"]["structuredContent"],
        json!({"success": true, "output": "a-b"})
    );
    for (i, code) in [(3, "invalid-arguments"), (4, "unsigned")] {
        assert_eq!(answers[i]["result"]["isError"], json!(true));
        assert_eq!(
            answers[i]["result"]["structuredContent"]["code"],
            json!(code)
        );
    }
    for (i, code) in [(5, -32602), (6, -32601), (7, -32700)] {
        assert_eq!(answers[i]["error"]["code"], json!(code));
    }
}
