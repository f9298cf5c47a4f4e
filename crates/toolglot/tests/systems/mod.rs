//! Every builtin tool in every dialect of the five systems, and messages as their documents teach them: written, read
//! and run through the built binary, in a workspace of their own, and compared with the expected results.
#![expect(clippy::print_stderr, reason = "the score is for people")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;
use toolglot_value::{Map, Value, json};

use crate::attacks::spelling;

type Arguments = Map<String, Value>;
type Files = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    dialects: Vec<String>,
    call: Vec<Call>,
    own: Vec<Own>,
}

/// A tool under the name of the common vocabulary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    required: Arguments,
    #[serde(default)]
    says: String,
    #[serde(default)]
    files: Files,
    all: Option<Arguments>,
    #[serde(default)]
    all_says: String,
    #[serde(default)]
    all_files: Files,
    #[serde(default)]
    pending: bool,
}

/// Tools under a system's own names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    dialects: Vec<String>,
    calls: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    arguments: Arguments,
    #[serde(default)]
    says: String,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    pending: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Messages {
    message: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    id: String,
    dialect: String,
    text: String,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    pending: bool,
}

/// The expected result of a message.
struct Expected<'a> {
    says: Vec<&'a str>,
    files: &'a Files,
    pending: bool,
}

/// A workspace with something in it.
struct Place {
    base: tempfile::TempDir,
    port: u16,
}

impl Place {
    fn new() -> Place {
        let base = tempfile::tempdir().expect("a directory");
        let place = Place {
            base,
            port: server(),
        };
        for (path, text) in [
            ("ws/a.txt", "one\ntwo\nthree\n"),
            ("ws/old.txt", "x x\n"),
            ("ws/src/lib.rs", "fn lib() {}\n"),
            (
                "ws/Cargo.toml",
                "[package]\nname = \"own\"\nversion = \"0.1.0\"\n",
            ),
            ("home/.gitconfig", "[user]\n\tname = n\n\temail = a@b\n"),
        ] {
            let path = place.base.path().join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("made");
            fs::write(path, text).expect("written");
        }
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            let status = command
                .args(arguments)
                .current_dir(place.root())
                .env("HOME", place.home())
                .status();
            assert!(status.expect("git runs").success());
        };
        git(&["init", "-q", "."]);
        git(&["add", "Cargo.toml", "src"]);
        git(&["commit", "-qm", "first"]);
        place
    }

    fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    fn home(&self) -> PathBuf {
        self.base.path().join("home")
    }

    fn toolglot(&self, arguments: &[&str], input: &str) -> (bool, Vec<u8>) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(arguments)
            .env("HOME", self.home())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        child
            .stdin
            .take()
            .expect("asked for")
            .write_all(input.as_bytes())
            .expect("read");
        let output = child.wait_with_output().expect("it ends");
        (output.status.success(), output.stdout)
    }

    /// Runs a message. `Err` reports how the result differs from the expected one.
    fn run(
        &self,
        dialect: &str,
        tools: &[&str],
        text: &str,
        expected: &Expected<'_>,
    ) -> Result<(), String> {
        let root = self.root().to_string_lossy().into_owned();
        let net = format!("net:localhost:{}", self.port);
        let grants = format!("write,delete,exec:cat,exec:ls,exec:echo,{net}");
        let arguments = [
            "run",
            "--format",
            "json",
            "--dialect",
            dialect,
            "--allow",
            &grants,
            "--root",
            &root,
        ];
        let (is_fine, out) = self.toolglot(&[&arguments[..], tools].concat(), text);
        let record: Value = toolglot_value::from_slice(&out).unwrap_or_default();
        let shown = || format!("{text}\n{record:#}");
        let state = if expected.pending { "pending" } else { "done" };
        let calls = record["calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() || !calls.iter().all(|call| call["state"] == state) || !is_fine {
            return Err(format!("not {state}: {}", shown()));
        }
        let answer = record["answer"].as_str().unwrap_or_default();
        let mut rest = answer;
        for words in &expected.says {
            let Some(at) = rest.find(words) else {
                return Err(format!(
                    "{words:?} is not in the answer, or not in its place: {}",
                    shown()
                ));
            };
            rest = &rest[at + words.len()..];
        }
        for (path, expected) in expected.files {
            let found = fs::read_to_string(self.root().join(path)).unwrap_or_default();
            if found.trim_end() != expected.trim_end() {
                return Err(format!("{path} holds {found:?}: {}", shown()));
            }
        }
        Ok(())
    }

    /// Writes a call in a dialect, reads it and runs it.
    fn call(
        &self,
        dialect: &str,
        tools: &[&str],
        (name, arguments): (&str, &Arguments),
        expected: &Expected<'_>,
    ) -> Result<(), String> {
        let text = json!({"calls": [{"name": name, "arguments": arguments}]}).to_string();
        let text = text.replace("PORT", &self.port.to_string());
        let (is_fine, message) = self.toolglot(
            &[&["render", "--dialect", dialect][..], tools].concat(),
            &text,
        );
        let message = String::from_utf8_lossy(&message).into_owned();
        let message = if is_fine {
            message
        } else {
            // Without a schema, a list does not always read back as written: the call is then written as models write
            // it.
            by_hand(dialect, name, arguments)
                .ok_or_else(|| format!("{name} cannot be written: {text}"))?
        };
        self.run(dialect, tools, &message, expected)
    }
}

