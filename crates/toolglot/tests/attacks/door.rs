//! The doors to an effect: `toolglot run`, `toolglot call`, `toolglot mcp` and the library, `Session::call`.
//!
//! A call has the same verdict and the same effect through each door. All doors but `run` reach tools that are files:
//! they express a builtin call by the shipped tool with the same effect. A policy decides on the capabilities of such a
//! tool apart from its paths and commands. So the tool is granted its capabilities if a rule decides on the same call
//! through `run`; otherwise no door is granted anything. A rule that allows some programs grants no shell: such a row
//! goes through `run`.
//!
//! By default each row goes through one of the doors that can express the row, in turns. `TOOLGLOT_DOORS=all` uses all
//! of these doors, and `TOOLGLOT_DOORS=call` uses only `call`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use toolglot_value::{Map, Value, json};

use crate::attacks::place::{Place, Ran, peak, toolglot};

/// A way from a call to its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Door {
    Run,
    Call,
    Mcp,
    Library,
}

/// A call, and the settings that decide on the call.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) policy: &'a Path,
    /// The first directory in `PATH`.
    pub(crate) path_first: Option<&'a Path>,
    /// Further words of the command line.
    pub(crate) flags: &'a [String],
}

/// The name of a parameter of the builtin tool, and its name in the tool that is a file.
type Parameter = (&'static str, &'static str);

/// The builtin tools, each with the shipped tool that does the same, and the names of its parameters there.
/// Other parameters cannot be expressed.
const FILES: &[(&str, &str, &[Parameter])] = &[
    (
        "execute_command",
        "rye/bash/bash",
        &[
            ("command", "command"),
            ("timeout", "timeout"),
            ("cwd", "working_dir"),
        ],
    ),
    ("read_file", "rye/file-system/read", &[("path", "path")]),
    (
        "write_file",
        "rye/file-system/write",
        &[("path", "path"), ("content", "content")],
    ),
    ("list_files", "rye/file-system/ls", &[("path", "path")]),
    (
        "list_files",
        "rye/file-system/glob",
        &[("path", "path"), ("pattern", "pattern")],
    ),
    (
        "search_files",
        "rye/file-system/grep",
        &[
            ("path", "path"),
            ("pattern", "pattern"),
            ("file_pattern", "include"),
        ],
    ),
];

/// The ids of rows about features that only `run` has, and these features.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "injection/error-that-is-a-call",
        "how a dialect writes a result",
    ),
    (
        "injection/result-that-ends-its-fence",
        "how a dialect writes a result",
    ),
    (
        "injection/result-that-opens-a-turn-in-json",
        "how a dialect writes a result",
    ),
    ("command/commit", "no tool that is a file changes `.git`"),
    ("refusal/commit", "no tool that is a file changes `.git`"),
    (
        "refusal/tracked-name",
        "no tool that is a file changes `.git`, and git there sees what is kept from it as changed",
    ),
    (
        "res-021",
        "an error before the start, which has no verdict here",
    ),
    (
        "resource/word-too-long",
        "an error before the start, which has no verdict here",
    ),
];

/// Grants tools that are files their capabilities. The other rules decide on paths and commands.
const GRANT: &str = "\n[[rule]]\nid = 'door'\ndecision = 'allow'\ntools = ['rye/bash/bash', 'rye/file-system/read', 'rye/file-system/write', 'rye/file-system/ls', 'rye/file-system/glob', 'rye/file-system/grep']\ncapabilities = ['fs.read', 'fs.write', 'shell.execute']\n";

impl Door {
    const ALL: &[Door] = &[Door::Run, Door::Call, Door::Mcp, Door::Library];

    /// The doors for a row: the doors of `TOOLGLOT_DOORS`, or by `turn` one of the doors that can express the row.
    pub(crate) fn chosen(turn: usize, can_express: impl Fn(Door) -> bool) -> Vec<Door> {
        let chosen = std::env::var("TOOLGLOT_DOORS").unwrap_or_default();
        let mut doors: Vec<Door> = Door::ALL.to_vec();
        doors.retain(|&door| can_express(door));
        match &*chosen {
            "" => vec![doors[turn % doors.len()]],
            "all" => doors,
            name => {
                doors.retain(|door| door.name() == name);
                doors
            }
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Door::Run => "run",
            Door::Call => "call",
            Door::Mcp => "mcp",
            Door::Library => "library",
        }
    }

    /// Whether a call can be made through the door.
    pub(crate) fn expresses(self, row: &str, tool: &str, arguments: &Map<String, Value>) -> bool {
        let is_elsewhere = ELSEWHERE.iter().any(|(id, _)| row.starts_with(id));
        self == Door::Run || !is_elsewhere && as_file(tool, arguments).is_some()
    }

