//! The entries below a directory that moves, with their old and new paths.

use std::path::{Path, PathBuf};

use toolglot_policy::{Escape, Inside, PathFact, is_guarded, is_secret};

use crate::Root;
use crate::protected_paths::MOST_VISITS;
use crate::tools::TOOLS;

/// The most entries that are moved with a directory. The policy decides about each.
const MOST_MOVED: usize = 100_000;

/// The new paths of all entries below a directory, as facts for the policy. Entries that are protected by name stay
/// protected at the new path and are left out.
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
        // Entries that the policy cannot decide about are not moved.
        facts.truncate(0);
        facts.push(PathFact {
            written: from.to_string_lossy().into_owned(),
            found: Err(Escape::Crowded { most: MOST_MOVED }),
        });
    }
    facts
}

/// The first entry below a directory that blocks its move, relative to the root. A rule refuses its old or new path, or
/// a name protects only one of the two paths.
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

/// Whether a path is protected by its name.
fn is_kept(path: &Path) -> bool {
    is_secret(path) || is_guarded(path)
}

/// Passes the relative paths of all entries below a directory to `look` until it returns `false`. Returns whether all
/// were visited.
fn below(root: &Root, directory: &Path, look: &mut dyn FnMut(&Path) -> bool) -> bool {
    let mut stack = vec![PathBuf::new()];
    let mut n_visits = 0;
    while let Some(inner) = stack.pop() {
        let entries = std::fs::read_dir(root.path().join(directory).join(&inner));
        for entry in entries.into_iter().flatten().flatten() {
            let path = inner.join(entry.file_name());
            n_visits += 1;
            if n_visits > MOST_VISITS || !look(&path) {
                return false;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                stack.push(path);
            }
        }
    }
    true
}
