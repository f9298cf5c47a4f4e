//! The report to a client beside its answer: repairs with their spans, and who enforced its choice of calls.

use toolglot_gateway::{Mode, ModelSettings, Models, Server};
use toolglot_value::{Value, from_str, json};

use crate::client::{Reply, send};
use crate::fake_upstream::{Answer, FakeUpstream};
use crate::gateway::Gateway;

/// A call with an extra comma.
const CALL: &str =
    "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\",}}\n</tool_call>";

const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

fn gateway(upstream: &FakeUpstream, mode: Mode) -> Gateway {
    let mut settings = ModelSettings::default();
    settings.mode = Some(mode);
    Gateway::of(Server::builder(upstream.url()).models(Models::all(settings)))
}

fn whole(message: &Value) -> Answer {
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    Answer::json(200, &json!({"choices": [choice]}).to_string())
}

fn text(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn native(name: &str) -> Value {
    let function = json!({"name": name, "arguments": "{}"});
    let call = json!({"index": 0, "id": "x", "type": "function", "function": function});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

/// A request with the tools `ls` and `cat`, and these further fields.
fn ask(gateway: &Gateway, path: &str, fields: &Value, headers: &[&str]) -> Reply {
    let message = json!({"role": "user", "content": "Look."});
    let tools = ["ls", "cat"];
    let mut body = match path {
        "/v1/chat/completions" => json!({
            "messages": [message],
            "tools": tools.map(|name| json!({"type": "function", "function": {"name": name}})).to_vec(),
        }),
        "/v1/responses" => json!({
            "input": [message],
            "tools": tools.map(|name| json!({"type": "function", "name": name})).to_vec(),
        }),
        _ => json!({
            "max_tokens": 100,
            "messages": [message],
            "tools": tools.map(|name| json!({"name": name, "input_schema": {"type": "object"}})).to_vec(),
        }),
    };
    body["model"] = Value::from("m");
    for (key, value) in fields.as_object().expect("fields") {
        body[key.as_str()] = value.clone();
    }
    send(
        gateway.address,
        &format!("POST {path}"),
        headers,
        &body.to_string(),
    )
}

fn header<'r>(reply: &'r Reply, name: &str) -> Option<&'r str> {
    let start = format!("{name}: ");
    reply
        .head
        .lines()
        .find_map(|line| line.strip_prefix(&start))
}

/// The last `toolglot` field in the events.
fn last_report(path: &str, body: &str) -> Value {
    let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.filter_map(|data| from_str(data).ok());
    let mut found = events.filter_map(|event| {
        let event = if path == "/v1/responses" {
            &event["response"]
        } else {
            &event
        };
        event.get("toolglot").cloned()
    });
    found.next_back().unwrap_or_default()
}

#[test]
fn repairs_stand_in_a_header_or_the_last_event() {
    let upstream = FakeUpstream::new(vec![whole(&text(CALL))]);
    let gateway = gateway(&upstream, Mode::Recover);
    for path in PATHS {
        let fields = json!({});
        let silent = ask(&gateway, path, &fields, &[]);
        assert_eq!(header(&silent, "x-toolglot-report"), None);
        assert!(!silent.body.contains("toolglot"), "{}", silent.body);
        let reply = ask(&gateway, path, &fields, &["x-toolglot-report: 1"]);
        let report = header(&reply, "x-toolglot-report").expect("a report");
        let report = from_str(report).expect("JSON");
        let call = &report["calls"][0];
        assert_eq!(call["name"], "ls");
        assert_eq!(call["dialect"], "hermes");
        // Up to the last brace: the closer is separate markup.
        let end = CALL.rfind('}').expect("a brace") + 1;
        assert_eq!(call["span"], json!([8, end]));
        let note = &report["notes"][0];
        assert_eq!(note["name"], "trailing-comma");
        let at = CALL.find(",}").expect("a comma");
        assert_eq!(note["span"], json!([at, at + 1]));
        // The client turns the head of a reply into lower case.
        assert_eq!(note["code"], "n012");

        let fields = json!({"stream": true});
        let silent = ask(&gateway, path, &fields, &[]);
        assert_eq!(last_report(path, &silent.body), Value::Null);
        let reply = ask(&gateway, path, &fields, &["x-toolglot-report: 1"]);
        let report = last_report(path, &reply.body);
        assert_eq!(report["mode"], "recover", "{}", reply.body);
        assert_eq!(report["notes"][0]["code"], "N012");
        assert_eq!(report["calls"][0]["end"], "closed");
        // The report contains no argument values.
        assert!(!report.to_string().contains("path"), "{report}");
    }
}

#[test]
fn who_enforced_a_choice_is_said() {
    let rather_not = text("I would rather not.");
    for (name, mode, choice, answers, expected) in [
        ("free", Mode::Recover, "auto", vec![text(CALL)], None),
        (
            "native",
            Mode::Recover,
            "required",
            vec![native("ls")],
            Some("upstream"),
        ),
        (
            "told nobody",
            Mode::Raw,
            "required",
            vec![text(CALL)],
            Some("gateway"),
        ),
        (
            "asked again",
            Mode::Recover,
            "required",
            vec![rather_not.clone(), text(CALL)],
            Some("gateway"),
        ),
        (
            "never",
            Mode::Recover,
            "required",
            vec![rather_not],
            Some("unmet"),
        ),
        (
            "none",
            Mode::Recover,
            "none",
            vec![text("Hi.")],
            Some("upstream"),
        ),
        (
            "dropped",
            Mode::Recover,
            "none",
            vec![native("ls")],
            Some("gateway"),
        ),
    ] {
        let mut answers: Vec<Answer> = answers.iter().map(whole).collect();
        if mode == Mode::Raw {
            // The gateway first asks for the upstream's kind.
            answers.insert(0, Answer::json(404, "{}"));
        }
        let upstream = FakeUpstream::new(answers.clone());
        let reply = ask(
            &gateway(&upstream, mode),
            PATHS[0],
            &json!({"tool_choice": choice}),
            &[],
        );
        assert_eq!(
            header(&reply, "x-toolglot-tool-choice"),
            expected,
            "{name}: {reply:?}"
        );
        let upstream = FakeUpstream::new(answers);
        let fields = json!({"tool_choice": choice, "stream": true});
        let reply = ask(&gateway(&upstream, mode), PATHS[0], &fields, &[]);
        let report = last_report(PATHS[0], &reply.body);
        assert_eq!(
            report["tool_choice"].as_str(),
            expected,
            "{name}: {}",
            reply.body
        );
    }
    // The client requested at most one call.
    let two = text(&CALL.repeat(2));
    let upstream = FakeUpstream::new(vec![whole(&two)]);
    let fields = json!({"parallel_tool_calls": false});
    let reply = ask(&gateway(&upstream, Mode::Recover), PATHS[0], &fields, &[]);
    assert_eq!(header(&reply, "x-toolglot-tool-choice"), Some("gateway"));
}
