//! Markers that a result must not hold: closers of its frame, openers of results, and the dialect's special tokens.
//!
//! The markers are data: the literals of the rules `result`, `failure`, `result_block`, `stop` and `not_in_results`,
//! and the special tokens in all rules.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::escape::{Scheme, Unit};
use crate::grammar::{Dialect, Piece, Term, TermKind};
use crate::thresholds::MARKER_MIN;

/// The markers of one frame, by their first character.
#[derive(Debug)]
pub(super) struct Markers<'d> {
    by_first: BTreeMap<char, Vec<Marker<'d>>>,
    /// The first bytes of markers, and the first bytes of their escapes.
    is_first: [bool; 256],
}

/// A spelling that a result must not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Marker<'d> {
    literal: &'d str,
    /// Whether the literal is a marker only at the start of a line.
    at_line_start: bool,
    /// In the opener of a result: the text after a name that follows the literal on the same line.
    then: Option<&'d str>,
}

/// A marker that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found<'d> {
    /// The literal, which distinguishes the marker from other markers.
    pub(super) literal: &'d str,
    /// The first character as the text spells it.
    pub(super) unit: Unit,
    /// The bytes of the whole marker.
    pub(super) len: usize,
}

impl<'d> Markers<'d> {
    /// The markers of a result that the rule `frame` writes.
    pub(super) fn of(dialect: &'d Dialect, frame: &'d [Term]) -> Markers<'d> {
        let mut all: Vec<Marker<'d>> = closers(frame);
        for rule in dialect.rules_named("result_block") {
            let terms = rule.alt.0.first().map_or(&[][..], Vec::as_slice);
            let at = terms
                .iter()
                .position(|term| matches!(&term.kind, TermKind::Rule(name) if name == "result"));
            let after = at.map_or(&[][..], |at| &terms[at + 1..]);
            for term in after {
                each_literal(term, &mut |literal| {
                    all.extend(tags(literal).map(Marker::tag));
                });
            }
        }
        let frames = ["result", "failure"];
        let frames = frames.iter().flat_map(|name| dialect.rules_named(name));
        let frames = frames.filter_map(|rule| rule.alt.0.first());
        all.extend(frames.filter_map(|frame| opener(frame)));
        for rule in reached(dialect, &["stop", "not_in_results"]) {
            let rules = dialect.rules_named(rule);
            for term in rules.flat_map(|rule| rule.alt.0.iter().flatten()) {
                each_literal(term, &mut |literal| all.push(Marker::tag(literal.trim())));
            }
        }
        for term in dialect
            .rules
            .iter()
            .flat_map(|rule| rule.alt.0.iter().flatten())
        {
            each_literal(term, &mut |literal| {
                all.extend(tags(literal).filter(|tag| is_token(tag)).map(Marker::tag));
            });
        }
        Markers::from(all)
    }

    fn from(mut all: Vec<Marker<'d>>) -> Markers<'d> {
        // Escapes start with these signs, so such a marker could not be distinguished from an escape.
        all.retain(|marker| !marker.literal.starts_with(['\\', '&']) && marker.is_long());
        all.sort_unstable();
        all.dedup();
        let mut by_first: BTreeMap<char, Vec<Marker<'d>>> = BTreeMap::new();
        let mut is_first = [false; 256];
        for marker in all {
            if let Some(first) = marker.literal.chars().next() {
                by_first.entry(first).or_default().push(marker);
                is_first[usize::from(marker.literal.as_bytes()[0])] = true;
            }
        }
        is_first[usize::from(b'&')] = true;
        Markers { by_first, is_first }
    }

    /// Whether a marker may start with this byte.
    pub(super) fn may_start(&self, byte: u8) -> bool {
        self.is_first[usize::from(byte)]
    }

    /// The offsets in `text` where a marker may start.
    pub(super) fn candidates<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        let bytes = text.as_bytes().iter().enumerate();
        bytes.filter_map(|(at, byte)| self.may_start(*byte).then_some(at))
    }

    /// The marker that `rest` starts with, escaped or not.
    pub(super) fn at(&self, rest: &[u8], scheme: Scheme, starts_line: bool) -> Option<Found<'d>> {
        let unit = scheme.unit(rest)?;
        let markers = self.by_first.get(&unit.first)?;
        let tail = &rest[unit.len..];
        let mut found = None;
        for marker in markers {
            if marker.at_line_start && !starts_line {
                continue;
            }
            let literal = &marker.literal.as_bytes()[unit.first.len_utf8()..];
            if !tail.starts_with(literal) {
                continue;
            }
            let Some(len) = marker.end(&tail[literal.len()..]) else {
                continue;
            };
            let len = unit.len + literal.len() + len;
            if found.is_none_or(|found: Found<'_>| found.len < len) {
                let literal = marker.literal;
                found = Some(Found { literal, unit, len });
            }
        }
        found
    }

    /// Each marker as it may occur in a text. One that counts only at the start of a line has a line break before it.
    /// One that holds a name has the name `x`.
    pub(super) fn examples(&self) -> impl Iterator<Item = String> {
        self.by_first.values().flatten().map(|marker| {
            let line = if marker.at_line_start { "\n" } else { "" };
            let then = marker.then.map(|then| format!("x{then}"));
            format!("{line}{}{}", marker.literal, then.unwrap_or_default())
        })
    }

    /// Whether `text` holds no marker, escaped or not, and no text that follows a name in the opener of a result.
    pub(super) fn none_in(&self, text: &str, scheme: Scheme) -> bool {
        let all = self.by_first.values().flatten();
        let mut ends = all.filter_map(|marker| marker.then);
        let has = |at: usize| self.at(&text.as_bytes()[at..], scheme, true).is_some();
        !ends.any(|then| text.contains(then)) && !self.candidates(text).any(has)
    }
}

