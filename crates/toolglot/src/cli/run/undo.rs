//! `toolglot run --undo`: undoes the latest run in a root.

use std::io::Write;

use toolglot_builtins::{Root, UndoError, UndoReport};
use toolglot_session::{AuditLog, journals};
use toolglot_value::json;

use crate::cli::args::{RunArguments, RunFormat};
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{open_session, source};

pub(super) fn undo(arguments: &RunArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let root =
        Root::open(&arguments.root).map_err(|error| source::failed(&arguments.root, error))?;
    let undone = match journals() {
        Some(place) => {
            let log = open_session::log(arguments.audit.as_deref(), arguments.audit_values);
            let log = log.as_ref().map(|log| log as &dyn AuditLog);
            toolglot_session::undo(&place, &root, log, arguments.dry_run)
        }
        None => Err(UndoError::Nothing),
    };
    match arguments.format {
        RunFormat::Json => write_line(out, &document(&undone, arguments.dry_run)),
        RunFormat::Human | RunFormat::Text => write(&undone, arguments.dry_run, out),
    }
    .map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(undone.is_err()))
}

fn document(undone: &Result<UndoReport, UndoError>, is_dry: bool) -> toolglot_value::Value {
    let (steps, remaining, problem, changed) = match undone {
        Ok(undone) => (
            undone.steps.as_slice(),
            undone.remaining.as_slice(),
            None,
            &[][..],
        ),
        Err(error) => {
            let changed = match error {
                UndoError::Changed { changed } => changed.as_slice(),
                _ => &[],
            };
            (&[][..], &[][..], Some(error.to_string()), changed)
        }
    };
    let steps: Vec<_> = steps
        .iter()
        .map(|(what, path)| json!({"path": path.to_string_lossy(), "what": what}))
        .collect();
    json!({
        "schema": 1,
        "dry_run": is_dry,
        "undone": steps,
        "not_undone": remaining,
        "changed": changed,
        "problem": problem,
    })
}

fn write(
    undone: &Result<UndoReport, UndoError>,
    is_dry: bool,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let undone = match undone {
        Ok(undone) => undone,
        Err(error) => return writeln!(out, "{error}"),
    };
    let would = if is_dry { "would be " } else { "" };
    for (what, path) in &undone.steps {
        writeln!(
            out,
            "{would}{what}: {}",
            path.to_string_lossy().escape_debug()
        )?;
    }
    if undone.steps.is_empty() {
        writeln!(out, "nothing of the run was left to undo")?;
    }
    for tool in &undone.remaining {
        writeln!(out, "not undone: what `{tool}` did")?;
    }
    Ok(())
}
