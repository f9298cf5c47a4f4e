//! Refuses terms that are unreadable because of the term before or after them.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::super::{
    Capture, Delimiter, Dialect, GrammarError, Indent, Piece, Rule, Term, TermKind,
};
use super::{LINES_CONTINUE, START_OTHERWISE, word};
use crate::grammar::lists::{is_blank_text, is_same};
use crate::render::holds;

/// A term that may come next.
#[derive(Clone, Copy)]
struct Next<'d> {
    term: &'d Term,
    /// What is after it in its sequence.
    after: &'d [Term],
    /// Blanks may separate the term from the one before.
    is_past_blanks: bool,
    /// The term starts an alternative after the first, so another text may be written.
    is_second: bool,
}

/// Refuses terms of a rule that the next term makes unreadable.
pub(super) fn of_rule(dialect: &Dialect, rule: &Rule) -> Result<(), GrammarError> {
    let walk = Walk { dialect };
    if matches!(rule.name.as_str(), "think" | "say") {
        return Ok(());
    }
    (rule.alt.0.iter()).try_for_each(|seq| walk.sequence(seq, &[]))
}

struct Walk<'d> {
    dialect: &'d Dialect,
}

impl<'d> Walk<'d> {
    /// Checks all terms of a sequence; `after` has the terms that may follow the sequence.
    fn sequence(&self, seq: &'d [Term], after: &[Next<'d>]) -> Result<(), GrammarError> {
        for (n, term) in seq.iter().enumerate() {
            let mut next = Vec::new();
            if let Some(is_past_blanks) = self.firsts(&seq[n + 1..], false, &mut next) {
                next.extend(after.iter().map(|one| Next {
                    is_past_blanks: one.is_past_blanks || is_past_blanks,
                    ..*one
                }));
            }
            if let TermKind::Optional(inner, _) | TermKind::Many(inner) = &term.kind {
                self.optional(inner, &next)?;
            }
            let before = seq[..n].iter().rev().map(|term| &term.kind);
            let before = before.skip_while(|kind| matches!(kind, TermKind::Ws(_) | TermKind::Nl));
            if let (Some(TermKind::Xml(prefix)), TermKind::Literal(_)) =
                ({ before }.next(), &term.kind)
            {
                let prefix = prefix.as_deref().unwrap_or("");
                next.iter()
                    .try_for_each(|next| continues_in_tags(prefix, next))?;
            }
            let is_value =
                |kind: &TermKind| matches!(kind, TermKind::Raw(..) | TermKind::Value(..));
            if let [nl, value, ..] = &seq[n + 1..]
                && (term.kind.captures() && nl.kind == TermKind::Nl && is_value(&value.kind))
            {
                return Err(GrammarError::new(
                    nl.span.clone(),
                    "`nl` between a capture and a value: without a line break nothing ends the capture",
                )
                .help("write the line break that must be there, \"\\n\""));
            }
            let trims = n > 0 && term.kind == TermKind::Nl && is_value(&seq[n - 1].kind);
            let breaks = |next: &&Next<'_>| next.term.kind == TermKind::Nl && !next.is_past_blanks;
            if let Some(twice) = next.iter().find(breaks).filter(|_| trims) {
                return Err(twice_nl(twice.term));
            }
            let is_block = |kind: &TermKind| matches!(kind, TermKind::Raw(_, Delimiter::Lines(indent, _)) if indent.is_blank());
            let is_last_of_block = n > 0 && is_block(&seq[n - 1].kind) && is_line_end(&term.kind);
            let is_blank = |next: &&Next<'_>| {
                next.is_past_blanks || matches!(next.term.kind, TermKind::Nl | TermKind::Ws(_))
            };
            let of_block = |next: &&Next<'_>| {
                let line = first_line(next);
                let is_before_word = next.after.first().is_some_and(|term| term.kind.captures());
                let may_start = |indent: &Indent| {
                    line.is_some_and(|line| indent.may_start(line, is_before_word))
                };
                n > 0 && is_line_end(&term.kind) && self.ends_with_block(&seq[n - 1], &may_start)
            };
            let mut continuing = next.iter();
            if let Some(next) =
                continuing.find(|next| is_last_of_block && is_blank(next) || of_block(next))
            {
                let place = next.term.span.clone();
                return Err(GrammarError::new(place, LINES_CONTINUE).help(START_OTHERWISE));
            }
            if let TermKind::Many(inner) = &term.kind {
                self.blanks_before_key(inner, &next)?;
            }
            self.term(term, next)?;
        }
        Ok(())
    }

    /// Whether the term may end with a block of lines whose indentation satisfies `is_such`.
    fn ends_with_block(&self, term: &Term, is_such: &dyn Fn(&Indent) -> bool) -> bool {
        let ends = |seq: &Vec<Term>| {
            seq.last()
                .is_some_and(|last| self.ends_with_block(last, is_such))
        };
        match &term.kind {
            TermKind::Raw(_, Delimiter::Lines(indent, _)) => is_such(indent),
            TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                self.ends_with_block(inner, is_such)
            }
            TermKind::Group(alt) => alt.0.iter().any(ends),
            TermKind::Rule(name) => {
                (self.dialect.rules_named(name)).any(|rule| rule.alt.0.iter().any(ends))
            }
            _ => false,
        }
    }

    /// Refuses blanks that end a call if a loop of parameters takes blanks: the next line could be a key or text.
    fn blanks_before_key(&self, inner: &'d Term, next: &[Next<'d>]) -> Result<(), GrammarError> {
        let Some(blank) = next.iter().find(|next| is_blank_text(next.term)) else {
            return Ok(());
        };
        let alone = core::slice::from_ref(inner);
        let seqs = match &inner.kind {
            TermKind::Group(alt) => alt.0.iter().map(Vec::as_slice).collect(),
            _ => vec![alone],
        };
        let is_key = |first: &Next<'_>| first.term.kind.open_capture() == Some(Capture::Key);
        let is_ws = |first: &Next<'_>| matches!(first.term.kind, TermKind::Ws(_));
        for seq in seqs {
            // Literal blanks may be before those that `ws` takes.
            let n_blank = seq.iter().take_while(|term| is_blank_text(term)).count();
            let mut firsts = Vec::new();
            self.firsts(&seq[n_blank..], false, &mut firsts);
            if firsts.iter().any(is_ws) && firsts.iter().any(is_key) {
                let message = "the blanks that end the call are also those before a key";
                let help = "write what is before a key as it is, (\" \" key \"=\" value)*, or end the call with a sign";
                return Err(GrammarError::new(blank.term.span.clone(), message).help(help));
            }
        }
        Ok(())
    }

    /// Refuses an optional value that starts like the term after it.
    fn optional(&self, inner: &'d Term, next: &[Next<'d>]) -> Result<(), GrammarError> {
        if !holds(self.dialect, inner, &|kind| {
            matches!(
                kind,
                TermKind::Raw(..) | TermKind::Value(..) | TermKind::Argument(..)
            )
        }) {
            return Ok(());
        }
        let mut firsts = Vec::new();
        self.firsts(core::slice::from_ref(inner), false, &mut firsts);
        let is_key = |one: &Next<'_>| one.term.kind.open_capture() == Some(Capture::Key);
        let is_named = |kind: &TermKind| kind.named_argument().is_some();
        let is_key_term = |kind: &TermKind| matches!(kind, TermKind::Capture(Capture::Key, _));
        let differs =
            |one: &&Next<'_>| is_key(one) || matches!(one.term.kind, TermKind::Literal(_));
        for first in firsts.iter().filter(differs) {
            let is_same = |next: &Next<'_>| {
                next.term.kind == first.term.kind && !differ(first.after, next.after)
            };
            if next.iter().any(is_same) {
                return Err(GrammarError::new(
                    first.term.span.clone(),
                    "a value that may be missing starts as what comes after it",
                )
                .help(match &first.term.kind {
                    _ if is_key(first) => "write the first parameter alone, and what is between two before each other one, (key \"=\" value (\", \" key \"=\" value)*)?",
                    TermKind::Literal(pieces) if starts(pieces, &['\n']) => "where each parameter has a line of its own, end it with `eol`, (key \": \" line eol)*",
                    _ if holds(self.dialect, inner, &is_named) => "put each part that may be missing inside of the one before it, (\",\" value(a)? (\",\" value(b)?)?)?, or start one of them with another literal",
                    _ if !holds(self.dialect, inner, &is_key_term) => "where items and parameters have one separator, give the items quotes, (\"'\" raw \"'\" (\",\" \"'\" raw \"'\")* | value). Or write brackets around all items",
                    _ => "start one of them with another literal. For a sign that may come last, let the rest of the part be missing, (\",\" ws (key \"=\" value)?)*",
                }));
            }
        }
        Ok(())
    }

    fn term(&self, term: &'d Term, mut next: Vec<Next<'d>>) -> Result<(), GrammarError> {
        match &term.kind {
            TermKind::Optional(inner, _) => self.term(inner, next),
            TermKind::Many(inner) => {
                self.firsts(core::slice::from_ref(inner), false, &mut next);
                self.term(inner, next)
            }
            TermKind::Group(alt) => alt.0.iter().try_for_each(|seq| self.sequence(seq, &next)),
            TermKind::Rule(name) if !matches!(name.as_str(), "think" | "say") => {
                let rules = self.dialect.rules_named(name);
                rules
                    .flat_map(|rule| &rule.alt.0)
                    .try_for_each(|seq| self.sequence(seq, &next))
            }
            _ => next.iter().try_for_each(|&next| pair(term, next)),
        }
    }

    /// Adds the terms that a sequence may start with. `None` if it is never empty; else whether it may be blanks.
    fn firsts(
        &self,
        seq: &'d [Term],
        mut is_past_blanks: bool,
        found: &mut Vec<Next<'d>>,
    ) -> Option<bool> {
        for (n, term) in seq.iter().enumerate() {
            let after = &seq[n + 1..];
            let mut one_of = |alts: &mut dyn Iterator<Item = &'d [Term]>| {
                let mut open: Option<bool> = None;
                for (n, seq) in alts.enumerate() {
                    let n_before = found.len();
                    let this = self.firsts(seq, is_past_blanks, found);
                    let new = found[n_before..].iter_mut();
                    new.for_each(|one| one.is_second |= n > 0);
                    open = this.map(|this| this || open.unwrap_or(false)).or(open);
                }
                open
            };
            let open = match &term.kind {
                // Blanks that are never written separate nothing.
                TermKind::Ws(written) => {
                    found.push(Next {
                        term,
                        after,
                        is_past_blanks,
                        is_second: false,
                    });
                    Some(is_past_blanks || written.as_ref().is_some_and(|text| !text.is_empty()))
                }
                TermKind::Nl => {
                    found.push(Next {
                        term,
                        after,
                        is_past_blanks,
                        is_second: false,
                    });
                    Some(true)
                }
                TermKind::LineStart | TermKind::MessageStart => {
                    found.push(Next {
                        term,
                        after,
                        is_past_blanks,
                        is_second: false,
                    });
                    Some(is_past_blanks)
                }
                TermKind::False => Some(is_past_blanks),
                TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                    let inner = core::slice::from_ref(&**inner);
                    let n_before = found.len();
                    let inside = self.firsts(inner, is_past_blanks, found);
                    // What is after the last term of the part is after the part.
                    let last = found[n_before..]
                        .iter_mut()
                        .filter(|one| one.after.is_empty());
                    last.for_each(|one| one.after = after);
                    Some(inside.unwrap_or(is_past_blanks))
                }
                TermKind::Group(alt) => one_of(&mut alt.0.iter().map(Vec::as_slice)),
                TermKind::Rule(name) => {
                    let rules = self.dialect.rules_named(name);
                    one_of(&mut rules.flat_map(|rule| rule.alt.0.iter().map(Vec::as_slice)))
                }
                _ => {
                    found.push(Next {
                        term,
                        after,
                        is_past_blanks,
                        is_second: false,
                    });
                    None
                }
            };
            is_past_blanks = open?;
        }
        Some(is_past_blanks)
    }
}

