//! Clients that leave before their call is done: clients of `toolglot mcp`, and `toolglot mcp` itself as a client of
//! servers. The tests observe the messages that the remote server receives.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use toolglot_value::{Value, json};

use super::serving::Lines;
use super::web::{HELLO, Web};
use super::{World, echo_tool, echoes, http, request};

/// A remote server over HTTP: a call of its tool with `hang` in its arguments is not answered. The server sends the
/// methods that it receives to `heard`, and `gone` if a client leaves before its answer.
struct Far {
    world: World,
    heard: Receiver<String>,
}

const PREFIX: &str = "io.modelcontextprotocol/";

/// The metadata of a client, in revision 2026-07-28.
fn meta() -> Value {
    json!({(format!("{PREFIX}protocolVersion")): "2026-07-28", (format!("{PREFIX}clientCapabilities")): {}})
}

fn answer_far(stream: &TcpStream, has_sessions: bool, sender: &Sender<String>) {
    let (head, body) = request(stream);
    let message: Value = toolglot_value::from_str(&body).unwrap_or_default();
    let method = message["method"].as_str().map_or_else(
        || head.split(' ').next().unwrap_or_default().to_owned(),
        str::to_owned,
    );
    let _ = sender.send(method.clone());
    let json = |headers: &str, result: &Value| {
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        let headers = format!("Content-Type: application/json\r\n{headers}");
        http("200 OK", &headers, &answer.to_string())
    };
    let text = match method.as_str() {
        "initialize" if has_sessions => json(
            "Mcp-Session-Id: s\r\n",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "f", "version": "1"}}),
        ),
        "initialize" => http(
            "400 Bad Request",
            "Content-Type: application/json\r\n",
            &json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}})
                .to_string(),
        ),
        "server/discover" => json(
            "",
            &json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
        ),
        "tools/list" => json("", &json!({"tools": [echo_tool()]})),
        "tools/call" if message["params"]["arguments"]["hang"] == true => {
            let _ = stream.set_read_timeout(None);
            let n = (&mut &*stream).read(&mut [0]).unwrap_or(0);
            assert_eq!(n, 0, "one message on one connection");
            let _ = sender.send("gone".to_owned());
            return;
        }
        "tools/call" => echoes(&message),
        "GET" => http("405 Method Not Allowed", "", ""),
        _ => http("202 Accepted", "", ""),
    };
    let _ = (&mut &*stream).write_all(text.as_bytes());
}

impl Far {
    fn new(has_sessions: bool, timeout: u64) -> Far {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let (sender, heard) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sender = sender.clone();
                std::thread::spawn(move || answer_far(&stream, has_sessions, &sender));
            }
        });
        let world = World::new();
        let url = format!("http://127.0.0.1:{port}/mcp");
        world.servers(&json!({"m": {"type": "http", "url": url, "timeout": timeout}}));
        world.approve("m");
        Far { world, heard }
    }

    /// Waits until the server has received `what`.
    fn hears(&self, what: &str) {
        let mut all = Vec::new();
        while let Ok(method) = self.heard.recv_timeout(Duration::from_secs(60)) {
            if method == what {
                return;
            }
            all.push(method);
        }
        panic!("`{what}` is not heard, but {all:?}");
    }

    /// Waits until the running call is cancelled, in the way that such a server learns of it.
    fn is_told(&self, has_sessions: bool) {
        if has_sessions {
            self.hears("notifications/cancelled");
            self.hears("DELETE");
        } else {
            self.hears("gone");
        }
    }
}

fn hanging(own: &Value) -> Value {
    json!({"name": "mcp.m.echo", "arguments": {"hang": true}, "_meta": own})
}

fn call(id: i64, own: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": hanging(own)})
}

/// Sends a message with further headers, and returns its connection.
fn post(server: &Web, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.place).expect("it listens");
    let text = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).expect("it reads");
    stream
}

fn session(server: &Web) -> String {
    let (status, head, _) = server.ask("POST /mcp", &[], HELLO);
    assert_eq!(status, 200, "{head}");
    let id = head
        .lines()
        .find_map(|line| line.strip_prefix("Mcp-Session-Id: "));
    id.expect("a session").trim().to_owned()
}

#[test]
fn a_client_without_a_session_takes_its_call_back_by_going() {
    for has_sessions in [true, false] {
        let far = Far::new(has_sessions, 600);
        let server = Web::start(&far.world, &["--allow", "net"]);
        let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: mcp.m.echo\r\n";
        let client = post(&server, headers, &call(1, &meta()).to_string());
        far.hears("tools/call");
        drop(client);
        far.is_told(has_sessions);
        // With a session, a client may come back for its answer.
        let own = format!("Mcp-Session-Id: {}\r\n", session(&server));
        let client = post(&server, &own, &call(2, &json!({})).to_string());
        far.hears("tools/call");
        drop(client);
        let back = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
        drop(post(&server, &own, &back.to_string()));
        far.is_told(has_sessions);
    }
}

