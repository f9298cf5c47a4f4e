//! Python, Node, shells, programs, containers.

use serde_json::{Value, json};
use toolglot_sandbox::Isolation;

use crate::world::{World, can_run, node, python, yaml};

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
fn python_functions_answer_whatever_they_do() {
    if !can_run("python functions", &["python3"]) {
        return;
    }
    let mut world = World::new();
    let cases: &[(&str, &str, Value)] = &[
        (
            "sync",
            "def execute(params, project_path):\n    return {'success': True, 'output': params['a'] + 1}",
            json!({"success": true, "output": 2}),
        ),
        (
            "later",
            "import asyncio\nasync def execute(params, project_path):\n    await asyncio.sleep(0)\n    return {'success': True, 'data': params}",
            json!({"success": true, "data": {"a": 1}}),
        ),
        (
            "where",
            "import os\ndef execute(params, project_path):\n    return {'success': os.getcwd() == project_path, 'output': 'x'}",
            json!({"success": true, "output": "x"}),
        ),
        (
            "prints",
            "import sys\ndef execute(params, project_path):\n    print('to out')\n    print('to err', file=sys.stderr)\n    return {'success': True, 'output': 1}",
            json!({"success": true, "output": 1, "stdout": "to out\n", "stderr": "to err\n"}),
        ),
        (
            "raises",
            "def execute(params, project_path):\n    x = {'success': True}\n    raise ValueError('no é')\n    return x",
            json!({"success": false, "error": "ValueError: no é"}),
        ),
        (
            "exits",
            "import sys\ndef execute(params, project_path):\n    sys.exit(3)\n    return make()",
            json!({"success": false, "error": "it ended the program with 3"}),
        ),
        (
            "dies",
            "import os\ndef execute(params, project_path):\n    os._exit(7)\n    return make()",
            json!({"success": false, "error": "it ended with exit code 7 and without an answer"}),
        ),
        (
            "shape",
            "def make():\n    return [1]\ndef execute(params, project_path):\n    return make()",
            json!({"success": false, "error": "the tool returned a list, where a map with `success` belongs"}),
        ),
        (
            "flag",
            "def make():\n    return {'output': 1}\ndef execute(params, project_path):\n    return make()",
            json!({"success": false, "error": "`success` is missing"}),
        ),
        (
            "set",
            "def execute(params, project_path):\n    return {'success': True, 'output': {1, 2}}",
            json!({"success": false, "error": "what it returned is no JSON: Object of type set is not JSON serializable"}),
        ),
        (
            "nan",
            "def execute(params, project_path):\n    return {'success': True, 'output': float('nan')}",
            json!({"success": false}),
        ),
        (
            "stdin",
            "import sys\ndef execute(params, project_path):\n    return {'success': True, 'output': sys.stdin.read()}",
            json!({"success": true, "output": ""}),
        ),
        (
            "children",
            "import subprocess\ndef execute(params, project_path):\n    subprocess.Popen(['sleep', '1000'])\n    return {'success': True, 'output': subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout}",
            json!({"success": true, "output": "child\n"}),
        ),
        (
            "forges",
            "import os\ndef execute(params, project_path):\n    print('{\"success\": true, \"output\": \"forged\"}')\n    return {'success': False, 'error': 'real'}",
            json!({"success": false, "error": "real"}),
        ),
        (
            "secret",
            "import os\ndef execute(params, project_path):\n    return {'success': True, 'output': [os.environ.get('SECRET'), params['b']]}",
            json!({"success": true, "output": [null, "${SECRET} {a} $(id)"]}),
        ),
        (
            "writes",
            "def execute(params, project_path):\n    try:\n        open('new', 'w').write('x')\n        return {'success': True, 'output': 'written'}\n    except OSError as e:\n        return {'success': False, 'error': type(e).__name__}",
            json!({"success": false, "error": "OSError"}),
        ),
    ];
    for (name, body, _) in cases {
        world.tool(&format!("t/{name}-it.py"), &python("python/function", body));
    }
    // By an interpreter that stays, and where walls are too weak for that by one of its own.
    for isolation in [Isolation::Namespaces, Isolation::Landlock] {
        world.isolation = isolation;
        world.with(|host| {
            for (name, _, expected) in cases {
                let args = match *name {
                    "secret" => json!({"b": "${SECRET} {a} $(id)"}),
                    _ => json!({"a": 1}),
                };
                let args = args.as_object().expect("a map").clone();
                let called = host.call(&format!("t/{name}-it"), args).expect("it runs");
                let returned = Value::Object(called.returned.value);
                for (key, value) in expected.as_object().expect("a map") {
                    if *name == "writes" && isolation == Isolation::Landlock && key == "error" {
                        assert_eq!(returned[key], json!("PermissionError"));
                        continue;
                    }
                    assert_eq!(&returned[key], value, "{name}, {isolation:?}: {returned}");
                }
            }
        });
    }
}

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
fn node_tools_answer_whatever_they_do() {
    if !can_run("node tools", &["node"]) {
        return;
    }
    let world = World::new();
    let cases: &[(&str, &str, &str, Value)] = &[
        (
            "default",
            "mjs",
            "export default (params) => ({ success: true, output: params.a + 1 });",
            json!({"success": true, "output": 2}),
        ),
        (
            "later",
            "js",
            "export default async function main(params, project) { return { success: process.cwd() === project, output: 1 }; }",
            json!({"success": true, "output": 1}),
        ),
        (
            "typed",
            "ts",
            "interface A { a: number }\nfunction main(params: A): { success: boolean; output: number } { return { success: true, output: params.a! as number }; }\nexport default main;",
            json!({"success": true, "output": 1}),
        ),
        (
            "prints",
            "mjs",
            "export default () => { console.log('to out'); return { success: true, output: 1 }; };",
            json!({"success": true, "stdout": "to out\n"}),
        ),
        (
            "raises",
            "mjs",
            "export default () => { const x = { success: true, output: 1 }; if (x) throw new TypeError('no'); return x; };",
            json!({"success": false, "error": "TypeError: no"}),
        ),
        (
            "nothing",
            "mjs",
            "const make = () => undefined;\nexport default () => make();",
            json!({"success": false, "error": "the tool returned nothing, where a map with `success` belongs"}),
        ),
        (
            "infinite",
            "mjs",
            "export default () => ({ success: true, output: { ratio: 0 / 0 } });",
            json!({"success": false, "error": "what it returned is no JSON: `ratio` is NaN"}),
        ),
        (
            "mapped",
            "mjs",
            "export default () => ({ success: true, output: new Map([['a', 1]]) });",
            json!({"success": false, "error": "what it returned is no JSON: `output` is a Map"}),
        ),
        (
            "spare",
            "mjs",
            "export default () => ({ success: true, output: { none: undefined, at: new Date(0) } });",
            json!({"success": true, "output": {"at": "1970-01-01T00:00:00.000Z"}}),
        ),
        (
            "exits",
            "mjs",
            "export default () => { process.exit(3); return make(); };",
            json!({"success": false, "exit_code": 3}),
        ),
        (
            "big",
            "mjs",
            "export default (params) => ({ success: true, output: 'x'.repeat(3000000) });",
            json!({"success": true}),
        ),
        (
            "program",
            "js",
            "const at = process.argv.indexOf('--params');\nconst params = JSON.parse(process.argv[at + 1]);\nconsole.log(JSON.stringify({ success: true, output: params.content.length }));\nexport {};",
            json!({"success": true, "output": 10_000_000}),
        ),
    ];
    for (name, extension, body, expected) in cases {
        world.tool(&format!("t/{name}-it.{extension}"), &node(body));
        let args = match *name {
            "program" => json!({"content": "x".repeat(10_000_000)}),
            _ => json!({"a": 1}),
        };
        let returned = world.returned(&format!("t/{name}-it"), args);
        for (key, value) in expected.as_object().expect("a map") {
            assert_eq!(&returned[key], value, "{name}: {returned}");
        }
    }
    world.tool(
        "t/common-it.cjs",
        "const path = require('path');\nexports.__version__ = '1.0.0';\nexports.__tool_type__ = 'script';\nexports.__executor_id__ = 'node/node';\nexports.__category__ = 't';\nexports.__tool_description__ = 'A tool';\nexports.main = (params) => ({ success: true, output: path.basename('/a/' + params.a) });\n",
    );
    assert_eq!(
        world.returned("t/common-it", json!({"a": "b"})),
        json!({"success": true, "output": "b"})
    );
}

