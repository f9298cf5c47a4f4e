use toolglot_value::{Value, json};

use crate::cli::toolglot;

#[test]
fn a_repaired_document_goes_to_standard_output_and_is_no_fault() {
    let ran = toolglot(&["repair"], "{'a': [1, 2,], b: say \"hi\"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json(), json!({"a": [1, 2], "b": "say \"hi\""}));
    assert_eq!(ran.err, "");
}

#[test]
fn json_is_written_byte_for_byte() {
    for text in ["{}", " [1 ,2]\n", "\"\\u00e9\"", "{\"a\":1,\"a\":2}"] {
        for preset in ["llm", "jsonrepair", "json_repair"] {
            let ran = toolglot(&["repair", "--preset", preset, "-"], text);
            assert_eq!((ran.code, ran.out.as_str()), (0, text), "{preset}");
        }
    }
}

#[test]
fn a_preset_that_refuses_says_where() {
    let ran = toolglot(
        &["repair", "--preset", "jsonrepair"],
        "{\"a\": 1,\n \"b\", 2}",
    );
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("standard input:2:5"), "{}", ran.err);
    assert!(ran.err.contains("expected a colon"), "{}", ran.err);
}

#[test]
fn explain_shows_every_repair_in_its_place() {
    let ran = toolglot(&["repair", "--explain", "--color", "never"], "{'a': 1,}");
    assert_eq!(ran.out, "{\"a\": 1}");
    assert!(ran.err.starts_with("{[-'-]{+\"+}a"), "{}", ran.err);
    for code in ["N035 nonstandard-quote", "N012 trailing-comma"] {
        assert!(ran.err.contains(code), "{code} in {}", ran.err);
    }
    let colored = toolglot(&["repair", "--explain", "--color", "always"], "{'a': 1,}");
    assert!(
        colored.err.contains("\x1b[9;31m,\x1b[0m"),
        "{}",
        colored.err
    );
}

#[test]
fn lines_are_answered_in_order_and_bad_ones_in_place() {
    let input = concat!(
        "{\"id\": 1, \"input\": \"{a: 1}\"}\n",
        "no json\n",
        "{\"id\": 2, \"input\": 3}\n",
        "{\"id\": \"x\", \"input\": \"{\\\"n\\\": \\\"4\\\"}\", \"schema\": {\"properties\": {\"n\": {\"type\": \"integer\"}}}}\n",
    );
    let ran = toolglot(&["repair", "--jsonl"], input);
    assert_eq!(ran.code, 1);
    let lines = ran.lines();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["output"], json!({"a": 1}));
    assert_eq!(lines[0]["text"], "{\"a\": 1}");
    let note = &lines[0]["notes"][0];
    assert_eq!(
        (
            &note["code"],
            &note["span"],
            &note["before"],
            &note["after"]
        ),
        (&json!("N036"), &json!([1, 2]), &json!("a"), &json!("\"a\""))
    );
    assert_eq!(lines[1]["id"], json!(null));
    assert!(
        lines[2]["error"]
            .as_str()
            .is_some_and(|error| error.contains("`input`"))
    );
    assert_eq!(lines[3]["output"], json!({"n": 4}));
}

#[test]
fn deep_documents_are_answered_too() {
    let deep = "[".repeat(2000);
    let line = json!({"id": 1, "input": deep}).to_string();
    let ran = toolglot(&["repair", "--jsonl"], line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains(&"[".repeat(2000)));
}

/// Schema, the model's text, and its value.
const TYPED: &[(&str, &str, &str)] = &[
    // Known keys decide where a broken string ends.
    (
        r#"{"properties": {"code": {"type": "string"}, "lang": {"type": "string"}}}"#,
        r#"{"code": "x = "1", "b": 2", "lang": "py"}"#,
        r#"{"code": "x = \"1\", \"b\": 2", "lang": "py"}"#,
    ),
    (
        r#"{"properties": {"path": {"type": "string"}, "content": {"type": "string"}}}"#,
        r#"{"path": "a.js "content": "b"}"#,
        r#"{"path": "a.js", "content": "b"}"#,
    ),
    // A string stays what was written.
    (
        r#"{"properties": {"zip": {"type": "string"}, "flag": {"type": "string"}}}"#,
        r#"{"zip": 00731, "flag": true_}"#,
        r#"{"zip": "00731", "flag": "true_"}"#,
    ),
    // Unions: a value that fits stays; otherwise it becomes the first type that it can be.
    (
        r#"{"properties": {"a": {"type": ["string", "integer"]}, "b": {"type": ["integer", "null"]}}}"#,
        r#"{"a": "42", "b": "42"}"#,
        r#"{"a": "42", "b": 42}"#,
    ),
    (
        r##"{"$defs": {"n": {"type": "integer"}}, "anyOf": [{"properties": {"a": {"$ref": "#/$defs/n"}}}, {"properties": {"b": {"allOf": [{"type": "array"}]}}}]}"##,
        r#"{"a": "1", "b": 2}"#,
        r#"{"a": 1, "b": [2]}"#,
    ),
    // Several values: a list takes all, an object the first that it knows.
    (
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#,
        r#"{"x": 1} {"a": "2"} {"a": 3}"#,
        r#"{"a": 2}"#,
    ),
    (
        r#"{"type": "array"}"#,
        r#"{"a": 1} {"a": 2}"#,
        r#"[{"a": 1}, {"a": 2}]"#,
    ),
    // A text where the schema requires a string.
    (
        r#"{"type": "string"}"#,
        "He said {\"a\"}",
        r#""He said {\"a\"}""#,
    ),
];

