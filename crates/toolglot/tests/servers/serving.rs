//! `toolglot mcp`: sessions over lines, and what holds over HTTP as well.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use toolglot_value::{Value, json};

use super::web::{HELLO, Web};
use super::{World, can_run};

/// A slow tool and a fast tool.
pub(super) fn tools(world: &World) {
    let folder = world.path("ws/.ai/tools/t");
    fs::create_dir_all(&folder).expect("made");
    for (name, command) in [("wait-long", "sleep 1000"), ("say-hi", "echo hi")] {
        let text = format!(
            "tool_id: {name}\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: t\ndescription: A tool\nconfig: {{command: '{command}'}}\n"
        );
        fs::write(folder.join(format!("{name}.yaml")), text).expect("written");
    }
    assert!(world.toolglot(&["tools", "trust", "t/*"]).status.success());
}

/// A server over lines.
pub(super) struct Lines {
    pub(super) child: Child,
    pub(super) to: ChildStdin,
    pub(super) from: BufReader<ChildStdout>,
}

impl Lines {
    pub(super) fn start(world: &World, arguments: &[&str]) -> Lines {
        let mut all = vec!["mcp"];
        all.extend(arguments);
        Lines::of(world.command(&all))
    }

    fn of(mut command: Command) -> Lines {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (to, from) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        Lines {
            child,
            to,
            from: BufReader::new(from),
        }
    }

    pub(super) fn say(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("it reads");
    }

    pub(super) fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("it writes");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"))
    }

    pub(super) fn ask(&mut self, id: i64, method: &str, params: &Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.heard()
    }

    /// The output of the server until its input ends and the server exits.
    pub(super) fn rest(mut self) -> String {
        drop(self.to);
        let mut rest = String::new();
        self.from.read_to_string(&mut rest).expect("it ends");
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}

/// Requests, a notification, and an item that is neither.
const BATCH: &str = r#"[{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t.say-hi"}},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"b","method":"ping"},7,{"jsonrpc":"2.0","id":"c","method":"initialize","params":{"protocolVersion":"2025-11-25"}}]"#;

#[test]
fn a_batch_is_answered_in_the_one_revision_that_has_batches() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let batch: Value = toolglot_value::from_str(BATCH).expect("JSON");
    let check = |answer: &Value| {
        let answers = answer.as_array().expect("a list");
        let ids: Vec<&Value> = answers.iter().map(|one| &one["id"]).collect();
        assert_eq!(
            ids,
            ["a".into(), "b".into(), Value::Null, "c".into()]
                .iter()
                .collect::<Vec<_>>()
        );
        assert_eq!(answers[0]["result"]["isError"], json!(false), "{answer}");
        assert_eq!(answers[1]["result"], json!({}));
        for (fault, code) in [(&answers[2], -32_600), (&answers[3], -32_600)] {
            assert_eq!(fault["error"]["code"], json!(code), "{answer}");
        }
    };
    for (version, has_batches) in [("2025-03-26", true), ("2025-06-18", false)] {
        let mut server = Lines::start(&world, &[]);
        server.ask(1, "initialize", &json!({"protocolVersion": version}));
        server.say(&batch);
        let answer = server.heard();
        if has_batches {
            check(&answer);
            // A message that needs no answer gets none.
            server.say(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]));
            server.say(&json!([]));
            assert_eq!(server.heard()["error"]["code"], json!(-32_600));
        } else {
            assert_eq!(answer["error"]["code"], json!(-32_600), "{answer}");
        }
        let _ = server.child.kill();
        let _ = server.child.wait();
        let web = Web::start(&world, &[]);
        let (_, head, _) = web.ask("POST /mcp", &[], &HELLO.replace("2025-11-25", version));
        let session = head
            .lines()
            .find_map(|line| line.strip_prefix("Mcp-Session-Id: "))
            .expect("a session")
            .trim();
        let ask = |body: &str| web.ask("POST /mcp", &[("Mcp-Session-Id", session)], body);
        let (status, _, body) = ask(BATCH);
        if has_batches {
            let last = body.lines().rev().find_map(|line| {
                let data = line.strip_prefix("data: ").unwrap_or(line);
                data.starts_with('[').then(|| data.to_owned())
            });
            check(&serde_json::from_str(&last.expect("a list")).expect("JSON"));
            let (status, ..) =
                ask(r#"[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":9,"result":{}}]"#);
            assert_eq!(status, 202);
        } else {
            assert_eq!(status, 400, "{body}");
        }
    }
}

