//! Texts that repairers are tried on: damaged documents, pieces of them, and texts that make careless repairers slow.

use std::fmt::Write as _;

use proptest::prelude::*;
use toolglot_value::Value;

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

pub(crate) fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// A JSON value, as text in the manner of some writer.
pub(crate) fn json() -> impl Strategy<Value = Value> {
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
pub(crate) fn damaged() -> impl Strategy<Value = String> {
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

/// Texts of about `n` bytes that make careless repairers slow.
pub(crate) fn adversaries(n: usize) -> Vec<(&'static str, String)> {
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
