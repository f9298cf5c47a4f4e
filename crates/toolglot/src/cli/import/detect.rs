//! `toolglot dialects detect`: which dialects a chat template teaches.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use toolglot_engine::Dialect;
use toolglot_import::{Candidate, Rank};

use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::source;

use super::response_template::refused;

/// How many other dialects are shown.
const OTHERS: usize = 8;
/// How many literals of another dialect are shown.
const MISSES: usize = 3;
/// How many characters of a rendered call are shown.
const SHOWN: usize = 200;

/// Writes the dialects that the template teaches, the best first: where its literals are, and how the others differ.
pub(crate) fn detect(file: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let document = source::document(file)?;
    let detection = toolglot_import::detect(&document).map_err(|error| refused(error, file))?;
    let Some((best, others)) = detection.candidates.split_first() else {
        writeln!(
            out,
            "no dialect: {} has the literals of no dialect",
            source::name(file)
        )
        .map_err(Failure::Output)?;
        return Ok(Outcome::faulty_if(true));
    };
    let mut text = format!("{}\n", best.dialect.name());
    for literal in &best.literals {
        let (line, column) = (literal.line, literal.column);
        let _ = writeln!(text, "  {:?} at {line}:{column}", literal.text);
    }
    if let Some(call) = &detection.call {
        let call: String = call.trim().chars().take(SHOWN).collect();
        let _ = writeln!(text, "  reads the call that the template writes: {call:?}");
    }
    if let Some(call) = &detection.unread_call {
        let call: String = call.trim().chars().take(SHOWN).collect();
        let _ = writeln!(
            text,
            "  does not parse the call that the template writes: {call:?}\n  `toolglot dialects new NAME --template FILE` drafts a dialect for it"
        );
    }
    for other in others.iter().take(OTHERS) {
        text.push_str(&line(other));
    }
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// Reports whether a dialect parses the call that the template writes.
pub(crate) fn match_template(
    file: &Path,
    dialect: &Dialect,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let document = source::document(file)?;
    let found = toolglot_import::match_template(&document, dialect);
    let found = found.map_err(|error| refused(error, file))?;
    let name = dialect.name();
    let Some(call) = &found.call else {
        let file = source::name(file);
        writeln!(
            out,
            "{file} writes no call: it cannot be rendered, or has no `tool_calls`"
        )
        .map_err(Failure::Output)?;
        return Ok(Outcome::Faulty);
    };
    let verb = if found.is_match {
        "parses"
    } else {
        "does not parse"
    };
    let mut text = format!("{name} {verb} the call that the template writes:\n");
    for line in call.trim().chars().take(SHOWN).collect::<String>().lines() {
        let _ = writeln!(text, "  | {line}");
    }
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(!found.is_match))
}

/// The dialect file whose rule reads the call that the template writes.
pub(crate) fn draft(file: &Path, name: &str) -> Result<String, Failure> {
    let document = source::document(file)?;
    toolglot_import::draft(&document, name).map_err(|error| refused(error, file))
}

/// What distinguishes a dialect from the best one.
fn line(other: &Candidate) -> String {
    let name = other.dialect.name();
    match &other.rank {
        Rank::ReadsLess => format!("less of {name}: it reads less of that call\n"),
        Rank::ReadsNoCall => format!("less of {name}: it reads no such call\n"),
        Rank::FewerLiterals => {
            let literals = other.literals.iter().map(|literal| &*literal.text);
            format!("less of {name}: {}\n", quoted(literals))
        }
        Rank::Lacks(literals) => {
            let literals = quoted(literals.iter().copied().take(MISSES));
            format!("as much of {name}: that has {literals} as well, which the template lacks\n")
        }
        _ => format!("as much of {name}: both write this alike\n"),
    }
}

fn quoted<'a>(literals: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = literals.map(|literal| format!("{literal:?}")).collect();
    quoted.join(" ")
}
