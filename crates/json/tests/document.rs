//! What holds for whole documents, whatever their text: JSON comes out, at a price linear in the text.

use std::fmt::Write as _;

use proptest::prelude::*;
use toolglot_json::internal::{Fit, Fitted, Target};
use toolglot_json::{Fields, HeldDocument, Options, Repair, Scalars, Shape, coerce, repair};
use toolglot_value::Value;

use crate::promises::{PRESETS, check, is_json, most_work};

/// Pieces that documents are made of, right and wrong ones.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    "\\u12",
    "\\ud83e",
    "\n",
    " ",
    "\t",
    "a",
    "key",
    "\"key\"",
    "\"key\":",
    "key:",
    "value",
    "true",
    "Tru",
    "None",
    "NaN",
    "1",
    "-",
    ".5",
    "1e",
    "0x1f",
    "1_000",
    "...",
    "…",
    "//",
    "/*",
    "*/",
    "# ",
    "<!--",
    "```",
    "```json\n",
    "callback(",
    "ObjectId(",
    ");",
    "“",
    "”",
    "‘",
    "’",
    "´",
    "„",
    "é",
    "日本",
    "🦀",
    "\u{feff}",
    "\u{a0}",
    "\u{1f}",
    "+",
    "=",
    "=>",
    ";",
    "\"\"",
    "\"\"\"",
    "'''",
    "http://x",
    "\", \"",
    "\": \"",
    "\"},",
    "\"}",
    "</think>",
    "&quot;",
    "\0",
    "\u{c}",
    "\u{85}",
    "r'",
    "b\"",
    "\\_",
    "\\x41",
    "Some prose.",
    "{\\\"a\\\":",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// A JSON value, as text in the manner of some writer.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9f64).prop_map(Value::from),
        soup().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z_\"é]{1,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// JSON with some bytes left out, doubled or replaced.
fn damaged() -> impl Strategy<Value = String> {
    (
        json(),
        prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                0..3u8,
                prop::sample::select(PIECES),
            ),
            0..5,
        ),
        any::<bool>(),
    )
        .prop_map(|(value, cuts, is_pretty)| {
            let mut text = if is_pretty {
                format!("{value:#}")
            } else {
                value.to_string()
            };
            for (at, how, piece) in cuts {
                let places: Vec<usize> = text.char_indices().map(|(n, _)| n).collect();
                let at = places[at.index(places.len())];
                let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
                match how {
                    0 => text.replace_range(at..end, ""),
                    1 => text.replace_range(at..end, piece),
                    _ => text.insert_str(at, piece),
                }
                if text.is_empty() {
                    text.push(' ');
                }
            }
            text
        })
}

/// Pieces of objects that have the properties of `fields`, or nearly.
fn shaped() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\"n\": ",
        "\"t\": ",
        "\"f\": ",
        "\"l\": ",
        "\"o\": ",
        "\"m\": ",
        "\"u\": ",
        "\"g\": ",
        "\"a_b\": ",
        "\"aB\": ",
        "\"A-B\": ",
        "\"arguments\": ",
        "\"input\": ",
        "\"other\": ",
        "1",
        "4.5",
        "\"7\"",
        "\"x\"",
        "true",
        "\"True\"",
        "null",
        "\"null\"",
        "\"[1, '2']\"",
        "\"{'n': '3'}\"",
        "\"{\\\"n\\\": 1}\"",
        "\"[x\"",
        "{",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ", ",
        "\"\\u00e9\\\"\"",
        "\"日本日本日本日本日本日本日本日本日本日本日本日本日本\"",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..30)
        .prop_map(|pieces| format!("{{{}", pieces.concat()))
}

fn fields() -> Fields {
    let scalar = |integer, boolean| {
        Shape::Scalar(Scalars {
            integer,
            boolean,
            null: boolean,
            ..Scalars::default()
        })
    };
    let list = |item: &Shape| Shape::Array(Box::new(item.clone()));
    let integer = scalar(true, false);
    let inner = Shape::Object(Fields {
        properties: vec![("n".into(), integer.clone()), ("a_b".into(), Shape::Text)],
        others: None,
    });
    Fields {
        properties: vec![
            ("n".into(), integer.clone()),
            ("t".into(), Shape::Text),
            ("f".into(), scalar(false, true)),
            ("l".into(), list(&Shape::Text)),
            ("m".into(), list(&inner)),
            ("o".into(), inner),
            ("u".into(), Shape::OneOf(vec![integer.clone(), Shape::Text])),
            ("g".into(), list(&list(&integer))),
            (
                "a_b".into(),
                Shape::OneOf(vec![list(&integer), scalar(false, true)]),
            ),
        ],
        others: Some(Box::new(integer)),
    }
}

