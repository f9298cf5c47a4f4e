//! `toolglot mcp` over HTTP: streams that break, and requests without a session.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use toolglot_value::{Value, json};

use super::serving::{Lines, tools};
use super::web::{HELLO, Web};
use super::{World, can_run};

/// Sends a request of a session and reads events of the answer until `enough`. Returns the ids and texts of the events.
fn events(
    server: &Web,
    (first, own): (&str, &str),
    body: &str,
    enough: impl Fn(&str) -> bool,
) -> (String, Vec<(String, String)>) {
    let mut stream = TcpStream::connect(&server.place).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("set");
    let text = format!(
        "{first} HTTP/1.1\r\nHost: localhost\r\n{own}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).expect("it reads");
    let mut all = String::new();
    let mut buffer = [0_u8; 4096];
    while !enough(&all) {
        let n = std::io::Read::read(&mut stream, &mut buffer).unwrap_or(0);
        if n == 0 {
            break;
        }
        all.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    let mut found = Vec::new();
    let mut id = String::new();
    for line in all.lines() {
        if let Some(own) = line.strip_prefix("id: ") {
            own.clone_into(&mut id);
        }
        if let Some(data) = line.strip_prefix("data: ") {
            found.push((id.clone(), data.to_owned()));
        }
    }
    (all, found)
}

#[test]
fn a_stream_is_taken_up_again_behind_what_arrived() {
    if !can_run() {
        return;
    }
    let world = World::new();
    let folder = world.path("ws/.ai/tools/t");
    fs::create_dir_all(&folder).expect("made");
    let gate = world.path("ws/go");
    let command = "echo '{\"level\":\"warning\",\"data\":\"one\"}' >&2; while [ ! -e go ]; do sleep 0.05; done; echo '{\"level\":\"warning\",\"data\":\"two\"}' >&2; echo done";
    let file = json!({
        "tool_id": "tell", "tool_type": "script", "version": "1.0.0", "executor_id": "bash", "category": "t",
        "description": "A tool", "config": {"command": command},
    });
    fs::write(folder.join("tell.yaml"), file.to_string()).expect("written");
    assert!(world.toolglot(&["tools", "trust", "t/*"]).status.success());
    let server = Web::start(&world, &[]);
    let (_, head, _) = server.ask("POST /mcp", &[], HELLO);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("Mcp-Session-Id: "))
        .expect("a session")
        .trim();
    let own = format!("Mcp-Session-Id: {session}\r\n");
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t.tell"}}"#;
    // The connection breaks after the first message.
    let (text, first) = events(&server, ("POST /mcp", &own), call, |all| {
        all.contains("one")
    });
    assert!(
        first.len() == 2 && first[0].1.is_empty(),
        "primed, then told: {text}"
    );
    fs::write(&gate, "").expect("written");
    // Later messages and the result follow the received ones, as often as the client resumes.
    let resume = |id: &str| {
        let own = format!("{own}Last-Event-ID: {id}\r\n");
        events(&server, ("GET /mcp", &own), "", |all| {
            all.contains("\"id\":7") || all.contains("again")
        })
    };
    for (id, n_missed) in [(&first[1].0, 2), (&first[1].0, 2), (&first[0].0, 3)] {
        let (text, missed) = resume(id);
        assert_eq!(missed.len(), n_missed, "{id}: {text}");
        assert!(
            missed[n_missed - 2].1.contains("two") && missed[n_missed - 1].1.contains("done"),
            "{id}: {text}"
        );
    }
    // After the result nothing follows: a client would request an empty stream again and again.
    let (_, missed) = resume(&first[1].0);
    let last = missed[1].0.as_str();
    for id in [
        last,
        "99-1",
        "x",
        "",
        "1",
        "-1",
        "2-99",
        "18446744073709551616-0",
    ] {
        let (text, missed) = resume(id);
        assert!(
            missed.is_empty() && text.starts_with("HTTP/1.1 400"),
            "{id:?}: {text}"
        );
    }
    // Another session has streams of its own.
    let (_, head, _) = server.ask("POST /mcp", &[], HELLO);
    let other = head
        .lines()
        .find_map(|line| line.strip_prefix("Mcp-Session-Id: "))
        .expect("a session")
        .trim();
    let own = [
        ("Mcp-Session-Id", other),
        ("Last-Event-ID", first[0].0.as_str()),
    ];
    assert_eq!(server.ask("GET /mcp", &own, "").0, 400);
}

#[test]
fn requests_without_a_session_say_who_asks() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let server = Web::start(&world, &[]);
    let prefix = "io.modelcontextprotocol/";
    let meta = |version: &str| json!({(format!("{prefix}protocolVersion")): version, (format!("{prefix}clientCapabilities")): {}});
    let own = meta("2026-07-28");
    let call = json!({"name": "t.say-hi", "_meta": own});
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let of = |method: &'static str| ("Mcp-Method", method);
    let name = ("Mcp-Name", "t.say-hi");
    for (method, params, headers, status, code) in [
        (
            "server/discover",
            json!({"_meta": own}),
            vec![version, of("server/discover")],
            200,
            None,
        ),
        (
            "tools/list",
            json!({"_meta": own}),
            vec![version, of("tools/list")],
            200,
            None,
        ),
        (
            "tools/call",
            call.clone(),
            vec![version, of("tools/call"), name],
            200,
            None,
        ),
        // Proxies read the headers, so the headers must agree with the message.
        (
            "tools/call",
            call.clone(),
            vec![of("tools/call"), name],
            400,
            Some(-32_020),
        ),
        (
            "tools/call",
            call.clone(),
            vec![version, name],
            400,
            Some(-32_020),
        ),
        (
            "tools/call",
            call.clone(),
            vec![version, of("tools/list"), name],
            400,
            Some(-32_020),
        ),
        (
            "tools/call",
            call.clone(),
            vec![version, of("tools/call")],
            400,
            Some(-32_020),
        ),
        (
            "tools/call",
            call.clone(),
            vec![version, of("tools/call"), ("Mcp-Name", "t.other")],
            400,
            Some(-32_020),
        ),
        (
            "tools/list",
            json!({"_meta": meta("2031-01-01")}),
            vec![version, of("tools/list")],
            400,
            Some(-32_020),
        ),
        (
            "tools/list",
            json!({"_meta": meta("2031-01-01")}),
            vec![("MCP-Protocol-Version", "2031-01-01"), of("tools/list")],
            400,
            Some(-32_022),
        ),
        (
            "tools/list",
            json!({}),
            vec![version, of("tools/list")],
            400,
            Some(-32_602),
        ),
        (
            "tools/list",
            json!({"_meta": {(format!("{prefix}protocolVersion")): "2026-07-28"}}),
            vec![version, of("tools/list")],
            400,
            Some(-32_602),
        ),
        // Methods that only sessions have.
        (
            "initialize",
            json!({"_meta": own, "protocolVersion": "2025-11-25"}),
            vec![version, of("initialize")],
            404,
            Some(-32_601),
        ),
        (
            "ping",
            json!({"_meta": own}),
            vec![version, of("ping")],
            404,
            Some(-32_601),
        ),
        (
            "logging/setLevel",
            json!({"_meta": own, "level": "debug"}),
            vec![version, of("logging/setLevel")],
            404,
            Some(-32_601),
        ),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params});
        let (found, head, text) = server.ask("POST /mcp", &headers, &body.to_string());
        let answer: Value = toolglot_value::from_str(&text).unwrap_or_default();
        assert_eq!(
            (found, answer["error"]["code"].as_i64()),
            (status, code),
            "{body} {headers:?}: {head}{text}"
        );
        assert_eq!(answer["id"], 5, "{text}");
        assert!(
            code.is_some() || answer["result"]["resultType"] == "complete",
            "{text}"
        );
        assert!(
            !head.to_ascii_lowercase().contains("mcp-session-id"),
            "{head}"
        );
    }
    // The checks are those of every call: an untrusted tool does not run.
    let folder = world.path("ws/.ai/tools/t");
    let text = fs::read_to_string(folder.join("say-hi.yaml")).expect("a file");
    fs::write(
        folder.join("say-hi.yaml"),
        text.replace("echo hi", "echo ho"),
    )
    .expect("written");
    let body = json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": call});
    let (_, _, text) = server.ask(
        "POST /mcp",
        &[version, of("tools/call"), name],
        &body.to_string(),
    );
    assert!(
        text.contains("changed") && !text.contains("ho\\n"),
        "{text}"
    );
    // The same holds over lines.
    let mut lines = Lines::start(&world, &[]);
    let answer = lines.ask(7, "server/discover", &json!({"_meta": own}));
    assert_eq!(
        answer["result"]["supportedVersions"],
        json!(["2026-07-28"]),
        "{answer}"
    );
    let answer = lines.ask(8, "tools/list", &json!({"_meta": own}));
    assert!(
        answer["result"]["tools"].is_array() && answer["result"]["ttlMs"] == 0,
        "{answer}"
    );
    let _ = lines.child.kill();
    let _ = lines.child.wait();
}
