//! `toolglot tools`: tools that are files.

pub(crate) mod args;
mod check;
mod keys;
mod list;
mod new;
mod show;
mod sign;
mod trust;
mod verify;

use std::io::Write;
use std::path::Path;

use serde_json::Value;
use toolglot_catalog::Catalog;
use toolglot_session::Policies;
use toolglot_toolfiles::Spaces;

use crate::failure::Failure;
use crate::human::screen::Screen;
use crate::{Outcome, open_session};

use args::{Common, ToolsCommand, ToolsFormat};

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

/// The tools of a project, under what its policy files demand.
fn open(at: &Path) -> Result<Catalog, Failure> {
    let at = root(at)?;
    let policies = open_session::project(at).map(|project| Policies::discover(&project))?;
    open_session::warn(policies.warnings());
    Ok(Catalog::open(&Spaces::of(at), policies.demands())?)
}

/// A project's directory, which has to be there.
fn root(root: &Path) -> Result<&Path, Failure> {
    if root.is_dir() {
        return Ok(root);
    }
    Err(Failure::Input {
        path: root.to_owned(),
        source: std::io::ErrorKind::NotFound.into(),
    })
}

/// Writes an answer: as JSON, or the words for people.
fn answer(common: &Common, out: &mut dyn Write, json: &Value, words: &str) -> Result<(), Failure> {
    match common.format {
        ToolsFormat::Json => crate::parse::write_line(out, json),
        ToolsFormat::Human => Screen::new(out).write_all(words.as_bytes()),
    }
    .map_err(Failure::Output)
}
