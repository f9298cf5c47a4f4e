//! `toolglot dialects detect`: which dialects a chat template teaches.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use serde_json::Value;
use toolglot::{Dialect, Evidence};

use crate::failure::Failure;
use crate::{Outcome, source};

/// Dialects that are shown beside the best.
const OTHERS: usize = 8;

/// Writes the dialects whose literals stand in the template, those first of which most does.
pub(crate) fn detect(file: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let template = template(&source::document(file)?);
    let mut found: Vec<(&Dialect, Vec<Evidence>)> = toolglot_dialects::union()
        .into_iter()
        .map(|dialect| (dialect, dialect.taught_by(&template)))
        .filter(|(_, evidence)| evidence.iter().any(|one| is_marker(&one.literal)))
        .collect();
    // The sort is stable: a family's head stands before its followers.
    found.sort_by_key(|(_, evidence)| std::cmp::Reverse(weight(evidence)));
    let Some(((best, evidence), others)) = found.split_first() else {
        writeln!(
            out,
            "no dialect: the literals of none stand in {}",
            source::name(file)
        )
        .map_err(Failure::Output)?;
        return Ok(Outcome::faulty_if(true));
    };
    let mut text = format!("{}\n", best.name());
    for one in evidence {
        let (line, column) = place(&template, one.at);
        writeln!(text, "  {:?} at {line}:{column}", one.literal).expect("writing to a string");
    }
    for (other, evidence) in others.iter().take(OTHERS) {
        let literals: Vec<String> = evidence
            .iter()
            .map(|one| format!("{:?}", one.literal))
            .collect();
        let literals = literals.join(" ");
        writeln!(text, "less of {}: {literals}", other.name()).expect("writing to a string");
    }
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
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

fn weight(evidence: &[Evidence]) -> usize {
    evidence.iter().map(|one| one.literal.len()).sum()
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
