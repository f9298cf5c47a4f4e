//! One fault at every place of valid documents: how often the value is lost, by the stream and by whole documents, and how
//! often the two read different ones. The figures may only fall.

use toolglot_json::{Completeness, Output, Root, Shape, Step, Transducer, repair};
use toolglot_value::Value;

const DOCUMENTS: &[&str] = &[
    r#"{"tool": "write_file", "arguments": {"path": "src/a.py", "content": "def f(x):\n    return {\"a\": x[0], 'b': [1, 2]}\n", "mode": 420}}"#,
    r#"{"path": "b.rs", "edits": [{"old": "He said, \"wait\", and left.", "new": "x"}, {"old": "y", "new": "C:\\new\\x.txt"}], "dry": true}"#,
    r#"{"command": ["bash", "-c", "ls | wc -l; echo it's, well, done"], "timeout": 30.5, "env": null}"#,
    r#"{"paths": ["a.txt", "b c.txt", "d"], "ranges": [[1, 2], [3, 4]], "o": {"k": {"l": "m"}}, "n": -1}"#,
    "{\n  \"query\": \"SELECT \\\"id\\\" FROM t\",\n  \"tags\": [\n    \"a, b\",\n    \"c\"\n  ],\n  \"last\": false\n}",
];

/// What is done at a structural character or a quote, and after how many of the faults the stream has lost the value, the
/// document has, and the two differ.
const FAULTS: &[(&str, [usize; 3])] = &[
    ("{ dropped", [5, 3, 4]),
    ("} dropped", [2, 2, 0]),
    ("[ dropped", [7, 7, 0]),
    ("] dropped", [7, 4, 7]),
    (": dropped", [0, 0, 0]),
    (", dropped", [0, 0, 0]),
    ("\" dropped", [6, 6, 1]),
    ("{ doubled", [0, 0, 0]),
    ("} doubled", [4, 1, 4]),
    ("[ doubled", [7, 7, 7]),
    ("] doubled", [1, 1, 0]),
    (": doubled", [0, 0, 0]),
    (", doubled", [0, 0, 0]),
    ("\" doubled", [0, 0, 0]),
    (": is =", [0, 0, 0]),
    (", is ;", [0, 0, 0]),
    ("  is no-break", [0, 0, 0]),
    ("\" is '", [60, 60, 4]),
];

/// Structural characters, quotes, and blanks between tokens, with their places.
fn places(text: &str) -> Vec<(usize, char)> {
    let mut places = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                in_string = !in_string;
                places.push((at, c));
            }
            _ if in_string => {}
            '{' | '}' | '[' | ']' | ':' | ',' | ' ' => places.push((at, c)),
            _ => {}
        }
    }
    places
}

fn streamed(text: &str) -> Option<Value> {
    let mut out = Output::default();
    let mut machine = Transducer::new(Root::Object);
    let (used, step) = machine.feed(text, 0, &mut out);
    let settles = step == Step::More
        && (machine.settle_string(used as u64, &mut out)
            || machine.settle_word(used as u64, &mut out));
    if settles {
        machine.feed("", used as u64, &mut out);
    }
    let rest = machine.finish(true, used as u64, &mut out);
    let value = serde_json::from_str(&out.text).ok();
    value.filter(|_| rest != Completeness::Broken)
}

#[test]
fn what_one_fault_loses_is_known() {
    let mut wrong = Vec::new();
    for (fault, known) in FAULTS {
        let (what, how) = fault.split_at(1);
        let instead = match how.trim() {
            "dropped" => String::new(),
            "doubled" => what.repeat(2),
            "is no-break" => "\u{a0}".to_owned(),
            how => how["is ".len()..].to_owned(),
        };
        let mut counts = [0; 3];
        for text in DOCUMENTS {
            let meant: Value = toolglot_value::from_str(text).expect("it is JSON");
            for (at, _) in places(text)
                .into_iter()
                .filter(|(_, c)| what.starts_with(*c))
            {
                let mut broken = (*text).to_owned();
                broken.replace_range(at..=at, &instead);
                let stream = streamed(&broken);
                let whole = repair(&broken, &Shape::Any);
                let whole: Value = toolglot_value::from_str(&whole.text).expect("it is JSON");
                counts[0] += usize::from(stream.as_ref() != Some(&meant));
                counts[1] += usize::from(whole != meant);
                counts[2] += usize::from(stream.is_some_and(|stream| stream != whole));
            }
        }
        if counts != *known {
            wrong.push(format!("(\"{}\", {counts:?}),", fault.escape_default()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
