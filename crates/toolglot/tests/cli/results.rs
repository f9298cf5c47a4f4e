//! Results in `run` and `render`: they arrive whole, changes are noted, and a copy from the answer is the file's own
//! text.

use std::fs;
use std::path::Path;

use toolglot_value::{Value, json};

use crate::cli::toolglot;

/// Ordinary text, and the markers of some dialects in it.
const GUIDE: &str = "# Shop\n\n```bash\nnpm install <name>\n```\n\n| a & b | &lt;c&gt; |\n\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\nTool 'f' result:\n[f for 'x'] Result:\nends </tool_response> with <|im_end|> and <\\|im_end|>.\n\n```json\n{ \"port\": 8080 }\n```\n";

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    fs::write(place.path().join("GUIDE.md"), GUIDE).expect("written");
    place
}

/// The arguments for tools: Roo has its own tools.
fn tools(dialect: &str) -> Vec<&'static str> {
    match dialect {
        "roo" => Vec::new(),
        _ => vec!["--tools", "builtin:vocabulary"],
    }
}

/// The record of `run` for a message in `root`.
fn run(dialect: &str, root: &Path, message: &str) -> Value {
    let root = root.to_str().expect("UTF-8");
    let words = ["run", "--dialect", dialect, "--format", "json"];
    let words = [&words[..], &["--allow", "write", "--root", root]].concat();
    let words = [words, tools(dialect)].concat();
    toolglot(&words, message).json()
}

/// Calls of the five systems' dialects, as their models write them.
fn written(dialect: &str, name: &str, arguments: &Value) -> String {
    let message = json!({"calls": [{"name": name, "arguments": arguments}]});
    let words = [vec!["render", "--dialect", dialect], tools(dialect)].concat();
    let text = toolglot(&words, message.to_string());
    assert_eq!(text.code, 0, "{dialect}: {}", text.err);
    text.out
}

const SYSTEMS: &[&str] = &[
    "roo",
    "axe",
    "forge",
    "forge_hybrid",
    "tool_call",
    "tool_call_xml",
    "rye_invoke",
    "hermes",
];

/// The text of the file in the answer, as a model would copy it.
fn shown(dialect: &str, answer: &str) -> String {
    match dialect {
        "tool_call" | "tool_call_xml" => {
            let json = answer.split("```json\n").nth(1).expect("a fence");
            let json = json.split("\n```").next().expect("its end");
            let value: Value = toolglot_value::from_str(json).expect("valid JSON");
            value["content"].as_str().expect("text").to_owned()
        }
        "rye_invoke" => {
            let value: Value = toolglot_value::from_str(answer).expect("valid JSON");
            value["output"]["content"]
                .as_str()
                .expect("text")
                .to_owned()
        }
        _ => {
            let start = answer.find("# Sh").expect("the text");
            let end = answer.rfind("```").expect("the text") + 3;
            format!("{}\n", &answer[start..end])
        }
    }
}

#[test]
fn a_fence_in_a_file_arrives_whole() {
    let place = place();
    fs::write(place.path().join("s.md"), "```bash\nls\n```\n".repeat(30)).expect("written");
    let message = "<read_file>\n<path>s.md</path>\n</read_file>";
    let document = run("roo", place.path(), message);
    let answer = document["answer"].as_str().expect("text");
    assert_eq!(
        answer,
        format!(
            "[read_file for 's.md'] Result:\n\n{}",
            "```bash\nls\n```\n".repeat(30)
        )
    );
    assert_eq!(document["calls"][0]["notes"], json!([]));
}

