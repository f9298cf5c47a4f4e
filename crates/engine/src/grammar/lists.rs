//! Repeated terms with a separator: items of a list, `"[" value ("," value)* "]"`, and parameters.

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use super::{Alt, Capture, Delimiter, Dialect, Habit, Piece, Term, TermKind};
use crate::render::{holds, leads_to_calls};

/// Brackets, and quotation marks that another sign closes: each opener with its closer.
pub(crate) const BRACKETS: [(char, char); 20] = [
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('<', '>'),
    ('«', '»'),
    ('‹', '›'),
    ('“', '”'),
    ('„', '“'),
    ('「', '」'),
    ('『', '』'),
    ('【', '】'),
    ('〈', '〉'),
    ('《', '》'),
    ('⟨', '⟩'),
    ('⟦', '⟧'),
    ('⟪', '⟫'),
    ('⌈', '⌉'),
    ('（', '）'),
    ('［', '］'),
    ('｛', '｝'),
];

/// Whether the sign opens a bracket.
pub(crate) fn opens_bracket(sign: char) -> bool {
    BRACKETS.iter().any(|&(opener, _)| opener == sign)
}

/// Whether a value is an item of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InList {
    #[default]
    No,
    /// Where the schema declares a list.
    BySchema,
    /// Unless the schema says otherwise: a single value would be written without the brackets.
    Always,
}

/// Terms that parse a series: items of a list, or parameters.
#[derive(Clone, Debug)]
pub(crate) struct Series<'d> {
    /// The indices of the sequence's terms that parse the series.
    pub(crate) place: Range<usize>,
    /// The terms without an optional around them: perhaps the first item, then the loop for further items.
    pub(crate) terms: &'d [Term],
    /// One item.
    pub(crate) item: &'d [Term],
    /// The terms between two items.
    pub(crate) separator: &'d [Term],
    /// Whether the items form a list.
    pub(crate) list: InList,
    /// The series may be missing.
    pub(crate) is_optional: bool,
    /// Without items the series is an empty list, since the text before it is the opener of a list.
    pub(crate) is_bracketed: bool,
    /// The value of a series without items, as JSON; "" where the schema says whether it is a list or a text.
    pub(crate) empty: &'static str,
    /// A literal ends the series.
    pub(crate) is_closed: bool,
    /// Blanks before an item are not part of the item.
    pub(crate) is_json: bool,
}

/// Finds the series of a sequence. `beside_single`: a single value may be written in place of the sequence.
pub(crate) fn series_in<'d>(
    dialect: &Dialect,
    seq: &'d [Term],
    beside_single: bool,
) -> Option<Series<'d>> {
    let list = list_in(dialect, seq).map(|list| Series {
        list: if beside_single {
            InList::Always
        } else {
            InList::BySchema
        },
        is_bracketed: list.is_bracketed || beside_single,
        empty: if list.is_bracketed { "[]" } else { "" },
        ..list
    });
    list.or_else(|| parameters_in(dialect, seq))
}

/// The list of a sequence, if it has one: values of one key, with a text before and after them.
pub(crate) fn list_in<'d>(dialect: &Dialect, seq: &'d [Term]) -> Option<Series<'d>> {
    let of_values = |term: &Term| is_loop_of_values(dialect, term);
    let list = any_series_in(dialect, seq, &of_values)?;
    let before = seq[..list.place.start].iter().rfind(|term| is_solid(term));
    let before = text(before);
    // Items that each start with a text, `("- " value)*`, need no other text before them.
    before.or_else(|| text(list.item.iter().find(|term| is_solid(term))))?;
    let is_bracketed = before.is_some_and(|text| text.contains(opens_bracket));
    // Items that each end with a text or with their line need no other text after them.
    let is_closed = list.is_closed || list.item.last().is_some_and(ends_item);
    is_closed.then_some(Series {
        is_bracketed,
        // After a line break the blanks may be those before the next parameter.
        is_json: list.is_json && before.is_some(),
        ..list
    })
}

