//! The requests to the upstream in each mode, and the handling of its failures.

use std::time::{Duration, Instant};

use toolglot_gateway::{Mode, ModelSettings, Models, RecoveredCalls, Server};
use toolglot_value::{Value, from_slice, from_str, json};

use crate::client::{Reply, post};
use crate::fake_upstream::{Answer, AnswerEnd, Asked, FakeUpstream};
use crate::gateway::Gateway;

const CALL: &str =
    "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\"}}\n</tool_call>";

fn settings(mode: Mode) -> ModelSettings {
    let mut settings = ModelSettings::default();
    settings.mode = Some(mode);
    settings
}

fn gateway(upstream: &FakeUpstream, settings: ModelSettings) -> Gateway {
    Gateway::of(Server::builder(upstream.url()).models(Models::all(settings)))
}

fn whole(text: &str) -> Answer {
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    Answer::json(200, &body.to_string())
}

fn event(delta: &Value, finish: Option<&str>) -> Vec<u8> {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"choices": [choice]})).into_bytes()
}

fn request() -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool = json!({"type": "function", "function": {"name": "ls", "description": "Lists.", "parameters": schema}});
    json!({
        "model": "m",
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "List b."},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{\"path\":\"b\"}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "c.rs"},
            {"role": "user", "content": "And here."},
        ],
        "tools": [tool],
        "temperature": 0.25,
        "custom_field": {"kept": true},
    })
}

fn ask(gateway: &Gateway) -> Reply {
    post(
        gateway.address,
        "/v1/chat/completions",
        &request().to_string(),
    )
}

fn ask_stream(gateway: &Gateway) -> Reply {
    let mut body = request();
    body["stream"] = Value::Bool(true);
    post(gateway.address, "/v1/chat/completions", &body.to_string())
}

fn body(asked: &Asked) -> Value {
    from_slice(&asked.body).expect("JSON")
}

