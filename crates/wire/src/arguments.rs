//! The arguments of a call as a JSON object, or as the text that never became one.

use serde_json::{Map, Value};
use toolglot::{Call, Code, End};

use crate::prefix::complete;

/// What arrived of a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// An object; of a key that came twice the last value, at the place of the first.
    Object(Map<String, Value>),
    /// The text, where it is no object or is nested deeper than 128 levels.
    Raw(String),
}

impl Arguments {
    /// The arguments of `call`. Those of a truncated call are closed where they end.
    pub fn of(call: &Call) -> Arguments {
        let text = call.args.as_str();
        let object = match call.end {
            End::Truncated if text.trim().is_empty() && !is_no_object(call) => Some(Map::new()),
            End::Truncated => complete(text).and_then(|whole| object(&whole)),
            End::Closed | End::Recovered => object(text),
        };
        object.map_or_else(|| Arguments::Raw(text.to_owned()), Arguments::Object)
    }
}

/// Whether a note says that the arguments are no object, and nothing of them was kept.
fn is_no_object(call: &Call) -> bool {
    let mut notes = call.notes.iter();
    notes.any(|note| note.code == Code::MalformedJson && !note.span.is_empty())
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot::{CallId, Place, Span};

    fn check(args: &str, end: End, object: Option<&str>) {
        let call = Call {
            id: CallId(0),
            written_id: None,
            name: "f".into(),
            name_at: Span::empty(0),
            ns: None,
            args: args.into(),
            span: Span::empty(0),
            dialect: "hermes".into(),
            place: Place::Answer,
            end,
            notes: Vec::new(),
        };
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
    fn what_is_no_object_stays_text() {
        check("[1]", End::Closed, None);
        check("", End::Closed, None);
        check(
            &format!("{{\"a\":{}", "[".repeat(200)),
            End::Truncated,
            None,
        );
    }
}
