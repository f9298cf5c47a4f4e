//! A tool of an MCP server that is started for the call, behind the same walls as any program.
//!
//! The server reads and writes lines of JSON-RPC on two pipes in a directory of the call's own; the sandbox starts it, ends
//! it and all it started. A tool is pinned by what its server says of it: a description or a schema that changes is refused
//! until the user approves. Source: <https://modelcontextprotocol.io/specification/2025-06-18>, read 2026-11.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolglot_toolfiles::{Found, ItemId, Returned, ToolFile, template};

use crate::CallError;
use crate::answer::{Answer, Manner};
use crate::attempt::command;
use crate::call::Host;
use crate::environment;
use crate::programs::Program;
use crate::resolve::Chain;

/// The version that is asked for; a server answers with the one it speaks.
const VERSION: &str = "2025-06-18";
/// A longer line is no answer.
const MAX_LINE: u64 = 64 << 20;
/// More lines than this without the answer are noise.
const MAX_LINES: usize = 10_000;
/// What unblocks our own reader when the server is gone.
const END: &str = "\u{1}end\n";

/// Calls the tool once.
pub(crate) fn attempt(
    host: &Host<'_>,
    chain: &Chain,
    params: &Map<String, Value>,
    time: Duration,
) -> Result<Answer, CallError> {
    let (found, tool) = chain.tool();
    let id = found.id.to_string();
    let bad = |why: String| CallError::Config {
        id: id.clone(),
        why,
    };
    let text = |key: &str| {
        let config = tool.metadata.config.as_ref();
        config.and_then(|config| config.get(key)?.as_str())
    };
    let server = text("server").ok_or_else(|| bad("`config.server` is missing".to_owned()))?;
    let name = text("tool_name").ok_or_else(|| bad("`config.tool_name` is missing".to_owned()))?;
    let (server, settings) = definition(host, found, server)?;
    if settings.get("command").is_none() {
        return Err(CallError::NotYet {
            id,
            executor: format!("{} (over HTTP)", server.id),
        });
    }
    let folder =
        tempfile::tempdir().map_err(|error| bad(format!("no room for its pipes: {error}")))?;
    let program = program(host, &settings, folder.path()).map_err(bad)?;
    let mut session = Session::start(host, program, folder.path(), time).map_err(bad)?;
    match session.call(host, found, name, params) {
        Ok(returned) => Ok(Answer {
            is_transient: false,
            returned,
        }),
        Err(Trouble::Changed) => Err(CallError::ServerChanged { id }),
        Err(Trouble::Refused(refusal)) => Err(refusal.into()),
        Err(Trouble::Said(why)) => Ok(failed(&why, false)),
        Err(Trouble::Gone(why)) => Ok(failed(&why, true)),
    }
}

/// The file that defines a server, in order and trusted as the tool itself.
fn definition(
    host: &Host<'_>,
    tool: &Found,
    name: &str,
) -> Result<(Found, Map<String, Value>), CallError> {
    let server = host.registry.find_from(&ItemId::new(name)?, tool.space)?;
    let file: ToolFile = server.tool();
    if let Some(first) = file.errors().next() {
        return Err(CallError::Faulty {
            id: server.id.to_string(),
            first: first.message.clone(),
            n: file.errors().count(),
        });
    }
    host.trust
        .borrow()
        .standing(&server, file.metadata.version.as_deref())?;
    let config = file
        .metadata
        .config
        .and_then(|config| config.as_object().cloned());
    let config = config.ok_or_else(|| CallError::Config {
        id: server.id.to_string(),
        why: "it has no `config`".to_owned(),
    })?;
    Ok((server, config))
}

