//! Checks the arguments of a call: each value has a name, each name a value, and at most one body has all arguments.

use alloc::format;
use alloc::string::String;

use super::super::{Alt, Capture, Delimiter, Dialect, GrammarError, Term, TermKind, lists};

/// The arguments that were read before a term.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
struct Seen {
    /// The tool's name was certainly read.
    has_name: bool,
    /// A `key` was certainly read.
    has_key: bool,
    /// A `length` was certainly read, and its bytes were not.
    has_length: bool,
    /// The value of an argument was perhaps read.
    has_value: bool,
    /// A value that is emitted as it arrives was perhaps read.
    has_text: bool,
    /// A body with all arguments was perhaps read.
    has_all: bool,
    /// A `key` is perhaps still without a value.
    is_open: bool,
    /// A `key` perhaps ended without a value.
    has_flag: bool,
}

impl Seen {
    /// The arguments that were read on one of two paths.
    fn or(self, other: Seen) -> Seen {
        Seen {
            has_name: self.has_name && other.has_name,
            has_key: self.has_key && other.has_key,
            has_length: self.has_length && other.has_length,
            has_value: self.has_value || other.has_value,
            has_all: self.has_all || other.has_all,
            has_text: self.has_text || other.has_text,
            is_open: self.is_open || other.is_open,
            has_flag: self.has_flag || other.has_flag,
        }
    }
}

/// Refuses two bodies in a call, and values without a name.
pub(super) fn of_call(dialect: &Dialect, seq: &[Term]) -> Result<(), GrammarError> {
    sequence(dialect, seq, Seen::default()).map(drop)
}

/// Whether the value of a `key` may be missing in a call of the dialect.
pub(crate) fn has_flags(dialect: &Dialect) -> bool {
    let calls = dialect.rules.iter().filter(|rule| rule.name == "call");
    let mut seqs = calls.flat_map(|rule| &rule.alt.0);
    seqs.any(|seq| {
        // A list without items is a key without a value.
        lists::holds_list(dialect, seq)
            || sequence(dialect, seq, Seen::default())
                .is_ok_and(|seen| seen.has_flag || seen.is_open)
    })
}