#[test]
fn what_a_script_of_node_imports_from_beside_it_is_verified_too() {
    if !can_run("imports of Node", &["node"]) {
        return;
    }
    let world = World::new();
    let library = |extension: &str, body: &str| {
        let export = if extension == "cjs" {
            "exports."
        } else {
            "export const "
        };
        format!(
            "{export}__version__ = '1.0.0';\n{export}__tool_type__ = 'library';\n{export}__executor_id__ = null;\n{export}__category__ = 't';\n{export}__tool_description__ = 'A library';\n{body}"
        )
    };
    // In a circle, by every way there is, across kinds of modules, and what is installed in the project.
    world.tool("t/main-it.mjs", &node("import { double } from './helper.js';\nimport common, { half } from './common.cjs';\nimport { typed } from './typed.js';\nimport { basename } from 'node:path';\nimport { installed } from 'installed';\nexport const base = 1;\nexport default async (params) => {\n  const { late } = await import('./late.mjs');\n  return { success: true, output: [double(base), half(4), common.half(6), typed(1), late(), basename('/a/b'), installed, import.meta.url.endsWith('main-it.mjs')] };\n};"));
    world.tool(
        "t/helper.js",
        &library(
            "js",
            "import { base } from './main-it.mjs';\nexport const double = (x) => x + base;",
        ),
    );
    world.tool(
        "t/common.cjs",
        &library(
            "cjs",
            "const { third } = require('./third');\nexports.half = (x) => third(x) && x / 2;",
        ),
    );
    world.tool(
        "t/third.cjs",
        &library("cjs", "exports.third = (x) => x / 3;"),
    );
    world.tool(
        "t/typed.ts",
        &library(
            "ts",
            "export function typed(x: number): number { return x + 1; }",
        ),
    );
    world.tool(
        "t/late.mjs",
        &library("mjs", "export const late = () => 'late';"),
    );
    world.file(
        "node_modules/installed/package.json",
        "{\"name\": \"installed\", \"type\": \"module\", \"exports\": \"./index.js\"}",
    );
    world.file(
        "node_modules/installed/index.js",
        "export const installed = 'yes';",
    );
    assert_eq!(
        world.returned("t/main-it", json!({})),
        json!({"success": true, "output": [2, 2, 3, 2, "late", "b", "yes", true]})
    );
    // What is not written down was not verified, even where it lies there; nor is what nobody trusts.
    world.tool("t/sly-it.mjs", &node("export default async () => {\n  const name = './late' + '.mjs';\n  return { success: true, output: (await import(name)).late() };\n};"));
    let error = world.returned("t/sly-it", json!({}))["error"].clone();
    assert_eq!(
        error,
        json!("Error: `./late.mjs` is no file beside the tool that was verified with it")
    );
    world.tool(
        "t/deep-it.cjs",
        &library(
            "cjs",
            "exports.main = () => ({ success: true, output: require('../../../outside.cjs') });",
        )
        .replace("'library'", "'script'")
        .replace("= null", "= 'node/node'"),
    );
    world.file("outside.cjs", "module.exports = 1;");
    let error = world.returned("t/deep-it", json!({}))["error"].clone();
    assert_eq!(
        error,
        json!("Error: `../../../outside.cjs` is no file beside the tool that was verified with it")
    );
    for (file, expected) in [
        ("late.mjs", "t/late"),
        ("third.cjs", "t/third"),
        ("typed.ts", "t/typed"),
    ] {
        let path = world.project.join(".ai/tools/t").join(file);
        let before = std::fs::read_to_string(&path).expect("it was written");
        world.file(
            &format!(".ai/tools/t/{file}"),
            &format!("{before}\n// another\n"),
        );
        let (code, message) = world.refused("t/main-it", json!({}));
        assert_eq!(code, "changed", "{file}");
        assert!(message.contains(expected), "{message}");
        std::fs::write(path, before).expect("a file");
    }
}

