//! Tools that the gateway runs itself: the model's and the client's view, and the decisions.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use toolglot_gateway::{GatewayError, Limits, Mode, ModelSettings, Models, Server, ServerBuilder};
use toolglot_session::{FileLog, Policies, Session, SessionBuilder};
use toolglot_value::{Value, from_slice, from_str, json};

use crate::calls::{CUTS, Cut, PATHS, read_stream, read_whole, streamed, whole};
use crate::client::{Reply, send, sent};
use crate::fake_upstream::{Answer, AnswerEnd, FakeUpstream};
use crate::gateway::Gateway;

const KEY: &str = "x-api-key: sesame";

fn hermes(name: &str, arguments: &Value) -> String {
    let call = json!({"name": name, "arguments": arguments});
    format!("<tool_call>\n{call}\n</tool_call>")
}

fn read(path: &str) -> String {
    hermes("rye__file-system__read", &json!({"path": path}))
}

/// A project with one file.
fn project() -> TempDir {
    let project = tempfile::tempdir().expect("a directory");
    std::fs::write(project.path().join("notes.txt"), "hello\n").expect("a file");
    project
}

fn session(root: &Path) -> SessionBuilder {
    Session::builder(root, Policies::usual(root)).without_journal()
}

fn builder(upstream: &FakeUpstream, mode: Mode, session: SessionBuilder) -> ServerBuilder {
    let mut settings = ModelSettings::default();
    settings.mode = Some(mode);
    settings.dialect = Some("hermes".to_owned());
    Server::builder(upstream.url())
        .models(Models::all(settings))
        .keys(vec!["sesame".to_owned()])
        .execute(session, vec!["rye/file-system/*".to_owned()])
}

/// A request with the client's tool `notify`.
fn asked(path: &str, is_stream: bool) -> String {
    let message = json!({"role": "user", "content": "Look."});
    let mut body = match path {
        "/v1/chat/completions" => json!({
            "messages": [message],
            "tools": [{"type": "function", "function": {"name": "notify"}}],
        }),
        "/v1/responses" => {
            json!({"input": [message], "tools": [{"type": "function", "name": "notify"}]})
        }
        _ => json!({
            "max_tokens": 100,
            "messages": [message],
            "tools": [{"name": "notify", "input_schema": {"type": "object"}}],
        }),
    };
    body["model"] = Value::from("m");
    body["stream"] = Value::Bool(is_stream);
    body.to_string()
}

fn post(gateway: &Gateway, path: &str, body: &str) -> Reply {
    let headers = [KEY, "x-toolglot-report: 1"];
    send(gateway.address, &format!("POST {path}"), &headers, body)
}

/// The messages of the request of this number.
fn messages(upstream: &FakeUpstream, number: usize) -> Vec<Value> {
    let body = from_slice(&upstream.asked()[number].body).expect("JSON");
    body["messages"].as_array().cloned().expect("messages")
}

#[test]
fn the_model_goes_on_with_the_result() {
    let project = project();
    let first = format!("I look.\n{}", read("notes.txt"));
    for path in PATHS {
        let answers = vec![whole(&first, "stop"), whole("It says hello.", "stop")];
        let upstream = FakeUpstream::new(answers);
        let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
        let reply = post(&gateway, path, &asked(path, false));
        let read = read_whole(path, &reply.body);
        assert_eq!(read.calls, [], "{}", reply.body);
        assert_eq!(read.end, "stop", "{}", reply.body);
        assert!(read.text.starts_with("I look.\n"), "{}", read.text);
        assert!(read.text.ends_with("It says hello."), "{}", read.text);
        let report = r#""executed":[{"name":"rye/file-system/read","state":"done","rule":"read-inside-root"}]"#;
        assert!(reply.head.contains(report), "{}", reply.head);
        let sent = messages(&upstream, 1);
        let [.., call, result] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        assert_eq!(call["tool_calls"][0]["id"], result["tool_call_id"]);
        let text = result["content"].as_str().expect("text");
        assert!(text.contains("hello"), "{text}");
    }
}

