use toolglot_value::{Value, json};

use crate::cli::toolglot;

/// Dialects that cannot carry the conversation: their calls are fixed tools, or one at a time.
const REFUSING: &[&str] = &["aider", "generic_json", "swe_agent"];

fn conversation() -> Value {
    json!([
        {"role": "system", "content": "You may call tools."},
        {"role": "user", "content": "Weather in Oslo and Bergen?"},
        {"role": "assistant", "content": "I look both up.", "tool_calls": [
            {"id": "abc123XYZ", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\",\"days\":3}"}},
            {"id": "def456UVW", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Bergen\",\"days\":1}"}},
        ]},
        {"role": "tool", "tool_call_id": "abc123XYZ", "content": "3 degrees"},
        {"role": "tool", "tool_call_id": "def456UVW", "content": "rain"},
        {"role": "assistant", "content": "Cold in Oslo, wet in Bergen."},
    ])
}

const TOOLS: &str = r#"[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}}}]"#;

fn dialects() -> Vec<String> {
    let listed = toolglot(&["dialects", "list"], "");
    let names = listed
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "chat")
        .map(str::to_owned)
        .collect()
}

/// Names and arguments of all calls, and the text of all results.
fn told(messages: &Value) -> (Vec<(Value, Value)>, Vec<Value>) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in messages.as_array().expect("a list") {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let arguments = function["arguments"].as_str().expect("a string");
            let arguments = serde_json::from_str(arguments).expect("an object");
            calls.push((function["name"].clone(), arguments));
        }
        if message["role"] == "tool" {
            results.push(message["content"].clone());
        }
    }
    (calls, results)
}

#[test]
fn every_dialect_there_and_back() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let tools = folder.path().join("tools.json");
    std::fs::write(&tools, TOOLS).expect("the folder is writable");
    let tools = tools.to_str().expect("a plain path");
    let there = conversation();
    let mut refusing = Vec::new();
    for dialect in dialects() {
        let to = [
            "convert", "--from", "openai", "--to", &dialect, "--tools", tools, "--check",
        ];
        let text = toolglot(&to, there.to_string());
        if text.code == 1 {
            assert!(text.err.contains("messages[2]"), "{dialect}: {}", text.err);
            // A message that is not carried stays unchanged.
            assert_eq!(text.json()[2], there[2], "{dialect}");
            refusing.push(dialect);
            continue;
        }
        assert_eq!(text.code, 0, "{dialect}: {}", text.err);
        let between = text.json();
        assert!(between[2].get("tool_calls").is_none(), "{dialect}");
        let from = [
            "convert", "--from", &dialect, "--to", "openai", "--tools", tools,
        ];
        let back = toolglot(&from, between.to_string());
        assert_eq!(back.code, 0, "{dialect}: {}", back.err);
        let back = back.json();
        assert_eq!(told(&back), told(&there), "{dialect}: {between}");
        assert_eq!(back[2]["content"], there[2]["content"], "{dialect}");
        // Each result still answers its call.
        for n in 0..2 {
            assert_eq!(
                back[3 + n]["tool_call_id"],
                back[2]["tool_calls"][n]["id"],
                "{dialect}: {back}"
            );
        }
    }
    assert_eq!(refusing, REFUSING);
}

#[test]
fn written_ids_are_kept_and_others_minted() {
    let written = json!([{"role": "assistant", "content": "[TOOL_CALLS][{\"name\": \"f\", \"id\": \"abcdefghi\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {}}]"}]);
    let read = toolglot(
        &["convert", "--from", "mistral", "--to", "openai"],
        written.to_string(),
    );
    let calls = &read.json()[0]["tool_calls"];
    assert_eq!(calls[0]["id"], "abcdefghi", "{}", read.out);
    assert_eq!(calls[1]["id"], "call_1");
}

