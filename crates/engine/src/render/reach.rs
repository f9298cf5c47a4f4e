//! Searches the terms that a term leads to.

use crate::grammar::{Alt, Dialect, Term, TermKind};

/// Whether `wanted` holds for a term, or one inside it or in a rule that it refers to. Rules for tools are skipped.
pub(crate) fn holds(dialect: &Dialect, term: &Term, wanted: &dyn Fn(&TermKind) -> bool) -> bool {
    if wanted(&term.kind) {
        return true;
    }
    let in_alt = |alt: &Alt| {
        alt.0
            .iter()
            .flatten()
            .any(|term| holds(dialect, term, wanted))
    };
    match &term.kind {
        TermKind::Group(alt) => in_alt(alt),
        TermKind::Optional(inner, _) | TermKind::Many(inner) => holds(dialect, inner, wanted),
        TermKind::Rule(name) => dialect.rules_named(name).any(|rule| in_alt(&rule.alt)),
        _ => false,
    }
}

/// Whether a term leads to the rule `call` or `write`.
pub(crate) fn leads_to_calls(dialect: &Dialect, term: &Term) -> bool {
    holds(
        dialect,
        term,
        &|kind| matches!(kind, TermKind::Rule(name) if name == "call" || name == "write"),
    )
}

/// Whether a term repeats a term that leads to the rule `call` or `write`.
pub(super) fn repeats_calls(dialect: &Dialect, term: &Term) -> bool {
    holds(
        dialect,
        term,
        &|kind| matches!(kind, TermKind::Many(inner) if leads_to_calls(dialect, inner)),
    )
}