#[test]
fn streams_go_on_through_rounds() {
    let project = project();
    let first = format!("I look.\n{}", read("notes.txt"));
    for cut in CUTS {
        for path in PATHS {
            let answers = vec![
                streamed(&first, cut, "stop"),
                streamed(&read("none.txt"), cut, "stop"),
                streamed("There is one file.", cut, "stop"),
            ];
            let upstream = FakeUpstream::new(answers);
            let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
            let reply = post(&gateway, path, &asked(path, true));
            let read = read_stream(path, &reply.body);
            let context = format!("{path} {cut:?}:\n{}", reply.body);
            assert_eq!((read.calls.len(), read.end), (0, "stop"), "{context}");
            assert!(read.text.ends_with("There is one file."), "{context}");
            assert_eq!(upstream.asked().len(), 3, "{context}");
            assert!(reply.is_whole);
        }
    }
}

#[test]
fn results_are_text_where_calls_are() {
    let project = project();
    let upstream = FakeUpstream::new(vec![
        whole(&read("notes.txt"), "stop"),
        whole("Done.", "stop"),
    ]);
    let gateway = Gateway::of(builder(&upstream, Mode::Emulate, session(project.path())));
    post(&gateway, PATHS[0], &asked(PATHS[0], false));
    let sent = messages(&upstream, 1);
    let [.., call, result] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(call["content"], read("notes.txt"));
    assert_eq!(result["role"], "user");
    let text = result["content"].as_str().expect("text");
    assert!(
        text.starts_with("<tool_response>") && text.contains("hello"),
        "{text}"
    );
}

#[test]
fn native_calls_are_run_too() {
    let project = project();
    let function =
        json!({"name": "rye__file-system__read", "arguments": "{\"path\": \"notes.txt\"}"});
    let call = json!({"index": 0, "id": "x", "type": "function", "function": function});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    let native = Answer::json(200, &json!({"choices": [choice]}).to_string());
    let upstream = FakeUpstream::new(vec![native, whole("Done.", "stop")]);
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
    let reply = post(&gateway, PATHS[0], &asked(PATHS[0], false));
    assert_eq!(read_whole(PATHS[0], &reply.body).text, "Done.");
    let result = messages(&upstream, 1).pop().expect("a result");
    assert!(result["content"].to_string().contains("hello"), "{result}");
}

/// The session refuses as `run` does, and the model learns why. Nothing is written.
#[test]
fn calls_are_judged_and_logged() {
    let project = project();
    let log = tempfile::tempdir().expect("a directory");
    let log = log.path().join("audit.log");
    std::fs::create_dir_all(log.parent().expect("a directory")).expect("a directory");
    let write = json!({"path": "new.txt", "content": "x"});
    let write = hermes("rye__file-system__write", &write);
    // A completed call is in doubt, even if its tool only reads.
    let outside = read("../secret.txt");
    let upstream = FakeUpstream::new(vec![
        whole(&format!("{write}\n{outside}"), "stop"),
        whole("I may not.", "stop"),
    ]);
    let session = session(project.path()).audit(FileLog::new(&log, false));
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session));
    let reply = post(&gateway, PATHS[0], &asked(PATHS[0], false));
    assert_eq!(read_whole(PATHS[0], &reply.body).text, "I may not.");
    assert!(!project.path().join("new.txt").exists());
    let sent = messages(&upstream, 1);
    let results = &sent[sent.len() - 2..];
    for result in results {
        let text = result["content"].as_str().expect("text");
        assert!(
            !text.is_empty() && !text.contains("success\":true"),
            "{text}"
        );
    }
    let log = std::fs::read_to_string(&log).expect("a log");
    let decisions: Vec<Value> = log
        .lines()
        .map(|line| from_str(line).expect("JSON")["event"].clone())
        .collect();
    assert_eq!(decisions, ["refused", "refused"], "{log}");
}

