//! Finds the end of reasoning without an opener: the prompt opened it, and the reader's settings do not say so.

use std::sync::Arc;

use toolglot_engine::{Code, Note, Span};

use super::context::LookalikeContext;
use super::outside::Outside;
use crate::reader::{Reader, Reading};
use crate::trace::PieceKind;

/// A note on the first closer of reasoning without an opener, in a text that is read to its end with this context.
pub fn unopened_reasoning_note(context: LookalikeContext<'_>, text: &str) -> Option<Note> {
    if !context.cache.may_end_reasoning(context.dialects, text) {
        return None;
    }
    let reading = context.reader.read(text.as_bytes());
    note(context, &Outside::of(&reading))
}

/// A note on the first closer that `--reasoning-open` would read as the end of reasoning.
///
/// Only a text with such a closer in plain text is read again.
pub(super) fn note(context: LookalikeContext<'_>, outside: &Outside<'_>) -> Option<Note> {
    let may_end = |text| context.cache.may_end_reasoning(context.dialects, text);
    if !outside.plain_texts().any(may_end) {
        return None;
    }
    if context.reader.reasoning_open || context.reader.prompt_suffix.is_some() {
        return None;
    }
    let open = Reader {
        reasoning_open: true,
        ..context.reader.clone()
    };
    let reading = open.read(outside.text.as_bytes());
    if reading.trace.message.reasoning.trim().is_empty() {
        return None;
    }
    let closer = closer(context, outside, &reading)?;
    let marker = outside.text.get(closer.range())?;
    let before = outside.text.get(..closer.range().start)?;
    if is_mentioned(outside.text, closer) || has_opener(context, before, marker) {
        return None;
    }
    Some(Note {
        code: Code::UnopenedReasoning,
        span: closer,
        message: format!(
            "`{marker}` ends reasoning that nothing opened; the text before it was read as the answer"
        ),
        help: Some("`--reasoning-open` reads that text as reasoning".to_owned()),
    })
}

/// The literal that ends the reasoning of `open`, and is plain text if nothing opened the reasoning.
fn closer(context: LookalikeContext<'_>, outside: &Outside<'_>, open: &Reading) -> Option<Span> {
    let mut pieces = open.trace.pieces.iter().peekable();
    let mut previous = None;
    let markup = loop {
        let piece = pieces.next()?;
        // Markup inside reasoning does not end it: more reasoning follows.
        let resumes = pieces
            .peek()
            .is_some_and(|next| next.kind == PieceKind::Reasoning);
        if piece.kind == PieceKind::Markup && previous == Some(PieceKind::Reasoning) && !resumes {
            break piece.span;
        }
        previous = Some(piece.kind);
    };
    let start = markup.start;
    let markup = outside.text.get(markup.range())?;
    let literals = context
        .dialects
        .iter()
        .flat_map(|dialect| dialect.literals());
    let marker = literals
        .filter(|literal| markup.starts_with(literal))
        .max_by_key(|literal| literal.len())?;
    let span = Span::new(start, start + marker.len() as u64);
    outside.is_text(span).then_some(span)
}

/// Whether an opener of the reasoning precedes its closer: prose mentions both.
fn has_opener(context: LookalikeContext<'_>, before: &str, closer: &str) -> bool {
    let mut reader = Reader::new(Arc::clone(&context.reader.program));
    reader.in_reasoning = context.reader.in_reasoning;
    let opens = |literal: &str| {
        let reading = reader.read(format!("{literal}x{closer}").as_bytes());
        reading.trace.message.reasoning.trim() == "x"
    };
    let mut literals = context
        .dialects
        .iter()
        .flat_map(|dialect| dialect.literals());
    literals.any(|literal| before.contains(literal) && opens(literal))
}

/// Whether a sentence continues through the marker.
fn is_mentioned(text: &str, at: Span) -> bool {
    let before = text[..at.range().start].chars().next_back();
    let after = text[at.range().end..].chars().next();
    let is_quote = |one: Option<char>| matches!(one, Some('`' | '"' | '\'' | '(' | '“'));
    let line = text[at.range().end..]
        .split('\n')
        .next()
        .unwrap_or_default();
    let goes_on = line
        .trim_start()
        .starts_with(|one: char| one.is_lowercase());
    let word = text[..at.range().start]
        .trim_end_matches(' ')
        .chars()
        .next_back();
    is_quote(before) || is_quote(after) || goes_on && word.is_some_and(char::is_alphanumeric)
}
