//! Chains of executors, and the checks before a program runs.

use toolglot_tool_files::ItemId;
use toolglot_value::{Map, json};

use crate::world::{World, can_run, node, python, yaml};

fn runtime(name: &str, executor: &str) -> String {
    yaml(name, executor, "").replace("tool_type: script", "tool_type: runtime")
}

#[test]
fn broken_chains_are_named() {
    let world = World::new();
    world.tool("t/run-a.yaml", &runtime("run-a", "t/run-b"));
    world.tool("t/run-b.yaml", &runtime("run-b", "t/run-a"));
    world.tool("t/circle-it.yaml", &yaml("circle-it", "t/run-a", ""));
    let (code, message) = world.refused("t/circle-it", json!({}));
    assert_eq!(code, "circular-chain");
    assert!(
        message.contains("t/circle-it -> t/run-a -> t/run-b -> t/run-a"),
        "{message}"
    );

    world.tool("t/lost-it.yaml", &yaml("lost-it", "t/no-such", ""));
    let (code, message) = world.refused("t/lost-it", json!({}));
    assert_eq!(
        (code, message.as_str()),
        (
            "no-executor",
            "`t/lost-it` is run by `t/no-such`, and there is no such executor"
        )
    );

    world.tool("t/typo-it.yaml", &yaml("typo-it", "t/run-aa", ""));
    assert!(
        world
            .refused("t/typo-it", json!({}))
            .1
            .ends_with("no such executor; did you mean `t/run-a`?")
    );

    for i in 0..12 {
        world.tool(
            &format!("t/deep-{i}.yaml"),
            &runtime(&format!("deep-{i}"), &format!("t/deep-{}", i + 1)),
        );
    }
    world.tool("t/deep-12.yaml", &runtime("deep-12", "subprocess"));
    world.tool("t/deep-it.yaml", &yaml("deep-it", "t/deep-0", ""));
    assert_eq!(world.refused("t/deep-it", json!({})).0, "chain-too-deep");
    // A check without a call counts the same links: a tool, nine runtimes or eight, and a primitive.
    for (name, first, fits) in [
        ("one-more", "t/deep-4", false),
        ("just-it", "t/deep-5", true),
    ] {
        let id = format!("t/{name}");
        world.tool(
            &format!("{id}.yaml"),
            &yaml(name, first, "config: {command: 'true'}\n"),
        );
        let (registry, _) = world.open();
        let found = registry.find(&ItemId::new(&id).expect("an id"));
        let found = found.expect("it was written");
        let leads = toolglot_tool_runner::leads_somewhere(&registry, found.tool(), found.space);
        assert_eq!(leads.is_ok(), fits, "{name}");
        match world.call(&id, json!({})) {
            Ok(_) => assert!(fits, "{name}"),
            Err(error) => assert_eq!((error.code(), fits), ("chain-too-deep", false)),
        }
    }

    world.tool(
        "t/own-end.yaml",
        &yaml("own-end", "null", "").replace("tool_type: script", "tool_type: primitive"),
    );
    world.tool("t/end-it.yaml", &yaml("end-it", "t/own-end", ""));
    assert_eq!(world.refused("t/end-it", json!({})).0, "unknown-primitive");
    assert_eq!(world.refused("t/run-a", json!({})).0, "not-callable");
    assert_eq!(
        world.refused("rye/core/primitives/subprocess", json!({})).0,
        "not-callable"
    );
    assert_eq!(
        world
            .refused("rye/core/runtimes/python/function", json!({}))
            .0,
        "not-callable"
    );
}