/// Refuses `next` right after `term`.
fn pair(term: &Term, next: Next<'_>) -> Result<(), GrammarError> {
    let refuse = |message: &str, help: &str| {
        Err(GrammarError::new(next.term.span.clone(), message).help(help))
    };
    let is_adjacent = !next.is_past_blanks;
    let is_body = matches!(
        next.term.kind,
        TermKind::Raw(..)
            | TermKind::Value(..)
            | TermKind::Attrs(_)
            | TermKind::Json(_)
            | TermKind::Object(_)
            | TermKind::Xml(_)
            | TermKind::Python(_)
    );
    if let Some(capture) = term.kind.open_capture().filter(|_| is_adjacent) {
        let what = word(capture);
        match &next.term.kind {
            kind if kind.captures() => {
                return refuse(
                    &format!("{} directly after capture `{what}`", named(kind)),
                    "a literal, or blanks that are written, `ws(\" \")`, must show where the first one ends",
                );
            }
            TermKind::Raw(..) | TermKind::Value(..) | TermKind::Xml(_) => {
                return refuse(
                    &format!("a value directly after capture `{what}`"),
                    "a literal must show where the capture ends",
                );
            }
            TermKind::Attrs(_) => {
                return refuse(
                    &format!("attributes directly after capture `{what}`"),
                    "write the blanks between them, ws(\" \") attrs(..)",
                );
            }
            TermKind::Literal(pieces) if takes_word(capture) && starts_word(pieces) => {
                return refuse(
                    &format!("letters directly after capture `{what}`, which takes them"),
                    "write blanks between, ws(\" \"), or start the literal with a sign",
                );
            }
            _ => {}
        }
    }
    match (&term.kind, &next.term.kind) {
        (TermKind::Ws(_) | TermKind::Nl, TermKind::Raw(_, Delimiter::Length)) => refuse(
            "blanks before `bytes` that the bytes may start with",
            "write the text between the length and the bytes as it is, \" \" or \"\\n\"",
        ),
        (TermKind::Raw(_, Delimiter::Length), next) if *next != TermKind::LineStart => Ok(()),
        (TermKind::Value(..), TermKind::Literal(pieces)) if starts(pieces, &['"']) => refuse(
            "a quote after `value`, whose strings end with one",
            "start what follows with another sign, or read the value with `raw`",
        ),
        (TermKind::Raw(_, Delimiter::Line), next) if !starts_line_end(next) => refuse(
            "a value of `line` that is not the last of its line",
            "write the end of the line after it, \"\\n\" or `eol`, or read the value with `raw`",
        ),
        (value @ (TermKind::Raw(..) | TermKind::Value(..)), kind) if kind.captures() => refuse(
            &format!(
                "`{}` has no closer: a bare name follows it",
                value_word(&term.kind)
            ),
            match value {
                TermKind::Raw(_, Delimiter::Lines(..)) => {
                    "write the line break that ends the block, lines(\"  \") \"\\n\""
                }
                _ => {
                    "start each parameter with a literal, (\" \" key \"=\" raw)*, or end each with one, (key \"=\" raw \";\")*"
                }
            },
        ),
        (TermKind::Raw(..) | TermKind::Value(..), _) if is_body => refuse(
            &format!(
                "`{}` has no closer: no literal follows it",
                value_word(&term.kind)
            ),
            &format!(
                "put the literal that ends the value after `{0}`: between two, (\" \" ws {0})*",
                value_word(&term.kind)
            ),
        ),
        (TermKind::Raw(_, Delimiter::Lines(indent, _)), TermKind::Ws(_)) if indent.is_blank() => {
            refuse(LINES_CONTINUE, START_OTHERWISE)
        }
        (TermKind::Nl, TermKind::Literal(pieces)) if starts(pieces, &['\n', '\r']) => refuse(
            "a line break after `nl`, which takes it",
            "leave one of them out",
        ),
        (TermKind::Ws(_), TermKind::Literal(pieces))
            if is_adjacent && starts(pieces, &['\n', '\r']) =>
        {
            refuse(
                "blanks after `ws`, which takes them",
                "leave one of them out",
            )
        }
        (TermKind::Attrs(_), TermKind::Literal(pieces))
            if starts(pieces, &['\n', '\r', ' ', '\t']) =>
        {
            refuse(
                "blanks after `attrs`, which takes them",
                "start what ends the tag with a sign: \">\", \"/>\"",
            )
        }
        (TermKind::Xml(_), TermKind::Literal(pieces))
            if pieces.iter().any(|piece| matches!(piece, Piece::Hole(_))) =>
        {
            refuse(
                "a closing tag with a hole after `xml`",
                "write the tag as it is, \"</call>\", or read the parameters with `key` and `raw`",
            )
        }
        (TermKind::Xml(prefix), TermKind::Literal(pieces)) if !matches!(&pieces[0], Piece::Bytes(text) if text.strip_prefix(prefix.as_deref().unwrap_or("")).is_some_and(|tag| tag.starts_with("</"))) => {
            refuse(
                "no closing tag follows `xml`",
                "elements end at a closing tag: write one after them, as \"</call>\"; with xml(\"P\") it starts with P as well. Name spaces need no P: `xml` reads <t:a> as `a`",
            )
        }
        (TermKind::Raw(..) | TermKind::Value(..), TermKind::LineStart) if next.is_second => Ok(()),
        (before, TermKind::Raw(_, Delimiter::Lines(..))) if !ends_line(before) => refuse(
            "a block of `lines` that may start in the middle of a line",
            "write the line break before it, \"\\n\": `ws` and `nl` may read nothing",
        ),
        (before, TermKind::LineStart) if is_adjacent && !ends_line(before) => refuse(
            "the text before this is never the end of a line",
            "write the line break before it: \"\\n\", or ws(\"\\n\")",
        ),
        _ => Ok(()),
    }
}