#[test]
fn a_counter_goes_on_over_the_history() {
    let call = |id: &str| {
        let function = json!({"name": "f", "arguments": "{}"});
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]})
    };
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "done"});
    let there = json!([call("a"), result("a"), call("b"), result("b")]);
    let text = toolglot(
        &["convert", "--from", "openai", "--to", "kimi_k2"],
        there.to_string(),
    )
    .json();
    let content = |n: usize| text[n]["content"].as_str().expect("text").to_owned();
    assert!(content(0).contains("functions.f:0"), "{text}");
    assert!(content(2).contains("functions.f:1"), "{text}");
    assert_eq!(text[3]["tool_call_id"], "functions.f:1");
}

#[test]
fn ids_become_such_as_the_models_of_the_target_take() {
    let there = json!([
        call("call_abc", "f"),
        result("call_abc", "1"),
        call("abcdefgh1", "f"),
        result("abcdefgh1", "2"),
        call("3", "f"),
        result("3", "3"),
        call("x", "f"),
    ]);
    for (dialect, ids) in [
        (
            "mistral_args",
            ["call00000", "abcdefgh1", "call00002", "call00003"],
        ),
        ("cohere", ["0", "1", "3", "4"]),
    ] {
        let (written, _) = converted("openai", dialect, &there);
        let (read, _) = converted(dialect, "openai", &written);
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(
                read[2 * n]["tool_calls"][0]["id"],
                *id,
                "{dialect}: {written}"
            );
            if n < 3 {
                assert_eq!(written[2 * n + 1]["tool_call_id"], *id, "{dialect}");
            }
        }
    }
}

#[test]
fn what_is_cut_short_is_counted_and_stays() {
    let cut = json!({"messages": [{"role": "assistant", "content": "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"b"}], "id": 7});
    let ran = toolglot(
        &["convert", "--from", "hermes", "--to", "mistral", "--jsonl"],
        cut.to_string() + "\nno\n",
    );
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("1 messages not carried"), "{}", ran.err);
    let lines = ran.lines();
    assert_eq!(lines[0], cut);
    assert_eq!(lines[1]["id"], Value::Null);
}

#[test]
fn a_plain_message_is_converted_as_a_text() {
    let message = "One moment.\n<tool_call>\n{\"name\": \"list_files\", \"arguments\": {\"path\": \".\"}}\n</tool_call>\n";
    let ran = toolglot(&["convert", "--from", "hermes", "--to", "forge"], message);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("One moment."), "{}", ran.out);
    assert!(ran.out.contains("<path>.</path>"), "{}", ran.out);
    let ran = toolglot(&["convert", "--from", "hermes", "--to", "openai"], message);
    assert_eq!(
        ran.json()["tool_calls"][0]["function"]["name"],
        "list_files",
        "{}",
        ran.out
    );
}

/// The converted messages, and standard error.
pub(crate) fn converted(from: &str, to: &str, messages: &Value) -> (Value, String) {
    let ran = toolglot(
        &["convert", "--from", from, "--to", to],
        messages.to_string(),
    );
    assert_ne!(ran.code, 2, "{}", ran.err);
    (ran.json(), ran.err)
}

pub(crate) fn call(id: &str, name: &str) -> Value {
    let function = json!({"name": name, "arguments": "{}"});
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]})
}

