//! What git obeys in a repository, where a program may have made it.
//!
//! `git init` and `git clone` make a repository whose settings run nothing: samples of hooks, a `config` of plain keys. Such a
//! repository stays. A hook, a setting of another key, or a directory that the settings come from is moved aside; the rest of the
//! repository stays as it is.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

use crate::program_sandbox::git_command;
use crate::protected_paths::OBEYED_OF_GIT;

/// Bytes of such a file that are read. Git's own are short.
const MOST_BYTES: u64 = 1 << 20;

/// Repositories of submodules that are looked at, and how deep their names go.
const MOST_MODULES: usize = 1_000;
const MOST_LEVELS: usize = 12;

/// Keys that run no program and name no other file, by section; `*` is any key. Sections with a name of their own, such as
/// remotes, have it for `SECTION.*`.
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

/// Whether these are the words of `git clone`. A program of that name elsewhere is not git.
pub(super) fn is_clone(words: &[OsString]) -> bool {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.first().is_some_and(|program| program == "git") && git_command(&words) == Some("clone")
}

/// What in the repository `git` is obeyed, is not known from before, and is more than git makes by itself. Relative paths.
pub(super) fn planted(git: &Dir, is_known: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = OBEYED_OF_GIT
        .iter()
        .map(PathBuf::from)
        .filter(|name| !is_known(name) && is_there(git, name) && !is_plain(git, name, Place::Top))
        .collect();
    // Further working trees have their settings from where `commondir` says.
    for name in entries(git, "worktrees") {
        let path = Path::new("worktrees").join(&name);
        let Ok(tree) = open_below(git, &path) else {
            found.push(path);
            continue;
        };
        found.extend(
            ["commondir", "config.worktree", "hooks", "config"]
                .map(Path::new)
                .iter()
                .filter(|name| !is_known(&path.join(name)) && is_there(&tree, name))
                .filter(|name| !is_plain(&tree, name, Place::Worktree))
                .map(|name| path.join(name)),
        );
    }
    found
}

/// Where something obeyed stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a repository's own directory.
    Top,
    /// In that of a further working tree.
    Worktree,
    /// In that of a submodule.
    Module,
}

/// Whether something obeyed is as git makes it.
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
        // That of a further tree leads to the repository that the tree is of.
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
        // A name may have parts, so that repositories stand in directories.
        let next = if is_there(&module, Path::new("HEAD")) {
            open_below(&module, Path::new("modules")).ok()
        } else {
            Some(module)
        };
        let below = next.is_none_or(|next| are_plain_modules(&next, level + 1, left));
        *left > 0 && is_whole && below
    })
}

/// Whether a repository's settings have plain keys alone.
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
            let name = header.split([' ', '.', '"']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            return true;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        // A value that goes on in the next line may hide one.
        if value.ends_with('\\') {
            return false;
        }
        if place == Place::Module && section == "core" && key == "worktree" {
            return value.starts_with("../");
        }
        let is_known = (PLAIN_KEYS.iter())
            .any(|(known, keys)| *known == section && keys.contains(&key.as_str()));
        // `NAME::ADDRESS` and `-OPTION` run a program.
        let is_address = !key.ends_with("url")
            || !(value.starts_with(['-', '"'])
                || value.split_once("::").is_some_and(|(helper, _)| {
                    helper
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
                }));
        is_known && is_address
    })
}

/// Whether the file `.git` in `dir`, which is `path` of the root at `place`, leads to a submodule or a further tree of a repository in the
/// root. What git obeys there is judged where that repository stands.
pub(super) fn is_link_file((root, place): (&Dir, &Path), dir: &Dir, path: &Path) -> bool {
    let Some(text) = text(dir, Path::new(".git")) else {
        return false;
    };
    let Some(target) = text.trim_end().strip_prefix("gitdir: ") else {
        return false;
    };
    // Older versions of git write the whole path of a further tree's directory.
    let target = Path::new(target);
    let (mut inside, target) = match target.strip_prefix(place) {
        Ok(below) => (PathBuf::new(), below),
        Err(_) => (path.to_owned(), target),
    };
    for part in target.components() {
        match part {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir if !inside.pop() => return false,
            Component::ParentDir | Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    let mut parts = inside.components().map(Component::as_os_str);
    let has_repository = parts.any(|part| part == ".git");
    let kind = parts.next();
    let is_kind = kind.is_some_and(|kind| kind == "modules" || kind == "worktrees");
    has_repository && is_kind && open_below(root, &inside).is_ok()
}

fn is_there(dir: &Dir, name: &Path) -> bool {
    dir.symlink_metadata(name).is_ok()
}

/// Opens a directory by no link.
fn open_below(dir: &Dir, path: &Path) -> std::io::Result<Dir> {
    let mut opened = dir.try_clone()?;
    for name in path {
        opened = opened.open_dir_nofollow(name)?;
    }
    Ok(opened)
}

/// Names in a directory; none where it is no directory.
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

/// A short file, if it is one, and no link.
fn text(dir: &Dir, name: &Path) -> Option<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK)
            .bits()
            .cast_signed(),
    );
    let file = dir.open_with(name, &options).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
