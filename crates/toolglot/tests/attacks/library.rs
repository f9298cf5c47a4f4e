//! `Session::run` and `toolglot run`: the same message and policy give the same verdicts, effects and answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolglot_session::{Policies, Run, Session, State};
use toolglot_value::{Value, json};

use crate::attacks::place::{shipped, toolglot};
use crate::attacks::{row, walls_stand};

/// One in so many attacks is tested here: all attacks go through the doors.
const EACH: usize = 6;

struct Message {
    id: String,
    dialect: String,
    text: String,
    /// The name of a shipped policy, or the text of one.
    policy: String,
    grants: &'static str,
    /// Whether the run is dry.
    is_dry: bool,
}

/// A workspace with something in it.
fn workspace() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for (path, text) in [
        ("a.txt", "one\ntwo\nthree\n"),
        ("old.txt", "x x\n"),
        ("notes.txt", "one\n"),
        ("src/lib.rs", "fn lib() {}\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        fs::write(path, text).expect("written");
    }
    root
}

/// Every file below a directory.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            for (below, text) in files(&path) {
                all.insert(
                    Path::new(path.file_name().expect("it has one")).join(below),
                    text,
                );
            }
        } else {
            let text = fs::read(&path).unwrap_or_default();
            all.insert(path.file_name().expect("it has one").into(), text);
        }
    }
    all
}

/// The result of a message through the binary, as far as the library reports it too.
fn by_binary(message: &Message, policy: &Path, root: &Path) -> Value {
    let file = policy.with_file_name("message");
    fs::write(&file, &message.text).expect("written");
    let text = |path: &Path| path.to_str().expect("it is text").to_owned();
    let mut arguments = vec!["run".to_owned(), "--format".into(), "json".into()];
    arguments.extend(["--dialect".to_owned(), message.dialect.clone()]);
    arguments.extend([
        "--policy".to_owned(),
        text(policy),
        "--root".to_owned(),
        text(root),
    ]);
    if !message.grants.is_empty() {
        arguments.extend(["--allow".to_owned(), message.grants.to_owned()]);
    }
    if message.is_dry {
        arguments.push("--dry-run".to_owned());
    }
    arguments.push(text(&file));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = toolglot(&arguments).output().expect("it runs");
    let record: Value = toolglot_value::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{}: {error}: {}",
            message.id,
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let calls = record["calls"].as_array().cloned().unwrap_or_default();
    let calls = calls.into_iter().map(|mut call| {
        if let Some(result) = call["result"].as_object_mut() {
            result.remove("notes");
        }
        json!([
            call["call"]["name"],
            call["state"],
            call["duplicate_of"],
            call["verdict"],
            call["result"],
            codes(&call["notes"]),
            call["rendered"],
        ])
    });
    json!({
        "calls": calls.collect::<Vec<_>>(), "pending": record["pending"], "content": record["content"],
        "notes": codes(&record["notes"]), "answer": record["answer"],
    })
}

fn codes(notes: &Value) -> Value {
    let notes = notes.as_array().into_iter().flatten();
    notes.map(|note| note["name"].clone()).collect()
}

/// The result of a message through the library.
fn by_library(message: &Message, policy: &Path, root: &Path) -> Value {
    let dialects = toolglot_chat::dialects_named(&message.dialect, None).expect("they are known");
    let session = Session::builder(root, Policies::read(root, Some(policy)))
        .grants(message.grants.parse().expect("they are known"))
        .dialects(dialects)
        .dry_run(message.is_dry)
        .build();
    let run = session.expect("opened").run(message.text.as_str());
    of_run(&run.expect("a program"))
}

fn of_run(run: &Run) -> Value {
    let calls = run.steps.iter().map(|step| {
        let result = match &step.state {
            State::Done(outcome) => {
                json!({"ok": outcome.ok, "output": outcome.output, "text": outcome.text})
            }
            _ => Value::Null,
        };
        let verdict = json!({
            "decision": step.verdict.decision.word(), "rule": step.verdict.rule,
            "because": step.verdict.because,
        });
        let written = &run.message.calls[step.call.call];
        let notes = written.notes.iter().chain(&step.notes);
        let notes: Vec<&str> = notes.map(|note| note.code.name()).collect();
        json!([
            step.call.tool,
            step.state.word(),
            step.call.duplicate_of,
            verdict,
            result,
            notes,
            run.rendered(step),
        ])
    });
    let notes: Vec<&str> = run
        .message
        .notes
        .iter()
        .map(|note| note.code.name())
        .collect();
    json!({
        "calls": calls.collect::<Vec<_>>(), "pending": run.pending(), "content": run.message.content,
        "notes": notes, "answer": run.answer,
    })
}

