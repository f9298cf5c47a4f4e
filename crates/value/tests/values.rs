//! Reading, writing and conversion of values.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use toolglot_value::{
    Map, Number, ReadOptions, Value, from_slice, from_str, from_value, is_json, json, to_value,
};

fn plain(text: &str) -> Result<serde_json::Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// Whether the error is a number out of range, which depends on the features of `serde_json`.
fn is_out_of_range(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("number out of range")
}

fn check(text: &str) {
    assert_eq!(is_json(text), from_str(text).is_ok(), "{text:?}");
    match (from_str(text), plain(text)) {
        (_, Err(theirs)) if is_out_of_range(&theirs) => {}
        (Ok(ours), Ok(theirs)) => {
            let back = Value::from(&theirs);
            assert_eq!(format!("{back}"), theirs.to_string(), "{text:?}");
            assert_eq!(format!("{back:#}"), format!("{theirs:#}"), "{text:?}");
            assert_eq!(from_str(&ours.to_string()).as_ref(), Ok(&ours), "{text:?}");
            assert_eq!(
                from_str(&format!("{ours:#}")).as_ref(),
                Ok(&ours),
                "{text:?}"
            );
            assert_eq!(serde_json::to_string(&ours).ok(), Some(ours.to_string()));
            let pretty = serde_json::to_string_pretty(&ours).ok();
            assert_eq!(pretty, Some(format!("{ours:#}")));
        }
        (ours, theirs) => assert_eq!(
            ours.map_err(|error| error.to_string()).err(),
            theirs.map_err(|error| error.to_string()).err(),
            "{text:?}"
        ),
    }
}

#[test]
fn digits_and_order_are_kept() {
    for text in [
        r#"{"z":1,"a":2,"m":{"y":[],"b":{}}}"#,
        "[12345678901234567890123,-12345678901234567890123]",
        "[0,-0,0.10,1.0,-0.0,1e+400,1e-400,18446744073709551615,-9223372036854775808]",
        r#"["\u0001\"\\\b\f\n\r\t/é漢😀"]"#,
    ] {
        let value = from_str(text).expect(text);
        assert_eq!(value.to_string(), text);
        assert_eq!(from_slice(text.as_bytes()).as_ref(), Ok(&value));
        assert_eq!(to_value(&value).as_ref(), Ok(&value));
        assert_eq!(serde_json::to_string(&value).expect(text), text);
    }
}

#[test]
fn an_exponent_is_written_as_serde_json_writes_it() {
    for (text, written) in [
        ("1E5", "1e+5"),
        ("1e5", "1e+5"),
        ("1.50E-007", "1.50e-007"),
        ("-1e+0", "-1e+0"),
    ] {
        assert_eq!(from_str(text).expect(text).to_string(), written);
    }
}

