//! What a person at a terminal sees and answers; `script` makes the terminal.
#![expect(clippy::print_stderr, reason = "skipped tests are reported")]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A shell command at a terminal of its own.
pub(crate) struct Terminal {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    shown: String,
}

impl Terminal {
    /// `None` if no terminal can be made, which is reported.
    pub(crate) fn open(command: &str, folder: &Path) -> Option<Terminal> {
        let child = Command::new("script")
            .args(["-qec", command, "/dev/null"])
            .current_dir(folder)
            .env("TOOLGLOT", env!("CARGO_BIN_EXE_toolglot"))
            .env("HOME", folder)
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                eprintln!("SKIPPED: no terminal can be made here: script: {error}");
                return None;
            }
        };
        Some(Terminal {
            input: child.stdin.take().expect("it was asked for"),
            output: child.stdout.take().expect("it was asked for"),
            shown: String::new(),
            child,
        })
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).expect("it is read");
        self.input.flush().expect("it is read");
    }

    /// Reads until `what` is shown.
    #[track_caller]
    fn waits_for(&mut self, what: &str) {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while !bytes.ends_with(what.as_bytes()) {
            let n = self.output.read(&mut byte).expect("it can be read");
            assert!(n > 0, "it ended with {}", String::from_utf8_lossy(&bytes));
            bytes.push(byte[0]);
        }
        self.shown.push_str(&String::from_utf8_lossy(&bytes));
    }

    /// All that was shown, and the exit code.
    pub(crate) fn ends(mut self) -> (String, Option<i32>) {
        let mut bytes = Vec::new();
        self.output.read_to_end(&mut bytes).expect("it can be read");
        let code = self.child.wait().expect("it ends").code();
        (self.shown + &String::from_utf8_lossy(&bytes), code)
    }
}

/// Whether a file is written if `before` is typed before the question, and `answer` as the answer.
fn is_written(before: &str, answer: &str) -> Option<bool> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("it is made");
    let call = r#"TOOL_CALL: {"tool": "write_file", "arguments": {"path": "a", "content": "b"}}"#;
    fs::write(folder.path().join("message"), call).expect("it is written");
    // Input after the first line waits for the next reader.
    let command =
        "read go; exec $TOOLGLOT run message --dialect tool_call --root root --format text";
    let mut terminal = Terminal::open(command, folder.path())?;
    terminal.types(&format!("go\n{before}"));
    terminal.waits_for("Do it? [y/N] ");
    assert!(!root.join("a").exists(), "it was done unasked");
    terminal.types(answer);
    let (shown, code) = terminal.ends();
    let is_written = root.join("a").exists();
    assert_eq!(code, Some(i32::from(!is_written)), "{shown}");
    Some(is_written)
}

#[test]
fn what_is_typed_before_the_question_is_no_answer() {
    for (before, answer, expected) in [
        ("", "y\n", true),
        ("", "n\n", false),
        ("y\n", "n\n", false),
        ("y\ny\nyes\n", "\n", false),
        ("n\n", "y\n", true),
    ] {
        let Some(found) = is_written(before, answer) else {
            return;
        };
        assert_eq!(found, expected, "{before:?}, then {answer:?}");
    }
}

#[test]
fn colours_are_for_terminals_that_know_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    fs::write(folder.path().join("message"), message).expect("it is written");
    for (setting, expected) in [
        ("TERM=xterm", true),
        ("TERM=dumb", false),
        ("NO_COLOR=1", false),
    ] {
        let command = format!("{setting} $TOOLGLOT parse message");
        let Some(terminal) = Terminal::open(&command, folder.path()) else {
            return;
        };
        let (shown, code) = terminal.ends();
        assert_eq!(code, Some(0), "{shown}");
        assert_eq!(shown.contains("\u{1b}["), expected, "{setting}: {shown}");
    }
}

#[test]
fn the_notes_about_a_call_come_before_its_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("it is made");
    let call = r#"TOOL_CALL: {"tool": "write_file", "arguments": {"path": "a", "content": "b""#;
    fs::write(folder.path().join("message"), call).expect("it is written");
    let command = "exec $TOOLGLOT run message --dialect tool_call --root root --allow write";
    let Some(mut terminal) = Terminal::open(command, folder.path()) else {
        return;
    };
    terminal.waits_for("Do it? [y/N] ");
    assert!(terminal.shown.contains("N034"), "{}", terminal.shown);
    terminal.types("y\n");
    let (shown, code) = terminal.ends();
    assert_eq!(shown.matches("N034").count(), 1, "{shown}");
    assert_eq!(code, Some(0), "{shown}");
}
