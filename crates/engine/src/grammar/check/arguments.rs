//! Which arguments a call has: each value has a name, each name a value, and what is all of them is there once.

use core::ops::Range;

use super::super::{Alt, Capture, Dialect, GrammarError, Term, TermKind};

/// What was read of the arguments on the way to a term.
#[derive(Clone, Default)]
struct Seen {
    /// A `key` for certain.
    has_key: bool,
    /// The value of one perhaps.
    has_value: bool,
    /// All of them perhaps.
    has_all: bool,
    /// The last `key`, where perhaps no value has come after it.
    without_value: Option<Range<usize>>,
}

impl Seen {
    /// What was read on one of two ways.
    fn or(self, other: Seen) -> Seen {
        Seen {
            has_key: self.has_key && other.has_key,
            has_value: self.has_value || other.has_value,
            has_all: self.has_all || other.has_all,
            without_value: self.without_value.or(other.without_value),
        }
    }
}

/// Refuses two bodies in a call, values without a name, and names without a value.
pub(super) fn of_call(dialect: &Dialect, seq: &[Term]) -> Result<(), GrammarError> {
    let Some(key) = sequence(dialect, seq, Seen::default())?.without_value else {
        return Ok(());
    };
    Err(GrammarError::new(
        key,
        "the value of this `key` may be missing, and the parameter would be lost",
    )
    .help("write the value after it without `?`, in each alternative"))
}

fn sequence(dialect: &Dialect, seq: &[Term], mut seen: Seen) -> Result<Seen, GrammarError> {
    for term in seq {
        seen = after(dialect, term, seen)?;
    }
    Ok(seen)
}

fn after(dialect: &Dialect, term: &Term, seen: Seen) -> Result<Seen, GrammarError> {
    let value = |seen: Seen| {
        if seen.has_all {
            return Err(two_bodies(term));
        }
        Ok(Seen {
            has_value: true,
            ..seen
        })
    };
    match &term.kind {
        TermKind::Capture(Capture::Key, _) => Ok(Seen {
            has_key: true,
            without_value: Some(term.span.clone()),
            ..seen
        }),
        TermKind::Raw(None) | TermKind::Value(None, _) if !seen.has_key => Err(GrammarError::new(
            term.span.clone(),
            "the value has no name",
        )
        .help("name the parameter, raw(path), or read its name before it with `key`")),
        TermKind::Raw(None) | TermKind::Value(None, _) => value(Seen {
            without_value: None,
            ..seen
        }),
        TermKind::Raw(_) | TermKind::Value(..) => value(seen),
        TermKind::Attrs(attributes) => {
            let mut seen = seen;
            for attribute in attributes {
                match attribute.capture {
                    Some(Capture::Key) => {
                        seen.has_key = true;
                        seen.without_value = Some(term.span.clone());
                    }
                    Some(_) => {}
                    None => seen = value(seen)?,
                }
            }
            Ok(seen)
        }
        TermKind::Json(_) | TermKind::Object(_) | TermKind::Xml(_) | TermKind::Python(_) => {
            if seen.has_all || seen.has_value {
                return Err(two_bodies(term));
            }
            Ok(Seen {
                has_all: true,
                ..seen
            })
        }
        TermKind::Optional(inner, _) => Ok(seen.clone().or(after(dialect, inner, seen)?)),
        TermKind::Many(inner) => {
            let once = after(dialect, inner, seen.clone())?;
            if once.has_all && !seen.has_all {
                return Err(two_bodies(inner));
            }
            Ok(seen.or(once))
        }
        TermKind::Group(alt) => one_of(dialect, [alt].into_iter(), seen),
        TermKind::Rule(name) => {
            let rules = dialect.rules_named(name);
            one_of(dialect, rules.map(|rule| &rule.alt), seen)
        }
        _ => Ok(seen),
    }
}

fn one_of<'d>(
    dialect: &Dialect,
    alts: impl Iterator<Item = &'d Alt>,
    seen: Seen,
) -> Result<Seen, GrammarError> {
    let mut all: Option<Seen> = None;
    for seq in alts.flat_map(|alt| &alt.0) {
        let this = sequence(dialect, seq, seen.clone())?;
        all = Some(match all {
            Some(all) => Seen::or(all, this),
            None => this,
        });
    }
    Ok(all.unwrap_or(seen))
}

fn two_bodies(term: &Term) -> GrammarError {
    GrammarError::new(
        term.span.clone(),
        "one call has its arguments in two places, which make no object",
    )
    .help("`json`, `object(..)`, `xml` and `python` are all arguments of a call: use one of them, or only `key` and `raw`")
}