    /// Makes a call through the door. The result has the form of `run`; `Err` reports a verdict that differs from
    /// `run`.
    ///
    /// A call that the door cannot express after all goes through `run`.
    pub(crate) fn make(
        self,
        place: &Place,
        attempt: Attempt<'_>,
        count: &Count,
    ) -> Result<Ran, String> {
        if self == Door::Run {
            return Ok(self.send(place, attempt, attempt.policy));
        }
        let planned = planned(place, attempt);
        let is_granted = planned["rule"] != "policy-default";
        if is_granted && is_allowed(&planned) && !grants_as_much(place, attempt) {
            count.returned(self);
            return Ok(Door::Run.send(place, attempt, attempt.policy));
        }
        let policy = if is_granted {
            granting(place, attempt.policy)
        } else {
            attempt.policy.to_owned()
        };
        let ran = self.send(place, attempt, &policy);
        let verdict = &ran.document["calls"][0]["verdict"];
        if is_allowed(verdict) == is_allowed(&planned) {
            Ok(ran)
        } else {
            Err(format!("{planned} through `run`, and {verdict}"))
        }
    }
}

fn is_allowed(verdict: &Value) -> bool {
    verdict["decision"] == "allow"
}

/// Whether a policy grants commands as much as a tool with a shell: any text that no rule refuses. A rule that allows
/// only some programs does not.
fn grants_as_much(place: &Place, attempt: Attempt<'_>) -> bool {
    let is_text = attempt
        .policy
        .extension()
        .is_some_and(|extension| extension == "toml");
    if attempt.tool != "execute_command" {
        return is_text;
    }
    let probe = json!({"command": "for word in a b; do : \"$word\" > door-probe; done"});
    let arguments = probe.as_object().expect("it is written as one");
    is_text
        && is_allowed(&planned(
            place,
            Attempt {
                arguments,
                ..attempt
            },
        ))
}

impl Door {
    /// Makes a call through the door under a policy. The result has the form of `run`.
    pub(crate) fn send(self, place: &Place, attempt: Attempt<'_>, policy: &Path) -> Ran {
        let file = as_file(attempt.tool, attempt.arguments);
        let (id, arguments) = match &file {
            Some((id, arguments)) => (*id, arguments),
            None => (attempt.tool, attempt.arguments),
        };
        match self {
            Door::Run => {
                let mut command = binary(attempt);
                command.arg("run").args(attempt.flags);
                place.run(command, "tool_call", policy, &message(attempt))
            }
            Door::Call => call(place, attempt, policy, id, arguments),
            Door::Mcp => mcp(place, attempt, policy, id, arguments),
            Door::Library => library::call(place, attempt, policy, id, arguments),
        }
    }
}

fn message(attempt: Attempt<'_>) -> String {
    let call = json!({"tool": attempt.tool, "arguments": attempt.arguments});
    format!("TOOL_CALL: {call}\n")
}

/// The tool that is a file and its arguments, for a call of a builtin tool.
fn as_file(
    tool: &str,
    arguments: &Map<String, Value>,
) -> Option<(&'static str, Map<String, Value>)> {
    // No tool that is a file runs longer than its schema allows.
    if arguments
        .get("timeout")
        .is_some_and(|time| time.as_u64().is_none_or(|time| time > 600))
    {
        return None;
    }
    let is_recursive = arguments
        .get("recursive")
        .is_some_and(|value| value == true);
    FILES
        .iter()
        .filter(|(name, ..)| *name == tool)
        .find_map(|(_, id, parameters)| {
            // `ls` looks into no directory below, and `glob` looks into all.
            let is_wide = id.ends_with("glob");
            if tool == "list_files"
                && (is_recursive != is_wide || is_wide != arguments.contains_key("pattern"))
            {
                return None;
            }
            let mut renamed = Map::new();
            for (name, value) in arguments.iter().filter(|(name, _)| *name != "recursive") {
                let (_, own) = parameters.iter().find(|(known, _)| known == name)?;
                renamed.insert((*own).to_owned(), value.clone());
            }
            Some((*id, renamed))
        })
}

/// The verdict of `run` on a call, without running the call.
fn planned(place: &Place, attempt: Attempt<'_>) -> Value {
    let file = place.path("message");
    fs::write(&file, message(attempt)).expect("written");
    let mut command = binary(attempt);
    command
        .args([
            "run",
            "--dry-run",
            "--format",
            "json",
            "--dialect",
            "tool_call",
            "--policy",
        ])
        .arg(attempt.policy)
        .arg("--root")
        .arg(place.path("ws"))
        .arg("--audit")
        .arg(place.path("audit"))
        .arg(file);
    place.settle(&mut command);
    let (text, ..) = place.watched(command);
    let document: Value = toolglot_value::from_slice(&text).unwrap_or_default();
    document["calls"][0]["verdict"].clone()
}

