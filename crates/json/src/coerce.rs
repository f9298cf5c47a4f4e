//! Coerces whole documents to a shape: the rules of [`fit`](crate::fit), and rules for the root alone.

use alloc::string::String;
use alloc::vec::Vec;

use crate::fit::{FitKind, Fitted, Kind, Target, admits, fitted};
use crate::reader::{elements, extent, members};
use crate::repair::Repair;
use crate::shape::{Fields, Shape};

/// JSON text whose values were coerced to the types of a shape where possible.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoercedText {
    /// The JSON text. Equals the input, byte for byte, if nothing had to change.
    pub text: String,
    /// The changes, in order.
    pub changes: Vec<Coercion>,
}

/// A change of one value or one key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coercion {
    /// The kind of change.
    pub repair: Repair,
    /// The place in the value as a JSON pointer (RFC 6901), empty for the root.
    pub path: String,
    /// The first byte in the JSON text.
    pub start: usize,
    /// The byte after the last. `start..end` is the replaced text, empty for a bracket that was supplied.
    pub end: usize,
    /// Where the replacement starts in the output.
    pub at: usize,
    /// The replacement, at most 200 characters.
    pub after: String,
}

/// Coerces the values of `json`, a valid JSON text, to the types of `shape`.
///
/// - Where the shape allows no string, a string becomes the number, boolean or `null` that it spells. Booleans come
///   only from `true` and `false`, in any case, `null` only from `null`.
/// - A string that holds an object or a list becomes that value where the shape allows it and allows no string.
/// - A number or boolean becomes a string where the shape allows only strings.
/// - A lone value becomes a list of one. At the root, a list becomes its first object that fits.
/// - At the root, an object whose only member wraps the arguments is unwrapped. The shape must not know the wrapper's
///   key, and must know the keys inside.
/// - An undeclared key becomes a declared one if the two differ only in case, `_`, `-`, `.` and blanks. Exactly one
///   declared key must fit, and the object must not have the declared key already.
///
/// A value that cannot be coerced stays as it was written; a validator reports it. A value that fits is unchanged.
/// Linear in the text for one shape. Iterative, except that strings that hold JSON are read recursively, at most four
/// deep.
///
/// ```
/// use toolglot_json::{Fields, Scalars, Shape, coerce};
///
/// let count = Shape::Scalar(Scalars { integer: true, ..Scalars::default() });
/// let shape = Shape::Object(Fields {
///     properties: vec![("lineCount".into(), count), ("paths".into(), Shape::Array(Box::new(Shape::Text)))],
///     others: None,
/// });
/// let coerced = coerce(r#"{"line_count": "42", "paths": "a.rs"}"#, &shape);
/// assert_eq!(coerced.text, r#"{"lineCount": 42, "paths": ["a.rs"]}"#);
/// assert_eq!(coerced.changes.len(), 3);
/// ```
pub fn coerce(json: &str, shape: &Shape) -> CoercedText {
    let inner = match shape.of_container(true) {
        Shape::Object(fields) => unwrapped(json, shape, fields),
        _ => None,
    };
    let value = inner.unwrap_or(json);
    let target = match shape {
        // The wrapper of arguments may have siblings.
        Shape::Object(fields) if value.trim_start().starts_with('{') => Target::Fields(fields),
        shape => Target::Shape(shape),
    };
    let (text, changes) = fitted(target, value);
    let Some(inner) = inner else {
        let changes = changes.into_iter().map(|change| of(change, 0, 0)).collect();
        return CoercedText { text, changes };
    };
    // The text around the value is removed, the blanks at the ends of the text stay.
    let start = json.len() - json.trim_start().len();
    let end = start + extent(&json[start..]);
    let from = inner.as_ptr() as usize - json.as_ptr() as usize;
    let unwrapping = Coercion {
        repair: Repair::UnwrappedArguments,
        path: String::new(),
        start,
        end,
        at: start,
        after: text.chars().take(200).collect(),
    };
    let mut all = Vec::from([unwrapping]);
    all.extend(changes.into_iter().map(|change| of(change, from, start)));
    CoercedText {
        text: alloc::format!("{}{text}{}", &json[..start], &json[end..]),
        changes: all,
    }
}

/// Converts a change in a value that starts at `from` in the input and at `to` in the output.
fn of(change: Fitted, from: usize, to: usize) -> Coercion {
    Coercion {
        repair: match change.change {
            FitKind::Typed | FitKind::Unpacked => Repair::TypeCoercion,
            FitKind::Listed => Repair::WrappedValue,
            FitKind::Renamed => Repair::NearName,
            FitKind::Unwrapped => Repair::UnwrappedArguments,
            FitKind::Doubled => Repair::DuplicateKey,
        },
        path: change.path,
        start: from + change.start,
        end: from + change.end,
        at: to + change.at,
        after: change.after,
    }
}