#[test]
fn every_short_name_leads_to_a_primitive() {
    let world = World::new();
    let server = yaml(
        "any-server",
        "null",
        "config: {url: 'http://127.0.0.1:1/'}\n",
    );
    world.tool(
        "t/any-server.yaml",
        &server.replace("tool_type: script", "tool_type: mcp_server"),
    );
    for (name, id) in [
        ("python/function", "rye/core/runtimes/python/function"),
        ("python/script", "rye/core/runtimes/python/script"),
        ("python_runtime", "rye/core/runtimes/python/script"),
        ("python", "rye/core/runtimes/python/script"),
        ("node/node", "rye/core/runtimes/node/node"),
        ("mcp/http", "rye/core/runtimes/mcp/http"),
        ("bash", "rye/core/runtimes/bash/bash"),
        ("subprocess", "rye/core/primitives/subprocess"),
        ("http_client", "rye/core/primitives/http_client"),
        ("filesystem", "rye/core/primitives/filesystem"),
    ] {
        let config = match name {
            "subprocess" | "bash" => "{command: ls}",
            "mcp/http" => "{server: t/any-server, tool_name: a}",
            _ => "{operation: list_files}",
        };
        let (tool, text) = match name {
            "node/node" => (
                "t/any-script",
                node("export default () => ({ success: true });"),
            ),
            _ => (
                "t/any-it",
                yaml("any-it", name, &format!("config: {config}\n")),
            ),
        };
        let extension = if name == "node/node" { "mjs" } else { "yaml" };
        world.tool(&format!("{tool}.{extension}"), &text);
        let chain = world.with(|runner| {
            runner
                .prepare(tool, toolglot_value::Map::new())
                .map(|prepared| prepared.chain.ids())
        });
        let chain = chain.expect(name);
        assert_eq!(chain[1], id);
        assert!(
            chain[chain.len() - 1].starts_with("rye/core/primitives/"),
            "{chain:?}"
        );
    }
}

#[test]
fn a_runtime_of_the_project_has_to_be_trusted_too() {
    if !can_run("own runtimes", &["python3"]) {
        return;
    }
    let world = World::new();
    world.tool(
        "t/own-run.yaml",
        &format!(
            "{}config:\n  protocol: function\n",
            runtime("own-run", "subprocess")
        ),
    );
    world.tool(
        "t/own-it.py",
        &python(
            "t/own-run",
            "def execute(params, project_path):\n    return {'success': True, 'output': 1}",
        ),
    );
    assert_eq!(world.returned("t/own-it", json!({}))["output"], json!(1));
    world.file(
        ".ai/tools/t/own-run.yaml",
        &format!(
            "{}config:\n  protocol: program\n",
            runtime("own-run", "subprocess")
        ),
    );
    let (code, message) = world.refused("t/own-it", json!({}));
    assert_eq!(code, "changed", "{message}");
    assert!(message.contains("t/own-run"), "{message}");
}

#[test]
fn arguments_are_checked_and_completed_before_anything_runs() {
    if !can_run("arguments", &["python3"]) {
        return;
    }
    let world = World::new();
    let body = "CONFIG_SCHEMA = {'type': 'object', 'properties': {'a': {'type': 'integer', 'minimum': 1}, 'b': {'type': 'string', 'default': 'x'}}, 'required': ['a']}\n__output_schema__ = {'type': 'object', 'properties': {'a': {'type': 'integer', 'maximum': 5}}}\ndef execute(params, project_path):\n    return {'success': True, 'output': params}";
    world.tool("t/check-it.py", &python("python/function", body));
    let called = world.call("t/check-it", json!({"a": 2})).expect("it fits");
    assert_eq!(called.returned.value["output"], json!({"a": 2, "b": "x"}));
    let (code, message) = world.refused("t/check-it", json!({"a": 0}));
    assert_eq!(
        (code, message.as_str()),
        ("invalid-arguments", "write 1 or more for `a`; you wrote 0")
    );
    let called = world.call("t/check-it", json!({"a": 9})).expect("it fits");
    assert!(!called.returned.success);
    assert_eq!(
        called.notes,
        ["its result does not fit `output_schema`: write 5 or less for `a`; you wrote 9"]
    );
}

