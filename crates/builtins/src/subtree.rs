//! What a move takes along: the entries below a directory, at their old and new places.

use std::path::{Path, PathBuf};

use toolglot_policy::{Escape, Inside, PathFact, is_guarded, is_secret};

use crate::Root;
use crate::protected_paths::MOST_VISITS;
use crate::tools::TOOLS;

/// Entries that are moved with a directory. Each of them is judged.
const MOST_MOVED: usize = 100_000;

/// What is moved with a directory, at its new places: a policy is asked about each. What is kept for its name wherever it stands
/// stays kept, so that nobody has to be asked.
pub(crate) fn moved_with(root: &Root, from: &Path, to: &Path) -> Vec<PathFact> {
    let mut facts = Vec::new();
    let is_whole = below(root, from, &mut |path| {
        let (old, new) = (from.join(path), to.join(path));
        if !is_kept(&old) {
            facts.push(PathFact {
                written: new.to_string_lossy().into_owned(),
                found: Ok(Inside {
                    path: new,
                    ..Inside::default()
                }),
            });
        }
        facts.len() <= MOST_MOVED
    });
    if !is_whole {
        // What cannot be asked about is not moved.
        facts.truncate(0);
        facts.push(PathFact {
            written: from.to_string_lossy().into_owned(),
            found: Err(Escape::Crowded { most: MOST_MOVED }),
        });
    }
    facts
}

/// What a rule refuses below a directory, relative to the root: moving the directory would free it, or make it. So is what is
/// kept for where it stands and would not be at `to`, and what is not and would be.
pub(crate) fn refused_below(root: &Root, from: &Path, to: &Path) -> Option<PathBuf> {
    let refused = &root.sandbox.refused;
    let is_refused = |old: &Path, new: &Path| {
        TOOLS.iter().any(|tool| {
            refused.keeps(tool, old)
                || refused.keeps(tool, new)
                || (refused.hides(tool, old) && !refused.hides(tool, new))
        })
    };
    let mut held = None;
    let is_whole = below(root, from, &mut |path| {
        let (old, new) = (from.join(path), to.join(path));
        if is_refused(&old, &new) || is_kept(&old) != is_kept(&new) {
            held = Some(old);
        }
        held.is_none()
    });
    if is_whole {
        None
    } else {
        held.or_else(|| Some(from.to_path_buf()))
    }
}

/// Whether a place is kept for its name.
fn is_kept(path: &Path) -> bool {
    is_secret(path) || is_guarded(path)
}

/// Looks at all that is below a directory, by paths relative to it, as long as that is wanted. Whether it saw all.
fn below(root: &Root, directory: &Path, look: &mut dyn FnMut(&Path) -> bool) -> bool {
    let mut ahead = vec![PathBuf::new()];
    let mut n_visits = 0;
    while let Some(inner) = ahead.pop() {
        let entries = std::fs::read_dir(root.path().join(directory).join(&inner));
        for entry in entries.into_iter().flatten().flatten() {
            let path = inner.join(entry.file_name());
            n_visits += 1;
            if n_visits > MOST_VISITS || !look(&path) {
                return false;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                ahead.push(path);
            }
        }
    }
    true
}
