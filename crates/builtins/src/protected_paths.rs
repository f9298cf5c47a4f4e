//! What in the root programs may not see or change: commands, and tools that are files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toolglot_policy::{Escape, Inside, PathFact, Refusals, is_guarded, is_secret};
use toolglot_sandbox::{Command, Inspection, Isolation};

use crate::approved_writes::n_writes;
use crate::{Failure, Root};

/// Entries of the root that are looked at. Where there are more, no command runs: what it could see is not known.
const MOST_VISITS: usize = 1_000_000;

/// Entries that are moved with a directory. Each of them is judged.
const MOST_MOVED: usize = 100_000;

/// Entries below a repository's own directories that are looked at for settings.
const MOST_SETTINGS: usize = 10_000;

/// Levels of directories below them that are looked into.
const MOST_LEVELS: usize = 12;

/// Directories that package managers and builders fill, and empty again: what programs obey may be changed there, since a file
/// that stays as it is stays there.
pub(crate) const FILLED: &[&str] = &[
    "node_modules",
    "target",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    "dist",
    "build",
];

/// What programs may not change or see, of what is there. All paths are absolute.
#[derive(Debug, Default)]
pub struct ProtectedPaths {
    /// What stays as it is.
    pub guarded: Vec<PathBuf>,
    /// What is empty.
    pub secret: Vec<PathBuf>,
    /// Directories that stay where they are: what is in them is refused for its path, not for its name.
    pub held: Vec<PathBuf>,
    /// The `.git` of repositories. git writes there, so that for commands only what it obeys stays as it is; nobody else has to.
    pub repositories: Vec<PathBuf>,
    /// What inside of that may be changed all the same: see `caches`.
    pub reopened: Vec<PathBuf>,
    /// What else has to be known to tell what comes to stand under such names later.
    before: Before,
}

/// What a program of git takes settings and programs from, in a repository's own directory.
pub(crate) const OBEYED_OF_GIT: [&str; 6] = [
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "commondir",
];

/// Whether git takes a directory with these names for a repository, whatever it is called. It asks for no more.
pub(crate) fn is_repository(is_there: &dyn Fn(&str) -> bool) -> bool {
    is_there("HEAD") && (is_there("commondir") || (is_there("objects") && is_there("refs")))
}

/// What stood in the root before a program ran. Paths are relative to it.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "no program runs there")
)]
pub(crate) struct Before {
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
    /// All directories.
    pub(crate) directories: HashSet<PathBuf>,
    /// Directories that this user cannot look into.
    pub(crate) closed: HashSet<PathBuf>,
}

/// Where below `.ai` tools that are files keep what they remember.
pub(crate) const CACHE: &str = ".ai/cache/tools";
/// The ids that lines were given, which the origin's file tools share.
const LINE_INDEX: &str = "read/line_index";