/// The parameters of a sequence that a text separates, `key "=" value ("," key "=" value)*`.
fn parameters_in<'d>(dialect: &Dialect, seq: &'d [Term]) -> Option<Series<'d>> {
    let of_parameters = |term: &Term| match &term.kind {
        TermKind::Many(more) => holds(dialect, more, &is_key) && !leads_to_calls(dialect, more),
        _ => false,
    };
    let series = any_series_in(dialect, seq, &of_parameters)?;
    let has_text = series
        .separator
        .iter()
        .any(|term| text(Some(term)).is_some());
    let is_key_in = |term: &Term| holds(dialect, term, &is_key);
    (has_text && series.item.iter().any(is_key_in)).then_some(series)
}

/// The first series of a sequence with a loop that satisfies `is_loop`.
fn any_series_in<'d>(
    dialect: &Dialect,
    seq: &'d [Term],
    is_loop: &dyn Fn(&Term) -> bool,
) -> Option<Series<'d>> {
    (0..seq.len()).find_map(|n| {
        let series = match &seq[n].kind {
            TermKind::Optional(inner, Habit::Taught) => {
                let terms = inside(inner);
                let series = series_at(dialect, terms, terms.len().checked_sub(1)?, is_loop)?;
                let is_whole = series.place == (0..terms.len());
                is_whole.then_some(Series {
                    place: n..n + 1,
                    is_optional: true,
                    ..series
                })?
            }
            _ => series_at(dialect, seq, n, is_loop)?,
        };
        let after = seq[series.place.end..].iter().find(|term| is_solid(term));
        Some(Series {
            is_closed: after.is_some_and(is_literal),
            ..series
        })
    })
}

/// The text of a literal without holes.
pub(crate) fn literal(term: &Term) -> Option<&str> {
    match term.kind.pieces() {
        [piece] => piece.text(),
        _ => None,
    }
}

/// The text of a literal that is not blank.
fn text(term: Option<&Term>) -> Option<&str> {
    let text = literal(term?)?.trim();
    Some(text).filter(|text| !text.is_empty())
}

/// Whether the term is a text of blanks.
pub(super) fn is_blank_text(term: &Term) -> bool {
    literal(term).is_some_and(|text| text.trim().is_empty())
}

/// Whether the term is a literal that is not blank, or ends a line.
fn is_literal(term: &Term) -> bool {
    let is_blank = |text: &str| text.trim().is_empty() && !text.contains('\n');
    let is_solid = |piece: &Piece| !matches!(piece, Piece::Bytes(text) if is_blank(text));
    matches!(&term.kind, TermKind::Literal(pieces) if pieces.iter().any(is_solid))
}

/// Whether the term ends what is before it: a literal, a line's end, or a value that ends with its line.
fn ends_item(term: &Term) -> bool {
    match &term.kind {
        TermKind::Literal(_) | TermKind::MessageEnd | TermKind::Raw(_, Delimiter::Line) => true,
        TermKind::Group(Alt(forms)) => forms.iter().all(|seq| seq.last().is_some_and(ends_item)),
        _ => false,
    }
}

fn is_solid(term: &Term) -> bool {
    !matches!(term.kind, TermKind::Ws(_) | TermKind::Nl)
}

