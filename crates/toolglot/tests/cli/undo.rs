//! `run --undo`: undoes the changes of a run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use toolglot_value::{Value, json};

struct Place {
    base: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let base = tempfile::tempdir().expect("a directory");
        for name in ["ws/sub", "home"] {
            fs::create_dir_all(base.path().join(name)).expect("made");
        }
        let place = Place { base };
        fs::write(place.at("a"), "old a\n").expect("written");
        fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o640)).expect("set");
        fs::write(place.at("b"), "old b\n").expect("written");
        fs::set_permissions(place.at("b"), fs::Permissions::from_mode(0o755)).expect("set");
        fs::write(place.at("sub/c"), "old c\n").expect("written");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.base.path().join("ws").join(name)
    }

    fn toolglot(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(["run", "--dialect", "tool_call", "--format", "json"])
            .args(arguments)
            .arg("--root")
            .arg(self.base.path().join("ws"))
            .env("HOME", self.base.path().join("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .output()
            .expect("it runs")
    }

    fn run(&self, calls: &[(&str, Value)]) {
        let output = self.try_run(calls);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }

    /// Runs calls; some of them may fail.
    fn try_run(&self, calls: &[(&str, Value)]) -> Output {
        let text = calls
            .iter()
            .map(|(tool, arguments)| {
                format!(
                    "TOOL_CALL: {}\n",
                    json!({"tool": tool, "arguments": arguments})
                )
            })
            .collect::<Vec<String>>()
            .concat();
        let message = self.base.path().join("message");
        fs::write(&message, text).expect("written");
        self.toolglot(&["--allow", "write,delete", &message.to_string_lossy()])
    }

    fn undo(&self, arguments: &[&str]) -> (bool, Value) {
        let output = self.toolglot(&[&["--undo"], arguments].concat());
        let document = serde_json::from_slice(&output.stdout).expect("a document");
        (output.status.success(), document)
    }
}

/// Every file below a directory, with its content and mode; directories too.
fn tree(directory: &Path) -> Vec<(PathBuf, Option<String>, u32)> {
    let mut all = Vec::new();
    let mut queue = vec![directory.to_path_buf()];
    while let Some(directory) = queue.pop() {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            let path = entry.path();
            let mode = entry.metadata().expect("there").permissions().mode();
            if path.is_dir() {
                queue.push(path.clone());
                all.push((path, None, mode));
            } else {
                let text = fs::read_to_string(&path).expect("text");
                all.push((path, Some(text), mode));
            }
        }
    }
    all.sort();
    all
}

fn everything() -> Vec<(&'static str, Value)> {
    vec![
        ("write_file", json!({"path": "a", "content": "new a\n"})),
        ("append_file", json!({"path": "a", "content": "more\n"})),
        (
            "edit_file",
            json!({"path": "b", "old_string": "old", "new_string": "new"}),
        ),
        ("write_file", json!({"path": "deep/er/new", "content": "x"})),
        ("create_directory", json!({"path": "made/by/call"})),
        ("move_file", json!({"from": "sub", "to": "moved/sub"})),
        (
            "write_file",
            json!({"path": "moved/sub/c", "content": "other c\n"}),
        ),
        ("move_file", json!({"from": "moved/sub/c", "to": "c"})),
        ("delete_file", json!({"path": "b"})),
        ("delete_file", json!({"path": "deep/er/new"})),
        ("write_file", json!({"path": "b", "content": "again\n"})),
    ]
}

#[test]
fn all_that_a_run_changed_comes_back_with_its_mode() {
    let place = Place::new();
    let before = tree(&place.at(""));
    place.run(&everything());
    assert_ne!(tree(&place.at("")), before);
    let (_, planned) = place.undo(&["--dry-run"]);
    assert_ne!(tree(&place.at("")), before);
    let (is_fine, done) = place.undo(&[]);
    assert!(is_fine, "{done}");
    assert_eq!(done["undone"], planned["undone"]);
    assert_eq!(tree(&place.at("")), before);
    let (is_fine, nothing) = place.undo(&[]);
    assert!(
        !is_fine
            && nothing["problem"]
                .as_str()
                .is_some_and(|text| text.contains("nothing to undo")),
        "{nothing}"
    );
}

/// Short for calls: `move a b`, `write a`, `append a`, `edit a`, `delete a`, `make a`.
fn calls(line: &str) -> Vec<(&'static str, Value)> {
    line.split(", ")
        .enumerate()
        .map(|(n, call)| {
            let words: Vec<&str> = call.split(' ').collect();
            let path = words[1];
            match words[0] {
                "move" => ("move_file", json!({"from": path, "to": words[2]})),
                "write" => (
                    "write_file",
                    json!({"path": path, "content": format!("{n}")}),
                ),
                "append" => (
                    "append_file",
                    json!({"path": path, "content": format!("{n}")}),
                ),
                "edit" => (
                    "edit_file",
                    json!({"path": path, "old_string": "not there", "new_string": "x"}),
                ),
                "delete" => ("delete_file", json!({"path": path})),
                _ => ("create_directory", json!({"path": path})),
            }
        })
        .collect()
}