/// The name of a capture in a message.
fn named(capture: &TermKind) -> String {
    match capture {
        TermKind::Capture(what, _) => format!("capture `{}`", word(*what)),
        _ => "a capture".into(),
    }
}

fn value_word(value: &TermKind) -> &'static str {
    match value {
        TermKind::Value(..) => "value",
        TermKind::Raw(_, Delimiter::Line) => "line",
        TermKind::Raw(_, Delimiter::Lines(..)) => "lines",
        _ => "raw",
    }
}

/// Only one of two adjacent `nl` can have the line break.
pub(super) fn twice_nl(second: &Term) -> GrammarError {
    let message = "`nl` twice: each is one line break or none";
    GrammarError::new(second.span.clone(), message).help("write it once, or `ws`")
}

/// Whether the term is the end of a line, and nothing else.
fn is_line_end(term: &TermKind) -> bool {
    let is_text = |piece: &Piece| !matches!(piece, Piece::Bytes(text) if text.trim().is_empty());
    ends_line(term) && !matches!(term, TermKind::Literal(pieces) if pieces.iter().any(is_text))
}

/// Whether the text after the term may start a line.
fn ends_line(term: &TermKind) -> bool {
    match term {
        TermKind::Literal(pieces) => match pieces.last() {
            Some(Piece::Bytes(text)) => text.trim_end_matches([' ', '\t']).ends_with(['\n', '\r']),
            _ => false,
        },
        TermKind::Ws(_)
        | TermKind::Nl
        | TermKind::MessageStart
        | TermKind::MessageEnd
        | TermKind::LineStart => true,
        _ => false,
    }
}

