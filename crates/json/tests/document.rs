//! Whole documents under the rules of this crate: cuts, shapes, depth.

use proptest::prelude::*;
use toolglot_json::internal::{Fit, Fitted, Target};
use toolglot_json::{Fields, HeldDocument, Repair, Scalars, Shape, coerce, repair};

use crate::promises::{check, is_json};
use crate::texts::damaged;

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
    let mut out = String::new();
    let mut rest = json;
    while !rest.is_empty() {
        let end = (size..rest.len())
            .find(|&at| rest.is_char_boundary(at))
            .unwrap_or(rest.len());
        fit.feed(target, &rest[..end], &mut out);
        rest = &rest[end..];
    }
    fit.finish(target, true, &mut out);
    (out, fit.changes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() })]

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
        let whole = repair(&text, &Shape::Any);
        prop_assert_eq!(held.finish(&Shape::Any), whole);
    }

    #[test]
    fn values_come_to_their_shapes_the_same_in_every_cut(text in shaped(), size in 1..9usize) {
        let json = repair(&text, &Shape::Any).text;
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
        let repaired = repair(&text, &Shape::Any);
        prop_assert_eq!(coerce(&repaired.text, &Shape::Any).text, repaired.text);
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
        let repaired = repair(text, &Shape::Any);
        assert_eq!(repaired.text, want);
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
        let repaired = repair(text, &Shape::Any);
        assert!(repaired.text.len() >= n);
        let again = repair(&repaired.text, &Shape::Any);
        assert!(again.edits.is_empty(), "it was not JSON");
    }
}

#[test]
fn repairs_beyond_the_kept_ones_are_counted() {
    let text = format!("[{}]", "'a',".repeat(1000));
    let repaired = repair(&text, &Shape::Any);
    let kept = repaired
        .edits
        .iter()
        .filter(|fix| fix.repair == Repair::NonstandardQuote)
        .count();
    assert_eq!(kept, 64);
    assert!(repaired.more.contains(&(Repair::NonstandardQuote, 936)));
}

#[test]
fn a_key_that_the_end_cuts_goes() {
    for (text, expected) in [
        (r#"{"path": "a.py", "conte"#, r#"{"path": "a.py"}"#),
        (r#"{"path": "a.py", "content""#, r#"{"path": "a.py"}"#),
        (r#"{"path": "a.py", "con\"te"#, r#"{"path": "a.py"}"#),
        (r#"{"path": "a.py", ""#, r#"{"path": "a.py"}"#),
        (r#"{"a": ["x", "y"], "to"#, r#"{"a": ["x", "y"]}"#),
        (r#"{"a": {"b": ["x"]}, "to"#, r#"{"a": {"b": ["x"]}}"#),
    ] {
        let repaired = repair(text, &Shape::Any);
        assert_eq!(repaired.text.trim_end(), expected, "{text}");
    }
}

/// A stream holds a word until it ends, up to a cap; a document is here already.
#[test]
fn long_words_of_a_document_stay_whole() {
    let digits = "7".repeat(6000);
    let text = format!("[{digits},]");
    // No `f64` holds it, so it is a text.
    let whole = format!("[\"{digits}\"]");
    assert!(repair(&text, &Shape::Any).text == whole);
}
