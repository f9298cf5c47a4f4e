//! Finds files that git obeys in a repository and that a program may have planted.
//!
//! `git init` and `git clone` make a repository whose settings run nothing: samples of hooks, a `config` of plain keys.
//! Such a repository stays. A hook, another key, or a redirected settings directory is quarantined; the rest of the
//! repository stays as it is.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};

use crate::git_directory::{OBEYED_OF_GIT, REBASE, REBASE_TODO, rebase_commands};
use crate::git_settings::git_command;
use crate::root_snapshot::BUILD_DIRECTORIES;

/// The most bytes of such a file that are read. git's own files are short.
const MOST_BYTES: u64 = 1 << 20;

/// The most submodule repositories that are checked, and the most levels of their names.
const MOST_MODULES: usize = 1_000;
const MOST_LEVELS: usize = 12;

/// Keys that run no program and name no other file, by section. A named section such as `[remote "x"]` counts as
/// `remote`.
const PLAIN_KEYS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "sparsecheckout",
            "sparsecheckoutcone",
            "sharedrepository",
        ],
    ),
    (
        "extensions",
        &[
            "objectformat",
            "compatobjectformat",
            "refstorage",
            "worktreeconfig",
            "partialclone",
            "relativeworktrees",
        ],
    ),
    (
        "remote",
        &[
            "url",
            "pushurl",
            "fetch",
            "push",
            "tagopt",
            "promisor",
            "partialclonefilter",
            "mirror",
            "prune",
        ],
    ),
    ("branch", &["remote", "merge", "rebase", "description"]),
    ("submodule", &["url", "active"]),
    ("user", &["name", "email"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default"]),
    ("receive", &["denycurrentbranch"]),
];

/// Whether these words are a `git clone`. A `git` with a path does not count.
pub(super) fn is_clone(words: &[OsString]) -> bool {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.first().is_some_and(|program| program == "git") && git_command(&words) == Some("clone")
}

/// Relative paths in the repository `git` that git obeys, that are new, and that git does not create itself.
/// `known_commands` are the commands of earlier stopped rebases.
pub(super) fn planted(
    git: &Dir,
    is_known: &dyn Fn(&Path) -> bool,
    known_commands: &BTreeSet<String>,
) -> Vec<PathBuf> {
    let mut found = obeyed_beyond_git(git, Place::Top, is_known);
    found.extend(planted_rebase(git, known_commands));
    // Linked worktrees take their settings from `commondir`, or have their own without it.
    for name in entries(git, "worktrees") {
        let path = Path::new("worktrees").join(&name);
        let Ok(tree) = open_below(git, &path) else {
            found.push(path);
            continue;
        };
        let names = obeyed_beyond_git(&tree, Place::Worktree, &|name| is_known(&path.join(name)));
        let rebase = planted_rebase(&tree, known_commands);
        found.extend(names.iter().chain(&rebase).map(|name| path.join(name)));
    }
    found
}

/// The todo list of a stopped rebase, if it has a new command. git writes such lists itself, so only their content
/// shows a plant.
fn planted_rebase(git: &Dir, known_commands: &BTreeSet<String>) -> Option<PathBuf> {
    let directory = PathBuf::from(REBASE);
    if !is_there(git, &directory) {
        return None;
    }
    let todo = Path::new(REBASE_TODO);
    let Ok(rebase) = open_below(git, &directory) else {
        return Some(directory);
    };
    let is_plain = || {
        text(&rebase, todo).is_some_and(|text| {
            rebase_commands(&text).all(|command| known_commands.contains(command))
        })
    };
    (is_there(&rebase, todo) && !is_plain()).then(|| directory.join(todo))
}

/// The entries of a git directory that git obeys, that are new, and that differ from git's own.
fn obeyed_beyond_git(git: &Dir, place: Place, is_known: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    (OBEYED_OF_GIT.iter().map(PathBuf::from))
        .filter(|name| !is_known(name) && is_there(git, name) && !is_plain(git, name, place))
        .collect()
}

/// The git directory that an obeyed entry is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A repository's git directory.
    Top,
    /// The git directory of a linked worktree.
    Worktree,
    /// The git directory of a submodule.
    Module,
}

