//! Properties of calls: time, attempts, cost, capabilities, interpreters.

use std::io::Write as _;
use std::time::Duration;

use toolglot_value::json;

use crate::world::{PAUSES, World, can_run, python, yaml};

#[test]
fn nothing_survives_a_timeout() {
    if !can_run("timeouts", &["bash", "python3"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    world.tool(
        "t/slow-it.yaml",
        &yaml(
            "slow-it",
            "bash",
            "timeout: 1\nconfig:\n  command: (setsid sleep 3; echo late > late.txt) & sleep 1000\n",
        ),
    );
    let called = world.call("t/slow-it", json!({})).expect("it runs");
    let error = called.returned.value["error"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert!(
        error.starts_with("it took longer than 1 seconds"),
        "{error}"
    );
    assert_eq!((called.returned.success, called.attempts.len()), (false, 1));
    world.tool("t/loop-it.py", &python("python/function", "__timeout__ = 1\ndef execute(params, project_path):\n    while True:\n        pass\n    return make()"));
    let returned = world.returned("t/loop-it", json!({}));
    assert!(
        returned["error"]
            .as_str()
            .expect("a text")
            .starts_with("it took longer"),
        "{returned}"
    );
    // Each of the two calls above lasted a second; a survivor would have written by the third.
    world.tool(
        "t/wait-it.yaml",
        &yaml(
            "wait-it",
            "bash",
            "timeout: 10\nconfig:\n  command: sleep 2; test ! -e late.txt\n",
        ),
    );
    assert_eq!(
        world.returned("t/wait-it", json!({}))["success"],
        json!(true)
    );
}

#[test]
fn only_what_may_pass_is_tried_again() {
    if !can_run("attempts", &["bash"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    let policy = "retry_policy: {max_attempts: 4, backoff_type: exponential, initial_delay: 1, max_delay: 3, backoff_multiplier: 2}\n";
    let command =
        "config:\n  command: echo x >> n.txt; test $(wc -l < n.txt) -ge 3 && exit 0; exit 75\n";
    world.tool(
        "t/flaky-it.yaml",
        &yaml("flaky-it", "bash", &format!("{policy}{command}")),
    );
    PAUSES.lock().expect("a lock").clear();
    let called = world.call("t/flaky-it", json!({})).expect("it runs");
    assert!(called.returned.success);
    assert_eq!(called.attempts.len(), 3);
    let delays: Vec<_> = called
        .attempts
        .iter()
        .map(|attempt| attempt.delay)
        .collect();
    assert_eq!(
        delays,
        [
            Some(Duration::from_secs(1)),
            Some(Duration::from_secs(2)),
            None
        ]
    );
    assert_eq!(
        *PAUSES.lock().expect("a lock"),
        [Duration::from_secs(1), Duration::from_secs(2)]
    );

    world.tool(
        "t/firm-it.yaml",
        &yaml(
            "firm-it",
            "bash",
            &format!("{policy}config:\n  command: exit 1\n"),
        ),
    );
    assert_eq!(
        world
            .call("t/firm-it", json!({}))
            .expect("it runs")
            .attempts
            .len(),
        1
    );
    world.tool(
        "t/once-it.yaml",
        &yaml("once-it", "bash", "config:\n  command: exit 75\n"),
    );
    assert_eq!(
        world
            .call("t/once-it", json!({}))
            .expect("it runs")
            .attempts
            .len(),
        1
    );
    world.tool("t/says-it.yaml", &yaml("says-it", "bash", &format!("{policy}config:\n  command: |\n    echo '{{\"success\": false, \"error\": \"busy\", \"transient\": true}}'\n")));
    let called = world.call("t/says-it", json!({})).expect("it runs");
    assert_eq!(called.attempts.len(), 4);
    assert_eq!(called.attempts[3].error.as_deref(), Some("busy"));
}

#[test]
fn calls_cost_and_stop_at_the_cap() {
    if !can_run("cost", &["bash"]) {
        return;
    }
    let mut world = World::new();
    world.cap = Some(0.05);
    world.tool(
        "t/dear-it.yaml",
        &yaml(
            "dear-it",
            "bash",
            "cost: {per_invocation: 0.02, currency: EUR}\nconfig:\n  command: 'true'\n",
        ),
    );
    world.with(|runner| {
        for _ in 0..2 {
            let called = runner
                .call_unjudged("t/dear-it", toolglot_value::Map::new())
                .expect("it is paid for");
            assert!((called.cost - 0.02).abs() < 1e-9);
        }
        let error = runner
            .call_unjudged("t/dear-it", toolglot_value::Map::new())
            .expect_err("it is not");
        assert_eq!(error.code(), "too-expensive");
        assert_eq!(
            error.to_string(),
            "`t/dear-it` is estimated at 0.0200 EUR; 0.0400 of 0.0500 are spent"
        );
    });
    // The attempts so far are reported, even if the budget allows no further one.
    world.tool(
        "t/busy-it.yaml",
        &yaml(
            "busy-it",
            "bash",
            "cost: {per_invocation: 0.02, currency: EUR}\nretry_policy: {max_attempts: 9, initial_delay: 0}\nconfig:\n  command: echo tried; exit 75\n",
        ),
    );
    let called = world.call("t/busy-it", json!({})).expect("it is paid for");
    assert_eq!(called.attempts.len(), 2);
    assert_eq!(called.returned.value["stdout"], json!("tried\n"));
    assert!((called.cost - 0.04).abs() < 1e-9);
    assert_eq!(
        called.notes,
        ["`t/busy-it` was not tried again: 0.0400 of 0.0500 EUR are spent"]
    );
}

/// The cap applies to parallel calls: no call spends the estimate of another.
#[test]
fn calls_at_once_stop_at_the_cap_together() {
    if !can_run("cost of calls at once", &["bash", "sleep"]) {
        return;
    }
    let mut world = World::new();
    world.cap = Some(2.5);
    let rest = "cost: {per_invocation: 1}\nconfig:\n  command: sleep 2\n";
    world.tool("t/dear-it.yaml", &yaml("dear-it", "bash", rest));
    let call = |runner: &toolglot_tool_runner::ToolRunner| {
        let called = runner.call_unjudged("t/dear-it", toolglot_value::Map::new());
        called.map(|_| ()).map_err(|error| error.code())
    };
    world.with(|runner| {
        let done: Vec<Result<(), &str>> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..6).map(|_| scope.spawn(|| call(runner))).collect();
            let calls = calls.into_iter();
            calls.map(|call| call.join().expect("no panic")).collect()
        });
        let n_done = done.iter().filter(|done| done.is_ok()).count();
        assert_eq!(n_done, 2, "{done:?}");
        assert!(
            done.iter()
                .all(|done| matches!(done, Ok(()) | Err("too-expensive")))
        );
        assert!((runner.budget().spent() - 2.0).abs() < 1e-9);
    });
}

#[test]
fn what_a_tool_requires_has_to_be_granted() {
    let mut world = World::new();
    world.tool(
        "t/need-it.yaml",
        &yaml(
            "need-it",
            "filesystem",
            "requires: [fs.read, net.http, rye.execute.tool.a]\nconfig: {operation: list_files}\n",
        ),
    );
    let (code, message) = world.refused("t/need-it", json!({}));
    assert_eq!(code, "not-granted");
    assert_eq!(
        message,
        "`t/need-it` needs net.http, rye.execute.tool.a, which is not granted"
    );
    world
        .granted
        .extend(["net.*".into(), "rye.execute.*".into()]);
    assert_eq!(
        world.returned("t/need-it", json!({}))["success"],
        json!(true)
    );
}

#[test]
fn what_runs_a_tool_requires_has_to_be_granted_too() {
    let mut world = World::new();
    let runtime = "tool_id: own-runtime\ntool_type: runtime\nversion: \"1.0.0\"\nexecutor_id: filesystem\ncategory: t\ndescription: A runtime\nrequires: [shell.execute]\n";
    world.tool("t/own-runtime.yaml", runtime);
    // A tool that writes needs the grant, even if its file does not declare it.
    let config = "config: {operation: write_file}\n";
    world.tool("t/need-it.yaml", &yaml("need-it", "t/own-runtime", config));
    let args = toolglot_value::json!({"path": "a", "content": "b"});
    let (code, message) = world.refused("t/need-it", args.clone());
    assert_eq!(code, "not-granted");
    assert!(
        message.contains("needs shell.execute, fs.write,"),
        "{message}"
    );
    world
        .granted
        .extend(["shell.execute".into(), "fs.write".into()]);
    assert_eq!(world.returned("t/need-it", args)["success"], json!(true));
}

#[test]
fn a_virtual_environment_of_the_project_is_used() {
    if !can_run("virtual environments", &["python3"]) {
        return;
    }
    let world = World::new();
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip", ".venv"])
        .current_dir(&world.project)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: python3 makes no environment here"
        );
        return;
    }
    world.tool("t/where-it.py", &python("python/function", "import sys\ndef execute(params, project_path):\n    return {'success': True, 'output': sys.prefix}"));
    let returned = world.returned("t/where-it", json!({}));
    assert_eq!(
        returned["output"],
        json!(world.project.join(".venv").display().to_string()),
        "{returned}"
    );
}

