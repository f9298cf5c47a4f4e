//! `toolglot prompt`: the instructions that teach a model a dialect.

use std::io::Write;

use toolglot_chat::{Instructions, NotCarried, instructions};
use toolglot_engine::Dialect;

use crate::cli::args::PromptArguments;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::toolboxes;

/// Writes the instructions.
pub(crate) fn prompt(arguments: &PromptArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let (dialect, toolbox) =
        toolboxes::taught_dialect(arguments.dialect.as_deref(), arguments.tools.as_deref())?;
    let instructions = instructions(&dialect, &toolbox)?;
    report_left_out(&dialect, &instructions);
    let text = instructions.text.as_bytes();
    out.write_all(text).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// Reports on standard error which tools are not taught, and what no example shows.
pub(crate) fn report_left_out(dialect: &Dialect, instructions: &Instructions) {
    for name in &instructions.left_out {
        let _ = writeln!(
            screen::stderr(),
            "left out: `{name}`, which `{}` has no call of",
            dialect.name()
        );
    }
    for NotCarried { what, why, .. } in &instructions.not_carried {
        let _ = writeln!(
            screen::stderr(),
            "not shown: {what}, which `{}` cannot carry: {why}",
            dialect.name()
        );
    }
}
