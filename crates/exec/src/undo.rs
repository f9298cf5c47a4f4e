//! Taking back what a run changed, from its journal.
//!
//! All is looked at before anything is done: if something is no longer as the run left it, nothing is taken back and the answer
//! says what. Each step is done only where it is not done yet, so that a crash on the way is mended by asking again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Root;
use crate::journal::{Act, Line, State, place, runs, state};
use crate::place::split;
use crate::replace::replace;
use crate::shown::shown;

/// What was taken back, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
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
    #[error(
        "there is nothing to take back: no run in this root has changed anything, or all was taken back"
    )]
    Nothing,
    /// Somebody changed what the run had left.
    #[error("nothing was taken back, as this has changed since the run: {}", changed.join(", "))]
    Changed {
        /// The places.
        changed: Vec<String>,
    },
    /// The journal cannot be read.
    #[error("the journal of the run cannot be read: {0}")]
    Journal(io::Error),
    /// A step failed. The ones before it were done; asking again goes on.
    #[error("`{path}` could not be brought back: {source}")]
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
    act: Act,
    after: Option<State>,
}

/// Takes back the latest run in `root` that was not taken back. With `is_dry` nothing is done but looking.
///
/// # Errors
/// If there is none, or something changed since.
pub fn undo(journals: &Path, root: &Root, is_dry: bool) -> Result<Undone, UndoError> {
    let run = runs(&place(journals, root.path()))
        .pop()
        .ok_or(UndoError::Nothing)?;
    let effects = read(&run).map_err(UndoError::Journal)?;
    let mut undone = Undone::default();
    let mut seen = Seen {
        root,
        states: BTreeMap::new(),
        moved: Vec::new(),
    };
    let mut steps: Vec<(&Effect, Step)> = Vec::new();
    let mut changed = Vec::new();
    for effect in effects.iter().rev() {
        match &effect.act {
            Act::Other { tool } => undone.remaining.insert(0, tool.clone()),
            act => match seen.step(act, effect.after.as_ref()) {
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
            back(root, &run, &effect.act, step)?;
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
            Line::Before { act, .. } => effects.push(Effect { act, after: None }),
            Line::After { number, state } => {
                if let Some(effect) = usize::try_from(number)
                    .ok()
                    .and_then(|at| effects.get_mut(at))
                {
                    effect.after = Some(state);
                }
            }
        }
    }
    Ok(effects)
}

/// What is to be done about an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It did not happen, or was taken back already.
    Nothing,
    Back,
}

/// The root as it will be when the later effects are taken back.
struct Seen<'a> {
    root: &'a Root,
    states: BTreeMap<PathBuf, State>,
    /// Moves that are taken back, the latest first.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Seen<'_> {
    /// What is to be done about an effect; the place that is not as it was left otherwise.
    fn step(&mut self, act: &Act, after: Option<&State>) -> Result<Step, PathBuf> {
        match act {
            Act::Content {
                path,
                before,
                intended,
                ..
            } => {
                let now = self.state(path);
                if now.holds_what(before) {
                    return Ok(Step::Nothing);
                }
                // Without a line behind it the effect may have happened: then it left what was intended.
                let left = after.or(intended.as_ref());
                let is_as_left = left.is_some_and(|left| left.holds_what(&now));
                // What is not as it was left is told once, not again for each effect before it.
                self.states.insert(path.clone(), before.clone());
                if is_as_left {
                    Ok(Step::Back)
                } else {
                    Err(path.clone())
                }
            }
            Act::Move { from, to, .. } => {
                let (source, target) = (self.state(from), self.state(to));
                if target == State::Missing && source != State::Missing {
                    return Ok(Step::Nothing);
                }
                let is_as_left = source == State::Missing
                    && target != State::Missing
                    && after.is_none_or(|after| after.holds_what(&target));
                self.states
                    .insert(from.clone(), after.cloned().unwrap_or(target));
                self.states.insert(to.clone(), State::Missing);
                self.moved.push((from.clone(), to.clone()));
                if is_as_left {
                    Ok(Step::Back)
                } else {
                    Err(to.clone())
                }
            }
            Act::Directories { .. } => Ok(Step::Back),
            Act::Other { .. } => Ok(Step::Nothing),
        }
    }

    fn state(&self, path: &Path) -> State {
        if let Some(state) = self.states.get(path) {
            return state.clone();
        }
        // Where it is now, before the moves are taken back: the earliest of them first.
        let mut now = path.to_path_buf();
        for (from, to) in self.moved.iter().rev() {
            if let Ok(rest) = now.strip_prefix(from) {
                now = if rest.as_os_str().is_empty() {
                    to.clone()
                } else {
                    to.join(rest)
                };
            }
        }
        state(self.root, &now).unwrap_or(State::Other)
    }
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
fn back(root: &Root, run: &Path, act: &Act, step: Step) -> Result<(), UndoError> {
    let failed = |path: &Path, source| UndoError::Step {
        path: shown(path),
        source,
    };
    let made = match act {
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
                        restore(root, path, &run.join(old), (*mode, *owner))
                    }
                    _ => remove(root, path),
                }
                .map_err(|source| failed(path, source))?;
            }
            made
        }
        Act::Move { from, to, made } => {
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

/// Puts a file back as it was: content, mode, and the owner if that can be.
fn restore(
    root: &Root,
    path: &Path,
    old: &Path,
    (mode, owner): (u32, Option<(u32, u32)>),
) -> io::Result<()> {
    let (parent, name) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    let dir = root.make_directory(parent)?;
    let mut source = File::open(old)?;
    replace(&dir, name, None, |new| {
        set_rights(new, mode, owner)?;
        io::copy(&mut source, new).map(drop)
    })
}

#[cfg(unix)]
fn set_rights(file: &cap_std::fs::File, mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    if let Some((user, group)) = owner {
        // An ordinary user cannot give files away: then it is the user's own.
        let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
    }
    file.set_permissions(Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
fn set_rights(_: &cap_std::fs::File, _: u32, _: Option<(u32, u32)>) -> io::Result<()> {
    Ok(())
}
