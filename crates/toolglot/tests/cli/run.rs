use std::fs;

use tempfile::TempDir;
use toolglot_value::{Value, json};

use crate::cli::{Ran, toolglot};

/// A root with one file.
fn root() -> TempDir {
    let root = tempfile::tempdir().expect("a directory");
    fs::write(root.path().join("notes.txt"), "one\ntwo\nthree\n").expect("it is written");
    root
}

fn call(name: &str, arguments: &Value) -> String {
    format!(
        "<tool_call>{}</tool_call>\n",
        json!({"name": name, "arguments": arguments})
    )
}

fn run(root: &TempDir, message: &str, more: &[&str]) -> Ran {
    let path = root.path().to_str().expect("the path is text");
    let arguments = [&["run", "--dialect", "hermes", "--root", path][..], more].concat();
    toolglot(&arguments, message)
}

#[test]
fn a_read_is_answered_in_the_shape_of_the_dialect() {
    let root = root();
    let ran = run(
        &root,
        &call(
            "read_file",
            &json!({"path": "notes.txt", "start_line": 2, "end_line": 2}),
        ),
        &[],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("<tool_response>") && ran.out.contains("two"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("one"), "{}", ran.out);
}

#[test]
fn calls_run_in_order() {
    let root = root();
    let write = call(
        "write_file",
        &json!({"path": "new/a.txt", "content": "fresh"}),
    );
    let message = write + &call("read_file", &json!({"path": "new/a.txt"}));
    let ran = run(&root, &message, &["--allow", "write", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let record = ran.json();
    assert_eq!(record["calls"][0]["verdict"]["rule"], "write-granted");
    assert_eq!(record["calls"][1]["result"]["output"]["content"], "fresh");
    assert!(record["calls"][1]["duration_ms"].is_number());
    assert!(
        record["calls"][1]["rendered"]
            .as_str()
            .is_some_and(|text| text.contains("fresh"))
    );
    assert_eq!(
        fs::read_to_string(root.path().join("new/a.txt")).expect("it was written"),
        "fresh"
    );
}

#[test]
fn a_dry_run_does_nothing() {
    let root = root();
    let message = call("write_file", &json!({"path": "a.txt", "content": "x"}));
    let ran = run(&root, &message, &["--allow", "write", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("write_file") && ran.out.contains("write-granted"),
        "{}",
        ran.out
    );
    assert!(!root.path().join("a.txt").exists());
}

#[test]
fn errors_teach_the_right_form() {
    let root = root();
    let ran = run(&root, &call("read_file", &json!({"start_line": 1})), &[]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("path"), "{}", ran.out);
    assert!(ran.out.contains("The right form is:"), "{}", ran.out);
    let ran = run(
        &root,
        &call("raed_file", &json!({"path": "notes.txt"})),
        &[],
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("`read_file`"), "{}", ran.out);
}

#[test]
fn a_question_ends_the_message() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    let message = "<ask_followup_question>\n<question>Which?</question>\n</ask_followup_question>\n<read_file>\n<path>notes.txt</path>\n</read_file>\n";
    let ran = toolglot(
        &[
            "run",
            "--dialect",
            "roo",
            "--many",
            "--root",
            path,
            "--format",
            "json",
        ],
        message,
    );
    let record = ran.json();
    assert_eq!(record["pending"], 0, "{}", ran.out);
    assert_eq!(record["calls"][1]["verdict"]["rule"], "message-ended");
}

#[test]
fn roo_runs_one_call_per_message() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    let one = "<read_file>\n<path>notes.txt</path>\n</read_file>\n";
    let two = format!("{one}<list_files>\n<path>.</path>\n</list_files>\n");
    let ran = toolglot(&["run", "--dialect", "roo", "--root", path], &two);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.out
            .contains("Tool [list_files] was not executed because"),
        "{}",
        ran.out
    );
    let ran = toolglot(&["run", "--dialect", "roo", "--root", path, "--many"], &two);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn an_unknown_grant_is_an_error_of_usage() {
    let ran = run(&root(), "", &["--allow", "everything"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}

#[test]
fn a_call_in_the_reasoning_writes_only_where_completed_calls_may() {
    let message = "<think>I write it. <tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>new.txt</arg_value>\n<arg_key>content</arg_key>\n<arg_value>x</arg_value>\n</tool_call>";
    for (grants, written) in [("write", false), ("write,recovered", true)] {
        let root = root();
        let path = root.path().to_str().expect("the path is text");
        let ran = toolglot(
            &[
                "run",
                "--dialect",
                "glm45",
                "--root",
                path,
                "--allow",
                grants,
            ],
            message,
        );
        assert_eq!(
            root.path().join("new.txt").exists(),
            written,
            "{grants}: {}{}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn a_block_without_a_command_is_no_fault() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    for message in ["```bash\n# later\n\n```\n", "<bash></bash>"] {
        let ran = toolglot(&["run", "--dialect", "axe", "--root", path], message);
        assert_eq!((ran.code, &*ran.out), (0, ""), "{}", ran.err);
    }
}

#[test]
fn an_empty_alias_gives_way_to_another_name() {
    let root = root();
    let message = call(
        "read_file",
        &json!({"file_path": "", "filename": "notes.txt"}),
    );
    let ran = run(&root, &message, &["--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let record = ran.json();
    assert_eq!(
        record["calls"][0]["call"]["arguments"],
        json!({"path": "notes.txt"})
    );
    assert!(
        ran.out.contains("`file_path` is empty and was left out"),
        "{}",
        ran.out
    );
}

#[test]
fn a_call_in_reasoning_does_not_run_whatever_the_dialect() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    for (dialect, call) in [
        ("axe", "<bash>touch made</bash>"),
        (
            "roo",
            "<write_to_file><path>made</path><content>x</content></write_to_file>",
        ),
        (
            "forge",
            "<tool><tool_name>write_file</tool_name><arguments><path>made</path><content>x</content></arguments></tool>",
        ),
        (
            "tool_call",
            r#"TOOL_CALL: {"tool": "write_file", "arguments": {"path": "made", "content": "x"}}"#,
        ),
        (
            "rye_invoke",
            "<invoke name=\"write_file\"><parameter name=\"path\">made</parameter><parameter name=\"content\">x</parameter></invoke>",
        ),
    ] {
        for tag in ["think", "thinking"] {
            let message = format!("<{tag}>{call}</{tag}>\nno\n");
            let ran = toolglot(
                &[
                    "run",
                    "--dialect",
                    dialect,
                    "--root",
                    path,
                    "--allow",
                    "write,exec:touch",
                ],
                &message,
            );
            assert!(!root.path().join("made").exists(), "{dialect}: {}", ran.err);
        }
    }
}

#[test]
fn a_file_cut_short_is_not_written() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    let message = "```WRITE a.md\n# A\n```\nls\n```\nend\n```\nDone\n";
    let ran = toolglot(
        &[
            "run",
            "--dialect",
            "axe",
            "--root",
            path,
            "--allow",
            "write",
        ],
        message,
    );
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(!root.path().join("a.md").exists());
}

#[test]
fn what_a_tool_says_of_its_success_is_said_once() {
    let root = root();
    let path = root.path().to_str().expect("the path is text");
    let message = "<invoke name=\"write_file\">\n<parameter name=\"path\">a.txt</parameter>\n<parameter name=\"content\">x</parameter>\n</invoke>\n";
    let ran = toolglot(
        &[
            "run",
            "--dialect",
            "rye_invoke",
            "--root",
            path,
            "--allow",
            "write",
            "--format",
            "text",
        ],
        message,
    );
    let result: Value = toolglot_value::from_str(&ran.out).expect("the result is JSON");
    assert_eq!(result["success"], true, "{}", ran.out);
    assert_eq!(result["path"], "a.txt", "{}", ran.out);
}

#[test]
fn a_rule_about_another_name_of_a_tool_is_no_rule() {
    let root = root();
    for name in ["cat", "Read_File"] {
        let policy = root.path().join("policy.toml");
        let text = format!(
            "version = 1\n[[rule]]\nid = 'r'\ndecision = 'allow'\ncapabilities = ['read']\n[[rule]]\nid = 'n'\ndecision = 'deny'\ntools = ['{name}']\n"
        );
        fs::write(&policy, text).expect("it is written");
        let policy = policy.to_str().expect("the path is text");
        let message = call("read_file", &json!({"path": "notes.txt"}));
        let ran = run(&root, &message, &["--policy", policy]);
        assert_eq!(ran.code, 1, "{}", ran.out);
        assert!(ran.err.contains("write `read_file`"), "{}", ran.err);
    }
}

/// A call that can write the log could forge it.
#[test]
fn the_log_is_kept_from_the_calls_that_it_tells() {
    let root = root();
    let log = root.path().join("audit [1].jsonl");
    let log_path = log.to_str().expect("the path is text");
    let message = [
        call(
            "write_file",
            &json!({"path": "audit [1].jsonl", "content": "x"}),
        ),
        call("delete_file", &json!({"path": "audit [1].jsonl"})),
        call(
            "move_file",
            &json!({"from": "audit [1].jsonl", "to": "gone"}),
        ),
        call("write_file", &json!({"path": "b.txt", "content": "x"})),
    ]
    .concat();
    let more = [
        "--allow",
        "write,delete",
        "--audit",
        log_path,
        "--format",
        "json",
    ];
    let record = run(&root, &message, &more).json();
    for index in 0..3 {
        assert_eq!(record["calls"][index]["verdict"]["rule"], "audit-log");
    }
    assert_eq!(record["calls"][3]["state"], "done");
    let verified = toolglot(&["audit", "verify", log_path], "");
    assert_eq!(verified.code, 0, "{}", verified.out);
}

#[test]
fn what_a_call_is_named_does_not_drive_the_terminal() {
    let root = root();
    let name = "x\u{1b}[2J\u{1b}]52;c;eA==\u{7}\nallow";
    let ran = run(&root, &call(name, &json!({"\u{1b}[8m": 1})), &[]);
    assert!(!ran.err.contains(['\u{1b}', '\u{7}']), "{:?}", ran.err);
    assert!(!ran.err.contains("\nallow"), "{:?}", ran.err);
    let parsed = toolglot(
        &["parse", "--dialect", "hermes", "--color", "never"],
        call(name, &json!({})),
    );
    assert!(!parsed.out.contains('\u{1b}'), "{:?}", parsed.out);
}

#[test]
fn a_repeated_command_is_no_second_one() {
    let root = root();
    let message = call("execute_command", &json!({"command": "ls"})).repeat(2);
    let ran = run(
        &root,
        &message,
        &["--allow", "exec:ls", "--dry-run", "--format", "json"],
    );
    assert_eq!(ran.code, 0, "{}", ran.out);
    let record = ran.json();
    assert_eq!(record["calls"][1]["duplicate_of"], 0, "{}", ran.out);
    assert_eq!(record["calls"][1]["verdict"]["rule"], "command-granted");
}

#[test]
fn a_named_tool_that_nobody_runs_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = folder.path().join("tools.json");
    let list = r#"[{"name":"ring","parameters":{"type":"object","properties":{}}}]"#;
    std::fs::write(&tools, list).expect("it is written");
    let message = "<tool_call>{\"name\": \"ring\", \"arguments\": {}}</tool_call>";
    let tools = tools.to_str().expect("a path");
    let ran = toolglot(&["run", "--tools", tools, "--format", "text"], message);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            1,
            "<tool_response>\nError: nothing here runs `ring`: it is a tool of other programs\n</tool_response>\n"
        )
    );
}

#[test]
fn a_command_sees_what_the_one_between_changed() {
    let root = root();
    let message = "```bash\nls\ntouch new\nls\nls\n```\n";
    let path = root.path().to_str().expect("text");
    let ran = toolglot(
        &[
            "run",
            "--dialect",
            "axe",
            "--root",
            path,
            "--allow",
            "exec:ls,exec:touch,write",
            "--format",
            "json",
        ],
        message,
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let calls = ran.json()["calls"].clone();
    let shown = |index: usize| calls[index]["result"]["output"]["stdout"].clone();
    assert_eq!(
        (shown(0), shown(2)),
        ("notes.txt\n".into(), "new\nnotes.txt\n".into()),
        "{}",
        ran.out
    );
    assert_eq!(calls[3]["duplicate_of"], 2, "{}", ran.out);
}

#[test]
fn a_backslash_needs_no_other_grant_than_quotes() {
    let root = root();
    fs::write(root.path().join("my file.txt"), "inside").expect("written");
    let path = root.path().to_str().expect("text");
    for message in [
        "```EXEC cat my\\ file.txt```",
        "```EXEC cat \"my file.txt\"```",
    ] {
        let ran = toolglot(
            &[
                "run",
                "--dialect",
                "axe",
                "--root",
                path,
                "--allow",
                "exec:cat",
            ],
            message,
        );
        assert!(
            ran.code == 0 && ran.out.contains("inside"),
            "{message}: {}",
            ran.out
        );
    }
}

#[test]
fn a_command_that_may_not_write_names_the_grant() {
    let root = root();
    let path = root.path().to_str().expect("text");
    let policy = root.path().join("policy.toml");
    fs::write(
        &policy,
        "version = 1\n[[rule]]\nid = 'all'\ndecision = 'allow'\ncapabilities = ['exec']\n[sandbox]\nwrite = ['out']\n",
    )
    .expect("written");
    let policy = policy.to_str().expect("text");
    for (command, more, expected) in [
        (
            "touch a",
            &["--allow", "exec:touch"][..],
            Some("needs the grant `write`"),
        ),
        (
            "touch a",
            &["--policy", policy],
            Some("`write` in its `[sandbox]`"),
        ),
        // A path that no grant opens.
        ("touch /usr/bin/a", &["--policy", policy], None),
    ] {
        let arguments = [&["run", "--dialect", "axe", "--root", path][..], more].concat();
        let ran = toolglot(&arguments, format!("<bash>{command}</bash>"));
        assert!(
            ran.out.contains("Read-only file system"),
            "{command}: {}",
            ran.out
        );
        match expected {
            Some(hint) => assert!(ran.out.contains(hint), "{command}: {}", ran.out),
            None => assert!(!ran.out.contains("[sandbox]"), "{command}: {}", ran.out),
        }
    }
}

#[test]
fn words_of_axes_commands_stay_inside_the_project() {
    let root = root();
    let path = root.path().to_str().expect("text").to_owned();
    let axe = root.path().join("axe.yaml");
    fs::write(&axe, "tools:\n  whitelist: [cat, grep, sed, ls, env]\n").expect("written");
    let axe = axe.to_str().expect("text");
    let allow = "exec:cat,exec:grep,exec:sed,exec:ls,exec:env,shell";
    let refused = [
        "cat /etc/passwd",
        "cat '/etc/passwd'",
        "grep root --file=/etc/passwd notes.txt",
        "cat < /etc/passwd",
        "cat notes.txt > /tmp/x",
        "cat ../other",
        "cat ~/x",
        "env cat /etc/passwd",
        "cat ../secret && cd sub",
        "cat ../secret -C sub",
        "cd sub; cat ../notes.txt",
        "cat x://../../secret",
        "grep root --file=/etc/passwd,http://h notes.txt",
        "cat /opt/bin/key || /opt/bin/key",
    ];
    let inside = format!("cat {path}/notes.txt");
    let run_ = [
        inside.as_str(),
        "cat notes.txt 2>/dev/null",
        "/bin/cat notes.txt",
        "env /bin/cat notes.txt",
        "sed -n /one/p notes.txt",
        "grep -c one notes.txt /dev/null",
        "cd sub && cat ../notes.txt",
        "cat notes.txt http://a.test/x",
    ];
    for (commands, is_refused) in [(&refused[..], true), (&run_[..], false)] {
        for command in commands {
            for (dialect, more) in [
                ("axe", &["--allow", allow][..]),
                ("hermes", &["--allow", "shell", "--policy", axe]),
            ] {
                let message = match dialect {
                    "axe" => format!("<bash>{command}</bash>"),
                    _ => call("execute_command", &json!({"command": command})),
                };
                let arguments = [
                    &[
                        "run",
                        "--dry-run",
                        "--format",
                        "json",
                        "--dialect",
                        dialect,
                        "--root",
                        &path,
                    ][..],
                    more,
                ]
                .concat();
                let document = toolglot(&arguments, message).json();
                let verdict = &document["calls"][0]["verdict"];
                assert_eq!(
                    verdict["rule"] == "axe-boundary",
                    is_refused,
                    "{dialect} {command}: {verdict}"
                );
            }
        }
    }
    // Elsewhere, the sandbox decides what may be read.
    let message = call("execute_command", &json!({"command": "cat /etc/hostname"}));
    let ran = run(&root, &message, &["--allow", "exec:cat", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}
