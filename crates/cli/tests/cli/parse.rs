use serde_json::json;

use crate::toolglot;

const MESSAGE: &str = "Let me look.\n<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\",}}</tool_call>\n";

#[test]
fn the_answer_does_not_depend_on_the_cut() {
    let whole = toolglot(
        &["parse", "--dialect", "hermes", "--format", "json"],
        MESSAGE,
    );
    for chunk in ["1", "2", "3", "7", "64"] {
        let cut = toolglot(
            &[
                "parse",
                "--dialect",
                "hermes",
                "--format",
                "json",
                "--chunk",
                chunk,
            ],
            MESSAGE,
        );
        assert_eq!(cut.out, whole.out, "in pieces of {chunk}");
    }
}

#[test]
fn no_call_is_no_fault() {
    let ran = toolglot(
        &["parse", "--format", "json"],
        "Just a text, cost < 5 & more.\n",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document = ran.json();
    assert_eq!(document["dialect"], json!(null));
    assert_eq!(document["calls"], json!([]));
    assert_eq!(document["content"], "Just a text, cost < 5 & more.\n");
}

#[test]
fn any_bytes_are_a_message() {
    let ran = toolglot(
        &["parse", "--format", "json", "--chunk", "1"],
        b"a\xff\xc3\xa9\xe6\xbc",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document = ran.json();
    assert_eq!(document["content"], "a\u{fffd}é\u{fffd}");
    let codes: Vec<_> = document["notes"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|note| &note["code"])
        .collect();
    assert_eq!(codes, ["N027", "N027"]);
}

#[test]
fn a_text_cannot_drive_the_terminal() {
    let ran = toolglot(&["parse", "--color", "never"], "x\x1b]0;title\x07y\n");
    assert!(!ran.out.contains(['\x1b', '\x07']), "{:?}", ran.out);
}

#[test]
fn a_missing_file_is_an_error_of_input() {
    let ran = toolglot(&["parse", "no such file"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.starts_with("error: cannot read no such file: "),
        "{}",
        ran.err
    );
}
