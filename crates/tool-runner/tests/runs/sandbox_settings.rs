//! Each setting of `[sandbox]`, exceeded by a tool of each kind: the setting stops the tool, and the default lets it
//! run.

use std::net::TcpListener;

use toolglot_policy::{Level, Reach, SandboxTable};
use toolglot_value::json;

use crate::world::{World, can_run, node, python, yaml};

/// The task of every kind of tool; its first argument selects it.
const TASK: &str = r#"
import os, socket, subprocess, sys, time
def task(name):
    if name == "sleep":
        time.sleep(3)
    elif name == "write":
        open("beside.txt", "w").close()
    elif name == "write-out":
        open("out/a.txt", "w").close()
    elif name.startswith("connect"):
        socket.create_connection(("127.0.0.1", int(name[7:])), 2).close()
    elif name == "memory":
        assert len(bytearray(400 << 20)) > 0
    elif name == "file":
        with open("/tmp/big", "wb") as file:
            file.write(bytes(3 << 20))
    elif name == "processes":
        children = [subprocess.Popen(["sleep", "1"]) for _ in range(40)]
        for child in children:
            child.wait()
    elif name == "environment":
        assert os.environ.get("NAMED") == "a value"
    elif name.startswith("read"):
        open(name[4:]).close()
    elif name == "print":
        return "x" * 5000 + "done"
    return "done"
if __name__ == "__main__":
    print(task(sys.argv[1]))
"#;

const SERVER: &str = r#"
import json, sys
from task import task
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "do", "description": "Does", "inputSchema": {"type": "object"}}]}
    else:
        try:
            text, failed = task(message["params"]["arguments"]["task"]), False
        except BaseException as error:
            text, failed = repr(error), True
        result = {"content": [{"type": "text", "text": text}], "isError": failed}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\n")
    sys.stdout.flush()
"#;

/// One tool of each kind.
const TOOLS: &[&str] = &[
    "t/shell-it",
    "t/command-it",
    "t/call-it",
    "t/node-it",
    "mcp/local/do",
];

fn world() -> World {
    let mut world = World::new();
    world.variables.insert("NAMED".into(), "a value".into());
    world.granted = ["fs.read", "fs.write", "net.*", "process.spawn"]
        .map(str::to_owned)
        .to_vec();
    world.file("task.py", TASK);
    world.file("server.py", SERVER);
    world.file("out/there", "");
    let env = "  env: [NAMED]\n";
    world.tool(
        "t/shell-it.yaml",
        &yaml(
            "shell-it",
            "bash",
            &format!("config:\n  command: 'python3 task.py \"$TOOLGLOT_PARAM_task\"'\n{env}"),
        ),
    );
    let script = "import os, task; print(task.task(os.environ[\"TOOLGLOT_PARAM_task\"]))";
    world.tool(
        "t/command-it.yaml",
        &yaml(
            "command-it",
            "subprocess",
            &format!("config:\n  command: python3\n  args: [-c, '{script}']\n{env}"),
        ),
    );
    world.tool(
        "t/call-it.py",
        &python(
            "python/function",
            "__config__ = {\"env\": [\"NAMED\"]}\ndef execute(params, project_path):\n    import sys\n    sys.path.insert(0, project_path)\n    from task import task\n    return {'success': True, 'output': task(params['task'])}\n",
        ),
    );
    world.tool(
        "t/node-it.mjs",
        &node(
            "import { execFileSync } from 'child_process';\nexport default (params) => ({ success: true, output: execFileSync('python3', ['task.py', params.task]).toString() });",
        ),
    );
    world.tool(
        "mcp/servers/local.yaml",
        "tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: 1.0.0\ndescription: A server\nconfig:\n  transport: stdio\n  command: python3\n  args: [server.py]\n  env: [NAMED]\n",
    );
    world.tool(
        "mcp/local/do.yaml",
        "tool_type: mcp\nexecutor_id: rye/core/runtimes/mcp/stdio\ncategory: mcp/local\nversion: 1.0.0\ndescription: Does\nconfig:\n  server: mcp/servers/local\n  tool_name: do\n",
    );
    world
}

/// The result of a task.
fn done(world: &World, tool: &str, task: &str) -> Result<(), String> {
    let called = world.call(tool, json!({"task": task}));
    let called = called.map_err(|error| error.to_string())?;
    let text = toolglot_value::Value::Object(called.returned.value).to_string();
    if called.returned.success && text.contains("done") {
        Ok(())
    } else {
        Err(text)
    }
}

#[test]
fn what_a_policy_states_stops_a_tool_of_each_kind() {
    if !can_run(
        "settings of the sandbox",
        &["python3", "node", "bash", "sleep"],
    ) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    // Most of them wait: each tool has a thread.
    std::thread::scope(|scope| {
        for &tool in TOOLS {
            scope.spawn(move || what_a_policy_states_stops(tool, port));
        }
    });
}

