//! Markup that a result must not hold: what ends its frame, and what ends or begins a turn.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::grammar::{Dialect, Piece, Term, TermKind};

/// Shorter texts are too common to be markup.
const SHORTEST: usize = 3;

/// The markers of one frame.
pub(super) struct Markers<'a> {
    /// Each as it stands in a text; those that a line break precedes with it.
    all: BTreeSet<&'a str>,
}

impl<'a> Markers<'a> {
    /// Of the rule `frame`, of what stands around several, and of the dialect's turns: the rules `stop` and `barred`.
    pub(super) fn of(dialect: &'a Dialect, frame: Option<&'a [Term]>) -> Markers<'a> {
        let mut all = BTreeSet::new();
        let mut is_behind = false;
        for term in frame.unwrap_or_default() {
            each_literal(term, &mut |literal| {
                all.extend(tags(literal));
                let closer = literal.trim_end();
                if is_behind && closer.trim_start().len() >= SHORTEST {
                    all.insert(closer);
                }
            });
            is_behind |= matches!(term.kind, TermKind::Text(None) | TermKind::Xml(_));
        }
        for rule in dialect.rules_named("result_block") {
            for term in rule.alt.0.iter().flatten() {
                each_literal(term, &mut |literal| all.extend(tags(literal)));
            }
        }
        for rule in reached(dialect, &["stop", "barred"]) {
            let rules = dialect.rules_named(rule);
            for term in rules.flat_map(|rule| rule.alt.0.iter().flatten()) {
                each_literal(term, &mut |literal| {
                    all.insert(literal.trim());
                });
            }
        }
        all.retain(|marker| marker.trim().len() >= SHORTEST);
        Markers { all }
    }

    /// Where in `text` one of them begins, in order. One that was escaped before, in the result itself, counts as well: what is
    /// put in can be told from what stood there.
    pub(super) fn places(&self, text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        for marker in &self.all {
            places.extend(text.match_indices(marker).map(|(at, _)| at));
            // The frame ends its line before the text.
            if text.starts_with(marker.trim_start()) {
                places.push(0);
            }
            if let Some(rest) = marker.strip_prefix('<') {
                let escaped = text.match_indices("&lt;");
                let is_one = |at: &usize| text[at + "&lt;".len()..].starts_with(rest);
                places.extend(escaped.map(|(at, _)| at).filter(is_one));
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The rules of these names, and all that they lead to.
fn reached<'d>(dialect: &'d Dialect, names: &[&'static str]) -> Vec<&'d str> {
    let mut reached: Vec<&'d str> = Vec::new();
    let roots = dialect.rules.iter();
    let roots = roots.filter(|rule| names.contains(&rule.name.as_str()));
    let mut open: Vec<&'d str> = roots.map(|rule| rule.name.as_str()).collect();
    while let Some(name) = open.pop() {
        if !reached.contains(&name) {
            reached.push(name);
            for rule in dialect.rules_named(name) {
                rule.alt.each_reference(&mut |name| open.push(name));
            }
        }
    }
    reached
}

fn each_literal<'t>(term: &'t Term, told: &mut dyn FnMut(&'t str)) {
    match &term.kind {
        TermKind::Literal(pieces) => {
            for piece in pieces {
                if let Piece::Bytes(text) = piece {
                    told(String::as_str(text));
                }
            }
        }
        TermKind::Group(alt) => {
            for term in alt.0.iter().flatten() {
                each_literal(term, told);
            }
        }
        TermKind::Optional(inner) | TermKind::Many(inner) => each_literal(inner, told),
        _ => {}
    }
}

/// The tags and bracketed words in a literal: `<..>` and `[..]` without a blank.
fn tags(literal: &str) -> impl Iterator<Item = &str> {
    let begins = literal.match_indices(['<', '[']);
    begins.filter_map(|(at, open)| {
        let close = if open == "<" { '>' } else { ']' };
        let tag = &literal[at..=at + literal[at..].find(close)?];
        (!tag.contains([' ', '\n'])).then_some(tag)
    })
}
