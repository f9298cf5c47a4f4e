//! Undoes the latest run in a root.

use std::path::{Path, PathBuf};
use std::time::Instant;

use toolglot_builtins::{Root, UndoError, UndoReport};
use toolglot_policy::{Decision, Escape, Inside, PathFact, Verdict};
use toolglot_value::{Map, json};

use crate::approval::CallSummary;
use crate::audit::{AuditLog, LoggedResult, log_after, write_before};

/// The directory of journals: a user directory that survives a restart and contains no settings.
pub fn journals() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("toolglot"))
}

/// Undoes the latest run in `root`, between two log entries: every change is logged, whoever makes it. With `dry_run`
/// nothing changes.
///
/// # Errors
/// If there is no such run, a file that it changed has changed again, or the log cannot be written.
pub fn undo(
    journals: &Path,
    root: &Root,
    log: Option<&dyn AuditLog>,
    dry_run: bool,
) -> Result<UndoReport, UndoError> {
    if dry_run || log.is_none() {
        return toolglot_builtins::undo(journals, root, dry_run);
    }
    let planned = toolglot_builtins::undo(journals, root, true)?;
    let paths: Vec<PathFact> = planned
        .steps
        .iter()
        .map(|(_, path)| PathFact {
            written: path.to_string_lossy().into_owned(),
            found: Ok::<_, Escape>(Inside {
                path: path.clone(),
                ..Inside::default()
            }),
        })
        .collect();
    let arguments = Map::new();
    let call = CallSummary::new(root, "undo", &arguments);
    let verdict = Verdict {
        decision: Decision::Allow,
        rule: "asked-by-the-user".into(),
        because: "the user asked for it".to_owned(),
    };
    write_before(log, &call, &verdict, &paths).map_err(UndoError::Log)?;
    let started = Instant::now();
    let undone = toolglot_builtins::undo(journals, root, false);
    let problem = undone.as_ref().err().map(|error| json!(error.to_string()));
    let result = LoggedResult {
        ok: undone.is_ok(),
        error: problem.as_ref(),
        text: "",
    };
    log_after(log, &call, &verdict, Some(&result), started.elapsed());
    undone
}
