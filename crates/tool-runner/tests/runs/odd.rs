//! Unusual tools: results with halves of characters, files with byte order marks, and custom runtimes.

use toolglot_value::json;

use crate::world::{World, can_run, node, python, yaml};

#[test]
fn half_a_character_is_a_replacement_character() {
    if !can_run("halves of characters", &["python3", "node"]) {
        return;
    }
    let world = World::new();
    world.tool(
        "t/half-js.js",
        &node("export default () => ({ success: true, output: 'ok \\u{1F600}'.slice(0, 4) });"),
    );
    let body = "def execute(params, project_path):\n    return {'success': True, 'output': 'ok ' + b'\\xff'.decode('utf-8', 'surrogateescape')}";
    world.tool("t/half-py.py", &python("python/function", body));
    let body = "import json\nprint(json.dumps({'success': True, 'output': 'ok \\ud83d'}))";
    world.tool("t/half-script.py", &python("python/script", body));
    for id in ["t/half-js", "t/half-py", "t/half-script"] {
        let returned = world.returned(id, json!({}));
        assert_eq!(returned["success"], json!(true), "{id}: {returned}");
        assert_eq!(returned["output"], json!("ok \u{fffd}"), "{id}");
    }
}

#[test]
fn what_frames_an_answer_is_never_shown() {
    if !can_run("frames", &["node"]) {
        return;
    }
    let world = World::new();
    // Bytes that a tool writes after the answer make the answer unreadable.
    let body = "import fs from 'node:fs';\nexport default () => { process.on('exit', () => fs.writeSync(1, '}')); return { success: true, output: 1 }; };";
    world.tool("t/frame-it.js", &node(body));
    let returned = world.returned("t/frame-it", json!({}));
    assert_eq!(returned["success"], json!(false), "{returned}");
    assert!(!returned.to_string().contains("toolglot:"), "{returned}");
}

#[test]
fn a_shebang_below_a_signature_and_a_mark_before_a_text_are_left_out() {
    if !can_run("shebangs", &["python3", "node"]) {
        return;
    }
    let world = World::new();
    let key = world.open().1.new_key("me").expect("a home");
    let text = format!(
        "#!/usr/bin/env node\n{}",
        node("export default () => ({ success: true, output: 1 });")
    );
    world.file(".ai/tools/t/bang-it.js", &text);
    let (_, trust) = world.open();
    let private = trust.private_key().expect("it was made");
    assert_eq!(private.public(), key);
    let signed = toolglot_tool_signature::sign(
        &text,
        toolglot_tool_signature::Style::Slashes,
        &private,
        "2026-02-23T05:24:41Z",
        None,
    );
    world.file(".ai/tools/t/bang-it.js", &signed);
    assert_eq!(world.returned("t/bang-it", json!({}))["output"], json!(1));
    let body = "def execute(params, project_path):\n    return {'success': True, 'output': 2}";
    let text = format!("\u{feff}{}", python("python/function", body));
    world.tool("t/mark-it.py", &text);
    assert_eq!(world.returned("t/mark-it", json!({}))["output"], json!(2));
}

#[test]
fn a_runtime_of_the_project_configures_what_it_runs() {
    if !can_run("runtimes of a project", &["sh", "sleep"]) {
        return;
    }
    let world = World::new();
    let runtime = yaml(
        "run-it",
        "subprocess",
        "config:\n  command: sh\n  args: [-c, 'echo $FROM $OWN']\n  timeout: 1\n  env: {FROM: runtime, OWN: nobody}\n",
    );
    let runtime = runtime.replace("tool_type: script", "tool_type: runtime");
    world.tool("t/run-it.yaml", &runtime);
    world.tool(
        "t/use-it.yaml",
        &yaml("use-it", "t/run-it", "config: {env: {OWN: tool}}\n"),
    );
    let returned = world.returned("t/use-it", json!({}));
    assert_eq!(returned["stdout"], json!("runtime tool\n"), "{returned}");
    let own = "config: {command: sleep, args: [30]}\n";
    world.tool("t/sleep-it.yaml", &yaml("sleep-it", "t/run-it", own));
    let returned = world.returned("t/sleep-it", json!({}));
    let error = returned["error"].as_str().unwrap_or_default();
    assert!(error.contains("longer than 1 seconds"), "{returned}");
}

