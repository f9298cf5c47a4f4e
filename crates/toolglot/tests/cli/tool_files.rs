//! `toolglot tools` on the project of `examples/tools`.

use std::fs;

use toolglot_value::json;

use crate::cli::tool_project::{World, can_run};

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
    let notes = |words: &[&str]| -> Vec<String> {
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
    assert_eq!(notes(&[]), [missing]);
    let shown = world.toolglot(&["tools", "check", "fast/do-it"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("do-it.yaml:4:14"), "{shown}");
    file("own-oen", "runtime", "subprocess");
    let shown = world.toolglot(&["tools", "check", "fast/do-it"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("did you mean `fast/own-oen`?"), "{shown}");
    fs::remove_file(folder.join("own-oen.yaml")).expect("it is there");
    assert_eq!(notes(&["fast/do-it"]), [missing]);
    // A file that is given by its path belongs to the project that contains it.
    assert_eq!(
        notes(&[".ai/tools/fast/do-it.yaml", "--root", "/"]),
        [missing]
    );
    file("own-one", "runtime", "fast/other-one");
    file("other-one", "runtime", "fast/own-one");
    assert_eq!(notes(&[]).len(), 3);
    assert!(
        notes(&[])[0].contains("go round in a circle"),
        "{:?}",
        notes(&[])
    );
    file("other-one", "runtime", "subprocess");
    assert!(notes(&[]).is_empty());
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
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    for reason in [
        "cannot read `text/lost-one.yaml`: it is a link to what is not there",
        "cannot read `text/round-a.yaml`: its links lead in a circle",
        "`text/two words.yaml` is not a tool: ",
        "`text/big-one.yaml` has",
    ] {
        assert!(report.contains(reason), "{report}");
    }
    // The other tools are checked all the same.
    let checked = String::from_utf8_lossy(&output.stdout);
    assert!(checked.contains(" tools: 0 errors"), "{checked}");
    let shown = |words: &[&str]| -> String {
        String::from_utf8_lossy(&world.toolglot(words).stderr).into_owned()
    };
    assert_eq!(
        shown(&["tools", "check", "/no/such.py"]),
        "error: there is no file /no/such.py\n"
    );
    assert!(shown(&["tools", "new", "text/new-one"]).is_empty());
    assert!(shown(&["tools", "new", "text/new-one"]).contains("is there already"));
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
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        report.contains(&format!("delete `~/.ai/trusted_keys/{key}.toml`")),
        "{report}"
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
    let report = || -> String {
        let output = world.toolglot(&["tools", "check", "mcp/near/do-it"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for folder in ["mcp/near", "mcp/servers"] {
        fs::create_dir_all(world.project().join(".ai/tools").join(folder)).expect("a folder");
    }
    file("mcp/servers/near");
    assert!(
        report().contains("there is no server `mcp/servers/near`"),
        "{}",
        report()
    );
    assert!(report().contains("do-it.yaml:6:18"), "{}", report());
    file("text/count-words");
    assert!(
        report().contains("`text/count-words` is not a server"),
        "{}",
        report()
    );
    world.file(
        "mcp/servers/near.yaml",
        "tool_type: mcp_server\nversion: \"1.0.0\"\nexecutor_id: null\ncategory: mcp/servers\ndescription: Serves\nconfig: {command: x}\n",
    );
    file("mcp/servers/near");
    assert!(!report().contains("F08"), "{}", report());
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
    let output = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(
        output,
        "error: unknown tool `find-notes`; did you mean `repo/find-notes`?\n"
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
    let found: Vec<(&str, u64, u64)> = checked["tools"][0]["diagnostics"]
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
    assert_eq!(found, [("R05", 3, 28), ("R04", 6, 29)]);
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
    // If two files had one id, one of them would never be used.
    let again = world.toolglot(&["tools", "new", "n/true", "--language", "python"]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let output = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(output.contains("is `n/true` already"), "{output}");
}
