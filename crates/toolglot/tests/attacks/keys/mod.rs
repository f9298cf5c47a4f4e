//! Each setting of a policy's `[sandbox]`, exceeded by every kind of program that a call starts, through every door.
//!
//! `keys.toml` holds the settings. A program first exceeds a setting without a sandbox, and the effect must be visible.
//! Then the sandbox must stop the program, and a program that respects the settings must work.
//! Doors take turns as in `door.rs`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use toolglot_value::{Map, Value, json};

use crate::attacks::door::{Attempt, Count, Door};
use crate::attacks::place::{Place, toolglot};
use crate::attacks::server::Server;
use crate::attacks::{as_an_ordinary_user, is_due, succeeded, turn, walls_stand};

/// A setting, and how it is exceeded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    key: String,
    /// Lines of the policy's `[sandbox]`.
    sandbox: String,
    /// Words of the command line.
    #[serde(default)]
    flags: Vec<String>,
    /// What a program does to exceed the setting.
    act: String,
    /// A shell condition that holds if the program was stopped.
    stopped: String,
}

#[derive(Deserialize)]
struct Table {
    row: Vec<Row>,
}

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Command,
    Shell,
    Function,
    Node,
    Server,
}

const PROGRAMS: &[Program] = &[
    Program::Command,
    Program::Shell,
    Program::Function,
    Program::Node,
    Program::Server,
];

const SHELL: &str = include_str!("act.sh");
const NODE: &str = include_str!("act.js");
const FUNCTION: &str = concat!(include_str!("function.py"), include_str!("acts.py"));
const SERVER: &str = concat!(
    include_str!("server.py"),
    include_str!("acts.py"),
    "\n\nserve()\n"
);

/// Allows all that these tools need, so that only the sandbox stops them.
const ALL: &str = "version = 1\ndefault = 'allow'\n[[rule]]\nid = 'all'\ndecision = 'allow'\ncapabilities = ['read', 'write', 'exec', 'shell', 'network', 'fs.read', 'fs.write', 'shell.execute', 'net.http']\n";

