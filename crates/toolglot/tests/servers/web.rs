//! `toolglot mcp --http`: sessions over HTTP.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use toolglot_value::Value;

use super::serving::tools;
use super::{World, request};

/// A server over HTTP.
pub(super) struct Web {
    pub(super) child: Child,
    pub(super) place: String,
}

impl Web {
    pub(super) fn start(world: &World, arguments: &[&str]) -> Web {
        let mut all = vec!["mcp", "--http", "127.0.0.1:0"];
        all.extend(arguments);
        let mut child = world
            .command(&all)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        let _ = BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url);
        let place = url
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches("/mcp")
            .to_owned();
        Web { child, place }
    }

    /// The status, the head and the body of an answer.
    pub(super) fn ask(
        &self,
        first: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.place).expect("it listens");
        let usual = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Host", "localhost"),
        ];
        let mut text = format!("{first} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        let is_own = |name: &str| headers.iter().any(|(own, _)| *own == name);
        for (name, value) in usual
            .iter()
            .filter(|(name, _)| !is_own(name))
            .chain(headers)
        {
            if !value.is_empty() {
                let _ = write!(text, "{name}: {value}\r\n");
            }
        }
        stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .expect("it reads");
        let (head, body) = request(&stream);
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        (status, head, body)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) const HELLO: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

#[test]
fn sessions_over_http_are_as_the_protocol_says() {
    let world = World::new();
    tools(&world);
    let server = Web::start(&world, &[]);
    let (status, head, body) = server.ask("POST /mcp", &[], HELLO);
    assert_eq!(status, 200, "{head}");
    let hello: Value = toolglot_value::from_str(&body).expect("JSON");
    assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("Mcp-Session-Id: "))
        .expect("a session")
        .trim();
    let own = ("Mcp-Session-Id", session);
    for (first, headers, body, expected) in [
        ("POST /mcp", vec![own], PING, 200),
        (
            "POST /mcp",
            vec![own, ("MCP-Protocol-Version", "2025-11-25")],
            PING,
            200,
        ),
        (
            "POST /mcp",
            vec![own, ("MCP-Protocol-Version", "1999-01-01")],
            PING,
            400,
        ),
        ("POST /mcp", vec![], PING, 400),
        ("POST /mcp", vec![("Mcp-Session-Id", "0123")], PING, 404),
        ("POST /other", vec![own], PING, 404),
        (
            "POST /mcp",
            vec![own],
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            202,
        ),
        (
            "POST /mcp",
            vec![own],
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
            202,
        ),
        ("POST /mcp", vec![own], "{half", 400),
        (
            "POST /mcp",
            vec![own],
            r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
            400,
        ),
        (
            "POST /mcp",
            vec![own, ("Content-Type", "text/plain")],
            PING,
            415,
        ),
        (
            "POST /mcp",
            vec![own, ("Accept", "application/json")],
            PING,
            406,
        ),
        (
            "GET /mcp",
            vec![own, ("Accept", "application/json")],
            "",
            406,
        ),
        ("GET /mcp", vec![], "", 400),
        ("PUT /mcp", vec![own], "", 405),
        (
            "OPTIONS /mcp",
            vec![("Origin", "http://evil.test")],
            "",
            403,
        ),
        ("DELETE /mcp", vec![("Mcp-Session-Id", "0123")], "", 404),
        ("DELETE /mcp", vec![own], "", 204),
        ("POST /mcp", vec![own], PING, 404),
    ] {
        let (status, head, _) = server.ask(first, &headers, body);
        assert_eq!(status, expected, "{first} {headers:?} {body}: {head}");
    }
}

#[test]
fn others_than_this_machine_need_a_token() {
    let world = World::new();
    let output = world.toolglot(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--token-file"));
    world.file("short", "abc");
    let output = world.toolglot(&["mcp", "--http", "0.0.0.0:0", "--token-file", "short"]);
    assert_eq!(output.status.code(), Some(2));
    world.file("token", "0123456789abcdef\n");
    let server = Web::start(&world, &["--token-file", "token"]);
    for (token, expected) in [
        ("", 401),
        ("Bearer 0123456789abcdeX", 401),
        ("Basic 0123456789abcdef", 401),
        ("Bearer 0123456789abcdef", 200),
    ] {
        let (status, head, _) = server.ask("POST /mcp", &[("Authorization", token)], HELLO);
        assert_eq!(status, expected, "{token}: {head}");
    }
}