/// Checks that both doors give the same result.
fn check(message: &Message) -> Result<(), String> {
    let doors: [fn(&Message, &Path, &Path) -> Value; 2] = [by_binary, by_library];
    let mut all = Vec::new();
    for door in doors {
        let (root, beside) = (workspace(), tempfile::tempdir().expect("a directory"));
        let policy = beside.path().join("policy.toml");
        let shipped = shipped(&format!("{}.toml", message.policy));
        let text = match fs::read_to_string(shipped) {
            Ok(text) => text,
            Err(_) => message.policy.clone(),
        };
        fs::write(&policy, text).expect("written");
        let came = door(message, &policy, root.path()).to_string();
        let came = came.replace(root.path().to_str().expect("it is text"), "$ROOT");
        all.push((came, files(root.path())));
    }
    if all[0] == all[1] {
        return Ok(());
    }
    Err(format!("{}:\n{:?}\n{:?}", message.id, all[0], all[1]))
}

/// Checks all messages, two at a time.
fn check_all(messages: &[Message]) {
    assert!(!messages.is_empty());
    let (half, rest) = messages.split_at(messages.len() / 2);
    let wrong = |messages: &[Message]| -> Vec<String> {
        messages
            .iter()
            .filter_map(|message| check(message).err())
            .collect()
    };
    let wrong = std::thread::scope(|scope| {
        let other = scope.spawn(|| wrong(half));
        let mut all = wrong(rest);
        all.extend(other.join().expect("nobody panics here"));
        all
    });
    eprintln!(
        "{} of {} the same",
        messages.len() - wrong.len(),
        messages.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[derive(Deserialize)]
struct Fixtures {
    message: Vec<Fixture>,
}

#[derive(Deserialize)]
struct Fixture {
    id: String,
    dialect: String,
    text: String,
}

#[test]
fn fixtures_come_to_the_same_through_the_library() {
    if !walls_stand() {
        return;
    }
    let fixtures = include_str!("../systems/messages.toml");
    let fixtures: Fixtures = toml::from_str(fixtures).unwrap_or_else(|error| panic!("{error}"));
    let mut texts: Vec<(String, String, String)> = Vec::new();
    for fixture in fixtures.message {
        texts.push((fixture.id, fixture.dialect, fixture.text));
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (path, text) in files(&examples) {
        if path.extension().is_some_and(|kind| kind == "txt")
            && path.parent() == Some(Path::new(""))
        {
            let text = String::from_utf8(text).expect("it is text");
            texts.push((path.display().to_string(), "auto".to_owned(), text));
        }
    }
    let policies = [
        ("default", ""),
        ("default", "write,delete,exec:cat,exec:ls,exec:echo"),
        ("exec-allowlist", ""),
        ("version = 9", ""),
    ];
    let messages = texts
        .iter()
        .enumerate()
        .flat_map(|(n, (id, dialect, text))| {
            // Each message runs with everything granted, and under one of the other policies.
            [policies[1], policies[[0, 2, 3][n % 3]]].map(|(policy, grants)| Message {
                id: format!("{id} {policy} {grants}"),
                dialect: dialect.clone(),
                text: text.clone(),
                policy: policy.to_owned(),
                grants,
                is_dry: false,
            })
        });
    check_all(&messages.collect::<Vec<_>>());
}

#[test]
fn attacks_are_judged_the_same_through_the_library() {
    let rows = row::all().into_iter().step_by(EACH).map(|row| {
        let call = json!({"name": row.tool, "arguments": row.arguments});
        let (dialect, text) = match row.message {
            Some(text) => (row.dialect, text),
            None => (
                "hermes".to_owned(),
                format!("<tool_call>\n{call}\n</tool_call>"),
            ),
        };
        Message {
            id: row.id,
            dialect,
            text,
            policy: row.policy,
            grants: "",
            is_dry: true,
        }
    });
    check_all(&rows.collect::<Vec<_>>());
}
