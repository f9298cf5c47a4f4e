use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::{Ran, toolglot};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A copy of the project that the examples work on.
fn project() -> TempDir {
    let copy = tempfile::tempdir().expect("a directory");
    let from = examples().join("project");
    for file in ["README.md", "src/greet.py", "docs/release notes.md"] {
        let to = copy.path().join(file);
        fs::create_dir_all(to.parent().expect("it is inside")).expect("it is made");
        fs::copy(from.join(file), to).expect("it is copied");
    }
    copy
}

fn run(dialect: &str, root: &TempDir, more: &[&str]) -> Ran {
    let message = examples().join(format!("{dialect}.txt"));
    let text = |path: &Path| path.to_str().expect("the path is text").to_owned();
    let (message, root) = (text(&message), text(root.path()));
    let arguments = ["run", &message, "--dialect", dialect, "--root", &root];
    toolglot(&[&arguments[..], more].concat(), "")
}

/// Runs an example, and checks the states of its calls and a line of a file that it writes.
#[track_caller]
fn check(dialect: &str, states: &[&str], written: Option<(&str, &str)>) {
    let root = project();
    let ran = run(dialect, &root, &["--allow", "write", "--format", "json"]);
    let record = ran.json();
    let calls = record["calls"].as_array().expect("an array");
    let found: Vec<_> = calls.iter().map(|call| &call["state"]).collect();
    assert_eq!(found, states, "{}", ran.out);
    assert_eq!(
        ran.code,
        i32::from(states.contains(&"refused")),
        "{}",
        ran.err
    );
    if let Some((path, line)) = written {
        let text = fs::read_to_string(root.path().join(path)).expect("it is written");
        assert!(text.lines().any(|found| found == line), "{text}");
    }
}

#[test]
fn forge_writes_markup_in_cdata() {
    let line = "- README: how to add a language. A tag such as </content> or </tool> needs no escape here, a && b < c neither.";
    check("forge", &["done"; 3], Some(("out/what is left.md", line)));
}

#[test]
fn roo_runs_the_first_call() {
    let line = "A closing tag such as </b> may stand in a text, & so may <b>markup</b>.";
    check(
        "roo",
        &["done", "refused"],
        Some(("out/languages.md", line)),
    );
}

#[test]
fn axe_mixes_its_forms_in_the_order_of_the_message() {
    let line = "```bash";
    check("axe", &["done"; 4], Some(("out/usage.md", line)));
}

#[test]
fn tool_call_is_mended() {
    let line = "One module, three languages.";
    check("tool_call", &["done"; 3], Some(("out/summary.txt", line)));
}

#[test]
fn rye_reads_searches_and_appends() {
    check(
        "rye_invoke",
        &["done"; 3],
        Some(("out/log.txt", "One function: greet.")),
    );
}

#[test]
fn hermes_keeps_a_raw_line_break() {
    check(
        "hermes",
        &["done"; 2],
        Some(("out/hermes.md", "and a raw line break.")),
    );
}

#[test]
fn qwen_keeps_a_tag_inside_a_value() {
    let line = "- `if a < b && c > d` and </div> may stand in a value.";
    check("qwen3_coder", &["done"; 2], Some(("out/0.3.md", line)));
}

#[test]
fn anthropic_and_json_read() {
    check("anthropic", &["done"; 2], None);
    check("json", &["done"; 2], None);
}

#[test]
fn without_the_grant_nothing_is_written() {
    for dialect in [
        "forge",
        "roo",
        "axe",
        "tool_call",
        "rye_invoke",
        "hermes",
        "qwen3_coder",
    ] {
        let root = project();
        let ran = run(dialect, &root, &[]);
        assert_eq!(ran.code, 1, "{dialect}: {}", ran.err);
        assert!(
            ran.err.contains("write-needs-grant"),
            "{dialect}: {}",
            ran.err
        );
        let dry = run(dialect, &root, &["--allow", "write", "--dry-run"]);
        assert!(dry.out.contains("planned"), "{dialect}: {}", dry.out);
        assert!(!root.path().join("out").exists(), "{dialect}");
    }
}
