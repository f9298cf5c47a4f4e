//! Values coerced to their shapes, in pieces: the output is JSON, the same in every cut, and a fixed point.
//!
//! The first byte of the input chooses the cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toolglot_json::internal::{Fit, Fitted, Target};
use toolglot_json::{Fields, Scalars, Shape, coerce, repair};

fuzz_target!(|data: &[u8]| {
    let [how, text @ ..] = data else { return };
    let Ok(text) = core::str::from_utf8(text) else { return };
    let json = repair(text, &Shape::Any).text;
    let fields = fields();
    let target = Target::Fields(&fields);
    let (whole, changes) = fitted(target, &json, json.len().max(1));
    assert!(is_json(&whole), "not JSON: {whole} of {json}");
    for change in &changes {
        assert!(change.start <= change.end && change.end <= json.len(), "{change:?}");
        assert!(change.at <= whole.len(), "{change:?}");
    }
    for size in [1, 2 + usize::from(how >> 4)] {
        assert_eq!(fitted(target, &json, size), (whole.clone(), changes.clone()), "by {size}");
    }
    let held = coerce(&json, &Shape::Object(fields.clone()));
    assert!(is_json(&held.text), "not JSON: {} of {json}", held.text);
    assert_eq!(held.text == json, held.changes.is_empty(), "{json}: {held:?}");
});

fn fitted(target: Target<'_>, json: &str, size: usize) -> (String, Vec<Fitted>) {
    let mut fit = Fit::new(64);
    let mut out = String::new();
    let mut rest = json;
    while !rest.is_empty() {
        let end = (size..rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
        fit.feed(target, &rest[..end], &mut out);
        rest = &rest[end..];
    }
    fit.finish(target, true, &mut out);
    (out, fit.changes)
}

/// One property of each kind, with names of one and two letters that are near each other.
fn fields() -> Fields {
    let integer = Shape::Scalar(Scalars { integer: true, ..Scalars::default() });
    let flag = Shape::Scalar(Scalars { boolean: true, null: true, ..Scalars::default() });
    let list = |item: &Shape| Shape::Array(Box::new(item.clone()));
    let inner = Shape::Object(Fields {
        properties: vec![("n".into(), integer.clone()), ("a_b".into(), Shape::Text), ("l".into(), list(&integer))],
        others: None,
    });
    Fields {
        properties: vec![
            ("t".into(), Shape::Text),
            ("n".into(), integer.clone()),
            ("f".into(), flag.clone()),
            ("l".into(), list(&Shape::Text)),
            ("m".into(), list(&inner)),
            ("o".into(), inner.clone()),
            ("u".into(), Shape::OneOf(vec![integer.clone(), Shape::Text])),
            ("v".into(), Shape::OneOf(vec![list(&integer), flag])),
            ("g".into(), list(&list(&integer))),
            ("a_b".into(), inner),
        ],
        others: Some(Box::new(integer)),
    }
}

fn is_json(text: &str) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    IgnoredAny::deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
}
