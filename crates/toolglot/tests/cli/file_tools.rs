//! Messages about wrong calls of tools that are files, and which of these tools a model learns of.

use toolglot_value::json;

use crate::cli::tool_project::{World, can_run};

fn hermes(name: &str, arguments: &toolglot_value::Value) -> String {
    let call = json!({"name": name, "arguments": arguments});
    format!("<tool_call>{call}</tool_call>")
}

#[test]
fn a_wrong_call_of_a_file_is_answered_with_the_files_form() {
    let world = World::new();
    world.trust_all();
    for (name, arguments, expected) in [
        (
            "text/make-slug",
            json!({"titel": "x"}),
            "rename `titel` to `title`",
        ),
        (
            "text/make-slugg",
            json!({"title": "x"}),
            "did you mean `text/make-slug`?",
        ),
    ] {
        let answer = world.run(&hermes(name, &arguments), &[]);
        assert!(answer.contains(expected), "{answer}");
        let (_, form) = answer.split_once("The right form is").expect("a form");
        assert!(form.contains("text/make-slug\""), "{answer}");
    }
}

#[test]
fn rye_execute_takes_the_project_here_and_no_other() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.trust_all();
    let here = world.project().display().to_string();
    for (project, expected) in [
        (here.as_str(), "a-b"),
        (".", "a-b"),
        ("/", "`/` is not the project here"),
    ] {
        let arguments = json!({"item_type": "tool", "item_id": "text/make-slug", "parameters": {"title": "A b"}, "project_path": project});
        let answer = world.run(&hermes("rye_execute", &arguments), &[]);
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn a_model_is_told_of_what_may_run_only() {
    let world = World::new();
    world.file(
        "read_file.yaml",
        "tool_id: read-file\ntool_type: script\nversion: \"1.0.0\"\ncategory: \"\"\nexecutor_id: bash\ndescription: Reads\nconfig: {command: ls}\n",
    );
    world.toolglot(&["tools", "trust", "text/make-slug", "read_file"]);
    let output = world.toolglot(&["prompt", "--dialect", "hermes", "--tools", "."]);
    let report = String::from_utf8_lossy(&output.stdout);
    let left_out = String::from_utf8_lossy(&output.stderr);
    assert!(report.contains("## text/make-slug"), "{report}{left_out}");
    for name in ["text/count-words", "read_file"] {
        assert!(!report.contains(&format!("## {name}\n")), "{report}");
        assert!(left_out.contains(name), "{left_out}");
    }
}

#[test]
fn a_new_tool_has_the_extension_that_was_named() {
    let world = World::new();
    for extension in ["mjs", "cjs", "yml", ".ts"] {
        let id = format!("made/make-{}", extension.trim_start_matches('.'));
        let made = world.toolglot(&["tools", "new", &id, "-l", extension]);
        let file = String::from_utf8_lossy(&made.stdout).trim().to_owned();
        assert!(file.ends_with(extension), "{file}");
        let checked = world.toolglot(&["tools", "check", &id]);
        assert!(checked.status.success(), "{checked:?}");
    }
}

#[test]
fn a_file_that_another_stands_before_is_told() {
    let world = World::new();
    world.file("text/make-slug.toml", "");
    let listed = world.toolglot(&["tools", "list"]);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        text.contains("`text/make-slug.toml` is never used"),
        "{text}"
    );
    let checked = world.toolglot(&["tools", "check"]);
    let text = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(text.contains("is never used"), "{text}");
}

#[test]
fn a_listing_and_a_check_count_the_same_errors() {
    let world = World::new();
    let head = "__tool_type__ = 'python'\n__executor_id__ = 'python/function'\n__category__ = 'text'\n__tool_description__ = 'Cuts'\n";
    let code = "def execute(params, project_path):\n    return 1\n";
    world.file(
        "text/cut-word.py",
        &format!("__version__ = '1.0'\n{head}{code}"),
    );
    world.file(
        "text/cut-line.py",
        &format!("__version__ = '1.0.0'\n{head}{code}"),
    );
    let told = |words: &[&str]| {
        let told = world.toolglot(words);
        String::from_utf8_lossy(&told.stdout).into_owned() + &String::from_utf8_lossy(&told.stderr)
    };
    let listed = told(&["tools", "list"]);
    assert!(
        listed.contains("(2 errors: `toolglot tools check text/cut-word`)"),
        "{listed}"
    );
    assert!(
        listed.contains("(1 error: `toolglot tools check text/cut-line`)"),
        "{listed}"
    );
    for (id, codes) in [
        ("text/cut-word", ["R05", "R11"]),
        ("text/cut-line", ["R11", "R11"]),
    ] {
        let checked = told(&["tools", "check", id]);
        assert!(codes.iter().all(|code| checked.contains(code)), "{checked}");
    }
}