#[test]
fn a_tool_is_said_to_read_only_where_it_can_do_nothing_else() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    for (words, is_held) in [
        (&[][..], true),
        (&["--allow", "write"], false),
        (&["--allow", "net"], false),
        (&["--allow", "net:127.0.0.1:9"], false),
        (&["--sandbox", "plain"], false),
    ] {
        let mut server = Lines::start(&world, words);
        server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
        let listed = server.ask(2, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools");
        for (name, only_reads) in [
            ("t.say-hi", is_held),
            ("rye.file-system.read", true),
            ("rye.file-system.write", false),
            ("rye.bash.bash", false),
        ] {
            let tool = tools.iter().find(|tool| tool["name"] == name);
            let annotations = &tool.expect(name)["annotations"];
            assert_eq!(
                annotations["readOnlyHint"],
                json!(only_reads),
                "{words:?} {name}"
            );
        }
        let _ = server.child.kill();
        let _ = server.child.wait();
    }
}

#[test]
fn each_call_that_was_served_is_taken_back_by_itself() {
    let world = World::new();
    let path = world.path("ws/kept.txt");
    fs::write(&path, "old\n").expect("written");
    let mut server = Lines::start(&world, &["--allow", "write"]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    for (id, text) in [(2, "first\n"), (3, "second\n")] {
        let arguments = json!({"path": "kept.txt", "content": text});
        let call = json!({"name": "rye.file-system.write", "arguments": arguments});
        let answer = server.ask(id, "tools/call", &call);
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
    }
    let read = || fs::read_to_string(&path).expect("there");
    assert_eq!(read(), "second\n");
    // An undo while the server runs loses nothing of a later call.
    for left in ["first\n", "old\n"] {
        assert!(world.toolglot(&["run", "--undo"]).status.success());
        assert_eq!(read(), left);
    }
    let call = json!({"name": "rye.file-system.write", "arguments": {"path": "kept.txt", "content": "third\n"}});
    server.ask(4, "tools/call", &call);
    assert_eq!(read(), "third\n");
    assert!(world.toolglot(&["run", "--undo"]).status.success());
    assert_eq!(read(), "old\n");
    let _ = server.child.kill();
    let _ = server.child.wait();
}

#[test]
fn a_call_that_the_client_takes_back_is_killed_and_not_answered() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let mut server = Lines::start(&world, &[]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    let started = Instant::now();
    server.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "t.wait-long"}}));
    // Other calls run in the meantime.
    let answer = server.ask(3, "tools/call", &json!({"name": "t.say-hi"}));
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(3), &json!(false)),
        "{answer}"
    );
    server.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
    );
    assert_eq!(server.ask(4, "ping", &json!({}))["id"], 4);
    // The server ends with its input, and its tools are gone by then: the tool would run for a thousand seconds.
    let rest = server.rest();
    assert!(!rest.contains("\"id\":2"), "{rest}");
    assert!(started.elapsed() < Duration::from_secs(120));
}

#[test]
fn a_call_that_is_taken_back_in_the_same_breath_never_runs() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let mut server = Lines::start(&world, &[]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    let started = Instant::now();
    let mut lines = Vec::new();
    for id in 2..12 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t.wait-long"}});
        let back = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        write!(lines, "{call}\n{back}\n").expect("it is a buffer");
    }
    server.to.write_all(&lines).expect("it reads");
    assert_eq!(server.ask(12, "ping", &json!({}))["id"], 12);
    assert_eq!(server.rest(), "");
    assert!(started.elapsed() < Duration::from_secs(120));
}

