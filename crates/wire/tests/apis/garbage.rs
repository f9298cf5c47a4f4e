//! Invalid requests.

use proptest::prelude::*;
use toolglot_value::{Map, Value, json};
use toolglot_wire::{Api, ApiError, Emulation, History, Request};

/// A request of each API with all fields that it may have.
fn rich(api: Api) -> Value {
    let function = json!({"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}});
    match api {
        Api::Chat => json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true}, "n": 1,
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": "s"}]},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                    {"id": "c2", "type": "custom", "custom": {"name": "p", "input": "x"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "r"},
                {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "r"}]}],
            "tools": [function, {"type": "custom", "custom": {"name": "p", "format": {"type": "text"}}}],
            "tool_choice": {"type": "function", "function": {"name": "f"}}, "parallel_tool_calls": false}),
        Api::Responses => json!({
            "model": "m", "stream": true, "instructions": "i", "store": false,
            "input": [
                {"role": "user", "content": "a"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b", "annotations": []}]},
                {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "t"}]},
                {"type": "function_call", "call_id": "c1", "name": "f", "namespace": "n", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "r"}]},
                {"type": "custom_tool_call", "call_id": "c2", "name": "p", "input": "x"},
                {"type": "custom_tool_call_output", "call_id": "c2", "output": "r"},
                {"type": "local_shell_call", "call_id": "c3", "action": {"type": "exec", "command": ["ls"]}},
                {"type": "local_shell_call_output", "id": "c3", "output": "r"},
                {"type": "web_search_call", "id": "w", "status": "completed"}],
            "tools": [
                {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": true},
                {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]},
                {"type": "custom", "name": "p", "format": {"type": "grammar", "syntax": "lark", "definition": "start: \"a\""}},
                {"type": "web_search"}],
            "tool_choice": "auto", "reasoning": {"effort": "low"}, "text": {"format": {"type": "text"}}}),
        Api::Messages => json!({
            "model": "m", "max_tokens": 10, "system": [{"type": "text", "text": "s"}], "stop_sequences": ["x"],
            "messages": [
                {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "t", "signature": ""}, {"type": "text", "text": "a"},
                    {"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}], "is_error": true},
                    {"type": "text", "text": "b"}]}],
            "tools": [{"name": "f", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}],
            "tool_choice": {"type": "any", "disable_parallel_tool_use": true}}),
    }
}

fn junk() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_]{0,8}".prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,9}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map>())),
        ]
    })
}

/// Replaces, removes or duplicates the `n`th value below `value`.
fn damage(value: &mut Value, n: &mut usize, how: u8, junk: &Value) {
    let slots: Vec<&mut Value> = match value {
        Value::Object(fields) => fields.values_mut().collect(),
        Value::Array(list) => list.iter_mut().collect(),
        _ => return,
    };
    for slot in slots {
        if *n == 0 {
            *slot = match how % 3 {
                0 => junk.clone(),
                1 => Value::Null,
                _ => json!([slot.clone(), junk]),
            };
            *n = usize::MAX;
            return;
        }
        *n -= 1;
        damage(slot, n, how, junk);
        if *n == usize::MAX {
            return;
        }
    }
}

/// Reads a body and writes it in all forms. An error has a path and a body in the API's format.
fn check(api: Api, body: &[u8]) {
    let request = match Request::read(api, body) {
        Err(error) => {
            assert!(!error.at.is_empty() && !error.why.is_empty(), "{error:?}");
            let body = ApiError::from(error).body(api);
            assert!(body["error"]["message"].is_string());
            return;
        }
        Ok(request) => request,
    };
    let _ = request.estimate_tokens();
    let native = request.chat(History::Native { ids: None });
    assert!(native.expect("all is native").is_object());
    let hermes = toolglot_dialects::get("hermes").expect("it is built in");
    let emulation = Emulation::new(hermes, &request.tools().tool_set(), "I", None);
    match request.chat(History::Text(&emulation.expect("a program"))) {
        Err(error) => assert!(!error.at.is_empty(), "{error:?}"),
        Ok(body) => {
            let messages = body["messages"].as_array().expect("messages");
            for pair in messages.windows(2) {
                assert_ne!(pair[0]["role"], pair[1]["role"]);
            }
            for message in messages {
                assert!(
                    ["system", "user", "assistant"]
                        .contains(&message["role"].as_str().expect("a role"))
                );
                assert!(message["content"].is_string());
            }
        }
    }
}

#[test]
fn rich_requests_are_read() {
    for api in Api::ALL {
        let body = rich(api).to_string();
        let request = Request::read(api, body.as_bytes());
        assert!(request.is_ok(), "{request:?}");
        check(api, body.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn damaged_requests_are_read_or_refused(n in 0usize..120, how: u8, junk in junk()) {
        for api in Api::ALL {
            let mut body = rich(api);
            let mut n = n;
            damage(&mut body, &mut n, how, &junk);
            check(api, body.to_string().as_bytes());
        }
    }

    #[test]
    fn bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), at in 0usize..2000) {
        for api in Api::ALL {
            check(api, &bytes);
            let body = rich(api).to_string();
            check(api, &body.as_bytes()[..at.min(body.len())]);
        }
    }
}