#[test]
fn arguments_that_are_no_object_are_told_to_be_one() {
    let world = World::new();
    for args in ["[]", "{bad"] {
        let called = world.toolglot(&["call", "text/make-slug", "--args", args]);
        let output = String::from_utf8_lossy(&called.stderr).into_owned();
        assert!(output.contains("`--args` is not a JSON object"), "{output}");
    }
}

#[test]
fn what_is_to_be_said_of_a_tool_and_its_attempts_is_said() {
    if !can_run() {
        return;
    }
    let world = World::new();
    world.file(
        "text/old-one.yaml",
        "tool_id: old-one\ntool_type: script\nversion: \"1.0.0\"\ncategory: text\nexecutor_id: bash\ndescription: Fails\nmetadata: {deprecated: use text/make-slug}\nretry_policy: {max_attempts: 3, backoff_type: fixed, initial_delay: 0.01}\nconfig: {command: exit 75}\n",
    );
    world.trust_all();
    let note = "`text/old-one` is deprecated: use text/make-slug";
    let document = |words: &[&str]| {
        let output = world.toolglot(words);
        toolglot_value::from_slice(&output.stdout).expect("JSON")
    };
    let called = document(&["call", "text/old-one", "--format", "json", "--audit", "log"]);
    assert_eq!(called["notes"], json!([note]));
    let log = std::fs::read_to_string(world.project().join("log")).expect("a log");
    let lines: Vec<toolglot_value::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(events, ["before", "attempt", "attempt", "attempt", "after"]);
    assert_eq!(
        (
            &lines[1]["number"],
            &lines[1]["delay_ms"],
            &lines[1]["result"]["ok"]
        ),
        (&json!(1), &json!(10), &json!(false)),
        "{log}"
    );
    assert_eq!(
        (&lines[3]["number"], &lines[3]["delay_ms"]),
        (&json!(3), &json!(null))
    );
    assert!(world.toolglot(&["audit", "verify", "log"]).status.success());
    std::fs::write(
        world.project().join("message"),
        hermes("text/old-one", &json!({})),
    )
    .expect("a file");
    let ran = document(&["run", "--dialect", "hermes", "--format", "json", "message"]);
    assert_eq!(ran["calls"][0]["result"]["notes"], json!([note]));
    let report = world.toolglot(&["run", "--dialect", "hermes", "--format", "human", "message"]);
    let report = String::from_utf8_lossy(&report.stderr).into_owned();
    assert!(report.contains(&format!("note: {note}")), "{report}");
}

#[test]
fn a_new_tool_is_told_what_its_name_breaks() {
    let world = World::new();
    for (id, word, file, expected) in [
        ("text/trim-text", "Python", "text/trim-text.py", ""),
        ("text/trim", ".PY", "text/trim.py", "is one word"),
        ("text/é-è", "bash", "text/é-è.sh", "letters a to z"),
    ] {
        let made = world.toolglot(&["tools", "new", id, "--language", word]);
        let (out, said_on) = (
            String::from_utf8_lossy(&made.stdout).into_owned(),
            String::from_utf8_lossy(&made.stderr).into_owned(),
        );
        assert_eq!(out, format!(".ai/tools/{file}\n"), "{said_on}");
        assert!(said_on.contains(expected), "{said_on}");
        assert_eq!(said_on.is_empty(), expected.is_empty(), "{said_on}");
    }
    let again = world.toolglot(&["tools", "new", "text/trim", "--language", ".py"]);
    let output = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(output.contains("is there already"), "{output}");
}

#[test]
fn an_error_says_its_reason_once() {
    let world = World::new();
    std::fs::create_dir_all(world.project().join(".ai/trusted_keys/x.toml")).expect("made");
    std::fs::create_dir(world.project().join(".ai/toolglot.lock")).expect("made");
    let output = world.toolglot(&["tools", "list"]);
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.trim_end().ends_with("is damaged: it is not a file"),
        "{output}"
    );
}

