//! Tools of Python: functions and their imports.

use toolglot_policy::Level;
use toolglot_value::{Value, json};

use crate::world::{World, can_run, python};

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
    // By a resident interpreter, and by a new one where the sandbox is too weak for that.
    for level in [Level::Namespaces, Level::Landlock] {
        world.level = Some(level);
        world.with(|runner| {
            for (name, _, expected) in cases {
                let args = if *name == "secret" {
                    json!({"b": "${SECRET} {a} $(id)"})
                } else {
                    json!({"a": 1})
                };
                let args = args.as_object().expect("a map").clone();
                let called = runner
                    .call_unjudged(&format!("t/{name}-it"), args)
                    .expect("it runs");
                let returned = Value::Object(called.returned.value);
                for (key, value) in expected.as_object().expect("a map") {
                    if *name == "writes" && level == Level::Landlock && key == "error" {
                        assert_eq!(returned[key], json!("PermissionError"));
                        continue;
                    }
                    assert_eq!(&returned[key], value, "{name}, {level:?}: {returned}");
                }
            }
        });
    }
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
    // Without the files the import fails like any import.
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
