//! The text of a message outside its calls.

use toolglot_engine::{Calls, Code, Span};

use crate::reader::Reading;
use crate::trace::{Piece, PieceKind};

/// The text of a message outside its calls.
#[derive(Debug)]
pub(super) struct Outside<'a> {
    pub(super) text: &'a str,
    pub(super) message: &'a Calls,
    /// The kind of each piece of the text.
    pieces: &'a [Piece],
    /// Runs of text and markup outside of calls and reasoning.
    pub(super) runs: Vec<Span>,
}

impl Outside<'_> {
    pub(super) fn of(reading: &Reading) -> Outside<'_> {
        let message = &reading.trace.message;
        let mut runs: Vec<Span> = Vec::new();
        let mut calls = message.calls.iter().peekable();
        for piece in &reading.trace.pieces {
            while calls
                .next_if(|call| call.span.end <= piece.span.start)
                .is_some()
            {}
            let is_outside = matches!(piece.kind, PieceKind::Text | PieceKind::Markup)
                && calls
                    .peek()
                    .is_none_or(|call| piece.span.end <= call.span.start);
            if !is_outside || piece.span.is_empty() {
                continue;
            }
            match runs.last_mut() {
                Some(last) if last.end == piece.span.start => last.end = piece.span.end,
                _ => runs.push(piece.span),
            }
        }
        Outside {
            text: &reading.text,
            message,
            pieces: &reading.trace.pieces,
            runs,
        }
    }

    /// Whether a note of the message already explains why the text at `at` is not a call.
    pub(super) fn is_noted(&self, at: Span) -> bool {
        let mut notes = self.message.notes.iter();
        notes.any(|note| explains(note.code) && touches(note.span, at))
    }

    /// Whether the whole span was read as plain text.
    pub(super) fn is_text(&self, span: Span) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| {
            piece.kind == PieceKind::Text
                && piece.span.start <= span.start
                && span.end <= piece.span.end
        })
    }

    /// Whether the whole span is outside of calls.
    pub(super) fn holds(&self, span: Span) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.start <= span.start && span.end <= run.end)
    }

    /// The plain text, piece by piece.
    pub(super) fn plain_texts(&self) -> impl Iterator<Item = &str> {
        let pieces = self.pieces.iter();
        let plain = pieces.filter(|piece| piece.kind == PieceKind::Text);
        plain.filter_map(|piece| self.text.get(piece.span.range()))
    }

    /// The text of the runs.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.runs
            .iter()
            .filter_map(|run| self.text.get(run.range()))
    }
}

/// Whether a note explains why something is not a call.
pub(super) fn explains(code: Code) -> bool {
    matches!(
        code,
        Code::QuotedCall
            | Code::ReasoningCall
            | Code::UnknownTool
            | Code::PlaceholderTag
            | Code::MissingToolName
            | Code::NotACall
            | Code::PlainTextMarker
            | Code::MalformedJson
    )
}

/// Whether two spans overlap or are adjacent.
pub(super) fn touches(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}
