//! The project of a command, and how its answer is written.

use std::io::Write;
use std::path::Path;

use toolglot_session::Policies;
use toolglot_tool_catalog::Catalog;
use toolglot_tool_trust::Spaces;
use toolglot_value::Value;

use crate::cli::args::{ToolsFormat, ToolsProject};
use crate::cli::failure::Failure;
use crate::cli::human::screen::Screen;
use crate::cli::open_session;
use crate::cli::output::write_line;

/// The tools of a project, under the demands of its policy files.
pub(super) fn open(at: &Path) -> Result<Catalog, Failure> {
    let at = root(at)?;
    let policies = open_session::project(at).map(|project| Policies::discover(&project))?;
    open_session::warn(policies.warnings());
    Ok(Catalog::open(&Spaces::of(at), policies.demands())?)
}

/// A project's directory, which must exist.
fn root(root: &Path) -> Result<&Path, Failure> {
    if root.is_dir() {
        return Ok(root);
    }
    Err(Failure::Input {
        path: root.to_owned(),
        source: std::io::ErrorKind::NotFound.into(),
    })
}

/// Writes an answer as JSON, or as words for people.
pub(super) fn answer(
    common: &ToolsProject,
    out: &mut dyn Write,
    json: &Value,
    words: &str,
) -> Result<(), Failure> {
    match common.format {
        ToolsFormat::Json => write_line(out, json),
        ToolsFormat::Human => Screen::new(out).write_all(words.as_bytes()),
    }
    .map_err(Failure::Output)
}