/// Whether the next characters that are not blank tell apart what these terms read, perhaps after terms that both have.
fn differ(one: &[Term], other: &[Term]) -> bool {
    let pairs = one.iter().zip(other);
    let n_same = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (one, other) = (&one[n_same..], &other[n_same..]);
    if let ([Some(one), Some(other)], true) = ([one, other].map(first_text), n_same > 0) {
        return !one.starts_with(other) && !other.starts_with(one);
    }
    let both = signs(one).zip(signs(other));
    let is_word = |sign: char| sign.is_alphanumeric() || "_-.:$@".contains(sign);
    let are_other = |one: Option<char>, other: Option<char>| match (one, other) {
        (Some(one), Some(other)) => one != other,
        (Some(sign), None) | (None, Some(sign)) => !is_word(sign),
        (None, None) => false,
    };
    both.is_some_and(|(one, other)| {
        let differs = |sign| other.iter().all(|&other| are_other(sign, other));
        one.into_iter().all(differs)
    })
}

/// The text that the terms start with.
fn first_text(seq: &[Term]) -> Option<&str> {
    seq.first()?.kind.pieces().first()?.text()
}

/// The characters that the terms may start with, blanks aside; `None` among them is any character of a key. `None` if
/// the terms may start with anything.
fn signs(seq: &[Term]) -> Option<Vec<Option<char>>> {
    let first = |text: &str| text.trim_start().chars().next();
    for term in seq {
        match &term.kind {
            TermKind::Ws(_) => {}
            TermKind::Literal(pieces) => match pieces.first() {
                Some(Piece::Bytes(text)) if text.trim().is_empty() && pieces.len() == 1 => {}
                Some(Piece::Bytes(text)) => return Some([Some(first(text)?)].into()),
                _ => return None,
            },
            TermKind::Capture(Capture::Key, one_of) if one_of.is_empty() => {
                return Some([None].into());
            }
            TermKind::Capture(_, one_of) | TermKind::Argument(_, one_of) if !one_of.is_empty() => {
                return one_of.iter().map(|one| first(one).map(Some)).collect();
            }
            TermKind::Group(alt) => {
                let all: Option<Vec<_>> = alt.0.iter().map(|seq| signs(seq)).collect();
                return all.map(|all| all.concat());
            }
            _ => return None,
        }
    }
    None
}