#[test]
fn clients_are_told_what_is_to_be_said_of_a_tool() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let file = world.path("ws/.ai/tools/t/say-hi.yaml");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, format!("{text}metadata: {{deprecated: true}}\n")).expect("written");
    assert!(world.toolglot(&["tools", "trust", "t/*"]).status.success());
    let mut server = Lines::start(&world, &[]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    let notice = server.ask(2, "tools/call", &json!({"name": "t.say-hi"}));
    assert_eq!(
        notice["params"],
        json!({"level": "notice", "logger": "t/say-hi", "data": "`t/say-hi` is deprecated"})
    );
    let answer = server.heard();
    assert_eq!(
        answer["result"]["_meta"],
        json!({"toolglot/notes": ["`t/say-hi` is deprecated"]}),
        "{answer}"
    );
    drop(server.to);
    assert!(server.child.wait().expect("it ends").success());
}

#[test]
fn a_warning_is_given_once_for_each_state_of_a_policy() {
    let world = World::new();
    let policy = world.path("ws/.ai/policy.toml");
    fs::create_dir_all(policy.parent().expect("it has one")).expect("made");
    fs::write(&policy, "version = 9").expect("written");
    let output = world.path("said");
    let mut command = world.command(&["mcp"]);
    command.stderr(fs::File::create(&output).expect("made"));
    let mut server = Lines::of(command);
    for id in 1..4 {
        server.ask(id, "tools/list", &json!({}));
    }
    fs::write(&policy, "version = 99").expect("written");
    for id in 4..7 {
        server.ask(id, "tools/list", &json!({}));
    }
    server.rest();
    let output = fs::read_to_string(output).expect("it is there");
    assert_eq!(output.matches("note: ").count(), 2, "{output}");
}

