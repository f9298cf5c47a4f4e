//! What a text holds beside its calls.

use toolglot_engine::{Calls, Code, Span};

use crate::reader::Reading;
use crate::trace::{Piece, PieceKind};

/// What a text holds beside its calls.
#[derive(Debug)]
pub(super) struct Outside<'a> {
    pub(super) text: &'a str,
    pub(super) message: &'a Calls,
    /// What each of its bytes was read as.
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

    /// Whether a note of the message says already why what stands there is no call.
    pub(super) fn is_noted(&self, at: Span) -> bool {
        let mut notes = self.message.notes.iter();
        notes.any(|note| explains(note.code) && touches(note.span, at))
    }

    /// Whether all of it was read as plain text.
    pub(super) fn is_text(&self, span: Span) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| {
            piece.kind == PieceKind::Text
                && piece.span.start <= span.start
                && span.end <= piece.span.end
        })
    }

    /// Whether all of it stands outside of calls.
    pub(super) fn holds(&self, span: Span) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.start <= span.start && span.end <= run.end)
    }

    /// What was read as plain text, piece by piece.
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

/// Whether a note says why something is no call.
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

/// Whether two places share a byte, or stand beside each other.
pub(super) fn touches(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}
