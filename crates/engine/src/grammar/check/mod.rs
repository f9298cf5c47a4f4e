//! Refuses rules that are ambiguous or never end. Each error has the place and a text to write instead.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

pub(crate) mod arguments;
mod neighbours;

use super::lists;
use super::{Alt, Capture, Delimiter, Dialect, GrammarError, Piece, Rule, Term, TermKind, Typing};
use crate::program::{ByteSet, is_blank, takes};

/// The message for a block of lines that does not end.
pub(crate) const LINES_CONTINUE: &str =
    "the line after `lines` may start as those of the block, and is one of it then";
/// The help for that message.
pub(crate) const START_OTHERWISE: &str = "end the block with one line break, and start what follows with another sign or a letter. Or put that line break into the literal that follows, `\"\\n> \"`";

/// Refuses rules that are ambiguous or never end, as far as their own text shows.
pub(crate) fn rules(dialect: &Dialect) -> Result<(), GrammarError> {
    for rule in dialect.rules.iter().filter(|rule| !rule.is_taught()) {
        let is_text = matches!(rule.name.as_str(), "think" | "say" | "result" | "failure");
        if is_text {
            only_raw(&rule.alt, rule.name == "say")?;
        }
        alternatives(dialect, &rule.alt, is_text)?;
        if matches!(rule.name.as_str(), "result" | "failure") {
            rule.alt.0.iter().flatten().try_for_each(known_of_result)?;
        }
        if rule.name == "call" {
            for seq in &rule.alt.0 {
                named(dialect, rule, seq)?;
                holes(dialect, seq, &mut BTreeMap::new(), 0)?;
                arguments::of_call(dialect, seq)?;
            }
        }
        if !rule.is_only_written() {
            neighbours::of_rule(dialect, rule)?;
        }
    }
    Ok(())
}

/// Refuses captures that no result has: nothing would be written in their place.
fn known_of_result(term: &Term) -> Result<(), GrammarError> {
    let TermKind::Capture(what, _) = &term.kind else {
        return Ok(());
    };
    let help = match what {
        Capture::Name | Capture::Id => return Ok(()),
        Capture::Server => {
            "not every call names one: write a part that may be missing, (\" of \" server)?"
        }
        Capture::Key | Capture::Type | Capture::Any | Capture::Length => {
            "a result has name, id, server and the arguments of its call, raw(path)"
        }
    };
    let what = format!("{what:?}").to_lowercase();
    Err(GrammarError::new(term.span.clone(), format!("a result may have no `{what}`")).help(help))
}

/// Only values of calls are decoded and unindented; the text of `say` may be a JSON value.
fn only_raw(alt: &Alt, is_say: bool) -> Result<(), GrammarError> {
    let of = |term: &Term| {
        let word = match &term.kind {
            TermKind::Raw(_, Delimiter::Line) => "line",
            TermKind::Raw(_, Delimiter::Lines(..)) => "lines",
            TermKind::Raw(_, Delimiter::Length) => "bytes",
            TermKind::Argument(..) => "any(..)",
            TermKind::Value(..) if !is_say => "value",
            TermKind::Group(alt) => return only_raw(alt, is_say),
            TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                return only_raw(&Alt(vec![vec![(**inner).clone()]]), is_say);
            }
            _ => return Ok(()),
        };
        let message = format!("`{word}` in a rule that is not a call");
        Err(GrammarError::new(term.span.clone(), message)
            .help("write `raw`: the text is shown as it is, and nothing in it is decoded"))
    };
    alt.0.iter().flatten().try_for_each(of)
}

