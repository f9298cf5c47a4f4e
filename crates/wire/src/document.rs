//! A parsed message as one JSON document.

use serde::Serialize;
use serde_json::{Map, Value};
use toolglot::{Call, Calls, End, Place};

use crate::{Arguments, NoteLine};

/// A parsed message. The order of the fields is the order on the wire.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The version of this shape.
    pub schema: u32,
    /// The id that came with the text; `null` where none did.
    pub id: Value,
    /// The dialect of all calls; `None` where there is no call or they differ.
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
pub struct CallDocument {
    /// Its place among the calls, from 0.
    pub index: usize,
    /// The id that the model wrote.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The name as the model wrote it, where `name` is a canonical one instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// A server or name space.
    pub server: Option<String>,
    /// The arguments; `None` where the text never became an object.
    pub arguments: Option<Map<String, Value>>,
    /// The text that never became an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_raw: Option<String>,
    /// First byte and the byte after the last.
    pub span: [u64; 2],
    /// The dialect whose rule read it.
    pub dialect: String,
    /// `answer`, `reasoning` or `code`.
    pub place: &'static str,
    /// `closed`, `recovered` or `truncated`.
    pub end: &'static str,
}

impl Document {
    /// The document of a message without an id.
    pub fn new(message: &Calls) -> Document {
        let mut dialects = message.calls.iter().map(|call| &call.dialect);
        let first = dialects.next();
        Document {
            schema: 1,
            id: Value::Null,
            dialect: first
                .filter(|first| dialects.all(|other| other == *first))
                .cloned(),
            calls: message
                .calls
                .iter()
                .enumerate()
                .map(|(index, call)| CallDocument::new(index, call))
                .collect(),
            content: message.content.clone(),
            reasoning: message.reasoning.clone(),
            notes: message.notes.iter().map(NoteLine::from).collect(),
        }
    }
}

impl CallDocument {
    /// The document of the call at `index`.
    pub fn new(index: usize, call: &Call) -> CallDocument {
        let (arguments, arguments_raw) = match Arguments::of(call) {
            Arguments::Object(object) => (Some(object), None),
            Arguments::Raw(raw) => (None, Some(raw)),
        };
        CallDocument {
            index,
            id: call.written_id.clone(),
            name: call.name.clone(),
            written: None,
            server: call.ns.clone(),
            arguments,
            arguments_raw,
            span: [call.span.start, call.span.end],
            dialect: call.dialect.clone(),
            place: place(call.place),
            end: end(call.end),
        }
    }
}

/// The word for a place.
pub(crate) fn place(place: Place) -> &'static str {
    match place {
        Place::Answer => "answer",
        Place::Reasoning => "reasoning",
        Place::Code => "code",
    }
}

/// The word for an end.
pub(crate) fn end(end: End) -> &'static str {
    match end {
        End::Closed => "closed",
        End::Recovered => "recovered",
        End::Truncated => "truncated",
    }
}