#[test]
fn the_last_of_two_members_counts_and_keeps_the_place_of_the_first() {
    let value = from_str(r#"{"a":1,"b":2,"a":3}"#).expect("JSON");
    assert_eq!(value.to_string(), r#"{"a":3,"b":2}"#);
    let once = ReadOptions {
        duplicate_keys: false,
        ..ReadOptions::default()
    };
    let error = once
        .read(br#"{"a":{"b":1,"\u0062":2}}"#)
        .expect_err("twice");
    let message = "duplicate key \"b\" in one object at line 1 column 20";
    assert_eq!(error.to_string(), message);
    assert!(once.read(br#"[{"a":1},{"a":{"a":1}}]"#).is_ok());
}

#[test]
fn errors_are_those_of_serde_json() {
    for text in [
        "",
        " ",
        "n",
        "nul",
        "nulx",
        "tru\n",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "[,",
        "{",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{1:2}",
        "{\"a\":1 \"b\"}",
        "{,}",
        "1 2",
        "-",
        "-x",
        "01",
        "-01",
        "1.",
        "1.x",
        "1e",
        "1ex",
        "1e+",
        "1e-x",
        "+1",
        ".5",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800x",
        "\"\\ud800\\n\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\u{1}\"",
        "\"a\nb\"",
        "{\"a\":\n [1,\n  tru]}",
        "\n\n  }",
        "]",
        "[}",
        "{]",
        "[1}",
        "'a'",
        "NaN",
        "\u{feff}1",
        "{\"a\":1}x",
        "[\"\\ud83d\\ude00\"]",
    ] {
        check(text);
    }
    let bytes = b"[\"\xff\"]";
    let theirs = serde_json::from_slice::<serde_json::Value>(bytes).expect_err("UTF-8");
    assert_eq!(
        from_slice(bytes).expect_err("UTF-8").to_string(),
        theirs.to_string()
    );
}

#[test]
fn depth_has_a_limit() {
    let nested = |depth: usize| format!("{}{}", "[{\"a\":".repeat(depth / 2), "1");
    let closed = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [126, 127, 128, 129] {
        check(&closed(depth));
        check(&nested(depth));
    }
    let deep = ReadOptions {
        max_depth: usize::MAX,
        ..ReadOptions::default()
    };
    assert!(deep.read(closed(1024).as_bytes()).is_ok());
    assert!(deep.read(closed(1025).as_bytes()).is_err());
    assert!(deep.read("[".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn numbers_are_compared_by_what_they_are_worth() {
    let sorted = [
        "-1e+400",
        "-2",
        "-1.5",
        "-1e-400",
        "0",
        "1e-400",
        "0.1",
        "0.10000000000000000001",
        "1",
        "2",
        "9007199254740993",
        "9007199254740993.5",
        "18446744073709551616",
        "12345678901234567890123",
        "1e+400",
        "1.0000000000000000001e+400",
        "1e+99999999999999999999",
    ];
    let numbers = sorted.map(|text| text.parse::<Number>().expect(text));
    for (left, a) in numbers.iter().enumerate() {
        for (right, b) in numbers.iter().enumerate() {
            assert_eq!(a.decimal().cmp(&b.decimal()), left.cmp(&right), "{a} {b}");
        }
    }
    for (one, other) in [
        ("1", "1.0"),
        ("100", "1e2"),
        ("-0", "0.0e9"),
        ("0.10", "1e-1"),
        ("-10e-1", "-1"),
    ] {
        let [one, other] = [one, other].map(|text| text.parse::<Number>().expect(text));
        assert_eq!(one.decimal(), other.decimal());
    }
    for (text, is_integer) in [
        ("1.0", true),
        ("1e400", true),
        ("0", true),
        ("15e-1", false),
        ("0.5", false),
    ] {
        let number: Number = text.parse().expect(text);
        assert_eq!(number.decimal().is_integer(), is_integer, "{text}");
    }
    for text in ["", "1 ", " 1", "+1", "1e", "x", "NaN", "01"] {
        assert!(text.parse::<Number>().is_err(), "{text:?}");
    }
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Line {
    id: Value,
    arguments: Option<Map<String, Value>>,
    #[serde(default)]
    more: Vec<Value>,
}

#[test]
fn values_are_parts_of_other_types() {
    let text =
        r#"{"id":1e+400,"arguments":{"z":0.10,"a":[12345678901234567890123]},"more":[null,-0]}"#;
    let line: Line = serde_json::from_str(text).expect("a line");
    assert_eq!(serde_json::to_string(&line).expect("JSON"), text);
    assert_eq!(to_value(&line).expect("JSON").to_string(), text);
    assert_eq!(
        from_value::<Line>(&from_str(text).expect("JSON")).expect("a line"),
        line
    );
    let error = from_value::<Line>(&json!({"id": 1, "arguments": [1]})).expect_err("an array");
    assert_eq!(error.to_string(), "invalid type: sequence, expected a map");
    let error = from_value::<Vec<u8>>(&json!(["a"])).expect_err("a string");
    assert_eq!(error.to_string(), "invalid type: string \"a\", expected u8");
}

#[test]
fn values_of_serde_json_are_converted() {
    let theirs = serde_json::json!({"a": [1, -1, 0.1, 1e300, u64::MAX, null, true, "x"]});
    let ours = Value::from(&theirs);
    assert_eq!(Value::from(theirs.clone()), ours);
    assert_eq!(serde_json::Value::try_from(&ours), Ok(theirs));
    for exact in [
        "0.10",
        "1E5",
        "100e-2",
        "0.1",
        "-0",
        "9007199254740993",
        "1.7976931348623157e308",
    ] {
        let value = from_str(exact).expect(exact);
        assert!(serde_json::Value::try_from(&value).is_ok(), "{exact}");
    }
}

#[test]
fn a_value_is_indexed_and_compared() {
    let mut value = json!({"a": [1, "x", null, {"b": true}], "n": 0.5});
    assert_eq!(value["a"][0], 1);
    assert_eq!(value["a"][1], "x");
    assert_eq!(value["a"][3]["b"], true);
    assert_eq!(value["n"], 0.5);
    assert_eq!(value["none"]["at"][7], Value::Null);
    assert_eq!(value.pointer("/a/3/b"), Some(&Value::Bool(true)));
    assert_eq!(value.pointer("/a/03"), None);
    value["c"]["d"] = json!(["e"]);
    assert_eq!(value["c"].to_string(), r#"{"d":["e"]}"#);
    let order = |text| from_str(text).expect(text);
    assert_eq!(order(r#"{"a":1,"b":2}"#), order(r#"{"b":2,"a":1}"#));
    assert_ne!(order("1"), order("1.0"));
}

proptest! {
    #[test]
    fn any_text_is_read_as_serde_json_reads_it(pieces in prop::collection::vec(piece(), 0..12)) {
        check(&pieces.concat());
    }
}

fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "null",
        "true",
        "false",
        " ",
        "\n",
        "0",
        "1",
        "-",
        ".",
        "e",
        "E",
        "+",
        "\\u00e9",
        "\\",
        "\\ud83d",
        "\\ude00",
        "é",
        "\u{0}",
        "[1,2]",
        "{\"a\":1}",
        "1.5",
        "-0",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => any::<String>()]
}

/// A value inside serde's buffers (`flatten`, untagged enums) and in formats other than JSON.
#[test]
fn values_are_read_by_any_deserializer() {
    #[derive(Deserialize)]
    struct Outer {
        #[serde(flatten)]
        rest: Map<String, Value>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Named { name: Value },
    }
    let text = r#"{"b":[1,-2,0.5,null,true],"a":{"z":"x"}}"#;
    let outer: Outer = serde_json::from_str(text).expect("it is an object");
    assert_eq!(Value::Object(outer.rest).to_string(), text);
    let Either::Named { name } =
        serde_json::from_str(r#"{"name":{"z":1,"a":2}}"#).expect("it fits");
    assert_eq!(name.to_string(), r#"{"z":1,"a":2}"#);
    let plain: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    let value: Value = serde_json::from_value(plain).expect("any value is one");
    assert_eq!(value.pointer("/a/z").and_then(Value::as_str), Some("x"));
}