/// Whether the term may start with the end of a line.
fn starts_line_end(term: &TermKind) -> bool {
    match term {
        TermKind::Literal(pieces) => starts(pieces, &['\n', '\r']),
        TermKind::Ws(_) | TermKind::Nl | TermKind::MessageEnd => true,
        _ => false,
    }
}

/// The text of the term, as far as it is known.
fn first_line<'d>(next: &Next<'d>) -> Option<&'d [u8]> {
    let text = next.term.kind.pieces().first()?.text()?;
    Some(text.as_bytes())
}

fn starts(literal: &[Piece], any_of: &[char]) -> bool {
    literal[0]
        .text()
        .is_some_and(|text| text.starts_with(any_of))
}

fn starts_word(literal: &[Piece]) -> bool {
    (literal[0].text()).is_some_and(|text| text.starts_with(char::is_alphanumeric))
}

/// Whether the text of the capture may continue with the letters after it.
fn takes_word(capture: Capture) -> bool {
    !matches!(capture, Capture::Any | Capture::Type)
}

/// Refuses a literal other than a tag after the closing tag of `xml`: only tags distinguish elements from what follows.
fn continues_in_tags(prefix: &str, next: &Next<'_>) -> Result<(), GrammarError> {
    match &next.term.kind {
        TermKind::Literal(pieces) if !matches!(&pieces[0], Piece::Bytes(text) if text.strip_prefix(prefix).is_some_and(is_tag)) => {
            Err(GrammarError::new(
                next.term.span.clone(),
                "no tag starts what follows a call with `xml`",
            )
            .help("start it with `<`, or read the arguments with `key` and `raw`"))
        }
        _ => Ok(()),
    }
}

fn is_tag(text: &str) -> bool {
    let inside = text.strip_prefix('<');
    inside.is_some_and(|inside| {
        inside.is_empty() || inside.starts_with(|c: char| c.is_alphabetic() || "/!".contains(c))
    })
}
