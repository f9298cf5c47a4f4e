//! Freeform tools of OpenAI's APIs: a call carries one raw text, into a dialect and back.

use toolglot_value::{Value, json};

use crate::cli::toolglot;

const PATCH: &str = "*** Begin Patch\n*** Update File: a.rs\n@@\n-let a = \"<b> & 'c'\";\n+let a = 1; // \\n {x} ]]>\n*** End Patch";
const GRAMMAR: &str = "start: begin hunk+ end\nbegin: \"*** Begin Patch\" LF";

/// The tool in the shape of either API.
fn tools() -> [Value; 2] {
    let words = "Changes files.";
    let (name, syntax) = ("apply_patch", "lark");
    [
        json!([{"type": "custom", "name": name, "description": words, "format": {"type": "grammar", "syntax": syntax, "definition": GRAMMAR}}]),
        json!([{"type": "custom", "custom": {"name": name, "description": words, "format": {"type": "grammar", "grammar": {"syntax": syntax, "definition": GRAMMAR}}}}]),
    ]
}

/// A file with tools, for as long as the folder is there.
fn file(tools: &Value) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("tools.json");
    std::fs::write(&path, tools.to_string()).expect("it is written");
    let path = path.to_str().expect("it is UTF-8").to_owned();
    (folder, path)
}

#[test]
fn both_shapes_are_taught_with_their_grammar_and_read() {
    for tools in tools() {
        let (_folder, tools) = file(&tools);
        for dialect in ["tool_call", "hermes", "roo", "forge"] {
            let given = ["--dialect", dialect, "--tools", &tools];
            let ran = toolglot(&[&["prompt"], &given[..]].concat(), "");
            assert_eq!(ran.code, 0, "{}", ran.err);
            for words in [
                "Changes files.",
                "```lark\n",
                GRAMMAR,
                "- input (string, required)",
            ] {
                assert!(ran.out.contains(words), "{words}: {}", ran.out);
            }
            let call = json!({"calls": [{"name": "apply_patch", "arguments": {"input": PATCH}}]});
            let text = toolglot(&[&["render"], &given[..]].concat(), call.to_string());
            assert_eq!(text.code, 0, "{}", text.err);
            let parse = [&["parse", "--format", "json", "--strict"], &given[..]].concat();
            let read = toolglot(&parse, &text.out);
            assert_eq!(read.code, 0, "{}", read.out);
            assert_eq!(
                read.json()["calls"][0]["arguments"],
                json!({"input": PATCH})
            );
        }
        let wrong = "TOOL_CALL:\n{\"tool\": \"apply_patch\", \"arguments\": {\"patch\": \"x\"}}\n";
        let ran = toolglot(
            &["parse", "--dialect", "tool_call", "--tools", &tools],
            wrong,
        );
        assert!(ran.code == 1 && ran.out.contains("`input`"), "{}", ran.out);
    }
}

#[test]
fn a_raw_text_comes_back_as_it_was() {
    let items = json!({"input": [
        {"type": "message", "role": "user", "content": "Change it."},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "I will."}]},
        {"type": "custom_tool_call", "call_id": "call_A1", "name": "apply_patch", "input": PATCH},
        {"type": "function_call", "call_id": "call_B2", "name": "shell", "arguments": "{\"command\":\"ls\"}"},
        {"type": "custom_tool_call_output", "call_id": "call_A1", "output": "Done."},
        {"type": "function_call_output", "call_id": "call_B2", "output": "a.rs\n"},
        {"type": "message", "role": "assistant", "content": "It is done."},
    ]});
    let [tools, _] = tools();
    let mut tools = tools;
    let shell = json!({"type": "function", "name": "shell", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}});
    tools.as_array_mut().expect("a list").push(shell);
    let (_folder, tools) = file(&tools);
    let convert = |from: &str, to: &str, text: &str| {
        toolglot(
            &["convert", "--from", from, "--to", to, "--tools", &tools],
            text,
        )
    };
    // From one API's form to the other's, and back.
    let chat = convert("openai", "openai", &items.to_string());
    assert_eq!(chat.code, 0, "{}", chat.err);
    let calls = &chat.json()["messages"][1]["tool_calls"];
    let custom = json!({"id": "call_A1", "type": "custom", "custom": {"name": "apply_patch", "input": PATCH}});
    assert_eq!(calls[0], custom);
    assert_eq!(calls[1]["type"], "function");
    assert_eq!(convert("openai", "responses", &chat.out).json(), items);
    // Through the text of dialects whose calls carry several tools: the same calls, with any ids.
    for dialect in [
        "tool_call",
        "hermes",
        "roo",
        "forge",
        "qwen3_coder",
        "kimi_k2",
        "harmony",
        "pythonic",
        "axe",
    ] {
        let text = convert("openai", dialect, &items.to_string());
        assert_eq!(text.code, 0, "{dialect}: {}", text.err);
        let back = convert(dialect, "responses", &text.out);
        assert_eq!(back.code, 0, "{dialect}: {}", back.err);
        let back = back.json();
        let of = |items: &Value, kind: &str, key: &str| -> Vec<Value> {
            let items = items["input"].as_array().expect("a list").iter();
            items
                .filter(|item| item["type"] == kind)
                .map(|item| item[key].clone())
                .collect()
        };
        for (kind, key) in [
            ("custom_tool_call", "input"),
            ("custom_tool_call_output", "output"),
            ("function_call", "arguments"),
        ] {
            assert_eq!(
                of(&back, kind, key),
                of(&items, kind, key),
                "{dialect}: {}",
                text.out
            );
        }
    }
}

/// The last part of a name in a name space is enough if only one tool ends with it.
#[test]
fn a_tool_of_a_name_space_is_known_by_its_last_name() {
    let tool = |name: &str| json!({"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}});
    let space =
        |name: &str, tools: Value| json!({"type": "namespace", "name": name, "tools": tools});
    let one = json!([
        space("multi_agent_v1", json!([tool("spawn_agent"), tool("wait")])),
        tool("wait")
    ]);
    let two = json!([
        space("a", json!([tool("spawn_agent")])),
        space("b", json!([tool("spawn_agent")]))
    ]);
    for (tools, name, is_known) in [
        (&one, "spawn_agent", true),
        (&one, "multi_agent_v1__spawn_agent", true),
        (&one, "wait", true),
        (&one, "agent", false),
        (&two, "spawn_agent", false),
        (&two, "b__spawn_agent", true),
    ] {
        let (_folder, tools) = file(tools);
        let text = format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>");
        let ran = toolglot(
            &[
                "parse",
                "--dialect",
                "hermes",
                "--format",
                "json",
                "--tools",
                &tools,
            ],
            &text,
        );
        let document = ran.json();
        let notes = document["notes"].as_array().expect("a list");
        let is_unknown = notes.iter().any(|note| note["code"] == "N003");
        assert_eq!(
            (ran.code, is_unknown),
            (i32::from(!is_known), !is_known),
            "{name}: {}",
            ran.out
        );
    }
}