/// The policy with the grants that tools that are files need. An invalid policy stays unchanged, and so does a policy
/// inside of the workspace, since attacks are about that file.
fn granting(place: &Place, policy: &Path) -> PathBuf {
    let text = if policy.is_file() && !policy.starts_with(place.path("ws")) {
        fs::read_to_string(policy).unwrap_or_default()
    } else {
        String::new()
    };
    if text.is_empty() || text.parse::<toml::Table>().is_err() {
        return policy.to_owned();
    }
    let own = place.path("door.toml");
    fs::write(&own, text + GRANT).expect("written");
    own
}

fn binary(attempt: Attempt<'_>) -> Command {
    let mut command = toolglot(&[]);
    set_path(&mut command, attempt);
    command
}

fn set_path(command: &mut Command, attempt: Attempt<'_>) {
    if let Some(first) = attempt.path_first {
        let rest = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{rest}", first.display()));
    }
}

/// The grants on the command line. Commands may write where `[sandbox]` allows it. A program of a tool that is a file
/// needs a grant for that.
fn grants(attempt: Attempt<'_>) -> &'static str {
    let is_about_files =
        |(name, id, _): &(&str, &str, _)| *name == attempt.tool && !id.ends_with("bash");
    if FILES.iter().any(is_about_files) {
        "read"
    } else {
        "write"
    }
}

/// The command with the arguments that `call` and `mcp` share.
fn given(place: &Place, mut command: Command, attempt: Attempt<'_>, policy: &Path) -> Command {
    command.args(attempt.flags);
    if !FILES
        .iter()
        .any(|(name, id, _)| *name == attempt.tool && !id.ends_with("bash"))
    {
        // Commands may write where `[sandbox]` allows it. A program of a tool that is a file needs a grant for that.
        command.args(["--allow", "write"]);
    }
    command
        .arg("--policy")
        .arg(policy)
        .arg("--root")
        .arg(place.path("ws"))
        .arg("--audit")
        .arg(place.path("audit"));
    place.settle(&mut command);
    command
}

fn call(
    place: &Place,
    attempt: Attempt<'_>,
    policy: &Path,
    id: &str,
    arguments: &Map<String, Value>,
) -> Ran {
    let file = place.path("arguments");
    let text = Value::Object(arguments.clone()).to_string();
    fs::write(&file, text).expect("written");
    let mut command = binary(attempt);
    command
        .args(["call", id, "--args"])
        .arg(format!("@{}", file.display()));
    let (text, elapsed, peak_mb) = place.watched(given(place, command, attempt, policy));
    let value: Value = toolglot_value::from_slice(&text).unwrap_or_default();
    Ran {
        document: as_run(&value),
        elapsed,
        peak_mb,
    }
}

fn mcp(
    place: &Place,
    attempt: Attempt<'_>,
    policy: &Path,
    id: &str,
    arguments: &Map<String, Value>,
) -> Ran {
    let mut command = binary(attempt);
    command.arg("mcp");
    let mut command = given(place, command, attempt, policy);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "door", "version": "1"}});
    for line in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": id, "arguments": arguments}}),
    ] {
        // A server that does not start gives no answer, which shows below.
        let _ = writeln!(input, "{line}");
    }
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let answer = lines
        .map_while(Result::ok)
        .filter_map(|line| toolglot_value::from_str(&line).ok())
        .find(|answer| answer["id"] == 2)
        .unwrap_or_default();
    let elapsed = started.elapsed();
    let peak_mb = peak(child.id());
    drop(input);
    let _ = child.wait();
    let mut value = answer["result"]["structuredContent"].clone();
    if value.is_null() {
        value = json!({"code": "no-result", "error": answer["error"]["message"]});
    }
    Ran {
        document: as_run(&value),
        elapsed,
        peak_mb,
    }
}

/// The library, in a process of its own, so that each row has its own environment.
mod library {
    use std::path::Path;

    use toolglot_session::{CallReport, FileLog, Grants, Level, Policies, Session};
    use toolglot_value::{Map, Value, json};

    use super::{Attempt, as_run, grants, set_path};
    use crate::attacks::place::{Place, Ran};

    /// The variable that names the file with the request.
    const REQUEST: &str = "TOOLGLOT_DOOR_REQUEST";

