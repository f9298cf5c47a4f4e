//! Separators between calls: commas.

use alloc::vec::Vec;

use crate::grammar::{Dialect, Piece, Term, TermKind};

/// `","?` between calls.
pub(super) fn is_separator(dialect: &Dialect, term: &Term) -> bool {
    matches!(&term.kind, TermKind::Optional(inner, _) if is_comma(dialect, inner))
}

/// A comma, also with blanks around it, or a choice whose first alternative is one.
pub(super) fn is_comma(dialect: &Dialect, term: &Term) -> bool {
    let first = |seq: Option<&Vec<Term>>| matches!(seq.map(Vec::as_slice), Some([term]) if is_comma(dialect, term));
    match &term.kind {
        TermKind::Literal(pieces) => {
            matches!(pieces.as_slice(), [Piece::Bytes(text)] if text.trim() == ",")
        }
        TermKind::Group(alt) => first(alt.0.first()),
        TermKind::Rule(name) => {
            let rule = dialect.rules_named(name).next();
            rule.is_some_and(|rule| first(rule.alt.0.first()))
        }
        _ => false,
    }
}