fn sequence(dialect: &Dialect, seq: &[Term], mut seen: Seen) -> Result<Seen, GrammarError> {
    let list = lists::list_in(dialect, seq);
    for (n, term) in seq.iter().enumerate() {
        match &list {
            Some(list) if list.place.start == n => {
                for term in list.terms {
                    seen = after(dialect, term, seen)?;
                }
            }
            Some(list) if list.place.contains(&n) => {}
            _ if lists::is_loop_of_values(dialect, term) && !dialect.values.repeated => {
                return Err(GrammarError::new(
                    term.span.clone(),
                    "several values of one key that make no list: only the last counts",
                )
                .help("write a text before the first and after the last, \"[\" value (\",\" value)* \"]\". Or start each item with a text and end it with its line, (\"- \" line \"\\n\")*. Or set `values: schema, repeated`"));
            }
            _ => seen = after(dialect, term, seen)?,
        }
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
        TermKind::Capture(Capture::Name, _) if seen.has_text && !seen.has_name => {
            Err(GrammarError::new(
                term.span.clone(),
                "the name is after a value: values are emitted as they come, to a tool that is known",
            )
            .help("read the name first; only `json`, `xml` and attributes may be before it"))
        }
        TermKind::Capture(Capture::Name, _) => Ok(Seen {
            has_name: true,
            ..seen
        }),
        TermKind::Capture(Capture::Key, _) => Ok(key(seen)),
        TermKind::Capture(Capture::Length, _) => Ok(Seen {
            has_length: true,
            ..seen
        }),
        TermKind::Raw(_, Delimiter::Length) if !seen.has_length => Err(GrammarError::new(
            term.span.clone(),
            "`bytes` without a length: nothing says how many there are",
        )
        .help("read it before the value: (key \" \" length \"\\n\" bytes \"\\n\")*")),
        TermKind::Raw(None, _) | TermKind::Value(None, _) if !seen.has_key => Err(
            GrammarError::new(term.span.clone(), "the value has no name")
                .help("name the parameter, raw(path), or read its name before it with `key`"),
        ),
        TermKind::Raw(argument, _) | TermKind::Value(argument, _) => value(Seen {
            is_open: seen.is_open && argument.is_some(),
            has_length: false,
            has_text: true,
            ..seen
        }),
        TermKind::Argument(..) => value(seen),
        TermKind::False if !seen.is_open => Err(GrammarError::new(
            term.span.clone(),
            "`false` without a key: nothing says what is false",
        )
        .help("read the name of the parameter before it: \"--no-\" key false")),
        TermKind::False => Ok(Seen {
            is_open: false,
            has_flag: true,
            ..value(seen)?
        }),
        TermKind::Attrs(attributes) => {
            let mut seen = seen;
            for attribute in attributes {
                match attribute.capture {
                    Some(Capture::Key) => seen = key(seen),
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
        TermKind::Optional(inner, _) => {
            lost_flag(inner)?;
            Ok(seen.or(after(dialect, inner, seen)?))
        }
        TermKind::Many(inner) => {
            repeated_argument(inner)?;
            let once = after(dialect, inner, seen)?;
            if once.has_all && !seen.has_all {
                return Err(two_bodies(inner));
            }
            // The next round may start with another key.
            let has_flag = once.has_flag || once.is_open;
            Ok(seen.or(Seen { has_flag, ..once }))
        }
        TermKind::Group(alt) => one_of(dialect, [alt].into_iter(), seen),
        TermKind::Rule(name) => {
            let rules = dialect.rules_named(name);
            one_of(dialect, rules.map(|rule| &rule.alt), seen)
        }
        _ => Ok(seen),
    }
}

/// Refuses an optional part that is a text and perhaps the value of a named argument, `(" EXACT" value(exact)?)?`: the
/// text alone is no argument.
fn lost_flag(part: &Term) -> Result<(), GrammarError> {
    let TermKind::Group(Alt(ways)) = &part.kind else {
        return Ok(());
    };
    let named = |term: &Term| match &term.kind {
        TermKind::Optional(inner, _) => inner.kind.named_argument().map(String::from),
        _ => None,
    };
    for way in ways {
        let [before @ .., last] = way.as_slice() else {
            continue;
        };
        let word = before.iter().rev().find_map(lists::literal);
        let word = word.filter(|word| word.contains(char::is_alphabetic));
        let is_read = before
            .iter()
            .any(|term| term.kind.named_argument().is_some());
        if let (Some(word), Some(name), false) = (word, named(last), is_read) {
            let word = word.trim();
            return Err(GrammarError::new(
                last.span.clone(),
                format!("`{word}` without a value says nothing: `{name}` would be lost"),
            )
            .help(format!("list the text that is the value, any({name}, \"{word}\"), and say what it means: `values: schema, words(\"{word}\" = true)`")));
        }
    }
    Ok(())
}

/// Refuses a loop that reads one named argument and nothing else: only its last value would count.
fn repeated_argument(part: &Term) -> Result<(), GrammarError> {
    let terms = match &part.kind {
        TermKind::Group(Alt(ways)) => match ways.as_slice() {
            [way] => way.as_slice(),
            _ => return Ok(()),
        },
        _ => core::slice::from_ref(part),
    };
    let is_text = |term: &Term| {
        matches!(
            term.kind,
            TermKind::Literal(_) | TermKind::Ws(_) | TermKind::Nl | TermKind::LineStart
        )
    };
    let mut others = terms.iter().filter(|term| !is_text(term));
    match (others.next().map(|term| term.kind.named_argument()), others.next()) {
        (Some(Some(name)), None) => Err(GrammarError::new(
            part.span.clone(),
            format!("several values of `{name}`: only the last counts"),
        )
        .help(format!("for a list, write {name} once and say what separates its items, `values: schema, lists(\",\")`; or read the parameter's name with `key`"))),
        _ => Ok(()),
    }
}

/// A new `key` starts. If the key before it is open, that key has no value.
fn key(seen: Seen) -> Seen {
    Seen {
        has_key: true,
        is_open: true,
        has_flag: seen.has_flag || seen.is_open,
        ..seen
    }
}

fn one_of<'d>(
    dialect: &Dialect,
    alts: impl Iterator<Item = &'d Alt>,
    seen: Seen,
) -> Result<Seen, GrammarError> {
    let mut all: Option<Seen> = None;
    for seq in alts.flat_map(|alt| &alt.0) {
        let this = sequence(dialect, seq, seen)?;
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
