//! Values and their shapes as a table, in several chunk sizes.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::{Fit, FitKind, Target};
use crate::pointer::place;
use crate::shape::{Fields, Scalars, Shape};

fn scalar(types: &str) -> Shape {
    Shape::Scalar(Scalars {
        integer: types.contains("integer"),
        number: types.contains("number"),
        boolean: types.contains("boolean"),
        null: types.contains("null"),
    })
}

fn fields() -> Fields {
    let list = |item| Shape::Array(Box::new(item));
    let edit = Shape::Object(Fields {
        properties: vec![
            ("line".into(), scalar("integer")),
            ("new_text".into(), Shape::Text),
        ],
        others: None,
    });
    Fields {
        properties: vec![
            ("path".into(), Shape::Text),
            ("limit".into(), scalar("integer")),
            ("ratio".into(), scalar("number null")),
            ("deep".into(), scalar("boolean")),
            ("tags".into(), list(Shape::Text)),
            ("lines".into(), list(scalar("integer"))),
            ("edits".into(), list(edit.clone())),
            ("things".into(), list(Shape::Any)),
            ("edit".into(), edit),
            (
                "either".into(),
                Shape::OneOf(vec![scalar("integer null"), Shape::Text]),
            ),
            (
                "maybe_tags".into(),
                Shape::OneOf(vec![list(Shape::Text), scalar("null")]),
            ),
            ("a_b".into(), Shape::Text),
            ("aB".into(), Shape::Text),
        ],
        others: Some(Box::new(Shape::Any)),
    }
}

fn fit(text: &str, size: usize) -> (String, Vec<(FitKind, String)>) {
    let fields = fields();
    let target = Target::Fields(&fields);
    let mut out = String::new();
    let mut machine = Fit::new(64);
    let mut rest = text;
    while !rest.is_empty() {
        let end = (size..rest.len())
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        machine.feed(target, &rest[..end], &mut out);
        rest = &rest[end..];
    }
    machine.finish(target, true, &mut out);
    let fitted = (machine.changes)
        .into_iter()
        .map(|f| (f.change, place(&f.path)))
        .collect();
    (out, fitted)
}

/// The input, the output, and the changes.
type Case = (
    &'static str,
    &'static str,
    &'static [(FitKind, &'static str)],
);

