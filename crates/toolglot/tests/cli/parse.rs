use toolglot_value::json;

use crate::cli::toolglot;

const MESSAGE: &str = "Let me look.\n<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\",}}</tool_call>\n";

#[test]
fn the_document_has_the_fields_of_the_contract_in_their_order() {
    let ran = toolglot(
        &["parse", "--dialect", "hermes", "--format", "json"],
        MESSAGE,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document = ran.json();
    let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "schema",
            "id",
            "dialect",
            "calls",
            "content",
            "reasoning",
            "notes"
        ]
    );
    let call = document["calls"][0].as_object().expect("an object");
    let keys: Vec<&String> = call.keys().collect();
    assert_eq!(
        keys,
        [
            "index",
            "id",
            "name",
            "server",
            "arguments",
            "span",
            "dialect",
            "place",
            "end"
        ]
    );
    assert_eq!(document["dialect"], "hermes");
    assert_eq!(call["name"], "read_file");
    assert_eq!(call["arguments"], json!({"path": "a.rs"}));
    assert_eq!(call["end"], "closed");
    let note = document["notes"][0]
        .as_object()
        .expect("the comma is noted");
    assert_eq!(
        (&note["code"], &note["name"]),
        (&json!("N012"), &json!("trailing-comma"))
    );
    let comma = MESSAGE.find(",}").expect("it is there");
    assert_eq!(note["span"], json!([comma, comma + 1]));
}

#[test]
fn a_call_beside_the_answer_is_one_only_where_it_is_accepted() {
    let call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let cases = [
        ("--in-code", "code", format!("Write `{call}`.")),
        (
            "--in-reasoning",
            "reasoning",
            format!("<think>{call}</think>"),
        ),
    ];
    for (option, place, message) in cases {
        let read = |what| {
            let words = ["parse", "--dialect", "hermes", "--format", "json"];
            toolglot(&[&words[..], &[option, what]].concat(), &message).json()
        };
        assert_eq!(read("ignore")["calls"], json!([]), "{message}");
        assert_eq!(read("accept")["calls"][0]["place"], place, "{message}");
    }
}

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
fn a_truncated_call_is_a_fault_and_shows_what_arrived() {
    let cut = &MESSAGE[..MESSAGE.find(".rs").expect("it is there")];
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--format",
            "json",
            "--finish",
            "length",
        ],
        cut,
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let call = &ran.json()["calls"][0];
    assert_eq!(
        (&call["end"], &call["arguments"]),
        (&json!("truncated"), &json!({"path": "a"}))
    );
}

#[test]
fn strict_makes_any_note_a_fault() {
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--format",
            "json",
            "--strict",
        ],
        MESSAGE,
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
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
fn event_lines_tile_the_input() {
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--format",
            "events",
            "--chunk",
            "1",
        ],
        MESSAGE,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut cursor = 0;
    let mut arguments = String::new();
    for line in ran.lines() {
        if line["type"] == "note" {
            continue;
        }
        assert_eq!(line["span"][0], cursor, "{line}");
        cursor = line["span"][1].as_u64().expect("a position");
        if line["type"] == "args" {
            arguments.push_str(line["json"].as_str().expect("a text"));
        }
    }
    assert_eq!(cursor, MESSAGE.len() as u64);
    assert_eq!(
        toolglot_value::from_str(&arguments).ok(),
        Some(json!({"path": "a.rs"}))
    );
}

