//! What the terms of a rule lead to.

use crate::grammar::{Alt, Dialect, Term, TermKind};

/// Whether a term, or what it leads to short of another call rule, is such.
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

/// Whether a term leads to the rule of calls.
pub(crate) fn leads_to_calls(dialect: &Dialect, term: &Term) -> bool {
    holds(
        dialect,
        term,
        &|kind| matches!(kind, TermKind::Rule(name) if name == "call" || name == "write"),
    )
}

/// Whether a term repeats what leads to the rule of calls.
pub(super) fn repeats_calls(dialect: &Dialect, term: &Term) -> bool {
    holds(
        dialect,
        term,
        &|kind| matches!(kind, TermKind::Many(inner) if leads_to_calls(dialect, inner)),
    )
}
