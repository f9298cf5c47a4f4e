//! `toolglot dialects detect`: which dialects a chat template teaches.

mod jinja;
mod rendered;

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use serde_json::Value;
use toolglot::{Dialect, Evidence};

use crate::failure::Failure;
use crate::{Outcome, source};
use jinja::{Spoken, bounds};

/// Dialects that are shown beside the best.
const OTHERS: usize = 8;
/// Literals of such a dialect that are shown.
const MISSES: usize = 3;
/// Characters of a rendered call that are shown.
const SHOWN: usize = 200;

/// A dialect of which literals stand in the template.
struct Found<'a> {
    dialect: &'a Dialect,
    evidence: Vec<Evidence>,
    /// Bytes of all its literals that stand there: also of reasoning, answers and ends of turns.
    present: usize,
    /// Those that do not.
    absent: Vec<&'a str>,
    /// Bytes of the literals by which its calls are written, blanks included, that stand there, without those that do not.
    written: isize,
    /// The template names a model of it.
    is_named: bool,
    /// What stands there has a marker.
    is_marked: bool,
    /// It reads the call that the template writes: characters of the call and its marks.
    covered: Option<usize>,
}

impl<'a> Found<'a> {
    /// `template` is what `source` writes, `calls` are calls that it rendered.
    fn in_template(
        dialect: &'a Dialect,
        template: &str,
        source: &str,
        calls: &[String],
    ) -> Option<Found<'a>> {
        let covered = rendered::covered(dialect, calls);
        let mut evidence = dialect.taught_by(template);
        // Words of any prose are no markers, but for one that a bracket follows.
        let nexts = evidence.iter().skip(1).map(Some).chain([None]);
        let counts: Vec<bool> = evidence
            .iter()
            .zip(nexts)
            .map(|(one, next)| {
                !is_word(&one.literal) || next.is_some_and(|next| next.literal == "[")
            })
            .collect();
        let mut counts = counts.into_iter();
        evidence.retain(|_| counts.next().unwrap_or_default());
        let is_marked = match &evidence[..] {
            [only] => is_marker(&only.literal) && !is_label(&only.literal),
            all => all.iter().any(|one| is_marker(&one.literal)),
        };
        let is_told = is_marked || is_bare_call(&evidence, template);
        if !is_told && covered.is_none() {
            return None;
        }
        let (present, absent): (Vec<&str>, Vec<&str>) = (dialect.literals().into_iter())
            .filter(|literal| !is_word(literal))
            .partition(|literal| template.contains(literal));
        let written = dialect.layout().into_iter().map(|literal| {
            let length = literal.len().cast_signed();
            if template.contains(literal) {
                length
            } else {
                -length
            }
        });
        Some(Found {
            dialect,
            evidence,
            present: present.iter().map(|literal| literal.len()).sum(),
            absent,
            written: written.sum(),
            is_named: names_model(dialect, source),
            is_marked,
            covered,
        })
    }

    /// Bytes of its literals in the template that the head of all its families lacks.
    fn own(&self, template: &str) -> usize {
        let Some(head) = heads(self.dialect).last() else {
            return 0;
        };
        let theirs = head.literals();
        let own = self.dialect.literals().into_iter();
        own.filter(|literal| !theirs.contains(literal) && template.contains(literal))
            .map(str::len)
            .sum()
    }

    fn weight(&self) -> usize {
        self.evidence.iter().map(|one| one.literal.len()).sum()
    }

    /// Whether it is no model's own.
    fn is_any(&self) -> bool {
        let models = self.dialect.setting("models");
        models.is_some_and(|models| models.starts_with("any"))
    }

    /// What of it stands nowhere in the template and is none of `other`'s.
    fn misses(&self, other: &Found<'_>) -> Vec<&'a str> {
        let theirs = other.dialect.literals();
        let own = self.absent.iter().copied();
        own.filter(|literal| !theirs.contains(literal)).collect()
    }
}

/// The dialect that counts where bytes cannot tell this one from it, the one that counts for that, and so on.
fn heads(dialect: &Dialect) -> impl Iterator<Item = &'static Dialect> {
    let next = |one: &Dialect| {
        let family = one.setting("family").filter(|&name| name != one.name());
        family.and_then(toolglot_dialects::get)
    };
    std::iter::successors(next(dialect), move |one| next(one))
}