fn what_a_policy_states_stops(tool: &str, port: u16) {
    let mut world = world();
    let outside = world.home.join("outside.txt");
    std::fs::write(&outside, "").expect("a file");
    let none = SandboxTable::default;
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
    let connect = format!("connect{port}");
    let read = format!("read{}", outside.display());
    #[rustfmt::skip]
    let rows = [
        ("timeout_s", "sleep", SandboxTable { timeout_s: Some(1), ..none() }),
        ("max_timeout_s", "sleep", SandboxTable { max_timeout_s: Some(1), ..none() }),
        ("write", "write", SandboxTable { write: names(&["out"]), ..none() }),
        ("write = []", "write-out", SandboxTable { write: names(&[]), ..none() }),
        ("network", &connect, SandboxTable { network: Some(Reach::None), ..none() }),
        ("memory_mb", "memory", SandboxTable { memory_mb: Some(256), ..none() }),
        ("fsize_mb", "file", SandboxTable { fsize_mb: Some(1), ..none() }),
        ("pids", "processes", SandboxTable { pids: Some(24), ..none() }),
        ("env", "environment", SandboxTable { env: names(&["PATH"]), ..none() }),
    ];
    for (key, task, table) in &rows {
        // The runtime of Node passes no variables to its tools.
        if tool == "t/node-it" && *key == "env" {
            continue;
        }
        world.sandbox = None;
        assert_eq!(done(&world, tool, task), Ok(()), "{tool} without {key}");
        world.sandbox = Some(table.clone());
        assert!(done(&world, tool, task).is_err(), "{tool} with {key}");
    }
    // A setting can also permit more.
    world.sandbox = None;
    assert!(done(&world, tool, &read).is_err(), "{tool} reads outside");
    world.sandbox = Some(SandboxTable {
        read: Some(vec![world.home.clone()]),
        write: names(&["out"]),
        ..none()
    });
    assert_eq!(done(&world, tool, &read), Ok(()), "{tool} with read");
    assert_eq!(done(&world, tool, "write-out"), Ok(()), "{tool} below out");
}

#[test]
fn an_output_is_cut_or_refused_where_a_policy_states_how_long_it_may_be() {
    if !can_run("sizes of outputs", &["python3", "node", "bash"]) {
        return;
    }
    let mut world = world();
    world.sandbox = Some(SandboxTable {
        output_bytes: Some(1000),
        ..SandboxTable::default()
    });
    for tool in TOOLS {
        let returned = world.returned(tool, json!({"task": "print"})).to_string();
        assert!(returned.len() < 2500, "{tool}: {} bytes", returned.len());
        assert!(
            returned.contains("cut here") || returned.contains("more than are taken"),
            "{tool}: {returned}"
        );
        assert_eq!(done(&world, tool, "nothing"), Ok(()), "{tool}");
    }
}

#[test]
fn a_tool_has_its_own_time_up_to_the_most_that_a_policy_states() {
    if !can_run("times", &["bash", "sleep"]) {
        return;
    }
    let mut world = World::new();
    let tool = |time: &str| {
        yaml(
            "wait-it",
            "bash",
            &format!("{time}config:\n  command: 'sleep 2; echo done'\n"),
        )
    };
    let states = |timeout_s, max_timeout_s| SandboxTable {
        timeout_s,
        max_timeout_s,
        ..SandboxTable::default()
    };
    for (time, table, is_done) in [
        ("", states(None, None), true),
        ("", states(Some(1), None), false),
        ("timeout: 20\n", states(Some(1), None), true),
        ("timeout: 20\n", states(None, Some(1)), false),
        ("timeout: 1\n", states(Some(20), Some(20)), false),
    ] {
        world.tool("t/wait-it.yaml", &tool(time));
        world.sandbox = Some(table.clone());
        assert_eq!(
            done(&world, "t/wait-it", "").is_ok(),
            is_done,
            "{time:?} {table:?}"
        );
    }
}

#[test]
fn a_default_of_a_schema_is_no_time_that_a_call_asks_for() {
    if !can_run("times of commands", &["bash", "sleep"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("shell.execute".into());
    world.sandbox = Some(SandboxTable {
        timeout_s: Some(1),
        ..SandboxTable::default()
    });
    let command = "sleep 2; echo done";
    let returned = world.returned("rye/bash/bash", json!({"command": command}));
    assert_eq!(returned["success"], json!(false), "{returned}");
    let asked = json!({"command": command, "timeout": 20});
    let returned = world.returned("rye/bash/bash", asked);
    assert_eq!(returned["success"], json!(true), "{returned}");
}

#[test]
fn a_flag_weakens_the_sandbox_only_where_no_policy_states_a_level() {
    if !can_run("levels", &["bash"]) {
        return;
    }
    let mut world = World::new();
    let outside = world.home.join("outside.txt");
    std::fs::write(&outside, "").expect("a file");
    world.tool(
        "t/look-it.yaml",
        &yaml(
            "look-it",
            "bash",
            "config:\n  command: 'cat \"$TOOLGLOT_PARAM_task\" && echo done'\n",
        ),
    );
    let task = outside.display().to_string();
    for (stated, flag, is_seen) in [
        (None, None, false),
        (None, Some(Level::Plain), true),
        (Some(Level::Plain), None, true),
        (Some(Level::Plain), Some(Level::Landlock), false),
        (Some(Level::Namespaces), Some(Level::Plain), false),
    ] {
        world.level = flag;
        world.sandbox = Some(SandboxTable {
            level: stated,
            ..SandboxTable::default()
        });
        let seen = done(&world, "t/look-it", &task);
        assert_eq!(seen.is_ok(), is_seen, "{stated:?} {flag:?}: {seen:?}");
    }
    // The level `plain` refuses settings that it cannot enforce.
    world.level = Some(Level::Plain);
    for table in [
        SandboxTable {
            write: Some(vec![".".to_owned()]),
            ..SandboxTable::default()
        },
        SandboxTable {
            read: Some(Vec::new()),
            ..SandboxTable::default()
        },
        SandboxTable {
            network: Some(Reach::None),
            ..SandboxTable::default()
        },
    ] {
        world.sandbox = Some(table.clone());
        let seen = done(&world, "t/look-it", &task);
        assert!(seen.is_err(), "{table:?}: {seen:?}");
    }
}
