//! Events as lines of JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};
use toolglot_engine::{Event, Span};

use crate::document::{end, place};

/// One event with its span, which is serialized as one line.
///
/// `type` and `span` come first; the other fields depend on the type.
/// Each line gives the bytes of its event, so that the spans of all lines except notes tile the input.
#[derive(Clone, Copy, Debug)]
pub struct EventLine<'a> {
    /// The bytes of the event; for a note, the span that it refers to.
    pub span: Span,
    /// The event.
    pub event: &'a Event<'a>,
}

impl Serialize for EventLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        let kind = match self.event {
            Event::Text(_) => "text",
            Event::Reasoning(_) => "reasoning",
            Event::Markup(_) => "markup",
            Event::CallStart(_) => "call_start",
            Event::Args { .. } => "args",
            Event::LateId { .. } => "late_id",
            Event::CallEnd { .. } => "call_end",
            Event::Note(_) => "note",
            _ => "other",
        };
        line.serialize_entry("type", kind)?;
        line.serialize_entry("span", &pair(self.span))?;
        match self.event {
            Event::Text(text) | Event::Reasoning(text) | Event::Markup(text) => {
                line.serialize_entry("text", text)?;
            }
            Event::CallStart(head) => {
                line.serialize_entry("call", &head.call.0)?;
                line.serialize_entry("id", &head.id)?;
                line.serialize_entry("name", head.name)?;
                line.serialize_entry("name_at", &pair(head.name_span))?;
                line.serialize_entry("server", &head.server)?;
                line.serialize_entry("dialect", head.dialect)?;
                line.serialize_entry("place", place(head.place))?;
            }
            Event::Args { call, json } => {
                line.serialize_entry("call", &call.0)?;
                line.serialize_entry("json", json)?;
            }
            Event::LateId { call, id } => {
                line.serialize_entry("call", &call.0)?;
                line.serialize_entry("id", id)?;
            }
            Event::CallEnd { call, end: how } => {
                line.serialize_entry("call", &call.0)?;
                line.serialize_entry("end", end(*how))?;
            }
            Event::Note(note) => {
                line.serialize_entry("code", &format_args!("N{:03}", note.code.number()))?;
                line.serialize_entry("name", note.code.name())?;
                line.serialize_entry("message", &note.message)?;
                if let Some(help) = &note.help {
                    line.serialize_entry("help", help)?;
                }
            }
            _ => {}
        }
        line.end()
    }
}

fn pair(span: Span) -> [u64; 2] {
    [span.start, span.end]
}

#[cfg(test)]
mod tests {
    use toolglot_engine::{CallHead, CallId, Code, End, Note, Place};

    use super::*;

    fn check(start: u64, end: u64, event: &Event<'_>, line: &str) {
        let written = serde_json::to_string(&EventLine {
            span: Span::new(start, end),
            event,
        });
        assert_eq!(written.expect("it is JSON"), line);
    }

    #[test]
    fn each_event_is_a_line() {
        check(
            0,
            2,
            &Event::Text("a\n"),
            r#"{"type":"text","span":[0,2],"text":"a\n"}"#,
        );
        check(
            2,
            3,
            &Event::Reasoning("b"),
            r#"{"type":"reasoning","span":[2,3],"text":"b"}"#,
        );
        check(
            3,
            4,
            &Event::Markup("<"),
            r#"{"type":"markup","span":[3,4],"text":"<"}"#,
        );
        let head = CallHead {
            call: CallId(1),
            dialect: "forge",
            name: "f",
            name_span: Span::new(2, 3),
            server: None,
            id: Some("x"),
            place: Place::Code,
        };
        check(
            4,
            4,
            &Event::CallStart(head),
            r#"{"type":"call_start","span":[4,4],"call":1,"id":"x","name":"f","name_at":[2,3],"server":null,"dialect":"forge","place":"code"}"#,
        );
        let call = CallId(1);
        check(
            4,
            6,
            &Event::Args { call, json: "{}" },
            r#"{"type":"args","span":[4,6],"call":1,"json":"{}"}"#,
        );
        let end = End::Truncated;
        check(
            6,
            6,
            &Event::CallEnd { call, end },
            r#"{"type":"call_end","span":[6,6],"call":1,"end":"truncated"}"#,
        );
        let note = Note {
            code: Code::QuotedCall,
            span: Span::new(1, 5),
            message: "m".into(),
            help: Some("h".into()),
        };
        check(
            1,
            5,
            &Event::Note(&note),
            r#"{"type":"note","span":[1,5],"code":"N001","name":"quoted-call","message":"m","help":"h"}"#,
        );
    }
}