/// Writes the dialects that read the call which the template renders, those first that read most of it, or else those whose
/// literals stand in the template, those first of which most does.
///
/// Of several of which as much does, that comes first that has a literal of its own there, of which a model is named, which
/// writes calls with these blanks, of which least is missing, and a model's own before one of any model; what tells them apart
/// is written, or that nothing does.
pub(crate) fn detect(file: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let source = template(&source::document(file)?);
    let too_much = |(at, what)| {
        let (line, column) = place(&source, at);
        Failure::Template {
            origin: source::name(file),
            line,
            column,
            what,
        }
    };
    bounds::check(&source).map_err(|excess| too_much((excess.at, excess.what)))?;
    let Spoken {
        text: template,
        places,
    } = Spoken::of(&source);
    let calls = rendered::in_time(&source).map_err(|what| too_much((0, what)))?;
    let mut found: Vec<Found<'_>> = toolglot_dialects::union()
        .into_iter()
        .filter_map(|dialect| Found::in_template(dialect, &template, &source, &calls))
        .collect();
    // The sort is stable: a family's head stands before its followers.
    found.sort_by_key(|one| {
        let (weight, present) = (Reverse(one.weight()), Reverse(one.present));
        let kind = usize::from(one.is_any()).max(heads(one.dialect).count());
        let own = Reverse(one.own(&template));
        let named = Reverse(one.is_named);
        let missing = one.absent.len();
        let written = Reverse(one.written);
        (weight, own, named, written, kind, present, missing)
    });
    // What reads the call that the template writes is believed before what stands in its text, unless the call is written bare,
    // and the text teaches a marker.
    let is_marked = found.first().is_some_and(|best| best.is_marked);
    let is_asked = !(is_marked && calls.iter().any(|call| rendered::is_bare(call)));
    if is_asked {
        found.sort_by_key(|one| Reverse(one.covered));
    }
    let Some((best, others)) = found.split_first() else {
        writeln!(
            out,
            "no dialect: the literals of none stand in {}",
            source::name(file)
        )
        .map_err(Failure::Output)?;
        return Ok(Outcome::faulty_if(true));
    };
    let mut text = format!("{}\n", best.dialect.name());
    for one in &best.evidence {
        let (line, column) = place(&source, places[one.at]);
        writeln!(text, "  {:?} at {line}:{column}", one.literal).expect("writing to a string");
    }
    if let Some(call) = calls.first().filter(|_| is_asked && best.covered.is_some()) {
        let call: String = call.trim().chars().take(SHOWN).collect();
        writeln!(text, "  reads the call that the template writes: {call:?}")
            .expect("writing to a string");
    }
    for other in others.iter().take(OTHERS) {
        let name = other.dialect.name();
        let misses = other.misses(best);
        if is_asked && other.covered < best.covered {
            let how = if other.covered.is_some() {
                "less of that call"
            } else {
                "no such call"
            };
            writeln!(text, "less of {name}: it reads {how}")
        } else if other.weight() < best.weight() {
            let literals = other.evidence.iter().map(|one| one.literal.as_str());
            writeln!(text, "less of {name}: {}", quoted(literals))
        } else if misses.is_empty() {
            writeln!(
                text,
                "as much of {name}: what stands here is written alike in both"
            )
        } else {
            writeln!(
                text,
                "as much of {name}: that has {} as well, which the template lacks",
                quoted(misses.into_iter().take(MISSES))
            )
        }
        .expect("writing to a string");
    }
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn quoted<'a>(literals: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = literals.map(|literal| format!("{literal:?}")).collect();
    quoted.join(" ")
}

/// The text of a template: Jinja as it stands, or what a `tokenizer_config.json` holds of it.
fn template(text: &str) -> String {
    let Ok(Value::Object(config)) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    match &config.get("chat_template") {
        Some(Value::String(template)) => template.clone(),
        // Several templates by name.
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(|one| one["template"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => text.to_owned(),
    }
}

/// A quoted key alone says nothing: it stands in every template with tools. A fence stands in every prose.
fn is_marker(literal: &str) -> bool {
    literal.len() > 2 && !literal.starts_with('"') && !literal.chars().all(|c| c == '`')
}

/// Longest text between the name of a bare call and the key of its arguments, in bytes.
const HEAD: usize = 160;

/// Whether the template writes an object that has a name and arguments and nothing else: a call without a marker.
fn is_bare_call(evidence: &[Evidence], template: &str) -> bool {
    let has = |key: &&str| evidence.iter().any(|one| one.literal == *key);
    let keys = ["\"parameters\"", "\"arguments\""];
    let key = keys.iter().find(|key| has(key));
    let opener = "{\"name\":";
    has(&"\"name\"")
        && key.is_some_and(|key| {
            template.match_indices(opener).any(|(at, _)| {
                // Behind a tag it is what that tag marks.
                let is_bare = !template[..at].trim_end().ends_with(['>', ']']);
                let rest = &template[at + opener.len()..];
                let between = rest.find(key).map(|end| &rest[..end]);
                is_bare
                    && between.is_some_and(|between| {
                        between.len() < HEAD
                            && !between.contains(['{', '}', '['])
                            && !between.contains("\"description\"")
                    })
            })
        })
}

/// Words with the signs of a sentence: `functions.`, `, and`.
fn is_word(literal: &str) -> bool {
    let is_sign = |c: char| matches!(c, '_' | '.' | ',' | '-' | ' ');
    literal.contains(char::is_alphanumeric)
        && literal.chars().all(|c| c.is_alphanumeric() || is_sign(c))
}

/// What any form has before a field: `Answer: `. Two of them are a marker.
fn is_label(literal: &str) -> bool {
    literal.trim_end().strip_suffix(':').is_some_and(is_word)
}

/// Shortest word of a model's name that tells it without its number.
const TELLING: usize = 5;

/// Whether the template names a model of the dialect's: `Laguna`, `Granite 3.3` without its number, `GLM-4.7` with it.
fn names_model(dialect: &Dialect, template: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| !matches!(c, ' ' | '-'));
        letters.flat_map(char::to_lowercase).collect()
    };
    let template = plain(template);
    let models = dialect.setting("models").unwrap_or_default();
    models.split(',').map(plain).any(|model| {
        let word = model.split(|c: char| c.is_ascii_digit()).next();
        let word = word.filter(|word| word.len() >= TELLING).unwrap_or(&model);
        word.len() >= TELLING && template.contains(word)
    })
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    (line, column)
}