/// The value inside the root's wrapper, if the root has one.
///
/// A whole document allows more wrappers than a streamed call:
/// - any lone key that the shape does not know, if the shape knows all keys of the object inside;
/// - a list where the shape allows no list: its first object with a known key is the value.
fn unwrapped<'j>(json: &'j str, shape: &Shape, fields: &Fields) -> Option<&'j str> {
    match json.trim_start().as_bytes().first()? {
        b'{' => {
            let mut parts = members(json);
            let (Some((key, value)), None) = (parts.next(), parts.next()) else {
                return None;
            };
            let mut inside = members(value).map(|(key, _)| fields.is_known(&key));
            let is_wrapper =
                !fields.is_known(&key) && inside.next() == Some(true) && inside.all(|known| known);
            is_wrapper.then_some(value)
        }
        b'[' if !admits(shape, Kind::Array) => elements(json).find(|item| {
            item.starts_with('{')
                && (fields.properties.is_empty()
                    || members(item).any(|(key, _)| fields.is_known(&key)))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Scalars;
    use alloc::boxed::Box;
    use alloc::vec;

    fn shape() -> Shape {
        let scalar = |set| Shape::Scalar(set);
        let integer = Scalars {
            integer: true,
            ..Scalars::default()
        };
        let flag = Scalars {
            boolean: true,
            null: true,
            ..Scalars::default()
        };
        let number = Scalars {
            number: true,
            ..Scalars::default()
        };
        let item = Shape::Object(Fields {
            properties: vec![("id".into(), scalar(integer))],
            others: Some(Box::new(Shape::Any)),
        });
        Shape::Object(Fields {
            properties: vec![
                ("path".into(), Shape::Text),
                ("lineCount".into(), scalar(integer)),
                ("flag".into(), scalar(flag)),
                (
                    "ratio".into(),
                    Shape::OneOf(vec![scalar(number), Shape::Text]),
                ),
                ("tags".into(), Shape::Array(Box::new(Shape::Text))),
                ("items".into(), Shape::Array(Box::new(item.clone()))),
                ("item".into(), item),
                (
                    "size".into(),
                    Shape::OneOf(vec![scalar(integer), scalar(number)]),
                ),
            ],
            others: None,
        })
    }

    const CASES: &[(&str, &str)] = &[
        (
            r#" {"path": "007", "ratio": "1"} "#,
            r#" {"path": "007", "ratio": "1"} "#,
        ),
        (r#"{"path": 007}"#, r#"{"path": "007"}"#),
        (
            r#"{"lineCount": "42", "flag": "True"}"#,
            r#"{"lineCount": 42, "flag": true}"#,
        ),
        (
            r#"{"lineCount": "4.5", "flag": "yes"}"#,
            r#"{"lineCount": "4.5", "flag": "yes"}"#,
        ),
        (r#"{"flag": "null"}"#, r#"{"flag": null}"#),
        (
            r#"{"flag": "none", "lineCount": null}"#,
            r#"{"flag": "none", "lineCount": null}"#,
        ),
        (r#"{"size": "42.5"}"#, r#"{"size": 42.5}"#),
        (r#"{"size": "12,345"}"#, r#"{"size": 12345}"#),
        (r#"{"tags": "a"}"#, r#"{"tags": ["a"]}"#),
        (r#"{"tags": "[\"a\", 1]"}"#, r#"{"tags": ["a", "1"]}"#),
        (r#"{"tags": "[a, b]"}"#, r#"{"tags": ["a", "b"]}"#),
        (
            r#"{"items": {"id": "1"}, "tags": []}"#,
            r#"{"items": [{"id": 1}], "tags": []}"#,
        ),
        (
            r#"{"items": [{"id": "1"}, {"id": 2}]}"#,
            r#"{"items": [{"id": 1}, {"id": 2}]}"#,
        ),
        (r#"{"item": "{\"id\": \"7\"}"}"#, r#"{"item": {"id": 7}}"#),
        (
            r#"{"arguments": {"path": "a", "line-count": "1"}}"#,
            r#"{"path": "a", "lineCount": 1}"#,
        ),
        (
            r#"{"arguments": {"path": "a", "tags": "x"}}"#,
            r#"{"path": "a", "tags": ["x"]}"#,
        ),
        (
            r#"{"line_count": 1, "Path": "b"}"#,
            r#"{"lineCount": 1, "path": "b"}"#,
        ),
        (
            r#"{"line_count": 1, "linecount": 2}"#,
            r#"{"line_count": 1, "linecount": 2}"#,
        ),
        (
            r#"{"line_count": 1, "lineCount": 2}"#,
            r#"{"line_count": 1, "lineCount": 2}"#,
        ),
        (r#"[{"path": "a"}]"#, r#"{"path": "a"}"#),
        (
            r#"{"other": {"path": "a", "x": 1}}"#,
            r#"{"other": {"path": "a", "x": 1}}"#,
        ),
    ];

    #[test]
    fn values_come_to_the_types_of_the_shape() {
        for (json, want) in CASES {
            let coerced = coerce(json, &shape());
            assert_eq!(coerced.text, *want, "{json}");
            assert_eq!(coerced.changes.is_empty(), json == want, "{json}");
            assert_eq!(coerce(want, &shape()).text, *want, "again: {want}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(coerce(&text, &Shape::Any).text, text);
    }

    #[test]
    fn changes_say_where() {
        let coerced = coerce(r#"{"items": [{"id": 1}, {"id": "2"}]}"#, &shape());
        assert_eq!(coerced.changes[0].path, "/items/1/id");
        assert_eq!(coerced.changes[0].after, "2");
    }
}