const CASES: &[Case] = &[
    (
        r#"{"path": "a.rs", "x": [1, {"y": "}"}]}"#,
        r#"{"path": "a.rs", "x": [1, {"y": "}"}]}"#,
        &[],
    ),
    (
        r#"{"limit": "5"}"#,
        r#"{"limit": 5}"#,
        &[(FitKind::Typed, "limit")],
    ),
    (r#"{"limit": "five"}"#, r#"{"limit": "five"}"#, &[]),
    (
        r#"{"limit": "\"5\"", "deep": "'true'", "lines": "\\\"7\\\""}"#,
        r#"{"limit": 5, "deep": true, "lines": [7]}"#,
        &[
            (FitKind::Typed, "limit"),
            (FitKind::Typed, "deep"),
            (FitKind::Listed, "lines"),
        ],
    ),
    (
        r#"{"limit": "\"5\", \"6\"", "path": "\"5\""}"#,
        r#"{"limit": "\"5\", \"6\"", "path": "\"5\""}"#,
        &[],
    ),
    // A near miss of an earlier key is not renamed. A duplicate of a renamed key is noted.
    (
        r#"{"path": "a", "PATH": "b"}"#,
        r#"{"path": "a", "PATH": "b"}"#,
        &[],
    ),
    (
        r#"{"PATH": "a", "path": "b"}"#,
        r#"{"path": "a", "path": "b"}"#,
        &[(FitKind::Renamed, "path"), (FitKind::Doubled, "path")],
    ),
    (
        r#"{"edits": [{"Line": 1}, {"Line": 2}]}"#,
        r#"{"edits": [{"line": 1}, {"line": 2}]}"#,
        &[
            (FitKind::Renamed, "edits[0].line"),
            (FitKind::Renamed, "edits[1].line"),
        ],
    ),
    (
        r#"{"limit": 18446744073709551616}"#,
        r#"{"limit": 18446744073709551616}"#,
        &[],
    ),
    (
        r#"{"path": 7.50}"#,
        r#"{"path": "7.50"}"#,
        &[(FitKind::Typed, "path")],
    ),
    (r#"{"path": null}"#, r#"{"path": null}"#, &[]),
    (
        r#"{"ratio": "null", "deep": "True"}"#,
        r#"{"ratio": null, "deep": true}"#,
        &[(FitKind::Typed, "ratio"), (FitKind::Typed, "deep")],
    ),
    (r#"{"deep": "yes"}"#, r#"{"deep": "yes"}"#, &[]),
    (
        r#"{"tags": "[\"a\", 'b']"}"#,
        r#"{"tags": ["a", "b"]}"#,
        &[(FitKind::Unpacked, "tags")],
    ),
    (
        r#"{"tags": "a"}"#,
        r#"{"tags": ["a"]}"#,
        &[(FitKind::Listed, "tags")],
    ),
    (
        r#"{"tags": "[x"}"#,
        r#"{"tags": ["[x"]}"#,
        &[(FitKind::Listed, "tags")],
    ),
    (
        r#"{"lines": 3, "tags": 5}"#,
        r#"{"lines": [3], "tags": ["5"]}"#,
        &[
            (FitKind::Listed, "lines"),
            (FitKind::Listed, "tags"),
            (FitKind::Typed, "tags[0]"),
        ],
    ),
    (
        r#"{"lines": "[1, \"2\"]"}"#,
        r#"{"lines": [1, 2]}"#,
        &[(FitKind::Unpacked, "lines"), (FitKind::Typed, "lines[1]")],
    ),
    (
        r#"{"edits": {"line": "3", "newText": "a\"b"}}"#,
        r#"{"edits": [{"line": 3, "new_text": "a\"b"}]}"#,
        &[
            (FitKind::Listed, "edits"),
            (FitKind::Typed, "edits[0].line"),
            (FitKind::Renamed, "edits[0].new_text"),
        ],
    ),
    (r#"{"things": {"a": 1}}"#, r#"{"things": {"a": 1}}"#, &[]),
    (
        r#"{"things": 1}"#,
        r#"{"things": [1]}"#,
        &[(FitKind::Listed, "things")],
    ),
    (
        r#"{"edits": [{"line": 1}, {"line": "2"}]}"#,
        r#"{"edits": [{"line": 1}, {"line": 2}]}"#,
        &[(FitKind::Typed, "edits[1].line")],
    ),
    (
        r#"{"edit": "{\"line\": 4}"}"#,
        r#"{"edit": {"line": 4}}"#,
        &[(FitKind::Unpacked, "edit")],
    ),
    (
        r#"{"either": "42", "either": 42}"#,
        r#"{"either": "42", "either": 42}"#,
        &[],
    ),
    (r#"{"maybe_tags": null}"#, r#"{"maybe_tags": null}"#, &[]),
    (
        r#"{"maybe_tags": "x"}"#,
        r#"{"maybe_tags": ["x"]}"#,
        &[(FitKind::Listed, "maybe_tags")],
    ),
    (
        r#"{"Path": "x", "maybe-tags": []}"#,
        r#"{"path": "x", "maybe_tags": []}"#,
        &[(FitKind::Renamed, "path"), (FitKind::Renamed, "maybe_tags")],
    ),
    (r#"{"ab": "two fit"}"#, r#"{"ab": "two fit"}"#, &[]),
    (
        r#"{"arguments": {"path": "x", "limit": "1"}, "deep": true}"#,
        r#"{"path": "x", "limit": 1, "deep": true}"#,
        &[(FitKind::Unwrapped, ""), (FitKind::Typed, "limit")],
    ),
    (
        r#"{"input": {"other": 1}, "path": "x"}"#,
        r#"{"input": {"other": 1}, "path": "x"}"#,
        &[],
    ),
    (
        r#"{"input": {}, "path": 1}"#,
        r#"{"input": {}, "path": "1"}"#,
        &[(FitKind::Typed, "path")],
    ),
    (r#"{"input": "x"}"#, r#"{"input": "x"}"#, &[]),
    (
        r#"{"arguments": "{\"Path\": \"x\", \"limit\": \"1\"}", "deep": true, "path": "y"}"#,
        r#"{"path": "x", "limit": 1, "deep": true, "path": "y"}"#,
        &[
            (FitKind::Unwrapped, ""),
            (FitKind::Renamed, "path"),
            (FitKind::Typed, "limit"),
            (FitKind::Doubled, "path"),
        ],
    ),
    (
        r#"{"arguments": "{}", "path": "y"}"#,
        r#"{"arguments": "{}", "path": "y"}"#,
        &[],
    ),
    (
        r#"{"file": 1, "Path": "x", "path": "y"}"#,
        r#"{"file": 1, "path": "x", "path": "y"}"#,
        &[(FitKind::Renamed, "path"), (FitKind::Doubled, "path")],
    ),
    (
        r#"{"path": "x", "PATH": "y"}"#,
        r#"{"path": "x", "PATH": "y"}"#,
        &[],
    ),
    (
        r#"{"either": 4.5, "limit": 4.5, "limit": "4.5", "limit": "1e2"}"#,
        r#"{"either": "4.5", "limit": 4.5, "limit": "4.5", "limit": 1e2}"#,
        &[(FitKind::Typed, "either"), (FitKind::Typed, "limit")],
    ),
];

#[test]
fn values_come_to_their_shapes_in_every_chunk_size() {
    for (text, want, notes) in CASES {
        for size in [1000, 1, 2, 3, 7] {
            let (out, fitted) = fit(text, size);
            assert_eq!(out, *want, "{text} by {size}");
            let notes: Vec<(FitKind, String)> = notes
                .iter()
                .map(|(change, path)| (*change, path.to_string()))
                .collect();
            assert_eq!(fitted, notes, "{text} by {size}");
        }
    }
}

#[test]
fn what_is_too_long_to_be_held_passes() {
    let long = "x".repeat(200);
    for (text, want) in [
        (
            alloc::format!(r#"{{"limit": "{long}", "tags": "{long}"}}"#),
            alloc::format!(r#"{{"limit": "{long}", "tags": ["{long}"]}}"#),
        ),
        (
            alloc::format!(r#"{{"tags": "[1, {long}]", "{long}": {long}, "limit": "1"}}"#),
            alloc::format!(r#"{{"tags": ["[1, {long}]"], "{long}": {long}, "limit": 1}}"#),
        ),
        (
            alloc::format!(
                r#"{{"args": {{"{long}": 1}}, "path": 1{}}}"#,
                "0".repeat(100)
            ),
            alloc::format!(
                r#"{{"args": {{"{long}": 1}}, "path": 1{}}}"#,
                "0".repeat(100)
            ),
        ),
    ] {
        for size in [1000, 1, 7] {
            assert_eq!(fit(&text, size).0, want, "by {size}");
        }
    }
}
