//! The arguments of a call as a JSON object, or as a text that is not one.

use toolglot_engine::{Call, Code, End};
use toolglot_value::{Map, ReadOptions, Value};

use crate::prefix::complete;

/// The available arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// An object; of a repeated key, the last value.
    Object(Map<String, Value>),
    /// The text, if it is not an object or nests too deep.
    Raw(String),
}

/// The maximum nesting of arguments that are used: schemas, policies and tools read no deeper ones.
const USED: usize = 127;

/// The maximum nesting of arguments that are displayed as values. A value is built, written and dropped by recursion:
/// the limit keeps the recursion below 1 MiB of stack.
const SHOWN: usize = 512;

impl Arguments {
    /// The arguments of `call` for use: at most 127 levels of objects and lists. Truncated arguments are closed at
    /// their end.
    pub fn of(call: &Call) -> Arguments {
        Arguments::of_depth(call, USED)
    }

    /// The arguments of `call` for display: at most 512 levels.
    pub fn shown(call: &Call) -> Arguments {
        Arguments::of_depth(call, SHOWN)
    }

    /// Whether [`Arguments::of`] is an object. For a complete call no value is built, because it may be large.
    pub fn is_object(call: &Call) -> bool {
        match call.end {
            End::Truncated => matches!(Arguments::of(call), Arguments::Object(_)),
            End::Closed | End::Recovered => {
                let text = call.arguments.as_str();
                text.trim_start().starts_with('{') && toolglot_value::is_json(text)
            }
        }
    }

    fn of_depth(call: &Call, depth: usize) -> Arguments {
        let text = call.arguments.as_str();
        let object = match call.end {
            End::Truncated if text.trim().is_empty() && !is_no_object(call) => Some(Map::new()),
            End::Truncated => complete(text).and_then(|whole| object(&whole, depth)),
            End::Closed | End::Recovered => object(text, depth),
        };
        object.map_or_else(|| Arguments::Raw(text.to_owned()), Arguments::Object)
    }
}

/// Whether a note says that the arguments are not an object, and nothing of them was read.
fn is_no_object(call: &Call) -> bool {
    let mut notes = call.notes.iter();
    notes.any(|note| note.code == Code::MalformedJson && !note.span.is_empty())
}

fn object(text: &str, max_depth: usize) -> Option<Map<String, Value>> {
    let options = ReadOptions {
        max_depth,
        ..ReadOptions::default()
    };
    match options.read(text.as_bytes()) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot_engine::{CallId, Place, Span};

    fn call(args: &str, end: End) -> Call {
        Call {
            id: CallId(0),
            written_id: None,
            name: "f".into(),
            name_span: Span::empty(0),
            server: None,
            arguments: args.into(),
            span: Span::empty(0),
            dialect: "hermes".into(),
            place: Place::Answer,
            end,
            notes: Vec::new(),
        }
    }

    fn check(args: &str, end: End, object: Option<&str>) {
        let call = call(args, end);
        assert_eq!(Arguments::is_object(&call), object.is_some(), "{args:?}");
        let shown = match Arguments::of(&call) {
            Arguments::Object(map) => Some(Value::Object(map).to_string()),
            Arguments::Raw(raw) => {
                assert_eq!(raw, args);
                None
            }
        };
        assert_eq!(shown.as_deref(), object, "args {args:?}");
    }

    #[test]
    fn of_a_double_key_the_last_value_counts() {
        check(
            r#"{"a":1,"b":2,"a":3}"#,
            End::Recovered,
            Some(r#"{"a":3,"b":2}"#),
        );
    }

    #[test]
    fn numbers_stay_exact() {
        check(
            r#"{"n":12345678901234567890123,"x":1.10}"#,
            End::Closed,
            Some(r#"{"n":12345678901234567890123,"x":1.10}"#),
        );
    }

    #[test]
    fn a_truncated_call_shows_what_arrived() {
        check(r#"{"path":"a.r"#, End::Truncated, Some(r#"{"path":"a.r"}"#));
        check("", End::Truncated, Some("{}"));
    }

    #[test]
    fn deep_arguments_are_shown_and_not_used() {
        for (depth, is_used, is_shown) in [
            (127, true, true),
            (128, false, true),
            (512, false, true),
            (513, false, false),
            (100_000, false, false),
        ] {
            let args = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
            for end in [End::Closed, End::Truncated] {
                let call = call(&args, end);
                let is_object = |args| matches!(args, Arguments::Object(_));
                assert_eq!(is_object(Arguments::of(&call)), is_used, "{depth}");
                assert_eq!(Arguments::is_object(&call), is_used, "{depth}");
                assert_eq!(is_object(Arguments::shown(&call)), is_shown, "{depth}");
            }
            if is_shown {
                let Arguments::Object(object) = Arguments::shown(&call(&args, End::Closed)) else {
                    continue;
                };
                assert_eq!(Value::Object(object.clone()).to_string(), args);
            }
        }
    }

    #[test]
    fn what_is_no_object_stays_text() {
        for args in [
            r#"{"a":"\ud800"}"#,
            r#"{"a":1e999}"#,
            r#"{"a":01}"#,
            "{\"a\":\"\u{1}\"}",
            "{} x",
        ] {
            let call = call(args, End::Closed);
            let is_object = matches!(Arguments::of(&call), Arguments::Object(_));
            assert_eq!(Arguments::is_object(&call), is_object, "{args:?}");
        }
        check("[1]", End::Closed, None);
        check("", End::Closed, None);
        check(
            &format!("{{\"a\":{}", "[".repeat(600)),
            End::Truncated,
            None,
        );
    }
}
