//! The state of the root before a program runs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use toolglot_policy::Refusals;

/// The state of the root before a program runs. Paths are relative to the root.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "no program runs there")
)]
pub(crate) struct RootSnapshot {
    pub(crate) root: PathBuf,
    /// The tool that runs the program, and the paths that rules refuse it.
    pub(crate) tool: String,
    pub(crate) refused: Refusals,
    /// How many [approved writes](crate::approved_writes) there were.
    pub(crate) n_writes: u64,
    /// Read-only and hidden paths, by name or by a rule, with the entries of repositories that git obeys.
    pub(crate) protected: BTreeSet<PathBuf>,
    /// Writable paths inside protected ones. They may be created just before the program.
    pub(crate) reopened: Vec<PathBuf>,
    /// Links with names that programs obey, and their targets.
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    /// Directories that git takes for repositories, except those named `.git`.
    pub(crate) bare_repositories: BTreeSet<PathBuf>,
    /// The commands of stopped rebases.
    pub(crate) rebase_commands: BTreeSet<String>,
    /// All directories.
    pub(crate) directories: HashSet<PathBuf>,
    /// Directories that this user cannot read.
    pub(crate) closed: HashSet<PathBuf>,
}

/// Directories that package managers and builders fill and empty. Obeyed names may change there, since a read-only file
/// could not be removed.
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
