//! Undoes the changes of a run from its journal.
//!
//! All paths are checked first: if one differs from the run's result, nothing is undone and the error names the path.
//! Each step runs only if its effect is not undone already, so a retry after a crash completes the undo.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Root;
use crate::foreseen::Foreseen;
use crate::journal::{Act, Line, State, copy_holes, place, runs, state};
use crate::place::split;
use crate::replace::replace;
use crate::shown::shown;

/// The changes that were undone, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoReport {
    /// What happens to each path, the latest effect first: `restored`, `removed`, `moved back`.
    pub steps: Vec<(&'static str, PathBuf)>,
    /// Tools of the run whose effects cannot be undone, in order.
    pub remaining: Vec<String>,
}

/// Why the undo failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UndoError {
    /// There is no journal of this root.
    #[error("nothing to undo: no run in this root has changed anything, or all was undone")]
    Nothing,
    /// A path changed after the run.
    #[error("nothing was undone, as this has changed since the run: {}", changed.join(", "))]
    Changed {
        /// The places.
        changed: Vec<String>,
    },
    /// The journal cannot be read.
    #[error("the journal of the run cannot be read: {0}")]
    Journal(io::Error),
    /// The undo cannot be logged.
    #[error("nothing was undone, as the audit log cannot be written: {0}")]
    Log(io::Error),
    /// A step failed. The steps before it are done; a retry continues.
    #[error("`{path}` could not be restored: {source}")]
    Step {
        /// The place.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// One effect with its resulting state.
#[derive(Debug)]
struct Effect {
    number: u64,
    act: Act,
    after: Option<State>,
    /// The original state of a file that an earlier effect of the run changed too. Undoing that earlier effect restores
    /// it.
    first: Option<State>,
}

/// Undoes the latest run in `root` that has a journal. With `is_dry` it only checks and reports.
///
/// # Errors
/// If there is no such run, or a path changed after it.
pub fn undo(journals: &Path, root: &Root, is_dry: bool) -> Result<UndoReport, UndoError> {
    let run = runs(&place(journals, root.path()))
        .pop()
        .ok_or(UndoError::Nothing)?;
    let effects = read(&run).map_err(UndoError::Journal)?;
    let mut undone = UndoReport::default();
    let mut foreseen = Foreseen::new(root);
    let mut steps: Vec<(&Effect, Step)> = Vec::new();
    let mut changed = Vec::new();
    for effect in effects.iter().rev() {
        match &effect.act {
            Act::Other { tool } => undone.remaining.insert(0, tool.clone()),
            _ => match step(&mut foreseen, effect) {
                Ok(step) => steps.push((effect, step)),
                Err(path) => changed.push(shown(&path)),
            },
        }
    }
    if !changed.is_empty() {
        changed.sort();
        changed.dedup();
        return Err(UndoError::Changed { changed });
    }
    for (effect, step) in steps {
        if let Some(entry) = undo_entry(&effect.act, step) {
            undone.steps.push(entry);
        }
        if !is_dry {
            back(root, &run, effect, step)?;
            // A file that an earlier effect restores is not restored so far.
            if effect.first.is_none() {
                progress(&run, effect.number).map_err(UndoError::Journal)?;
            }
        }
    }
    if !is_dry {
        // Removes the log before the other files: a run without a log has nothing to undo.
        fs::remove_file(run.join("log"))
            .and_then(|()| fs::remove_dir_all(&run))
            .map_err(UndoError::Journal)?;
    }
    Ok(undone)
}

/// The effects of a run. A last line that a crash cut off is ignored.
fn read(run: &Path) -> io::Result<Vec<Effect>> {
    let text = fs::read_to_string(run.join("log"))?;
    let mut effects: Vec<Effect> = Vec::new();
    let n_lines = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        let line: Line = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(_) if index + 1 == n_lines && !text.ends_with('\n') => break,
            Err(error) => return Err(error.into()),
        };
        match line {
            Line::Root { .. } => {}
            Line::Before { number, act } => effects.push(Effect {
                number,
                act,
                after: None,
                first: None,
            }),
            Line::After { number, state } => {
                if let Some(effect) = numbered(&mut effects, number) {
                    effect.after = Some(state);
                }
            }
            Line::Failed { number, made } => {
                if let Some(effect) = numbered(&mut effects, number) {
                    effect.act = Act::Directories { made };
                }
            }
            Line::Undone { number } => {
                effects.retain(|effect| {
                    effect.number < number || matches!(effect.act, Act::Other { .. })
                });
            }
        }
    }
    let mut firsts: BTreeMap<PathBuf, State> = BTreeMap::new();
    for effect in &mut effects {
        if let Act::Content {
            path, before, old, ..
        } = &effect.act
        {
            match (before, old, firsts.get(path)) {
                (State::File { .. }, None, Some(first)) => effect.first = Some(first.clone()),
                _ => drop(firsts.insert(path.clone(), before.clone())),
            }
        }
    }
    Ok(effects)
}