/// Failed calls change nothing, whatever is at the paths that they name; and a name may be used again.
#[test]
fn only_what_happened_is_taken_back() {
    for line in [
        "move nope a",
        "move nope sub",
        "move a b",
        "move a a",
        "move sub a",
        "move sub sub/x",
        "delete nope",
        "delete sub",
        "edit a",
        "edit nope",
        "write sub",
        "write a/x",
        "make a",
        "delete n, make n",
        "delete n/g, write n/g/f",
        "move a a, write a",
        "move nope a, delete a, write nope",
        "move nope new/er/a, write a",
        "append a, move a b, append b",
        "move a c, write a, move a b, delete c",
        "move sub e/g, move e/g/c sub/c",
        "write e/g, move e d/k, make e",
        "move sub d, write sub, delete d/c, move d sub/x, append sub",
        "write n/a, write n/b, move n m, move m n/m, delete n/m/a",
        "make n, move a n/a, move n m, write n, move m/a a",
        "append a, append a, append a, delete a, write a, append a",
        "move a t, move b a, move t b",
    ] {
        let place = Place::new();
        let before = tree(&place.at(""));
        place.try_run(&calls(line));
        let has_changed = tree(&place.at("")) != before;
        let (is_fine, told) = place.undo(&[]);
        assert!(
            is_fine || (!has_changed && told["changed"] == json!([])),
            "{line}: {told}"
        );
        assert_eq!(tree(&place.at("")), before, "{line}: {told}");
        // The user's own file with the name that a failed call wanted stays in its place.
        assert!(has_changed || told["undone"] == json!([]), "{line}: {told}");
    }
}

/// The user makes the change that a failed call would have made: an undo does not revert it.
#[test]
fn what_the_user_does_after_a_call_that_failed_stays() {
    let place = Place::new();
    place.try_run(&calls("move a b, delete n, write sub"));
    fs::rename(place.at("a"), place.at("n")).expect("moved");
    let before = tree(&place.at(""));
    let (is_fine, report) = place.undo(&[]);
    assert!(is_fine && report["undone"] == json!([]), "{report}");
    assert_eq!(tree(&place.at("")), before);
}

#[test]
fn rights_that_the_user_gave_since_stay_and_those_that_the_run_took_come_back() {
    let place = Place::new();
    fs::set_permissions(place.at("b"), fs::Permissions::from_mode(0o4755)).expect("set");
    place.run(&calls("write a, append a, write b"));
    fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o600)).expect("set");
    let (is_fine, report) = place.undo(&[]);
    assert!(is_fine, "{report}");
    let mode = |name| {
        fs::metadata(place.at(name))
            .expect("there")
            .permissions()
            .mode()
            & 0o7777
    };
    assert_eq!(fs::read_to_string(place.at("a")).expect("text"), "old a\n");
    assert_eq!((mode("a"), mode("b")), (0o600, 0o4755));
}

#[test]
fn an_undo_is_logged_as_what_it_takes_back() {
    let place = Place::new();
    let log = place.base.path().join("log");
    let log_word = log.to_string_lossy().into_owned();
    place.run(&calls("write a, delete b"));
    let (is_fine, report) = place.undo(&["--audit", &log_word]);
    assert!(is_fine, "{report}");
    let lines = fs::read_to_string(&log).expect("a log");
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line"))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        (&lines[0]["event"], &lines[0]["tool"]),
        (&json!("before"), &json!("undo"))
    );
    assert_eq!(lines[0]["paths"], json!(["b", "a"]));
    assert_eq!(lines[1]["result"]["ok"], json!(true));
    // An undo that cannot be logged is not done.
    place.run(&calls("write a"));
    let nowhere = place.base.path().join("not/there/log");
    fs::write(place.base.path().join("not"), "").expect("written");
    let (is_fine, _) = place.undo(&["--audit", &nowhere.to_string_lossy()]);
    assert!(!is_fine);
    assert_eq!(fs::read_to_string(place.at("a")).expect("text"), "0");
}

/// A file that changes often is saved once, and holes take no room, neither in the saved copy nor after the undo.
#[test]
fn what_is_kept_has_a_bound() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    let big = "line\n".repeat(200_000);
    fs::write(place.at("big"), &big).expect("written");
    let hole = fs::File::create(place.at("hole")).expect("made");
    hole.set_len(64 << 20).expect("set");
    let line = [vec!["append big"; 12], vec!["delete hole"]]
        .concat()
        .join(", ");
    place.run(&calls(&line));
    let mut n_saved = 0;
    let mut queue = vec![place.base.path().join("home")];
    while let Some(directory) = queue.pop() {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            let metadata = entry.metadata().expect("there");
            if metadata.is_dir() {
                queue.push(entry.path());
            } else {
                n_saved += metadata.blocks() * 512;
            }
        }
    }
    assert!(n_saved < 4 << 20, "{n_saved} bytes are kept");
    let (is_fine, report) = place.undo(&[]);
    assert!(is_fine, "{report}");
    assert_eq!(fs::read_to_string(place.at("big")).expect("text"), big);
    let hole = fs::metadata(place.at("hole")).expect("there");
    assert_eq!(hole.len(), 64 << 20);
    assert!(hole.blocks() * 512 < 4 << 20, "{} blocks", hole.blocks());
}