    pub(super) fn call(
        place: &Place,
        attempt: Attempt<'_>,
        policy: &Path,
        id: &str,
        arguments: &Map<String, Value>,
    ) -> Ran {
        let (file, answer) = (place.path("request"), place.path("answer"));
        let request = json!({
            "root": place.path("ws"), "policy": policy, "audit": place.path("audit"), "answer": &answer,
            "id": id, "arguments": arguments, "grants": grants(attempt), "is_plain": attempt.flags.iter().any(|word| word == "plain"),
        });
        std::fs::write(&file, request.to_string()).expect("written");
        let own = std::env::current_exe().expect("this test");
        let mut command = std::process::Command::new(own);
        command.args(["attacks::door::library::calls_what_is_requested", "--exact"]);
        command.env(REQUEST, file);
        set_path(&mut command, attempt);
        place.settle(&mut command);
        let (_, elapsed, peak_mb) = place.watched(command);
        let value = std::fs::read(answer).unwrap_or_default();
        Ran {
            document: as_run(&serde_json::from_slice(&value).unwrap_or_default()),
            elapsed,
            peak_mb,
        }
    }

    /// Does nothing unless [`call`] started it.
    #[test]
    fn calls_what_is_requested() {
        let Some(file) = std::env::var_os(REQUEST) else {
            return;
        };
        let request = std::fs::read(file).expect("it was written");
        let request: Value = toolglot_value::from_slice(&request).expect("it is JSON");
        let text = |key: &str| request[key].as_str().expect("it is a text");
        let (root, policy, log) = (
            Path::new(text("root")),
            Path::new(text("policy")),
            Path::new(text("audit")),
        );
        let grants: Grants = text("grants").parse().expect("they are known");
        let mut builder = Session::builder(root, Policies::read(root, Some(policy)))
            .grants(grants)
            .audit(FileLog::new(log, false));
        if request["is_plain"] == true {
            builder = builder.sandbox(Level::Plain);
        }
        let arguments = request["arguments"].as_object().cloned();
        let answer = match builder.build() {
            Ok(session) => answer(session.call(text("id"), arguments.unwrap_or_default())),
            Err(error) => json!({"code": "no-session", "error": error.to_string()}),
        };
        std::fs::write(text("answer"), answer.to_string()).expect("written");
    }

    fn answer(report: CallReport) -> Value {
        let refused = |error: toolglot_session::CallError| json!({"code": error.code(), "error": error.to_string()});
        match report {
            CallReport::Unfit(error) => refused(error),
            CallReport::Refused(verdict) => json!({"code": verdict.rule, "error": verdict.because}),
            // The session has no function of this program.
            CallReport::Planned(..) | CallReport::Steps(_) => json!({"code": "planned"}),
            CallReport::Done(_, called) => match *called {
                Ok(called) => Value::Object(called.returned.value),
                Err(error) => refused(error),
            },
        }
    }
}

/// An answer of `call` or `mcp` in the form of `run`.
fn as_run(value: &Value) -> Value {
    let error = value["error"].as_str().unwrap_or_default();
    if !value.is_object() || value["code"].is_string() {
        let verdict = json!({"decision": "deny", "rule": value["code"], "because": error});
        return json!({"calls": [{"verdict": verdict, "state": "refused"}], "answer": error});
    }
    let texts = ["output", "stdout", "stderr", "error"];
    let texts = texts.iter().filter_map(|key| value[*key].as_str());
    let text: Vec<&str> = texts.collect();
    let text = text.join("\n");
    let result = json!({"ok": value["success"], "text": text});
    let verdict = json!({"decision": "allow"});
    json!({"calls": [{"verdict": verdict, "state": "done", "result": result}], "answer": text})
}

/// How many rows each door expressed, and how many of them went through it.
#[derive(Default)]
pub(crate) struct Count(Mutex<BTreeMap<Door, [usize; 2]>>);

impl Count {
    /// Counts a row, and returns the doors that the row goes through.
    pub(crate) fn doors(&self, turn: usize, can_express: impl Fn(Door) -> bool) -> Vec<Door> {
        let mut count = self.0.lock().expect("nobody panics here");
        for door in Door::ALL {
            count.entry(*door).or_default()[0] += usize::from(can_express(*door));
        }
        let chosen = Door::chosen(turn, can_express);
        for door in &chosen {
            count.entry(*door).or_default()[1] += 1;
        }
        chosen
    }

    /// Counts a row that went through `run`, because its door could not express the row.
    fn returned(&self, door: Door) {
        let mut count = self.0.lock().expect("nobody panics here");
        for (door, change) in [(door, -1), (Door::Run, 1)] {
            let made = &mut count.entry(door).or_default()[1];
            *made = made.saturating_add_signed(change);
        }
        count.entry(door).or_default()[0] -= 1;
    }

    /// A line for each door.
    pub(crate) fn lines(&self) -> String {
        let count = self.0.lock().expect("nobody panics here");
        let mut lines = String::new();
        for (door, [expressed, made]) in count.iter() {
            let name = door.name();
            let _ = writeln!(lines, "  {name:8} can express {expressed:4}, made {made:4}");
        }
        lines
    }
}