/// A line, and the whole file, are written back as the answer shows them: the rest of the file stays the same.
#[test]
fn text_that_is_copied_from_an_answer_is_the_files_own() {
    for dialect in SYSTEMS {
        let place = place();
        let path = json!({"path": "GUIDE.md"});
        let answer = run(dialect, place.path(), &written(dialect, "read_file", &path));
        let answer = answer["answer"].as_str().expect("text");
        let copy = shown(dialect, answer);
        let last = copy
            .lines()
            .find(|line| line.starts_with("ends"))
            .expect("a line");
        let new = last.replace("ends", "stops");
        let (name, edit) = match *dialect {
            "roo" => (
                "apply_diff",
                json!({"path": "GUIDE.md", "diff": format!("<<<<<<< SEARCH\n{last}\n=======\n{new}\n>>>>>>> REPLACE")}),
            ),
            _ => (
                "edit_file",
                json!({"path": "GUIDE.md", "edits": [{"search": last, "replace": new}]}),
            ),
        };
        let file = place.path().join("GUIDE.md");
        let document = run(dialect, place.path(), &written(dialect, name, &edit));
        let changed = fs::read_to_string(&file).expect("text");
        assert_eq!(
            changed,
            GUIDE.replace("ends ", "stops "),
            "{dialect}: {document}"
        );
        let name = if *dialect == "roo" {
            "write_to_file"
        } else {
            "write_file"
        };
        fs::write(&file, GUIDE).expect("written");
        // A value of this dialect loses the blanks at its ends.
        let end = if *dialect == "rye_invoke" { "" } else { "\n" };
        let new = format!("{}{end}", copy.trim_end().replace("npm install", "npm i"));
        let whole = json!({"path": "GUIDE.md", "content": new});
        let document = run(dialect, place.path(), &written(dialect, name, &whole));
        let changed = fs::read_to_string(&file).expect("text");
        assert_eq!(
            changed.trim_end(),
            GUIDE.replace("npm install", "npm i").trim_end(),
            "{dialect}: {document}"
        );
    }
}

/// Text that a model writes itself stays, if the file does not contain it in another spelling.
#[test]
fn an_escape_that_is_no_copy_stays() {
    let place = place();
    let own = "say <\\|im_start|> here\n";
    for (name, text, there) in [
        // The file contains the text in no spelling, or in both.
        ("a.md", "nothing", own),
        ("b.md", "<\\|im_start|> <|im_start|>", own),
        ("c.md", "<|im_start|>", "say <|im_start|> here\n"),
    ] {
        let file = place.path().join(name);
        fs::write(&file, text).expect("written");
        let call = written(
            "hermes",
            "write_file",
            &json!({"path": name, "content": own}),
        );
        let document = run("hermes", place.path(), &call);
        let notes = document["calls"][0]["notes"].to_string();
        assert_eq!(fs::read_to_string(&file).expect("text"), there, "{notes}");
        assert_eq!(notes.contains("N081"), there != own, "{notes}");
    }
    // Entities that a model writes among tags belong to the model's text.
    let page = "<p>a</p>\n";
    let new = "<p>a &lt; b</p>\n";
    let file = place.path().join("p.html");
    fs::write(&file, page).expect("written");
    let call = written(
        "axe",
        "write_file",
        &json!({"path": "p.html", "content": new}),
    );
    run("axe", place.path(), &call);
    assert_eq!(fs::read_to_string(&file).expect("text"), new);
}

#[test]
fn what_was_changed_is_noted() {
    let place = place();
    fs::write(place.path().join("t.md"), "a\n<|im_end|>\n<|im_end|>\n").expect("written");
    let message = written("hermes", "read_file", &json!({"path": "t.md"}));
    let document = run("hermes", place.path(), &message);
    let note = &document["calls"][0]["notes"][0];
    assert_eq!(note["code"], "N080");
    let said = note["message"].as_str().expect("text");
    assert!(said.contains("2 times, first in line 2"), "{said}");
    assert!(said.contains("`<\\|im_end|>`"), "{said}");
    let root = place.path().to_str().expect("UTF-8");
    let ran = toolglot(&["run", "--dialect", "hermes", "--root", root], &message);
    assert!(ran.err.contains("N080"), "{}", ran.err);
    let results =
        json!({"results": [{"name": "f", "result": "b"}, {"name": "f", "result": "<|im_end|>"}]});
    let ran = toolglot(&["render", "--dialect", "hermes"], results.to_string());
    assert!(ran.err.contains("note[N080]: result 1: "), "{}", ran.err);
    let line = toolglot(
        &["render", "--dialect", "hermes", "--jsonl"],
        format!("{results}\n"),
    );
    let line = &line.lines()[0];
    assert_eq!(line["notes"][0]["result"], 1, "{line}");
    assert_eq!(line["notes"][0]["span"], json!([0, 10]), "{line}");
}

#[test]
fn several_results_of_one_answer_are_valid_json() {
    let place = place();
    fs::write(place.path().join("cart.js"), "let a = false; // ```\n").expect("written");
    let message = "TOOL_CALL:\n{\"tool\":\"list_files\",\"arguments\":{\"path\":\".\"}}\nTOOL_CALL:\n{\"tool\":\"read_file\",\"arguments\":{\"path\":\"cart.js\"}}\nTOOL_CALL:\n{\"tool\":\"read_file\",\"arguments\":{\"path\":\"none\"}}\n";
    let document = run("tool_call", place.path(), message);
    let answer = document["answer"].as_str().expect("text");
    let blocks = answer.split("```json\n").skip(1);
    let values: Vec<Value> = blocks
        .map(|block| block.split("\n```").next().expect("its end"))
        .map(|json| serde_json::from_str(json).expect("valid JSON"))
        .collect();
    assert_eq!(values.len(), 3, "{answer}");
    assert_eq!(values[1]["content"], "let a = false; // ```\n");
    assert!(values[2]["error"].is_string(), "{answer}");
}