#[test]
fn actions_are_called_behind_a_dot_or_by_name() {
    if !can_run("actions", &["bash"]) {
        return;
    }
    let world = World::new();
    world.tool("t/ship-it.yaml", &yaml("ship-it", "bash", "metadata: {deprecated: true}\nactions:\n  deploy:\n    description: Deploys\n    parameters:\n      - {name: service, type: string, required: true}\n      - {name: n, type: integer, required: false, default: 3}\n  rollback:\n    parameters:\n      - {name: id, type: string, required: true}\nconfig:\n  command: echo $TOOLGLOT_PARAM_action $TOOLGLOT_PARAM_service $TOOLGLOT_PARAM_n\n"));
    let called = world
        .call("t/ship-it.deploy", json!({"service": "web"}))
        .expect("an action");
    assert_eq!(called.returned.value["stdout"], json!("deploy web 3\n"));
    assert_eq!(
        (called.action.as_deref(), called.notes.len()),
        (Some("deploy"), 1)
    );
    assert_eq!(
        world.returned("t/ship-it", json!({"action": "deploy", "service": "web"}))["stdout"],
        json!("deploy web 3\n")
    );
    assert_eq!(
        world.refused("t/ship-it.deploy", json!({})).0,
        "invalid-arguments"
    );
    // The name and the arguments name two actions, which is an error.
    for (other, code) in [("rollback", "two-actions"), ("zzz", "two-actions")] {
        let args = json!({"service": "web", "action": other});
        assert_eq!(world.refused("t/ship-it.deploy", args).0, code, "{other}");
    }
    let args = json!({"service": "web", "action": "deploy"});
    assert_eq!(
        world.returned("t/ship-it.deploy", args)["success"],
        json!(true)
    );
    assert_eq!(
        world
            .refused("t/ship-it.deploy", json!({"id": "x", "service": "y"}))
            .0,
        "invalid-arguments"
    );
    assert_eq!(
        world.refused("t/ship-it", json!({"service": "x"})).0,
        "invalid-arguments"
    );
    let (code, message) = world.refused("t/ship-it.restart", json!({}));
    assert_eq!(
        (code, message.as_str()),
        (
            "unknown-action",
            "`t/ship-it` has no action `restart`; it has deploy, rollback"
        )
    );
    assert_eq!(world.refused("t/shop-it", json!({})).0, "unknown-tool");
    // A file with the name of an action: the name is ambiguous.
    world.tool(
        "t/ship-it.deploy.yaml",
        &yaml("ship-it.deploy", "bash", "config: {command: echo file}\n"),
    );
    let (code, message) = world.refused("t/ship-it.deploy", json!({"service": "web"}));
    assert_eq!(code, "two-tools");
    assert!(
        message.contains("the action `deploy` of `t/ship-it`"),
        "{message}"
    );
    assert_eq!(
        world.returned("t/ship-it", json!({"action": "deploy", "service": "web"}))["stdout"],
        json!("deploy web 3\n")
    );
    for bad in ["../x", "/etc/passwd", "t//x", "t/./x"] {
        assert_eq!(world.refused(bad, json!({})).0, "bad-id");
    }
}

/// The form of the origin's files: no `tool_id`, an interpreter to search for, a command with placeholders.
const ORIGINS_RUNTIME: &str = "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: rye/core/primitives/subprocess\n\
    category: rye/core/runtimes/python\ndescription: Calls a function\n\
    env_config:\n  interpreter:\n    type: local_binary\n    binary: python\n    candidates: [python3]\n    search_paths: [\".venv/bin\"]\n\
    \x20   var: RYE_PYTHON\n    fallback: python3\n  env:\n    PROJECT_VENV_PYTHON: \"${RYE_PYTHON}\"\n\
    config:\n  command: \"${RYE_PYTHON}\"\n  args: [\"-c\", \"import sys\", \"{tool_path}\", \"{params_json}\"]\n  timeout: 300\n";

