use serde_json::json;

use crate::{Ran, toolglot};

/// The dialects that write calls; `chat` is only what may stand around them.
fn dialects() -> Vec<String> {
    let list = toolglot(&["dialects", "list"], "").out;
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "chat")
        .map(str::to_owned)
        .collect()
}

/// A dialect whose rules fix their tool cannot teach another one, and says so.
fn is_of_one_tool(ran: &Ran) -> bool {
    ran.code == 2 && ran.err.contains("and no tool that is given is such")
}

#[test]
fn no_hole_stays_open() {
    for dialect in dialects() {
        let ran = toolglot(&["prompt", "--dialect", &dialect], "");
        if is_of_one_tool(&ran) {
            continue;
        }
        assert_eq!(ran.code, 0, "{dialect}: {}", ran.err);
        assert!(!ran.out.contains("{{"), "{dialect}: {}", ran.out);
        assert!(ran.out.contains("read_file"), "{dialect}: {}", ran.out);
    }
}

#[test]
fn the_examples_are_calls_that_are_read() {
    for dialect in dialects() {
        let ran = toolglot(&["prompt", "--dialect", &dialect], "");
        if is_of_one_tool(&ran) {
            continue;
        }
        let prompt = ran.out;
        // Some dialects read calls only where the message begins, as a model would write them.
        let (_, examples) = prompt.split_once(":\n\n").expect("an example is announced");
        let parse = ["parse", "--dialect", &dialect, "--format", "json"];
        let mut parsed = toolglot(&parse, examples).json();
        if parsed["calls"][0].is_null() {
            // Where only a known name marks a call, the names must be known.
            let known = [&parse[..], &["--tools", "builtin:workspace"]].concat();
            parsed = toolglot(&known, examples).json();
        }
        let calls = &parsed["calls"];
        assert_eq!(calls[0]["end"], "closed", "{dialect}: {prompt}");
    }
}

#[test]
fn tools_of_a_file_are_described() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("tools.json");
    let tools = r#"{"move": {"type": "object", "properties": {"to": {"enum": ["up", "down"], "description": "Where to."}}, "required": ["to"]}}"#;
    std::fs::write(&file, tools).expect("it is written");
    let path = file.to_str().expect("the path is text");
    let ran = toolglot(&["prompt", "--dialect", "hermes", "--tools", path], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("## move\n"), "{}", ran.out);
    assert!(
        ran.out
            .contains("- to (one of \"up\", \"down\", required): Where to."),
        "{}",
        ran.out
    );
}

#[test]
fn without_a_dialect_the_choice_is_explained() {
    let ran = toolglot(&["prompt"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("TOOL_CALL:"), "{}", ran.out);
    assert!(ran.err.contains("`tool_call`"), "{}", ran.err);
}

/// Of the tools that are given those are taught that the dialect has a call of.
#[test]
fn a_dialect_of_one_tool_teaches_that_one() {
    let schema = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let directory = tempfile::tempdir().expect("a directory");
    let tools = directory.path().join("tools.json");
    let list = json!({"execute_command": schema("command"), "ping": schema("host")});
    std::fs::write(&tools, list.to_string()).expect("it is written");
    let tools = tools.to_str().expect("it is UTF-8");
    let ran = toolglot(&["prompt", "--dialect", "swe_agent", "--tools", tools], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("left out: `ping`"), "{}", ran.err);
    assert!(!ran.out.contains("ping"), "{}", ran.out);
    let ran = toolglot(&["prompt", "--dialect", "aider", "--tools", tools], "");
    let why = "`aider` has calls of `edit_file` with `search` and `replace` alone";
    assert!(ran.code == 2 && ran.err.contains(why), "{}", ran.err);
}
