//! `toolglot dialects`: the dialects that are built in, and files of one's own.

use std::io::{self, Write};
use std::path::Path;

use toolglot_engine::Dialect;

use crate::cli::args::DialectsCommand;
use crate::cli::failure::Failure;
use crate::cli::human::Color;
use crate::cli::human::is_colored;
use crate::cli::human::screen::{ColorScreen, harmless};
use crate::cli::outcome::Outcome;
use crate::cli::{dialect_file, import, source};

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
        DialectsCommand::Check { file, color } => check(file, *color, out),
        DialectsCommand::Import { file, name } => import_file(file, name, out),
        DialectsCommand::Detect { template } => import::detect(template, out),
        DialectsCommand::New { name } => new(name, out),
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

/// What is wrong with the file is the answer, not a failure of ours.
fn check(file: &Path, color: Color, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let checked = dialect_file::read(file)?;
    let report = match &checked {
        Ok(dialects) => {
            let names: Vec<&str> = dialects.iter().map(Dialect::name).collect();
            format!("{}: {}", harmless(&source::name(file)), names.join(", "))
        }
        Err(fault) => fault.report(is_colored(color, &io::stdout())),
    };
    writeln!(ColorScreen(out), "{report}").map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(checked.is_err()))
}

/// Writes the dialect, if it is one.
fn import_file(file: &Path, name: &str, out: &mut dyn Write) -> Result<Outcome, Failure> {
    check_name(name)?;
    let text = import::imported(&source::document(file)?, file, name)?;
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn new(name: &str, out: &mut dyn Write) -> Result<Outcome, Failure> {
    check_name(name)?;
    let skeleton = include_str!("../../new_dialect").replace("NAME", name);
    out.write_all(skeleton.as_bytes())
        .map_err(Failure::Output)?;
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
