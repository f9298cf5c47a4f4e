//! How many terms the rules of a dialect have, and how deep they nest, with other rules in place of their names.
//!
//! All later passes walk rules that way. Each takes at most [`TERMS`] steps and [`DEPTH`] levels for a dialect that
//! passed, however its rules refer to each other.

use alloc::collections::BTreeMap;
use alloc::format;
use core::ops::Range;

use super::bounds::{DEPTH, TERMS};
use super::{Alt, Dialect, GrammarError, Rule, Term, TermKind};

/// The size of the rules that replace a name.
#[derive(Clone, Copy, Default)]
struct Extent {
    terms: usize,
    depth: usize,
}

struct Measure<'a> {
    dialect: &'a Dialect,
    /// The extent of each name; `None` while its rules are measured.
    known: BTreeMap<&'a str, Option<Extent>>,
}

/// Refuses rules that refer to themselves, or are too long or too deep.
pub(crate) fn bounded(
    dialect: &Dialect,
    is_entry: &dyn Fn(&&Rule) -> bool,
) -> Result<(), GrammarError> {
    let mut measure = Measure {
        dialect,
        known: BTreeMap::new(),
    };
    let mut terms = 0;
    for rule in &*dialect.rules {
        let extent = measure.alt(&rule.alt, 1)?;
        // A rule that another one refers to is counted there; a rule that is only written does not count.
        if is_entry(&rule) && !rule.is_only_written() {
            terms += extent.terms;
        }
        if terms > TERMS {
            return Err(too_long(&rule.span));
        }
    }
    Ok(())
}

impl<'a> Measure<'a> {
    fn alt(&mut self, alt: &'a Alt, depth: usize) -> Result<Extent, GrammarError> {
        let mut all = Extent {
            terms: alt.0.len(),
            depth: 0,
        };
        for term in alt.0.iter().flatten() {
            let extent = self.term(term, depth)?;
            all.terms += extent.terms;
            all.depth = all.depth.max(extent.depth);
            if all.terms > TERMS {
                return Err(too_long(&term.span));
            }
            if depth + all.depth > DEPTH {
                return Err(too_deep(&term.span));
            }
        }
        Ok(all)
    }

    fn term(&mut self, term: &'a Term, depth: usize) -> Result<Extent, GrammarError> {
        if depth > DEPTH {
            return Err(too_deep(&term.span));
        }
        let inside = match &term.kind {
            TermKind::Group(alt) => self.alt(alt, depth + 1)?,
            TermKind::Optional(inner, _) | TermKind::Many(inner) => self.term(inner, depth + 1)?,
            TermKind::Rule(name) => self.named(name, depth + 1)?,
            leaf => {
                return Ok(Extent {
                    terms: leaf.size(),
                    depth: 0,
                });
            }
        };
        Ok(Extent {
            terms: inside.terms + term.kind.size(),
            depth: inside.depth + 1,
        })
    }

    /// The rules called `name`, as one.
    fn named(&mut self, name: &'a str, depth: usize) -> Result<Extent, GrammarError> {
        let rules = self.dialect.rules_named(name);
        match self.known.get(name) {
            Some(Some(extent)) => return Ok(*extent),
            Some(None) => {
                let place = rules.map(|rule| rule.span.clone()).next();
                return Err(GrammarError::new(
                    place.unwrap_or_default(),
                    format!("rule `{name}` refers to itself"),
                )
                .help("write a loop: ( .. )*"));
            }
            None => {}
        }
        self.known.insert(name, None);
        let mut all = Extent::default();
        for rule in rules {
            let extent = self.alt(&rule.alt, depth)?;
            all.terms += extent.terms;
            all.depth = all.depth.max(extent.depth);
        }
        self.known.insert(name, Some(all));
        Ok(all)
    }
}

fn too_long(place: &Range<usize>) -> GrammarError {
    GrammarError::new(
        place.clone(),
        format!(
            "with its rules in the place of their names the dialect has more than {TERMS} terms"
        ),
    )
    .help("a rule used in several places is copied for each: use one loop, `( .. )*`")
}

fn too_deep(place: &Range<usize>) -> GrammarError {
    GrammarError::new(
        place.clone(),
        format!("more than {DEPTH} groups, loops and rules inside each other"),
    )
    .help("refer to a rule directly, not through others")
}