#[test]
fn a_copy_of_a_system_runtime_serves_the_projects_tools() {
    if !can_run("a copy of a runtime", &["python3"]) {
        return;
    }
    let world = World::new();
    let body = "def execute(params, project_path):\n    return {\"success\": True, \"output\": params[\"n\"] + 1}\n";
    world.tool(
        "t/add-one.py",
        &python("rye/core/runtimes/python/function", body),
    );
    // The runtime has to be trusted like the tool.
    let path = "rye/core/runtimes/python/function.yaml";
    world.file(&format!(".ai/tools/{path}"), ORIGINS_RUNTIME);
    let (code, why) = world.refused("t/add-one", json!({"n": 1}));
    assert_eq!(code, "unsigned", "{why}");
    assert!(why.contains("rye/core/runtimes/python/function"), "{why}");
    world.tool(path, ORIGINS_RUNTIME);
    let returned = world.returned("t/add-one", json!({"n": 1}));
    assert_eq!(returned["output"], 2, "{returned}");
    let chain = world.call("t/add-one", json!({"n": 1})).expect("it runs");
    assert_eq!(chain.chain.len(), 3);
    // The runtime file's command is not used as the tool's command.
    world.tool(
        "rye/core/runtimes/bash/bash.yaml",
        &ORIGINS_RUNTIME
            .replace("runtimes/python", "runtimes/bash")
            .replace("${RYE_PYTHON}", "/bin/false"),
    );
    let own = yaml("say-it", "bash", "config: {command: echo said}\n");
    world.tool("t/say-it.yaml", &own);
    assert_eq!(world.returned("t/say-it", json!({}))["stdout"], "said\n");
}

#[test]
fn a_variable_without_a_value_stops_a_call_before_anything_is_started() {
    let world = World::new();
    let runtime = |rest: &str| {
        format!(
            "tool_id: own\ntool_type: runtime\nversion: \"1.0.0\"\nexecutor_id: subprocess\ncategory: t\ndescription: Runs\n{rest}"
        )
    };
    let fine = "config: {command: 'true'}\n";
    let server = |config: &str| {
        format!(
            "tool_type: mcp_server\nexecutor_id: null\ncategory: mcp/servers\nversion: 1.0.0\ndescription: A server\nconfig: {{{config}}}\n"
        )
    };
    let of_server = "tool_type: mcp\nexecutor_id: rye/core/runtimes/mcp/stdio\ncategory: t\nversion: 1.0.0\ndescription: A tool\nconfig: {server: mcp/servers/one, tool_name: echo}\n";
    let cases: &[(&str, &str, String)] = &[
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml("run-it", "subprocess", "config: {command: '${NOT_SET}'}\n"),
        ),
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml(
                "run-it",
                "subprocess",
                "config: {command: 'true', args: [a, '${NOT_SET}']}\n",
            ),
        ),
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml(
                "run-it",
                "subprocess",
                "config: {command: 'true', env: {A: '${NOT_SET}'}}\n",
            ),
        ),
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml(
                "run-it",
                "bash",
                "config: {command: 'true', env: {A: '${NOT_SET}'}}\n",
            ),
        ),
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml(
                "run-it",
                "bash",
                "config: {command: 'true'}\nenv_config: {env: {A: '${NOT_SET}'}}\n",
            ),
        ),
        (
            "t/run-it.yaml",
            "t/run-it.yaml",
            yaml(
                "run-it",
                "subprocess",
                "config: {image: x, env: {A: '${NOT_SET}'}}\n",
            ),
        ),
        (
            "t/own.yaml",
            "t/own.yaml",
            runtime("env_config: {env: {A: '${NOT_SET}'}}\n"),
        ),
        (
            "t/own.yaml",
            "t/own.yaml",
            runtime("config: {env: {A: '${NOT_SET}'}}\n"),
        ),
        (
            "mcp/servers/one.yaml",
            "mcp/servers/one.yaml",
            server("command: python3, env: {A: '${NOT_SET}'}"),
        ),
        (
            "mcp/servers/one.yaml",
            "mcp/servers/one.yaml",
            server("command: python3, args: ['${NOT_SET}']"),
        ),
        (
            "mcp/servers/one.yaml",
            "mcp/servers/one.yaml",
            server("url: 'http://127.0.0.1:1/', headers: {A: '${NOT_SET}'}"),
        ),
    ];
    for (path, file, text) in cases {
        world.tool(path, text);
        let id = match *path {
            "t/own.yaml" => {
                world.tool("t/run-it.yaml", &yaml("run-it", "t/own", fine));
                "t/run-it"
            }
            "mcp/servers/one.yaml" => {
                world.tool("t/ask-it.yaml", of_server);
                "t/ask-it"
            }
            _ => "t/run-it",
        };
        // The preparation alone reports the error, before any attempt.
        let refused = world.with(|runner| runner.prepare(id, Map::new()).map(|_| ()));
        let error = refused.expect_err(text);
        assert_eq!(error.code(), "unset-variable", "{text}: {error}");
        let why = error.to_string();
        assert!(why.contains("`${NOT_SET}`") && why.contains(file), "{why}");
    }
    // A shell expands its own script, and names in lower case are not variables.
    if can_run("a script with variables of its own", &["bash"]) {
        let own = "config: {command: 'X=a; echo ${X} ${NOT_SET}'}\n";
        world.tool("t/run-it.yaml", &yaml("run-it", "bash", own));
        assert_eq!(world.returned("t/run-it", json!({}))["stdout"], "a\n");
        let own = "config: {command: echo, args: ['${state.n}']}\n";
        world.tool("t/run-it.yaml", &yaml("run-it", "subprocess", own));
        assert_eq!(
            world.returned("t/run-it", json!({}))["stdout"],
            "${state.n}\n"
        );
    }
}