#[test]
fn clients_are_told_when_the_tools_are_others() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let mut server = Lines::start(&world, &[]);
    let hello = server.ask(1, "initialize", &json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        hello["result"]["capabilities"]["tools"]["listChanged"],
        true
    );
    let text = fs::read_to_string(world.path("ws/.ai/tools/t/say-hi.yaml")).expect("a file");
    fs::write(
        world.path("ws/.ai/tools/t/say-ho.yaml"),
        text.replace("say-hi", "say-ho"),
    )
    .expect("written");
    let told = server.heard();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    // A tool that is trusted during a session may be called at once.
    let call = |server: &mut Lines, id| {
        server.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t.say-ho"}}));
        loop {
            let answer = server.heard();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    assert_eq!(
        call(&mut server, 2)["result"]["structuredContent"]["code"],
        "unsigned"
    );
    assert!(
        world
            .toolglot(&["tools", "trust", "t/say-ho"])
            .status
            .success()
    );
    let answer = call(&mut server, 3);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let _ = server.child.kill();
    let _ = server.child.wait();
}

#[test]
fn what_is_served_is_judged_and_logged() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let policy = world.path("policy.toml");
    fs::write(
        &policy,
        "version = 1\n[[rule]]\nid = 'hi'\ndecision = 'allow'\ntools = ['t/say-hi']\n",
    )
    .expect("written");
    let log = world.path("log");
    let (policy, log_name) = (policy.display().to_string(), log.display().to_string());
    let mut server = Lines::start(&world, &["--policy", &policy, "--audit", &log_name]);
    let hi = server.ask(1, "tools/call", &json!({"name": "t.say-hi"}));
    assert_eq!(hi["result"]["structuredContent"]["stdout"], "hi\n", "{hi}");
    let refused = server.ask(2, "tools/call", &json!({"name": "t.wait-long"}));
    assert_eq!(
        refused["result"]["structuredContent"]["code"], "policy-default",
        "{refused}"
    );
    drop(server.to);
    assert!(server.child.wait().expect("it ends").success());
    let lines = fs::read_to_string(&log).expect("a log");
    let events: Vec<Value> = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let found: Vec<(&str, &str)> = events
        .iter()
        .map(|event| {
            (
                event["event"].as_str().unwrap_or_default(),
                event["tool"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("before", "t/say-hi"),
            ("after", "t/say-hi"),
            ("refused", "t/wait-long")
        ],
        "{lines}"
    );
    assert!(
        world
            .toolglot(&["audit", "verify", &log_name])
            .status
            .success()
    );
}

#[test]
fn what_is_served_passes_the_gate_of_every_call() {
    if !can_run() {
        return;
    }
    let world = World::new();
    tools(&world);
    let folder = world.path("ws/.ai/tools/t");
    let text = fs::read_to_string(folder.join("say-hi.yaml")).expect("a file");
    for (name, requires) in [
        ("writes", "[fs.write]"),
        ("runs", "[shell.execute]"),
        ("reads", "[fs.read]"),
    ] {
        let file = format!("{}requires: {requires}\n", text.replace("say-hi", name));
        fs::write(folder.join(format!("{name}.yaml")), file).expect("written");
    }
    assert!(world.toolglot(&["tools", "trust", "t/*"]).status.success());
    fs::write(
        folder.join("nobodys.yaml"),
        text.replace("say-hi", "nobodys"),
    )
    .expect("written");
    let policy = world.path("policy.toml");
    let allows = "version = 1\n[[rule]]\nid = 'all'\ndecision = 'allow'\ntools = ['t/*']\n";
    let rule = |decision: &str, tool: &str| {
        format!("{allows}[[rule]]\nid = 'one'\ndecision = '{decision}'\ntools = ['{tool}']\n")
    };
    fs::write(&policy, rule("ask", "t/reads")).expect("written");
    let mut server = Lines::start(&world, &["--policy", &policy.display().to_string()]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    let mut id = 1;
    let mut code = |server: &mut Lines, name: &str, arguments: Value| {
        id += 1;
        server.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}));
        loop {
            let heard = server.heard();
            if heard["id"] == id {
                let code = heard["result"]["structuredContent"]["code"].as_str();
                let is_error = heard["result"]["isError"] != json!(false);
                return code.map_or_else(
                    || {
                        if is_error {
                            heard.to_string()
                        } else {
                            "ran".to_owned()
                        }
                    },
                    str::to_owned,
                );
            }
        }
    };
    // Only the allowed tool runs: the others need a person to ask or trust, or do not exist.
    assert_eq!(code(&mut server, "t.say-hi", json!({})), "ran");
    assert_eq!(code(&mut server, "t.reads", json!({})), "one");
    assert_eq!(code(&mut server, "t.nobodys", json!({})), "unsigned");
    for name in [
        "../../etc/passwd",
        "t/../t/say-hi",
        "t.say-hi\0",
        "",
        "T.SAY-HI",
        "mcp/m/echo",
    ] {
        let found = code(&mut server, name, json!({}));
        assert!(found != "ran", "{name:?}: {found}");
    }
    // The policy decides on the tool, whatever name the call uses.
    fs::write(&policy, rule("deny", "t/say-hi")).expect("written");
    for name in ["t.say-hi", "t/say-hi"] {
        assert_eq!(
            code(&mut server, name, json!({})),
            "one",
            "{name}: a policy that changed holds from the next call on"
        );
    }
    // A policy that cannot be read denies everything, and so does the project's own policy.
    fs::write(&policy, "version = ").expect("written");
    assert_ne!(code(&mut server, "t.say-hi", json!({})), "ran");
    fs::write(&policy, allows).expect("written");
    assert_eq!(code(&mut server, "t.say-hi", json!({})), "ran");
    let own = world.path("ws/.ai/policy.toml");
    fs::write(
        &own,
        "version = 1\n[[rule]]\nid = 'own'\ndecision = 'deny'\ntools = ['t/say-hi']\n",
    )
    .expect("written");
    assert_eq!(code(&mut server, "t.say-hi", json!({})), "own");
    fs::remove_file(&own).expect("removed");
    // A tool that changes after it is listed is not the trusted tool.
    let mut listed = server.ask(900, "tools/list", &json!({}));
    while listed["id"] != 900 {
        listed = server.heard();
    }
    assert!(listed.to_string().contains("t.say-hi"), "{listed}");
    fs::write(
        folder.join("say-hi.yaml"),
        text.replace("echo hi", "echo ho"),
    )
    .expect("written");
    assert_eq!(code(&mut server, "t.say-hi", json!({})), "changed");
    fs::write(folder.join("say-hi.yaml"), &text).expect("written");
    assert_eq!(code(&mut server, "t.say-hi", json!({})), "ran");
    let _ = server.child.kill();
    let _ = server.child.wait();
    // Without a policy file, a tool with effects needs a grant, and nobody can be asked for it.
    let mut server = Lines::start(&world, &[]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    for name in ["t.writes", "t.runs"] {
        let found = code(&mut server, name, json!({}));
        assert!(found != "ran", "{name}: {found}");
    }
    let _ = server.child.kill();
    let _ = server.child.wait();
}

#[test]
fn what_has_no_name_for_a_client_is_not_listed() {
    let world = World::new();
    let long = format!("x{}", "-y".repeat(70));
    for (category, name) in [("t", "say-hi"), ("tö", "say-ho"), ("t", &long)] {
        let folder = world.path("ws/.ai/tools").join(category);
        fs::create_dir_all(&folder).expect("made");
        let text = format!(
            "tool_id: {name}\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: {category}\ndescription: A tool\nconfig: {{command: 'echo hi'}}\n"
        );
        fs::write(folder.join(format!("{name}.yaml")), text).expect("written");
        let trusted = world.toolglot(&["tools", "trust", &format!("{category}/{name}")]);
        assert!(trusted.status.success(), "{name}");
    }
    let mut server = Lines::start(&world, &[]);
    let listed = server.ask(1, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let own: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str().filter(|name| name.starts_with('t')))
        .collect();
    assert_eq!(own, ["t.say-hi"]);
    server.rest();
}

#[test]
fn each_tool_has_a_name_that_means_it_and_no_other() {
    if !can_run() {
        return;
    }
    let world = World::new();
    // By dots for slashes the first two are `t.b.c-d`, and an action `x` of the third is the fourth.
    for id in ["t.b/c-d", "t/b/c-d", "t/some", "t/some/x"] {
        let file = world.path("ws/.ai/tools").join(format!("{id}.yaml"));
        let (category, name) = id.rsplit_once('/').expect("a category");
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        let actions = match id {
            "t/some" => "actions: {x: {description: An action}}\n",
            _ => "",
        };
        let text = format!(
            "tool_id: {name}\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: {category}\ndescription: A tool\n{actions}config: {{command: 'echo {id}'}}\n"
        );
        fs::write(file, text).expect("written");
        let trusted = world.toolglot(&["tools", "trust", id]);
        assert!(trusted.status.success(), "{id}: {trusted:?}");
    }
    let mut server = Lines::start(&world, &[]);
    server.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    let listed = server.ask(2, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let mut names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    names.retain(|name| name.starts_with("t."));
    assert_eq!(
        names,
        [
            "t.b.c-d-d3cfb5c7",
            "t.b.c-d",
            "t.some-3bbf655f.x",
            "t.some.x"
        ]
    );
    for (name, id) in names
        .iter()
        .zip(["t.b/c-d", "t/b/c-d", "t/some", "t/some/x"])
    {
        let answer = server.ask(3, "tools/call", &json!({"name": name}));
        let output = &answer["result"]["structuredContent"]["stdout"];
        assert_eq!(*output, json!(format!("{id}\n")), "{name}: {answer}");
    }
    server.rest();
}
