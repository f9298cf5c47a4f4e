use toolglot_value::json;

use crate::cli::{Ran, toolglot};

/// The dialects that write calls; `chat` contains only what may surround calls.
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
    ran.code == 2 && ran.err.contains("and the given tools have other names")
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
        // Some dialects read calls only at the start of a message, as a model would write them.
        let (_, examples) = prompt.split_once(":\n\n").expect("an example is announced");
        let parse = ["parse", "--dialect", &dialect, "--format", "json"];
        let mut parsed = toolglot(&parse, examples).json();
        if parsed["calls"][0].is_null() {
            // If only a known name marks a call, the names must be known.
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

/// Of the given tools, only those with a call in the dialect are taught.
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
    let why = "`aider` only has calls of `edit_file` with `search` and `replace`";
    assert!(ran.code == 2 && ran.err.contains(why), "{}", ran.err);
}

/// Examples are written as `render` writes them. Lists and objects are shown if only optional parameters have them.
#[test]
fn examples_are_what_render_writes() {
    let directory = tempfile::tempdir().expect("a directory");
    let tools = directory.path().join("tools.json");
    let words = json!({"type": "array", "items": {"type": "string"}});
    let list = json!([{"type": "function", "function": {"name": "book_table", "parameters": {
        "type": "object", "required": ["guests"], "properties": {"guests": {"type": "integer"}, "tags": words,
        "contact": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}},
    }}}]);
    std::fs::write(&tools, list.to_string()).expect("it is written");
    let tools = tools.to_str().expect("it is UTF-8");
    let arguments =
        json!({"guests": 1, "tags": ["text", "more text"], "contact": {"name": "text", "age": 1}});
    let call = json!({"calls": [{"name": "book_table", "arguments": arguments}]}).to_string();
    for dialect in dialects() {
        let ran = toolglot(&["prompt", "--dialect", &dialect, "--tools", tools], "");
        if is_of_one_tool(&ran) {
            continue;
        }
        let written = toolglot(&["render", "--dialect", &dialect, "--tools", tools], &call);
        assert_eq!(written.code, 0, "{dialect}: {}", written.err);
        assert!(
            ran.out.contains(written.out.trim_end()),
            "{dialect}: {}\nin {}",
            written.out,
            ran.out
        );
    }
}

#[test]
fn roo_teaches_rows_of_answers_as_it_reads_them() {
    let ran = toolglot(&["prompt", "--dialect", "roo"], "");
    let row =
        "<follow_up><suggest>src/main.rs</suggest>\n<suggest>src/lib.rs</suggest></follow_up>";
    assert!(ran.out.contains(row), "{}", ran.out);
    let call = json!({"calls": [{"name": "ask_followup_question", "arguments": {"question": "Which?", "follow_up": [{"text": "a < b", "mode": "code"}, {"text": "b"}]}}]});
    let roo = ["--dialect", "roo", "--tools", "builtin:roo"];
    let text = toolglot(&[&["render"], &roo[..]].concat(), call.to_string()).out;
    let parse = ["parse", "--format", "json", "--normalize"];
    let read = toolglot(&[&parse[..], &roo].concat(), &text).json();
    assert_eq!(
        read["calls"][0]["arguments"], call["calls"][0]["arguments"],
        "{text}"
    );
}

/// A form is taught if it reaches a tool.
#[test]
fn axe_teaches_the_short_forms_of_the_tools_that_are_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("tools.json");
    let tools = path.to_str().expect("it is UTF-8");
    let text = |names: &[&str]| {
        let properties: toolglot_value::Map<_, _> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "string"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": names})
    };
    for (list, shown, hidden) in [
        (
            json!({"book": text(&["x"])}),
            &[][..],
            &["READ", "WRITE", "EXEC", "<bash>", "<shell>", "Short forms"][..],
        ),
        (
            json!({"read_file": text(&["path"]), "write_file": text(&["name"])}),
            &["```READ", "<read_file>", "Short forms"],
            &["WRITE", "EXEC", "<bash>", "<write_file path"],
        ),
        (
            json!({"execute_command": text(&["command"])}),
            &["```EXEC", "<bash>", "```bash"],
            &["READ", "WRITE"],
        ),
    ] {
        std::fs::write(&path, list.to_string()).expect("it is written");
        let ran = toolglot(&["prompt", "--dialect", "axe", "--tools", tools], "");
        assert_eq!(ran.code, 0, "{}", ran.err);
        for form in shown {
            assert!(ran.out.contains(form), "{form}: {}", ran.out);
        }
        for form in hidden {
            assert!(!ran.out.contains(form), "{form}: {}", ran.out);
        }
    }
}

/// Without a list, only tools that `run` can run are taught.
#[test]
fn tools_that_nothing_runs_are_not_taught() {
    for (dialect, there, missing) in [
        (
            "roo",
            "## read_file",
            &["browser_action", "switch_mode", "use_mcp_tool"][..],
        ),
        (
            "forge",
            "## apply_diff",
            &["add_note", "list_tags", "run_custom_tool"],
        ),
        (
            "tool_call",
            "## git_commit",
            &["list_dev_servers", "stop_dev_server"],
        ),
    ] {
        let ran = toolglot(&["prompt", "--dialect", dialect], "");
        assert!(ran.out.contains(there), "{dialect}: {}", ran.out);
        for name in missing {
            assert!(!ran.out.contains(name), "{dialect} {name}: {}", ran.out);
        }
    }
}

#[test]
fn a_dialect_whose_calls_are_fences_is_taught_with_its_fence() {
    const WARNING: &str = "Do not put a call in a code fence";
    for (dialect, is_fenced) in [
        ("tool_code", true),
        ("cohere_command_r_plus", true),
        ("hermes", false),
    ] {
        let ran = toolglot(
            &[
                "prompt",
                "--dialect",
                dialect,
                "--tools",
                "builtin:workspace",
            ],
            "",
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(
            ran.out.contains(WARNING),
            !is_fenced,
            "{dialect}\n{}",
            ran.out
        );
    }
}

#[test]
fn what_a_dialect_cannot_carry_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lines");
    let file = "dialect lines\ncall = line_start \"$ \" name (\" --\" key \" \" raw)* eol\n";
    std::fs::write(&path, file).expect("written");
    let path = path.to_str().expect("UTF-8");
    let tools = r#"{"note": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}"#;
    let ran = toolglot(&["prompt", "--dialect", path, "--tools", "-"], tools);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = "not shown: a text of several lines, which `lines` cannot carry: ";
    assert!(ran.err.contains(expected), "{}", ran.err);
    assert!(ran.out.contains("- A value is one line"), "{}", ran.out);
    assert!(!ran.out.contains("of several lines"), "{}", ran.out);
}