fn alternatives(dialect: &Dialect, alt: &Alt, is_text: bool) -> Result<(), GrammarError> {
    let first = |seq: &Vec<Term>| seq.first().map(|term| term.kind.clone());
    let is_type =
        |seq: &&Vec<Term>| matches!(first(seq), Some(TermKind::Capture(Capture::Type, _)));
    let is_literal = |seq: &Vec<Term>| matches!(first(seq), Some(TermKind::Literal(_)));
    if let Some(seq) = alt.0.iter().find(is_type)
        && matches!(dialect.values.typing, Typing::Kind(_))
        && alt.0.iter().any(is_literal)
    {
        return Err(GrammarError::new(
            seq[0].span.clone(),
            "a text beside `type` leaves `values` without a type",
        )
        .help("write `type` alone: `values: schema|type(..)` says which word is written"));
    }
    let mut firsts: Vec<(ByteSet, bool)> = Vec::new();
    for (n, seq) in alt.0.iter().enumerate() {
        if alt.0[..n].iter().any(|other| same(other, seq)) {
            let place = seq.first().map_or(0..0, |term| term.span.clone());
            return Err(
                GrammarError::new(place, "an alternative that is there twice")
                    .help("leave one out"),
            );
        }
        let is_of_list = |other: &Vec<Term>| {
            let (start, rest) = other.split_at(other.len().min(seq.len()));
            same(start, seq) && matches!(rest, [items] if lists::is_loop_of_values(dialect, items))
        };
        if alt.0.iter().any(is_of_list) {
            let place = seq.first().map_or(0..0, |term| term.span.clone());
            let message = "an alternative that a list in another one starts with";
            return Err(GrammarError::new(place, message)
                .help("leave it out: one item is a single value as well"));
        }
        if let Some((first, term)) = open_first(seq) {
            // Objects are parsed in parallel, and their members decide between the alternatives.
            let is_object = matches!(term.kind, TermKind::Object(_));
            let is_undecided = |(other, is_other_object): &(ByteSet, bool)| {
                other.meets(&first) && !(is_object && *is_other_object)
            };
            if firsts.iter().any(is_undecided) {
                return Err(GrammarError::new(
                    term.span.clone(),
                    "two alternatives that the next byte cannot distinguish",
                )
                .help(match term.kind.open_capture() {
                    Some(Capture::Key) => "write the key once, and what differs after it, (key (\": \" value | \"[]: \" raw) \"\\n\")*",
                    _ => "start one of them with a literal",
                }));
            }
            firsts.push((first, is_object));
        }
        optional_closers(seq, is_text)?;
        for term in seq {
            inside(dialect, &term.kind, is_text)?;
        }
    }
    Ok(())
}

fn inside(dialect: &Dialect, kind: &TermKind, is_text: bool) -> Result<(), GrammarError> {
    match kind {
        TermKind::Group(alt) => alternatives(dialect, alt, is_text),
        TermKind::Optional(inner, _) | TermKind::Many(inner) => {
            inside(dialect, &inner.kind, is_text)
        }
        _ => Ok(()),
    }
}