/// A runtime in the origin's form: it searches the project for the interpreter first.
fn runtime_with(interpreter: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: rye/core/primitives/subprocess\ncategory: t\ndescription: Runs a program\n\
        env_config:\n  interpreter: {interpreter}\n  env:\n    UNBUFFERED: \"1\"\n    OWN_SHELL: \"${{RYE_SHELL}}\"\n\
        config:\n  command: \"${{RYE_SHELL}}\"\n  args: [\"-c\", 'echo \"$0 $RYE_SHELL $OWN_SHELL $UNBUFFERED\"']\n"
    )
}

#[test]
fn an_interpreter_is_the_systems_and_never_the_projects() {
    if !can_run("a runtime that names an interpreter", &["bash"]) {
        return;
    }
    let mut world = World::new();
    for folder in [".venv/bin", "node_modules/.bin"] {
        world.file(
            &format!("{folder}/bash"),
            "#!/bin/sh\necho of the project\n",
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = world.project.join(folder).join("bash");
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).expect("its mode");
        }
    }
    // The interpreter does not come from a project directory in the search path either.
    let mut path = vec![world.project.join(".venv/bin")];
    path.extend(std::env::split_paths(&world.path));
    world.path = std::env::join_paths(path).expect("a search path");
    let own = world.project.join(".venv/bin/bash");
    world.tool("t/run-it.yaml", &yaml("run-it", "t/own", ""));
    let bash = world.with(|runner| runner.interpreters().program("bash").expect("it is there"));
    let bash = bash.program.display().to_string();
    let cases = [
        ("{type: local_binary, binary: bash, candidates: [sh], search_paths: [.venv/bin, none/bin], var: RYE_SHELL, fallback: bash}".to_owned(), "`.venv/bin`"),
        ("{type: venv_python, venv_path: .venv, var: RYE_SHELL, fallback: bash}".to_owned(), "`.venv`"),
        ("{type: node_modules, search_paths: [node_modules/.bin], var: RYE_SHELL, fallback: bash}".to_owned(), "`node_modules/.bin`"),
        ("{type: system_binary, binary: bash, var: RYE_SHELL}".to_owned(), ""),
        (format!("{{type: system_binary, binary: '{}', var: RYE_SHELL, fallback: bash}}", own.display()), ".venv/bin/bash`"),
        ("{type: command, resolve_cmd: [touch, ran], var: RYE_SHELL, fallback: bash}".to_owned(), "`touch ran`"),
    ];
    for (interpreter, passed_over) in cases {
        world.tool("t/own.yaml", &runtime_with(&interpreter));
        let called = world.call("t/run-it", json!({})).expect("it runs");
        let stdout = &called.returned.value["stdout"];
        assert_eq!(
            *stdout,
            json!(format!("{bash} {bash} {bash} 1\n")),
            "{interpreter}"
        );
        let notes = called.notes.join("\n");
        if passed_over.is_empty() {
            assert_eq!(notes, "", "{interpreter}");
        } else {
            assert!(
                notes.contains(passed_over) && notes.contains(&bash),
                "{notes}"
            );
            assert!(!notes.contains("none/bin"), "{notes}");
        }
        assert!(!world.project.join("ran").exists());
    }
    // An interpreter that is missing, or exists only in the project, is a variable without a value.
    for fallback in [
        "no-such-program".to_owned(),
        ".venv/bin/bash".to_owned(),
        own.display().to_string(),
    ] {
        let interpreter = format!(
            "{{type: local_binary, binary: bash, search_paths: [.venv/bin], var: RYE_SHELL, fallback: '{fallback}'}}"
        );
        world.tool("t/own.yaml", &runtime_with(&interpreter));
        let (code, why) = world.refused("t/run-it", json!({}));
        assert_eq!(code, "unset-variable", "{why}");
        assert!(
            why.contains("RYE_SHELL") && why.contains("t/own.yaml"),
            "{why}"
        );
    }
}