#[test]
fn no_name_leads_node_to_a_file_of_tools_that_was_not_verified() {
    if !can_run("imports of Node", &["node"]) {
        return;
    }
    let world = World::new();
    world.file(".ai/tools/t/help_me.cjs", "module.exports = { X: 'EVIL' };");
    world.file(".ai/tools/t/help_me.mjs", "export const X = 'EVIL';");
    world.file(".ai/tools/t/words.json", "{\"X\": \"data\"}");
    world.file(
        "package.json",
        r##"{"name": "self", "imports": {"#h": "./.ai/tools/t/help_me.mjs"}, "exports": {"./h": "./.ai/tools/t/help_me.mjs", "./c": "./.ai/tools/t/help_me.cjs"}}"##,
    );
    std::fs::create_dir_all(world.project.join("node_modules")).expect("a folder");
    let linked = world.project.join("node_modules/linked.js");
    std::os::unix::fs::symlink(world.project.join(".ai/tools/t/help_me.cjs"), linked)
        .expect("a link");
    let make = "import { createRequire } from 'node:module';\nconst need = createRequire(import.meta.url);\n";
    for (name, imports, value) in [
        ("a-private", "import { X } from '#h';\n", "X"),
        ("b-self", "import { X } from 'self/h';\n", "X"),
        ("c-late", "", "(await import('self/' + 'h')).X"),
        ("d-made", make, "need('./help' + '_me.cjs').X"),
        ("e-self", make, "need('self/c').X"),
        ("f-linked", make, "need('linked').X"),
        (
            "g-load",
            "import Module from 'node:module';\n",
            "Module._load(project + '/.ai/tools/t/help_me.cjs').X",
        ),
    ] {
        let body = format!(
            "{imports}export default async (params, project) => ({{ success: true, output: {value} }});"
        );
        world.tool(&format!("t/{name}.mjs"), &node(&body));
        let returned = world.returned(&format!("t/{name}"), json!({}));
        assert_eq!(returned["success"], false, "{name}: {returned}");
        let error = returned["error"].as_str().expect("a text");
        let is_told = ["was verified with it", "the name of no package"]
            .iter()
            .any(|why| error.contains(why));
        assert!(is_told, "{name}: {error}");
    }
    // Data is no code.
    let body = format!(
        "{make}export default () => ({{ success: true, output: need('./words.json').X }});"
    );
    world.tool("t/h-data.mjs", &node(&body));
    assert_eq!(world.returned("t/h-data", json!({}))["output"], "data");
}