#[test]
fn whole_numbers_reach_a_tool_as_integers() {
    if !can_run("whole numbers", &["python3"]) {
        return;
    }
    let world = World::new();
    let body = "CONFIG_SCHEMA = {'type': 'object', 'properties': {'n': {'type': 'integer'}, 'list': {'type': 'array', 'items': {'type': 'integer'}}}, 'required': ['n']}\ndef execute(params, project_path):\n    return {'success': True, 'output': repr(params)}";
    world.tool("t/count-it.py", &python("python/function", body));
    let args = serde_json::from_str(r#"{"n": 2.0, "list": [1e2]}"#).expect("JSON");
    assert_eq!(
        world.returned("t/count-it", args)["output"],
        json!("{'n': 2, 'list': [100]}")
    );
}

#[test]
fn an_unusable_schema_is_a_fault_of_the_tool_whoever_vouches() {
    let world = World::new();
    let text = yaml(
        "fault-it",
        "bash",
        "config: {command: 'true'}\ninput_schema: {type: object, $ref: '#/$defs/none'}\n",
    );
    world.file(".ai/tools/t/fault-it.yaml", &text);
    assert_eq!(world.refused("t/fault-it", json!({})).0, "faulty-tool");
    world.tool("t/fault-it.yaml", &text);
    assert_eq!(world.refused("t/fault-it", json!({})).0, "faulty-tool");
}

#[test]
fn parameters_beside_actions_belong_to_each_of_them() {
    if !can_run("actions", &["bash"]) {
        return;
    }
    let world = World::new();
    let rest = "parameters:\n  - {name: common, type: string, required: true}\n  - {name: action, type: string, required: true}\nactions:\n  go:\n    parameters:\n      - {name: n, type: integer, required: false, default: 3}\nconfig: {command: echo $TOOLGLOT_PARAM_action $TOOLGLOT_PARAM_common $TOOLGLOT_PARAM_n}\n";
    world.tool("t/act-it.yaml", &yaml("act-it", "bash", rest));
    for (id, args) in [
        ("t/act-it", json!({"action": "go", "common": "c"})),
        ("t/act-it.go", json!({"common": "c"})),
    ] {
        assert_eq!(world.returned(id, args)["stdout"], json!("go c 3\n"));
    }
    for (id, args) in [
        ("t/act-it.go", json!({"common": "c", "other": 1})),
        ("t/act-it", json!({"common": "c"})),
    ] {
        assert_eq!(world.refused(id, args).0, "invalid-arguments");
    }
}

/// The policy decides about the command of a call, whichever link of the chain names its parameter. That command runs.
#[test]
fn a_command_is_judged_whichever_link_names_its_parameter() {
    let mut world = World::new();
    world.granted.push("shell.execute".into());
    world.file("sub/.keep", "");
    let names = "config: {command_parameter: line, directory_parameter: place}\n";
    let runtime = |name: &str, rest: &str| {
        yaml(name, "bash", rest).replace("tool_type: script", "tool_type: runtime")
    };
    world.tool("t/rt-it.yaml", &runtime("rt-it", names));
    world.tool(
        "t/far-it.yaml",
        &runtime("far-it", "").replace("executor_id: bash", "executor_id: t/rt-it"),
    );
    world.tool("t/own-it.yaml", &yaml("own-it", "bash", names));
    world.tool("t/of-it.yaml", &yaml("of-it", "t/rt-it", ""));
    world.tool("t/of-far-it.yaml", &yaml("of-far-it", "t/far-it", ""));
    let mixed = "config: {command_parameter: text}\n";
    world.tool("t/mix-it.yaml", &yaml("mix-it", "t/rt-it", mixed));
    let can_run = can_run("commands of runtimes", &["bash", "basename"]);
    let command = "basename \"$PWD\"";
    for (tool, parameter, place) in [
        ("t/own-it", "line", "sub"),
        ("t/of-it", "line", "sub"),
        ("t/of-it", "line", ""),
        ("t/of-far-it", "line", "sub"),
        ("t/mix-it", "text", "sub"),
    ] {
        let args = json!({parameter: command, "place": place});
        let of = args.as_object().expect("a map").clone();
        let builtins = world.with(|runner| runner.prepare(tool, of).expect("it fits").builtins);
        let [builtin] = builtins.as_slice() else {
            panic!("{tool}: {builtins:?}")
        };
        assert_eq!(builtin.tool, "execute_command", "{tool}");
        let cwd = if place.is_empty() { "." } else { place };
        let expected = json!({"command": command, "cwd": cwd});
        assert_eq!(json!(builtin.arguments), expected, "{tool}");
        if can_run {
            let place = if place.is_empty() { "project" } else { place };
            let returned = world.returned(tool, args);
            assert_eq!(returned["stdout"], json!(format!("{place}\n")), "{tool}");
        }
    }
    // A parameter that is not a text is refused before the policy decision.
    let args = json!({"line": ["true"]});
    let of = args.as_object().expect("a map").clone();
    let error = world.with(|runner| runner.prepare("t/of-it", of).map(|_| ()));
    assert_eq!(error.expect_err("no command").code(), "bad-config");
}