/// The directories below `.ai` that a tool with the right to write may change: its own cache, `.ai/cache/tools/ID`, and the index
/// of lines. Made where they are missing; absolute. One that rules refuse, or that a link leads to, is none.
///
/// # Errors
///
/// The root cannot be opened.
pub(crate) fn caches(root: &Path, tool: &str, refused: &Refusals) -> std::io::Result<Vec<PathBuf>> {
    let opened = Root::open(root)?;
    let places = [tool, LINE_INDEX].map(|name| Path::new(CACHE).join(name));
    let is_plain = |path: &Path| {
        let mut parts = path.components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    let is_refused = |path: &Path| {
        let mut above = path.ancestors();
        above.any(|path| refused.keeps(tool, path) || refused.hides_from_program(tool, path))
    };
    Ok(places
        .iter()
        .filter(|path| is_plain(path) && !is_refused(path) && !is_secret(path))
        .filter(|path| opened.make_directory(path).is_ok())
        .map(|path| opened.path().join(path))
        .collect())
}

impl ProtectedPaths {
    /// Looks through the root, all of it, for `tool`, which rules may name. Names that come later are not among them: what a
    /// program makes of such a name is moved aside when it has ended.
    ///
    /// # Errors
    ///
    /// There is more than can be looked through, or it stands deeper than a path can say.
    pub fn of(root: &Path, tool: &str, refused: &Refusals) -> Result<ProtectedPaths, Failure> {
        let mut paths = ProtectedPaths::default();
        paths.before.root = root.to_path_buf();
        paths.before.n_writes = n_writes();
        tool.clone_into(&mut paths.before.tool);
        paths.before.refused = refused.clone();
        // Whether what programs obey is looked for below: it may be changed there, or all of it stays as it is.
        let mut ahead = vec![(PathBuf::new(), true)];
        let mut n_visits = 0;
        while let Some((directory, guards)) = ahead.pop() {
            let entries = match std::fs::read_dir(root.join(&directory)) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::InvalidFilename => {
                    return Err(Failure::TooDeep);
                }
                // What is gone, or closed to this user, is so to commands.
                Err(_) => {
                    paths.before.closed.insert(directory);
                    continue;
                }
            };
            paths.before.directories.insert(directory.clone());
            let mut has_head = false;
            for entry in entries.flatten() {
                n_visits += 1;
                if n_visits > MOST_VISITS {
                    return Err(Failure::TooMany { n: MOST_VISITS });
                }
                let name = entry.file_name();
                has_head |= name == "HEAD";
                let path = directory.join(&name);
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                // What stands further above is neither secret nor obeyed, or nobody would look here.
                let near = Path::new(directory.file_name().unwrap_or_default()).join(&name);
                if kind.is_symlink() {
                    if let Ok(target) = std::fs::read_link(root.join(&path))
                        && guards
                        && is_guarded(&near)
                    {
                        paths.before.links.insert(path, target);
                    }
                    continue;
                }
                if name == ".git" && kind.is_dir() && !refused.hides_from_program(tool, &path) {
                    // git itself has to write here; what it obeys has to stay.
                    let git = root.join(path);
                    paths.repositories.push(git.clone());
                    paths.guarded.extend(obeyed_in(&git));
                    paths.secret.extend(secrets_of_git(&git));
                } else if is_secret(&near)
                    || refused.hides_from_program(tool, &path)
                    || (refused.shared && is_shared(&entry))
                {
                    if !is_secret(Path::new(&name)) {
                        paths.held.push(root.join(&directory));
                    }
                    paths.secret.push(root.join(path));
                } else {
                    let is_refused = refused.keeps(tool, &path);
                    if is_refused {
                        paths.held.push(root.join(&directory));
                    }
                    let stays = is_refused || (is_guarded(&near) && guards);
                    if stays {
                        paths.guarded.push(root.join(&path));
                    }
                    if kind.is_dir() {
                        let is_filled = FILLED.iter().any(|filled| name == *filled);
                        ahead.push((path, guards && !stays && !is_filled));
                    }
                }
            }
            let place = root.join(&directory);
            let is_there = |name: &str| place.join(name).symlink_metadata().is_ok();
            if has_head && guards && is_repository(&is_there) {
                paths.guarded.extend(obeyed_in(&place));
                paths.before.bare_repositories.insert(directory);
            }
        }
        Ok(paths)
    }

    /// The same for a tool that is a file, which has no business in `.git` at all.
    ///
    /// # Errors
    ///
    /// As [`of`](ProtectedPaths::of).
    pub fn of_tool(root: &Path, tool: &str, refused: &Refusals) -> Result<ProtectedPaths, Failure> {
        let mut paths = ProtectedPaths::of(root, tool, refused)?;
        paths.guarded.append(&mut paths.repositories);
        Ok(paths)
    }

    /// Puts them into the sandbox of a program; weaker levels cannot do that.
    pub(crate) fn protect(mut self, command: &mut Command) {
        if command.isolation == Isolation::Namespaces {
            command.inspection = self.inspection(&command.write);
            command.protect.extend(self.guarded);
            command.hold.extend(self.held);
            command.mask.extend(self.secret);
            command.reopen.extend(self.reopened);
        }
    }
}

#[cfg(target_os = "linux")]
impl ProtectedPaths {
    /// What is looked for when a program has ended that may change these places.
    pub(crate) fn inspection(&mut self, write: &[PathBuf]) -> Option<Inspection> {
        if write.is_empty() {
            return None;
        }
        let mut before = std::mem::take(&mut self.before);
        let root = before.root.clone();
        let inside = |path: &PathBuf| path.strip_prefix(&root).ok().map(Path::to_path_buf);
        let protected = self.guarded.iter().chain(&self.secret);
        before.protected.extend(protected.filter_map(inside));
        before.reopened = self.reopened.iter().filter_map(inside).collect();
        let tops = write.iter().filter_map(inside).collect();
        Some(crate::quarantine::inspection(before, tops))
    }
}

#[cfg(not(target_os = "linux"))]
impl ProtectedPaths {
    /// Nothing: no program runs here.
    #[expect(clippy::unused_self, reason = "as elsewhere")]
    pub(crate) fn inspection(&mut self, _: &[PathBuf]) -> Option<Inspection> {
        None
    }
}

/// What git obeys in a repository's own directory, as far as it is there.
fn obeyed_in(git: &Path) -> Vec<PathBuf> {
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

/// Whether a file has another name as well.
#[cfg(unix)]
fn is_shared(entry: &std::fs::DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    entry
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn is_shared(_: &std::fs::DirEntry) -> bool {
    false
}

/// Files of a repository that hold passwords: the store of `git credential`, and settings with one, those of its modules and
/// further trees too.
fn secrets_of_git(git: &Path) -> Vec<PathBuf> {
    let mut found = vec![git.join("credentials")];
    found.retain(|path| path.exists());
    let mut settings = vec![git.join("config"), git.join("config.worktree")];
    let mut ahead = vec![(git.join("modules"), 0), (git.join("worktrees"), 0)];
    let mut n_visits = 0;
    while let Some((directory, level)) = ahead.pop() {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries {
            n_visits += 1;
            if n_visits > MOST_SETTINGS {
                break;
            }
            let name = entry.file_name();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && level < MOST_LEVELS && name != "objects" {
                ahead.push((entry.path(), level + 1));
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
        crate::TOOLS.iter().any(|tool| {
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