/// Distributes the closer of a choice over its forms where a form without a closer is no list:
/// `(("- " raw)* | raw) "end"` is `(("- " raw)* "end" | raw "end")`. Blanks may be before the closer. The sequences grow
/// by at most two terms for each form.
pub(crate) fn distribute_closers(dialect: &Dialect, alt: &mut Alt) {
    for seq in &mut alt.0 {
        let mut n = 0;
        while n < seq.len() {
            let (head, tail) = seq.split_at_mut(n + 1);
            let n_closer = 1 + usize::from(tail.first().is_some_and(|term| !is_solid(term)));
            let is_list = |form: &[Term]| list_in(dialect, form).is_some();
            match &mut head[n].kind {
                TermKind::Group(forms) => {
                    distribute_closers(dialect, forms);
                    let closer = tail.get(..n_closer).filter(|_| forms.0.len() > 1);
                    let is_due = |form: &[Term], closer: &[Term]| {
                        !is_list(form) && is_list(&[form, closer].concat())
                    };
                    if let Some(closer) = closer
                        && forms.0.iter().any(|form| is_due(form, closer))
                    {
                        forms
                            .0
                            .iter_mut()
                            .for_each(|form| form.extend_from_slice(closer));
                        seq.drain(n + 1..=n + n_closer);
                    }
                }
                TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                    if let TermKind::Group(forms) = &mut inner.kind {
                        distribute_closers(dialect, forms);
                    }
                }
                _ => {}
            }
            n += 1;
        }
    }
}

