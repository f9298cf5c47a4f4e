//! `toolglot run --undo`: the latest run in a root taken back.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, json};
use toolglot_exec::{Root, UndoError, Undone};
use toolglot_policy::{Decision, Escape, Inside, PathFact, Verdict};

use crate::approval::Shown;
use crate::args::{RunArguments, RunFormat};
use crate::audit::{self, Auditor, Came};
use crate::failure::Failure;
use crate::parse::write_line;
use crate::{Outcome, source};

/// Where journals are kept: the directory of the user's own that outlives a restart and is no setting.
pub(crate) fn journals() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("toolglot"))
}

pub(super) fn undo(arguments: &RunArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let root =
        Root::open(&arguments.root).map_err(|error| source::failed(&arguments.root, error))?;
    let undone = match journals() {
        Some(place) => match audit::place(arguments.audit.as_deref()) {
            Some(log) if !arguments.dry_run => {
                logged(&place, &root, &Auditor::new(&log, arguments.audit_values))
            }
            _ => toolglot_exec::undo(&place, &root, arguments.dry_run),
        },
        None => Err(UndoError::Nothing),
    };
    match arguments.format {
        RunFormat::Json => write_line(out, &document(&undone, arguments.dry_run)),
        RunFormat::Human | RunFormat::Text => write(&undone, arguments.dry_run, out),
    }
    .map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(undone.is_err()))
}

/// Takes the run back between two lines of the log: what is changed is told, whoever changes it.
fn logged(journals: &Path, root: &Root, auditor: &Auditor) -> Result<Undone, UndoError> {
    let planned = toolglot_exec::undo(journals, root, true)?;
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
    let shown = Shown {
        root,
        tool: "undo",
        arguments: &arguments,
    };
    let verdict = Verdict {
        decision: Decision::Allow,
        rule: "asked-by-the-user".into(),
        because: "the user asked for it".to_owned(),
    };
    auditor
        .before(&shown, &verdict, &paths)
        .map_err(UndoError::Log)?;
    let started = Instant::now();
    let undone = toolglot_exec::undo(journals, root, false);
    let problem = undone.as_ref().err().map(|error| json!(error.to_string()));
    let came = Came {
        ok: undone.is_ok(),
        error: problem.as_ref(),
        text: "",
    };
    // What was done is done: a line that is missing here shows as one.
    let _ = auditor.came(&shown, &verdict, Some(came), started.elapsed());
    undone
}

fn document(undone: &Result<Undone, UndoError>, is_dry: bool) -> serde_json::Value {
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
    undone: &Result<Undone, UndoError>,
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
        writeln!(out, "nothing of the run was left to be taken back")?;
    }
    for tool in &undone.remaining {
        writeln!(out, "not taken back: what `{tool}` did")?;
    }
    Ok(())
}
