//! `toolglot dialects`: embedded dialects, and dialect files of the user.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use toolglot_dialect_check::{DialectReport, Misread, Sample, dialect_report};
use toolglot_dialects::Replacement;
use toolglot_engine::Dialect;

use crate::cli::args::DialectsCommand;
use crate::cli::failure::Failure;
use crate::cli::human::Color;
use crate::cli::human::is_colored;
use crate::cli::human::screen::{ColorScreen, harmless};
use crate::cli::outcome::Outcome;
use crate::cli::{dialect_cases, dialect_file, import, select, source};

/// Runs one of the subcommands.
pub(crate) fn dialects(command: &DialectsCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        DialectsCommand::List => list(out),
        DialectsCommand::Show { name } => {
            let dialect = toolglot_chat::dialect_named(name)?;
            out.write_all(dialect.source().trim_end().as_bytes())
                .and_then(|()| writeln!(out))
                .map(|()| Outcome::Fine)
                .map_err(Failure::Output)
        }
        DialectsCommand::Check { file, fix, color } => {
            if *fix {
                fix_file(file, out)?;
            }
            check(file, *color, out)
        }
        DialectsCommand::Test { folder, bless } => dialect_cases::run(folder, *bless, out),
        DialectsCommand::Import { file, name } => import_file(file, name, out),
        DialectsCommand::Detect { template, dialect } => match dialect {
            Some(dialect) => import::match_template(template, &select::one(dialect)?, out),
            None => import::detect(template, out),
        },
        DialectsCommand::New { name, template } => new(name, template.as_deref(), out),
    }
}

fn list(out: &mut dyn Write) -> Result<Outcome, Failure> {
    let dialects = toolglot_dialects::all();
    let width = dialects
        .iter()
        .map(|dialect| dialect.name().len())
        .max()
        .unwrap_or(0);
    for dialect in dialects {
        let name = dialect.name();
        let aliases = toolglot_dialects::ALIASES
            .iter()
            .filter(|(_, canonical)| *canonical == name);
        let aliases: Vec<&str> = aliases.map(|(alias, _)| *alias).collect();
        let models = dialect.setting("models").map(str::to_owned);
        let also = (!aliases.is_empty()).then(|| format!("also {}", aliases.join(", ")));
        let about = models
            .into_iter()
            .chain(also)
            .collect::<Vec<_>>()
            .join("; ");
        writeln!(out, "{}", format!("{name:width$}  {about}").trim_end())
            .map_err(Failure::Output)?;
    }
    Ok(Outcome::Fine)
}

/// Reports the faults of a dialect file, or samples of what its dialects write. A fault is a result, not a failure.
fn check(file: &Path, color: Color, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut screen = ColorScreen(out);
    let dialects = match dialect_file::read(file)? {
        Ok(dialects) => dialects,
        Err(fault) => {
            let report = fault.report(is_colored(color, &io::stdout()));
            writeln!(screen, "{report}").map_err(Failure::Output)?;
            return Ok(Outcome::Faulty);
        }
    };
    let names: Vec<&str> = dialects.iter().map(Dialect::name).collect();
    let mut shown = format!("{}: {}\n", source::name(file), names.join(", "));
    let (mut is_faulty, mut is_dead) = (false, true);
    for dialect in &dialects {
        let report = dialect_report(dialect).map_err(|error| Failure::Program(Box::new(error)))?;
        shown.push_str(&sample_text(dialect, &report));
        is_faulty |= report.is_faulty();
        is_dead &= report.is_dead();
    }
    write!(screen, "{}", harmless(&shown)).map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(is_faulty || is_dead))
}

/// Replaces other spellings in the file by the words of the notation, and reports the replacements.
fn fix_file(file: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Err(Failure::Inputs(
            "`--fix` writes the file, and standard input cannot be written: name a file".to_owned(),
        ));
    }
    let path = dialect_file::of(file);
    let fixed = toolglot_dialects::fix(&dialect_file::notation(&path)?);
    if fixed.replacements.is_empty() {
        return Ok(());
    }
    fs::write(&path, &fixed.text)
        .map_err(|error| Failure::OutputFile(path.to_path_buf(), error))?;
    let name = source::name(&path);
    let lines = fixed.replacements.iter().map(|one| {
        let Replacement { line, found, word } = one;
        format!("{name}:{line} {found} -> {word}\n")
    });
    let shown: String = lines.collect();
    write!(ColorScreen(out), "{}", harmless(&shown)).map_err(Failure::Output)
}

/// The samples of a dialect: first the samples that parse back, then the refused and the misread samples.
fn sample_text(dialect: &Dialect, report: &DialectReport) -> String {
    let mut text = String::new();
    let mut add = |head: &str, body: &str| {
        text.push_str(&["\n", head, "\n"].concat());
        for line in body.lines() {
            text.push_str(format!("  | {line}").trim_end());
            text.push('\n');
        }
    };
    let name = dialect.name();
    if report.samples.is_empty() {
        add(&format!("error: `{name}` has no rule `call`"), "");
    } else if report.is_dead() {
        add(
            &format!("error: `{name}` parses no call that it writes"),
            "",
        );
    } else if !report.carries_arguments() {
        let head = format!("error: `{name}` writes no call with an argument");
        add(&head, "");
    }
    let body = |sample: &Sample| sample.text.clone().unwrap_or_default();
    for sample in report
        .samples
        .iter()
        .filter(|sample| sample.refusal.is_none())
    {
        add(sample.title, &body(sample));
    }
    if !report.result.is_empty() {
        add("a result", &report.result);
    }
    for sample in &report.samples {
        if let Some(refusal) = &sample.refusal {
            let head = format!("not carried: {}: {refusal}", sample.title);
            add(&head, &body(sample));
        }
    }
    let refused = { report.samples.iter() }.filter(|sample| sample.refusal.is_some());
    let (n_refused, n_all) = (refused.count(), report.samples.len());
    if n_refused > 0 {
        add(
            &format!("note: {n_refused} of {n_all} samples are not carried"),
            "",
        );
    }
    for Misread { text, calls, .. } in &report.misread {
        let [written, read] = calls;
        let read = if read.is_empty() { "no call" } else { read };
        let head = format!(
            "error: the grammar has this text for `{written}`, and it is parsed as: {read}"
        );
        add(&head, text);
    }
    if report.needs_tools {
        let note = "note: a call is text unless its tool is known: give the tools with `--tools`";
        add(note, "");
    }
    text
}

/// Writes the dialect that a response template declares.
fn import_file(file: &Path, name: &str, out: &mut dyn Write) -> Result<Outcome, Failure> {
    check_name(name)?;
    let text = import::imported(&source::document(file)?, file, name)?;
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn new(name: &str, template: Option<&Path>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    check_name(name)?;
    let file = match template {
        Some(template) => import::draft(template, name)?,
        None => include_str!("../../new_dialect").replace("NAME", name),
    };
    out.write_all(file.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn check_name(name: &str) -> Result<(), Failure> {
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_name && !name.is_empty() {
        Ok(())
    } else {
        Err(Failure::NoDialectName(name.to_owned()))
    }
}
