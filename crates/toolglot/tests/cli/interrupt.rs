//! Ctrl-C during a call: all of its processes end, the log records the end, and the exit code is 130.

use std::fs;
use std::process::{Command, Stdio};

use toolglot_value::Value;

const TOOL: &str = "tool_id: hang-here\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: t\ndescription: Hangs\nretry_policy: {max_attempts: 3, initial_delay: 60}\nconfig:\n  command: (setsid sleep 1000) & echo begun >&2; sleep 1000\n";

#[test]
fn an_interrupt_ends_what_runs_and_the_log_tells_it() {
    if !crate::cli::tool_project::can_run() {
        return;
    }
    for words in [
        &["call", "t/hang-here"][..],
        &["run", "message", "--dialect", "tool_call", "--many"],
        &[
            "run",
            "command",
            "--dialect",
            "tool_call",
            "--allow",
            "exec:sleep",
        ],
    ] {
        let folder = tempfile::tempdir().expect("room for a folder");
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        fs::create_dir_all(project.join(".ai/tools/t")).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        fs::write(project.join(".ai/tools/t/hang-here.yaml"), TOOL).expect("a file");
        let call = |tool: &str, arguments: &str| {
            format!("TOOL_CALL: {{\"tool\": \"{tool}\", \"arguments\": {arguments}}}\n")
        };
        let hang = call("t/hang-here", "{}");
        fs::write(project.join("message"), hang.repeat(2)).expect("a file");
        let command = call("execute_command", "{\"command\": \"sleep 1000\"}");
        fs::write(project.join("command"), command).expect("a file");
        let log = folder.path().join("log");
        let toolglot = || {
            let mut toolglot = Command::new(env!("CARGO_BIN_EXE_toolglot"));
            toolglot
                .current_dir(&project)
                .env("USER_SPACE", &home)
                .env("HOME", &home)
                .env_remove("XDG_CONFIG_HOME")
                .stdin(Stdio::null())
                .stderr(Stdio::piped())
                .stdout(Stdio::piped());
            toolglot
        };
        let trusted = toolglot().args(["tools", "trust", "**"]).output();
        assert!(trusted.expect("it runs").status.success());
        let mut child = toolglot()
            .args(words)
            .arg("--audit")
            .arg(&log)
            .spawn()
            .expect("it starts");
        // The first line is in the log before anything starts.
        while !fs::read_to_string(&log).is_ok_and(|text| text.ends_with('\n')) {
            assert!(
                child.try_wait().expect("it can be asked").is_none(),
                "{words:?}"
            );
            std::thread::yield_now();
        }
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(killed.expect("it runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{words:?}: {output:?}");
        let text = fs::read_to_string(&log).expect("a log");
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(lines[0]["event"], "before", "{words:?}");
        // The call was cancelled while it ran, or between its log record and its start.
        let last = &lines[1];
        let is_logged = last["event"] == "after" && last["result"]["ok"] == false
            || last["event"] == "refused" && last["rule"] == "cancelled";
        assert!(is_logged, "{words:?}: {text}");
        if words.contains(&"message") {
            assert_eq!(lines[2]["rule"], "cancelled", "{text}");
        }
        let verified = toolglot().args(["audit", "verify"]).arg(&log).output();
        assert!(verified.expect("it runs").status.success(), "{text}");
    }
}