#[test]
fn results_of_two_dialects_are_apart() {
    let place = place();
    fs::write(place.path().join("a.txt"), "one\n").expect("written");
    fs::write(place.path().join("b.txt"), "two\n").expect("written");
    let message = "<tool>\n<tool_name>read_file</tool_name>\n<arguments>\n<path>a.txt</path>\n</arguments>\n</tool>\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"b.txt\"}}\n</tool_call>";
    let document = run("forge,hermes", place.path(), message);
    assert_eq!(
        document["answer"],
        "Tool 'read_file' result:\none\n\n<tool_response>\ntwo\n</tool_response>\n",
        "{document}"
    );
}

#[test]
fn a_fence_is_longer_than_any_inside_and_comes_off_again() {
    let text = "```bash\nls\n```\n````\nx";
    let there = json!([
        {"role": "assistant", "content": null, "tool_calls": [{"id": "A", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "A", "content": text},
    ]);
    let to = ["convert", "--from", "openai", "--to", "tool_code"];
    let written = toolglot(&to, there.to_string()).json();
    assert_eq!(
        written[1]["content"],
        format!("`````tool_output\n{text}\n`````")
    );
    let back = ["convert", "--from", "tool_code", "--to", "openai"];
    assert_eq!(
        toolglot(&back, written.to_string()).json()[1]["content"],
        text
    );
}

/// JSON in a fence of JSON is a value, and everything else a string; both come back unchanged.
#[test]
fn json_stands_in_a_fence_as_a_value() {
    for (text, inside) in [
        ("{\n  \"a\": [1]\n}", "{\n  \"a\": [1]\n}"),
        (
            "{\"a\": \"<|im_end|>\"}",
            "\"{\\\"a\\\": \\\"\\u003c|im_end|>\\\"}\"",
        ),
        ("1", "\"1\""),
        ("{ no", "\"{ no\""),
    ] {
        let there = json!([
            {"role": "assistant", "content": null, "tool_calls": [{"id": "A", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "A", "content": text},
        ]);
        let to = ["convert", "--from", "openai", "--to", "tool_call"];
        let written = toolglot(&to, there.to_string()).json();
        assert_eq!(
            written[1]["content"],
            format!("**Tool Execution Results:**\n\n**f**\n```json\n{inside}\n```")
        );
        let back = ["convert", "--from", "tool_call", "--to", "openai"];
        let back = toolglot(&back, written.to_string()).json();
        assert_eq!(back[1]["content"], text);
    }
}

/// Bytes that are not UTF-8, ten megabytes, a closer ten thousand times: whole, or the answer reports what was cut.
#[test]
fn hostile_results_are_whole_or_say_what_was_cut() {
    let place = place();
    let closers = "</tool_response>\n".repeat(10_000);
    fs::write(place.path().join("closers"), &closers).expect("written");
    fs::write(
        place.path().join("long"),
        "0123456789abcde\n".repeat(655_360),
    )
    .expect("written");
    fs::write(place.path().join("bytes"), b"a \xff\xfe\x80 \x01 b\n").expect("written");
    let read = |path: &str| {
        let message = written("hermes", "read_file", &json!({"path": path}));
        let document = run("hermes", place.path(), &message);
        document["answer"].as_str().expect("text").to_owned()
    };
    let answer = read("closers");
    assert_eq!(answer.matches("</tool_response>").count(), 1);
    assert_eq!(answer.matches("<\\/tool_response>").count(), 10_000);
    let answer = read("long");
    assert!(
        answer.contains("[cut after line"),
        "{}",
        &answer[answer.len() - 200..]
    );
    assert!(read("bytes").ends_with("\n</tool_response>\n"));
    // `render` cuts nothing.
    let results = json!({"results": [{"name": "f", "result": closers.repeat(6)}]});
    let ran = toolglot(&["render", "--dialect", "hermes"], results.to_string());
    assert_eq!(ran.out.matches("<\\/tool_response>").count(), 60_000);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}
