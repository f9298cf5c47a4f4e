//! Lists between brackets: values of one key, one after another, `"[" value ("," value)* "]"`.

use core::ops::Range;
use core::slice;

use super::{Alt, Capture, Delimiter, Dialect, Habit, Piece, Term, TermKind};
use crate::render::holds;

/// A list in a sequence.
#[derive(Clone, Debug)]
pub(crate) struct List<'d> {
    /// The terms of the sequence that read it, without the brackets.
    pub(crate) place: Range<usize>,
    /// The same as a sequence of their own: items, and last the loop over further ones.
    pub(crate) terms: &'d [Term],
    /// One item.
    pub(crate) item: &'d [Term],
    /// What is between two.
    pub(crate) separator: &'d [Term],
    /// The text before it shows that a list begins, and there may be no items.
    pub(crate) is_bracketed: bool,
}

/// The list of a sequence, if it has one: with a text before it and a text behind it.
pub(crate) fn list_in<'d>(dialect: &Dialect, seq: &'d [Term]) -> Option<List<'d>> {
    let text = |term: Option<&'d Term>| match term.map(|term| &term.kind) {
        Some(TermKind::Literal(pieces)) => match pieces.as_slice() {
            [Piece::Bytes(text)] => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        },
        _ => None,
    };
    let is_solid = |term: &&Term| !matches!(term.kind, TermKind::Ws(_) | TermKind::Nl);
    (0..seq.len()).find_map(|n| {
        let list = match &seq[n].kind {
            TermKind::Optional(inner, Habit::Taught) => {
                let terms = inside(inner);
                let list = unbracketed(dialect, terms, terms.len().checked_sub(1)?)?;
                let is_whole = list.place == (0..terms.len());
                is_whole.then_some(List {
                    place: n..n + 1,
                    ..list
                })?
            }
            _ => unbracketed(dialect, seq, n)?,
        };
        let before = seq[..list.place.start].iter().rfind(is_solid);
        let after = seq[list.place.end..].iter().find(is_solid);
        text(after)?;
        let is_bracketed = text(before)?.contains(['[', '(', '{', '<']);
        Some(List {
            is_bracketed,
            ..list
        })
    })
}

/// Whether a value stands in the sequence, or in what it leads to, that is no item of a list: without a key of its own.
pub(crate) fn is_single(dialect: &Dialect, seq: &[Term]) -> bool {
    let has =
        |wanted: &dyn Fn(&TermKind) -> bool| seq.iter().any(|term| holds(dialect, term, wanted));
    has(&is_item) && !has(&is_key) && !has(&|kind| matches!(kind, TermKind::Many(_)))
}

/// Whether a list between brackets stands in the sequence, or in what it leads to.
pub(crate) fn holds_list(dialect: &Dialect, seq: &[Term]) -> bool {
    let is_in = |seq: &[Term]| list_in(dialect, seq).is_some();
    let in_alt = |alt: &Alt| alt.0.iter().any(|seq| is_in(seq));
    let is_list = |kind: &TermKind| match kind {
        TermKind::Group(alt) => in_alt(alt),
        TermKind::Rule(name) => dialect.rules_named(name).any(|rule| in_alt(&rule.alt)),
        _ => false,
    };
    is_in(seq) || seq.iter().any(|term| holds(dialect, term, &is_list))
}

/// Whether a term is a loop over values of the key before it.
pub(crate) fn is_loop_of_values(dialect: &Dialect, term: &Term) -> bool {
    matches!(&term.kind, TermKind::Many(more) if holds(dialect, more, &is_item) && !holds(dialect, more, &is_key))
}

/// The list whose loop is the term at `n`.
fn unbracketed<'d>(dialect: &Dialect, seq: &'d [Term], n: usize) -> Option<List<'d>> {
    let TermKind::Many(more) = &seq[n].kind else {
        return None;
    };
    let more = inside(more);
    let has = |terms: &[Term], wanted: &dyn Fn(&TermKind) -> bool| {
        terms.iter().any(|term| holds(dialect, term, wanted))
    };
    if !is_loop_of_values(dialect, &seq[n]) {
        return None;
    }
    // The first item is what every further one ends with.
    let pairs = seq[..n].iter().rev().zip(more.iter().rev());
    let n_item = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (separator, item) = more.split_at(more.len() - n_item);
    let (start, item, separator) = if has(item, &is_item) {
        (n - n_item, item, separator)
    } else {
        (n, more, &more[..0])
    };
    let is_key_before = |term: &Term| holds(dialect, term, &is_key);
    let from_key = seq[..start]
        .iter()
        .rposition(is_key_before)
        .map_or(0, |at| at + 1);
    (!has(&seq[from_key..start], &is_item)).then_some(List {
        place: start..n + 1,
        terms: &seq[start..=n],
        item,
        separator,
        is_bracketed: false,
    })
}

/// The terms of a group of one alternative, or the term itself.
fn inside(term: &Term) -> &[Term] {
    match &term.kind {
        TermKind::Group(Alt(alternatives)) if alternatives.len() == 1 => &alternatives[0],
        _ => slice::from_ref(term),
    }
}

/// Whether two terms read the same, wherever they stand.
fn is_same(one: &Term, other: &Term) -> bool {
    let all = |one: &[Term], other: &[Term]| {
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
    };
    match (&one.kind, &other.kind) {
        (TermKind::Group(Alt(one)), TermKind::Group(Alt(other))) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| all(a, b))
        }
        (TermKind::Optional(one, _), TermKind::Optional(other, _))
        | (TermKind::Many(one), TermKind::Many(other)) => is_same(one, other),
        (TermKind::Ws(_), TermKind::Ws(_)) => true,
        (one, other) => one == other,
    }
}

/// A value of the key before it.
fn is_item(kind: &TermKind) -> bool {
    matches!(
        kind,
        TermKind::Raw(None, Delimiter::Closer(_)) | TermKind::Value(None, _)
    )
}

fn is_key(kind: &TermKind) -> bool {
    match kind {
        TermKind::Capture(what, _) => *what == Capture::Key,
        TermKind::Attrs(all) => all.iter().any(|one| one.capture == Some(Capture::Key)),
        _ => false,
    }
}
