//! Repairs as a table, in every chunk size.

extern crate std;

use super::costs::{self, Charge};
use super::*;
use alloc::string::ToString;

/// Feeds `text` in pieces of `size` bytes (whole characters), closes the document, and returns the output.
fn repaired(root: Root, text: &str, size: usize) -> (String, Completeness, Vec<Repair>) {
    repaired_by(Transducer::new(root), text, size)
}

fn repaired_by(
    mut machine: Transducer,
    text: &str,
    size: usize,
) -> (String, Completeness, Vec<Repair>) {
    let mut out = Output::default();
    let mut at = 0;
    let mut step = Step::More;
    while at < text.len() && step != Step::Done && step != Step::Stuck {
        let end = (at + size.max(1)..=text.len())
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(text.len());
        let (used, now) = machine.feed(&text[at..end], at as u64, &mut out);
        step = now;
        at += used;
    }
    let rest = machine.finish(true, at as u64, &mut out);
    (
        out.text,
        rest,
        out.repairs.iter().map(|m| m.repair).collect(),
    )
}

/// Inputs and outputs, equal in every chunk size.
const CASES: &[(&str, &str)] = &[
    // The first quote of a value is written twice.
    (
        r#"{"a": ""b c", "d": [""e", "f"], "g": ""h"}"#,
        r#"{"a": "b c", "d": ["e", "f"], "g": "h"}"#,
    ),
    (
        r#"{"a": ""b" is c", "d": ""e\"f", "g": """}"#,
        r#"{"a": "\"b\" is c", "d": "\"e\"f", "g": ""}"#,
    ),
    // A colon is missing before a literal.
    (r#"{"a" true, "b" None}"#, r#"{"a" :true, "b" :null}"#),
    // A key lost its second quote.
    (
        r#"{"a: [[1], [2]], "b": {"c: 1, "d: 2}}"#,
        r#"{"a": [[1], [2]], "b": {"c": 1, "d": 2}}"#,
    ),
    ("{}", "{}"),
    (
        r#"{"a": 1, "b":[true,null , -1.5e3], "c" : "x\ny\u00e9"}"#,
        r#"{"a": 1, "b":[true,null , -1.5e3], "c" : "x\ny\u00e9"}"#,
    ),
    (r#"{"a":1,}"#, r#"{"a":1}"#),
    (r#"{"a":[1,2, ],}"#, r#"{"a":[1,2 ]}"#),
    (
        r#"{'a': 'b', "c": 'don't "quote"'}"#,
        r#"{"a": "b", "c": "don't \"quote\""}"#,
    ),
    (
        "{a: True, b: None, c: hello world}",
        r#"{"a": true, "b": null, "c": "hello world"}"#,
    ),
    (r#"{"a": "x" "b": 2}"#, r#"{"a": "x" ,"b": 2}"#),
    (r#"{"a" "x"}"#, r#"{"a" :"x"}"#),
    // Bytes held after a quote at the end are read as what they seem to be.
    (r#"{"a": ["b]' ,"z]k=1}"#, r#"{"a": ["b]' ,\"z]k=1"#),
    // A line break and a key: the string before has lost its quote, unless it opened the bracket around the key.
    (
        "{\"a\": \"b.txt\n  \"c\": \"x\"}",
        "{\"a\": \"b.txt\"\n  ,\"c\": \"x\"}",
    ),
    (
        "{\"a\": \"one\ntwo\n\"c\": \"x\"}",
        "{\"a\": \"one\\ntwo\"\n,\"c\": \"x\"}",
    ),
    (
        "{\"a\": {\"b\": \"c}\n\"d\": \"x\"}",
        "{\"a\": {\"b\": \"c\"}\n,\"d\": \"x\"}",
    ),
    (
        "{\"a\": \"{\n\"c\": [1]\n}\"}",
        "{\"a\": \"{\\n\\\"c\\\": [1]\\n}\"}",
    ),
    (
        "{\"a\": \"x \"y\" z\n\"c\": \"x\"}",
        "{\"a\": \"x \\\"y\\\" z\\n\\\"c\\\": \\\"x\"}",
    ),
    (
        "{\"a\": b\"{\n \"c\": 1\n}\"}",
        "{\"a\": \"{\\n \\\"c\\\": 1\\n}\"}",
    ),
    // Brackets that the string did not open end the string at its line, if no quote follows.
    (
        "{\"a\": {\"b\": \"c.js}\n\nDone.",
        "{\"a\": {\"b\": \"c.js\"}\n\n}",
    ),
    (
        "{\"a\": {\"b\": \"f(x) {}\n\nDone.\"}}",
        "{\"a\": {\"b\": \"f(x) {}\\n\\nDone.\"}}",
    ),
    (
        "{\"a\": \"line\nnext\tcol\"}",
        r#"{"a": "line\nnext\tcol"}"#,
    ),
    (r#"{"a": "say "hi" now"}"#, r#"{"a": "say \"hi\" now"}"#),
    (r#"{"a": "\d+\_b\'"}"#, r#"{"a": "\\d+_b'"}"#),
    (
        r#"{"a": "\ud83e!", "b": "\udd80", "c": "\ud83e\udd80"}"#,
        r#"{"a": "\ufffd!", "b": "\ufffd", "c": "\ud83e\udd80"}"#,
    ),
    (
        "{\"a\": 1 // one\n, /* two */ \"b\": 2 # three\n}",
        "{\"a\": 1 \n,  \"b\": 2 \n}",
    ),
    (
        r#"{"a": (1, 'x'), "b": """it"s"""}"#,
        r#"{"a": [1, "x"], "b": "it\"s"}"#,
    ),
    (r#"{"path": "app.js"#, r#"{"path": "app.js"#),
    (r#"{"path": "app.js""#, r#"{"path": "app.js"}"#),
    (r#"{"path": "app.js}"#, r#"{"path": "app.js"}"#),
    (r#"{"a": {"path": "app.js}"#, r#"{"a": {"path": "app.js"}}"#),
    (
        r#"{"a": "x } y", "b": "]}" }"#,
        r#"{"a": "x } y", "b": "]}" }"#,
    ),
    (
        r#"{"a": "f("x", y)", "b": "print("hi")", "c": "x = {"k": 1};"}"#,
        r#"{"a": "f(\"x\", y)", "b": "print(\"hi\")", "c": "x = {\"k\": 1};"}"#,
    ),
    (
        r#"{"a": "x" , "b" : "y" ,c: "z",}"#,
        r#"{"a": "x" , "b" : "y" ,"c": "z"}"#,
    ),
    (r#"{"a": [1, 2}"#, r#"{"a": [1, 2]}"#),
    (r#"{"a": , "b": }"#, r#"{"a": null, "b": null}"#),
    (
        r#"{"a": .5, "b": 1_000, "c": 007}"#,
        r#"{"a": 0.5, "b": 1000, "c": "007"}"#,
    ),
    ("{“a”: “b”}", r#"{"a": "b"}"#),
    (
        r#"{"dir": /tmp/x, "u": http://h/p}"#,
        r#"{"dir": "/tmp/x", "u": "http://h/p"}"#,
    ),
    // Dots, and a comma after them.
    (r#"{"a": "b", ...}"#, r#"{"a": "b" }"#),
    (
        r#"{..., "a": [1, ..., 2, …], ".": .5, …, "b": [..., ...], "c": [../x]}"#,
        r#"{ "a": [1,  2 ], ".": 0.5,  "b": [ ], "c": ["../x"]}"#,
    ),
    (
        r#"{"a": "say "hi", ... and", "b": [1 ...]}"#,
        r#"{"a": "say \"hi\", ... and", "b": [1 ]}"#,
    ),
    // A quote that a list's string lost.
    (
        r#"{"a": ["x, "y"], "b": 1}"#,
        r#"{"a": ["x", "y"], "b": 1}"#,
    ),
    (
        r#"{"a": 1, "b": ["x", "y, "z", "w"]}"#,
        r#"{"a": 1, "b": ["x", "y", "z", "w"]}"#,
    ),
    (
        r#"{"a": ["x", "y], "b": 1}"#,
        r#"{"a": ["x", "y"], "b": 1}"#,
    ),
    (
        r#"{"a": ["x", b"], "c": b"y"}"#,
        r#"{"a": ["x", "b"], "c": "y"}"#,
    ),
    (
        r#"{"a": ["say, "hi" now"], "b": ["x, ", "y,"]}"#,
        r#"{"a": ["say, \"hi\" now"], "b": ["x, ", "y,"]}"#,
    ),
    // Calls that wrap the value in their brackets.
    (
        r#"{"a": ObjectId("x"), "b": [NumberLong(2), new Date( "y" )], "c": bson.Int("1}"#,
        r#"{"a": "x", "b": [2,  "y" ], "c": "bson.Int(\"1"}"#,
    ),
    (
        r#"{"a": UUID(), "b": Date({"c": 1}}"#,
        r#"{"a": null, "b": {"c": 1}}"#,
    ),
    // Strings side by side: one, or a value and a key.
    (
        r#"{"a": "x" "y" 'z', "b": "x" "c": 1}"#,
        r#"{"a": "xyz", "b": "x" ,"c": 1}"#,
    ),
    (
        "{\"a\": \"x\"\n  \"y\\\"\", \"b\": [\"x\" \"y\"]}",
        "{\"a\": \"xy\\\"\", \"b\": [\"x\" ,\"y\"]}",
    ),
    // Blanks that JSON does not have.
    (
        "{\u{a0}\"a\"\u{a0}:\u{a0}1,\u{2003}\"b\":\u{a0}[\"x\"\u{a0},\u{a0}2]\u{3000}}",
        r#"{ "a" : 1, "b": ["x" , 2] }"#,
    ),
    ("{\"a\": \"\u{a0}\"\u{a0}}", "{\"a\": \"\u{a0}\" }"),
    // A quote, a colon, a brace twice.
    (
        r#"{"a"": "b", "c": "d"", ""e":: ["f"", "g"]}"#,
        r#"{"a": "b", "c": "d", "e": ["f", "g"]}"#,
    ),
    (r#"{{"a": {{"b": 1}"#, r#"{"a": {"b": 1}}"#),
    // Keys that lost a quote, or have one of another kind.
    (
        r#"{"a: 1, "b': "c", "d: true, "e": 2}"#,
        r#"{"a": 1, "b": "c", "d": true, "e": 2}"#,
    ),
    // `;` for a comma.
    (
        r#"{"a": "x"; "b": 1; "c": ["d"; "e;"]}"#,
        r#"{"a": "x", "b": 1, "c": ["d", "e;"]}"#,
    ),
    // Brackets that do not fit after a quote inside.
    (
        r#"{"a": "f(["x"]))", "b": ["g(["y"])", "z"]}"#,
        r#"{"a": "f([\"x\"]))", "b": ["g([\"y\"])", "z"]}"#,
    ),
    (
        r#"{"a": [{"b": "x", {"c": "y"}]}"#,
        r#"{"a": [{"b": "x"}, {"c": "y"}]}"#,
    ),
];

#[test]
fn repairs_are_the_same_in_every_chunk_size() {
    for (text, want) in CASES {
        for size in [1000, 1, 2, 3, 7] {
            assert_eq!(
                repaired(Root::Object, text, size).0,
                *want,
                "{text} by {size}"
            );
        }
    }
}

#[test]
fn a_key_that_is_cut_after_its_quote_is_none() {
    for (root, text, want) in [
        (Root::Object, "{\"a\": 1, \"b\"\" ", "{\"a\": 1, "),
        (Root::Keywords, "\"a\" so", ""),
    ] {
        for size in [1000, 1] {
            let (got, rest, _) = repaired(root, text, size);
            assert_eq!((got.as_str(), rest), (want, Completeness::Broken), "{text}");
        }
    }
}

#[test]
fn a_call_around_a_value_that_is_cut_stands_for_null() {
    let mut out = Output::default();
    let mut machine = Transducer::new(Root::Object);
    let text = "{\"a\": [ObjectId(\u{3}";
    let (used, _) = machine.feed(text, 0, &mut out);
    machine.complete(used as u64, &mut out);
    assert_eq!(out.text, r#"{"a": [null]}"#);
}

/// Bytes held at the end of the input may be held once more when they are read again.
#[test]
fn brackets_held_inside_of_held_ones_are_completed() {
    for text in [
        "\"\"{'M:{\"",
        "{ a { \"\":( { ",
        "a=[{\"b\": (",
        "a={'b': {'c",
    ] {
        let whole = completed(Transducer::new(Root::Keywords), text, true);
        assert!(is_json(&whole), "{text} becomes {whole}");
    }
}

#[test]
fn a_comment_between_strings_that_are_joined_is_completed() {
    for text in ["{\"a.at((r\"\"\"+++#++", "{\"a\"\"\"+#"] {
        let machine = Transducer::new(Root::Object).within_brackets(true);
        let whole = completed(machine, text, false);
        assert!(is_json(&whole), "{text} becomes {whole}");
    }
}

/// The output for `text` after everything missing was supplied.
fn completed(mut machine: Transducer, text: &str, is_python: bool) -> String {
    let mut out = Output::default();
    if is_python {
        out.text.push('{');
    }
    let (used, _) = machine.feed(text, 0, &mut out);
    machine.complete(used as u64, &mut out);
    out.text
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[test]
fn keywords_of_a_python_call_become_an_object() {
    for (text, want) in [
        (
            "a=1, b='x', c=[True, None])",
            r#"1, "b":"x", "c":[true, null]}"#,
        ),
        (")", "}"),
        ("q={'k': (1,)},)", "}"),
    ] {
        let (got, rest, _) = repaired(Root::Keywords, text, 3);
        assert_eq!(rest, Completeness::Whole);
        assert!(got.ends_with(want), "{got}");
    }
}

/// Values that are expressions of Python, Java or JavaScript; in every chunk size.
#[test]
fn expressions_become_what_they_say_or_their_source() {
    for (text, want) in [
        ("a='x' + 'y', b=1)", r#""a":"xy", "b":1}"#),
        ("a='x' 'y', b=1)", r#""a":"xy", "b":1}"#),
        ("a='x'\n  \"y\" 'z')", r#""a":"xyz"}"#),
        ("a=['x' 'y', 'z'])", r#""a":["xy", "z"]}"#),
        ("a={'k': 'x', 'l': 'y'})", r#""a":{"k": "x", "l": "y"}}"#),
        ("a='it''s', b=2)", r#""a":"it''s", "b":2}"#),
        ("a='x' + name, b=1)", r#""a":"x' + name", "b":1}"#),
        ("a='x' * 3, b=1)", r#""a":"x' * 3", "b":1}"#),
        (
            "a=', '.join(names, 1), b=1)",
            r#""a":", '.join(names, 1)", "b":1}"#,
        ),
        (
            "a='the 'x' + 'y' of it', b=1)",
            r#""a":"the 'x' + 'y' of it", "b":1}"#,
        ),
        // A string that looks like a comprehension.
        (
            "a=['book for two in Paris'], b=1)",
            r#""a":["book for two in Paris"], "b":1}"#,
        ),
        ("a=(1, x), b=('y',))", r#""a":[1, "x"], "b":["y"]}"#),
        (
            "a=(x, y) => x + y, b=1)",
            r#""a":"(x, y) => x + y", "b":1}"#,
        ),
        (
            "a=() -> {\n  f(1);\n}, b=1)",
            r#""a":"() -> {\n  f(1);\n}", "b":1}"#,
        ),
        ("a=x => x, b=1)", r#""a":"x => x", "b":1}"#),
        // A blank that does not end a run of a word.
        ("a=x,\u{a0}{}, b=1)", "\"a\":\"x,\u{a0}{}\", \"b\":1}"),
        (
            "a=new HashMap<>(), b=1)",
            r#""a":"new HashMap<>()", "b":1}"#,
        ),
        (
            "a=new Map<String, List<Integer>>(), b=1)",
            r#""a":"new Map<String, List<Integer>>()", "b":1}"#,
        ),
    ] {
        for size in [1000, 1, 2, 3] {
            let (got, rest, _) = repaired(Root::Keywords, text, size);
            assert_eq!(
                (got.as_str(), rest),
                (want, Completeness::Whole),
                "{text} by {size}"
            );
        }
    }
}

#[test]
fn valid_documents_pass_byte_for_byte() {
    let text = r#"{"k": [ {"a" : 1 , "b":"\\\"\/"} , [] , {} , "" , 0 ],"é":"日本"}"#;
    for size in 1..20 {
        assert_eq!(
            repaired(Root::Object, text, size),
            (text.to_string(), Completeness::Whole, Vec::new())
        );
    }
}

#[test]
fn double_keys_are_found_by_what_they_mean() {
    let (_, _, repairs) = repaired(Root::Object, r#"{"a": 1, "\u0061": 2, "b": {"a": 3}}"#, 1);
    assert_eq!(repairs, [Repair::DuplicateKey]);
}

#[test]
fn depth_costs_no_stack() {
    let text = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
    assert_eq!(repaired(Root::Object, &text, 4096).0, text);
}

#[test]
fn a_known_key_ends_a_string_that_lost_its_quote() {
    for size in [1000, 1, 2, 3, 7] {
        let mut out = Output::default();
        let mut machine = Transducer::new(Root::Object);
        machine.add_keys(1, Arc::from(["arguments".to_string()]));
        let text = r#"{"tool": "delete it "arguments": {"a": "say "arguments": x"}}"#;
        let mut at = 0;
        while at < text.len() {
            let end = (at + size).min(text.len());
            let (used, step) = machine.feed(&text[at..end], at as u64, &mut out);
            at += used;
            assert!(matches!(step, Step::More | Step::Done), "{step:?}");
        }
        assert_eq!(
            out.text, r#"{"tool": "delete it ","arguments": {"a": "say \"arguments\": x"}}"#,
            "by {size}"
        );
    }
}

#[test]
fn brackets_before_a_known_key_are_text_or_structure_by_whose_key_it_is() {
    for (text, want) in [
        (
            r#"{"arguments": {"text": "f(); }, "mode": "w"}}"#,
            r#"{"arguments": {"text": "f(); }", "mode": "w"}}"#,
        ),
        (
            r#"{"arguments": {"text": "f(); }, "id": "w"}"#,
            r#"{"arguments": {"text": "f(); "}, "id": "w"}"#,
        ),
    ] {
        for size in [1000, 1, 2, 3, 7] {
            let mut machine = Transducer::new(Root::Object);
            machine.add_keys(1, Arc::from(["arguments", "id"].map(String::from)));
            machine.add_keys(2, Arc::from(["text", "mode"].map(String::from)));
            let (got, rest, repairs) = repaired_by(machine, text, size);
            assert_eq!(
                (got.as_str(), rest),
                (want, Completeness::Whole),
                "by {size}"
            );
            assert_eq!(repairs, [Repair::MissingQuote], "by {size}");
        }
    }
}

#[test]
fn strings_between_tokens_are_verbatim() {
    let text = "{a:<q>x\"y\\n\n<<q<q>,<q>k<q>:[<q>[1] }, z<q>,<q><q>,<q>«é»<q>]}";
    let want = r#"{"a":"x\"y\\n\n<<q","k":["[1] }, z","","«é»"]}"#;
    for quote in ["<q>", "«é»", "é»"] {
        let (text, want) = if quote == "<q>" {
            (text.to_string(), want.to_string())
        } else {
            // The same with another token, and data that starts like it.
            let text = text.replace("«é»", "«").replace("<q>", quote);
            (text, want.replace("«é»", "«"))
        };
        for size in [1000, 1, 2, 3, 5] {
            let machine = Transducer::new(Root::Object).with_quote(Some(quote));
            let (got, rest, _) = repaired_by(machine, &text, size);
            assert_eq!(
                (got.as_str(), rest),
                (want.as_str(), Completeness::Whole),
                "{quote} by {size}"
            );
        }
    }
}

#[test]
fn after_an_empty_object_in_place_of_keywords_no_comma_is_missing() {
    for size in [1000, 1, 3] {
        for (text, want) in [
            ("{ } a=4)", "\"a\":4}"),
            ("{}, a=4)", "\"a\":4}"),
            ("{\"b\": 1}, a=4)", "\"b\": 1, \"a\":4}"),
            ("{})", "}"),
        ] {
            let (got, rest, _) = repaired_by(Transducer::new(Root::Keywords), text, size);
            assert_eq!(
                (got.trim_start(), rest),
                (want, Completeness::Whole),
                "{text} by {size}"
            );
        }
    }
}

#[test]
fn a_bracket_after_a_key_of_a_call_is_none_of_its_text() {
    for size in [1000, 1, 3] {
        let (got, _, _) = repaired_by(Transducer::new(Root::Keywords), "\"a\") \"b\"", size);
        assert_eq!(got, "\"a\":null}", "by {size}");
    }
}

/// Text after a key's quote that is not blank is not part of the key.
#[test]
fn a_word_after_a_key_of_a_call_is_read_by_itself() {
    for text in ["\"\"\tRRIj8:\0", "\"a\" b=1)", "\"a\"\n b: 1, c=2)"] {
        let whole = repaired_by(Transducer::new(Root::Keywords), text, text.len());
        for size in [1, 2, 3] {
            let cut = repaired_by(Transducer::new(Root::Keywords), text, size);
            assert_eq!(cut, whole, "{text:?} by {size}");
        }
        if whole.1 == Completeness::Broken {
            continue;
        }
        let json = alloc::format!("{{{}", whole.0);
        let value: Result<toolglot_value::Value, _> = serde_json::from_str(&json);
        assert!(value.is_ok(), "{text:?}: {json}");
    }
}

#[test]
fn the_lines_after_a_string_decide_whether_it_ended() {
    for (text, want, rest) in [
        // Brackets close all containers and end the line: the quote is missing.
        (
            "{'a': {'b': 'x}}\n\nI wait.",
            "{'a': {'b': 'x'}}",
            "\n\nI wait.",
        ),
        // A quote ends the line: the brackets are missing.
        (
            "{'a': {'b': 'x'\n\nNote: so.",
            "{'a': {'b': 'x'\n\n}}",
            "Note: so.",
        ),
        (
            "{'a': {'b': 'x'\nCALL:\n{'c': 1}",
            "{'a': {'b': 'x'\n}}",
            "CALL:\n{'c': 1}",
        ),
        (
            "{'a': {'b': 'x}}\n CALL:\n{'c': 1}",
            "{'a': {'b': 'x'}}",
            "\n CALL:\n{'c': 1}",
        ),
        // A quote follows: all bytes are text.
        ("{'a': {'b': 'x}}\ny'}}", r"{'a': {'b': 'x}}\ny'}}", ""),
        ("{'a': 'x'\nCALL y' z'}", r"{'a': 'x\'\nCALL y\' z'}", ""),
        // More than one line: the brackets are text.
        ("{'a': {'b': 'x\ny}}\n\nz", r"{'a': {'b': 'x\ny}}\n\nz", ""),
    ] {
        let [text, want, rest] = [text, want, rest].map(|text| text.replace('\'', "\""));
        for size in [1000, 1, 2, 3, 7] {
            let mut machine = Transducer::new(Root::Object);
            machine.expect_openers(&Arc::from(["CALL:".to_string()]));
            let mut out = Output::default();
            let (mut at, mut step) = (0, Step::More);
            while at < text.len() && step == Step::More {
                let end = (at + size).min(text.len());
                let (n, now) = machine.feed(&text[at..end], at as u64, &mut out);
                (at, step) = (at + n, now);
            }
            if machine.settle_string(at as u64, &mut out) {
                step = machine.feed("", at as u64, &mut out).1;
            }
            let end = machine.held_from().unwrap_or(at as u64) as usize;
            if step != Step::Done {
                machine.finish(true, end as u64, &mut out);
            }
            assert_eq!(
                (out.text, &text[end..]),
                (want.clone(), rest.as_str()),
                "{text:?} by {size}"
            );
        }
    }
}

#[test]
fn a_quote_after_what_is_no_key_ends_its_string() {
    let text = "{\"a\": \"one\ntwo\n\"b\"";
    let want = "{\"a\": \"one\\ntwo\\n\\\"b\"}";
    for size in [text.len(), 1, 2, 3, 5] {
        assert_eq!(repaired(Root::Object, text, size).0, want, "by {size}");
    }
}

#[test]
fn lines_before_a_quote_are_read_the_same_in_every_cut() {
    // Lengths around the cap of held bytes are included.
    for n_blank in (0..40).chain(3800..3860).chain(4080..4105) {
        for following in ["}", ",  \"b\": 1}", " \"b\": 1}", ", b\": 1}", " or\"}"] {
            let text = alloc::format!("{{\"a\": \"x\n{}\"{following}", " ".repeat(n_blank));
            let whole = repaired(Root::Object, &text, text.len());
            for size in [1, 7] {
                assert!(
                    repaired(Root::Object, &text, size) == whole,
                    "{n_blank} {following} by {size}"
                );
            }
        }
    }
}

#[test]
fn brackets_before_a_quote_are_counted_in_every_cut() {
    for text in [
        "{\"content\" \"\"\n:{  a@\": \"b',\n  \"c\": ,\n   \"{\n   a@\": \"b',\n c:\" \" ,\n  \"c\": [\"d\"]\n}\"\n}",
        "{\n  .\"pat  .\"pattent\": (\"{\n  \"b\",\n  \"c\": [bd\"]h\": \"n2,\n  \"conte[bd\"],\n  \"c\": : \"n2,\n  h\": \"n2,\n  \"content\": (\"{\n  \"b\",\n  \"c\": [d\"b]\n}\"\n}",
        "{\"a\": \"f(x) { \"b\" }\n  \"c\": 1}",
        "{\"a\": \"f(x) { \"b\" {{\"d\n  \"c\": 1}",
        "{\"a\": \"[\"\n}\n x} \"e\"]}\n",
    ] {
        let whole = repaired(Root::Object, text, text.len());
        for size in [1, 2, 3, 5, 7] {
            assert_eq!(
                repaired(Root::Object, text, size),
                whole,
                "{text} by {size}"
            );
        }
    }
}

#[test]
fn a_parameter_inside_a_string_is_doubt() {
    const KNOWN: [&str; 2] = ["place", "unit"];
    let rows = [
        // The quote before the keyword is missing or of the other kind, or the `=` after the keyword is missing.
        (Root::Keywords, "place='Paris, unit='celsius')", true),
        (Root::Keywords, "place=\"Paris, unit=\"celsius\")", true),
        (Root::Keywords, "place='Paris\", unit='celsius')", true),
        (Root::Keywords, "place='Paris', unit'celsius')", true),
        // Superfluous brackets after a call prove that its string ended; a missing bracket does not.
        (Root::Keywords, "place='Rome')), f(place='Oslo')", false),
        (Root::Keywords, "place='Rome'\nf( place = 'Oslo')", true),
        // The word is not a parameter, no quote follows, or the quote is escaped.
        (Root::Keywords, "place='Paris, n='celsius')", false),
        (Root::Keywords, "place='Paris, unit=celsius')", false),
        (Root::Keywords, "place='Paris, unit=\\'celsius\\'')", false),
        (
            Root::Keywords,
            "place='Paris, unit', unit='celsius')",
            false,
        ),
        // The next call, with a key that this call has already.
        (
            Root::Object,
            r#"{"place": "Rome}[NEXT]{"place": "Oslo", "unit": 1}"#,
            true,
        ),
        (
            Root::Object,
            r#"{"place": "Rome"[NEXT]{"place" : "Oslo"}"#,
            true,
        ),
        (
            Root::Object,
            r#"{"place": "the "place" of it", "unit": 1}"#,
            false,
        ),
        (Root::Object, r#"{"place": "read "unit", "n": 1}"#, false),
        (Root::Object, r#"{"place": "{"n": "x"}", "unit": 1}"#, false),
    ];
    for (root, text, is_doubt) in rows {
        let machine = || {
            let known: Arc<[String]> = KNOWN.map(String::from).into();
            let mut machine = Transducer::new(root);
            if root == Root::Keywords {
                return machine.with_positions(known);
            }
            machine.add_keys(1, known);
            machine
        };
        let whole = repaired_by(machine(), text, text.len());
        assert_eq!(
            whole.2.contains(&Repair::AmbiguousString),
            is_doubt,
            "{text}: {whole:?}"
        );
        for size in [1, 2, 3, 5, 7] {
            assert_eq!(
                repaired_by(machine(), text, size),
                whole,
                "{text} by {size}"
            );
        }
    }
}

/// Pieces of damaged JSON, and closers of callers.
const PIECES: &str = r#"{ } [ ] ( ) , : " ' ` ``` `` """ \ \" \n \ud83e “ ” </t> </ <q> < a word a.js 1 -2.5 true None // /* */ # + ... … "a": ", "} "}} é CALL: ObjectId( NumberLong(2) ; :: {{ new b" ], ...,"#;

fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let split: Vec<&str> = PIECES.split(' ').collect();
    let piece = prop_oneof![
        5 => proptest::sample::select(split),
        3 => proptest::sample::select(&[" ", "\n", "\t", "\u{a0}", "\", \"", "[\"", "\", \"c\": ", "{\"a\": \"", "}}\n", "'''", "\nCALL:", ", a='", "(c=\""][..]),
    ];
    proptest::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 2000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..Default::default() })]

    #[test]
    fn damage_is_read_the_same_in_every_cut(pieces in pieces(), manner in 0..4usize) {
        let text = alloc::format!("{{\"a\": {pieces}");
        let machine = || {
            let root = if manner == 3 { Root::Keywords } else { Root::Object };
            let mut machine = Transducer::new(root)
                .with_quote((manner == 2).then_some("<q>"))
                .with_closers(Arc::from(["```".to_string(), "</t>".to_string()]));
            machine.expect_openers(&Arc::from(["CALL:".to_string()]));
            if manner == 1 {
                machine.add_keys(1, Arc::from(["a".to_string(), "c".to_string()]));
            }
            if manner == 3 {
                machine = machine.with_positions(Arc::from(["a".to_string(), "c".to_string()]));
            }
            machine
        };
        let whole = repaired_by(machine(), &text, text.len());
        for size in [1, 2, 3, 5] {
            proptest::prop_assert_eq!(&repaired_by(machine(), &text, size), &whole, "{:?} by {}", &text, size);
        }
        let completed = completed(machine(), &text, manner == 3);
        proptest::prop_assert!(is_json(&completed), "{:?} becomes {:?}", &text, completed);
    }
}

std::thread_local! {
    /// The row of the cost table that is disabled.
    static DISABLED: std::cell::Cell<Option<Charge>> = const { std::cell::Cell::new(None) };
}

/// Whether the row of `charge` is disabled.
pub(super) fn is_disabled(charge: Charge) -> bool {
    DISABLED.get() == Some(charge)
}

#[test]
fn without_a_row_of_the_costs_its_example_is_read_otherwise() {
    let mut wrong = Vec::new();
    for &(charge, _, text, want) in costs::TABLE {
        let read = || {
            if !matches!(
                charge,
                Charge::KnownColon | Charge::OddKey | Charge::Repair(Repair::DuplicateKey)
            ) {
                return crate::repair(text, &crate::Shape::Any).text;
            }
            let mut machine = Transducer::new(Root::Object);
            machine.add_keys(1, ["path", "content"].map(String::from).into());
            repaired_by(machine, text, 1).0
        };
        let whole = read();
        DISABLED.set(Some(charge));
        let struck = read();
        DISABLED.set(None);
        if whole != want || struck == want {
            wrong.push((charge, whole, struck));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn two_readings_at_the_end_that_cost_nearly_the_same_are_doubt() {
    let mut machine = Transducer::new(Root::Object);
    machine.add_keys(1, [String::from("path")].into());
    let (text, _, repairs) = repaired_by(machine, r#"{"path": "say "hi", }, "path": "x}"#, 1);
    assert_eq!(text, r#"{"path": "say \"hi" }"#);
    assert!(repairs.contains(&Repair::AmbiguousString), "{repairs:?}");
}
