//! `toolglot dialects detect`: which dialects a chat template teaches.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use serde_json::Value;
use toolglot::{Dialect, Evidence};

use crate::failure::Failure;
use crate::{Outcome, source};

/// Dialects that are shown beside the best.
const OTHERS: usize = 8;
/// Literals of such a dialect that are shown.
const MISSES: usize = 3;

/// A dialect of which literals stand in the template.
struct Found<'a> {
    dialect: &'a Dialect,
    evidence: Vec<Evidence>,
    /// Bytes of all its literals that stand there: also of reasoning, answers and ends of turns.
    present: usize,
    /// Those that do not.
    absent: Vec<&'a str>,
}

impl<'a> Found<'a> {
    fn in_template(dialect: &'a Dialect, template: &str) -> Option<Found<'a>> {
        let evidence = dialect.taught_by(template);
        if !evidence.iter().any(|one| is_marker(&one.literal)) {
            return None;
        }
        let (present, absent): (Vec<&str>, Vec<&str>) =
            (dialect.literals().into_iter()).partition(|literal| template.contains(literal));
        Some(Found {
            dialect,
            evidence,
            present: present.iter().map(|literal| literal.len()).sum(),
            absent,
        })
    }

    fn weight(&self) -> usize {
        self.evidence.iter().map(|one| one.literal.len()).sum()
    }

    /// Whether it is no model's own.
    fn is_any(&self) -> bool {
        let models = self.dialect.setting("models");
        models.is_some_and(|models| models.starts_with("any"))
    }

    /// Whether it is told from another only by its name.
    fn follows(&self) -> bool {
        let family = self.dialect.setting("family");
        family.is_some_and(|family| family != self.dialect.name())
    }

    /// What of it stands nowhere in the template and is none of `other`'s.
    fn misses(&self, other: &Found<'_>) -> Vec<&'a str> {
        let theirs = other.dialect.literals();
        let own = self.absent.iter().copied();
        own.filter(|literal| !theirs.contains(literal)).collect()
    }
}

/// Writes the dialects whose literals stand in the template, those first of which most does. Of several of which as much
/// does, that comes first of which least is missing, and a model's own before one of any model; what tells them apart is
/// written, or that nothing does.
pub(crate) fn detect(file: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let source = template(&source::document(file)?);
    let (template, places) = spoken(&source);
    let mut found: Vec<Found<'_>> = toolglot_dialects::union()
        .into_iter()
        .filter_map(|dialect| Found::in_template(dialect, &template))
        .collect();
    // The sort is stable: a family's head stands before its followers.
    found.sort_by_key(|one| {
        let (weight, present) = (Reverse(one.weight()), Reverse(one.present));
        let is_kind = one.is_any() || one.follows();
        (weight, is_kind, present, one.absent.len())
    });
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
    for other in others.iter().take(OTHERS) {
        let name = other.dialect.name();
        let misses = other.misses(best);
        if other.weight() < best.weight() {
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

/// The template with its strings joined (`"<a " }}{{- "b>"`, `'<a ' + 'b>'`), and where each byte of that stands.
fn spoken(template: &str) -> (String, Vec<usize>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = template[at..].chars().next() {
        if matches!(c, '"' | '\'')
            && let Some(length) = seam(&template[at..])
        {
            at += length;
            continue;
        }
        text.push(c);
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
        at += c.len_utf8();
    }
    places.push(at);
    (text, places)
}

/// How long the seam of two strings is that begins with the mark that ends the first.
fn seam(text: &str) -> Option<usize> {
    let rest = text[1..].trim_start();
    let rest = if let Some(rest) = rest.strip_prefix(['+', '~']) {
        rest
    } else {
        let rest = rest
            .trim_start_matches('-')
            .strip_prefix("}}")?
            .trim_start();
        rest.strip_prefix("{{")?.trim_start_matches('-')
    };
    let rest = rest.trim_start().strip_prefix(['"', '\''])?;
    Some(text.len() - rest.len())
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

/// A quoted key alone says nothing: it stands in every template with tools.
fn is_marker(literal: &str) -> bool {
    literal.len() > 2 && !literal.starts_with('"')
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