/// What becomes of a document in pieces of so many bytes, and what was changed.
fn fit(fields: &Fields, json: &str, size: usize) -> (String, Vec<Fitted>) {
    let target = Target::Fields(fields);
    let mut fit = Fit::new(64);
    let (mut out, mut changes) = (String::new(), Vec::new());
    let mut rest = json;
    while !rest.is_empty() {
        let end = (size..rest.len())
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        fit.feed(target, &rest[..end], &mut out, &mut changes);
        rest = &rest[end..];
    }
    fit.finish(target, true, &mut out, &mut changes);
    (out, changes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_becomes_json(text in soup()) {
        check(&text);
    }

    #[test]
    fn damaged_json_becomes_json(text in damaged()) {
        check(&text);
    }

    #[test]
    fn any_characters_become_json(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn json_stays_as_it_is(value in json(), is_pretty: bool) {
        let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
        for (preset, options) in PRESETS {
            let repaired = repair(&text, &options, &Shape::Any).expect("it is JSON");
            prop_assert_eq!(&repaired.text, &text, "{}", preset);
            prop_assert!(repaired.edits.is_empty());
        }
    }

    #[test]
    fn the_cut_does_not_matter(text in damaged(), size in 1..20usize) {
        let mut held = HeldDocument::default();
        let mut piece = String::new();
        for c in text.chars() {
            piece.push(c);
            if piece.len() >= size {
                held.push(&std::mem::take(&mut piece));
            }
        }
        held.push(&piece);
        let whole = repair(&text, &Options::LLM, &Shape::Any);
        prop_assert_eq!(held.finish(&Options::LLM, &Shape::Any), whole);
    }

    #[test]
    fn values_come_to_their_shapes_the_same_in_every_cut(text in shaped(), size in 1..9usize) {
        let json = repair(&text, &Options::LLM, &Shape::Any).expect("refuses nothing").text;
        let fields = fields();
        let whole = fit(&fields, &json, json.len());
        prop_assert!(is_json(&whole.0), "{} of {json}", whole.0);
        for change in &whole.1 {
            prop_assert!(change.start <= change.end && change.end <= json.len(), "{change:?}");
            prop_assert!(change.at <= whole.0.len(), "{change:?}");
        }
        prop_assert_eq!(&whole, &fit(&fields, &json, size), "{} by {}", json, size);
        let held = coerce(&json, &Shape::Object(fields));
        prop_assert!(is_json(&held.text), "{} of {json}", held.text);
        prop_assert_eq!(held.changes.is_empty(), held.text == json, "{}: {:?}", json, held);
    }

    #[test]
    fn what_has_no_shape_is_not_coerced(text in damaged()) {
        let repaired = repair(&text, &Options::LLM, &Shape::Any).expect("refuses nothing");
        prop_assert_eq!(coerce(&repaired.text, &Shape::Any).text, repaired.text);
    }
}

/// Texts of about `n` bytes that make careless repairers slow.
fn adversaries(n: usize) -> Vec<(&'static str, String)> {
    let repeated = |piece: &str| piece.repeat(n / piece.len());
    let behind = |head: &str, piece: &str| format!("{head}{}", repeated(piece));
    vec![
        ("open quotes", repeated("\"")),
        ("open strings", repeated("\"a")),
        ("open strings in a list", repeated("[\"a,")),
        ("quotes and blanks", repeated("\" ")),
        ("one open string", behind("{\"a\": \"", "b ")),
        ("open strings in members", behind("{", "\"a\": \"b c, ")),
        (
            "unclosed quotes in members",
            behind("{", "\"a\": \"b, \"c\": 1\n"),
        ),
        ("brackets", repeated("[")),
        ("braces", repeated("{")),
        ("keys", repeated("{\"a\":")),
        ("braces and brackets", repeated("{[")),
        ("closers", repeated("]}")),
        ("mixed brackets", repeated("[}(])")),
        (
            "deep and closed",
            format!("{}1{}", "[".repeat(n / 2), "]".repeat(n / 2)),
        ),
        ("colons", behind("{", "a:")),
        ("colons alone", repeated(":")),
        ("quote and comma", behind("[", "\",")),
        ("comma and quote", behind("[\"", ",\"a")),
        (
            "braces in a string",
            behind("{\"a\": \"", "{\"b\": \"c\"} "),
        ),
        ("brackets in a string", behind("{\"a\": \"x\" ", "[\"y\"]}")),
        ("concatenations", behind("[", "\"a\" + ")),
        ("concatenations without an end", repeated("\"a\"+\"b\" ")),
        ("ellipses", behind("[", "..., ")),
        ("dots", repeated(".")),
        ("comments", behind("[", "/* ")),
        ("comments behind quotes", behind("[\"", "\"/*")),
        ("line comments", behind("[", "# x\n1 ")),
        ("fences", repeated("```json\n")),
        ("fences in strings", behind("{\"a\": \"", "}``` [1,\"z\"] ")),
        ("backslashes", behind("\"", "\\")),
        ("escaped quotes", behind("{\"a\": \"", "\\\"")),
        ("bare words", behind("{", "a b c ")),
        ("bare lists", behind("[", "a b, ")),
        ("words and quotes", behind("{\"a\": ", "b\" ")),
        ("parentheses", repeated("(")),
        ("parentheses and commas", repeated("(1,")),
        ("calls", repeated("ObjectId(")),
        ("prose with braces", repeated("see {this} and [that] ")),
        ("documents", repeated("{\"a\":1} ")),
        ("lists behind lists", behind("{\"a\": [1]", ", [2]")),
        ("double keys", behind("[", "{\"a\": 1, \"a\": 2 ")),
        ("many keys", {
            let mut text = String::from("{");
            for n in 0..n / 12 {
                let _ = write!(text, "k{n}: {n}, ");
            }
            text
        }),
        ("sets", repeated("{'a', ")),
        ("low quotes", behind("{\"a\": \"", "„b")),
        ("blanks", behind("[", " ")),
        (
            "blanks behind depth",
            format!("{}{}", "[".repeat(n / 2), " ".repeat(n / 2)),
        ),
        ("classes", behind("{\"a\": \"", "[^\"]")),
        ("apostrophes", behind("{'a': '", "don't ")),
        ("curly quotes", repeated("“a”")),
        ("triple quotes", repeated("\"\"\"")),
        ("doubled quotes", behind("{", "\"\"a\"\": ")),
        ("thoughts", repeated("</think>")),
    ]
}

#[test]
fn work_is_linear_on_every_adversary() {
    for n in [4_000, 64_000] {
        for (name, text) in adversaries(n) {
            for (preset, options) in PRESETS {
                if let Ok(repaired) = repair(&text, &options, &Shape::Any) {
                    assert!(
                        repaired.work <= most_work(text.len()),
                        "{preset}, {name}: {} for {} bytes",
                        repaired.work,
                        text.len()
                    );
                    assert!(
                        repaired.text.len() <= 40 * text.len() + 1000,
                        "{preset}, {name}: {} bytes of {}",
                        repaired.text.len(),
                        text.len()
                    );
                }
            }
        }
    }
}

#[test]
fn blanks_that_json_does_not_know_count_before_a_text_without_json() {
    check("\u{c}Afal a\":\u{360}");
    for (text, want) in [
        ("\u{c}12", "12"),
        ("\u{85} a b", "\"a b\""),
        ("\u{c}\"é", "\"é\""),
    ] {
        check(text);
        let repaired = repair(text, &Options::LLM, &Shape::Any).expect("refuses nothing");
        assert_eq!(repaired.text, want);
    }
}

#[test]
fn what_looking_ahead_never_names_has_a_note_as_well() {
    for text in [
        "",
        "\"pa",
        "{\"a\": [1, 2] \"d\": null}",
        "{\"a\": 1,, \"b\": 2}",
        "{\"a\": 01}",
        "{\"a\u{0}\": 1}",
        "{\"a\":\u{a0}1}",
        "[1, +2]",
    ] {
        check(text);
    }
}

#[test]
fn a_comma_that_is_escaped_ends_the_string_all_the_same() {
    check("\"a\\,\"b");
    check("[\"a\\,\"b\"]");
}

#[test]
fn bytes_that_are_no_element_leave_no_comma_behind() {
    for text in ["[I\u{b}", "[1 \u{b}]", "[1, \u{b}, 2]", "(1, \u{b})"] {
        check(text);
    }
}

#[test]
fn depth_costs_no_stack() {
    let n = 100_000;
    let texts = [
        "[".repeat(n),
        "{\"a\":".repeat(n),
        "{a:[".repeat(n),
        "(".repeat(n),
        format!("{}{}", "[".repeat(n), "}".repeat(n)),
        format!("{}1{}", "{'a': ".repeat(n), "}".repeat(n)),
    ];
    for text in &texts {
        let repaired = repair(text, &Options::LLM, &Shape::Any).expect("refuses nothing");
        assert!(repaired.text.len() >= n);
        let again = repair(&repaired.text, &Options::LLM, &Shape::Any).expect("refuses nothing");
        assert!(again.edits.is_empty(), "it was not JSON");
        let _ = repair(text, &Options::JSONREPAIR, &Shape::Any);
        assert!(
            repair(text, &Options::JSON_REPAIR, &Shape::Any).is_err(),
            "this preset has a limit"
        );
    }
}

#[test]
fn repairs_beyond_the_kept_ones_are_counted() {
    let text = format!("[{}]", "'a',".repeat(1000));
    let repaired = repair(&text, &Options::LLM, &Shape::Any).expect("refuses nothing");
    let kept = repaired
        .edits
        .iter()
        .filter(|fix| fix.repair == Repair::NonstandardQuote)
        .count();
    assert_eq!(kept, 64);
    assert!(repaired.more.contains(&(Repair::NonstandardQuote, 936)));
}