/// Whether an obeyed entry has only content that git creates itself.
fn is_plain(git: &Dir, name: &Path, place: Place) -> bool {
    match name.to_str() {
        Some("config" | "config.worktree") => {
            text(git, name).is_some_and(|config| is_plain_config(&config, place))
        }
        Some("hooks") => {
            let Ok(hooks) = open_below(git, name) else {
                return false;
            };
            let entries = entries(&hooks, ".");
            entries.iter().all(|entry| {
                let is_sample = entry.to_string_lossy().ends_with(".sample");
                let kind = hooks.symlink_metadata(entry);
                is_sample && kind.is_ok_and(|kind| kind.is_file())
            })
        }
        Some("info") => {
            let Ok(info) = open_below(git, name) else {
                return false;
            };
            entries(&info, ".").iter().all(|entry| {
                let is_comment = |line: &str| line.trim().is_empty() || line.starts_with('#');
                match entry.to_str() {
                    Some("exclude") => text(&info, Path::new(entry))
                        .is_some_and(|text| text.lines().all(is_comment)),
                    Some("sparse-checkout" | "refs") => true,
                    _ => false,
                }
            })
        }
        Some("modules") => {
            let mut left = MOST_MODULES;
            open_below(git, name).is_ok_and(|modules| are_plain_modules(&modules, 0, &mut left))
        }
        // The `commondir` of a linked worktree leads to its repository.
        Some("commondir") => {
            place == Place::Worktree && text(git, name).is_some_and(|text| text.trim() == "../..")
        }
        _ => false,
    }
}

fn are_plain_modules(modules: &Dir, level: usize, left: &mut usize) -> bool {
    if level > MOST_LEVELS {
        return false;
    }
    entries(modules, ".").iter().all(|name| {
        *left = left.saturating_sub(1);
        let Ok(module) = open_below(modules, Path::new(name)) else {
            return false;
        };
        let is_whole = !is_there(&module, Path::new("HEAD"))
            || OBEYED_OF_GIT.map(Path::new).iter().all(|name| {
                let is_nested = *name == Path::new("modules");
                is_nested || !is_there(&module, name) || is_plain(&module, name, Place::Module)
            });
        let is_whole = is_whole && planted_rebase(&module, &BTreeSet::new()).is_none();
        // A submodule's name may have several parts, so repositories may be in subdirectories.
        let next = if is_there(&module, Path::new("HEAD")) {
            open_below(&module, Path::new("modules")).ok()
        } else {
            Some(module)
        };
        let below = next.is_none_or(|next| are_plain_modules(&next, level + 1, left));
        *left > 0 && is_whole && below
    })
}

