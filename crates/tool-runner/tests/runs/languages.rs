//! Shells, programs, containers, the system set.

use toolglot_value::json;

use crate::world::{World, can_run, python, yaml};

const CLI_BLOCK: &str = "
import argparse, json
def execute(params, project_path):
    return {\"success\": True, \"output\": len(params.get(\"content\", \"\")), \"data\": params.get(\"note\")}
if __name__ == \"__main__\":
    parser = argparse.ArgumentParser()
    parser.add_argument(\"--params\", required=True)
    parser.add_argument(\"--project-path\", required=True)
    args = parser.parse_args()
    result = execute(json.loads(args.params), args.project_path)
    print(json.dumps(result))
";

#[test]
fn scripts_written_as_the_format_says_take_ten_megabytes() {
    if !can_run("python scripts", &["python3"]) {
        return;
    }
    let world = World::new();
    world.tool(
        "t/long-script.py",
        &python("rye/core/runtimes/python/script", CLI_BLOCK),
    );
    world.tool(
        "t/long-function.py",
        &python("rye/core/runtimes/python/function", CLI_BLOCK),
    );
    let content = "é".repeat(5 << 20);
    for id in ["t/long-script", "t/long-function"] {
        let returned = world.returned(id, json!({"content": content, "note": "${SECRET}"}));
        assert_eq!(returned["output"], json!(5 << 20), "{id}");
        assert_eq!(returned["data"], json!("${SECRET}"));
    }
    world.tool(
        "t/plain-print.py",
        &python(
            "python/script",
            "import sys\nprint('hi', len(sys.argv))\nsys.exit(4)",
        ),
    );
    assert_eq!(
        world.returned("t/plain-print", json!({})),
        json!({"success": false, "stdout": "hi 5\n", "stderr": "", "exit_code": 4})
    );
}

#[test]
fn shells_get_parameters_as_data() {
    if !can_run("shells", &["bash", "git"]) {
        return;
    }
    let mut world = World::new();
    world.tool(
        "t/say-it.sh",
        "#!/usr/bin/env bash\n# tool_id: say-it\n# tool_type: script\n# version: \"1.0.0\"\n# executor_id: subprocess\n# category: t\n# description: Says\nprintf '%s|' \"$TOOLGLOT_PARAM_a\"\ncat\necho\nexit \"${TOOLGLOT_PARAM_code:-0}\"\n",
    );
    let evil = "$(touch /tmp/x) `id` ; rm -rf / ${SECRET} \"'";
    let returned = world.returned("t/say-it", json!({"a": evil}));
    let stdout = returned["stdout"].as_str().expect("a text");
    assert!(stdout.starts_with(&format!("{evil}|{{")), "{stdout}");
    let returned = world.returned("t/say-it", json!({"a": 1, "code": 3}));
    assert_eq!(
        (&returned["success"], &returned["exit_code"]),
        (&json!(false), &json!(3))
    );

    world.tool("t/run-it.yaml", &yaml("run-it", "subprocess", "config:\n  command: printf\n  args: [\"%s|%s|%s\\n\", \"${WHO:-nobody}\", \"{who}\", $HOME]\n  who: someone\n  env: {LOG: info}\n"));
    let returned = world.returned("t/run-it", json!({}));
    assert_eq!(returned["stdout"], json!("nobody|someone|$HOME\n"));

    world.tool("t/json-it.toml", "tool_id = \"json-it\"\ntool_type = \"script\"\nversion = \"1.0.0\"\nexecutor_id = \"bash\"\ncategory = \"t\"\ndescription = \"A tool\"\n[config]\ncommand = '''echo noise; echo '{\"success\": true, \"output\": 5}' '''\n");
    assert_eq!(
        world.returned("t/json-it", json!({})),
        json!({"success": true, "output": 5, "stdout": "noise\n"})
    );

    // A parameter that cannot be a variable is on standard input, and a tool that reads the variable does not run.
    for (a, why) in [
        (json!("x".repeat(131_000)), "131000 bytes"),
        (json!("a\0b"), "zero byte"),
    ] {
        let (code, message) = world.refused("t/say-it", json!({"a": a}));
        assert_eq!(code, "no-variable", "{message}");
        assert!(message.contains(why), "{message}");
    }
    let many: toolglot_value::Map<String, toolglot_value::Value> = (0..40)
        .map(|n| (format!("p{n}"), json!("x".repeat(95_000))))
        .chain([("file-path".to_owned(), json!("f"))])
        .collect();
    world.tool(
        "t/count-it.yaml",
        &yaml(
            "count-it",
            "subprocess",
            "config:\n  command: wc\n  args: [\"-c\"]\n",
        ),
    );
    let given = json!(many);
    let stdout = format!("{}\n", given.to_string().len());
    let called = world.call("t/count-it", given).expect("it runs");
    assert_eq!(called.returned.value["stdout"], json!(stdout));
    assert_eq!(called.notes.len(), 31, "{:?}", called.notes.last());

    // The system's own shell needs a grant, and stays in the project.
    let (code, message) = world.refused("rye/bash/bash", json!({"command": "true"}));
    assert_eq!(code, "not-granted");
    assert!(message.contains("shell.execute"), "{message}");
    world.granted.push("shell.execute".into());
    let returned = world.returned("rye/bash/bash", json!({"command": "pwd; echo x > y"}));
    assert_eq!(returned["success"], json!(false), "{returned}");
    world.granted.push("fs.write".into());
    let returned = world.returned(
        "rye/bash/bash",
        json!({"command": "echo x > y && cat y; echo > .ai/tools/z.py", "working_dir": "."}),
    );
    assert!(
        returned["stderr"]
            .as_str()
            .expect("a text")
            .contains(".ai/tools/z.py"),
        "{returned}"
    );
    assert_eq!(returned["stdout"], json!("x\n"));
    // A repository's settings run no program, as in `execute_command`.
    let asks =
        json!({"command": "git config core.fsmonitor; git config core.hooksPath; echo $PAGER"});
    assert_eq!(
        world.returned("rye/bash/bash", asks)["stdout"],
        json!("false\n/dev/null/hooks\ncat\n")
    );
    // Both streams form one text, whatever the command prints.
    let printed = json!({"command": "echo '{\"success\": false}'; echo said >&2"});
    assert_eq!(
        world.returned("rye/bash/bash", printed),
        json!({
            "success": true, "output": "{\"success\": false}\n\n[stderr]\nsaid\n", "stdout": "{\"success\": false}\n",
            "stderr": "said\n", "exit_code": 0, "truncated": false,
        })
    );
    let (code, _) = world.refused(
        "rye/bash/bash",
        json!({"command": "true", "working_dir": "../home"}),
    );
    assert_eq!(code, "bad-config");
}

#[test]
fn a_command_that_prints_more_than_is_kept_says_so() {
    if !can_run("long outputs of commands", &["bash", "head"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("shell.execute".into());
    // With the cut's note, the text of 51,242 bytes has its old length again.
    for (n, is_cut) in [(51_200, false), (51_201, true), (51_242, true)] {
        let command = format!("head -c {n} /dev/zero | tr '\\0' x");
        let returned = world.returned("rye/bash/bash", json!({"command": command}));
        assert_eq!(returned["truncated"], json!(is_cut), "{n}");
    }
}

#[test]
fn containers_get_exactly_what_the_file_says() {
    if !can_run("containers", &["sh"]) {
        return;
    }
    let mut world = World::new();
    // A recorder with the engine's name: it prints its arguments, one a line, and its standard input.
    let folder = world.home.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let recorder = folder.join("docker");
    std::fs::write(&recorder, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\nprintf 'env %s\\n' \"$AWS_CREDENTIALS\"\ncat\necho '|'\n").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&recorder, mode).expect("a mode");
    world.path = folder.into_os_string();
    world.tool(
        "t/map-it.yaml",
        &yaml("map-it", "subprocess", "config: {image: alpine}\n"),
    );
    let (code, why) = world.refused("t/map-it", json!({}));
    assert_eq!(code, "not-granted");
    assert!(why.contains("container.engine"), "{why}");
    world.granted.push("container.engine".into());
    world
        .variables
        .insert("AWS_CREDENTIALS".into(), "mine".into());
    // The user's own values are not on the command line.
    world.tool("t/map-it.yaml", &yaml("map-it", "subprocess", "config:\n  image: python:3.11\n  command: python\n  entrypoint: /app/deploy.py\n  args: [--now]\n  env: {KUBECONFIG: /etc/k, LEVEL: 5, AWS_CREDENTIALS: \"${SECRET}\", HOME: \"${SECRET}\"}\n"));
    let returned = world.returned("t/map-it", json!({"a": "${SECRET}"}));
    let project = world.project.display();
    let expected = format!(
        "run\n--rm\n--name\nNAME\n--interactive\n--network\nnone\n--memory=2048m\n--memory-swap=2048m\n--pids-limit=128\n--ulimit=fsize=268435456:268435456\n--volume\n{project}:/workspace:ro\n--workdir\n/workspace\n--entrypoint\n/app/deploy.py\n--env\nKUBECONFIG=/etc/k\n--env\nLEVEL=5\n--env\nAWS_CREDENTIALS\n--env\nHOME=a secret\n--env\nTOOLGLOT_PARAM_a\n--env\nTOOLGLOT_PROJECT=/workspace\npython:3.11\npython\n--now\nenv a secret\n{{\"a\":\"${{SECRET}}\"}}|\n"
    );
    let stdout = returned["stdout"].as_str().expect("a text");
    let name = stdout.lines().nth(3).expect("a name");
    assert!(name.len() == "toolglot-".len() + 32, "{name}");
    assert_eq!(stdout.replace(name, "NAME"), expected, "{returned}");
    world.tool(
        "t/list-it.yaml",
        &yaml(
            "list-it",
            "subprocess",
            "config:\n  image: alpine\n  command: ls\n  env: [KUBECONFIG, AWS_CREDENTIALS]\n",
        ),
    );
    let returned = world.returned("t/list-it", json!({}));
    let stdout = returned["stdout"].as_str().expect("a text");
    assert!(
        stdout.contains("--env\nKUBECONFIG\n--env\nAWS_CREDENTIALS\n--env\nTOOLGLOT_PROJECT=/workspace\nalpine\nls\nenv mine\n"),
        "{stdout}"
    );
    std::fs::write(
        world.home.join("bin/docker"),
        "#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 125\n",
    )
    .expect("a file");
    let returned = world.returned("t/list-it", json!({}));
    assert_eq!(
        returned["error"],
        json!("the container engine refused: Cannot connect to the Docker daemon")
    );
    world.path = "/nowhere".into();
    assert_eq!(world.refused("t/list-it", json!({})).0, "no-interpreter");
}

/// The client of a container engine runs outside every sandbox: a file's variables are only for the container.
#[test]
fn the_client_of_a_container_engine_obeys_no_variable_of_a_file() {
    if !can_run("clients of containers", &["sh", "env"]) {
        return;
    }
    let mut world = World::new();
    let folder = world.home.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let recorder = folder.join("docker");
    std::fs::write(&recorder, "#!/bin/sh\n/usr/bin/env\n").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&recorder, mode).expect("a mode");
    world.path = folder.into_os_string();
    world.granted.push("container.engine".into());
    world
        .variables
        .insert("DOCKER_CONFIG".into(), "/own".into());
    let all = "{LD_PRELOAD: /p/x.so, DOCKER_CONFIG: /p/d, PATH: /p/bin, BASH_ENV: /p/e, ANY_NAME: of-file}";
    let runtime = yaml(
        "rt-it",
        "subprocess",
        &format!("env_config: {{env: {all}}}\nconfig: {{image: alpine, env: {all}}}\n"),
    );
    world.tool(
        "t/rt-it.yaml",
        &runtime.replace("tool_type: script", "tool_type: runtime"),
    );
    let expanded = "{LD_PRELOAD: '${NONE:-/p/x.so}', docker_host: '${NONE:-/p/s}', BASH_ENV: '${NONE:-/p/e}', PATH: '${NONE:-/p/bin}', http_proxy: '${NONE:-/p/h}', GIVEN: '${SECRET}'}";
    for (name, executor, rest) in [
        (
            "env-it",
            "subprocess",
            format!("env_config: {{env: {all}}}\nconfig: {{image: alpine}}\n"),
        ),
        ("of-it", "t/rt-it", String::new()),
        (
            "map-it",
            "subprocess",
            format!("config: {{image: alpine, env: {expanded}}}\n"),
        ),
        (
            "list-it",
            "subprocess",
            "config: {image: alpine, env: [DOCKER_CONFIG, SECRET]}\n".to_owned(),
        ),
    ] {
        world.tool(&format!("t/{name}.yaml"), &yaml(name, executor, &rest));
        let returned = world.returned(&format!("t/{name}"), json!({"a": "b"}));
        let stdout = returned["stdout"].as_str().expect("a text");
        assert!(
            !stdout.contains("/p/") && !stdout.contains("of-file"),
            "{name}: {stdout}"
        );
        let has = |line: &str| stdout.lines().any(|own| own == line);
        assert!(has("TOOLGLOT_PARAM_a=b"), "{name}: {stdout}");
        assert!(
            has(&format!("PATH={}", world.variables["PATH"])),
            "{name}: {stdout}"
        );
        assert_eq!(has("GIVEN=a secret"), name == "map-it", "{name}: {stdout}");
        // The engine's client may obey the user's own variables.
        assert_eq!(
            has("DOCKER_CONFIG=/own"),
            name == "list-it",
            "{name}: {stdout}"
        );
        assert_eq!(
            has("SECRET=a secret"),
            name == "list-it",
            "{name}: {stdout}"
        );
    }
}

#[test]
fn a_container_is_ended_with_its_call() {
    if !can_run("ends of containers", &["sh", "sleep", "cat"]) {
        return;
    }
    let mut world = World::new();
    let folder = world.home.join("bin");
    let log = world.home.join("log");
    std::fs::create_dir_all(&folder).expect("a folder");
    let engine = |end: &str| {
        let script = format!(
            "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$*\" >> {log}\nif [ \"$1\" = rm ]; then {end}; fi\necho \"$TOOLGLOT_PARAM_a\" >> {log}\nsleep 60\n",
            log = log.display()
        );
        let path = folder.join("docker");
        std::fs::write(&path, script).expect("a file");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("a mode");
    };
    world.path = folder.clone().into_os_string();
    world.granted.push("container.engine".into());
    let rest = "timeout: 1\nconfig: {image: img, command: sleep, args: ['60']}\n";
    world.tool("t/wait-it.yaml", &yaml("wait-it", "subprocess", rest));
    for (end, expected) in [
        ("exit 0", None),
        ("echo 'Error: No such container: x' >&2; exit 1", None),
        ("echo 'cannot connect' >&2; exit 1", Some("cannot connect")),
    ] {
        engine(end);
        let _ = std::fs::remove_file(&log);
        let returned = world.returned("t/wait-it", json!({"a": "x y"}));
        let error = returned["error"].as_str().expect("a text");
        assert!(error.contains("longer than 1 seconds"), "{error}");
        assert_eq!(
            error.contains("may still run"),
            expected.is_some(),
            "{error}"
        );
        assert!(error.contains(expected.unwrap_or_default()), "{error}");
        let log = std::fs::read_to_string(&log).expect("it was written");
        let lines: Vec<&str> = log.lines().collect();
        let [run, param, rm] = lines[..] else {
            panic!("{log}")
        };
        assert_eq!(param, "x y");
        let name = run.split(' ').nth(3).expect("a name");
        assert!(name.starts_with("toolglot-"), "{run}");
        assert_eq!(rm, format!("rm --force {name}"));
    }
}

#[test]
fn the_files_of_the_system_set_work() {
    let mut world = World::new();
    world.file("a.txt", "one\ntwo\nthree\n");
    world.granted.push("fs.write".into());
    let read = |world: &World, rest: toolglot_value::Value| {
        let mut given = json!({"path": "a.txt"});
        given
            .as_object_mut()
            .expect("a map")
            .extend(rest.as_object().expect("a map").clone());
        world.returned("rye/file-system/read", given)
    };
    // Lines count from 1 and have the ids of the origin: six digits of SHA-256 of `NUMBER:TEXT`.
    let [one, two] = ["ba8ac3", "981728"];
    assert_eq!(
        read(&world, json!({"offset": 2, "limit": 1})),
        json!({
            "success": true, "output": format!("[LID:{two}] two"), "line_count": 1, "total_lines": 3, "truncated": false,
            "offset": 2,
        })
    );
    let whole = read(&world, json!({}));
    assert_eq!(
        whole["output"],
        json!(format!(
            "[LID:{one}] one\n[LID:{two}] two\n[LID:{}] three",
            toolglot_builtins::line_id(3, "three")
        ))
    );
    assert_eq!(read(&world, json!({"offset": 9}))["total_lines"], 3);
    let change = |changes: toolglot_value::Value| {
        world.returned(
            "rye/file-system/edit_lines",
            json!({"path": "a.txt", "changes": changes}),
        )
    };
    let edited = change(json!([
        {"start_line_id": two, "end_line_id": toolglot_builtins::line_id(3, "three"), "new_content": "TWO"},
        {"line_id": one, "new_content": "zero\none"},
    ]));
    assert_eq!(edited["changes_applied"], 2, "{edited}");
    assert_eq!(edited["lines_changed"], 4, "{edited}");
    assert_eq!(
        edited["output"],
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n+zero\n one\n-two\n-three\n+TWO\n"
    );
    // An id names one text at one place.
    assert_eq!(
        change(json!([{"line_id": two, "new_content": ""}]))["success"],
        false
    );
    let (code, _) = world.refused(
        "rye/file-system/edit_lines",
        json!({"path": "a.txt", "changes": [{"start_line_id": one}]}),
    );
    assert_eq!(code, "invalid-arguments");
    let created = world.returned(
        "rye/file-system/write",
        json!({"path": "n/b.py", "content": "x = 1\n"}),
    );
    assert_eq!(
        created,
        json!({"success": true, "output": "Created new file n/b.py (6 bytes)", "file_path": "n/b.py", "bytes_written": 6, "created": true})
    );
    assert_eq!(
        world.returned(
            "rye/file-system/write",
            json!({"path": "../b", "content": ""})
        )["success"],
        json!(false)
    );
    let found = world.returned("rye/file-system/glob", json!({"pattern": "*.py"}));
    assert_eq!(
        found,
        json!({"success": true, "output": "n/b.py", "files": ["n/b.py"], "count": 1, "truncated": false})
    );
    let found = world.returned(
        "rye/file-system/grep",
        json!({"pattern": "^x", "include": "*.py"}),
    );
    let id = toolglot_builtins::line_id(1, "x = 1");
    assert_eq!(
        found["output"],
        json!(format!("n/b.py:1:[LID:{id}]:x = 1")),
        "{found}"
    );
    assert_eq!(
        found["matches"],
        json!([{"file": "n/b.py", "line": 1, "content": "x = 1", "line_id": id}])
    );
    let listed = world.returned("rye/file-system/ls", json!({}));
    assert_eq!(
        listed["entries"][1],
        json!({"name": "n", "type": "directory"}),
        "{listed}"
    );
    assert!(
        listed["output"]
            .as_str()
            .expect("a text")
            .ends_with("n/\na.txt"),
        "{listed}"
    );
}
