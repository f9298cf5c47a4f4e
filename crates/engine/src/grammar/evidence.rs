//! Detects whether a text (a chat template, instructions) teaches the calls of a dialect. The evidence is the literals
//! without which a call cannot be written.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Alt, Dialect, Envelope, Piece, Rule, Term, TermKind};
use crate::thresholds::MARKER_MIN;

/// Deepest reference that is followed.
const DEPTH: usize = 32;

/// A literal of a dialect, found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The literal, without blanks at its ends.
    pub literal: String,
    /// Its first byte in the text.
    pub at: usize,
}

impl Dialect {
    /// The literals of this dialect's calls in `text`, if it has every literal that some call needs. Otherwise none.
    ///
    /// Linear in the text for each literal of the dialect.
    pub fn found_in(&self, text: &str) -> Vec<Evidence> {
        let mut best: Vec<Evidence> = Vec::new();
        for rule in &*self.rules {
            if matches!(rule.name.as_str(), "think" | "say" | "stop")
                || rule.is_only_written()
                || !self.leads_to_call(rule)
            {
                continue;
            }
            for seq in &rule.alt.0 {
                let mut found = Vec::new();
                if self.seq_in(seq, text, &mut found, 0) && weight(&found) > weight(&best) {
                    best = found;
                }
            }
        }
        best
    }

    /// The literals of all rules for parsing, each once. Short literals and the keys of envelopes are left out.
    pub fn literals(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for rule in &*self.rules {
            if !rule.is_only_written() {
                rule.alt
                    .0
                    .iter()
                    .flatten()
                    .for_each(|term| literals_of(&term.kind, &mut all));
            }
        }
        all
    }

    /// The names of rules that the rules selected by `of` refer to. A call that may follow reasoning is not a part of
    /// `think`, though `think` names it.
    pub(crate) fn parts(&self, of: impl Fn(&Rule) -> bool) -> Vec<&str> {
        let mut parts = Vec::new();
        for rule in self.rules.iter().filter(|rule| of(rule)) {
            rule.alt.each_reference(&mut |name, _| {
                let is_call = || self.rules_named(name).any(|rule| self.leads_to_call(rule));
                if rule.name != "think" || !is_call() {
                    parts.push(name);
                }
            });
        }
        parts
    }

    /// The literals that may end reasoning: all of `think` and of the rules it refers to. Short ones are left out.
    pub fn reasoning_literals(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for rule in self.rules_named("think") {
            self.add_literals_of(&rule.alt, &mut all, 0);
        }
        all
    }

    fn add_literals_of<'a>(&'a self, alt: &'a Alt, all: &mut Vec<&'a str>, depth: usize) {
        let terms = alt.0.iter().flatten();
        terms.for_each(|term| literals_of(&term.kind, all));
        let mut names = Vec::new();
        alt.each_reference(&mut |name, _| names.push(name));
        for name in names.into_iter().filter(|_| depth < DEPTH) {
            for rule in self.rules_named(name) {
                self.add_literals_of(&rule.alt, all, depth + 1);
            }
        }
    }

    /// Whether a failed result is written differently from a successful one.
    pub fn distinguishes_failures(&self) -> bool {
        self.rules.iter().any(|rule| rule.name == "failure")
    }

    /// Whether a term is a call or contains one.
    pub(super) fn reaches_call(&self, term: &Term) -> bool {
        self.calls(term, 0)
    }

    fn leads_to_call(&self, rule: &Rule) -> bool {
        rule.name == "call" || rule.alt.0.iter().flatten().any(|term| self.calls(term, 0))
    }

    fn calls(&self, term: &Term, depth: usize) -> bool {
        let within = |alt: &Alt| {
            alt.0
                .iter()
                .flatten()
                .any(|term| self.calls(term, depth + 1))
        };
        match &term.kind {
            _ if depth > DEPTH => false,
            TermKind::Rule(name) if name == "call" => true,
            TermKind::Rule(name) => self.rules_named(name).any(|rule| within(&rule.alt)),
            TermKind::Group(alt) => within(alt),
            TermKind::Optional(inner, _) | TermKind::Many(inner) => self.calls(inner, depth + 1),
            _ => false,
        }
    }

    fn seq_in(&self, seq: &[Term], text: &str, found: &mut Vec<Evidence>, depth: usize) -> bool {
        depth <= DEPTH
            && seq
                .iter()
                .all(|term| self.term_in(term, text, found, depth))
    }

    fn term_in(&self, term: &Term, text: &str, found: &mut Vec<Evidence>, depth: usize) -> bool {
        match &term.kind {
            TermKind::Literal(pieces) => pieces.iter().all(|piece| match piece {
                Piece::Bytes(literal) => literal_in(literal.trim(), text, found),
                Piece::Hole(_) => true,
            }),
            TermKind::Group(alt) => self.best_in(&[alt], text, found, depth),
            TermKind::Rule(name) => {
                let alts: Vec<&Alt> = self.rules_named(name).map(|rule| &rule.alt).collect();
                self.best_in(&alts, text, found, depth)
            }
            TermKind::Optional(inner, _) => {
                let n_before = found.len();
                if !self.term_in(inner, text, found, depth + 1) {
                    found.truncate(n_before);
                }
                true
            }
            TermKind::Many(inner) => self.term_in(inner, text, found, depth + 1),
            TermKind::Object(envelope) => {
                keys_in(envelope, text, found);
                true
            }
            _ => true,
        }
    }

    /// Adds the evidence of the alternative that has the most.
    fn best_in(&self, alts: &[&Alt], text: &str, found: &mut Vec<Evidence>, depth: usize) -> bool {
        let mut best: Option<Vec<Evidence>> = None;
        // A bracket is searched for after the last literal found.
        let before: Vec<Evidence> = found.last().cloned().into_iter().collect();
        for seq in alts.iter().flat_map(|alt| &alt.0) {
            let mut here = before.clone();
            if self.seq_in(seq, text, &mut here, depth + 1) {
                let here = here.split_off(before.len());
                if best
                    .as_ref()
                    .is_none_or(|best| weight(&here) > weight(best))
                {
                    best = Some(here);
                }
            }
        }
        let is_there = best.is_some();
        for evidence in best.unwrap_or_default() {
            if !found.contains(&evidence) {
                found.push(evidence);
            }
        }
        is_there
    }
}

