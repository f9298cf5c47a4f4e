//! `toolglot tools`, `call` and `run` over tools that are files: the project of `examples/tools`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A copy of the example project, and a home that trusts nothing.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().expect("room for a folder");
        let world = World { folder };
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools");
        copy(&examples, &world.project());
        fs::create_dir_all(world.folder.path().join("home")).expect("a folder");
        world
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn toolglot(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words)
            .current_dir(self.project())
            .env("USER_SPACE", self.folder.path().join("home"))
            .output()
            .expect("the binary starts")
    }

    fn json(&self, words: &[&str]) -> (Value, i32) {
        let output = self.toolglot(words);
        let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{words:?}: {error}: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
        (value, output.status.code().expect("it ended by itself"))
    }

    /// Writes a tool of the project.
    pub(crate) fn file(&self, path: &str, text: &str) {
        fs::write(self.project().join(".ai/tools").join(path), text).expect("a file");
    }

    /// What `run` answers to a message.
    pub(crate) fn run(&self, message: &str, words: &[&str]) -> String {
        let file = self.folder.path().join("message");
        fs::write(&file, message).expect("a file");
        let file = file.to_str().expect("text").to_owned();
        let all: Vec<&str> = ["run", "--dialect", "hermes", "--format", "text", &file]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        String::from_utf8_lossy(&self.toolglot(&all).stdout).into_owned()
    }

    pub(crate) fn trust_all(&self) {
        let output = self.toolglot(&["tools", "trust", "**"]);
        assert!(output.status.success(), "{output:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

/// Whether tools can be run here; a test that cannot run them says so.
pub(crate) fn can_run() -> bool {
    use std::io::Write;
    let has_walls =
        toolglot_sandbox::layers().level() == Some(toolglot_sandbox::Isolation::Namespaces);
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let ok = has_walls && has("python3") && has("node") && has("bash");
    if !ok {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no namespaces, python3, node or bash here"
        );
    }
    ok
}

#[test]
fn every_example_runs_once_it_is_trusted() {
    if !can_run() {
        return;
    }
    let world = World::new();
    fs::remove_file(world.project().join("README.md")).expect("it was copied");
    fs::write(world.project().join("a.txt"), "b a b\nTODO later\n").expect("a file");
    let (refused, code) = world.json(&["call", "text/make-slug", "--args", r#"{"title":"x"}"#]);
    assert_eq!((&refused["code"], code), (&json!("unsigned"), 1));
    world.trust_all();
    for (id, args, expected) in [
        (
            "text/count-words",
            json!({"file_path": "a.txt", "top": 1}),
            json!({"success": true, "data": {"words": 5, "frequent": {"b": 2}}}),
        ),
        (
            "text/count-words",
            json!({"file_path": "../x"}),
            json!({"success": false, "error": "Path is outside the project workspace"}),
        ),
        (
            "text/make-slug",
            json!({"title": "Crème & Brûlée!"}),
            json!({"success": true, "output": "creme-brulee"}),
        ),
        (
            "data/sort-rows",
            json!({"rows": [{"a": 2}, {"a": 1}], "key": "a"}),
            json!({"success": true, "data": [{"a": 1}, {"a": 2}]}),
        ),
        (
            "repo/count-lines",
            json!({}),
            json!({"success": true, "stdout": "2 txt\n", "stderr": "", "exit_code": 0}),
        ),
        (
            "repo/find-notes",
            json!({"word": "TODO"}),
            json!({"success": true, "stdout": "./a.txt:2:TODO later\n", "stderr": "", "exit_code": 0}),
        ),
    ] {
        let (returned, code) = world.json(&["call", id, "--args", &args.to_string()]);
        assert_eq!(returned, expected, "{id}");
        assert_eq!(code, i32::from(expected["success"] != json!(true)), "{id}");
    }
    let (record, _) = world.json(&["call", "repo/show-date", "--format", "json"]);
    assert_eq!(
        record["chain"],
        json!(["repo/show-date", "rye/core/primitives/subprocess"])
    );
    assert_eq!(record["arguments"], json!({"format": "day"}));
    assert_eq!(
        (&record["standing"], &record["attempts"][0]["success"]),
        (&json!("trusted"), &json!(true))
    );
    let (checked, code) = world.json(&["call", "repo/show-date", "--dry-run"]);
    assert_eq!((&checked["runs"], code), (&json!(true), 0));
}

#[test]
fn the_examples_keep_every_rule() {
    let world = World::new();
    let (checked, code) = world.json(&["tools", "check", "--format", "json"]);
    assert_eq!(code, 0);
    assert_eq!(
        (&checked["errors"], &checked["warnings"]),
        (&json!(0), &json!(0)),
        "{checked}"
    );
    assert_eq!(checked["tools"].as_array().map(Vec::len), Some(6));
}

#[test]
fn an_executor_that_leads_nowhere_is_told_before_a_call() {
    let world = World::new();
    let folder = world.project().join(".ai/tools/fast");
    fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, kind: &str, executor: &str| {
        let text = format!(
            "tool_id: {name}\ntool_type: {kind}\nversion: \"1.0.0\"\nexecutor_id: {executor}\ncategory: fast\ndescription: Does\ntimeout: 5\nconfig: {{command: 'true'}}\n"
        );
        world.file(&format!("fast/{name}.yaml"), &text);
    };
    let told = |words: &[&str]| -> Vec<String> {
        let (checked, _) = world.json(&[&["tools", "check", "--format", "json"], words].concat());
        let tools = checked["tools"].as_array().cloned().unwrap_or_default();
        let all = tools
            .iter()
            .filter_map(|tool| tool["diagnostics"].as_array());
        all.flatten()
            .filter(|one| one["code"] == "F08")
            .filter_map(|one| one["message"].as_str().map(str::to_owned))
            .collect()
    };
    let missing = "there is no executor `fast/own-one`";
    file("do-it", "script", "fast/own-one");
    assert_eq!(told(&[]), [missing]);
    let shown = world.toolglot(&["tools", "check", "fast/do-it"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("do-it.yaml:4:14"), "{shown}");
    file("own-oen", "runtime", "subprocess");
    let shown = world.toolglot(&["tools", "check", "fast/do-it"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("did you mean `fast/own-oen`?"), "{shown}");
    fs::remove_file(folder.join("own-oen.yaml")).expect("it is there");
    assert_eq!(told(&["fast/do-it"]), [missing]);
    // A file by its path is one of the project that it lies in.
    assert_eq!(
        told(&[".ai/tools/fast/do-it.yaml", "--root", "/"]),
        [missing]
    );
    file("own-one", "runtime", "fast/other-one");
    file("other-one", "runtime", "fast/own-one");
    assert_eq!(told(&[]).len(), 3);
    assert!(
        told(&[])[0].contains("go round in a circle"),
        "{:?}",
        told(&[])
    );
    file("other-one", "runtime", "subprocess");
    assert!(told(&[]).is_empty());
}

#[cfg(unix)]
#[test]
fn files_that_are_no_tools_are_told_with_their_reasons() {
    let world = World::new();
    let folder = world.project().join(".ai/tools/text");
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(to, folder.join(at)).expect("a link");
    };
    link("nowhere.yaml", "lost-one.yaml");
    link("round-b.yaml", "round-a.yaml");
    link("round-a.yaml", "round-b.yaml");
    world.file("text/two words.yaml", "");
    world.file("text/big-one.yaml", &"# too much\n".repeat(100_000));
    let output = world.toolglot(&["tools", "check"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    for reason in [
        "cannot read `text/lost-one.yaml`: it is a link to what is not there",
        "cannot read `text/round-a.yaml`: its links lead in a circle",
        "`text/two words.yaml` is no tool: ",
        "`text/big-one.yaml` has",
    ] {
        assert!(told.contains(reason), "{told}");
    }
    // The others are checked all the same.
    let checked = String::from_utf8_lossy(&output.stdout);
    assert!(checked.contains(" tools: 0 errors"), "{checked}");
    let said = |words: &[&str]| -> String {
        String::from_utf8_lossy(&world.toolglot(words).stderr).into_owned()
    };
    assert_eq!(
        said(&["tools", "check", "/no/such.py"]),
        "error: there is no file /no/such.py\n"
    );
    assert!(said(&["tools", "new", "text/new-one"]).is_empty());
    assert!(said(&["tools", "new", "text/new-one"]).contains("is there already"));
}

#[test]
fn a_search_says_what_cannot_run() {
    let world = World::new();
    fs::write(
        world.project().join("message.txt"),
        "<tool_call>{\"name\": \"rye_search\", \"arguments\": {\"query\": \"slug\"}}</tool_call>",
    )
    .expect("a message");
    let ran = |world: &World| -> String {
        let output = world.toolglot(&["run", "message.txt", "--format", "text"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(
        ran(&world).contains("\"cannot_run\":\"`text/make-slug` is not signed"),
        "{}",
        ran(&world)
    );
    world.trust_all();
    assert!(!ran(&world).contains("cannot_run"), "{}", ran(&world));
}

#[test]
fn a_key_of_the_system_that_is_revoked_is_told_of() {
    let world = World::new();
    let (keys, _) = world.json(&["tools", "keys", "list", "--format", "json"]);
    let key = keys["keys"][0]["fingerprint"].as_str().expect("a key");
    let output = world.toolglot(&["tools", "keys", "revoke", key]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains(&format!("delete `~/.ai/trusted_keys/{key}.toml`")),
        "{told}"
    );
    let (keys, _) = world.json(&["tools", "keys", "list", "--format", "json"]);
    let all = keys["keys"].as_array().expect("a list");
    assert!(all.iter().all(|key| key["trusted"] == false), "{keys}");
}

#[test]
fn a_server_that_is_none_is_told_before_a_call() {
    let world = World::new();
    let file = |server: &str| {
        let text = format!(
            "tool_type: mcp\nversion: \"1.0.0\"\nexecutor_id: mcp/stdio\ncategory: mcp/near\ndescription: Does\nconfig: {{server: {server}, tool_name: it}}\n"
        );
        world.file("mcp/near/do-it.yaml", &text);
    };
    let told = || -> String {
        let output = world.toolglot(&["tools", "check", "mcp/near/do-it"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for folder in ["mcp/near", "mcp/servers"] {
        fs::create_dir_all(world.project().join(".ai/tools").join(folder)).expect("a folder");
    }
    file("mcp/servers/near");
    assert!(
        told().contains("there is no server `mcp/servers/near`"),
        "{}",
        told()
    );
    assert!(told().contains("do-it.yaml:6:18"), "{}", told());
    file("text/count-words");
    assert!(
        told().contains("`text/count-words` is no server"),
        "{}",
        told()
    );
    world.file(
        "mcp/servers/near.yaml",
        "tool_type: mcp_server\nversion: \"1.0.0\"\nexecutor_id: null\ncategory: mcp/servers\ndescription: Serves\nconfig: {command: x}\n",
    );
    file("mcp/servers/near");
    assert!(!told().contains("F08"), "{}", told());
}

#[test]
fn what_a_prompt_leaves_out_is_told() {
    let world = World::new();
    world.trust_all();
    world.file("text/make-slug.js", "export const __version__ = 1;\n");
    let output = world.toolglot(&["prompt", "--tools", ".", "--dialect", "hermes"]);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(!out.contains("make-slug") && out.contains("count-words"));
    assert!(
        err.contains("left out: `text/make-slug`: ") && err.contains("toolglot tools check"),
        "{err}"
    );
}

#[test]
fn tools_are_listed_searched_and_shown() {
    let world = World::new();
    let ids = |words: &[&str]| -> Vec<String> {
        let (listed, _) = world.json(words);
        let tools = listed["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| tool["id"].as_str().expect("an id").to_owned())
            .collect()
    };
    let all = ids(&["tools", "list", "--format", "json"]);
    assert!(
        all.contains(&"rye/bash/bash".to_owned()) && all.contains(&"text/make-slug".to_owned())
    );
    // By name, by tag, by description, by text; all words count, better fits come first.
    assert_eq!(
        ids(&["tools", "list", "--search", "slug", "--format", "json"]),
        ["text/make-slug"]
    );
    let by_tag = ids(&[
        "tools",
        "list",
        "--search",
        "statistics",
        "--format",
        "json",
    ]);
    assert_eq!(by_tag, ["repo/count-lines", "text/count-words"]);
    assert_eq!(
        ids(&[
            "tools",
            "list",
            "--search",
            "most FREQUENT",
            "--format",
            "json"
        ]),
        ["text/count-words"]
    );
    assert_eq!(
        ids(&[
            "tools",
            "list",
            "--search",
            "localeCompare",
            "--format",
            "json"
        ]),
        ["data/sort-rows"]
    );
    assert_eq!(
        ids(&[
            "tools",
            "list",
            "--search",
            "no-such-word",
            "--format",
            "json"
        ]),
        Vec::<String>::new()
    );
    let (shown, _) = world.json(&["tools", "show", "repo/find-notes", "--format", "json"]);
    assert_eq!(
        shown["input_schema"]["properties"]["word"]["default"],
        json!("TODO|FIXME")
    );
    assert_eq!(
        shown["documentation"]["examples"][0],
        json!("Which TODOs are in this project?")
    );
    assert_eq!(shown["metadata"]["stability"], json!("stable"));
    assert_eq!(shown["standing"]["status"], json!("unsigned"));
    let missing = world.toolglot(&["tools", "show", "find-notes"]);
    assert_eq!(missing.status.code(), Some(2));
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(
        said,
        "error: no tool is called `find-notes`; did you mean `repo/find-notes`?\n"
    );
}

#[test]
fn a_broken_tool_is_told_with_its_lines_and_is_not_signed() {
    let world = World::new();
    let file = world.project().join(".ai/tools/text/make-slug.js");
    let text = fs::read_to_string(&file).expect("an example");
    fs::write(
        &file,
        text.replace("\"1.0.0\"", "\"1.0\"")
            .replace("\"text\";", "\"other\";"),
    )
    .expect("a file");
    let (checked, code) = world.json(&["tools", "check", "text/make-slug", "--format", "json"]);
    assert_eq!(code, 1);
    let said: Vec<(&str, u64, u64)> = checked["tools"][0]["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .map(|one| {
            (
                one["code"].as_str().expect("a code"),
                one["line"].as_u64().expect("a line"),
                one["column"].as_u64().expect("a column"),
            )
        })
        .collect();
    assert_eq!(said, [("R05", 3, 28), ("R04", 6, 29)]);
    assert!(world.toolglot(&["tools", "keys", "new"]).status.success());
    let (signed, code) = world.json(&["tools", "sign", "text/*", "--format", "json"]);
    assert_eq!(code, 1);
    let status = |id: &str| {
        let tools = signed["tools"].as_array().expect("tools").iter();
        let tool = tools
            .clone()
            .find(|tool| tool["id"] == json!(id))
            .expect("it was named");
        tool["status"].clone()
    };
    assert_eq!(status("text/make-slug"), json!("refused"));
    assert_eq!(status("text/count-words"), json!("signed"));
    let (again, _) = world.json(&[
        "tools",
        "sign",
        ".ai/tools/text/count-words.py",
        "--format",
        "json",
    ]);
    assert_eq!(again["tools"][0]["status"], json!("unchanged"));
    let (verified, code) = world.json(&["tools", "verify", "text/count-words", "--format", "json"]);
    assert_eq!(
        (&verified["tools"][0]["standing"]["owner"], code),
        (&json!("local"), 0)
    );
}

#[test]
fn new_tools_keep_the_rules_whatever_they_are_called() {
    let world = World::new();
    for (id, language) in [
        ("n/true", "yaml"),
        ("12/34", "yaml"),
        ("n/123", "bash"),
        ("n/1.5", "bash"),
        ("n/null", "toml"),
        ("n/Greet_thing", "yaml"),
        ("n/Other_thing", "bash"),
    ] {
        let made = world.toolglot(&["tools", "new", id, "--language", language]);
        assert!(made.status.success(), "{id}: {made:?}");
        let (checked, _) = world.json(&["tools", "check", id, "--format", "json"]);
        assert!(
            !checked.to_string().contains("\"error\""),
            "{id}: {checked}"
        );
    }
    // Of two files with one id one would never be used.
    let again = world.toolglot(&["tools", "new", "n/true", "--language", "python"]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("is `n/true` already"), "{said}");
}

#[test]
fn a_model_that_signs_changes_files() {
    let world = World::new();
    assert!(world.toolglot(&["tools", "keys", "new"]).status.success());
    let file = world.project().join(".ai/tools/text/count-words.py");
    let before = fs::read_to_string(&file).expect("a file");
    fs::write(
        world.project().join("message.txt"),
        "<tool_call>{\"name\": \"rye_sign\", \"arguments\": {\"item_id\": \"text/count-words\"}}</tool_call>",
    )
    .expect("a file");
    let policy = world.project().join("policy.toml");
    let run = |rules: &str| -> Value {
        fs::write(
            &policy,
            format!("version = 1\ndefault = \"allow\"\n{rules}"),
        )
        .expect("a file");
        let (record, _) = world.json(&[
            "run",
            "message.txt",
            "--capability",
            "rye.sign",
            "--policy",
            "policy.toml",
            "--format",
            "json",
        ]);
        record["calls"][0].clone()
    };
    for rules in [
        "[[rule]]\nid = \"no-writing\"\ndecision = \"deny\"\ncapabilities = [\"write\"]\n",
        "[[rule]]\nid = \"no-writing\"\ndecision = \"deny\"\npaths = [\".ai/**\"]\n",
    ] {
        let call = run(rules);
        assert_eq!(call["verdict"]["decision"], json!("deny"), "{call}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), before);
    }
    let call = run("");
    assert_eq!(call["result"]["output"]["success"], json!(true), "{call}");
    assert!(
        fs::read_to_string(&file)
            .expect("a file")
            .starts_with("# rye:signed:")
    );
}

#[test]
fn models_call_tools_by_id_by_server_and_by_verb() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.trust_all();
    let run = |dialect: &str, message: &str| -> Value {
        fs::write(world.project().join("message.txt"), message).expect("a file");
        world
            .json(&[
                "run",
                "message.txt",
                "--dialect",
                dialect,
                "--format",
                "json",
            ])
            .0
    };
    let record = run(
        "rye_invoke",
        "<invoke name=\"rye_execute\">\n<parameter name=\"item_id\">text/make-slug</parameter>\n<parameter name=\"parameters\">{\"title\": \"A b\"}</parameter>\n</invoke>\n<invoke name=\"text/make-slug\">\n<parameter name=\"title\">C d</parameter>\n<parameter name=\"max_length\">1</parameter>\n</invoke>",
    );
    let results: Vec<&Value> = (0..2)
        .map(|i| &record["calls"][i]["result"]["output"]["output"])
        .collect();
    assert_eq!(results, [&json!("a-b"), &json!("c")], "{record}");
    let record = run(
        "forge",
        "<tool><server_name>text</server_name><tool_name>make-slug</tool_name><arguments><title>E f</title></arguments></tool>",
    );
    assert_eq!(
        record["calls"][0]["result"]["output"]["output"],
        json!("e-f"),
        "{record}"
    );
    let record = run(
        "hermes",
        "<tool_call>{\"name\": \"rye_search\", \"arguments\": {\"query\": \"slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye_load\", \"arguments\": {\"item_id\": \"text/make-slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye_sign\", \"arguments\": {\"item_id\": \"text/make-slug\"}}</tool_call>\n<tool_call>{\"name\": \"rye/bash/bash\", \"arguments\": {\"command\": \"id\"}}</tool_call>\n<tool_call>{\"name\": \"text/make-slug\", \"arguments\": {\"titel\": \"x\"}}</tool_call>",
    );
    let call = |i: usize| &record["calls"][i];
    assert_eq!(
        call(0)["result"]["output"]["data"][0]["item_id"],
        json!("text/make-slug")
    );
    assert!(
        call(1)["result"]["output"]["data"]["text"]
            .as_str()
            .expect("a text")
            .contains("normalize")
    );
    for (i, rule) in [
        (2, "not-granted"),
        (3, "not-granted"),
        (4, "invalid-arguments"),
    ] {
        assert_eq!(
            (&call(i)["verdict"]["rule"], &call(i)["result"]),
            (&json!(rule), &Value::Null)
        );
    }
    let half = run(
        "hermes",
        "<tool_call>{\"name\": \"text/make-slug\", \"arguments\": {\"title\": \"x",
    );
    assert_eq!(half["calls"][0]["result"], Value::Null);
}

#[test]
fn a_client_of_mcp_lists_and_calls_tools() {
    use std::io::Write;
    if !can_run() {
        return;
    }
    let world = World::new();
    assert!(
        world
            .toolglot(&["tools", "trust", "text/*"])
            .status
            .success()
    );
    let mut server = Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .arg("mcp")
        .current_dir(world.project())
        .env("USER_SPACE", world.folder.path().join("home"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let requests = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"two","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"text/make-slug","arguments":{"title":"A b"}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"text/make-slug","arguments":{"titel":"A b"}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"repo/show-date"}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"no-such-tool"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#,
        "{not json",
        r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
    ];
    let mut input = server.stdin.take().expect("a pipe");
    input
        .write_all((requests.join("\n") + "\n").as_bytes())
        .expect("it reads");
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    let mut answers: Vec<Value> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // Calls run beside each other, so their answers come as they are done.
    let wanted = json!([1, "two", 3, 4, 5, 6, 7, null, 8]);
    let wanted = wanted.as_array().expect("a list");
    answers.sort_by_key(|answer| wanted.iter().position(|id| *id == answer["id"]));
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, wanted.iter().collect::<Vec<_>>());
    assert_eq!(answers[0]["result"]["protocolVersion"], json!("2024-11-05"));
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        names.contains(&"text.make-slug") && names.contains(&"rye.bash.bash"),
        "{names:?}"
    );
    assert!(!names.contains(&"repo.show-date"), "nobody trusts it");
    assert_eq!(
        answers[2]["result"]["structuredContent"],
        json!({"success": true, "output": "a-b"})
    );
    for (i, code) in [(3, "invalid-arguments"), (4, "unsigned")] {
        assert_eq!(answers[i]["result"]["isError"], json!(true));
        assert_eq!(
            answers[i]["result"]["structuredContent"]["code"],
            json!(code)
        );
    }
    for (i, code) in [(5, -32602), (6, -32601), (7, -32700)] {
        assert_eq!(answers[i]["error"]["code"], json!(code));
    }
}
