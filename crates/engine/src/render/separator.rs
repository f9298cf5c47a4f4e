//! Separators between calls: commas.

use alloc::vec::Vec;

use crate::grammar::{Piece, Term, TermKind};

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
