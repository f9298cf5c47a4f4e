//! `toolglot tools`: tools that are files.

mod check;
mod keys;
mod list;
mod new;
mod project;
mod show;
mod sign;
mod trust;
mod verify;

use std::io::Write;

use crate::cli::args::ToolsCommand;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

/// Runs one of the subcommands.
pub(crate) fn tools(command: &ToolsCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        ToolsCommand::List { search, common } => list::list(search.as_deref(), common, out),
        ToolsCommand::Show { id, common } => show::show(id, common, out),
        ToolsCommand::Check {
            tools,
            color,
            common,
        } => check::check(tools, *color, common, out),
        ToolsCommand::New {
            id,
            language,
            common,
        } => new::new(id, language, common, out),
        ToolsCommand::Sign { tools, v2, common } => sign::sign(tools, *v2, common, out),
        ToolsCommand::Verify { tools, common } => verify::verify(tools, common, out),
        ToolsCommand::Trust {
            tools,
            dry_run,
            common,
        } => trust::trust(tools, *dry_run, common, out),
        ToolsCommand::Keys { command } => keys::keys(command, out),
    }
}