/// The client's tools remain the client's: the text that the client keeps records the calls that ran before.
#[test]
fn the_clients_calls_are_the_clients() {
    let project = project();
    let notify = hermes("notify", &json!({"text": "hello"}));
    for path in PATHS {
        let upstream = FakeUpstream::new(vec![
            // The model does not know the result yet when it writes the second call.
            whole(&format!("{}\n{notify}", read("notes.txt")), "stop"),
            whole(&format!("{notify}\n{}", read("notes.txt")), "stop"),
        ]);
        let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
        let reply = post(&gateway, path, &asked(path, false));
        let read = read_whole(path, &reply.body);
        let expected = [("notify".to_owned(), r#"{"text":"hello"}"#.to_owned())];
        assert_eq!(read.calls.len(), expected.len(), "{}", reply.body);
        assert_eq!(read.end, "call");
        let record = "[Before this, `rye/file-system/read` was called with";
        assert!(read.text.contains(record), "{}", read.text);
        assert_eq!(upstream.asked().len(), 2);
    }
}

#[test]
fn a_tool_of_the_client_hides_one_of_that_name() {
    let project = project();
    let upstream = FakeUpstream::new(vec![whole(&read("notes.txt"), "stop")]);
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "Look."}],
        "tools": [{"type": "function", "function": {"name": "rye__file-system__read"}}]});
    let reply = post(&gateway, PATHS[0], &body.to_string());
    assert_eq!(read_whole(PATHS[0], &reply.body).calls.len(), 1);
    assert_eq!(upstream.asked().len(), 1);
}

#[test]
fn it_ends_after_ten_rounds() {
    let project = project();
    let upstream = FakeUpstream::scripted(|at, _| whole(&read(&format!("{at}.txt")), "stop"));
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
    let reply = post(&gateway, PATHS[0], &asked(PATHS[0], false));
    let read = read_whole(PATHS[0], &reply.body);
    assert_eq!(
        (read.calls.len(), read.end),
        (0, "length"),
        "{}",
        reply.body
    );
    assert!(read.text.contains("10 rounds"), "{}", read.text);
    assert_eq!(upstream.asked().len(), 11);
}

/// A truncated call is not run, and a tool choice that was met does not bind the model again.
#[test]
fn required_calls_and_truncated_ones() {
    let project = project();
    let cut = read("notes.txt").replace("\"}}\n</tool_call>", "");
    let upstream = FakeUpstream::new(vec![whole(&cut, "length")]);
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
    let reply = post(&gateway, PATHS[0], &asked(PATHS[0], false));
    assert_eq!(read_whole(PATHS[0], &reply.body).end, "length");
    assert_eq!(upstream.asked().len(), 1);

    let upstream = FakeUpstream::new(vec![
        whole(&read("notes.txt"), "stop"),
        whole("Done.", "stop"),
    ]);
    let gateway = Gateway::of(builder(&upstream, Mode::Recover, session(project.path())));
    let mut body = from_str(&asked(PATHS[0], false)).expect("JSON");
    body["tool_choice"] = Value::from("required");
    let reply = post(&gateway, PATHS[0], &body.to_string());
    let read = read_whole(PATHS[0], &reply.body);
    assert_eq!((read.text.as_str(), read.end), ("Done.", "stop"));
    let second = from_slice(&upstream.asked()[1].body).expect("JSON");
    assert_eq!(second.get("tool_choice"), None);
}

#[test]
fn a_key_is_needed_on_this_machine_too() {
    let project = project();
    let server = Server::builder("http://127.0.0.1:9").execute(session(project.path()), Vec::new());
    let error = server.build().expect_err("nobody shows a key");
    assert!(matches!(error, GatewayError::ExecuteNeedsKey), "{error}");
}

/// Text of the upstream after a round does not arrive once the client is gone.
#[test]
fn the_upstream_is_let_go_between_rounds() {
    let project = project();
    let upstream = FakeUpstream::scripted(|at, _| match at {
        0 => streamed(
            &format!("I look.\n{}", read("notes.txt")),
            Cut::Whole,
            "stop",
        ),
        _ => Answer::events(vec![b": nothing yet\n\n".to_vec()]).end(AnswerEnd::Silent),
    });
    let mut limits = Limits::default();
    limits.silence = Duration::from_secs(60);
    let builder = builder(&upstream, Mode::Recover, session(project.path())).limits(limits);
    let gateway = Gateway::of(builder);
    let line = format!("POST {}", PATHS[0]);
    let bytes = crate::client::request(&line, &[KEY], &asked(PATHS[0], true));
    let client = sent(gateway.address, &bytes);
    while upstream.asked().len() < 2 {
        std::thread::yield_now();
    }
    drop(client);
    upstream
        .gone
        .recv_timeout(Duration::from_secs(10))
        .expect("the upstream is let go");
}
