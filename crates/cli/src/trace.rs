//! A message together with what each of its bytes was read as.

use toolglot::{Calls, Code, Event, Note, Sink, Span};

/// What a piece of the text was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Reasoning,
    Markup,
    CallStart,
    Arguments,
    CallEnd,
}

/// A run of bytes of one kind. The pieces tile the text; those of a call's start and end are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Folds events into calls and keeps where they stood.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) message: Calls,
    pub(crate) pieces: Vec<Piece>,
}

impl Sink for Trace {
    fn event(&mut self, span: Span, event: Event<'_>) {
        let kind = match event {
            Event::Text(_) => Some(Kind::Text),
            Event::Reasoning(_) => Some(Kind::Reasoning),
            Event::Markup(_) => Some(Kind::Markup),
            Event::CallStart(_) => Some(Kind::CallStart),
            Event::Args { .. } => Some(Kind::Arguments),
            Event::CallEnd { .. } => Some(Kind::CallEnd),
            _ => None,
        };
        self.message.event(span, event);
        let Some(kind) = kind else { return };
        match self.pieces.last_mut() {
            Some(last) if last.kind == kind && last.span.end == span.start => {
                last.span.end = span.end;
            }
            _ => self.pieces.push(Piece { kind, span }),
        }
    }
}

impl Trace {
    /// Takes the calls away, as for a model that may not call tools. Each leaves a note: what it would have done stands
    /// nowhere else.
    pub(crate) fn without_calls(&mut self) {
        for call in self.message.calls.drain(..) {
            self.message.notes.push(Note {
                code: Code::UnwantedCall,
                span: call.span,
                message: format!(
                    "no tool may be called here; a call of `{}` was left out",
                    call.name
                ),
                help: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use toolglot::{CallHead, CallId, End, Place};

    use super::*;

    #[test]
    fn calls_that_may_not_be_made_leave_a_note() {
        let mut trace = Trace::default();
        trace.event(Span::new(0, 2), Event::Text("a "));
        trace.event(Span::new(2, 5), Event::Markup("<t>"));
        let head = CallHead {
            call: CallId(0),
            dialect: "d",
            name: "t",
            name_at: Span::new(3, 4),
            ns: None,
            id: None,
            place: Place::Answer,
        };
        trace.event(Span::empty(5), Event::CallStart(head));
        let (call, end) = (CallId(0), End::Closed);
        trace.event(Span::new(5, 7), Event::Args { call, json: "{}" });
        trace.event(Span::empty(7), Event::CallEnd { call, end });
        trace.event(Span::new(7, 9), Event::Text(" b"));

        trace.without_calls();
        assert_eq!(trace.message.content, "a  b");
        assert!(trace.message.calls.is_empty());
        let codes: Vec<Code> = trace.message.notes.iter().map(|note| note.code).collect();
        assert_eq!(codes, [Code::UnwantedCall]);
    }
}
