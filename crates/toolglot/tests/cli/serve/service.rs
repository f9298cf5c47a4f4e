//! The answers to an agent, and the end of the server.

use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use toolglot_value::{Value, json};

use super::gateway::Gateway;
use super::http::post;
use super::upstream::{Upstream, completion};

const CALL: &str =
    "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\",}}\n</tool_call>";

const CHAT: &str = "/v1/chat/completions";

fn request() -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    json!({
        "model": "m",
        "messages": [{"role": "user", "content": "Look."}],
        "tools": [{"type": "function", "function": {"name": "ls", "parameters": schema}}],
    })
}

#[test]
fn an_agent_gets_a_call_and_a_signal_ends_the_server() {
    for signal in ["TERM", "INT"] {
        let upstream = Upstream::writing(CALL);
        let gateway = Gateway::start(&upstream.url, &[], &[]);
        let answer = post(gateway.address, CHAT, &[], &request());
        assert_eq!(answer.status(), "200", "{answer:?}");
        assert_eq!(answer.header("x-toolglot-mode"), Some("recover"));
        let choice = &answer.json()["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls");
        let function = &choice["message"]["tool_calls"][0]["function"];
        let expected = json!({"name": "ls", "arguments": "{\"path\": \".\"}"});
        assert_eq!(*function, expected);
        assert_eq!(upstream.asked(CHAT)[0]["tools"], request()["tools"]);
        gateway.signal(signal);
        let (code, log) = gateway.ended();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("mode `recover`"), "{log}");
        // The log contains nothing of the conversation.
        assert!(!log.contains("Look") && !log.contains("path"), "{log}");
    }
}

#[test]
fn a_request_under_way_is_answered_after_the_signal() {
    let (asked, was_asked) = channel();
    let (answer, may_answer) = channel::<()>();
    let (asked, may_answer) = (Mutex::new(asked), Mutex::new(may_answer));
    let upstream = Upstream::new(move |path, _| {
        if path == CHAT {
            let _ = asked.lock().expect("no panic").send(());
            let waits = may_answer.lock().expect("no panic");
            let _ = waits.recv_timeout(Duration::from_secs(20));
        }
        (200, completion(CALL))
    });
    let gateway = Gateway::start(&upstream.url, &[], &[]);
    let address = gateway.address;
    let client = thread::spawn(move || post(address, CHAT, &[], &request()));
    was_asked
        .recv_timeout(Duration::from_secs(20))
        .expect("the upstream is asked");
    gateway.signal("TERM");
    // The server accepts no new connection.
    while TcpStream::connect(address).is_ok() {
        thread::sleep(Duration::from_millis(5));
    }
    answer.send(()).expect("the upstream waits");
    let reply = client.join().expect("an answer");
    assert_eq!(reply.json()["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(gateway.ended().0, Some(0));
}

#[test]
fn keys_come_from_a_file_and_from_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    std::fs::write(&file, "one\n\ntwo\n").expect("a file");
    let file = file.to_str().expect("UTF-8");
    let upstream = Upstream::writing("Hi.");
    for (arguments, variables) in [
        (&["--api-key-file", file][..], &[][..]),
        (&[], &[("TOOLGLOT_API_KEY", "two")]),
    ] {
        let gateway = Gateway::start(&upstream.url, arguments, variables);
        let status = |header: &str| {
            let answer = post(gateway.address, CHAT, &[header], &request());
            answer.status().to_owned()
        };
        assert_eq!(status("authorization: Bearer two"), "200");
        assert_eq!(status("x-api-key: two"), "200");
        assert_eq!(status("authorization: Bearer three"), "401");
    }
}
