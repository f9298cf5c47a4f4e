//! The grammar that the upstream gets, and its outcome.

use toolglot_gateway::{Constrain, Mode, ModelSettings, Models, Server};
use toolglot_value::{Value, from_slice, from_str, json};

use crate::client::{Reply, get, post};
use crate::fake_upstream::{Answer, Asked, FakeUpstream};
use crate::gateway::Gateway;

const CALL: &str =
    "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\"}}\n</tool_call>";

fn gateway(upstream: &FakeUpstream, mode: Mode, dialect: &str, constrain: Constrain) -> Gateway {
    let mut settings = ModelSettings::default();
    settings.mode = Some(mode);
    settings.dialect = Some(dialect.to_owned());
    settings.constrain = constrain;
    Gateway::of(Server::builder(upstream.url()).models(Models::all(settings)))
}

fn whole(text: &str) -> Answer {
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    Answer::json(200, &body.to_string())
}

fn tool(name: &str, is_strict: bool, schema: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name, "description": "Does.", "strict": is_strict, "parameters": schema}})
}

fn request(choice: &Value, is_strict: bool) -> Value {
    let schema =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    json!({
        "model": "m",
        "messages": [{"role": "user", "content": "List."}],
        "tools": [tool("ls", is_strict, &schema), tool("rm", false, &schema)],
        "tool_choice": choice,
    })
}

fn ask(gateway: &Gateway, body: &Value) -> Reply {
    post(gateway.address, "/v1/chat/completions", &body.to_string())
}

/// The bodies of the requests for an answer.
fn sent(upstream: &FakeUpstream) -> Vec<Value> {
    let asked = upstream.asked();
    let posts = asked
        .iter()
        .filter(|asked| asked.line.starts_with("POST /v1/chat"));
    posts.map(body).collect()
}

fn body(asked: &Asked) -> Value {
    from_slice(&asked.body).expect("JSON")
}

fn constraint(reply: &Reply) -> Option<&str> {
    let mut lines = reply.head.lines();
    lines.find_map(|line| line.strip_prefix("x-toolglot-constraint: "))
}

fn named() -> Value {
    json!({"type": "function", "function": {"name": "ls"}})
}

#[test]
fn a_call_that_has_to_be_made_has_a_grammar() {
    for (choice, has_rm) in [(json!("required"), true), (named(), false)] {
        let upstream = FakeUpstream::new(vec![whole(CALL)]);
        let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::Gbnf);
        let reply = ask(&gateway, &request(&choice, false));
        assert_eq!(constraint(&reply), Some("gbnf"), "{}", reply.head);
        let sent = sent(&upstream);
        let grammar = sent[0]["grammar"].as_str().expect("a grammar");
        assert!(grammar.starts_with("root ::= "), "{grammar}");
        assert!(grammar.contains("<tool_call>"), "{grammar}");
        assert!(grammar.contains("\\\"ls\\\""), "{grammar}");
        assert_eq!(grammar.contains("\\\"rm\\\""), has_rm, "{grammar}");
        assert!(sent[0].get("grammar_lazy").is_none());
    }
}

#[test]
fn each_server_gets_the_grammar_in_its_field() {
    let place = |constrain, dialect: &str| {
        let upstream = FakeUpstream::new(vec![whole("x")]);
        let gateway = gateway(&upstream, Mode::Raw, dialect, constrain);
        ask(&gateway, &request(&json!("required"), false));
        sent(&upstream).swap_remove(0)
    };
    let tag = place(Constrain::StructuralTag, "hermes");
    assert_eq!(tag["response_format"]["type"], "structural_tag");
    assert_eq!(tag["tool_choice"], "none", "the upstream parses nothing");
    let lark = place(Constrain::Lark, "hermes");
    let text = lark["structured_outputs"]["grammar"].as_str();
    assert!(text.is_some_and(|text| text.starts_with("start: ")));
    let schema = place(Constrain::JsonSchema, "json");
    let format = &schema["response_format"];
    assert_eq!(format["type"], "json_schema");
    let first = &format["json_schema"]["schema"]["anyOf"][0]["properties"];
    assert_eq!(first["name"], json!({"const": "ls"}));
    assert_eq!(first["arguments"]["required"], json!(["path"]));
}

#[test]
fn auto_has_a_grammar_where_a_tool_is_strict() {
    for (is_strict, expected) in [(true, Some("gbnf")), (false, None)] {
        let upstream = FakeUpstream::new(vec![whole(CALL)]);
        let gateway = gateway(&upstream, Mode::Emulate, "hermes", Constrain::Gbnf);
        let reply = ask(&gateway, &request(&json!("auto"), is_strict));
        assert_eq!(constraint(&reply), expected, "{}", reply.head);
        let sent = sent(&upstream).swap_remove(0);
        assert_eq!(sent.get("grammar").is_some(), is_strict);
        if is_strict {
            assert_eq!(sent["grammar_lazy"], true);
            assert_eq!(
                sent["grammar_triggers"],
                json!([{"type": 1, "value": "<tool_call>"}])
            );
        }
    }
}

#[test]
fn who_may_not_call_has_no_grammar_and_off_sends_none() {
    for (constrain, choice) in [
        (Constrain::Gbnf, json!("none")),
        (Constrain::Off, json!("required")),
    ] {
        let upstream = FakeUpstream::new(vec![whole("x")]);
        let gateway = gateway(&upstream, Mode::Recover, "hermes", constrain);
        let reply = ask(&gateway, &request(&choice, true));
        assert_eq!(constraint(&reply), None);
        assert!(sent(&upstream)[0].get("grammar").is_none());
    }
}