pub(crate) fn result(id: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

/// Parts that no dialect reads stay; parts that cannot be read are reported.
#[test]
fn no_part_of_a_message_is_lost() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:,"}});
    let there = json!([
        call("A", "f"),
        {"role": "tool", "tool_call_id": "A", "content": [{"type": "text", "text": "see"}, image]},
        {"role": "assistant", "content": null, "refusal": "no"},
        {"role": "assistant", "content": "", "reasoning_content": "hm"},
    ]);
    assert_eq!(converted("openai", "openai", &there).0, there);
    let (hermes, _) = converted("openai", "hermes", &there);
    assert_eq!(hermes[1]["content"][1], image);
    assert!(
        hermes[1]["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("see"))
    );

    let blocks =
        json!([{"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f"}]}]);
    let (same, report) = converted("openai", "hermes", &blocks);
    assert_eq!(same, blocks);
    assert!(report.contains("`tool_use`"), "{report}");

    let older = json!([{"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}}]);
    let (new, _) = converted("openai", "openai", &older);
    assert_eq!(new[0]["tool_calls"][0]["function"]["name"], "f");
    assert!(new[0].get("function_call").is_none());

    let thoughts = json!([{"role": "assistant", "reasoning_content": "one", "content": "<think>two</think>Yes."}]);
    assert_eq!(
        converted("hermes", "openai", &thoughts).0[0]["reasoning_content"],
        "one\n\ntwo"
    );
}

/// A model's text may start with a bracket. A broken conversation or line is reported as broken.
#[test]
fn texts_and_conversations_are_told_apart() {
    let ran = toolglot(
        &["convert", "--from", "pythonic", "--to", "hermes"],
        "[f(a=1)]",
    );
    assert!(
        ran.out.contains("\"name\": \"f\""),
        "{}{}",
        ran.out,
        ran.err
    );
    let broken = toolglot(
        &["convert", "--from", "hermes", "--to", "forge"],
        "[{\"role\": \"user\"",
    );
    assert_eq!(broken.code, 2);
    let lines = [
        b"\xef\xbb\xbf{\"id\": 1, \"messages\": []}\n{\"id\": 2, \"messages\": \"\xff\"}\n"
            .as_slice(),
        b"[]\n",
    ]
    .concat();
    let ran = toolglot(
        &["convert", "--from", "hermes", "--to", "forge", "--jsonl"],
        lines,
    );
    assert_eq!(ran.code, 1);
    let lines = ran.lines();
    assert_eq!(lines[0], json!({"id": 1, "messages": []}));
    assert_eq!(lines[1]["error"], "not UTF-8: byte 23");
    assert_eq!(lines[2], json!([]));
}

#[test]
fn no_id_is_minted_twice() {
    let kimi = |id: &str| {
        let text = format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>{id}<|tool_call_argument_begin|>{{}}<|tool_call_end|><|tool_calls_section_end|>"
        );
        json!({"role": "assistant", "content": text})
    };
    let ids = |messages: &Value| -> Vec<String> {
        let read = converted("kimi_k2", "openai", messages).0;
        let all = read.as_array().into_iter().flatten();
        let calls = all.flat_map(|message| {
            message["tool_calls"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        });
        calls
            .map(|call| call["id"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let there = json!([kimi("functions.g:1"), {"role": "tool", "content": "1"}, call("call_2", "g"), result("call_2", "2")]);
    let (text, _) = converted("kimi_k2", "kimi_k2", &there);
    assert_eq!(ids(&text), ["functions.g:1", "functions.g:2"], "{text}");
    assert_eq!(text[3]["tool_call_id"], "functions.g:2");
    let (text, _) = converted(
        "kimi_k2",
        "kimi_k2",
        &json!([kimi("functions.f:7"), call("x", "f")]),
    );
    assert_eq!(ids(&text), ["functions.f:7", "functions.f:8"]);
    // An id that occurs later, or in a text of another dialect, is not used either.
    let (text, _) = converted(
        "openai",
        "kimi_k2",
        &json!([call("x", "g"), kimi("functions.g:0")]),
    );
    assert_eq!(ids(&text), ["functions.g:1", "functions.g:0"]);
    // An id is read as it is written.
    let (read, _) = converted("kimi_k2", "openai", &json!([kimi("search-docs:3")]));
    assert_eq!(read[0]["tool_calls"][0]["id"], "search-docs:3");
}

/// Blanks between a text and a call belong to neither. Other omitted blanks are reported, and structured text stays.
#[test]
fn blanks_that_are_left_out_are_told() {
    let tail = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
    let text = |text: &str| json!([{"role": "assistant", "content": format!("{text}{tail}")}]);
    let (back, report) = converted("hermes", "openai", &text("b\n"));
    assert_eq!(back[0]["content"], "b");
    assert!(!report.contains("blanks"), "{report}");
    let (_, report) = converted("hermes", "openai", &text(" b \n"));
    assert!(
        report.contains("messages[0]: blanks around its text are left out"),
        "{report}"
    );
    let mut there = call("A", "f");
    there["content"] = json!("x\n");
    let there = json!([there]);
    assert_eq!(converted("hermes", "openai", &there).0, there);
    let (_, report) = converted("openai", "hermes", &there);
    assert!(report.contains("blanks"), "{report}");
}

#[test]
fn arguments_that_name_a_key_twice_are_refused_as_such() {
    let function = json!({"name": "f", "arguments": "{\"a\": 1, \"a\": 2}"});
    let there = json!([{"role": "assistant", "content": null, "tool_calls": [{"id": "A", "type": "function", "function": function}]}]);
    let (same, report) = converted("openai", "hermes", &there);
    assert_eq!(same, there);
    assert!(
        report.contains("the arguments of `f` name a key twice"),
        "{report}"
    );
}

/// A text that the target would read as a call is not carried, and neither is a result without a call.
#[test]
fn what_would_be_another_thing_is_counted() {
    let text = "Write <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call> to call.";
    let there = json!([{"role": "assistant", "content": text}]);
    let (same, report) = converted("openai", "hermes", &there);
    assert_eq!(same, there);
    assert!(report.contains("would read a call in its text"), "{report}");
    let there = json!([call("A", "f"), result("X", "1")]);
    let (_, report) = converted("openai", "hermes", &there);
    assert!(report.contains("1 calls and 0 results carried"), "{report}");
    assert!(
        report.contains("the result of no call that is known"),
        "{report}"
    );
}

/// Anthropic, Responses, Gemini, ShareGPT: each message is recognized by its own fields.
#[test]
fn other_forms_are_read() {
    let expected = json!([
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>"},
        {"role": "tool", "content": "<tool_response>\n3\n</tool_response>", "tool_call_id": "c1"},
        {"role": "assistant", "content": "Done."},
    ]);
    let told = |messages: &Value| -> Vec<(Value, Value)> {
        let all = messages.as_array().cloned().unwrap_or_default();
        let pair = |message: &Value| (message["role"].clone(), message["content"].clone());
        all.iter().map(pair).collect()
    };
    let anthropic = json!({"system": "x", "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "3"}]}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]});
    let responses = json!({"input": [
        {"role": "user", "content": "Go."},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\": 1}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]});
    let gemini = json!({"contents": [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "3"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]},
    ]});
    for form in [anthropic, responses, gemini] {
        let (read, report) = converted("openai", "hermes", &form);
        assert_eq!(told(&read["messages"]), told(&expected), "{report}");
        assert!(
            report.contains("1 calls and 1 results carried, 0 messages"),
            "{report}"
        );
    }
    let share_gpt = json!({"conversations": [
        {"from": "human", "value": "Go."},
        {"from": "gpt", "value": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>"},
        {"from": "tool", "value": "<tool_response>\n3\n</tool_response>"},
        {"from": "gpt", "value": "Done."},
    ]});
    let (read, _) = converted("hermes", "openai", &share_gpt);
    assert_eq!(
        read["messages"][1]["tool_calls"][0]["function"]["name"],
        "f"
    );
    assert_eq!(read["messages"][2]["content"], "3");
    // An item that is not a message, and a document without messages, are reported.
    let (_, report) = converted(
        "openai",
        "hermes",
        &json!([{"type": "computer_call"}, {"a": 1}]),
    );
    assert!(report.contains("2 messages not carried"), "{report}");
    let unknown =
        json!({"log": [{"text": "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"}]});
    let ran = toolglot(
        &["convert", "--from", "hermes", "--to", "openai"],
        unknown.to_string(),
    );
    assert_eq!(ran.code, 2, "{}", ran.out);
}