/// The server's program, with its standard input and output on the pipes of `folder`.
fn program(
    host: &Host<'_>,
    settings: &Map<String, Value>,
    folder: &Path,
) -> Result<Program, String> {
    for pipe in ["in", "out"] {
        mknodat(
            CWD,
            folder.join(pipe),
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .map_err(|error| format!("no pipe can be made: {error}"))?;
    }
    let mut env = environment::base(&host.variables);
    environment::configured(settings.get("env"), &host.variables, &mut env);
    let settings = template::expand(settings, &host.variables);
    let name = settings
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let interpreter = match name {
        "python" | "python3" => host.interpreters.python(&host.project),
        name => host.interpreters.program(name),
    };
    let interpreter =
        interpreter.ok_or_else(|| format!("no program `{name}` is found along PATH"))?;
    let shell = host.interpreters.program("sh").ok_or("there is no `sh`")?;
    let args = crate::programs::words(settings.get("args"))?;
    // The words of the program are words to the shell too: it reads nothing but this line.
    let line = "exec \"$@\" < \"$0/in\" > \"$0/out\"";
    let argv = [
        shell.program.into_os_string(),
        "-c".into(),
        line.into(),
        folder.into(),
    ]
    .into_iter()
    .chain([interpreter.program.into_os_string()])
    .chain(args.into_iter().map(Into::into))
    .collect();
    Ok(Program {
        argv,
        cwd: host.project.clone(),
        env,
        stdin: Vec::new(),
        reads: interpreter.reads,
        manner: Manner::Printed,
        is_container: false,
    })
}

/// What the other threads tell.
enum Heard {
    Line(String),
    TooLong,
    Ended(Result<toolglot_sandbox::Outcome, toolglot_sandbox::Refusal>),
}

/// Why there is no result.
enum Trouble {
    /// The server answered with an error.
    Said(String),
    /// It did not answer.
    Gone(String),
    /// It is not what it was.
    Changed,
    /// It was not started.
    Refused(toolglot_sandbox::Refusal),
}

struct Session {
    to: Sender<String>,
    heard: Receiver<Heard>,
    until: Instant,
    next_id: u64,
    /// Our own end of its output, to unblock the reader with.
    own: File,
}

impl Session {
    fn start(
        host: &Host<'_>,
        program: Program,
        folder: &Path,
        time: Duration,
    ) -> Result<Session, String> {
        let open = |name: &str| {
            // Both ends at once: so it does not wait for the other side.
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .open(folder.join(name));
            opened.map_err(|error| format!("its pipe cannot be opened: {error}"))
        };
        let (mut input, output) = (open("in")?, open("out")?);
        let own = output.try_clone().map_err(|error| error.to_string())?;
        let mut command = command(host, program, time);
        command.write.push(folder.to_owned());
        let (tell, heard) = channel();
        let (to, lines) = channel::<String>();
        let told = tell.clone();
        std::thread::spawn(move || {
            let _ = told.send(Heard::Ended(command.run()));
        });
        std::thread::spawn(move || read_lines(output, &tell));
        std::thread::spawn(move || {
            // Ends, and with it the server's input, when the session is dropped.
            for line in lines {
                if input.write_all(line.as_bytes()).is_err() {
                    break;
                }
            }
        });
        Ok(Session {
            to,
            heard,
            until: Instant::now() + time,
            next_id: 0,
            own,
        })
    }

    fn call(
        &mut self,
        host: &Host<'_>,
        found: &Found,
        name: &str,
        params: &Map<String, Value>,
    ) -> Result<Returned, Trouble> {
        let client = json!({"name": "toolglot", "version": env!("CARGO_PKG_VERSION")});
        self.ask(
            "initialize",
            json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}),
        )?;
        self.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let tool = self.find(name)?;
        let said =
            json!({"description": tool.get("description"), "inputSchema": tool.get("inputSchema")});
        let digest = digest(&said);
        let pinned = host.trust.borrow().pinned(found).map(str::to_owned);
        match pinned {
            Some(pinned) if pinned != digest => return Err(Trouble::Changed),
            Some(_) => {}
            None => {
                let mut trust = host.trust.borrow_mut();
                trust
                    .pin_server(found, &digest)
                    .map_err(|error| Trouble::Said(error.to_string()))?;
            }
        }
        let result = self.ask("tools/call", json!({"name": name, "arguments": params}))?;
        Ok(returned(&result))
    }

    /// The server's tool of that name, on whichever page it stands.
    fn find(&mut self, name: &str) -> Result<Value, Trouble> {
        const MAX_PAGES: usize = 100;
        let mut cursor = Value::Null;
        let mut known = Vec::new();
        for _ in 0..MAX_PAGES {
            let params = if cursor.is_null() {
                json!({})
            } else {
                json!({"cursor": cursor})
            };
            let page = self.ask("tools/list", params)?;
            for tool in page["tools"].as_array().into_iter().flatten() {
                if tool["name"] == json!(name) {
                    return Ok(tool.clone());
                }
                known.extend(tool["name"].as_str().map(str::to_owned));
            }
            match page.get("nextCursor") {
                Some(next) if next.is_string() => cursor = next.clone(),
                _ => break,
            }
        }
        Err(Trouble::Said(format!(
            "the server has no tool `{name}`; it has {}",
            known.join(", ")
        )))
    }

    fn tell(&self, message: &Value) {
        // A server that is gone is heard of as such.
        let _ = self.to.send(format!("{message}\n"));
    }

    /// Sends a request and waits for its answer; what else comes is passed over, and asked back with a refusal.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Trouble> {
        let id = self.next_id;
        self.next_id += 1;
        self.tell(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        for _ in 0..MAX_LINES {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = match self.heard.recv_timeout(left) {
                Ok(Heard::Line(line)) => line,
                Ok(Heard::TooLong) => {
                    return Err(Trouble::Said(
                        "the server wrote a line that is too long".to_owned(),
                    ));
                }
                Ok(Heard::Ended(Ok(outcome))) => {
                    let stderr = outcome.stderr.text();
                    let last = stderr.trim_end().rsplit('\n').next().unwrap_or_default();
                    let how = format!(
                        "the server ended before it answered `{method}` ({:?}): {last}",
                        outcome.exit
                    );
                    return Err(Trouble::Gone(how));
                }
                Ok(Heard::Ended(Err(refusal))) => return Err(Trouble::Refused(refusal)),
                Err(_) => {
                    return Err(Trouble::Gone(format!(
                        "the server did not answer `{method}` in time"
                    )));
                }
            };
            let Ok(Value::Object(message)) = serde_json::from_str::<Value>(&line) else {
                // Some servers log to standard output.
                continue;
            };
            if message.contains_key("method") {
                if let Some(id) = message.get("id") {
                    let answer = if message["method"] == json!("ping") {
                        json!({"jsonrpc": "2.0", "id": id, "result": {}})
                    } else {
                        let error =
                            json!({"code": -32601, "message": "this client answers no requests"});
                        json!({"jsonrpc": "2.0", "id": id, "error": error})
                    };
                    self.tell(&answer);
                }
                continue;
            }
            if message.get("id") != Some(&json!(id)) {
                continue;
            }
            if let Some(error) = message.get("error") {
                let said = error["message"].as_str().unwrap_or("no message");
                return Err(Trouble::Said(format!(
                    "the server refused `{method}`: {said}"
                )));
            }
            return Ok(message.get("result").cloned().unwrap_or_default());
        }
        Err(Trouble::Said(format!(
            "the server wrote {MAX_LINES} lines and no answer to `{method}`"
        )))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The pipe is ours too, so that the reader would wait for ever.
        let _ = self.own.write_all(END.as_bytes());
    }
}