/// A call as models write it, lists too: repeated elements in `forge`, JSON in a parameter elsewhere.
fn by_hand(dialect: &str, name: &str, arguments: &Arguments) -> Option<String> {
    let as_text = |value: &Value| match value {
        Value::Array(_) if dialect != "forge" => value.to_string().into(),
        other => other.clone(),
    };
    let arguments: Arguments = arguments
        .iter()
        .map(|(key, value)| (key.clone(), as_text(value)))
        .collect();
    let mut forms = spelling::forms(name, &arguments).into_iter();
    forms
        .find(|form| form.dialect == dialect)
        .map(|form| form.text)
}

/// A server that reports the method of each request, until the test ends.
fn server() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let received = request(&mut stream);
            let method = received.split(' ').next().unwrap_or_default();
            let body = format!("answered {method}");
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    port
}

/// Reads a whole request: an answer before its end may break the connection of the client.
fn request(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.split_once("content-length:").map_or(0, |(_, rest)| {
            let number = rest.lines().next().unwrap_or_default();
            number.trim().parse().unwrap_or(0)
        });
        if body.len() >= length {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn walls_stand(place: &Place) -> bool {
    let (stand, out) = place.toolglot(&["doctor"], "");
    if !stand {
        eprintln!(
            "SKIPPED: commands cannot be run here:\n{}",
            String::from_utf8_lossy(&out)
        );
    }
    stand
}

/// Checks all items, two at a time.
fn all<T: Sync>(items: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) =
                    items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if let Err(why) = check(item) {
                        wrong.lock().expect("nobody panics here").push(why);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("nobody panics here");
    eprintln!(
        "{} of {} as they must be",
        items.len() - wrong.len(),
        items.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn tools() -> Tools {
    toml::from_str(include_str!("tools.toml")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_tool_works_in_every_dialect() {
    if !walls_stand(&Place::new()) {
        return;
    }
    let tools = tools();
    let mut cases = Vec::new();
    for call in &tools.call {
        for dialect in &tools.dialects {
            cases.push((call, dialect, &call.required, &call.says, &call.files));
            if let Some(arguments) = &call.all {
                cases.push((call, dialect, arguments, &call.all_says, &call.all_files));
            }
        }
    }
    all(&cases, |(call, dialect, arguments, says, files)| {
        let expected = Expected {
            says: vec![says],
            files,
            pending: call.pending,
        };
        Place::new()
            .call(
                dialect,
                &["--tools", "builtin:vocabulary"],
                (&call.tool, arguments),
                &expected,
            )
            .map_err(|why| format!("{} in {dialect}: {why}", call.tool))
    });
}

#[test]
fn every_system_has_its_own_names() {
    if !walls_stand(&Place::new()) {
        return;
    }
    let tools = tools();
    let mut cases = Vec::new();
    for own in &tools.own {
        for dialect in &own.dialects {
            cases.extend(own.calls.iter().map(|call| (dialect, call)));
        }
    }
    all(&cases, |(dialect, call)| {
        let expected = Expected {
            says: vec![&call.says],
            files: &call.files,
            pending: call.pending,
        };
        Place::new()
            .call(dialect, &[], (&call.name, &call.arguments), &expected)
            .map_err(|why| format!("{} in {dialect}: {why}", call.name))
    });
}

#[test]
fn messages_as_the_systems_teach_them_do_what_they_say() {
    if !walls_stand(&Place::new()) {
        return;
    }
    let messages: Messages =
        toml::from_str(include_str!("messages.toml")).unwrap_or_else(|error| panic!("{error}"));
    all(&messages.message, |message| {
        let says = message.says.iter().map(String::as_str).collect();
        let expected = Expected {
            says,
            files: &message.files,
            pending: message.pending,
        };
        Place::new()
            .run(&message.dialect, &[], &message.text, &expected)
            .map_err(|why| format!("{}: {why}", message.id))
    });
}
