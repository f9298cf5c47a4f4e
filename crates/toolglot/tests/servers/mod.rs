//! Servers of tools that misbehave, and the results of their calls: through the built binary, inside its sandbox.
//!
//! Without the recorded attacks, their test is ignored. Our own variants of the attacks need no recorded data.
#![expect(clippy::print_stderr, reason = "the score is for people")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use toolglot_value::{Value, json};

mod aside;
mod attacks;
mod files;
mod leaving;
mod neighbours;
mod oauth;
mod play;
mod serving;
mod streams;
mod web;

/// A server in Python. At each start, it reads its behaviour from the file `how` beside it.
const SERVER: &str = include_str!("server.py");

/// A workspace with a server `m` in its `.mcp.json`, which is approved while it behaves.
struct World {
    base: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let base = tempfile::tempdir().expect("a folder");
        for name in ["ws", "out", "home"] {
            fs::create_dir(base.path().join(name)).expect("made");
        }
        let world = World { base };
        world.file("server.py", SERVER);
        world.how("plain");
        world.servers(&json!({"m": {"command": "python3", "args": ["server.py"], "env": {"DECLARED": "1"}, "timeout": 20}}));
        world
    }

    fn approved() -> World {
        let world = World::new();
        world.approve("m");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.path("ws").join(name), text).expect("written");
    }

    fn how(&self, how: &str) {
        self.file("how", how);
    }

    fn servers(&self, servers: &Value) {
        self.file(".mcp.json", &json!({"mcpServers": servers}).to_string());
    }

    fn approve(&self, server: &str) -> Value {
        let output = self.toolglot(&[
            "mcp",
            "approve",
            server,
            "--give",
            "CANARY_ENV",
            "--allow",
            "net",
            "--format",
            "json",
        ]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
        command
            .args(arguments)
            .current_dir(self.path("ws"))
            .env("HOME", self.path("home"))
            .env("USER_SPACE", self.path("home"))
            .env("CANARY_ENV", "1")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::null());
        command
    }

    fn toolglot(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    /// Runs a message with one call under a policy. Returns its record, the answer and the time.
    fn run(&self, name: &str, arguments: &Value, policy: &Path) -> (Value, String, Duration) {
        let call = json!({"tool": name, "arguments": arguments});
        let message = self.path("message");
        fs::write(&message, format!("TOOL_CALL: {call}\n")).expect("written");
        let started = Instant::now();
        let output = self
            .command(&[
                "run",
                "--format",
                "json",
                "--dialect",
                "tool_call",
                "--allow",
                "net.http",
                "--policy",
            ])
            .arg(policy)
            .arg(&message)
            .output()
            .expect("it runs");
        let elapsed = started.elapsed();
        let document: Value = toolglot_value::from_slice(&output.stdout).unwrap_or_default();
        let answer = document["answer"].as_str().unwrap_or_default().to_owned();
        (document["calls"][0].clone(), answer, elapsed)
    }

    fn pinned_policy() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies/mcp-pinned.toml")
    }
}

/// Whether a call of the record succeeded.
fn succeeded(call: &Value) -> bool {
    call["verdict"]["decision"] == "allow" && call["result"]["ok"] == true
}

fn why(call: &Value) -> String {
    format!(
        "{} {}: {}",
        call["verdict"]["rule"], call["verdict"]["because"], call["result"]["text"]
    )
}

/// Whether servers can be started here; reports if not.
fn can_run() -> bool {
    let doctor = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .arg("doctor")
        .output()
        .expect("it runs");
    let has_python = Command::new("python3")
        .arg("-c")
        .arg("pass")
        .status()
        .is_ok_and(|status| status.success());
    if doctor.status.success() && has_python {
        return true;
    }
    eprintln!("SKIPPED: no walls or no Python here");
    false
}

/// Answers requests at a port: `answer` maps the head and the body of a request to its answer. Returns the port.
fn web(answer: impl Fn(&str, &str) -> String + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let (head, body) = request(&stream);
            let mut stream = stream;
            let _ = stream.write_all(answer(&head, &body).as_bytes());
        }
    });
    port
}

fn request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    (head, String::from_utf8_lossy(&body).into_owned())
}

fn http(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A server over HTTP that answers in JSON. `call` returns the result of a call, and `tool` is the server's only tool.
fn web_server(tool: Value, call: impl Fn(&Value) -> String + Send + 'static) -> u16 {
    web(move |head, body| {
        let Ok(message) = toolglot_value::from_str(body) else {
            return http(
                if head.starts_with("DELETE") {
                    "204 No Content"
                } else {
                    "405 Method Not Allowed"
                },
                "",
                "",
            );
        };
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}})
            }
            "tools/list" => json!({"tools": [tool]}),
            "tools/call" => return call(&message),
            _ => return http("202 Accepted", "", ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        http(
            "200 OK",
            "Content-Type: application/json\r\n",
            &answer.to_string(),
        )
    })
}

fn echo_tool() -> Value {
    json!({"name": "echo", "description": "Echoes", "inputSchema": {"type": "object"}})
}

fn echoes(message: &Value) -> String {
    let text = message["params"]["arguments"].to_string();
    let result =
        json!({"content": [{"type": "text", "text": text}], "structuredContent": {"n": 1}});
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    http(
        "200 OK",
        "Content-Type: application/json\r\n",
        &answer.to_string(),
    )
}

fn over_http(port: u16) -> World {
    let world = World::new();
    world.servers(&json!({"m": {"type": "http", "url": format!("http://127.0.0.1:{port}/mcp"), "timeout": 3}}));
    world.approve("m");
    world
}
