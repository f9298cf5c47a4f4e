//! The end of reasoning that nothing opened: the prompt had opened it, and nobody said so.

use toolglot::{Code, Note, Span};

use super::{LookalikeContext, Outside};
use crate::trace::PieceKind;

/// A note on the first closer of reasoning that `--reasoning-open` would read as one.
pub(super) fn note(context: LookalikeContext<'_>, outside: &Outside<'_>) -> Option<Note> {
    if context.reader.reasoning_open || context.reader.prompt_suffix.is_some() {
        return None;
    }
    let closer = closer(context, outside)?;
    let open = crate::reader::Reader {
        reasoning_open: true,
        ..context.reader.clone()
    };
    let reading = open.read(outside.text.as_bytes());
    let pieces = &reading.trace.pieces;
    let ends_there = pieces.iter().any(|piece| {
        piece.kind == PieceKind::Markup
            && piece.span.start <= closer.start
            && closer.end <= piece.span.end
    });
    if !ends_there || reading.trace.message.reasoning.trim().is_empty() {
        return None;
    }
    let marker = outside.text.get(closer.range())?;
    Some(Note {
        code: Code::UnopenedReasoning,
        span: closer,
        message: format!(
            "`{marker}` ends reasoning that nothing opened; the text before it was read as the answer"
        ),
        help: Some("`--reasoning-open` reads that text as reasoning".to_owned()),
    })
}

/// The first literal of the dialects' reasoning that stands in the text, if prose does not speak of it.
fn closer(context: LookalikeContext<'_>, outside: &Outside<'_>) -> Option<Span> {
    let mut first: Option<Span> = None;
    for dialect in context.dialects {
        for literal in dialect.literals() {
            if !literal.to_ascii_lowercase().contains("think") {
                continue;
            }
            for (run, text) in outside.runs.iter().zip(outside.texts()) {
                if let Some(at) = text.find(literal) {
                    let start = run.start + at as u64;
                    let span = Span::new(start, start + literal.len() as u64);
                    // Of two at one place the longer one counts.
                    if first.is_none_or(|first| (span.start, first.end) < (first.start, span.end)) {
                        first = Some(span);
                    }
                    break;
                }
            }
        }
    }
    first.filter(|closer| !is_mentioned(outside.text, *closer))
}

/// Whether a sentence goes on through the marker.
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
