//! A text that is cut changes no value that was finished before the cut, in every preset.

use std::fmt::Write as _;

use toolglot_value::Value;

use crate::PRESETS;

/// Documents in the shapes that models write as arguments.
const DOCUMENTS: &[&str] = &[
    r#"{"path": "a.py", "content": "x = 1\n", "mode": "w"}"#,
    r#"{"a": ["x", "y"], "to": "z"}"#,
    r#"{"a": ["x", "y"], "b": [1, 2.5, -3e8], "c": [true, false, null]}"#,
    r#"{"a": {"b": {"c": "d", "e": "f"}, "g": "h"}, "i": "j"}"#,
    r#"{"a":"b","c":"d","e":{"f":"g"},"h":["i","j"]}"#,
    "{\n  \"path\": \"src/main.rs\",\n  \"lines\": [1, 20],\n  \"text\": \"fn main() {}\"\n}",
    "{\n\t\"a\": \"x\",\n\t\"b\": [\n\t\t\"y\",\n\t\t\"z\"\n\t],\n\t\"c\": {}\n}",
    r#"[{"name": "a", "value": "b"}, {"name": "c", "value": "d"}]"#,
    r#"[["a", "b"], ["c"], [], ["d", ["e", "f"]]]"#,
    r#"["a", "b", {"c": "d"}, "e", null, "f"]"#,
    r#"{"text": "she said \"hi\", \"bye\": and left", "next": "one"}"#,
    r#"{"text": "a \\ b \\", "other": "\\\\server\\share", "last": "c"}"#,
    r#"{"tab": "a\tb", "line": "a\nb\r\nc", "slash": "a\/b", "bell": "\b\f"}"#,
    r#"{"e": "caf\u00e9", "smile": "\ud83d\ude00", "key\u0041": "x"}"#,
    r#"{"é": "日本語", "ключ": "значение", "🦀": "🦀🦀", "last": "漢"}"#,
    r#"{"quote": "„so“ and “so”", "dash": "a – b", "more": "‘x’"}"#,
    r#"{"n": 0, "m": -1, "x": 1.5, "y": 1e10, "z": -2.5E-3, "s": "t"}"#,
    r#"{"t": true, "f": false, "n": null, "s": "true", "u": "null"}"#,
    r#"{"empty": "", "list": [], "object": {}, "blank": " ", "z": ""}"#,
    r#"{"a": "", "b": "c", "": "empty key"}"#,
    r#"{"code": "if (a[0] == '{') { return \"}\"; }", "lang": "c"}"#,
    r#"{"code": "print(\"a\", 'b')\nfor x in [1, 2]:\n    f(x)", "run": true}"#,
    r#"{"html": "<div class=\"a\">x, y</div>", "css": "a { b: c }"}"#,
    r#"{"command": "grep -rn \"a, b\" . | sed 's/}/]/'", "timeout": 30}"#,
    r#"{"url": "http://a.test/x?y=1&z=[2]", "method": "GET", "headers": {"Accept": "*/*"}}"#,
    r#"{"http://a.test": "one", "a:b": "two", "c, d": "three", "e}": "four"}"#,
    r#"{"12:30": "noon", "a.b.c": "path", "x-y_z": "w", "with blank": "v"}"#,
    r#"{"regex": "^\\s*\"([^\"]*)\"\\s*:\\s*$", "flags": "i", "count": 3}"#,
    r#"{"json": "{\"a\": [1, {\"b\": \"c\"}], \"d\": \"e\"}", "next": "f"}"#,
    r#"{"md": "```rust\nlet a = \"b\";\n```\n\n- `x`, `y`", "title": "T"}"#,
    r#"{"edits": [{"old": "a,", "new": "b,"}, {"old": "c}", "new": "d]"}], "path": "p"}"#,
    r#"{"questions": [{"q": "Really?", "options": ["Yes", "No, \"never\""]}], "id": 7}"#,
    r#"{"sql": "SELECT \"a\", 'b' FROM t WHERE c = ':d'", "params": {"d": "e"}}"#,
    r#"{"todo": "TODO: fix, then \"ship\"", "done": false, "by": "2026-01-01T00:00:00Z"}"#,
    r#"{"windows": "C:\\Users\\me\\a.txt", "unix": "/home/me/a.txt", "share": "x"}"#,
    r#"{"diff": "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x: \"y\",\n+x: \"z\",\n", "file": "f"}"#,
    r#"{"a": [{"b": [{"c": ["d", {"e": "f"}]}]}], "g": "h"}"#,
    r#"{"a": [[["x"], ["y"]], [["z"]]], "b": [[]], "c": "d"}"#,
    r#"{"a": "x",    "b"   :   "y"  ,"c":"z"   }"#,
    r#"{"a": "ends with comma,", "b": "ends with colon:", "c": "ends with brace}", "d": "e"}"#,
    r#"{"a": ", \"b\": \"c\"", "d": "}, {", "e": "], [", "f": "g"}"#,
    r#"{"apostrophe": "it's", "both": "it's \"it\"", "tick": "`a`", "end": "x"}"#,
    r#"{"long_key_that_a_model_would_write_in_full": "v", "another_long_key_right_after_it": ["w"]}"#,
    r##"{"comment": "// not a comment", "block": "/* nor this */", "hash": "# nor that"}"##,
    r#"{"py": "{'a': True, 'b': None}", "yaml": "a: b\nc: [d, e]", "toml": "a = \"b\""}"#,
    r#"{"note": "NaN", "inf": "Infinity", "undef": "undefined", "t": "True"}"#,
    r#"{"big": 12345678901234567890, "small": 0.1, "neg": -0.0, "list": [1e3, 2E+2, 3e-1], "s": "t"}"#,
    r#"{"tool": "write_file", "arguments": {"path": "a", "content": "b"}, "id": "call_1"}"#,
    r#"{"thought": "First I read. Then: \"write\".", "action": "read", "input": {"path": "x.md"}}"#,
    r#"{"a": "…", "b": "...", "c": ["...", "…"], "d": {"e": "..."}}"#,
    r#"{"r": [{"id": 1, "ok": true}, {"id": 2, "ok": false}, {"id": 3, "ok": null}], "n": 3}"#,
    r#"{"matrix": [[1, 0], [0, 1]], "labels": ["x", "y"], "title": "I"}"#,
];