#[test]
fn a_schema_decides_between_readings() {
    for (schema, input, want) in TYPED {
        let line = json!({"id": 1, "input": input, "schema": toolglot_value::from_str(schema).expect("a schema")});
        let ran = toolglot(&["repair", "--jsonl"], line.to_string());
        let want: toolglot_value::Value = toolglot_value::from_str(want).expect("a value");
        assert_eq!(ran.lines()[0]["output"], want, "{input}: {}", ran.out);
    }
}

#[test]
fn what_cannot_be_brought_to_the_schema_stays_and_is_said() {
    let schema = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(
        schema.path(),
        r#"{"type": "object", "properties": {"n": {"type": "integer"}, "ok": {"type": "boolean"}}, "required": ["p"]}"#,
    )
    .expect("it is writable");
    let path = schema.path().to_str().expect("a path");
    let ran = toolglot(&["repair", "--schema", path], "{n: 'many', ok: 'yes'}");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json(), json!({"n": "many", "ok": "yes"}));
    assert_eq!(ran.err.matches("N064").count(), 3, "{}", ran.err);

    std::fs::write(schema.path(), r#"{"type": "objekt"}"#).expect("it is writable");
    let ran = toolglot(&["repair", "--schema", path], "{}");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
}

#[test]
fn faults_of_a_repaired_document_point_into_what_was_written() {
    let schema = json!({
        "type": "object",
        "properties": {
            "filePath": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["mode"],
        "additionalProperties": false,
    });
    let text = "Ok:\n{'file_path': 'é', limit: \"0\", 'tags': 'x', extra: [1,],}\nDone.";
    let line = json!({"id": 1, "input": text, "schema": schema}).to_string();
    let ran = toolglot(&["repair", "--jsonl"], line);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let answer = &ran.lines()[0];
    let pointed = |code: &str| -> Vec<&str> {
        let notes = answer["notes"].as_array().expect("a list").iter();
        notes
            .filter(|note| note["code"] == code)
            .map(|note| {
                let at = |n: usize| note["span"][n].as_u64().expect("a place") as usize;
                &text[at(0)..at(1)]
            })
            .collect()
    };
    assert_eq!(pointed("N059"), ["'file_path': 'é'"]);
    assert_eq!(pointed("N057"), ["limit: \"0\""]);
    assert_eq!(pointed("N058"), ["'tags': 'x'"]);
    let whole = &text[text.find('{').expect("it is there")..=text.rfind('}').expect("it is there")];
    let mut faults = pointed("N064");
    faults.sort_unstable();
    assert_eq!(faults, ["extra: [1,]", "limit: \"0\"", whole]);
}

/// Both keys stay in the text, valid or not; the last one counts.
#[test]
fn keys_that_come_twice_are_noted_in_valid_json_too() {
    for (input, spans) in [
        (r#"{"a":1,"a":2}"#, json!([[7, 10]])),
        (
            r#"[{"a": {"b": "\"b\"", "b": [1]}, "\u0061": 2}, {"a": "a,\"a\""}]"#,
            json!([[22, 25], [33, 41]]),
        ),
        (r#"{"a": {"a": ["a", "a"]}, "b": "a"}"#, json!([])),
        (r#"{"a":1,"a":2"#, json!([[7, 10]])),
    ] {
        let line = json!({ "input": input }).to_string();
        for preset in ["llm", "jsonrepair", "json_repair"] {
            if preset != "llm" && !input.ends_with(['}', ']']) {
                continue;
            }
            let ran = toolglot(&["repair", "--jsonl", "--preset", preset], line.clone());
            let answer = &ran.lines()[0];
            let notes = answer["notes"].as_array().expect("a list");
            let double: Value = notes
                .iter()
                .filter(|note| note["code"] == "N013")
                .map(|note| note["span"].clone())
                .collect();
            assert_eq!(double, spans, "{preset}: {input}: {answer}");
        }
    }
    let ran = toolglot(&["repair"], r#"{"a":1,"a":2}"#);
    assert_eq!((ran.out.trim_end(), ran.code), (r#"{"a":1,"a":2}"#, 0));
}

#[test]
fn a_bare_text_for_a_string_says_what_it_became() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, r#"{"type": "string"}"#).expect("the folder is writable");
    let schema = schema.to_str().expect("a plain path");
    let ran = toolglot(
        &["repair", "--jsonl", "--schema", schema],
        r#"{"input": "hello"}"#,
    );
    assert_eq!(
        ran.lines()[0]["notes"][0]["after"],
        "\"hello\"",
        "{}",
        ran.out
    );
}