fn numbered(effects: &mut [Effect], number: u64) -> Option<&mut Effect> {
    effects
        .iter_mut()
        .rev()
        .find(|effect| effect.number == number)
}

/// Logs how far a run is undone, since the files alone do not show that.
fn progress(run: &Path, number: u64) -> io::Result<()> {
    let mut text = serde_json::to_vec(&Line::Undone { number })?;
    text.push(b'\n');
    let mut log = OpenOptions::new().append(true).open(run.join("log"))?;
    log.write_all(&text)
}

/// How to undo an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The effect did not happen, or is undone already.
    Nothing,
    Back,
}

/// Decides how to undo an effect, and undoes it in `foreseen`. The error is the path that differs from the effect's
/// result.
fn step(foreseen: &mut Foreseen<'_>, effect: &Effect) -> Result<Step, PathBuf> {
    let after = effect.after.as_ref();
    let (step, made) = match &effect.act {
        Act::Content {
            path,
            before,
            intended,
            made,
            ..
        } => {
            let now = foreseen.state(path);
            // Without an `After` line the effect may have happened: its result is then the intended state.
            let left = after.or(intended.as_ref());
            let is_as_left = left.is_some_and(|left| left.holds_what(&now));
            let is_back = |first: &State| now.holds_what(first);
            let step = if now.holds_what(before) || effect.first.as_ref().is_some_and(is_back) {
                Ok(Step::Nothing)
            } else if foreseen.put(path, before.clone()) && is_as_left {
                Ok(Step::Back)
            } else {
                // A changed path is reported once, not again for each earlier effect.
                Err(path.clone())
            };
            (step, made)
        }
        Act::Move {
            from,
            to,
            made,
            what,
        } => {
            let (source, target) = (foreseen.state(from), foreseen.state(to));
            let is_as_left = source == State::Missing
                && target != State::Missing
                && after.unwrap_or(what).holds_what(&target);
            let step = if *what == State::Missing
                || (target == State::Missing && source != State::Missing)
            {
                Ok(Step::Nothing)
            } else if foreseen.rename(to, from) && is_as_left {
                Ok(Step::Back)
            } else {
                // Assumes the file is moved back, so that earlier effects are checked against it.
                if let Some(left @ State::File { .. }) = after {
                    foreseen.put(from, left.clone());
                }
                Err(to.clone())
            };
            (step, made)
        }
        Act::Directories { made } => (Ok(Step::Back), made),
        Act::Other { .. } => return Ok(Step::Nothing),
    };
    let mut inner_first = made.iter().rev();
    while let Some(directory) = inner_first.next()
        && foreseen.remove_empty(directory)
    {}
    step
}

fn undo_entry(act: &Act, step: Step) -> Option<(&'static str, PathBuf)> {
    match (act, step) {
        (_, Step::Nothing) | (Act::Other { .. } | Act::Directories { .. }, _) => None,
        (Act::Content { path, before, .. }, Step::Back) => match before {
            State::Missing => Some(("removed", path.clone())),
            _ => Some(("restored", path.clone())),
        },
        (Act::Move { from, .. }, Step::Back) => Some(("moved back", from.clone())),
    }
}

