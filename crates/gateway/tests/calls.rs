//! Calls in a model's text, as the clients of each API get them.

use std::fmt::Write as _;

use toolglot_gateway::{Mode, ModelSettings, Models, Server};
use toolglot_value::{Value, from_str, json};

use crate::client::post;
use crate::fake_upstream::{Answer, FakeUpstream};
use crate::gateway::Gateway;

/// One call of `read_file` with the path `a.rs`, after the text "I look.\n", in some dialects.
const TEXTS: [(&str, &str); 6] = [
    (
        "hermes",
        "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}\n</tool_call>",
    ),
    (
        "qwen3_coder",
        "I look.\n<tool_call>\n<function=read_file>\n<parameter=path>\na.rs\n</parameter>\n</function>\n</tool_call>",
    ),
    (
        "mistral_args",
        "I look.\n[TOOL_CALLS]read_file[ARGS]{\"path\": \"a.rs\"}",
    ),
    (
        "tool_call",
        "I look.\nTOOL_CALL:\n{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}\n",
    ),
    (
        "glm45",
        "I look.\n<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.rs</arg_value>\n</tool_call>",
    ),
    (
        "deepseek_v3",
        "I look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{\"path\": \"a.rs\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
];

/// How an upstream cuts its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    /// An event for each character, and a write for each byte.
    Bytes,
    Tokens,
    Whole,
}

pub(crate) const CUTS: [Cut; 3] = [Cut::Bytes, Cut::Tokens, Cut::Whole];

/// A gateway whose models have these settings.
fn gateway(upstream: &FakeUpstream, settings: ModelSettings) -> Gateway {
    Gateway::of(Server::builder(upstream.url()).models(Models::all(settings)))
}

fn mode(mode: Mode) -> ModelSettings {
    let mut settings = ModelSettings::default();
    settings.mode = Some(mode);
    settings
}

/// A stream of Chat Completions with this text.
pub(crate) fn streamed(text: &str, cut: Cut, finish: &str) -> Answer {
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let tokens: Vec<String> = match cut {
        Cut::Bytes => characters,
        Cut::Tokens => characters.chunks(4).map(<[String]>::concat).collect(),
        Cut::Whole => vec![text.to_owned()],
    };
    let mut events =
        vec![json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})];
    for token in tokens {
        events.push(json!({"choices": [{"index": 0, "delta": {"content": token}}]}));
    }
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}));
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}}));
    let mut stream = String::new();
    for event in &events {
        let _ = write!(stream, "data: {event}\n\n");
    }
    let bytes = format!("{stream}data: [DONE]\n\n").into_bytes();
    let pieces = match cut {
        Cut::Bytes => bytes.chunks(1).map(<[u8]>::to_vec).collect(),
        Cut::Tokens => bytes.chunks(37).map(<[u8]>::to_vec).collect(),
        Cut::Whole => vec![bytes],
    };
    Answer::events(pieces)
}

pub(crate) fn whole(text: &str, finish: &str) -> Answer {
    let body = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16},
    });
    Answer::json(200, &body.to_string())
}

/// The body of a request with the tool `read_file`.
fn asked(path: &str, is_stream: bool) -> String {
    let schema =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let message = json!({"role": "user", "content": "Read a.rs."});
    let mut body = match path {
        "/v1/chat/completions" => json!({
            "messages": [message],
            "tools": [{"type": "function", "function": {"name": "read_file", "parameters": schema}}],
        }),
        "/v1/responses" => json!({
            "input": [message],
            "tools": [{"type": "function", "name": "read_file", "parameters": schema}],
        }),
        _ => json!({
            "max_tokens": 100,
            "messages": [message],
            "tools": [{"name": "read_file", "input_schema": schema}],
        }),
    };
    body["model"] = Value::from("m");
    body["stream"] = Value::Bool(is_stream);
    body.to_string()
}

/// An answer in a form common to all APIs: text without trailing blanks, calls, and the reason for its end.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) end: &'static str,
}

