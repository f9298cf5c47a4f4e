//! Protected paths: tools may not see or change them, whatever their grants.

use toolglot_policy::{Authority, Policy, Refusals, Scope};
use toolglot_value::{Map, Value, json};

use crate::world::{World, can_run, node, python, yaml};

/// Reads or writes every given file.
const FUNCTION: &str = "
def execute(params, project_path):
    found = {}
    for path in params['paths']:
        try:
            with open(path, 'a' if params.get('write') else 'r') as file:
                found[path] = file.write('changed') if params.get('write') else file.read()
        except OSError as error:
            found[path] = type(error).__name__
    return {'success': True, 'data': found}";

fn refused(rules: &str) -> Refusals {
    let policy = Policy::parse(&format!("version = 1\n{rules}"), Scope::Project);
    let authority = Authority {
        project: Some(policy.expect("a policy")),
        ..Authority::default()
    };
    authority.refusals()
}

fn project() -> World {
    let mut world = World::new();
    for path in [
        ".env",
        "sub/id_rsa",
        ".vscode/.env",
        "secrets/a",
        "kept/a",
        "CLAUDE.md",
        "sub/.vscode/tasks.json",
        ".mcp.json",
        ".git/HEAD",
        ".git/hooks/pre-commit",
        ".git/config",
        "own.txt",
    ] {
        world.file(path, "held");
    }
    world.refused = refused(
        "[[rule]]\nid = \"s\"\ndecision = \"deny\"\npaths = [\"secrets/**\"]\n[[rule]]\nid = \"k\"\ndecision = \"deny\"\ncapabilities = [\"write\"]\npaths = [\"kept/**\"]\n",
    );
    world.tool("t/look-it.py", &python("python/function", FUNCTION));
    world.tool("t/start-it.py", &python("python/script", &format!("import json, sys{FUNCTION}\nprint(json.dumps(execute(json.loads(sys.argv[sys.argv.index('--params') + 1]), '.')))")));
    world.tool("t/read-it.js", &node("import fs from 'node:fs';\nexport default (params) => ({success: true, data: Object.fromEntries(params.paths.map((path) => { try { return [path, params.write ? fs.appendFileSync(path, 'changed') ?? 7 : fs.readFileSync(path, 'utf8')]; } catch (error) { return [path, 'OSError']; } }))});"));
    world
}

const HIDDEN: &[&str] = &[".env", "sub/id_rsa", ".vscode/.env", "secrets/a"];
const OBEYED: &[&str] = &[
    "CLAUDE.md",
    "sub/.vscode/tasks.json",
    ".mcp.json",
    ".git/HEAD",
    ".git/hooks/pre-commit",
    ".git/config",
    ".ai/tools/t/look-it.py",
    "kept/a",
];

#[test]
fn secrets_are_empty_and_what_programs_obey_stays_as_it_is() {
    if !can_run("tools and what is kept", &["python3", "node"]) {
        return;
    }
    for write in [false, true] {
        let mut world = project();
        if write {
            world.granted.push("fs.write".into());
        }
        for tool in ["t/look-it", "t/start-it", "t/read-it"] {
            let all: Vec<&str> = HIDDEN.iter().chain(OBEYED).copied().collect();
            let seen = &world.returned(tool, json!({"paths": all}))["data"];
            for path in HIDDEN {
                let seen = seen[path].as_str().expect("a text");
                assert!(
                    seen.is_empty() || seen.ends_with("Error"),
                    "{tool} {path}: {seen}"
                );
            }
            for path in OBEYED {
                let seen = seen[path].as_str().expect("a text");
                assert!(!seen.ends_with("Error"), "{tool} {path}: {seen}");
            }
            let changed = &world.returned(tool, json!({"paths": all, "write": true}))["data"];
            for path in &all {
                // A hidden file accepts writes and drops them.
                let is_refused = changed[path].is_string() || HIDDEN.contains(path);
                assert!(is_refused, "{tool} {path}: {changed}");
                let text = std::fs::read_to_string(world.project.join(path)).expect("it is there");
                assert!(!text.ends_with("changed"), "{tool} {path}");
            }
            let own = world.returned(tool, json!({"paths": ["own.txt"], "write": true}));
            assert_eq!(own["data"]["own.txt"].is_string(), !write, "{tool}: {own}");
        }
    }
}

