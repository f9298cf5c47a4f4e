//! What stands between the parts of a rule: blanks, line breaks, commas.

use alloc::vec::Vec;

use crate::grammar::{Dialect, Piece, Term, TermKind};

/// `","?` between calls.
pub(super) fn is_separator(term: &Term) -> bool {
    matches!(&term.kind, TermKind::Optional(inner) if is_comma(&inner.kind))
}

/// A comma, or a choice that begins with it.
pub(super) fn is_comma(kind: &TermKind) -> bool {
    match kind {
        TermKind::Literal(pieces) => {
            matches!(pieces.as_slice(), [Piece::Bytes(text)] if text == ",")
        }
        TermKind::Group(alt) => {
            matches!(alt.0.first().map(Vec::as_slice), Some([term]) if is_comma(&term.kind))
        }
        _ => false,
    }
}

/// What `ws` is written as: a line break between markup, nothing beside a capture or a value, a blank before attributes.
pub(super) fn blank(
    dialect: &Dialect,
    before: Option<&Term>,
    after: Option<&Term>,
) -> &'static str {
    let tight = |term: Option<&Term>| {
        match term.map(|term| &term.kind) {
        Some(TermKind::Capture(..) | TermKind::Text(_)) => true,
        Some(TermKind::Rule(name)) => dialect.rules_named(name).any(|rule| rule.alt.0.iter().any(|seq| matches!(seq.first().map(|t| &t.kind), Some(TermKind::Literal(p)) if matches!(p.as_slice(), [Piece::Bytes(t)] if t.starts_with("</") && t.len() < 6)))),
        _ => false,
    }
    };
    // Elements write their own lines.
    let json = |term: Option<&Term>| {
        matches!(
            term.map(|term| &term.kind),
            Some(TermKind::Json(_) | TermKind::Xml(None))
        )
    };
    if matches!(after.map(|term| &term.kind), Some(TermKind::Attrs(_))) {
        return " ";
    }
    if begins_fence(after) {
        return "\n";
    }
    let bracket = |term: Option<&Term>, brackets: &[&str]| matches!(term.map(|term| &term.kind), Some(TermKind::Literal(p)) if matches!(p.as_slice(), [Piece::Bytes(t)] if brackets.contains(&t.as_str())));
    if tight(before)
        || tight(after)
        || json(before)
        || json(after)
        || bracket(before, &["[", ":"])
        || bracket(after, &["]", ":", ";"])
    {
        return "";
    }
    match (before.map(|term| &term.kind), after.map(|term| &term.kind)) {
        (_, Some(TermKind::Many(_) | TermKind::Optional(_))) if bracket(before, &["["]) => "",
        (Some(TermKind::Many(_)), _) | (_, None)
            if matches!(before.map(|t| &t.kind), Some(TermKind::Many(_))) =>
        {
            ""
        }
        (Some(TermKind::Optional(_)), None) => " ",
        (_, Some(TermKind::Optional(inner))) if matches!(&inner.kind, TermKind::Literal(p) if matches!(p.as_slice(), [Piece::Bytes(t)] if t == ",")) => {
            ""
        }
        _ => "\n",
    }
}

/// Whether a term is a fence, or may be one.
fn begins_fence(term: Option<&Term>) -> bool {
    match term.map(|term| &term.kind) {
        Some(TermKind::Literal(pieces)) => {
            matches!(pieces.first(), Some(Piece::Bytes(text)) if text.starts_with("```"))
        }
        Some(TermKind::Optional(inner)) => begins_fence(Some(inner)),
        Some(TermKind::Group(alt)) => alt.0.iter().any(|seq| begins_fence(seq.first())),
        _ => false,
    }
}