#[test]
fn a_primitive_is_our_code_whatever_is_called_so() {
    if !can_run("a copy of a primitive", &["bash"]) {
        return;
    }
    let world = World::new();
    let text = "version: \"1.0.0\"\ntool_type: primitive\nexecutor_id: null\ncategory: rye/core/primitives\n\
        description: Runs programs\nconfig: {command: /bin/false}\n";
    // Neither a broken nor an unsigned file matters.
    for text in [text, "tool_type: [\n"] {
        world.file(".ai/tools/rye/core/primitives/subprocess.yaml", text);
        let own = yaml("say-it", "bash", "config: {command: echo said}\n");
        world.tool("t/say-it.yaml", &own);
        assert_eq!(world.returned("t/say-it", json!({}))["stdout"], "said\n");
    }
}

/// A broken tool is refused with a reason, and the tools next to it run.
#[test]
fn broken_tools_are_refused_one_by_one() {
    if !can_run("tools beside broken ones", &["bash"]) {
        return;
    }
    let world = World::new();
    let fine = |name: &str| yaml(name, "bash", "config: {command: echo said}\n");
    let cases: &[(&str, String, &str, &str)] = &[
        ("t/no-yaml.yaml", "a: [".to_owned(), "faulty-tool", ""),
        (
            "t/no-python.py",
            "def (".to_owned(),
            "faulty-tool",
            "cannot be read",
        ),
        (
            "t/no-category.yaml",
            fine("no-category").replace("category: t", "category: u"),
            "faulty-tool",
            "category",
        ),
        (
            "t/no-runtime.yaml",
            fine("no-runtime").replace("executor_id: bash", "executor_id: t/none"),
            "no-executor",
            "t/none",
        ),
        (
            "t/no-fields.yaml",
            "{}".to_owned(),
            "faulty-tool",
            "is missing",
        ),
        (
            "t/data-only.yaml",
            "tool_type: events\ncategory: t\n".to_owned(),
            "not-callable",
            "events",
        ),
    ];
    for (path, text, ..) in cases {
        world.tool(path, text);
    }
    for n in 0..cases.len() {
        world.tool(&format!("t/say-{n}.yaml"), &fine(&format!("say-{n}")));
    }
    for (path, _, code, said) in cases {
        let id = path.rsplit_once('.').expect("an extension").0;
        let (found, why) = world.refused(id, json!({}));
        assert_eq!(found, *code, "{id}: {why}");
        assert!(why.contains(said) && !why.contains('\n'), "{id}: {why}");
    }
    for n in 0..cases.len() {
        assert_eq!(
            world.returned(&format!("t/say-{n}"), json!({}))["stdout"],
            "said\n"
        );
    }
}
