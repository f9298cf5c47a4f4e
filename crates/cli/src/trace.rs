//! A message together with what each of its bytes was read as.

use toolglot::{Calls, Event, Sink, Span};

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