fn expected() -> Read {
    Read {
        text: "I look.".to_owned(),
        calls: vec![("read_file".to_owned(), r#"{"path":"a.rs"}"#.to_owned())],
        end: "call",
    }
}

/// Arguments without blanks.
fn arguments(json: &str) -> String {
    from_str(json).map_or_else(
        |error| format!("{error}: {json}"),
        |value| value.to_string(),
    )
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn read_whole(path: &str, body: &str) -> Read {
    let body = from_str(body).expect("JSON");
    let mut read = Read::default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match path {
        "/v1/chat/completions" => {
            let choice = &body["choices"][0];
            read.text = text(&choice["message"]["content"]);
            for call in list(&choice["message"]["tool_calls"]) {
                let json = text(&call["function"]["arguments"]);
                read.calls
                    .push((text(&call["function"]["name"]), arguments(&json)));
            }
            read.end = end(&text(&choice["finish_reason"]));
        }
        "/v1/responses" => {
            for item in list(&body["output"]) {
                if item["type"] == "function_call" {
                    read.calls
                        .push((text(&item["name"]), arguments(&text(&item["arguments"]))));
                } else if item["type"] == "message" {
                    read.text += &text(&item["content"][0]["text"]);
                }
            }
            let has_calls = !read.calls.is_empty();
            read.end = match &*text(&body["status"]) {
                "completed" if has_calls => "call",
                "completed" => "stop",
                other => end(other),
            };
        }
        _ => {
            for block in list(&body["content"]) {
                if block["type"] == "tool_use" {
                    read.calls
                        .push((text(&block["name"]), block["input"].to_string()));
                } else {
                    read.text += &text(&block["text"]);
                }
            }
            read.end = end(&text(&body["stop_reason"]));
        }
    }
    read.text.truncate(read.text.trim_end().len());
    read
}

fn end(word: &str) -> &'static str {
    match word {
        "tool_calls" | "tool_use" => "call",
        "length" | "max_tokens" | "incomplete" => "length",
        "stop" | "end_turn" => "stop",
        _ => "another end",
    }
}

pub(crate) fn read_stream(path: &str, body: &str) -> Read {
    let mut read = Read::default();
    let mut json = Vec::new();
    for line in body.lines() {
        let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "[DONE]") else {
            continue;
        };
        let event = from_str(data).expect("JSON");
        let kind = text(&event["type"]);
        match path {
            "/v1/chat/completions" => {
                let choice = &event["choices"][0];
                read.text += choice["delta"]["content"].as_str().unwrap_or_default();
                for call in choice["delta"]["tool_calls"]
                    .as_array()
                    .into_iter()
                    .flatten()
                {
                    if call["function"].get("name").is_some() {
                        json.push((text(&call["function"]["name"]), String::new()));
                    }
                    let index = call["index"].as_u64().expect("an index") as usize;
                    json[index].1 += &text(&call["function"]["arguments"]);
                }
                if let Some(word) = choice["finish_reason"].as_str() {
                    assert_eq!(read.end, "", "one reason");
                    read.end = end(word);
                }
            }
            "/v1/responses" => match &*kind {
                "response.output_text.delta" => read.text += &text(&event["delta"]),
                "response.output_item.added" if event["item"]["type"] == "function_call" => {
                    json.push((text(&event["item"]["name"]), String::new()));
                }
                "response.function_call_arguments.delta" => {
                    json.last_mut().expect("an item").1 += &text(&event["delta"]);
                }
                "response.completed" => {
                    read.end = if json.is_empty() { "stop" } else { "call" };
                }
                "response.incomplete" => read.end = "length",
                "response.failed" | "error" => read.end = "error",
                _ => {}
            },
            _ => match &*kind {
                "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                    json.push((text(&event["content_block"]["name"]), String::new()));
                }
                "content_block_delta" => {
                    read.text += &text(&event["delta"]["text"]);
                    if event["delta"]["type"] == "input_json_delta" {
                        json.last_mut().expect("a block").1 +=
                            &text(&event["delta"]["partial_json"]);
                    }
                }
                "message_delta" => read.end = end(&text(&event["delta"]["stop_reason"])),
                "error" => read.end = "error",
                _ => {}
            },
        }
        if event.get("error").is_some_and(|error| !error.is_null()) {
            read.end = "error";
        }
    }
    read.text.truncate(read.text.trim_end().len());
    read.calls = json
        .into_iter()
        .map(|(name, json)| (name, arguments(&json)))
        .collect();
    read
}

pub(crate) const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

#[test]
fn calls_in_text_reach_the_clients_of_all_apis() {
    for (dialect, text) in TEXTS {
        for mode_of_model in [Mode::Raw, Mode::Recover, Mode::Emulate] {
            let upstream = FakeUpstream::new(vec![whole(text, "stop")]);
            let gateway = gateway(&upstream, mode(mode_of_model));
            for path in PATHS {
                let reply = post(gateway.address, path, &asked(path, false));
                assert_eq!(reply.status, 200, "{}", reply.body);
                let read = read_whole(path, &reply.body);
                assert_eq!(read, expected(), "{dialect} {path} {mode_of_model:?}");
            }
        }
    }
}

