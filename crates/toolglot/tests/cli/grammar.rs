//! `toolglot grammar`: streams, exit codes, and that each option changes the grammar.

use crate::cli::{Ran, toolglot};

const TOOLS: &str = r#"{"read_file": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    "tag": {"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}}}"#;

fn grammar(more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tools.json");
    std::fs::write(&file, TOOLS).expect("a file");
    let tools = file.to_str().expect("a name");
    toolglot(&[&["grammar", "--tools", tools], more].concat(), "")
}

#[test]
fn the_grammar_is_on_standard_output_and_reports_are_not() {
    let ran = grammar(&["--dialect", "hermes", "--format", "gbnf"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("root ::= "), "{}", ran.out);
    assert_eq!(
        ran.err,
        "note: tool `tag`, schema `/properties/names/uniqueItems`: `uniqueItems` is not in the grammar\n\
         the grammar holds from the first of these texts on (a lazy grammar): \"<tool_call>\"\n"
    );
    let lark = grammar(&["--dialect", "hermes", "--format", "lark"]);
    assert!(lark.out.starts_with("start: "), "{}", lark.out);
    let tag = grammar(&["--dialect", "hermes", "--format", "structural-tag"]);
    assert_eq!(tag.json()["format"]["triggers"][0], "<tool_call>");
    assert_eq!(tag.json()["format"]["stop_after_first"], false);
}

#[test]
fn each_option_changes_the_grammar() {
    let base = ["--dialect", "qwen3_coder", "--format", "gbnf"];
    let plain = grammar(&base).out;
    for option in [
        ["--tool-choice", "tag"],
        ["--tool-choice", "none"],
        ["--parallel", "no"],
    ] {
        let ran = grammar(&[&base[..], &option].concat());
        assert_eq!(ran.code, 0, "{option:?}: {}", ran.err);
        assert_ne!(ran.out, plain, "{option:?}");
    }
    let required = [&base[..], &["--tool-choice", "required"]].concat();
    let called = grammar(&required);
    assert_eq!(
        (called.code, called.out == plain),
        (0, true),
        "{}",
        called.err
    );
    assert!(!called.err.contains("lazy"), "{}", called.err);
    for when in ["open", "optional"] {
        let ran = grammar(&[&required[..], &["--reasoning", when]].concat());
        assert!(ran.out.contains("</think>"), "{}", ran.out);
    }
}

#[test]
fn what_has_no_grammar_is_refused_by_name() {
    for (more, expected) in [
        (
            &["--dialect", "aider", "--format", "gbnf"][..],
            "dialect `aider` has no grammar for calls of `read_file`",
        ),
        (
            &[
                "--dialect",
                "hermes",
                "--format",
                "gbnf",
                "--tool-choice",
                "write",
            ],
            "the tool choice names `write`, which is not in the tool set",
        ),
        (
            &["--dialect", "hermes", "--format", "lark", "--strict"],
            "`uniqueItems` is not in the grammar",
        ),
    ] {
        let ran = grammar(more);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{more:?}");
        assert!(ran.err.contains(expected), "{more:?}: {}", ran.err);
    }
}