/// The first bytes of an alternative that starts with a capture or a body.
fn open_first(seq: &[Term]) -> Option<(ByteSet, &Term)> {
    let term = seq.iter().find(|term| {
        !matches!(
            term.kind,
            TermKind::Ws(_) | TermKind::Nl | TermKind::LineStart | TermKind::MessageStart
        )
    })?;
    let mut set = ByteSet::default();
    if let Some(what) = term.kind.open_capture() {
        let bytes = (0..=255).filter(|&byte| takes(what, byte));
        bytes.for_each(|byte| set.insert(byte));
        return Some((set, term));
    }
    match &term.kind {
        TermKind::Raw(_, delimiter @ Delimiter::Lines(..)) => (0..=255)
            .filter(|&byte| !delimiter.starts_otherwise(byte))
            .for_each(|byte| set.insert(byte)),
        TermKind::Raw(..) | TermKind::Value(..) => set = ByteSet::ALL,
        // A tag, or words before it.
        TermKind::Xml(None) => (0..=255u8)
            .filter(|byte| *byte == b'<' || byte.is_ascii_alphabetic() || is_blank(*byte))
            .for_each(|byte| set.insert(byte)),
        TermKind::Xml(Some(_)) => set = ByteSet::ALL,
        TermKind::Json(_) | TermKind::Object(_) => set.insert(b'{'),
        TermKind::Python(_) => (0..=255u8)
            .filter(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            .for_each(|byte| set.insert(byte)),
        _ => return None,
    }
    Some((set, term))
}

/// Refuses an optional closer, since the machine finds missing closers. Refuses `nl` twice, too.
fn optional_closers(seq: &[Term], is_text: bool) -> Result<(), GrammarError> {
    for pair in seq.windows(2) {
        if let (TermKind::Nl, TermKind::Nl) = (&pair[0].kind, &pair[1].kind) {
            return Err(neighbours::twice_nl(&pair[1]));
        }
        if let (TermKind::Raw(_, delimiter), TermKind::Optional(inner, _)) =
            (&pair[0].kind, &pair[1].kind)
            && !is_text
            && *delimiter != Delimiter::Length
            && matches!(inner.kind, TermKind::Literal(_))
        {
            return Err(GrammarError::new(
                pair[1].span.clone(),
                "an optional literal directly after `raw`",
            )
            .help(
                "write it without `?`: a missing closer is found by the machine, from evidence",
            ));
        }
    }
    Ok(())
}

/// Refuses a call without a name.
fn named(dialect: &Dialect, rule: &Rule, seq: &[Term]) -> Result<(), GrammarError> {
    if rule.tool.is_some() || seq.iter().any(|term| gives_name(dialect, term, 0)) {
        return Ok(());
    }
    let place = seq
        .first()
        .map_or(rule.span.clone(), |term| term.span.clone());
    Err(GrammarError::new(place, "a `call` without a name").help(
        "read it with name, object(name: ..), attrs(name: ..) or python, or fix it: `call TOOL = ..`",
    ))
}

fn gives_name(dialect: &Dialect, term: &Term, depth: usize) -> bool {
    // Recursive rules are refused when they are inlined. Here the depth only bounds the recursion.
    if depth > 32 {
        return false;
    }
    let within = |alt: &Alt| {
        alt.0
            .iter()
            .flatten()
            .any(|term| gives_name(dialect, term, depth + 1))
    };
    match &term.kind {
        TermKind::Capture(Capture::Name, _) | TermKind::Object(_) | TermKind::Python(_) => true,
        TermKind::Attrs(attributes) => attributes.iter().any(|a| a.capture == Some(Capture::Name)),
        TermKind::Group(alt) => within(alt),
        TermKind::Optional(inner, _) | TermKind::Many(inner) => {
            gives_name(dialect, inner, depth + 1)
        }
        TermKind::Rule(name) => dialect.rules_named(name).any(|rule| within(&rule.alt)),
        _ => false,
    }
}

/// Refuses a hole without an earlier capture. `captured` has each capture, and whether every alternative has it.
fn holes(
    dialect: &Dialect,
    seq: &[Term],
    captured: &mut BTreeMap<Capture, bool>,
    depth: usize,
) -> Result<(), GrammarError> {
    if depth > 32 {
        return Ok(());
    }
    for term in seq {
        match &term.kind {
            TermKind::Literal(pieces) => {
                for piece in pieces {
                    let Piece::Hole(what) = piece else {
                        continue;
                    };
                    let hole = word(*what);
                    let message = match captured.get(what) {
                        Some(true) => continue,
                        Some(false) => {
                            format!(
                                "the hole {{{hole}}} has no text where an alternative before it has no `{hole}`"
                            )
                        }
                        // The block around the call may have captured the suffix.
                        None if *what == Capture::Any => continue,
                        None => format!("the hole {{{hole}}} comes before its capture"),
                    };
                    let help = format!(
                        "capture it first, in each alternative: `{hole}`, or {hole}(\"EOF\") where the text is known"
                    );
                    return Err(GrammarError::new(term.span.clone(), message).help(help));
                }
            }
            TermKind::Capture(what, _) => drop(captured.insert(*what, true)),
            TermKind::Attrs(attributes) => {
                captured.extend(attributes.iter().filter_map(|a| Some((a.capture?, true))));
            }
            TermKind::Object(_) | TermKind::Python(_) => drop(captured.insert(Capture::Name, true)),
            TermKind::Group(alt) => {
                let before = captured.clone();
                let mut alternatives = Vec::new();
                for seq in alt.0.iter().filter(|seq| !seq.is_empty()) {
                    let mut this = before.clone();
                    holes(dialect, seq, &mut this, depth + 1)?;
                    alternatives.push(this);
                }
                for this in &alternatives {
                    let in_all = |what| {
                        let has = |one: &BTreeMap<_, _>| one.get(what).is_some_and(|all| *all);
                        alternatives.iter().all(has)
                    };
                    captured.extend(this.keys().map(|what| (*what, in_all(what))));
                }
            }
            TermKind::Optional(inner, _) | TermKind::Many(inner) => {
                holes(dialect, core::slice::from_ref(inner), captured, depth + 1)?;
            }
            TermKind::Rule(name) => {
                for rule in dialect.rules_named(name) {
                    for seq in &rule.alt.0 {
                        holes(dialect, seq, captured, depth + 1)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn word(capture: Capture) -> &'static str {
    match capture {
        Capture::Name => "name",
        Capture::Key => "key",
        Capture::Id => "id",
        Capture::Server => "server",
        Capture::Type => "type",
        Capture::Any => "any",
        Capture::Length => "length",
    }
}

/// Whether two sequences are equal except for their spans.
fn same(a: &[Term], b: &[Term]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.kind == b.kind)
}
