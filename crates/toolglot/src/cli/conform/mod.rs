//! `toolglot conform`: checks whether another parser keeps its promises.

mod child;

use std::io::Write;

use toolglot_conform::{Options, cases, run};
use toolglot_engine::Dialect;

use crate::cli::args::{ConformArguments, ConformFormat};
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::select;
use child::ChildProgram;

/// Checks the program with all cases and writes the report.
pub(crate) fn conform(
    arguments: &ConformArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let named = match &arguments.dialect {
        Some(list) => Some(select::dialects(list, None)?),
        None => None,
    };
    let dialects: &[Dialect] = match &named {
        Some(named) => named,
        None => toolglot_dialects::all(),
    };
    let cases: Vec<_> = dialects
        .iter()
        .map(|dialect| (dialect, cases(dialect)))
        .collect();
    let Some(program) = &arguments.program else {
        for case in cases.iter().flat_map(|(_, cases)| cases) {
            write_line(out, &case.document()).map_err(Failure::Output)?;
        }
        return Ok(Outcome::Fine);
    };
    let mut options = Options::default();
    if !arguments.promise.is_empty() {
        options.promises.clone_from(&arguments.promise);
    }
    options.n_cuts = arguments.cuts;
    let mut program = ChildProgram::new(program, &arguments.arguments, arguments.timeout);
    let report = run(&cases, &mut program, &options);
    let written = match arguments.format {
        ConformFormat::Text => out.write_all(report.text().as_bytes()),
        ConformFormat::Junit => out.write_all(report.junit().as_bytes()),
        ConformFormat::Json => write_line(out, &report.json()),
    };
    written.map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(report.n_failed() > 0))
}