#[test]
fn a_call_over_lines_is_taken_back_in_any_revision() {
    for (has_sessions, own) in [
        (true, json!({})),
        (true, meta()),
        (false, json!({})),
        (false, meta()),
    ] {
        let far = Far::new(has_sessions, 600);
        let mut server = Lines::start(&far.world, &["--allow", "net"]);
        server.say(&call(2, &own));
        far.hears("tools/call");
        let params = json!({"requestId": 2, "_meta": own});
        server
            .say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        far.is_told(has_sessions);
        // The cancelled call is not answered; the next one is.
        let params = json!({"name": "mcp.m.echo", "arguments": {}, "_meta": own});
        assert_eq!(server.ask(3, "tools/call", &params)["id"], 3);
        assert_eq!(server.rest(), "");
    }
}

#[test]
fn a_server_is_told_of_a_call_that_takes_too_long() {
    for has_sessions in [true, false] {
        let far = Far::new(has_sessions, 2);
        let mut server = Lines::start(&far.world, &["--allow", "net"]);
        let answer = server.ask(2, "tools/call", &hanging(&json!({})));
        assert!(answer.to_string().contains("in time"), "{answer}");
        far.is_told(has_sessions);
        assert_eq!(server.rest(), "");
    }
}

fn signalled(child: &mut Child, signal: &str) -> Option<i32> {
    let killed = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(killed.expect("it runs").success());
    child.wait().expect("it ends").code()
}

/// Checks that the log ends each call that it starts.
fn is_ended_in(far: &Far) {
    let log = fs::read_to_string(far.world.path("log")).expect("a log");
    let events: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let n = |what: &str| events.iter().filter(|event| event["event"] == what).count();
    assert_eq!((n("before"), n("after")), (1, 1), "{log}");
}

#[test]
fn a_server_that_is_interrupted_ends_in_order() {
    for (has_sessions, signal) in [(true, "-INT"), (true, "-TERM"), (false, "-TERM")] {
        let far = Far::new(has_sessions, 600);
        let log = far.world.path("log").display().to_string();
        let words = ["--allow", "net", "--audit", &log];
        let mut server = Lines::start(&far.world, &words);
        server.say(&call(2, &json!({})));
        far.hears("tools/call");
        assert_eq!(signalled(&mut server.child, signal), Some(130), "{signal}");
        far.is_told(has_sessions);
        is_ended_in(&far);
        fs::remove_file(far.world.path("log")).expect("it is there");
        let mut server = Web::start(&far.world, &words);
        let own = format!("Mcp-Session-Id: {}\r\n", session(&server));
        let client = post(&server, &own, &call(2, &json!({})).to_string());
        far.hears("tools/call");
        assert_eq!(signalled(&mut server.child, signal), Some(130), "{signal}");
        far.is_told(has_sessions);
        is_ended_in(&far);
        drop(client);
    }
}

#[test]
fn a_client_that_is_gone_waits_for_nothing() {
    for has_sessions in [true, false] {
        let far = Far::new(has_sessions, 600);
        let log = far.world.path("log").display().to_string();
        let mut server = Lines::start(&far.world, &["--allow", "net", "--audit", &log]);
        server.say(&call(2, &json!({})));
        far.hears("tools/call");
        // As the kernel does it for a client that was killed.
        let Lines {
            mut child,
            to,
            from,
        } = server;
        drop((to, from));
        far.is_told(has_sessions);
        assert!(child.wait().expect("it ends").success());
        is_ended_in(&far);
    }
}

#[test]
fn servers_are_taken_leave_of_at_the_end_of_the_input() {
    let far = Far::new(true, 600);
    let mut server = Lines::start(&far.world, &["--allow", "net"]);
    let params = json!({"name": "mcp.m.echo", "arguments": {}});
    let answer = server.ask(2, "tools/call", &params);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(server.rest(), "");
    far.hears("tools/call");
    far.hears("DELETE");
}

#[test]
fn a_session_in_use_makes_room_for_no_other() {
    let far = Far::new(true, 600);
    let server = Web::start(&far.world, &["--allow", "net"]);
    let (busy, idle) = (session(&server), session(&server));
    let own = format!("Mcp-Session-Id: {busy}\r\n");
    let client = post(&server, &own, &call(2, &json!({})).to_string());
    far.hears("tools/call");
    for _ in 0..512 {
        session(&server);
    }
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    for (id, expected) in [(&busy, 200), (&idle, 404)] {
        let (status, head, _) = server.ask("POST /mcp", &[("Mcp-Session-Id", id)], ping);
        assert_eq!(status, expected, "{head}");
    }
    drop(client);
}
