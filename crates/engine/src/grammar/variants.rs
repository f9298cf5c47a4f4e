//! Variants of a dialect: each writes calls in another way that the dialect parses.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Alt, Capture, Dialect, Rule, Term, TermKind, lists};
use crate::render::holds;

impl Dialect {
    /// The dialects that write what this one parses but does not write. Each has one choice, one optional part, or one
    /// run of blanks written differently. This dialect should parse what they write.
    ///
    /// At most `most` of them, in the order of the rules.
    pub fn variants(&self, most: usize) -> Vec<Dialect> {
        let is_read = |rule: &&Rule| !matches!(rule.name.as_str(), "think" | "say" | "tool");
        let read: Vec<&Rule> = (self.rules.iter().filter(is_read))
            .filter(|rule| !rule.is_taught())
            .collect();
        let mut variants = Vec::new();
        for (n, rule) in read.iter().enumerate() {
            if rule.is_only_written() {
                continue;
            }
            let mut add = |seq: Vec<Term>| {
                if variants.len() == most {
                    return;
                }
                let rules = read.iter().enumerate().filter(|(other, one)| {
                    *other == n || one.name != rule.name || one.tool != rule.tool
                });
                let rules = rules.map(|(other, one)| {
                    let mut one = Rule::clone(one);
                    if other == n {
                        one.alt = Alt(vec![seq.clone()]);
                    }
                    one
                });
                let mut rules: Vec<Rule> = rules.collect();
                // A rule that lost its last reference would become an entry.
                let old = referred(&self.rules);
                loop {
                    let new = referred(&rules);
                    let n_before = rules.len();
                    rules.retain(|rule| !old.contains(&rule.name) || new.contains(&rule.name));
                    if rules.len() == n_before {
                        break;
                    }
                }
                variants.push(Dialect {
                    rules: Arc::new(rules),
                    ..self.clone()
                });
            };
            for seq in alternatives(self, &rule.alt) {
                add(seq.clone());
                sequences(self, seq, most).into_iter().for_each(&mut add);
            }
        }
        variants
    }
}

/// The names of the rules that others refer to.
fn referred(rules: &[Rule]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in rules {
        let mut add = |name: &str, _: &Range<usize>| {
            names.insert(String::from(name));
        };
        rule.alt.each_reference(&mut add);
    }
    names
}

/// The alternatives that can be written alone. A form for lists cannot, where another form has single values.
fn alternatives<'a>(dialect: &'a Dialect, alt: &'a Alt) -> impl Iterator<Item = &'a Vec<Term>> {
    let has_single = alt.0.iter().any(|seq| lists::is_single(dialect, seq));
    let is_alone = move |seq: &&Vec<Term>| !has_single || !lists::holds_list(dialect, seq);
    alt.0.iter().filter(is_alone)
}

/// The sequence with one change, in each way, up to `most` of them.
fn sequences(dialect: &Dialect, seq: &[Term], most: usize) -> Vec<Vec<Term>> {
    let mut all = Vec::new();
    for (n, term) in seq.iter().enumerate() {
        let left = most - all.len();
        for kind in kinds(dialect, term, left).into_iter().take(left) {
            let mut other = seq.to_vec();
            other[n].kind = kind;
            all.push(other);
        }
    }
    all
}

fn kinds(dialect: &Dialect, term: &Term, most: usize) -> Vec<TermKind> {
    let only = |seq: Vec<Term>| TermKind::Group(Alt(vec![seq]));
    match &term.kind {
        TermKind::Group(alt) => {
            // `message_end` is a place, not a text that can be written.
            let is_end = |seq: &&Vec<Term>| matches!(seq.as_slice(), [one] if one.kind == TermKind::MessageEnd);
            let written = alternatives(dialect, alt).filter(|seq| !is_end(seq));
            let alternatives = written.flat_map(|seq| {
                let mut all = vec![seq.clone()];
                all.extend(sequences(dialect, seq, most));
                all
            });
            alternatives.take(most).map(only).collect()
        }
        TermKind::Optional(inner, habit) => {
            let mut all = vec![only(vec![]), only(vec![Term::clone(inner)])];
            all.extend(kinds(dialect, inner, most).into_iter().map(|kind| {
                let span = inner.span.clone();
                TermKind::Optional(Term { kind, span }.into(), *habit)
            }));
            all
        }
        TermKind::Many(inner) => {
            let inside = kinds(dialect, inner, most).into_iter();
            let span = &inner.span;
            let many = |kind| {
                let span = span.clone();
                TermKind::Many(Term { kind, span }.into())
            };
            let is_key = |kind: &TermKind| kind.open_capture() == Some(Capture::Key);
            // Without this loop another loop takes the parameters.
            let without = holds(dialect, inner, &is_key).then(|| only(vec![]));
            without.into_iter().chain(inside.map(many)).collect()
        }
        TermKind::Ws(_) => [" ", "\n"]
            .map(|blanks| TermKind::Ws(Some(String::from(blanks))))
            .into(),
        _ => Vec::new(),
    }
}