#[test]
fn what_a_project_calls_its_environment_opens_nothing() {
    if !can_run("virtual environments", &["python3"]) {
        return;
    }
    let world = World::new();
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::write(elsewhere.path().join("secret"), "x").expect("it is written");
    let script = format!("#!/bin/sh\ncat {}/secret\n", elsewhere.path().display());
    let config = format!("home = {}/bin\n", elsewhere.path().display());
    world.file(".venv/pyvenv.cfg", &config);
    world.file(".venv/bin/python", &script);
    let program = world.project.join(".venv/bin/python");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(program, mode).expect("it is ours");
    let reads = "from pathlib import Path\ndef execute(params, project_path):\n    return {'success': True, 'output': Path(params['file']).exists()}";
    let schema = "CONFIG_SCHEMA = {'type': 'object', 'properties': {'file': {'type': 'string'}}}";
    world.tool(
        "t/look-it.py",
        &python("python/function", &format!("{schema}\n{reads}")),
    );
    let secret = elsewhere.path().join("secret").display().to_string();
    let returned = world.returned("t/look-it", json!({ "file": secret }));
    assert_eq!(returned["output"], json!(false), "{returned}");
}

#[test]
fn unsigned_and_changed_tools_do_not_run() {
    let world = World::new();
    let text = yaml(
        "plain-it",
        "filesystem",
        "config: {operation: list_files}\n",
    );
    world.file(".ai/tools/t/plain-it.yaml", &text);
    assert_eq!(world.refused("t/plain-it", json!({})).0, "unsigned");
    world.tool("t/plain-it.yaml", &text);
    assert_eq!(
        world.returned("t/plain-it", json!({}))["success"],
        json!(true)
    );
    world.file(
        ".ai/tools/t/plain-it.yaml",
        &text.replace("A tool", "Another"),
    );
    assert_eq!(world.refused("t/plain-it", json!({})).0, "changed");
    world.tool(
        "t/bad-it.yaml",
        &text.replace("version: \"1.0.0\"", "version: \"1.0\""),
    );
    assert_eq!(world.refused("t/bad-it", json!({})).0, "faulty-tool");
}