#[test]
fn an_interpreter_that_stays_sees_nothing_of_a_secret_that_came_later() {
    if !can_run("later secrets", &["python3"]) {
        return;
    }
    let world = project();
    world.with(|runner| {
        let read = |path: &str| {
            let args: Map<String, Value> =
                [("paths".to_owned(), json!([path]))].into_iter().collect();
            let called = runner.call_unjudged("t/look-it", args).expect("it runs");
            called.returned.value["data"][path].clone()
        };
        let hidden = [json!(""), json!("PermissionError")];
        assert!(hidden.contains(&read(".env")));
        assert_eq!(runner.warm().n_waiting(), 1);
        // A new file with another inode, at the same path, and at a path without a file.
        world.file("new", "TOPSECRET");
        std::fs::rename(world.project.join("new"), world.project.join(".env")).expect("renamed");
        assert!(hidden.contains(&read(".env")));
        std::fs::remove_file(world.project.join(".env")).expect("removed");
        world.file(".env", "TOPSECRET");
        assert!(hidden.contains(&read(".env")));
        world.file("deep/er/.env", "TOPSECRET");
        assert!(hidden.contains(&read("deep/er/.env")));
        assert_eq!(read("own.txt"), json!("held"));
    });
}

#[test]
fn a_container_finds_secrets_empty_and_what_programs_obey_read_only() {
    if !can_run("containers and what is kept", &["sh"]) {
        return;
    }
    let mut world = project();
    world.file(".ssh/known", "held");
    world.file("a,b/.env", "held");
    let folder = world.home.join("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let recorder = folder.join("docker");
    std::fs::write(
        &recorder,
        "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n",
    )
    .expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&recorder, mode).expect("a mode");
    world.path = folder.into_os_string();
    world.granted.push("container.engine".into());
    world.tool(
        "t/map-it.yaml",
        &yaml("map-it", "subprocess", "config: {image: alpine}\n"),
    );
    let words = |world: &World| -> Vec<String> {
        let returned = world.returned("t/map-it", json!({}));
        let stdout = returned["stdout"].as_str().expect("a text");
        stdout.lines().map(str::to_owned).collect()
    };
    let project = world.project.display().to_string();
    let empty =
        |path: &str| format!("type=bind,source=/dev/null,target=/workspace/{path},readonly");
    let fixed =
        |path: &str| format!("type=bind,source={project}/{path},target=/workspace/{path},readonly");
    let hidden = [".env", "sub/id_rsa", ".vscode/.env", "secrets/a"];
    let argv = words(&world);
    let has_word =
        |argv: &[String], word: String| assert!(argv.contains(&word), "{word}\n{argv:#?}");
    for path in hidden {
        has_word(&argv, empty(path));
    }
    has_word(
        &argv,
        "type=tmpfs,target=/workspace/.ssh,readonly".to_owned(),
    );
    let quoted = "type=bind,source=/dev/null,\"target=/workspace/a,b/.env\",readonly";
    has_word(&argv, quoted.to_owned());
    has_word(&argv, format!("{project}:/workspace:ro"));
    world.granted.push("fs.write".into());
    let argv = words(&world);
    has_word(&argv, format!("{project}:/workspace"));
    for path in hidden {
        has_word(&argv, empty(path));
    }
    for path in [
        ".ai",
        ".git",
        "CLAUDE.md",
        ".mcp.json",
        "sub/.vscode",
        "kept/a",
    ] {
        has_word(&argv, fixed(path));
    }
    // The directory cannot be moved with its content.
    has_word(
        &argv,
        format!("type=bind,source={project}/sub,target=/workspace/sub"),
    );
}

