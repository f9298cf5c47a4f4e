//! A repository's git directory: the files that git obeys, and the files that hold secrets.

use std::path::{Path, PathBuf};

/// The most entries below a git directory that are searched for settings.
const MOST_SETTINGS: usize = 10_000;

/// The most bytes of a rebase's todo list that are read.
const MOST_TODO_BYTES: u64 = 1 << 20;

/// The most levels of directories that are searched.
const MOST_LEVELS: usize = 12;

/// The entries of a git directory that git takes settings and programs from.
pub(crate) const OBEYED_OF_GIT: [&str; 6] = [
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "commondir",
];

/// The state of a stopped rebase: a directory in the git directory, or in the one of a linked worktree. git has to
/// write it.
pub(crate) const REBASE: &str = "rebase-merge";
pub(crate) const REBASE_TODO: &str = "git-rebase-todo";

/// The lines of a todo list that run commands: `git rebase --continue` runs them, outside the sandbox, too.
pub(crate) fn rebase_commands(todo: &str) -> impl Iterator<Item = &str> {
    let runs = |line: &&str| matches!(line.split_whitespace().next(), Some("exec" | "x"));
    todo.lines().map(str::trim).filter(runs)
}

/// The commands of all stopped rebases of a repository.
pub(crate) fn rebase_commands_in(git: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let trees = std::fs::read_dir(git.join("worktrees"));
    let trees = trees.into_iter().flatten().flatten();
    let trees = trees.take(MOST_SETTINGS).map(|tree| tree.path());
    for directory in trees.chain([git.to_path_buf()]) {
        let path = directory.join(REBASE).join(REBASE_TODO);
        let is_short = path
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_TODO_BYTES);
        if is_short && let Ok(todo) = std::fs::read_to_string(path) {
            found.extend(rebase_commands(&todo).map(str::to_owned));
        }
    }
    found
}

/// Whether git takes a directory with these entries for a repository, whatever its name. git checks nothing else.
pub(crate) fn is_repository(is_there: &dyn Fn(&str) -> bool) -> bool {
    is_there("HEAD") && (is_there("commondir") || (is_there("objects") && is_there("refs")))
}

/// The existing entries of a git directory that git obeys.
pub(crate) fn obeyed_in(git: &Path) -> Vec<PathBuf> {
    let trees = std::fs::read_dir(git.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten();
    let of_trees = trees
        .take(MOST_SETTINGS)
        .flat_map(|tree| OBEYED_OF_GIT.map(|name| tree.path().join(name)));
    let own = OBEYED_OF_GIT.iter().map(|name| git.join(name));
    own.chain(of_trees).filter(|path| path.exists()).collect()
}

/// Files of a repository that hold passwords: the store of `git credential`, and settings with a password, including
/// those of submodules and linked worktrees.
pub(crate) fn secrets_of_git(git: &Path) -> Vec<PathBuf> {
    let mut found = vec![git.join("credentials")];
    found.retain(|path| path.exists());
    let mut settings = vec![git.join("config"), git.join("config.worktree")];
    let mut stack = vec![(git.join("modules"), 0), (git.join("worktrees"), 0)];
    let mut n_visits = 0;
    while let Some((directory, level)) = stack.pop() {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries {
            n_visits += 1;
            if n_visits > MOST_SETTINGS {
                break;
            }
            let name = entry.file_name();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && level < MOST_LEVELS && name != "objects" {
                stack.push((entry.path(), level + 1));
            } else if name == "config" || name == "config.worktree" {
                settings.push(entry.path());
            }
        }
    }
    found.extend(settings.into_iter().filter(|path| holds_credentials(path)));
    found
}

/// Whether a repository's settings hold a password: in the address of a remote, or as a header.
fn holds_credentials(config: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(config) else {
        return false;
    };
    text.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        let has_user = line
            .split_once("://")
            .is_some_and(|(_, rest)| rest.split('/').next().unwrap_or_default().contains('@'));
        has_user
            || ["extraheader", "password", "token"]
                .iter()
                .any(|word| line.contains(word))
    })
}
