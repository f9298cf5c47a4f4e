//! Tools of Node: functions, scripts and their imports.

use toolglot_value::{Value, json};

use crate::world::{World, can_run, node, yaml};

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
        let args = if *name == "program" {
            json!({"content": "x".repeat(10_000_000)})
        } else {
            json!({"a": 1})
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
    // Circular imports, every import syntax, mixed kinds of modules, and packages of the project.
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
    // A file that no import statement names was not verified, even if it exists; neither was an untrusted file.
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
    // A data file is not code.
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
            "String(process.argv); export function execute() { return { success: true }; }",
            Some("it has no default export, and nothing called its `execute`"),
        ),
        (
            "main",
            "String(process.argv); export const main = () => ({ success: true });",
            Some("nothing called its `main`"),
        ),
        (
            "program",
            "process.argv; console.log('{\"success\": true}');",
            None,
        ),
        ("quiet", "const a = String(process.argv);", None),
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
        // The error of a called function does not mention exports.
        assert_eq!(
            error.contains("export"),
            ["object", "named", "main"].contains(&name) && expected != Some(answer),
            "{returned}"
        );
    }
}

/// A program reads its options by `util.parseArgs` and `process.argv`, as under `node FILE --params .. --project-path
/// ..`.
#[test]
fn a_program_of_node_reads_its_words_as_under_node() {
    if !can_run("programs of node", &["node"]) {
        return;
    }
    let world = World::new();
    let body = "import { parseArgs } from \"node:util\";\n\
        import { fork } from \"node:child_process\";\n\
        interface Values { params?: string; \"project-path\"?: string }\n\
        const { values, positionals } = parseArgs({\n\
          options: { params: { type: \"string\" }, \"project-path\": { type: \"string\" } },\n\
          allowPositionals: true,\n\
        }) as { values: Values; positionals: string[] };\n\
        if (values.params && typeof fork === \"function\") {\n\
          const [program, file, ...words] = process.argv;\n\
          const output = { params: JSON.parse(values.params), project: values[\"project-path\"], positionals, words,\n\
            flags: process.execArgv, isFile: import.meta.filename === file, isNode: program === process.execPath };\n\
          console.log(JSON.stringify({ success: true, output }));\n\
        }\n";
    world.tool("t/parse-words.ts", &node(body));
    let returned = world.returned("t/parse-words", json!({"n": 1}));
    let project = world.project.display().to_string();
    let words = ["--params", "{\"n\":1}", "--project-path", &project];
    assert_eq!(
        returned["output"],
        json!({
            "params": {"n": 1}, "project": project, "positionals": [], "words": words,
            "flags": [], "isFile": true, "isNode": true,
        }),
        "{returned}"
    );
}
