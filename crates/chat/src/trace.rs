//! A message together with what each of its bytes was read as.

use toolglot_engine::{Calls, Event, Sink, Span};

/// What a piece of the text was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// The answer.
    Text,
    /// Reasoning before or between answers.
    Reasoning,
    /// Markers of calls and of reasoning.
    Markup,
    /// The place where a call starts; empty.
    CallStart,
    /// Arguments of a call.
    Arguments,
    /// The place where a call ends; empty.
    CallEnd,
}

/// A run of bytes of one kind. The pieces tile the text; those of a call's start and end are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it was read as.
    pub kind: PieceKind,
    /// Where it stands.
    pub span: Span,
}

/// Folds events into calls and keeps where they stood.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Trace {
    /// The calls, the content, the reasoning and the notes.
    pub message: Calls,
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

impl Sink for Trace {
    fn event(&mut self, span: Span, event: Event<'_>) {
        let kind = match event {
            Event::Text(_) => Some(PieceKind::Text),
            Event::Reasoning(_) => Some(PieceKind::Reasoning),
            Event::Markup(_) => Some(PieceKind::Markup),
            Event::CallStart(_) => Some(PieceKind::CallStart),
            Event::Args { .. } => Some(PieceKind::Arguments),
            Event::CallEnd { .. } => Some(PieceKind::CallEnd),
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