/// Whether a repository's settings have only plain keys.
fn is_plain_config(config: &str, place: Place) -> bool {
    let mut section = String::new();
    config.lines().all(|line| {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(header) = line.strip_prefix('[') {
            let Some(header) = header.strip_suffix(']') else {
                return false;
            };
            // A key may follow its section on the line: `[core] pager = x #]`.
            if header.contains(']') {
                return false;
            }
            let name = header.split([' ', '.', '"']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            return true;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        // A value that continues on the next line may hide a key.
        if value.ends_with('\\') {
            return false;
        }
        if place == Place::Module && section == "core" && key == "worktree" {
            return value.starts_with("../");
        }
        let is_known = (PLAIN_KEYS.iter())
            .any(|(known, keys)| *known == section && keys.contains(&key.as_str()));
        let is_text = ["name", "email", "description"].contains(&key.as_str());
        is_known && (is_text || is_plain_value(value))
    })
}

/// Whether a value names no program. `NAME::ADDRESS` and `-OPTION` name one in every address, also in a branch's
/// remote. git removes quotes and escapes within a value, so a value with one of them may mean something else.
fn is_plain_value(value: &str) -> bool {
    let is_helper = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let has_helper = value
        .split_once("::")
        .is_some_and(|(name, _)| is_helper(name));
    !value.starts_with('-') && !value.contains(['"', '\\']) && !has_helper
}

/// Whether the file `.git` in `dir` leads to a submodule or linked worktree of a repository in the root without planted
/// entries. `dir` is `path` of the root at `place`. The target is protected, or inspected after each later program too.
pub(super) fn is_link_file(
    (root, place): (&Dir, &Path),
    dir: &Dir,
    path: &Path,
    is_known: &dyn Fn(&Path) -> bool,
) -> bool {
    let Some(target) = text(dir, Path::new(".git")).and_then(|text| linked(&text, place, path))
    else {
        return false;
    };
    let parts: Vec<&OsStr> = target.iter().collect();
    let Some(n_above) = parts.iter().position(|part| *part == ".git") else {
        return false;
    };
    let (above, inner) = (&parts[..n_above], &parts[n_above + 1..]);
    let Some(kind) = place_in_repository(inner) else {
        return false;
    };
    // Build directories are neither protected nor inspected.
    let is_filled = above
        .iter()
        .any(|part| BUILD_DIRECTORIES.iter().any(|name| part == name));
    let is_plain_at = |target: &Path, kind: Place| {
        let is_known = |name: &Path| target.join(name).ancestors().any(is_known);
        open_below(root, target)
            .is_ok_and(|git| obeyed_beyond_git(&git, kind, &is_known).is_empty())
    };
    let is_plain_above = || {
        let Some(repository) = target.ancestors().nth(2) else {
            return false;
        };
        let is_top = repository.file_name().is_some_and(|name| name == ".git");
        is_plain_at(repository, if is_top { Place::Top } else { Place::Module })
    };
    !is_filled && is_plain_at(&target, kind) && (kind != Place::Worktree || is_plain_above())
}

/// The path in the root that a file `.git` in `path` leads to. `..` is accepted only before all other names: after a
/// name it could follow a link.
fn linked(text: &str, place: &Path, path: &Path) -> Option<PathBuf> {
    let target = text
        .trim_end_matches(['\n', '\r'])
        .strip_prefix("gitdir: ")?;
    // Older versions of git write the absolute path of a linked worktree's git directory.
    let target = Path::new(target);
    let (mut inside, target) = match target.strip_prefix(place) {
        Ok(below) => (PathBuf::new(), below),
        Err(_) => (path.to_owned(), target),
    };
    let mut is_named = false;
    for part in target.components() {
        match part {
            Component::Normal(name) => {
                is_named = true;
                inside.push(name);
            }
            Component::ParentDir if is_named || !inside.pop() => return None,
            Component::ParentDir | Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inside)
}

/// The kind of the git directory with this path below `.git`.
fn place_in_repository(names: &[&OsStr]) -> Option<Place> {
    let is = |n: usize, word: &str| names.get(n).is_some_and(|name| *name == word);
    match names.len() {
        2 if is(0, "worktrees") => Some(Place::Worktree),
        4.. if is(0, "worktrees") && is(2, "modules") => place_in_repository(&names[2..]),
        // A linked worktree of a submodule.
        n @ 4.. if is(0, "modules") && is(n - 2, "worktrees") => Some(Place::Worktree),
        2.. if is(0, "modules") => Some(Place::Module),
        _ => None,
    }
}

fn is_there(dir: &Dir, name: &Path) -> bool {
    dir.symlink_metadata(name).is_ok()
}

/// Opens a directory without following a link.
fn open_below(dir: &Dir, path: &Path) -> std::io::Result<Dir> {
    let mut opened = dir.try_clone()?;
    for name in path {
        opened = opened.open_dir_nofollow(name)?;
    }
    Ok(opened)
}

/// The names in a directory; empty if it is not a directory.
fn entries(dir: &Dir, name: &str) -> Vec<OsString> {
    let opened = if name == "." {
        dir.try_clone()
    } else {
        dir.open_dir_nofollow(name)
    };
    let entries = opened.and_then(|opened| opened.entries());
    entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect()
}

/// Opens a file without following a link and without waiting for a pipe.
pub(super) fn open_file(dir: &Dir, name: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK)
            .bits()
            .cast_signed(),
    );
    dir.open_with(name, &options)
}

/// The text of a short regular file that is not a link.
fn text(dir: &Dir, name: &Path) -> Option<String> {
    let file = open_file(dir, name).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
