//! A message, and the kind of each of its bytes.

use toolglot_engine::{Calls, Event, Sink, Span};

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// The answer.
    Text,
    /// Reasoning before or between answers.
    Reasoning,
    /// Markers of calls and of reasoning.
    Markup,
    /// The start of a call; empty.
    CallStart,
    /// Arguments of a call.
    Arguments,
    /// The end of a call; empty.
    CallEnd,
}

/// A run of bytes of one kind. The pieces tile the text; `CallStart` and `CallEnd` pieces are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The kind of the bytes.
    pub kind: PieceKind,
    /// The position in the text.
    pub span: Span,
}

/// Folds events into calls and records their pieces.
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
