//! Results, in the shape of the dialect's `result` and `failure` rules; nothing in them can be read as a call.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::members;

use super::value::raw;
use super::{ResultText, read};
use crate::grammar::{Capture, Dialect, Piece, Term, TermKind};
use crate::{Program, Span};

/// Stands behind the first character of what would be read as a call: U+2060 WORD JOINER, invisible, no blank.
const JOINER: char = '\u{2060}';

pub(super) fn write(
    dialect: &Dialect,
    program: &Arc<Program>,
    results: &[ResultText<'_>],
) -> String {
    let written: Vec<String> = results
        .iter()
        .map(|result| one(dialect, program, result))
        .collect();
    written.join("\n\n")
}

fn one(dialect: &Dialect, program: &Arc<Program>, result: &ResultText<'_>) -> String {
    let mut text: String = result.text.into();
    if result_term(dialect, result).is_some_and(|kind| matches!(kind, TermKind::Xml(_))) {
        text = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
    }
    // Every round takes one opener away; the text has finitely many.
    loop {
        let whole = fill(dialect, result, &text);
        let found = openers(program, &whole.text);
        let inside: Vec<usize> = found
            .into_iter()
            .filter_map(|at| at.checked_sub(whole.text_at).filter(|&at| at < text.len()))
            .collect();
        if inside.is_empty() {
            return whole.text;
        }
        for &at in inside.iter().rev() {
            let length = text[at..].chars().next().map_or(1, char::len_utf8);
            if text[at..].starts_with('<') {
                text.replace_range(at..=at, "&lt;");
            } else {
                text.insert(at + length, JOINER);
            }
        }
    }
}

/// The rule for this result: `failure` for an error, where there is one.
fn rule_of<'a>(dialect: &'a Dialect, result: &ResultText<'_>) -> Option<&'a [Term]> {
    let names: &[&str] = if result.failed {
        &["failure", "result"]
    } else {
        &["result"]
    };
    let rule = names
        .iter()
        .find_map(|name| dialect.rules.iter().find(|rule| rule.name == *name))?;
    rule.alt.0.first().map(Vec::as_slice)
}

/// The term that is the result's own text: `text` as it is, `xml` with its entities.
fn result_term<'a>(dialect: &'a Dialect, result: &ResultText<'_>) -> Option<&'a TermKind> {
    let mut terms = rule_of(dialect, result)?.iter().map(|term| &term.kind);
    terms.find(|kind| matches!(kind, TermKind::Text(None) | TermKind::Xml(_)))
}

struct Filled {
    text: String,
    /// Where the result's own text begins.
    text_at: usize,
}

/// The rule with its parts filled in.
fn fill(dialect: &Dialect, result: &ResultText<'_>, text: &str) -> Filled {
    let mut out = Filled {
        text: String::new(),
        text_at: 0,
    };
    let Some(seq) = rule_of(dialect, result) else {
        out.text.push_str(text);
        return out;
    };
    for term in seq {
        match &term.kind {
            TermKind::Literal(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Bytes(literal) => out.text.push_str(literal),
                        Piece::Hole(capture) => out.text.push_str(captured(*capture, result)),
                    }
                }
            }
            TermKind::Capture(capture, _) => out.text.push_str(captured(*capture, result)),
            TermKind::Text(None) | TermKind::Xml(_) => {
                out.text_at = out.text.len();
                out.text.push_str(text);
            }
            TermKind::Text(Some(argument)) => {
                let value = members(result.call.args).find(|(key, _)| key == argument);
                out.text
                    .push_str(&value.map(|(_, json)| raw(json)).unwrap_or_default());
            }
            TermKind::Nl | TermKind::Ws => out.text.push('\n'),
            _ => {}
        }
    }
    out
}

fn captured<'a>(capture: Capture, result: &ResultText<'a>) -> &'a str {
    match capture {
        Capture::Name => result.call.name,
        Capture::Id => result.call.id.unwrap_or(""),
        Capture::Ns => result.call.ns.unwrap_or(""),
        Capture::Key | Capture::Kind | Capture::Skip => "",
    }
}

/// Where calls would be read in `text`.
fn openers(program: &Arc<Program>, text: &str) -> Vec<usize> {
    let spans = read(program, text).calls.into_iter().map(|call| call.span);
    spans.map(|span: Span| span.range().start).collect()
}