#[test]
fn people_see_the_call_and_the_note_under_the_text() {
    let ran = toolglot(
        &["parse", "--dialect", "hermes", "--color", "never"],
        MESSAGE,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with(MESSAGE), "{}", ran.out);
    assert!(ran.out.contains("call 0: read_file  hermes"), "{}", ran.out);
    assert!(ran.out.contains("path: \"a.rs\""), "{}", ran.out);
    assert!(ran.out.contains("warning[N012]"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'), "{}", ran.out);
}

#[test]
fn colour_comes_only_when_it_is_asked_for() {
    assert!(
        !toolglot(&["parse", "--dialect", "hermes"], MESSAGE)
            .out
            .contains('\x1b')
    );
    let colored = toolglot(
        &["parse", "--dialect", "hermes", "--color", "always"],
        MESSAGE,
    );
    assert!(
        colored.out.contains("\x1b[1;33mread_file\x1b[0m"),
        "{}",
        colored.out
    );
}

#[test]
fn a_text_cannot_drive_the_terminal() {
    let ran = toolglot(&["parse", "--color", "never"], "x\x1b]0;title\x07y\n");
    assert!(!ran.out.contains(['\x1b', '\x07']), "{:?}", ran.out);
}

#[test]
fn the_dialect_that_would_have_read_it_is_named() {
    let ran = toolglot(
        &["parse", "--dialect", "forge", "--color", "never"],
        MESSAGE,
    );
    assert!(
        ran.out.contains("= help: `--dialect hermes` reads it"),
        "{}",
        ran.out
    );
}

#[test]
fn an_unknown_tool_is_a_fault_and_the_nearest_is_named() {
    let message = MESSAGE.replace("read_file", "raed_file");
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--tools",
            "builtin:workspace",
            "--color",
            "never",
        ],
        message,
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("error[N003]"), "{}", ran.out);
    assert!(ran.out.contains("`read_file`"), "{}", ran.out);
}

#[test]
fn arguments_are_checked_against_named_tools() {
    let message = MESSAGE.replace("\"path\"", "\"start_line\"");
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--tools",
            "builtin:workspace",
            "--format",
            "json",
        ],
        message,
    );
    assert_eq!(ran.code, 1, "{}", ran.out);
    let document = ran.json();
    let notes = document["notes"].as_array().expect("an array");
    assert!(
        notes.iter().any(|note| note["code"] == "N063"),
        "{}",
        ran.out
    );
}

#[test]
fn canonical_names_keep_the_written_one() {
    let message = MESSAGE
        .replace("read_file", "view_file")
        .replace("\"path\"", "\"filename\"");
    let ran = toolglot(
        &[
            "parse",
            "--dialect",
            "hermes",
            "--normalize",
            "--format",
            "json",
        ],
        message,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let call = &ran.json()["calls"][0];
    assert_eq!(
        (&call["name"], &call["written"]),
        (&json!("read_file"), &json!("view_file"))
    );
    assert_eq!(call["arguments"], json!({"path": "a.rs"}));
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

#[test]
fn standard_input_has_a_name_in_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_toolglot"))
        .args(["parse", "-"])
        .stdin(std::fs::File::open(folder.path()).expect("a folder can be opened"))
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(
        shown.starts_with("error: cannot read standard input: "),
        "{shown}"
    );
}

#[test]
fn a_list_without_tools_is_as_good_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("tools.json");
    std::fs::write(&list, "[]").expect("it is written");
    let parsed = |tools: &std::path::Path| {
        let tools = tools.to_str().expect("a path");
        toolglot(&["parse", "--format", "json", "--tools", tools], MESSAGE)
    };
    let without = toolglot(&["parse", "--format", "json"], MESSAGE);
    for tools in [&*list, &*folder.path().join("none")] {
        if !tools.exists() {
            std::fs::create_dir(tools).expect("it is made");
        }
        let ran = parsed(tools);
        assert_eq!((ran.code, &ran.out), (0, &without.out), "{tools:?}");
    }
}

/// Text that looks like a call is a warning in every format; a call that is cut off is a fault in every format.
#[test]
fn all_formats_agree_on_the_exit_code() {
    let misspelt = "<raed_file>\n<path>a</path>\n</raed_file>\n";
    let cut = "<read_file>\n<path>a";
    for (message, code) in [(misspelt, 0), (cut, 1)] {
        for format in ["human", "json", "events"] {
            let run = ["parse", "--dialect", "roo", "--format", format];
            let ran = toolglot(&run, message);
            assert_eq!(ran.code, code, "{format}: {}", ran.out);
            let has_note = ran.out.contains("N003") || ran.out.contains("N024");
            assert!(has_note || code == 1, "{format}: {}", ran.out);
        }
    }
}