#[test]
fn what_prints_without_end_is_cut_and_told() {
    if !can_run("long output", &["bash"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("shell.execute".into());
    let command = "head -c 3000000 /dev/zero | tr '\\0' x; echo end; head -c 300000 /dev/zero >&2";
    let returned = world.returned("rye/bash/bash", json!({"command": command}));
    let (stdout, stderr) = (returned["stdout"].as_str(), returned["stderr"].as_str());
    let stdout = stdout.expect("a text");
    assert!(stdout.len() < (256 << 10) + 100, "{}", stdout.len());
    assert!(stdout.contains("of 3000004 were cut here ...]") && stdout.ends_with("end\n"));
    assert!(stderr.is_some_and(|text| text.contains("of 300000 were cut here ...]")));
}

/// Below `.ai` a tool with write access may change only its own cache and the line index of the origin's file tools.
#[test]
fn a_tool_that_may_write_has_its_own_cache_below_ai() {
    if !can_run("caches of tools", &["python3"]) {
        return;
    }
    let mut world = World::new();
    let body = "import json\nfrom pathlib import Path\n\n\
        def execute(params, project_path):\n\
        \x20   done = []\n\
        \x20   for name in params[\"places\"]:\n\
        \x20       path = Path(project_path) / \".ai\" / name\n\
        \x20       try:\n\
        \x20           path.parent.mkdir(parents=True, exist_ok=True)\n\
        \x20           path.write_text(\"kept\")  # a cache\n\
        \x20           done.append(name)\n\
        \x20       except OSError:\n\
        \x20           pass\n\
        \x20   return {\"success\": True, \"output\": done}\n";
    world.tool("t/keep-it.py", &python("python/function", body));
    world.tool("t/keep-too.py", &python("python/script", &format!("{body}\nif __name__ == \"__main__\":\n    import sys\n    print(json.dumps(execute(json.loads(sys.argv[2]), sys.argv[4])))\n")));
    let places = json!({"places": [
        "cache/tools/t/keep-it/seen.json", "cache/tools/t/keep-too/seen.json", "cache/tools/read/line_index/a.json",
        "cache/tools/other/seen.json", "cache/seen.json", "tools/t/keep-it.py", "policy.toml", "toolglot.lock",
    ]});
    let written = |world: &World, id: &str| world.returned(id, places.clone())["output"].clone();
    // Without write access no cache is writable, and none is created.
    assert_eq!(written(&world, "t/keep-it"), json!([]));
    assert!(!world.project.join(".ai/cache").exists());
    world.granted.push("fs.write".into());
    let line_index = "cache/tools/read/line_index/a.json";
    for name in ["keep-it", "keep-too"] {
        let own = format!("cache/tools/t/{name}/seen.json");
        assert_eq!(
            written(&world, &format!("t/{name}")),
            json!([own, line_index])
        );
    }
    // A tool whose code does not mention a cache gets none.
    world.tool(
        "t/plain-it.py",
        &python("python/function", &body.replace("  # a cache", "")),
    );
    assert_eq!(written(&world, "t/plain-it"), json!([]));
    assert!(!world.project.join(".ai/cache/tools/t/plain-it").exists());
    // A path that the policy protects stays read-only, and a link is not followed.
    let own = world.project.join(".ai/cache/tools/t/keep-it");
    std::fs::remove_dir_all(&own).expect("it was made");
    std::os::unix::fs::symlink(world.project.join(".ai/tools"), &own).expect("a link");
    assert_eq!(written(&world, "t/keep-it"), json!([line_index]));
}

#[test]
fn what_a_tool_makes_under_such_a_name_is_moved_aside() {
    if !can_run("tools and what is planted", &["python3", "node"]) {
        return;
    }
    for tool in ["t/look-it", "t/start-it", "t/read-it"] {
        let mut world = project();
        world.granted.push("fs.write".into());
        // The first call leaves a resident interpreter.
        world.returned(tool, json!({"paths": ["own.txt"]}));
        let path = "new/CLAUDE.md";
        world.file("new/own.txt", "own");
        let shown = world.returned(tool, json!({"paths": [path], "write": true}));
        assert!(!world.project.join(path).exists(), "{tool}: {shown}");
        let aside = world.project.join("new/quarantine-1.CLAUDE.md.moved");
        assert!(aside.exists(), "{tool}: {shown}");
        assert!(shown.to_string().contains("moved aside"), "{tool}: {shown}");
    }
}
