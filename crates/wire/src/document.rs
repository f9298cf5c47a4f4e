//! A parsed message as one JSON document.

use serde::Serialize;
use toolglot_engine::{Call, Calls, End, Place};
use toolglot_value::{Map, Value};

use crate::{Arguments, NoteLine};

/// A parsed message. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The version of this format.
    pub schema: u32,
    /// The id that came with the text; `null` if there is none.
    pub id: Value,
    /// The dialect of all calls; `None` if there is no call or they differ.
    pub dialect: Option<String>,
    /// The calls, in order of appearance.
    pub calls: Vec<CallDocument>,
    /// All text outside calls, verbatim.
    pub content: String,
    /// All reasoning, verbatim.
    pub reasoning: String,
    /// All notes, in order.
    pub notes: Vec<NoteLine>,
}

/// One call of a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallDocument {
    /// The index of the call, from 0.
    pub index: usize,
    /// The id that the model wrote.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The name as the model wrote it, if `name` is the canonical name instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The server or namespace.
    pub server: Option<String>,
    /// The arguments; `None` if the text is not an object.
    pub arguments: Option<Map<String, Value>>,
    /// The text of arguments that are not an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_raw: Option<String>,
    /// The first byte, and the byte after the last.
    pub span: [u64; 2],
    /// The dialect of the rule that read the call.
    pub dialect: String,
    /// `answer`, `reasoning` or `code`.
    pub place: &'static str,
    /// `closed`, `recovered` or `truncated`.
    pub end: &'static str,
}

impl Document {
    /// The document of a message without an id.
    pub fn new(message: &Calls) -> Document {
        let calls = message.calls.iter().enumerate();
        let calls = calls.map(|(index, call)| CallDocument::new(index, call));
        Document::with_calls(message, calls.collect())
    }

    /// The document of a message without an id, with these calls.
    pub fn with_calls(message: &Calls, calls: Vec<CallDocument>) -> Document {
        let mut dialects = message.calls.iter().map(|call| &call.dialect);
        let first = dialects.next();
        Document {
            schema: 1,
            id: Value::Null,
            dialect: first
                .filter(|first| dialects.all(|other| other == *first))
                .cloned(),
            calls,
            content: message.content.clone(),
            reasoning: message.reasoning.clone(),
            notes: message.notes.iter().map(NoteLine::from).collect(),
        }
    }
}

impl CallDocument {
    /// The document of the call at `index`.
    pub fn new(index: usize, call: &Call) -> CallDocument {
        CallDocument::with_arguments(index, call, Arguments::shown(call))
    }

    /// The document of the call at `index`, with these arguments.
    pub fn with_arguments(index: usize, call: &Call, arguments: Arguments) -> CallDocument {
        let (arguments, arguments_raw) = match arguments {
            Arguments::Object(object) => (Some(object), None),
            Arguments::Raw(raw) => (None, Some(raw)),
        };
        CallDocument {
            index,
            id: call.written_id.clone(),
            name: call.name.clone(),
            written: None,
            server: call.server.clone(),
            arguments,
            arguments_raw,
            span: [call.span.start, call.span.end],
            dialect: call.dialect.clone(),
            place: place(call.place),
            end: end(call.end),
        }
    }
}

/// The JSON value for a place.
pub(crate) fn place(place: Place) -> &'static str {
    match place {
        Place::Answer => "answer",
        Place::Reasoning => "reasoning",
        Place::Code => "code",
    }
}

/// The JSON value for an end.
pub(crate) fn end(end: End) -> &'static str {
    match end {
        End::Closed => "closed",
        End::Recovered => "recovered",
        End::Truncated => "truncated",
    }
}

#[cfg(test)]
mod tests {
    use toolglot_engine::{CallHead, CallId, Code, Event, Note, Sink, Span};
    use toolglot_value::json;

    use super::*;

    fn message(dialects: &[&str]) -> Calls {
        let mut message = Calls::default();
        for (index, dialect) in dialects.iter().enumerate() {
            let call = CallId(u32::try_from(index).expect("few calls"));
            let at = 10 * index as u64;
            let head = CallHead {
                call,
                dialect,
                name: "f",
                name_span: Span::empty(at),
                server: Some("local"),
                id: None,
                place: Place::Answer,
            };
            message.event(Span::empty(at), Event::CallStart(head));
            message.event(Span::new(at, at + 10), Event::Args { call, json: "[]" });
            message.event(
                Span::empty(at + 10),
                Event::CallEnd {
                    call,
                    end: End::Recovered,
                },
            );
        }
        message
    }

    #[test]
    fn the_dialect_on_top_is_that_of_all_calls() {
        let dialect = |dialects: &[&str]| Document::new(&message(dialects)).dialect;
        assert_eq!(dialect(&[]), None);
        assert_eq!(dialect(&["forge", "forge"]).as_deref(), Some("forge"));
        assert_eq!(dialect(&["forge", "axe"]), None);
    }

    #[test]
    fn the_document_is_written_in_the_order_of_the_contract() {
        let mut message = message(&["forge"]);
        let span = Span::new(3, 4);
        let note = Note {
            code: Code::TrailingComma,
            span,
            message: "m".into(),
            help: None,
        };
        message.event(span, Event::Note(&note));
        let written = serde_json::to_string(&Document::new(&message)).expect("it is JSON");
        let call = r#"{"index":0,"id":null,"name":"f","server":"local","arguments":null,"arguments_raw":"[]","span":[0,10],"dialect":"forge","place":"answer","end":"recovered"}"#;
        let note = r#"{"code":"N012","name":"trailing-comma","span":[3,4],"message":"m"}"#;
        assert_eq!(
            written,
            format!(
                r#"{{"schema":1,"id":null,"dialect":"forge","calls":[{call}],"content":"","reasoning":"","notes":[{note}]}}"#
            )
        );
    }

    #[test]
    fn an_id_may_be_any_value() {
        let document = Document {
            id: json!({"row": 1}),
            ..Document::new(&message(&[]))
        };
        let written = toolglot_value::to_value(&document).expect("it is JSON");
        assert_eq!(written["id"], json!({"row": 1}));
    }
}