fn literals_of<'a>(kind: &'a TermKind, all: &mut Vec<&'a str>) {
    match kind {
        TermKind::Literal(pieces) => {
            for piece in pieces {
                if let Piece::Bytes(bytes) = piece
                    && bytes.trim().len() >= MARKER_MIN
                    && !all.contains(&bytes.trim())
                {
                    all.push(bytes.trim());
                }
            }
        }
        TermKind::Group(alt) => alt
            .0
            .iter()
            .flatten()
            .for_each(|term| literals_of(&term.kind, all)),
        TermKind::Optional(inner, _) | TermKind::Many(inner) => literals_of(&inner.kind, all),
        _ => {}
    }
}

/// The weight of evidence: the bytes of its literals.
fn weight(found: &[Evidence]) -> usize {
    found.iter().map(|evidence| evidence.literal.len()).sum()
}

fn literal_in(literal: &str, text: &str, found: &mut Vec<Evidence>) -> bool {
    if literal.len() < MARKER_MIN {
        // If an object or a tag follows the last literal at each of its places, there is no list.
        return next_in(literal, text, found) || literal != "[";
    }
    // A string inside the template has escaped quotes.
    let at = text
        .find(literal)
        .or_else(|| text.find(&literal.replace('"', "\\\"")));
    let Some(at) = at else {
        return false;
    };
    let evidence = Evidence {
        literal: literal.into(),
        at,
    };
    if !found.contains(&evidence) {
        found.push(evidence);
    }
    true
}

/// Searches for a bracket right after each place of the last literal found. Blanks, escapes and the template's quotes
/// and signs are skipped. Returns whether the bracket may be there. A closing bracket adds no evidence.
fn next_in(bracket: &str, text: &str, found: &mut Vec<Evidence>) -> bool {
    let Some(last) = found.last() else {
        return true;
    };
    let is_skipped =
        |c: char| c.is_whitespace() || matches!(c, '\\' | 'n' | '\'' | '"' | '+' | '~' | '-');
    let mut may_follow = bracket.is_empty();
    let is_closer = matches!(bracket, "]" | "}" | ")");
    for (place, literal) in text.match_indices(&*last.literal) {
        let after = &text[place + literal.len()..];
        let at = text.len() - after.trim_start_matches(is_skipped).len();
        if !bracket.is_empty() && !is_closer && text[at..].starts_with(bracket) {
            found.push(Evidence {
                literal: bracket.into(),
                at,
            });
            return true;
        }
        may_follow |= !text[at..].starts_with(['{', '<']);
    }
    may_follow
}

/// Adds the keys of an envelope to the evidence. A template may leave the keys to a filter (`tool_call | tojson`).
fn keys_in(envelope: &Envelope, text: &str, found: &mut Vec<Evidence>) {
    next_in("{", text, found);
    for (_, keys) in &envelope.roles {
        for key in keys.iter().filter(|key| !key.contains('.')) {
            if literal_in(&format!("\"{key}\""), text, found) {
                break;
            }
        }
    }
}
