//! The floor, the rules of a policy, the journal and the words of grants, for tools that are files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use toolglot_value::{Value, json};

struct Place {
    base: TempDir,
}

/// Files that other programs obey, so no tool may write them.
const OBEYED: &[&str] = &[
    ".ai/policy.toml",
    ".ai/toolglot.lock",
    ".git/hooks/pre-commit",
    ".vscode/tasks.json",
    "CLAUDE.md",
    ".mcp.json",
];
const SECRET: &[&str] = &[".env", "sub/id_rsa", ".git/config"];

impl Place {
    fn new() -> Place {
        let base = tempfile::tempdir().expect("a directory");
        let place = Place { base };
        for path in OBEYED.iter().chain(SECRET) {
            // Files in `.ai` are read before any call.
            if !path.starts_with(".ai/") {
                let text = if *path == ".mcp.json" {
                    "{}\n"
                } else {
                    "TOPSECRET\n"
                };
                place.write(path, text);
            }
        }
        place.write("secrets/a", "TOPSECRET\n");
        place.write("own.txt", "one\ntwo\n");
        place.write(
            ".ai/policy.toml",
            "version = 1\n[[rule]]\nid = \"no-secrets\"\ndecision = \"deny\"\npaths = [\"secrets/**\"]\n[[rule]]\nid = \"no-push\"\ndecision = \"deny\"\nargv = [[\"git\", \"push\", \"...\"]]\n",
        );
        fs::create_dir_all(place.base.path().join("home")).expect("made");
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().join("ws").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn toolglot(&self, words: &[&str], input: &str) -> Output {
        use std::io::Write;
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .current_dir(self.at(""))
            .env("HOME", self.base.path().join("home"))
            .env("USER_SPACE", self.base.path().join("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that refuses its arguments reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("it ends")
    }

    /// The result of a call in each of the three ways to call a tool: whether it succeeded, and its output.
    fn three_ways(&self, id: &str, arguments: &Value) -> Vec<(bool, String)> {
        let all = "write,shell.execute,net,delete";
        let text = arguments.to_string();
        let called = self.toolglot(&["call", id, "--args", &text, "--allow", all], "");
        let mut came = vec![(
            called.status.success(),
            String::from_utf8_lossy(&called.stdout).into_owned(),
        )];
        let direct = json!({"name": id, "arguments": arguments});
        let verb =
            json!({"name": "rye_execute", "arguments": {"item_id": id, "parameters": arguments}});
        for call in [direct, verb] {
            let message = format!("<tool_call>{call}</tool_call>");
            let words = [
                "run",
                "--format",
                "json",
                "--allow",
                &format!("write,delete,{all}"),
            ];
            let ran = self.toolglot(&words, &message);
            let record: Value = toolglot_value::from_slice(&ran.stdout).expect("a record");
            let step = &record["calls"][0];
            let because = step["verdict"]["because"].as_str().unwrap_or_default();
            came.push((
                step["state"] == json!("done") && step["result"]["ok"] == json!(true),
                format!("{because} {}", step["result"]),
            ));
        }
        came
    }
}

#[test]
fn no_tool_that_is_a_file_passes_the_floor() {
    let place = Place::new();
    let before = OBEYED.iter().map(|path| fs::read(place.at(path)).ok());
    let before: Vec<Option<Vec<u8>>> = before.collect();
    for (path, before) in OBEYED.iter().zip(before) {
        let arguments = json!({"path": path, "content": "mine"});
        for (is_done, said) in place.three_ways("rye/file-system/write", &arguments) {
            assert!(!is_done, "{path}: {said}");
            assert!(said.contains("leads to what other programs obey"), "{said}");
        }
        assert_eq!(fs::read(place.at(path)).ok(), before);
    }
    let line = json!([{"line_id": "ba8ac3", "new_content": "mine"}]);
    let arguments = json!({"path": "CLAUDE.md", "changes": line});
    for (is_done, said) in place.three_ways("rye/file-system/edit_lines", &arguments) {
        assert!(!is_done && said.contains("other programs obey"), "{said}");
    }
    for (id, arguments) in [
        ("rye/file-system/read", json!({"path": SECRET[0]})),
        ("rye/file-system/read", json!({"path": SECRET[1]})),
        (
            "rye/file-system/write",
            json!({"path": SECRET[2], "content": ""}),
        ),
        ("rye/bash/bash", json!({"command": "cat sub/id_rsa"})),
    ] {
        for (is_done, said) in place.three_ways(id, &arguments) {
            assert!(!is_done && !said.contains("TOPSECRET"), "{id}: {said}");
            assert!(said.contains("usually holds secrets"), "{said}");
        }
    }
    for (is_done, said) in place.three_ways("rye/file-system/read", &json!({"path": "../home"})) {
        assert!(!is_done && said.contains("leads above the root"), "{said}");
    }
}

#[test]
fn rules_about_paths_and_commands_hold_for_tools_that_are_files() {
    let place = Place::new();
    for (id, arguments) in [
        ("rye/file-system/read", json!({"path": "secrets/a"})),
        ("rye/file-system/read", json!({"path": "sub/../secrets/a"})),
        (
            "rye/file-system/write",
            json!({"path": "secrets/b", "content": ""}),
        ),
        (
            "rye/bash/bash",
            json!({"command": "cd sub; git -C .. push"}),
        ),
        (
            "rye/bash/bash",
            json!({"command": "cat a", "working_dir": "secrets"}),
        ),
    ] {
        for (is_done, output) in place.three_ways(id, &arguments) {
            assert!(
                !is_done && !output.contains("TOPSECRET"),
                "{id} {arguments}: {output}"
            );
            assert!(output.contains("of the project's policy"), "{output}");
        }
    }
    let found = place.three_ways("rye/file-system/grep", &json!({"pattern": "TOPSECRET"}));
    for (is_done, output) in found {
        assert!(is_done && !output.contains("secrets/a"), "{output}");
    }
    for (is_done, output) in place.three_ways("rye/file-system/read", &json!({"path": "own.txt"})) {
        assert!(is_done && output.contains("one"), "{output}");
    }
}

#[test]
fn what_a_tool_of_files_wrote_is_taken_back() {
    let place = Place::new();
    let undo = || {
        let output = place.toolglot(&["run", "--undo", "--format", "json"], "");
        toolglot_value::from_slice(&output.stdout).expect("a document")
    };
    let arguments = json!({"path": "own.txt", "content": "mine\n"});
    assert!(
        place
            .three_ways("rye/file-system/write", &arguments)
            .iter()
            .all(|(is_done, _)| *is_done)
    );
    // The new text keeps the replaced line, so that the line has the same id each time.
    let line =
        json!([{"line_id": toolglot_builtins::line_id(1, "mine"), "new_content": "mine\nother"}]);
    let arguments = json!({"path": "own.txt", "changes": line});
    assert!(
        place
            .three_ways("rye/file-system/edit_lines", &arguments)
            .iter()
            .all(|(is_done, _)| *is_done)
    );
    assert_eq!(
        fs::read_to_string(place.at("own.txt")).expect("there"),
        "mine\nother\nother\nother\n"
    );
    for _ in 0..6 {
        let undone = undo();
        assert_eq!(undone["problem"], Value::Null, "{undone}");
    }
    assert_eq!(
        fs::read_to_string(place.at("own.txt")).expect("there"),
        "one\ntwo\n"
    );
}

#[test]
fn several_files_of_one_call_are_judged_before_the_first_is_written() {
    let place = Place::new();
    let both = |second: &str| json!({"files": [{"path": "new/a.txt", "content": "a"}, {"path": second, "content": "b\n"}]});
    for (second, why) in [
        ("CLAUDE.md", "other programs obey"),
        ("../out.txt", "leads above the root"),
        ("secrets/b", "of the project's policy"),
        ("./new//a.txt", "write `./new//a.txt` once"),
        ("own.txt/b", "own.txt"),
    ] {
        for (is_done, shown) in place.three_ways("rye/file-system/write", &both(second)) {
            assert!(!is_done && shown.contains(why), "{second}: {shown}");
            assert!(!place.at("new/a.txt").exists(), "{second}");
        }
    }
    for arguments in [
        json!({}),
        json!({"path": "own.txt"}),
        json!({"path": "own.txt", "files": []}),
        json!({"path": "own.txt", "content": "", "files": both("b")["files"]}),
    ] {
        for (is_done, shown) in place.three_ways("rye/file-system/write", &arguments) {
            assert!(!is_done, "{arguments}: {shown}");
        }
    }
    for (is_done, shown) in place.three_ways("rye/file-system/write", &both("own.txt")) {
        assert!(
            is_done && shown.contains("new/a.txt") && shown.contains("own.txt"),
            "{shown}"
        );
    }
    let read = |path| fs::read_to_string(place.at(path)).ok();
    assert_eq!(
        (read("new/a.txt"), read("own.txt")),
        (Some("a".to_owned()), Some("b\n".to_owned()))
    );
    for _ in 0..3 {
        let output = place.toolglot(&["run", "--undo", "--format", "json"], "");
        let undone: Value = toolglot_value::from_slice(&output.stdout).expect("a document");
        assert_eq!(undone["problem"], Value::Null, "{undone}");
    }
    assert_eq!(
        (read("new/a.txt"), read("own.txt")),
        (None, Some("one\ntwo\n".to_owned()))
    );
}

#[test]
fn a_word_that_grants_nothing_is_a_mistake_everywhere() {
    let place = Place::new();
    for words in [
        &["call", "rye/file-system/ls", "--allow", "wirte"][..],
        &["run", "--allow", "wirte"],
        &["run", "--allow", "bo gus"],
        &["mcp", "--allow", "wirte"],
        &["mcp", "approve", "x", "--allow", "wirte"],
    ] {
        let output = place.toolglot(words, "");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(
            shown.contains("unknown grant `") && shown.contains("`write`"),
            "{shown}"
        );
    }
}