#[test]
fn node_tools_do_not_outlive_their_call() {
    if !can_run("node tools", &["node"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    for (name, body, expected) in [
        (
            "stdin",
            "import fs from 'node:fs';\nexport default () => ({ success: true, output: fs.readFileSync(0, 'utf8') });",
            json!({"success": true, "output": ""}),
        ),
        (
            "children",
            "import { spawn, execFileSync } from 'node:child_process';\nexport default () => {\n  spawn('sh', ['-c', 'sleep 2; echo late > late.txt'], { detached: true, stdio: 'ignore' }).unref();\n  return { success: true, output: String(execFileSync('echo', ['child'])) };\n};",
            json!({"success": true, "output": "child\n"}),
        ),
        (
            "never",
            "export const __timeout__ = 2;\nimport { spawn } from 'node:child_process';\nexport default () => {\n  spawn('sh', ['-c', 'sleep 4; echo late > late.txt'], { detached: true, stdio: 'ignore' }).unref();\n  for (;;) {}\n  return make();\n};",
            json!({"success": false, "error": "it took longer than 2 seconds and was ended, with all that it had started"}),
        ),
        (
            "waits",
            "export const __timeout__ = 2;\nexport default () => new Promise(() => setInterval(() => {}, 1000));",
            json!({"success": false, "error": "it took longer than 2 seconds and was ended, with all that it had started"}),
        ),
        (
            "flood",
            "export default () => { for (let i = 0; i < 2000; i += 1) { console.log('o'.repeat(5000)); console.error('e'.repeat(5000)); } return { success: true, output: 1 }; };",
            json!({"success": true, "output": 1}),
        ),
        (
            "circle",
            "export default () => { const a = { success: true, output: 1 }; a.output = a; return a; };",
            json!({"success": false}),
        ),
    ] {
        world.tool(&format!("t/{name}-it.mjs"), &node(body));
        let returned = world.returned(&format!("t/{name}-it"), json!({}));
        for (key, value) in expected.as_object().expect("a map") {
            assert_eq!(&returned[key], value, "{name}: {returned}");
        }
    }
    world.tool(
        "t/wait-it.yaml",
        &yaml(
            "wait-it",
            "bash",
            "timeout: 10\nconfig:\n  command: sleep 3; test ! -e late.txt\n",
        ),
    );
    assert_eq!(
        world.returned("t/wait-it", json!({}))["success"],
        json!(true)
    );
}

#[test]
fn shells_get_parameters_as_data() {
    if !can_run("shells", &["bash"]) {
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

    // What can be no variable is on standard input, and a tool that reads the variable does not go on without it.
    for (a, why) in [
        (json!("x".repeat(131_000)), "131000 bytes"),
        (json!("a\0b"), "zero byte"),
    ] {
        let (code, message) = world.refused("t/say-it", json!({"a": a}));
        assert_eq!(code, "no-variable", "{message}");
        assert!(message.contains(why), "{message}");
    }
    let many: serde_json::Map<String, serde_json::Value> = (0..40)
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
    let (code, _) = world.refused(
        "rye/bash/bash",
        json!({"command": "true", "working_dir": "../home"}),
    );
    assert_eq!(code, "bad-config");
}

#[test]
fn containers_get_exactly_what_the_file_says() {
    if !can_run("containers", &["sh"]) {
        return;
    }
    let mut world = World::new();
    // A recorder by the engine's name: it writes its words, one a line, and what it reads.
    let folder = world.home.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let recorder = folder.join("docker");
    std::fs::write(&recorder, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\nprintf 'env %s\\n' \"$AWS_CREDENTIALS\"\ncat\necho '|'\n").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&recorder, mode).expect("a mode");
    world.path = folder.into_os_string();
    world
        .variables
        .insert("AWS_CREDENTIALS".into(), "mine".into());
    // The user's own values are no words of a command line.
    world.tool("t/map-it.yaml", &yaml("map-it", "subprocess", "config:\n  image: python:3.11\n  command: python\n  entrypoint: /app/deploy.py\n  args: [--now]\n  env: {KUBECONFIG: /etc/k, LEVEL: 5, AWS_CREDENTIALS: \"${SECRET}\", HOME: \"${SECRET}\"}\n"));
    let returned = world.returned("t/map-it", json!({"a": "${SECRET}"}));
    let project = world.project.display();
    let expected = format!(
        "run\n--rm\n--name\nNAME\n--interactive\n--network\nnone\n--volume\n{project}:/workspace:ro\n--workdir\n/workspace\n--entrypoint\n/app/deploy.py\n--env\nKUBECONFIG=/etc/k\n--env\nLEVEL=5\n--env\nAWS_CREDENTIALS\n--env\nHOME=a secret\n--env\nTOOLGLOT_PARAM_a\n--env\nTOOLGLOT_PROJECT=/workspace\npython:3.11\npython\n--now\nenv a secret\n{{\"a\":\"${{SECRET}}\"}}|\n"
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
fn a_function_of_node_that_never_answers_has_failed() {
    if !can_run("functions that never answer", &["node"]) {
        return;
    }
    let world = World::new();
    let answer = "it ended with exit code 0 and without an answer";
    for (name, body, expected) in [
        (
            "never",
            "export default async () => { await new Promise(() => {}); return { success: true }; }",
            Some(answer),
        ),
        (
            "exits",
            "export default () => { process.exit(0); return { success: true }; }",
            Some(answer),
        ),
        (
            "object",
            "export default { execute() { return { success: true }; } }",
            Some("its default export is no function"),
        ),
        (
            "named",
            "process.argv; export function execute() { return { success: true }; }",
            Some("it has no default export, and nothing called its `execute`"),
        ),
        (
            "main",
            "process.argv; export const main = () => ({ success: true });",
            Some("nothing called its `main`"),
        ),
        (
            "program",
            "process.argv; console.log('{\"success\": true}');",
            None,
        ),
        ("quiet", "const a = process.argv;", None),
        ("ends", "process.argv; process.exit(0);", None),
        (
            "stops",
            "export default () => { process.exit(3); }",
            Some("it ended with exit code 3 and without an answer"),
        ),
    ] {
        world.tool(&format!("t/{name}-it.js"), &node(body));
        let returned = world.returned(&format!("t/{name}-it"), json!({}));
        assert_eq!(returned["success"], json!(expected.is_none()), "{name}");
        let error = returned["error"].as_str().unwrap_or_default();
        assert!(error.contains(expected.unwrap_or_default()), "{returned}");
        // Of a function that was called nothing is said of exports.
        assert_eq!(
            error.contains("export"),
            ["object", "named", "main"].contains(&name) && expected != Some(answer),
            "{returned}"
        );
    }
}

#[test]
fn the_files_of_the_system_set_work() {
    let mut world = World::new();
    world.file("a.txt", "one\ntwo\nthree\n");
    world.granted.push("fs.write".into());
    let returned = world.returned(
        "rye/file-system/read",
        json!({"path": "a.txt", "offset": 1, "limit": 1}),
    );
    assert_eq!(returned["data"]["content"], json!("two\n"), "{returned}");
    let edit = json!({"path": "a.txt", "changes": [
        {"start_line": 3, "end_line": 3, "content": "THREE"},
        {"start_line": 1, "end_line": 0, "content": "zero"},
    ]});
    assert_eq!(
        world.returned("rye/file-system/edit_lines", edit)["success"],
        json!(true)
    );
    let returned = world.returned("rye/file-system/read", json!({"path": "a.txt"}));
    assert_eq!(returned["data"]["content"], json!("zero\none\ntwo\nTHREE"));
    let overlap = json!({"path": "a.txt", "changes": [
        {"start_line": 1, "end_line": 2, "content": ""}, {"start_line": 2, "end_line": 2, "content": ""},
    ]});
    assert_eq!(
        world.returned("rye/file-system/edit_lines", overlap)["success"],
        json!(false)
    );
    assert_eq!(
        world.returned(
            "rye/file-system/write",
            json!({"path": "../b", "content": ""})
        )["success"],
        json!(false)
    );
    let found = world.returned("rye/file-system/glob", json!({"pattern": "*.txt"}));
    assert_eq!(found["data"]["files"], json!(["a.txt"]));
    let found = world.returned("rye/file-system/grep", json!({"pattern": "^t.o$"}));
    assert!(
        found["output"].as_str().expect("a text").contains("two"),
        "{found}"
    );
    assert_eq!(
        world.returned("rye/file-system/ls", json!({}))["success"],
        json!(true)
    );
}

#[test]
fn what_a_tool_imports_from_beside_it_is_verified_too() {
    if !can_run("modules", &["python3"]) {
        return;
    }
    let world = World::new();
    let library = |body: &str| {
        python("python/function", body)
            .replace("\"python\"\n__exec", "\"library\"\n__exec")
            .replace("\"python/function\"", "None")
    };
    world.tool("t/main-it.py", &python("python/function", "import json, helper\nfrom other import word as w\ndef execute(params, project_path):\n    return {'success': True, 'output': helper.double(w)}"));
    // Without the files the import fails as any import does.
    let returned = world.returned("t/main-it", json!({}));
    assert_eq!(
        returned["error"],
        json!("ModuleNotFoundError: No module named 'helper'")
    );
    world.tool(
        "t/helper.py",
        &library("import deeper\ndef double(x):\n    return x + deeper.again(x)"),
    );
    world.tool("t/deeper.py", &library("def again(x):\n    return x"));
    world.tool("t/other.py", &library("word = 'ab'"));
    assert_eq!(
        world.returned("t/main-it", json!({})),
        json!({"success": true, "output": "abab"})
    );
    world.file(".ai/tools/t/deeper.py", "open('pwned', 'w')\n");
    let (code, message) = world.refused("t/main-it", json!({}));
    assert_eq!(code, "changed");
    assert!(message.contains("t/deeper"), "{message}");
}
