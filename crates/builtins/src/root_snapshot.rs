//! What stood in the root before a program ran.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use toolglot_policy::Refusals;

/// What stood in the root before a program ran. Paths are relative to it.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "no program runs there")
)]
pub(crate) struct RootSnapshot {
    pub(crate) root: PathBuf,
    /// The tool that runs the program, and what rules refuse it.
    pub(crate) tool: String,
    pub(crate) refused: Refusals,
    /// How many [approved writes](crate::approved_writes) there were.
    pub(crate) n_writes: u64,
    /// What is kept from the program, by its name or by a rule; of a repository what git obeys in it.
    pub(crate) protected: BTreeSet<PathBuf>,
    /// What inside of that may be changed all the same. It may have been made just before the program.
    pub(crate) reopened: Vec<PathBuf>,
    /// Links under names that programs obey, with what they name.
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    /// Directories that git takes for repositories, other than those that are called `.git`.
    pub(crate) bare_repositories: BTreeSet<PathBuf>,
    /// The commands of rebases that had stopped.
    pub(crate) rebase_commands: BTreeSet<String>,
    /// All directories.
    pub(crate) directories: HashSet<PathBuf>,
    /// Directories that this user cannot look into.
    pub(crate) closed: HashSet<PathBuf>,
}

/// Directories that package managers and builders fill, and empty again: what programs obey may be changed there, since a file
/// that stays as it is stays there.
pub(crate) const BUILD_DIRECTORIES: &[&str] = &[
    "node_modules",
    "target",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    "dist",
    "build",
];