/// Divides a literal that separates items and opens the next one, where the first item has the same opener:
/// `"'" raw "'" (", '" raw "'")*` is `"'" raw "'" (", " "'" raw "'")*`. A sequence grows by one term for each loop.
pub(crate) fn divide_separators(dialect: &Dialect, alt: &mut Alt) {
    for seq in &mut alt.0 {
        for n in 0..seq.len() {
            let (head, tail) = seq.split_at_mut(n);
            let is_loop = is_loop_of_values(dialect, &tail[0]);
            match &mut tail[0].kind {
                TermKind::Group(forms) => divide_separators(dialect, forms),
                TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                    if let TermKind::Group(forms) = &mut inner.kind {
                        divide_separators(dialect, forms);
                        if let [more] = &mut forms.0[..]
                            && is_loop
                        {
                            divide_separator(head, more);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The same for the loop over `more` after the first item, which `head` ends with.
fn divide_separator(head: &[Term], more: &mut Vec<Term>) {
    let pairs = head.iter().rev().zip(more.iter().rev());
    let n_same = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let is_closed = n_same > 1 && more.last().is_some_and(is_literal);
    let (Some(before), Some(at)) = (
        head.iter().nth_back(n_same),
        more.len().checked_sub(n_same + 1),
    ) else {
        return;
    };
    let (Some(opener), Some(both)) = (literal(before), literal(&more[at])) else {
        return;
    };
    if let Some(separator) = both.strip_suffix(opener)
        && is_closed
        && !separator.is_empty()
        && !opener.trim().is_empty()
    {
        let kind = TermKind::Literal([Piece::Bytes(separator.into())].into());
        more[at].kind = kind;
        more.insert(at + 1, before.clone());
    }
}

/// Whether the sequence, with the rules that it refers to, parses a single value: one without a key or a loop.
pub(crate) fn is_single(dialect: &Dialect, seq: &[Term]) -> bool {
    let is_key_in = |term: &Term| holds(dialect, term, &is_key);
    has_single(dialect, seq) && !seq.iter().any(is_key_in)
}

/// The same, with or without a key.
pub(crate) fn has_single(dialect: &Dialect, seq: &[Term]) -> bool {
    let has =
        |wanted: &dyn Fn(&TermKind) -> bool| seq.iter().any(|term| holds(dialect, term, wanted));
    has(&is_item) && !has(&|kind| matches!(kind, TermKind::Many(_)))
}

/// Whether the sequence is a single value without an opener.
pub(crate) fn is_bare(dialect: &Dialect, seq: &[Term]) -> bool {
    let is_read = |term: &&Term| is_solid(term) && !is_blank_text(term);
    let first = seq.iter().find(is_read);
    is_single(dialect, seq) && first.is_some_and(|term| is_item(&term.kind))
}

/// Whether the sequence is a form of values whose opener is that of a JSON object.
pub(crate) fn opens_as_object(dialect: &Dialect, seq: &[Term]) -> bool {
    let opener = seq.iter().find_map(|term| text(Some(term)));
    let is_key_in = |term: &Term| holds(dialect, term, &is_key);
    opener.is_some_and(|text| text.starts_with('{')) && !seq.iter().any(is_key_in)
}

/// Whether the sequence, with the rules that it refers to, parses a list between brackets.
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

/// Whether the sequence is a list whose items stand in quotes or tags of their own, `"'" raw "'" (",'" raw "'")*`: one
/// item alone is a text.
pub(crate) fn has_quoted_items(dialect: &Dialect, seq: &[Term]) -> bool {
    let Some(list) = list_in(dialect, seq) else {
        return false;
    };
    let is_value = |term: &Term| holds(dialect, term, &is_item);
    let Some(at) = list.item.iter().position(is_value) else {
        return false;
    };
    // The opener of the first item may be before the series: `",'"` opens the others.
    let [before @ .., opener] = &[&seq[..list.place.start], &list.item[..at]].concat()[..] else {
        return false;
    };
    let ends = literal(opener).is_some_and(|text| text.trim_end() == text);
    let closer = list.item[at + 1..].first().and_then(literal);
    let starts = closer.is_some_and(|text| text.trim_start() == text);
    let is_alone = !list.is_closed && !before.iter().any(is_solid);
    is_alone && ends && starts
}

/// Whether the sequence parses no text or number: a flag, or a list between brackets or of tags in which no choice parses
/// a single value.
pub(crate) fn is_no_text(dialect: &Dialect, seq: &[Term]) -> bool {
    let is_choice = |kind: &TermKind| match kind {
        TermKind::Group(Alt(all)) => all.len() > 1 && all.iter().any(|seq| is_single(dialect, seq)),
        _ => false,
    };
    let has_choice = seq.iter().any(|term| holds(dialect, term, &is_choice));
    let is_list = holds_list(dialect, seq) && !has_quoted_items(dialect, seq);
    let has_tags = seq.first().is_some_and(|term| are_tags(dialect, term));
    !has_choice && (is_list || has_tags) || is_flag(seq)
}

/// Whether the sequence is a text that means `true` or `false`, `" [x]"`.
fn is_flag(seq: &[Term]) -> bool {
    let is_part = |term: &Term| match term.kind {
        TermKind::False => true,
        _ => text(Some(term)).is_some(),
    };
    seq.iter().all(is_part)
}

/// Whether the term is a loop of values that each start with a word, `("<li>" raw "</li>")*`.
fn are_tags(dialect: &Dialect, term: &Term) -> bool {
    let TermKind::Many(item) = &term.kind else {
        return false;
    };
    let opener = inside(item).iter().find_map(|term| text(Some(term)));
    is_loop_of_values(dialect, term)
        && opener.is_some_and(|text| text.contains(char::is_alphabetic))
}

/// Whether the sequence is a parameter with a list whose opener starts as that of `single` does, a parameter with one
/// value: `key "=[" value ("," value)* "]"` beside `key "=" value`. Gives the place of its key.
pub(crate) fn key_beside(dialect: &Dialect, seq: &[Term], single: &[Term]) -> Option<usize> {
    let key_in = |seq: &[Term]| seq.iter().position(|term| is_key(&term.kind));
    let (at, other) = (key_in(seq)?, key_in(single)?);
    let of_list = literal(seq.get(at + 1)?)?;
    let of_single = literal(single.get(other + 1)?)?;
    let is_list = list_in(dialect, seq).is_some() && has_single(dialect, single);
    (is_list && of_list != of_single && of_list.starts_with(of_single)).then_some(at)
}

/// Whether the sequence is blanks and a loop of items, so that it may be nothing.
pub(crate) fn may_be_nothing(dialect: &Dialect, seq: &[Term]) -> bool {
    let is_blank = |term: &Term| match &term.kind {
        TermKind::Group(Alt(all)) => all.iter().all(|seq| may_be_nothing(dialect, seq)),
        TermKind::MessageEnd => true,
        _ => is_blank_text(term),
    };
    let mut terms = seq.iter().filter(|term| is_solid(term));
    terms.all(|term| is_loop_of_values(dialect, term) || is_blank(term))
}

/// Whether a value follows the last key of these terms.
pub(crate) fn follows_value(dialect: &Dialect, before: &[Term]) -> bool {
    let mut before = before.iter().rev();
    before.find_map(|term| {
        match (
            holds(dialect, term, &is_item),
            holds(dialect, term, &is_key),
        ) {
            (false, false) => None,
            (is_value, _) => Some(is_value),
        }
    }) == Some(true)
}

/// Whether a term is a loop over values of the key before it.
pub(crate) fn is_loop_of_values(dialect: &Dialect, term: &Term) -> bool {
    matches!(&term.kind, TermKind::Many(more) if holds(dialect, more, &is_item) && !holds(dialect, more, &is_key))
}

/// The series whose loop is the term at `n`.
fn series_at<'d>(
    dialect: &Dialect,
    seq: &'d [Term],
    n: usize,
    is_loop: &dyn Fn(&Term) -> bool,
) -> Option<Series<'d>> {
    let TermKind::Many(more) = &seq[n].kind else {
        return None;
    };
    if !is_loop(&seq[n]) {
        return None;
    }
    let more = inside(more);
    let has = |terms: &[Term], wanted: &dyn Fn(&TermKind) -> bool| {
        terms.iter().any(|term| holds(dialect, term, wanted))
    };
    // The body of the loop ends with the terms of the first item.
    let pairs = seq[..n].iter().rev().zip(more.iter().rev());
    let n_item = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (separator, item) = more.split_at(more.len() - n_item);
    let (start, item, separator) = if has(item, &is_item) {
        (n - n_item, item, separator)
    } else {
        (n, more, &more[..0])
    };
    let is_key_before = |term: &Term| holds(dialect, term, &is_key);
    let last_key = seq[..start].iter().rposition(is_key_before);
    let from_key = last_key.map_or(0, |at| at + 1);
    (!has(&seq[from_key..start], &is_item)).then_some(Series {
        place: start..n + 1,
        terms: &seq[start..=n],
        item,
        separator,
        list: InList::No,
        is_optional: false,
        is_bracketed: false,
        empty: "[]",
        is_closed: false,
        is_json: has(item, &|kind| matches!(kind, TermKind::Value(..))),
    })
}

/// The terms of a group of one alternative, or the term itself.
fn inside(term: &Term) -> &[Term] {
    match &term.kind {
        TermKind::Group(Alt(alternatives)) if alternatives.len() == 1 => &alternatives[0],
        _ => slice::from_ref(term),
    }
}

/// Whether two terms are equal except for their spans.
pub(super) fn is_same(one: &Term, other: &Term) -> bool {
    let all = |one: &[Term], other: &[Term]| {
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
    };
    match (&one.kind, &other.kind) {
        (TermKind::Group(Alt(one)), TermKind::Group(Alt(other))) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| all(a, b))
        }
        (TermKind::Optional(one, _), TermKind::Optional(other, _))
        | (TermKind::Many(one), TermKind::Many(other)) => is_same(one, other),
        (one, other) => one == other,
    }
}

/// Whether a term of this kind is a value of the key before it.
fn is_item(kind: &TermKind) -> bool {
    matches!(
        kind,
        TermKind::Raw(None, Delimiter::Closer(_) | Delimiter::Line) | TermKind::Value(None, _)
    )
}

fn is_key(kind: &TermKind) -> bool {
    match kind {
        TermKind::Capture(what, _) => *what == Capture::Key,
        TermKind::Attrs(all) => all.iter().any(|one| one.capture == Some(Capture::Key)),
        _ => false,
    }
}