fn read_lines(output: File, tell: &Sender<Heard>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if !line.ends_with(b"\n") => {
                let _ = tell.send(Heard::TooLong);
                return;
            }
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line).into_owned();
        if line.ends_with(END) || tell.send(Heard::Line(line)).is_err() {
            return;
        }
    }
}

/// A server's result in the form of a tool's.
fn returned(result: &Value) -> Returned {
    let is_error = result["isError"] == json!(true);
    let texts: Vec<&str> = result["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| part["text"].as_str())
        .collect();
    let others: Vec<&Value> = result["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|part| part["type"] != json!("text"))
        .collect();
    let mut value = Map::new();
    value.insert("success".to_owned(), json!(!is_error));
    let text = texts.join("\n");
    if is_error {
        value.insert("error".to_owned(), json!(text));
    } else {
        value.insert("output".to_owned(), json!(text));
    }
    if let Some(data) = result.get("structuredContent") {
        value.insert("data".to_owned(), data.clone());
    }
    if !others.is_empty() {
        value.insert("content".to_owned(), json!(others));
    }
    Returned {
        success: !is_error,
        value,
        breaches: Vec::new(),
    }
}

fn failed(why: &str, is_transient: bool) -> Answer {
    Answer {
        returned: Returned {
            success: false,
            value: Map::from_iter([
                ("success".to_owned(), json!(false)),
                ("error".to_owned(), json!(why)),
            ]),
            breaches: Vec::new(),
        },
        is_transient,
    }
}

fn digest(said: &Value) -> String {
    let mut out = String::new();
    for byte in Sha256::digest(said.to_string().as_bytes()) {
        out.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    out
}