impl<'d> Marker<'d> {
    fn tag(literal: &'d str) -> Marker<'d> {
        Marker {
            literal,
            at_line_start: false,
            then: None,
        }
    }

    fn is_long(&self) -> bool {
        self.literal.len() + self.then.map_or(0, str::len) >= MARKER_MIN
    }

    /// How many bytes of `rest`, which follows the literal, belong to the marker.
    fn end(&self, rest: &[u8]) -> Option<usize> {
        let Some(then) = self.then else {
            return Some(0);
        };
        let line = memchr::memchr(b'\n', rest).map_or(rest, |end| &rest[..end]);
        let name = core::str::from_utf8(line).ok()?.chars().next()?;
        if !is_name_char(name) {
            return None;
        }
        memchr::memmem::find(line, then.as_bytes()).map(|at| at + then.len())
    }
}

/// Whether a name or an id in a frame may hold the character.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || " _-./:$@#".contains(c)
}

/// The markers after the text of a frame.
fn closers(frame: &[Term]) -> Vec<Marker<'_>> {
    let mut all = Vec::new();
    let text = frame.iter().position(is_result);
    let after = text.map_or(&[][..], |at| &frame[at + 1..]);
    // A text that holds this fence gets a longer one.
    if super::result::is_fenced(frame) {
        return all;
    }
    for term in after {
        each_literal(term, &mut |literal| {
            let n_before = all.len();
            all.extend(tags(literal).map(Marker::tag));
            let trimmed = literal.trim();
            if all.len() == n_before && trimmed.len() >= MARKER_MIN {
                all.push(Marker {
                    literal: trimmed,
                    at_line_start: literal.starts_with('\n'),
                    then: None,
                });
            }
        });
    }
    all
}

/// Whether some literal of these holds a tag.
pub(super) fn holds_tag(terms: &[Term]) -> bool {
    let mut found = false;
    for term in terms {
        each_literal(term, &mut |literal| found |= tags(literal).next().is_some());
    }
    found
}

/// The opener of a frame without a closer: another result in the text would start with it.
fn opener(frame: &[Term]) -> Option<Marker<'_>> {
    let at = frame.iter().position(is_result)?;
    let is_text = matches!(frame[at].kind, TermKind::Raw(None, _));
    if !is_text || super::result::is_fenced(frame) || !closers(frame).is_empty() {
        return None;
    }
    let mut literals = Vec::new();
    let mut has_name = false;
    for term in &frame[..at] {
        match &term.kind {
            TermKind::Literal(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Bytes(text) => literals.push(text.as_str()),
                        Piece::Hole(_) => has_name = true,
                    }
                }
            }
            _ => has_name = true,
        }
    }
    let literal = literals.first()?.trim_end();
    let last = literals.last().filter(|_| literals.len() > 1);
    let then = last.map_or("", |last| last.trim_start_matches('\n'));
    let then = then.split('\n').next().unwrap_or_default();
    Some(Marker {
        literal: literal.trim_start_matches('\n'),
        at_line_start: true,
        then: Some(then).filter(|then| has_name && !then.is_empty()),
    })
}

/// Whether a term is the result's own text.
pub(super) fn is_result(term: &Term) -> bool {
    matches!(
        term.kind,
        TermKind::Raw(None, _) | TermKind::Xml(_) | TermKind::Json(_)
    )
}

/// The rules of these names, and all rules that these refer to, directly or not.
fn reached<'d>(dialect: &'d Dialect, names: &[&'static str]) -> Vec<&'d str> {
    let mut reached: Vec<&'d str> = Vec::new();
    let roots = dialect.rules.iter();
    let roots = roots.filter(|rule| names.contains(&rule.name.as_str()));
    let mut open: Vec<&'d str> = roots.map(|rule| rule.name.as_str()).collect();
    while let Some(name) = open.pop() {
        if !reached.contains(&name) {
            reached.push(name);
            for rule in dialect.rules_named(name) {
                rule.alt.each_reference(&mut |name, _| open.push(name));
            }
        }
    }
    reached
}

fn each_literal<'t>(term: &'t Term, each: &mut dyn FnMut(&'t str)) {
    match &term.kind {
        TermKind::Literal(pieces) => {
            for piece in pieces {
                if let Piece::Bytes(text) = piece {
                    each(text.as_str());
                }
            }
        }
        TermKind::Group(alt) => {
            for term in alt.0.iter().flatten() {
                each_literal(term, each);
            }
        }
        TermKind::Optional(inner, _) | TermKind::Many(inner) => each_literal(inner, each),
        _ => {}
    }
}

/// The tags and bracketed words in a literal: `<..>` and `[..]` without a blank.
fn tags(literal: &str) -> impl Iterator<Item = &str> {
    let starts = literal.match_indices(['<', '[']);
    starts.filter_map(|(at, open)| {
        let close = if open == "<" { '>' } else { ']' };
        let tag = &literal[at..=at + literal[at..].find(close)?];
        (!tag.contains([' ', '\n'])).then_some(tag)
    })
}

/// Whether a tag looks like a special token: `<|..|>`, `<｜..｜>`, `<a|b>`, `[UPPER_CASE]`.
fn is_token(tag: &str) -> bool {
    match tag.strip_prefix('[') {
        None => tag.contains(['|', '｜']),
        Some(inside) => {
            let is_upper = |c: char| c.is_ascii_uppercase() || "_/]".contains(c);
            inside.len() > 3 && inside.chars().all(is_upper)
        }
    }
}