/// Undoes one effect.
fn back(root: &Root, run: &Path, effect: &Effect, step: Step) -> Result<(), UndoError> {
    let failed = |path: &Path, source| UndoError::Step {
        path: shown(path),
        source,
    };
    let made = match &effect.act {
        Act::Content {
            path,
            before,
            old,
            made,
            ..
        } => {
            if step == Step::Back {
                match (before, old) {
                    (State::File { mode, owner, .. }, Some(old)) => {
                        let own = rights_since(root, path, effect.after.as_ref());
                        restore(root, path, &run.join(old), own.unwrap_or((*mode, *owner)))
                    }
                    (State::File { .. }, None) => Ok(()),
                    _ => remove(root, path),
                }
                .map_err(|source| failed(path, source))?;
            }
            made
        }
        Act::Move { from, to, made, .. } => {
            if step == Step::Back {
                move_back(root, from, to).map_err(|source| failed(from, source))?;
            }
            made
        }
        Act::Directories { made } => made,
        Act::Other { .. } => return Ok(()),
    };
    // Removes only empty directories: files of others stay.
    for directory in made.iter().rev() {
        let Some((parent, name)) = split(directory) else {
            continue;
        };
        if root
            .directory(parent)
            .and_then(|dir| dir.remove_dir(name))
            .is_err()
        {
            break;
        }
    }
    Ok(())
}

fn remove(root: &Root, path: &Path) -> io::Result<()> {
    let (parent, name) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    root.directory(parent)?.remove_file(name)
}

fn move_back(root: &Root, from: &Path, to: &Path) -> io::Result<()> {
    let (from_parent, from_name) = split(from).ok_or(io::ErrorKind::InvalidInput)?;
    let (to_parent, to_name) = split(to).ok_or(io::ErrorKind::InvalidInput)?;
    let source = root.directory(to_parent)?;
    let target = root.make_directory(from_parent)?;
    source.rename(to_name, &target, from_name)
}

/// A file's mode and owner.
type Rights = (u32, Option<(u32, u32)>);

/// A mode or owner that was changed after the effect: an undo does not revert it.
fn rights_since(root: &Root, path: &Path, after: Option<&State>) -> Option<Rights> {
    let (
        State::File { mode, owner, .. },
        State::File {
            mode: left_mode,
            owner: left_owner,
            ..
        },
    ) = (state(root, path).ok()?, after?)
    else {
        return None;
    };
    ((mode, owner) != (*left_mode, *left_owner)).then_some((mode, owner))
}

/// Restores a file: content, mode, and the owner if possible.
fn restore(root: &Root, path: &Path, old: &Path, rights: Rights) -> io::Result<()> {
    let (parent, name) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    let dir = root.make_directory(parent)?;
    let mut source = File::open(old)?;
    replace(&dir, name, None, |new| {
        // Before the content, so that no other user reads it; after it, since a write clears special bits.
        set_rights(new, rights)?;
        let length = copy_holes(&mut source, new)?;
        new.set_len(length)?;
        set_rights(new, rights)
    })
}

#[cfg(unix)]
fn set_rights(file: &cap_std::fs::File, (mode, owner): Rights) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    if let Some((user, group)) = owner {
        // An ordinary user cannot change the owner: then the file belongs to that user.
        let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
    }
    let new = file.metadata()?;
    let is_owners = owner.is_none_or(|owner| owner == (new.uid(), new.gid()));
    // Special bits are restored only with the original owner.
    let mask = if is_owners { 0o7777 } else { 0o777 };
    file.set_permissions(Permissions::from_mode(mode & mask))
}

#[cfg(not(unix))]
fn set_rights(_: &cap_std::fs::File, _: Rights) -> io::Result<()> {
    Ok(())
}
