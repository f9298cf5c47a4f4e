//! Taking back what a run changed, from its journal.
//!
//! All is looked at before anything is done: if something is no longer as the run left it, nothing is taken back and the answer
//! says what. Each step is done only where it is not done yet, so that a crash on the way is repaired by asking again.

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

/// What was taken back, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoReport {
    /// What becomes of which place, the latest effect first: `restored`, `removed`, `moved back`.
    pub steps: Vec<(&'static str, PathBuf)>,
    /// Tools of the run whose effects cannot be taken back, in order.
    pub remaining: Vec<String>,
}

/// Why nothing was taken back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UndoError {
    /// There is no journal of this root.
    #[error("nothing to undo: no run in this root has changed anything, or all was undone")]
    Nothing,
    /// Somebody changed what the run had left.
    #[error("nothing was undone, as this has changed since the run: {}", changed.join(", "))]
    Changed {
        /// The places.
        changed: Vec<String>,
    },
    /// The journal cannot be read.
    #[error("the journal of the run cannot be read: {0}")]
    Journal(io::Error),
    /// What is about to be taken back cannot be logged.
    #[error("nothing was undone, as the audit log cannot be written: {0}")]
    Log(io::Error),
    /// A step failed. The ones before it were done; asking again continues.
    #[error("`{path}` could not be restored: {source}")]
    Step {
        /// The place.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// One effect, with what it left.
#[derive(Debug)]
struct Effect {
    number: u64,
    act: Act,
    after: Option<State>,
    /// Of a file that the run changed before: what stood there first. It comes back with the first of these effects.
    first: Option<State>,
}

/// Takes back the latest run in `root` that was not taken back. With `is_dry` nothing is done but looking.
///
/// # Errors
/// If there is none, or something changed since.
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
        if let Some(told) = told(&effect.act, step) {
            undone.steps.push(told);
        }
        if !is_dry {
            back(root, &run, effect, step)?;
            // What comes back with an earlier effect is not back yet.
            if effect.first.is_none() {
                progress(&run, effect.number).map_err(UndoError::Journal)?;
            }
        }
    }
    if !is_dry {
        // The log last: without it there is nothing to take back.
        fs::remove_file(run.join("log"))
            .and_then(|()| fs::remove_dir_all(&run))
            .map_err(UndoError::Journal)?;
    }
    Ok(undone)
}

/// The effects of a run. A last line that a crash cut off was before its effect.
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

/// Says in the log how far a run is taken back: what comes before may look as if it were, or were not.
fn progress(run: &Path, number: u64) -> io::Result<()> {
    let mut text = serde_json::to_vec(&Line::Undone { number })?;
    text.push(b'\n');
    let mut log = OpenOptions::new().append(true).open(run.join("log"))?;
    log.write_all(&text)
}

/// What is to be done about an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It did not happen, or was taken back already.
    Nothing,
    Back,
}

/// What is to be done about an effect, and what the root is without it; the place that is not as it was left otherwise.
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
            // Without a line after it the effect may have happened: then it left what was intended.
            let left = after.or(intended.as_ref());
            let is_as_left = left.is_some_and(|left| left.holds_what(&now));
            let is_back = |first: &State| now.holds_what(first);
            let step = if now.holds_what(before) || effect.first.as_ref().is_some_and(is_back) {
                Ok(Step::Nothing)
            } else if foreseen.put(path, before.clone()) && is_as_left {
                Ok(Step::Back)
            } else {
                // What is not as it was left is reported once, not again for each effect before it.
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
                // As if it were, for what came before.
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

fn told(act: &Act, step: Step) -> Option<(&'static str, PathBuf)> {
    match (act, step) {
        (_, Step::Nothing) | (Act::Other { .. } | Act::Directories { .. }, _) => None,
        (Act::Content { path, before, .. }, Step::Back) => match before {
            State::Missing => Some(("removed", path.clone())),
            _ => Some(("restored", path.clone())),
        },
        (Act::Move { from, .. }, Step::Back) => Some(("moved back", from.clone())),
    }
}

/// Takes one effect back.
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
    // Only what is empty: whatever somebody put there stays.
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

/// Who may do what with a file, and whose it is.
type Rights = (u32, Option<(u32, u32)>);

/// The rights that somebody gave a file since the effect: they stay, as all that the run did not do.
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

/// Puts a file back as it was: content, mode, and the owner if that can be.
fn restore(root: &Root, path: &Path, old: &Path, rights: Rights) -> io::Result<()> {
    let (parent, name) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    let dir = root.make_directory(parent)?;
    let mut source = File::open(old)?;
    replace(&dir, name, None, |new| {
        // Before the content, so that nobody else reads it meanwhile, and after it, as writing takes special bits away.
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
        // An ordinary user cannot give files away: then it is the user's own.
        let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
    }
    let new = file.metadata()?;
    let is_owners = owner.is_none_or(|owner| owner == (new.uid(), new.gid()));
    // What ran as its owner does so again, and as nobody else.
    let kept = if is_owners { 0o7777 } else { 0o777 };
    file.set_permissions(Permissions::from_mode(mode & kept))
}

#[cfg(not(unix))]
fn set_rights(_: &cap_std::fs::File, _: Rights) -> io::Result<()> {
    Ok(())
}