#[test]
fn a_grammar_that_the_upstream_refuses_is_left_out() {
    let refusal = Answer::json(400, r#"{"error": "failed to parse grammar"}"#);
    let upstream = FakeUpstream::new(vec![refusal, whole(CALL)]);
    let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::Gbnf);
    let reply = ask(&gateway, &request(&json!("required"), false));
    assert!(reply.body.contains("tool_calls"), "{}", reply.body);
    assert_eq!(constraint(&reply), Some("refused"), "{}", reply.head);
    let bodies = sent(&upstream);
    assert!(bodies[0].get("grammar").is_some());
    assert!(bodies[1].get("grammar").is_none());
    let metrics = get(gateway.address, "/metrics").body;
    let line = r#"toolglot_retries_total{reason="grammar-refused"} 1"#;
    assert!(metrics.contains(line), "{metrics}");
    // The client gets a fault that the grammar did not cause.
    let refusal = Answer::json(400, r#"{"error": "no such model"}"#);
    let upstream = FakeUpstream::new(vec![refusal]);
    let gateway = self::gateway(&upstream, Mode::Recover, "hermes", Constrain::Gbnf);
    let reply = ask(&gateway, &request(&json!("required"), false));
    assert_eq!(reply.status, 400, "{}", reply.head);
    assert!(reply.body.contains("no such model"), "{}", reply.body);
}

#[test]
fn a_streamed_answer_says_it_in_its_head() {
    let upstream = FakeUpstream::new(vec![whole(CALL)]);
    let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::Lark);
    let mut body = request(&json!("required"), false);
    body["stream"] = Value::Bool(true);
    let reply = ask(&gateway, &body);
    assert_eq!(constraint(&reply), Some("lark"), "{}", reply.head);
}

#[test]
fn what_no_grammar_can_say_is_sent_without() {
    // Tags surround the calls of this dialect.
    let upstream = FakeUpstream::new(vec![whole(CALL)]);
    let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::JsonSchema);
    let reply = ask(&gateway, &request(&json!("required"), false));
    assert_eq!(constraint(&reply), Some("unavailable"), "{}", reply.head);
    assert!(sent(&upstream)[0].get("response_format").is_none());
}

#[test]
fn a_format_of_the_client_stays() {
    let upstream = FakeUpstream::new(vec![whole(CALL)]);
    let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::StructuralTag);
    let mut body = request(&json!("required"), false);
    body["response_format"] = json!({"type": "json_object"});
    let reply = ask(&gateway, &body);
    assert_eq!(constraint(&reply), None);
    assert_eq!(sent(&upstream)[0]["response_format"]["type"], "json_object");
}

#[test]
fn a_schema_that_is_too_long_or_allows_nothing_is_refused() {
    let words: Vec<String> = (0..60_000).map(|n| format!("word-{n}")).collect();
    for (schema, why) in [
        (json!({"enum": words}), "shorten the longest, of `pick`"),
        (
            json!({"type": "string", "minLength": 3, "maxLength": 1}),
            "tool `pick`, schema `/properties/x",
        ),
    ] {
        let upstream = FakeUpstream::new(vec![whole(CALL)]);
        let gateway = gateway(&upstream, Mode::Recover, "hermes", Constrain::Gbnf);
        let mut body = request(&json!("required"), false);
        let schema = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
        body["tools"] = json!([tool("pick", true, &schema)]);
        let reply = ask(&gateway, &body);
        assert_eq!(reply.status, 400, "{}", reply.head);
        let error = from_str(&reply.body).expect("JSON");
        let message = error["error"]["message"].as_str().expect("a message");
        assert!(message.contains(why), "{message}");
        assert!(sent(&upstream).is_empty(), "it was asked");
    }
}

#[test]
fn llama_cpp_completes_under_the_grammar() {
    let models = Answer::json(200, r#"{"data": [{"id": "m", "owned_by": "llamacpp"}]}"#);
    let probe = Answer::json(200, r#"{"prompt": ".. toolglot_probe .."}"#);
    let prompt = Answer::json(200, r#"{"prompt": "<|im_start|>assistant\n<think>\n"}"#);
    let text = format!("a thought</think>\n{CALL}");
    let completion = json!({"content": text, "stop": true, "stop_type": "eos"});
    let completion = Answer::json(200, &completion.to_string());
    let upstream = FakeUpstream::new(vec![models, probe, prompt, completion]);
    let gateway = gateway(&upstream, Mode::Raw, "hermes", Constrain::Gbnf);
    let reply = ask(&gateway, &request(&json!("required"), false));
    assert_eq!(constraint(&reply), Some("gbnf"), "{}", reply.head);
    let asked = upstream.asked();
    let completion = asked
        .iter()
        .find(|asked| asked.line.contains("/completion"));
    let completion = body(completion.expect("it was asked"));
    let grammar = completion["grammar"].as_str().expect("a grammar");
    // The prompt opens the reasoning, so the grammar starts inside it.
    let root = grammar.lines().next().expect("a line");
    assert!(grammar.contains("</think>"), "{grammar}");
    assert!(!root.contains("<think>"), "{root}");
}