#[test]
fn what_was_granted_is_told_as_granted() {
    if !can_run() {
        return;
    }
    let world = World::new();
    std::fs::write(
        world.project().join("message"),
        hermes("rye/bash/bash", &json!({"command": "true"})),
    )
    .expect("a file");
    let words = ["run", "--dialect", "hermes", "--format", "json", "message"];
    let run = |more: &[&str]| {
        let words: Vec<&str> = words.iter().chain(more).copied().collect();
        let output = world.toolglot(&words);
        let record: toolglot_value::Value =
            toolglot_value::from_slice(&output.stdout).expect("JSON");
        record["calls"][0]["verdict"].clone()
    };
    assert_eq!(
        run(&["--allow", "shell.execute"]),
        json!({"decision": "allow", "rule": "granted", "because": "`rye/bash/bash` needs shell.execute, which is granted"})
    );
    assert_ne!(run(&[])["decision"], "allow");
}

#[test]
fn arguments_in_which_a_key_stands_twice_are_none() {
    let world = World::new();
    world.trust_all();
    for args in [
        r#"{"title": "a", "title": "b"}"#,
        r#"{"title": "a", "more": [{"x": 1, "x": 2}]}"#,
    ] {
        let output = world.toolglot(&["call", "text/make-slug", "--args", args]);
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.contains("duplicate key"), "{output}");
    }
}

/// `verify`, `show`, `list` and `check` report what `call` would do with a tool.
#[test]
fn every_command_gives_one_answer_about_a_tool() {
    let world = World::new();
    let yaml = |name: &str, rest: &str| {
        format!(
            "version: \"1.0.0\"\ntool_type: script\ncategory: text\ndescription: Says it\n# {name}\n{rest}"
        )
    };
    let cases = [
        (
            "say-well",
            yaml("say-well", "executor_id: bash\nconfig: {command: echo}\n"),
            true,
            true,
        ),
        (
            "say-unsigned",
            yaml(
                "say-unsigned",
                "executor_id: bash\nconfig: {command: echo}\n",
            ),
            false,
            false,
        ),
        (
            "say-lost",
            yaml("say-lost", "executor_id: text/none\n"),
            true,
            false,
        ),
        (
            "say-nobody",
            yaml("say-nobody", "config: {command: echo}\n"),
            true,
            false,
        ),
        (
            "say-server",
            yaml(
                "say-server",
                "executor_id: mcp/stdio\nconfig: {server: text/none, tool_name: a}\n",
            ),
            true,
            false,
        ),
        (
            "say-data",
            yaml("say-data", "executor_id: null\n").replace("script", "events"),
            true,
            false,
        ),
        (
            "say-nothing",
            yaml("say-nothing", "executor_id: subprocess\n"),
            true,
            false,
        ),
    ];
    let run = |words: &[&str]| {
        let out = world.toolglot(words);
        toolglot_value::from_slice(&out.stdout).expect("an answer")
    };
    for (name, text, ..) in &cases {
        world.file(&format!("text/{name}.yaml"), text);
    }
    // Trust is requested despite faults, since `tools sign` signs no broken file.
    let ids: Vec<String> = cases
        .iter()
        .map(|case| format!("text/{}", case.0))
        .collect();
    for (id, case) in ids.iter().zip(&cases) {
        if case.2 {
            let _ = world.toolglot(&["tools", "trust", id]);
        }
    }
    let listed = run(&["tools", "list", "--format", "json"]);
    for (id, (_, _, _, runs)) in ids.iter().zip(&cases) {
        let called = run(&["call", id, "--dry-run"]);
        let expected = called["runs"] == true;
        assert_eq!(expected, *runs, "{called}");
        let verified = run(&["tools", "verify", id, "--format", "json"]);
        let shown = run(&["tools", "show", id, "--format", "json"]);
        let checked = run(&["tools", "check", id, "--format", "json"]);
        let mut rows = listed["tools"].as_array().expect("rows").iter();
        let row = rows
            .find(|row| row["id"] == id.as_str())
            .expect("it is listed");
        for answer in [&verified["tools"][0], &shown, &checked["tools"][0], row] {
            let standing = &answer["standing"];
            assert_eq!(standing["runs"], expected, "{id}: {answer}");
            if !expected {
                assert_eq!(standing["message"], called["error"], "{id}");
                assert_eq!(standing["code"], called["code"], "{id}");
            }
        }
    }
}
