//! Reasoning that the prompt opens: how the gateway knows it, and how it treats calls if it does not know.

use toolglot_gateway::{CallEmission, Mode, ModelSettings, Models, Server};
use toolglot_value::{Value, from_str, json};

use crate::calls::{CUTS, PATHS, read_stream, streamed, whole};
use crate::client::{Reply, get, post, send};
use crate::fake_upstream::{Answer, FakeUpstream};
use crate::gateway::Gateway;

/// Reasoning that the prompt opened, with a call, and then the answer with another call.
const TEXT: &str = "I could call <tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n</think>\n\
    <tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"b\"}}\n</tool_call>";

fn asked(path: &str, is_stream: bool) -> String {
    let message = json!({"role": "user", "content": "Look."});
    let mut body = match path {
        "/v1/chat/completions" => json!({
            "messages": [message],
            "tools": [{"type": "function", "function": {"name": "ls"}}],
        }),
        "/v1/responses" => {
            json!({"input": [message], "tools": [{"type": "function", "name": "ls"}]})
        }
        _ => json!({
            "max_tokens": 100,
            "messages": [message],
            "tools": [{"name": "ls", "input_schema": {"type": "object"}}],
        }),
    };
    body["model"] = Value::from("m");
    body["stream"] = Value::Bool(is_stream);
    body.to_string()
}

fn gateway(upstream: &FakeUpstream, change: impl FnOnce(&mut ModelSettings)) -> Gateway {
    let mut settings = ModelSettings::default();
    settings.mode = Some(Mode::Recover);
    change(&mut settings);
    Gateway::of(Server::builder(upstream.url()).models(Models::all(settings)))
}

fn paths(calls: &[(String, String)]) -> Vec<String> {
    let path = |(_, json): &(String, String)| {
        let value = from_str(json).expect("JSON");
        value["path"].as_str().unwrap_or_default().to_owned()
    };
    calls.iter().map(path).collect()
}

#[test]
fn no_call_before_a_closer_without_an_opener_is_sent() {
    for cut in CUTS {
        let upstream = FakeUpstream::new(vec![streamed(TEXT, cut, "stop")]);
        let gateway = gateway(&upstream, |_| ());
        for path in PATHS {
            let reply = post(gateway.address, path, &asked(path, true));
            let read = read_stream(path, &reply.body);
            assert_eq!(paths(&read.calls), ["b"], "{path} {cut:?}: {}", reply.body);
            let words = "The call of `ls` was not made, since it is in the reasoning";
            assert!(read.text.contains(words), "{}", read.text);
        }
        let counted = get(gateway.address, "/metrics").body;
        let line = "toolglot_notes_total{code=\"unopened-reasoning\"} 3\n";
        assert!(counted.contains(line), "{counted}");
    }
}

#[test]
fn the_closer_is_reported() {
    let upstream = FakeUpstream::new(vec![whole(TEXT, "stop")]);
    let gateway = gateway(&upstream, |_| ());
    let body = asked(PATHS[0], false);
    let line = format!("POST {}", PATHS[0]);
    let reply = send(gateway.address, &line, &["x-toolglot-report: 1"], &body);
    // The client turns the head of a reply into lower case.
    assert!(reply.head.contains("\"code\":\"n072\""), "{}", reply.head);
}

#[test]
fn a_setting_says_where_the_text_starts() {
    let upstream = FakeUpstream::new(vec![streamed(TEXT, CUTS[1], "stop")]);
    for (is_open, expected) in [(None, vec!["b"]), (Some(true), vec!["b"])] {
        let gateway = gateway(&upstream, |settings| settings.reasoning_open = is_open);
        let reply = post(gateway.address, PATHS[0], &asked(PATHS[0], true));
        assert_eq!(paths(&read_stream(PATHS[0], &reply.body).calls), expected);
        let is_thought = reply.body.contains("\"reasoning_content\":\"");
        assert_eq!(is_thought, is_open == Some(true), "{}", reply.body);
    }
}

/// Calls of read-only tools are sent while they are read, unless the setting says otherwise; they are never withdrawn.
#[test]
fn tools_that_only_read_do_not_wait() {
    let upstream = FakeUpstream::new(vec![streamed(TEXT, CUTS[1], "stop")]);
    let reads = |settings: &mut ModelSettings| settings.read_only_tools = vec!["l*".to_owned()];
    let reply =
        |gateway: &Gateway| -> Reply { post(gateway.address, PATHS[0], &asked(PATHS[0], true)) };
    let early = reply(&gateway(&upstream, reads));
    assert_eq!(paths(&read_stream(PATHS[0], &early.body).calls), ["a", "b"]);
    let late = reply(&gateway(&upstream, |settings| {
        reads(settings);
        settings.emission = Some(CallEmission::Atomic);
    }));
    assert_eq!(paths(&read_stream(PATHS[0], &late.body).calls), ["b"]);
}

#[test]
fn a_prose_closer_changes_nothing() {
    let text = TEXT.replace("\n</think>\n", " The marker `</think>` ends it. ");
    let upstream = FakeUpstream::new(vec![streamed(&text, CUTS[1], "stop")]);
    let reply = post(
        gateway(&upstream, |_| ()).address,
        PATHS[0],
        &asked(PATHS[0], true),
    );
    assert_eq!(paths(&read_stream(PATHS[0], &reply.body).calls), ["a", "b"]);
}

/// The upstream's template shows it: for llama.cpp that leaves reasoning in the text, and for Ollama models without
/// thinking.
#[test]
fn templates_say_where_the_text_starts() {
    let json = |value: &Value| Answer::json(200, &value.to_string());
    let models = |owner: &str| json(&json!({"data": [{"id": "m", "owned_by": owner}]}));
    let props = |format: &str| {
        json(&json!({"default_generation_settings": {"params": {"reasoning_format": format}}}))
    };
    let show = |template: &str, capabilities: Value| {
        json(&json!({"template": template, "capabilities": capabilities}))
    };
    let opens = "<|im_start|>assistant\n<think>\n";
    let prompt = || json(&json!({"prompt": opens}));
    let answer = streamed(TEXT, CUTS[1], "stop");
    for (name, answers, is_open) in [
        // The template of llama.cpp writes no tools, so its own prompt is not used.
        (
            "llama.cpp",
            vec![
                models("llamacpp"),
                prompt(),
                props("none"),
                prompt(),
                answer.clone(),
            ],
            true,
        ),
        (
            "llama.cpp that parses",
            vec![
                models("llamacpp"),
                prompt(),
                props("deepseek"),
                answer.clone(),
            ],
            false,
        ),
        (
            "Ollama",
            vec![
                models("library"),
                show(opens, json!(["completion"])),
                answer.clone(),
            ],
            true,
        ),
        (
            "Ollama that parses",
            vec![
                models("library"),
                show(opens, json!(["completion", "thinking"])),
                answer.clone(),
            ],
            false,
        ),
        ("another", vec![models("someone"), answer.clone()], false),
    ] {
        let n_answers = answers.len();
        let upstream = FakeUpstream::new(answers);
        let gateway = gateway(&upstream, |settings| settings.mode = None);
        for _ in 0..2 {
            let reply = post(gateway.address, PATHS[0], &asked(PATHS[0], true));
            let is_thought = reply.body.contains("\"reasoning_content\":\"");
            assert_eq!(is_thought, is_open, "{name}: {}", reply.body);
            assert_eq!(
                paths(&read_stream(PATHS[0], &reply.body).calls),
                ["b"],
                "{name}"
            );
        }
        // Each query is sent once.
        assert_eq!(upstream.asked().len(), n_answers + 1, "{name}");
    }
}
