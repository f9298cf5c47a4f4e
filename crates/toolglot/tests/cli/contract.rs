//! Common properties of all commands: exit codes of usage errors, words that help, lines that fit.

use std::fs;
use std::process::{Command, Stdio};

use crate::cli::toolglot;

#[test]
fn a_policy_file_that_is_not_there_is_a_slip() {
    let call = r#"{"name": "read_file", "arguments": {"path": "a"}}"#;
    for arguments in [
        &["run", "--policy", "/nonexistent/p.toml"][..],
        &[
            "call",
            "rye/file-system/read",
            "--args",
            "{}",
            "--policy",
            "/nonexistent/p.toml",
        ],
        &["mcp", "--policy", "/nonexistent/p.toml"],
        &[
            "policy",
            "check",
            "--call",
            "-",
            "--policy",
            "/nonexistent/p.toml",
        ],
    ] {
        let ran = toolglot(arguments, call);
        assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("/nonexistent/p.toml"), "{}", ran.err);
    }
}

#[test]
fn a_misspelt_grant_names_the_one_that_was_meant() {
    for (word, meant) in [
        ("wirte", "did you mean `write`?"),
        ("recoverd", "did you mean `recovered`?"),
        ("Shell", "did you mean `shell`?"),
        ("exce:git", "did you mean `exec:git`?"),
        ("nte:a.test", "did you mean `net:a.test`?"),
        ("everything", ""),
    ] {
        for arguments in [
            &["run", "--allow", word][..],
            &["call", "a/b", "--args", "{}", "--allow", word],
            &["mcp", "--allow", word],
        ] {
            let ran = toolglot(arguments, "");
            assert_eq!(ran.code, 2, "{arguments:?}");
            let has = ran.err.contains("did you mean");
            assert_eq!(has, !meant.is_empty(), "{arguments:?}: {}", ran.err);
            assert!(ran.err.contains(meant), "{arguments:?}: {}", ran.err);
        }
    }
}

#[test]
fn an_unknown_server_names_the_list_of_servers() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path().to_str().expect("UTF-8");
    for command in ["approve", "disapprove", "login"] {
        let ran = toolglot(&["mcp", command, "zzz", "--root", root], "");
        assert_eq!(ran.code, 2, "{command}: {}{}", ran.out, ran.err);
        let why = "unknown server `zzz`; `toolglot mcp servers` lists them";
        assert!(ran.err.contains(why), "{command}: {}", ran.err);
    }
}

#[test]
fn what_needs_types_says_where_they_are_given() {
    let message = r#"{"calls": [{"name": "f", "arguments": {"n": 3, "all": true, "s": "x"}}]}"#;
    for dialect in ["roo", "axe", "rye_invoke", "qwen3_coder"] {
        let ran = toolglot(&["render", "--dialect", dialect, "-"], message);
        assert_eq!(ran.code, 2, "{dialect}: {}", ran.out);
        // Roo knows its own tools' names only.
        assert!(ran.err.contains("--tools"), "{dialect}: {}", ran.err);
    }
    let text = r#"{"calls": [{"name": "f", "arguments": {"s": "</parameter>\n</function>\n</tool_call>"}}]}"#;
    let ran = toolglot(&["render", "--dialect", "qwen3_coder", "-"], text);
    assert!(!ran.err.contains("--tools"), "{}", ran.err);
    let conversation = r#"{"messages": [{"role": "assistant", "content": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"n\": 3}}\n</tool_call>"}]}"#;
    let ran = toolglot(
        &["convert", "--from", "hermes", "--to", "qwen3_coder", "-"],
        conversation,
    );
    assert!(ran.err.contains("--tools"), "{}{}", ran.out, ran.err);
}

#[test]
fn the_answer_stands_apart_from_the_notes() {
    let root = tempfile::tempdir().expect("a directory");
    fs::write(root.path().join("a"), "inside\n").expect("written");
    let path = root.path().to_str().expect("text");
    let call = r#"<tool_call>{"name": "read_file", "arguments": {"path": "a",}}</tool_call>"#;
    let arguments = ["run", "--dialect", "hermes", "--root", path];
    let ran = toolglot(&arguments, call);
    assert!(
        ran.err.contains("N012") && ran.err.ends_with("\n\n"),
        "{:?}",
        ran.err
    );
    let planned = toolglot(&[&arguments[..], &["--dry-run"]].concat(), call);
    assert!(!planned.out.ends_with("\n\n"), "{:?}", planned.out);
}

#[test]
fn lines_of_reports_fit_the_columns() {
    let value = "word ".repeat(60);
    let message = format!(
        "<tool_call>{{\"name\": \"f\", \"arguments\": {{\"a\": \"{value}\", \"b\": 1,}}}}</tool_call>"
    );
    for columns in [40, 80, 120] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(["parse", "--dialect", "hermes"])
            .env("COLUMNS", columns.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), message.as_bytes())
            .expect("written");
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        let at = text.find("-->").expect("a report");
        let lines: Vec<&str> = text[at..].lines().collect();
        let source = lines
            .iter()
            .position(|line| line.starts_with("1 | "))
            .expect("the text");
        assert!(
            lines[source].chars().count() <= columns,
            "{columns}: {text}"
        );
        let caret = lines[source + 1].find('^').expect("a mark");
        assert_eq!(lines[source].as_bytes()[caret], b',', "{columns}: {text}");
    }
}

#[test]
fn an_explanation_is_no_markup() {
    for code in ["N001", "N012", "N061", "N044"] {
        let ran = toolglot(&["explain", code], "");
        let outside = |line: &&str| !line.starts_with("    ");
        for line in ran.out.lines().filter(outside) {
            assert!(
                !line.starts_with("```") && !line.contains("]("),
                "{code}: {line}"
            );
        }
    }
}