#[test]
fn streams_do_not_depend_on_cuts() {
    for (dialect, text) in TEXTS {
        for cut in CUTS {
            let upstream = FakeUpstream::new(vec![streamed(text, cut, "stop")]);
            let gateway = gateway(&upstream, mode(Mode::Recover));
            for path in PATHS {
                let reply = post(gateway.address, path, &asked(path, true));
                assert!(reply.head.contains("text/event-stream"), "{}", reply.head);
                assert!(
                    reply.head.contains("x-toolglot-mode: recover"),
                    "{}",
                    reply.head
                );
                let read = read_stream(path, &reply.body);
                assert_eq!(
                    read,
                    expected(),
                    "{dialect} {path} {cut:?}:\n{}",
                    reply.body
                );
                assert!(reply.is_whole);
            }
        }
    }
}

#[test]
fn a_dialect_can_be_named() {
    let upstream = FakeUpstream::new(vec![whole(TEXTS[0].1, "stop")]);
    for (dialect, calls) in [("hermes", 1), ("roo", 0)] {
        let mut settings = mode(Mode::Recover);
        settings.dialect = Some(dialect.to_owned());
        let gateway = gateway(&upstream, settings);
        let reply = post(gateway.address, PATHS[0], &asked(PATHS[0], false));
        assert_eq!(
            read_whole(PATHS[0], &reply.body).calls.len(),
            calls,
            "{dialect}"
        );
    }
}

#[test]
fn text_without_tools_is_not_read() {
    let upstream = FakeUpstream::new(vec![whole(TEXTS[0].1, "stop")]);
    let gateway = gateway(&upstream, mode(Mode::Recover));
    for body in [
        json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]}),
        json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tool_choice": "none",
            "tools": [{"type": "function", "function": {"name": "read_file"}}]}),
    ] {
        let reply = post(gateway.address, PATHS[0], &body.to_string());
        let read = read_whole(PATHS[0], &reply.body);
        assert_eq!((read.text.as_str(), read.calls.len()), (TEXTS[0].1, 0));
        assert_eq!(read.end, "stop");
    }
}

#[test]
fn a_truncated_call_is_no_call() {
    let text = "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.";
    for cut in CUTS {
        let upstream = FakeUpstream::new(vec![streamed(text, cut, "length")]);
        let gateway = gateway(&upstream, mode(Mode::Recover));
        for path in PATHS {
            let reply = post(gateway.address, path, &asked(path, true));
            let read = read_stream(path, &reply.body);
            let expected = Read {
                text: "I look.".to_owned(),
                calls: Vec::new(),
                end: "length",
            };
            assert_eq!(read, expected, "{path} {cut:?}:\n{}", reply.body);
        }
    }
}

#[test]
fn the_same_tools_share_their_program_and_calls_are_counted() {
    let upstream = FakeUpstream::new(vec![whole(TEXTS[0].1, "stop")]);
    let gateway = gateway(&upstream, mode(Mode::Recover));
    for _ in 0..3 {
        post(gateway.address, PATHS[0], &asked(PATHS[0], false));
    }
    let metrics = crate::client::get(gateway.address, "/metrics").body;
    let line = "toolglot_calls_total{dialect=\"hermes\",model=\"m\",end=\"closed\"} 3\n";
    assert!(metrics.contains(line), "{metrics}");
    assert!(
        metrics.contains("toolglot_requests_total{api=\"chat\",status=\"200\"} 3\n"),
        "{metrics}"
    );
}

/// The model's first text does not reach the client, and the stream has one start.
#[test]
fn a_stream_waits_for_a_required_call() {
    let call = TEXTS[0].1;
    let (none, doubtful) = ("I would rather talk.", call.replace("</tool_call>", ""));
    let doubtful = doubtful.trim_end().strip_suffix('}').expect("a brace");
    for (first, cut) in [none, doubtful]
        .into_iter()
        .flat_map(|first| CUTS.map(|cut| (first, cut)))
    {
        let answers = vec![streamed(first, cut, "stop"), streamed(call, cut, "stop")];
        for path in PATHS {
            let upstream = FakeUpstream::new(answers.clone());
            let gateway = gateway(&upstream, mode(Mode::Recover));
            let mut body = from_str(&asked(path, true)).expect("JSON");
            body["tool_choice"] = match path {
                "/v1/messages" => json!({"type": "any"}),
                _ => Value::from("required"),
            };
            let reply = post(gateway.address, path, &body.to_string());
            let context = format!("{path} {cut:?} {first}:\n{}", reply.body);
            assert_eq!(read_stream(path, &reply.body), expected(), "{context}");
            assert_eq!(upstream.asked().len(), 2, "{context}");
            let starts = [
                "\"role\":\"assistant\"}",
                "\"response.created\"",
                "\"message_start\"",
            ];
            let n_starts = starts.map(|start| reply.body.matches(start).count());
            assert_eq!(n_starts.iter().max(), Some(&1), "{context}");
        }
    }
}