/// Where a reader stands in a container.
enum Level {
    /// The key under way, and what is due.
    Object(String),
    /// The index under way.
    List(usize),
}

/// The scalars of `text`, a prefix of a document, that are whole, each with its place.
fn finished(text: &str) -> Vec<(String, Value)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut is_key = false;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'{' => {
                levels.push(Level::Object(String::new()));
                is_key = true;
            }
            b'[' => {
                levels.push(Level::List(0));
                is_key = false;
            }
            b'}' | b']' => {
                levels.pop();
            }
            b',' => match levels.last_mut() {
                Some(Level::List(index)) => *index += 1,
                _ => is_key = true,
            },
            b':' => is_key = false,
            b' ' | b'\n' | b'\t' | b'\r' => {}
            first => {
                at += 1;
                if first == b'"' {
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at += 1;
                } else {
                    let is_end = |byte: &u8| b" \n\t\r,]}".contains(byte);
                    at += bytes[at..].iter().take_while(|byte| !is_end(byte)).count();
                }
                let is_whole = at < bytes.len() || first == b'"' && at == bytes.len();
                let Some(value) = text.get(start..at).filter(|_| is_whole) else {
                    break;
                };
                let value: Value = toolglot_value::from_str(value).expect("a scalar");
                match (levels.last_mut(), value) {
                    (Some(Level::Object(key)), Value::String(name)) if is_key => *key = name,
                    (_, value) => found.push((place(&levels), value)),
                }
                continue;
            }
        }
        at += 1;
    }
    found
}

/// A JSON pointer.
fn place(levels: &[Level]) -> String {
    let mut place = String::new();
    for level in levels {
        let _ = match level {
            Level::Object(key) => write!(place, "/{}", key.replace('~', "~0").replace('/', "~1")),
            Level::List(index) => write!(place, "/{index}"),
        };
    }
    place
}

#[test]
fn a_cut_changes_no_finished_value() {
    assert!(DOCUMENTS.len() >= 50);
    let mut wrong = String::new();
    let mut n = 0;
    for &(name, repair) in PRESETS {
        for document in DOCUMENTS {
            for (cut, _) in document
                .char_indices()
                .skip(1)
                .chain([(document.len(), ' ')])
            {
                let text = &document[..cut];
                let repaired = match repair(text) {
                    Some(repaired) => repaired.text,
                    // It may refuse a text, which changes nothing.
                    None if name == "jsonrepair" => continue,
                    None => {
                        let _ = writeln!(wrong, "{name} refuses {text}");
                        continue;
                    }
                };
                n += 1;
                let Ok(read) = toolglot_value::from_str(&repaired) else {
                    // Half of a pair of escapes stays as it is written, which no reader of Unicode takes.
                    if name != "jsonrepair" || !repaired.contains("\\ud83d") {
                        let _ = writeln!(wrong, "{name} {text}\n   is no JSON: {repaired}");
                    }
                    continue;
                };
                // What comes after a value that ended too early, it takes for another document, and makes a list of both.
                let is_listed = name == "jsonrepair" && read.is_array() && text.starts_with('{');
                let read = if is_listed { read[0].clone() } else { read };
                for (place, value) in finished(text) {
                    if read.pointer(&place) != Some(&value) {
                        let _ = writeln!(wrong, "{name} {text}\n   {place}: {repaired}");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {n} cuts:\n{wrong}");
}