fn calls(reply: &Reply) -> Vec<String> {
    let body = from_str(&reply.body).expect("JSON");
    let calls = body["choices"][0]["message"]["tool_calls"]
        .as_array()
        .cloned();
    let calls = calls.unwrap_or_default().into_iter();
    calls
        .map(|call| {
            call["function"]["arguments"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

#[test]
fn raw_leaves_the_tools_to_the_template_and_the_text_to_us() {
    let upstream = FakeUpstream::new(vec![whole(CALL)]);
    let gateway = gateway(&upstream, settings(Mode::Raw));
    assert_eq!(calls(&ask(&gateway)).len(), 1);
    let asked = upstream.asked();
    assert_eq!(asked[0].line, "GET /v1/models HTTP/1.1");
    let sent = body(&asked[1]);
    assert_eq!(sent["tools"], request()["tools"]);
    assert_eq!(sent["tool_choice"], "none");
    assert_eq!(sent["skip_special_tokens"], false);
    assert_eq!(sent["custom_field"], json!({"kept": true}));
    assert_eq!(sent["temperature"], json!(0.25));
}

#[test]
fn llama_cpp_completes_the_prompt_of_its_template() {
    let models = Answer::json(200, r#"{"data": [{"id": "m", "owned_by": "llamacpp"}]}"#);
    let probe = Answer::json(200, r#"{"prompt": ".. toolglot_probe .."}"#);
    let prompt = Answer::json(200, r#"{"prompt": "<|im_start|>assistant\n<think>\n"}"#);
    let text = format!("a thought {CALL}</think>\n{CALL}");
    let completion = json!({"content": text, "stop": true, "stop_type": "eos", "tokens_evaluated": 5, "tokens_predicted": 6});
    let completion = Answer::json(200, &completion.to_string());
    let upstream = FakeUpstream::new(vec![models, probe, prompt, completion]);
    let gateway = gateway(&upstream, ModelSettings::default());
    let reply = ask(&gateway);
    assert_eq!(calls(&reply).len(), 1, "{}", reply.body);
    assert!(
        reply.head.contains("x-toolglot-mode: raw"),
        "{}",
        reply.head
    );
    let asked = upstream.asked();
    let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
    let expected = [
        "GET /v1/models HTTP/1.1",
        "POST /apply-template HTTP/1.1",
        "POST /apply-template HTTP/1.1",
        "POST /completion HTTP/1.1",
    ];
    assert_eq!(lines, expected);
    assert_eq!(body(&asked[2])["tools"], request()["tools"]);
    let sent = body(&asked[3]);
    assert_eq!(sent["prompt"], "<|im_start|>assistant\n<think>\n");
    assert_eq!(sent["custom_field"], json!({"kept": true}));
    assert!(sent.get("messages").is_none());
    let usage = &from_str(&reply.body).expect("JSON")["usage"];
    assert_eq!(usage["total_tokens"], 11);
}

#[test]
fn emulate_teaches_and_writes_the_history_as_text() {
    let upstream = FakeUpstream::new(vec![whole(CALL)]);
    let mut settings = settings(Mode::Emulate);
    settings.dialect = Some("hermes".to_owned());
    settings.upstream_model = Some("tiny".to_owned());
    let gateway = gateway(&upstream, settings);
    assert_eq!(calls(&ask(&gateway)), [r#"{"path": "."}"#]);
    let sent = body(&upstream.asked()[0]);
    assert_eq!(sent["model"], "tiny");
    assert!(sent.get("tools").is_none());
    let messages = sent["messages"].as_array().expect("messages");
    let roles: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    let system = messages[0]["content"].as_str().expect("text");
    assert!(
        system.contains("Be brief.") && system.contains("<tool_call>"),
        "{system}"
    );
    let call = messages[2]["content"].as_str().expect("text");
    assert!(
        call.contains("<tool_call>") && call.contains("\"ls\""),
        "{call}"
    );
    let result = messages[3]["content"].as_str().expect("text");
    assert!(
        result.contains("c.rs") && result.contains("And here."),
        "{result}"
    );
}

#[test]
fn tools_that_are_refused_are_emulated_from_then_on() {
    let models = Answer::json(404, "{}");
    let refusal = Answer::json(400, r#"{"error": {"message": "m does not support tools"}}"#);
    let upstream = FakeUpstream::new(vec![models, refusal, whole(CALL)]);
    let gateway = gateway(&upstream, ModelSettings::default());
    for _ in 0..2 {
        let reply = ask(&gateway);
        assert_eq!(calls(&reply).len(), 1, "{}", reply.body);
        assert!(
            reply.head.contains("x-toolglot-mode: emulate"),
            "{}",
            reply.head
        );
    }
    let has_tools: Vec<bool> = upstream.asked()[1..]
        .iter()
        .map(|asked| body(asked).get("tools").is_some())
        .collect();
    assert_eq!(has_tools, [true, false, false]);
}

/// An error about one message says nothing about the model.
#[test]
fn a_wrong_history_changes_no_mode() {
    let models = Answer::json(404, "{}");
    let wrong = r#"{"error": {"message": "messages[3]: `tool` must follow tool_calls"}}"#;
    let upstream = FakeUpstream::new(vec![models, Answer::json(400, wrong), whole(CALL)]);
    let gateway = gateway(&upstream, ModelSettings::default());
    let reply = ask(&gateway);
    assert_eq!(reply.status, 400, "{}", reply.body);
    let reply = ask(&gateway);
    assert!(
        reply.head.contains("x-toolglot-mode: recover"),
        "{}",
        reply.head
    );
}

/// The upstream may start after the gateway, and a client may have no key.
#[test]
fn an_upstream_that_is_not_ready_is_asked_again() {
    let loading = Answer::json(503, r#"{"error": {"message": "Loading model"}}"#);
    let models = Answer::json(200, r#"{"data": [{"id": "m", "owned_by": "vllm"}]}"#);
    let answers = vec![
        loading.clone(),
        // The request itself, and its retry.
        loading.clone(),
        loading,
        models,
        whole(CALL),
    ];
    let upstream = FakeUpstream::new(answers);
    let gateway = gateway(&upstream, ModelSettings::default());
    assert_eq!(ask(&gateway).status, 502);
    for _ in 0..2 {
        let reply = ask(&gateway);
        assert!(
            reply.head.contains("x-toolglot-mode: raw"),
            "{}",
            reply.head
        );
    }
    let n_asked = upstream
        .asked()
        .iter()
        .filter(|asked| asked.line.starts_with("GET /v1/models"))
        .count();
    assert_eq!(n_asked, 2);
}

#[test]
fn native_calls_are_made_once() {
    let native = json!({"index": 0, "id": "x", "type": "function", "function": {"name": "ls", "arguments": "{\"path\":\".\"}"}});
    let message = json!({"role": "assistant", "content": CALL, "tool_calls": [native]});
    let answer =
        json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
    let upstream = FakeUpstream::new(vec![Answer::json(200, &answer.to_string())]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    assert_eq!(calls(&ask(&gateway)).len(), 1);
}

#[test]
fn a_call_in_reasoning_counts_where_nothing_follows() {
    let events = |rest: &str| {
        Answer::events(vec![
            event(
                &json!({"role": "assistant", "reasoning_content": "I see. "}),
                None,
            ),
            event(&json!({"reasoning_content": CALL}), None),
            event(&json!({"content": rest}), None),
            event(&json!({}), Some("stop")),
            b"data: [DONE]\n\n".to_vec(),
        ])
    };
    let upstream = FakeUpstream::new(vec![events(""), events("Done.")]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    let first = ask_stream(&gateway);
    assert!(
        first.body.contains("\"tool_calls\":[{\"index\":0"),
        "{}",
        first.body
    );
    let second = ask_stream(&gateway);
    assert!(!second.body.contains("\"tool_calls\":["), "{}", second.body);
}

#[test]
fn a_parser_that_failed_is_read_and_doubted() {
    let quoted = json!({"error": {"message": format!("Failed to parse input at pos 0: {CALL}")}});
    let upstream = FakeUpstream::new(vec![Answer::json(500, &quoted.to_string())]);
    let doubted = gateway(&upstream, settings(Mode::Recover));
    let reply = ask(&doubted);
    assert_eq!(calls(&reply).len(), 0, "{}", reply.body);
    assert!(reply.body.contains("was not made"), "{}", reply.body);
    let mut trusting = settings(Mode::Recover);
    trusting.recovered = RecoveredCalls::Send;
    let trusting = gateway(&upstream, trusting);
    assert_eq!(calls(&ask(&trusting)).len(), 1);
}

#[test]
fn another_failure_is_tried_once_more() {
    let failure = Answer::json(500, r#"{"error": "out of memory"}"#);
    let upstream = FakeUpstream::new(vec![failure.clone(), whole(CALL)]);
    assert_eq!(
        calls(&ask(&gateway(&upstream, settings(Mode::Recover)))).len(),
        1
    );
    let upstream = FakeUpstream::new(vec![failure]);
    let reply = ask(&gateway(&upstream, settings(Mode::Recover)));
    assert_eq!(reply.status, 502);
    assert!(
        reply
            .body
            .contains("the upstream answered 500: {\\\"error\\\""),
        "{}",
        reply.body
    );
    assert_eq!(upstream.asked().len(), 2);
}

#[test]
fn a_doubtful_call_is_asked_for_once_more() {
    let doubtful = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\"";
    let upstream = FakeUpstream::new(vec![whole(doubtful), whole(CALL)]);
    let reply = ask(&gateway(&upstream, settings(Mode::Recover)));
    assert_eq!(calls(&reply), [r#"{"path": "."}"#], "{}", reply.body);
}

#[test]
fn a_required_call_is_asked_for_once_more() {
    let upstream = FakeUpstream::new(vec![whole("I would rather not."), whole(CALL)]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    let mut body = request();
    body["tool_choice"] = Value::from("required");
    let reply = post(gateway.address, "/v1/chat/completions", &body.to_string());
    assert_eq!(calls(&reply).len(), 1, "{}", reply.body);
    let asked = upstream.asked();
    let sent = from_slice(&asked[1].body).expect("JSON");
    let messages = sent["messages"].as_array().expect("messages");
    let last = &messages[messages.len() - 1];
    assert_eq!(last["role"], "user");
    assert!(
        last["content"]
            .as_str()
            .is_some_and(|text| text.contains("no tool call")),
        "{last}"
    );
}

#[test]
fn passthrough_changes_nothing() {
    let answer = "{ \"choices\" : 1.0 }";
    let upstream = FakeUpstream::new(vec![Answer::json(200, answer)]);
    let gateway = gateway(&upstream, settings(Mode::Passthrough));
    let sent = "{ \"model\": \"m\",\n\"stream\": 7 }";
    for path in [
        "/v1/chat/completions",
        "/v1/messages",
        "/v1/messages/count_tokens",
    ] {
        assert_eq!(post(gateway.address, path, sent).body, answer);
    }
    assert!(
        upstream
            .asked()
            .iter()
            .all(|asked| asked.body == sent.as_bytes())
    );
}

#[test]
fn a_wrong_request_is_refused_with_its_path() {
    let upstream = FakeUpstream::new(vec![whole("")]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    for (path, body, words) in [
        ("/v1/chat/completions", "{", "not JSON"),
        (
            "/v1/chat/completions",
            r#"{"model": "m", "messages": [{"role": 1}]}"#,
            "messages[0].role",
        ),
        (
            "/v1/responses",
            r#"{"model": "m", "input": "hi", "previous_response_id": "r"}"#,
            "previous_response_id",
        ),
        (
            "/v1/messages",
            r#"{"model": "m", "max_tokens": 5, "messages": 3}"#,
            "messages",
        ),
    ] {
        let reply = post(gateway.address, path, body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert!(reply.body.contains(words), "{path}: {}", reply.body);
    }
    assert_eq!(upstream.asked().len(), 0);
}

#[test]
fn tokens_are_estimated_here() {
    let upstream = FakeUpstream::new(vec![whole("")]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    let body =
        r#"{"model": "m", "messages": [{"role": "user", "content": "Hello, how are you?"}]}"#;
    let reply = post(gateway.address, "/v1/messages/count_tokens", body);
    let count = from_str(&reply.body).expect("JSON")["input_tokens"].as_u64();
    assert!(
        count.is_some_and(|count| (4..40).contains(&count)),
        "{}",
        reply.body
    );
}

#[test]
fn a_stream_that_makes_no_sense_ends_with_an_error() {
    let text = || {
        event(
            &json!({"content": "Hi. <tool_call>\n{\"name\": \"ls\", \"arguments\": {}"}),
            None,
        )
    };
    let end = || event(&json!({}), Some("stop"));
    // Data after the end is not waited for.
    let two_ends = b"data: [DONE]\n\ndata: [DONE]\n\n".to_vec();
    for (name, answer) in [
        (
            "garbage",
            Answer::events(vec![text(), b"data: {]\n\n".to_vec(), end()]),
        ),
        ("second end", Answer::events(vec![text(), end(), two_ends])),
        (
            "no UTF-8",
            Answer::events(vec![text(), b"data: \xff\n\n".to_vec(), end()]),
        ),
        (
            "dropped",
            Answer::events(vec![text()]).end(AnswerEnd::Dropped),
        ),
        ("ended early", Answer::events(vec![text()])),
    ] {
        let upstream = FakeUpstream::new(vec![answer]);
        let gateway = gateway(&upstream, settings(Mode::Recover));
        let reply = ask_stream(&gateway);
        assert!(reply.body.contains("\"error\""), "{name}: {}", reply.body);
        assert!(
            !reply.body.contains("\"tool_calls\":["),
            "{name}: {}",
            reply.body
        );
        let mut messages =
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]});
        messages["tools"] = json!([{"name": "ls", "input_schema": {"type": "object"}}]);
        messages["stream"] = Value::Bool(true);
        let reply = post(gateway.address, "/v1/messages", &messages.to_string());
        assert!(
            reply.body.contains("event: error"),
            "{name}: {}",
            reply.body
        );
    }
}

fn streamed() -> Answer {
    let done = b"data: [DONE]\n\n".to_vec();
    Answer::events(vec![
        event(&json!({"content": "Hi."}), None),
        event(&json!({}), Some("stop")),
        done,
    ])
}

#[test]
fn a_stream_ends_though_the_upstream_stays_connected() {
    let upstream = FakeUpstream::new(vec![streamed().end(AnswerEnd::Silent)]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    let times = (0..3).map(|_| {
        let start = Instant::now();
        let reply = ask_stream(&gateway);
        assert!(reply.is_whole && reply.body.ends_with("data: [DONE]\n\n"));
        start.elapsed()
    });
    let least = times.min().expect("three of them");
    assert!(least < Duration::from_millis(500), "{least:?}");
}

#[test]
fn connections_of_streams_are_used_again() {
    let upstream = FakeUpstream::new(vec![streamed()]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    // A connection that is needed too early is not ready yet.
    for _ in 0..20 {
        assert!(ask_stream(&gateway).is_whole);
    }
    let n_connections = upstream.n_connections();
    assert!(n_connections < 20, "{n_connections}");
}

#[test]
fn what_an_upstream_says_of_its_rate_reaches_the_client() {
    let limited = |mut answer: Answer| {
        for name in ["retry-after", "x-ratelimit-remaining-requests"] {
            answer.headers.push((name, "7".to_owned()));
        }
        answer
    };
    for (status, own) in [(429, 429), (503, 502)] {
        let upstream = FakeUpstream::new(vec![limited(Answer::json(status, "slow down"))]);
        let gateway = gateway(&upstream, settings(Mode::Recover));
        for reply in [ask(&gateway), ask_stream(&gateway)] {
            assert_eq!(reply.status, own);
            assert!(reply.head.contains("\r\nretry-after: 7"), "{}", reply.head);
            assert!(reply.head.contains("\r\nx-ratelimit-remaining-requests: 7"));
            assert!(
                reply
                    .body
                    .contains(&format!("answered {status}: slow down"))
            );
        }
        // The upstream is not asked again before that time.
        assert_eq!(upstream.asked().len(), 2);
    }
    let upstream = FakeUpstream::new(vec![limited(whole("Hi.")), limited(streamed())]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    for reply in [ask(&gateway), ask_stream(&gateway)] {
        assert_eq!(reply.status, 200);
        assert!(reply.head.contains("\r\nx-ratelimit-remaining-requests: 7"));
    }
}

/// llama.cpp closes a connection after each stream, although it promises to keep the connection.
#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let refused = || Answer::json(200, "").end(AnswerEnd::Refused);
    let upstream = FakeUpstream::new(vec![streamed(), refused(), whole("Hi."), refused()]);
    let gateway = gateway(&upstream, settings(Mode::Recover));
    assert!(ask_stream(&gateway).is_whole);
    let reply = ask(&gateway);
    assert!(reply.body.contains("Hi."), "{}", reply.body);
    assert_eq!(upstream.asked().len(), 3);
    // An upstream that closes every connection is not retried forever.
    let reply = ask(&gateway);
    assert_eq!(reply.status, 502, "{}", reply.body);
    assert_eq!(upstream.asked().len(), 5);
    // A request with an unknown effect is sent once.
    let reply = post(gateway.address, "/v1/files", "{}");
    assert_eq!(reply.status, 502, "{}", reply.body);
    assert_eq!(upstream.asked().len(), 6);
}