impl Program {
    /// The interpreter of the program, if not every system has it.
    fn needs(self) -> Option<&'static str> {
        match self {
            Program::Command | Program::Shell => None,
            Program::Function | Program::Server => Some("python3"),
            Program::Node => Some("node"),
        }
    }

    /// The call that makes the program act.
    fn call(self, act: &str) -> (&'static str, Map<String, Value>) {
        let (tool, arguments) = match self {
            Program::Command => (
                "execute_command",
                json!({"command": format!("bash .ai/tools/keys/shell.sh {act}")}),
            ),
            Program::Shell => ("keys/shell", json!({"what": act})),
            Program::Function => ("keys/function", json!({"what": act})),
            Program::Node => ("keys/node", json!({"what": act})),
            Program::Server => ("mcp/keys/act", json!({"what": act})),
        };
        let Value::Object(arguments) = arguments else {
            unreachable!("they are written as an object")
        };
        (tool, arguments)
    }

    /// Runs the program without a sandbox. Returns its output.
    fn unbound(self, place: &Place, act: &str) -> String {
        let mut command = match self {
            Program::Command | Program::Shell => {
                let mut command = Command::new("bash");
                command.args([".ai/tools/keys/shell.sh", act]);
                command
            }
            Program::Function | Program::Server => {
                let mut command = Command::new("python3");
                let acts = include_str!("acts.py");
                command.args(["-c", &format!("{acts}\nprint(act('{act}'))")]);
                command
            }
            Program::Node => {
                fs::write(place.path("act.mjs"), NODE).expect("written");
                let module = place.text("act.mjs");
                let script = format!(
                    "import('{module}').then((m) => m.default({{what: '{act}'}})).then((r) => {{ console.log(r.output); process.exit(); }})"
                );
                let mut command = Command::new("node");
                command.args(["-e", &script]);
                command
            }
        };
        let output = command
            .current_dir(place.path("ws"))
            .env("CANARY_ENV", "1")
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// A workspace with the programs, which the user trusts.
fn begun() -> Place {
    let mut place = Place::new();
    place.server = Some(Server::start(place.path("out/hit")));
    let write = |name: &str, text: &str| {
        let file = place.path("ws").join(name);
        fs::create_dir_all(file.parent().expect("it is in a directory")).expect("made");
        fs::write(file, text).expect("written");
    };
    write(".ai/tools/keys/shell.sh", SHELL);
    write(".ai/tools/keys/node.js", NODE);
    write(".ai/tools/keys/function.py", FUNCTION);
    write("server.py", SERVER);
    write(
        ".mcp.json",
        &json!({"mcpServers": {"keys": {"command": "python3", "args": ["server.py"]}}}).to_string(),
    );
    write("pid", &std::process::id().to_string());
    write("port", &place.filled("$PORT"));
    write("where", &place.text("out/beside"));
    fs::create_dir(place.path("ws/out")).expect("made");
    fs::create_dir(place.path("out/open")).expect("made");
    fs::write(place.path("out/beside"), "TOPSECRET\n").expect("written");
    place
}

/// Makes the user trust the program.
fn trust(place: &Place, program: Program) {
    let words: &[&str] = match program {
        Program::Command => return,
        Program::Server => &["mcp", "approve", "keys", "--allow", "write,net"],
        _ => &["tools", "trust", "keys/*"],
    };
    let output = toolglot(words)
        .current_dir(place.path("ws"))
        .env("HOME", place.path("home"))
        .env_remove("USER_SPACE")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// Makes a program act under a setting. `Err` reports how the result differs from the expected one.
fn judge(row: &Row, program: Program, act: &str, door: Door) -> Result<(), String> {
    let place = begun();
    trust(&place, program);
    let (tool, arguments) = program.call(act);
    let policy: PathBuf =
        place.policy(&format!("{ALL}[sandbox]\n{}\n", place.filled(&row.sandbox)));
    let attempt = Attempt {
        tool,
        arguments: &arguments,
        policy: &policy,
        path_first: None,
        flags: &row.flags,
    };
    let ran = door.send(&place, attempt, &policy);
    let call = &ran.document["calls"][0];
    let shown = || {
        let shown: String = format!("{} {}", call["verdict"], call["result"]["text"]);
        shown.chars().take(300).collect::<String>()
    };
    if act == "little" {
        return if succeeded(call) && ran.answer().contains("LITTLE") {
            Ok(())
        } else {
            Err(format!(
                "what keeps to the setting does not work: {}",
                shown()
            ))
        };
    }
    if place.holds(&row.stopped, ran.answer(), Some(&ran)) {
        Ok(())
    } else {
        Err(format!("it is not stopped ({}): {}", row.stopped, shown()))
    }
}

/// How many tests run at once: most of them wait.
const THREADS: usize = 4;

#[test]
fn settings_bind_every_program_through_every_door() {
    if !walls_stand() {
        return;
    }
    let table: Table =
        toml::from_str(include_str!("keys.toml")).unwrap_or_else(|error| panic!("{error}"));
    let only = std::env::var("TOOLGLOT_ATTACK").unwrap_or_default();
    let mut tries = Vec::new();
    for (n_program, &program) in PROGRAMS.iter().enumerate() {
        if let Some(needed) = program.needs()
            && Command::new(needed).arg("--version").output().is_err()
        {
            eprintln!("SKIPPED: {program:?}: there is no `{needed}`");
            continue;
        }
        let rows = table.row.iter().enumerate();
        let rows = rows.filter(|(key, _)| is_due(key + n_program));
        // Across the programs, each key meets each door.
        tries.extend(rows.map(|(key, row)| (row, program, turn(2 * key + n_program))));
    }
    tries.retain(|(row, program, _)| format!("{}/{program:?}", row.key).contains(&only));
    let (next, wrong, count) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
        Count::default(),
    );
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(row, program, turn)) = tries.get(n) else {
                        break;
                    };
                    let add = |why: String| {
                        let why = format!("{}/{program:?}: {why}", row.key);
                        wrong.lock().expect("nobody panics here").push(why);
                    };
                    let place = begun();
                    let written = program.unbound(&place, &row.act);
                    if place.holds(&row.stopped, &written, None) {
                        add("it exceeds nothing where nothing binds it".to_owned());
                    }
                    for door in count.doors(turn, |_| true) {
                        for act in ["little", &row.act] {
                            if let Err(why) = judge(row, program, act, door) {
                                add(format!("through `{}`: {why}", door.name()));
                            }
                        }
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("nobody panics here");
    wrong.sort();
    eprint!(
        "settings of a sandbox by programs: {}, not as they must be: {}\n{}",
        tries.len(),
        wrong.len(),
        count.lines()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The settings whose turn is an ordinary user's.
#[test]
fn settings_bind_the_programs_of_an_ordinary_user() {
    as_an_ordinary_user(&["keys::settings_bind_every"]);
}