#[test]
fn runs_are_taken_back_one_by_one_the_latest_first() {
    let place = Place::new();
    for text in ["one", "two", "three"] {
        place.run(&[("write_file", json!({"path": "a", "content": text}))]);
    }
    for text in ["two", "one", "old a\n"] {
        assert!(place.undo(&[]).0);
        assert_eq!(fs::read_to_string(place.at("a")).expect("there"), text);
    }
}

#[test]
fn what_changed_since_is_left_alone_and_so_is_everything_else() {
    let place = Place::new();
    place.run(&everything());
    fs::write(place.at("c"), "by somebody else").expect("written");
    let after = tree(&place.at(""));
    let (is_fine, report) = place.undo(&[]);
    assert!(!is_fine && report["changed"] == json!(["c"]), "{report}");
    assert_eq!(tree(&place.at("")), after);
    // After the user restores the file, the run can be undone.
    fs::write(place.at("c"), "other c\n").expect("written");
    assert!(place.undo(&[]).0);
}

#[test]
fn what_somebody_put_into_a_new_directory_stays() {
    let place = Place::new();
    place.run(&[("write_file", json!({"path": "new/file", "content": "x"}))]);
    fs::write(place.at("new/other"), "mine").expect("written");
    assert!(place.undo(&[]).0);
    assert!(!place.at("new/file").exists() && place.at("new/other").exists());
}

/// The undo itself stops after each of its steps, as after a crash; then the user asks for the undo again.
#[test]
fn an_undo_that_was_cut_off_goes_on() {
    for cut in 0..4 {
        let place = Place::new();
        let before = tree(&place.at(""));
        place.run(&[
            ("write_file", json!({"path": "a", "content": "1"})),
            ("write_file", json!({"path": "b", "content": "2"})),
            ("write_file", json!({"path": "n", "content": "3"})),
        ]);
        // The latest first, as the undo does it.
        if cut > 0 {
            fs::remove_file(place.at("n")).expect("removed");
        }
        if cut > 1 {
            fs::write(place.at("b"), "old b\n").expect("written");
        }
        if cut > 2 {
            fs::write(place.at("a"), "old a\n").expect("written");
        }
        let (is_fine, report) = place.undo(&[]);
        assert!(is_fine, "{cut}: {report}");
        assert_eq!(tree(&place.at("")), before, "{cut}");
    }
}

/// A run that is killed at any point can be undone: all files are as they were before.
#[test]
fn a_run_that_was_killed_is_taken_back() {
    let mut n_killed = 0;
    for round in 0..12_u64 {
        let place = Place::new();
        let before = tree(&place.at(""));
        let calls = (0..40)
            .map(|n| {
                let call = if n % 3 == 2 {
                    json!({"tool": "delete_file", "arguments": {"path": "new/f"}})
                } else {
                    let path = if n % 3 == 0 { "a" } else { "new/f" };
                    json!({"tool": "write_file", "arguments": {"path": path, "content": format!("{n}").repeat(9000)}})
                };
                format!("TOOL_CALL: {call}\n")
            })
            .collect::<Vec<String>>()
            .concat();
        let message = place.base.path().join("message");
        fs::write(&message, calls).expect("written");
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args([
                "run",
                "--dialect",
                "tool_call",
                "--allow",
                "write,delete",
                "--format",
                "text",
                "--root",
            ])
            .arg(place.base.path().join("ws"))
            .arg(&message)
            .env("HOME", place.base.path().join("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        // The journal shows the progress of the run: the point of the kill moves on with each round.
        let size = || -> u64 {
            let all = tree(&place.base.path().join("home"));
            all.iter()
                .map(|(_, text, _)| text.as_ref().map_or(0, |text| text.len() as u64))
                .sum()
        };
        let is_done =
            |child: &mut std::process::Child| child.try_wait().expect("it can be asked").is_some();
        while !is_done(&mut child) && size() < round * 2_000 {
            std::hint::spin_loop();
        }
        n_killed += u32::from(!is_done(&mut child));
        let _ = child.kill();
        child.wait().expect("it ends");
        // The kill may leave a part of a new file, under a name that does not count.
        for entry in [place.at(""), place.at("new")]
            .iter()
            .filter_map(|path| fs::read_dir(path).ok())
            .flatten()
            .flatten()
        {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(".toolglot-")
            {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
        let (is_fine, report) = place.undo(&[]);
        let is_nothing = report["problem"]
            .as_str()
            .is_some_and(|text| text.contains("nothing to undo"));
        assert!(is_fine || is_nothing, "{round}: {report}");
        assert_eq!(tree(&place.at("")), before, "{round}");
    }
    assert!(n_killed > 3, "only {n_killed} were killed before their end");
}
