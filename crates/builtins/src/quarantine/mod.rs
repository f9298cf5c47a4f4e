//! Quarantines names that other programs obey: a program created them, and they are renamed after it ends.
//!
//! Existing entries with such names are mounted read-only for the program. A mount needs an existing path, so a missing
//! name cannot be protected in advance. When all processes of the program have ended, the root is searched again. A new
//! entry with such a name is renamed in its directory, never removed, and the result says so.
//!
//! git creates such names itself: a new repository stays if nothing in it runs a program, see [`git`].

mod git;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags, RenameFlags};
use toolglot_policy::is_guarded;
use toolglot_sandbox::Inspection;

use crate::approved_writes;
use crate::git_directory::is_repository;
use crate::root_snapshot::{BUILD_DIRECTORIES, RootSnapshot};

/// The most entries that are inspected. Before the program there were at most half as many.
const MOST_VISITS: usize = 2_000_000;

/// The most names that are tried for a quarantined entry.
const MOST_NAMES: usize = 10_000;

/// The most bytes of the old name in the new one.
const MOST_OF_NAME: usize = 120;

/// The most levels below such a name that are searched for approved writes.
const MOST_LEVELS: usize = 12;

/// How many paths a result names.
const SHOWN: usize = 8;

/// Inspects the root when all processes of a program have ended. The program may write below `tops`, relative to the
/// root. The root is held open until then.
pub(crate) fn inspection(before: RootSnapshot, tops: Vec<PathBuf>) -> Inspection {
    let root = Dir::open_ambient_dir(&before.root, ambient_authority());
    let quarantine = Quarantine { before, tops };
    Inspection::new(move |words| match &root {
        Ok(root) => quarantine.run(root, words),
        Err(error) => vec![format!(
            "WARNING: names that other programs obey could not be looked for: {error}"
        )],
    })
}

/// The inspection of the root after a program.
#[derive(Clone, Debug)]
struct Quarantine {
    before: RootSnapshot,
    /// Where the program may write.
    tops: Vec<PathBuf>,
}

impl Quarantine {
    /// Returns one line for each finding.
    fn run(&self, root: &Dir, words: &[OsString]) -> Vec<String> {
        let mut walk = Walk {
            quarantine: self,
            root,
            is_clone: git::is_clone(words),
            moved: Vec::new(),
            stuck: Vec::new(),
            cloned: Vec::new(),
            is_cut: false,
        };
        walk.run();
        walk.restore_links();
        walk.remarks()
    }
}

struct Walk<'a> {
    quarantine: &'a Quarantine,
    root: &'a Dir,
    /// Whether the program is `git clone`, which creates a whole directory.
    is_clone: bool,
    /// Old and new paths.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Entries that could not be renamed.
    stuck: Vec<PathBuf>,
    /// Obeyed entries that a clone created.
    cloned: Vec<PathBuf>,
    is_cut: bool,
}

/// A directory to inspect.
struct Ahead {
    path: PathBuf,
    /// Whether obeyed names count below it; refused paths count everywhere.
    guards: bool,
    /// Whether programs obey every entry of it.
    is_obeyed: bool,
    /// Whether it is in a directory that `git clone` made.
    is_cloned: bool,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut queue: VecDeque<Ahead> = (self.quarantine.tops.iter())
            .map(|path| Ahead {
                path: path.clone(),
                guards: true,
                is_obeyed: false,
                is_cloned: false,
            })
            .collect();
        let mut n_visits = 0;
        // Breadth first: most programs obey entries at the top.
        while let Some(at) = queue.pop_front() {
            let Some(opened) = self.open(&at.path) else {
                continue;
            };
            let entries: Vec<(OsString, bool, bool)> = match opened.dir.entries() {
                Ok(entries) => entries
                    .flatten()
                    .filter_map(|entry| {
                        let kind = entry.file_type().ok()?;
                        Some((entry.file_name(), kind.is_dir(), kind.is_symlink()))
                    })
                    .collect(),
                Err(_) => continue,
            };
            n_visits += entries.len();
            if n_visits > MOST_VISITS {
                self.is_cut = true;
                return;
            }
            let is_new = !self.quarantine.before.directories.contains(&at.path);
            let has_repository = entries
                .iter()
                .any(|(name, is_dir, _)| name == ".git" && *is_dir);
            let is_cloned = at.is_cloned || (self.is_clone && is_new && has_repository);
            let is_there = |name: &str| entries.iter().any(|(entry, ..)| entry == name);
            if at.guards && is_repository(&is_there) {
                self.bare_repository(&opened.dir, &at.path);
            }
            for (name, is_directory, is_link) in entries {
                let path = at.path.join(&name);
                if let Some(next) =
                    self.entry(&opened.dir, &at, path, is_directory, is_link, is_cloned)
                {
                    queue.push_back(next);
                }
            }
            opened.close();
        }
    }

    /// Decides about one entry. Returns the directory to inspect next, if it is one.
    fn entry(
        &mut self,
        dir: &Dir,
        at: &Ahead,
        path: PathBuf,
        is_directory: bool,
        is_link: bool,
        is_cloned: bool,
    ) -> Option<Ahead> {
        let before = &self.quarantine.before;
        if before.protected.contains(&path) && !is_link {
            return None;
        }
        let name = path.file_name().unwrap_or_default().to_owned();
        let near = Path::new(at.path.file_name().unwrap_or_default()).join(&name);
        let is_refused = before.refused.keeps(&before.tool, &path);
        let is_obeyed = is_refused || at.is_obeyed || (at.guards && is_guarded(&near));
        if is_directory && before.reopened.iter().any(|open| open.starts_with(&path)) {
            let is_open = before.reopened.contains(&path);
            return (!is_open).then_some(Ahead {
                path,
                guards: at.guards,
                is_obeyed,
                is_cloned,
            });
        }
        if name == ".git" && is_directory && !is_refused && at.guards {
            self.repository(dir, &path);
            return None;
        }
        if is_obeyed {
            let is_known = || {
                let target = dir.read_link_contents(&name).ok();
                target.is_some() && target.as_ref() == before.links.get(&path)
            };
            let stays = is_link && is_known();
            let is_of_git = || {
                name == ".git"
                    && !is_link
                    && git::is_link_file((self.root, &before.root), dir, &at.path, &|path| {
                        before.protected.contains(path)
                    })
            };
            let is_written = || !is_refused && self.is_written(dir, &path, &name, 0);
            if !stays && !is_of_git() && !is_written() {
                if is_cloned && !is_refused {
                    self.cloned.push(path);
                } else {
                    self.aside(dir, &path);
                }
            }
            return None;
        }
        let is_filled = BUILD_DIRECTORIES.iter().any(|filled| name == *filled);
        (is_directory && (!is_filled || !before.refused.is_empty())).then_some(Ahead {
            path,
            guards: at.guards && !is_filled,
            is_obeyed: false,
            is_cloned,
        })
    }

    /// Whether a builtin tool wrote `name` in `dir`, with everything below it, with an approval since the program
    /// started.
    fn is_written(&self, dir: &Dir, path: &Path, name: &OsStr, level: usize) -> bool {
        let before = &self.quarantine.before;
        let Ok(kind) = dir.symlink_metadata(name) else {
            return false;
        };
        if kind.is_dir() && level < MOST_LEVELS {
            let Ok(inner) = dir.open_dir_nofollow(name) else {
                return false;
            };
            let Ok(entries) = inner.entries() else {
                return false;
            };
            let mut n_entries = 0;
            let is_whole = entries.map_while(Result::ok).all(|entry| {
                let name = entry.file_name();
                n_entries += 1;
                self.is_written(&inner, &path.join(&name), &name, level + 1)
            });
            return is_whole && n_entries > 0;
        }
        kind.is_file()
            && git::open_file(dir, Path::new(name)).is_ok_and(|file| {
                approved_writes::is_written(&before.root.join(path), before.n_writes, file)
            })
    }

    /// Quarantines planted entries of the repository `path`, which is in `dir`.
    fn repository(&mut self, dir: &Dir, path: &Path) {
        let Ok(git) = dir.open_dir_nofollow(".git") else {
            self.aside(dir, path);
            return;
        };
        let before = &self.quarantine.before;
        let is_known = |name: &Path| before.protected.contains(&path.join(name));
        let planted = git::planted(&git, &is_known, &before.rebase_commands);
        self.aside_below(path, &planted);
    }

    /// Quarantines planted entries of the directory `path`, whose entries make it a bare repository. If it is new as a
    /// repository, only its `HEAD` is quarantined: then git ignores it, and the rest may be the user's.
    fn bare_repository(&mut self, dir: &Dir, path: &Path) {
        let before = &self.quarantine.before;
        let was_repository = before.bare_repositories.contains(path);
        let is_known = |name: &Path| was_repository && before.protected.contains(&path.join(name));
        let planted = git::planted(dir, &is_known, &before.rebase_commands);
        if was_repository {
            self.aside_below(path, &planted);
        } else if !planted.is_empty() {
            self.aside(dir, &path.join("HEAD"));
        }
    }

    /// Quarantines the entries with these names below `path`.
    fn aside_below(&mut self, path: &Path, names: &[PathBuf]) {
        for name in names {
            let parent = path.join(name.parent().unwrap_or(Path::new("")));
            if let Some(opened) = self.open(&parent) {
                self.aside(&opened.dir, &path.join(name));
                opened.close();
            }
        }
    }

    /// Quarantines the entry `path`, which is in `dir`.
    fn aside(&mut self, dir: &Dir, path: &Path) {
        let name = path.file_name().unwrap_or_default();
        match rename(dir, name) {
            Ok(new) => self.moved.push((path.to_owned(), path.with_file_name(new))),
            // The entry is gone already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => self.stuck.push(path.to_owned()),
        }
    }

    /// Restores the user's links that the program removed.
    fn restore_links(&mut self) {
        for (path, target) in &self.quarantine.before.links {
            let name = path.file_name().unwrap_or_default();
            let is_ours = |top: &PathBuf| path.starts_with(top);
            let parent = path.parent().unwrap_or(Path::new(""));
            if !self.quarantine.tops.iter().any(is_ours) {
                continue;
            }
            if let Some(opened) = self.open(parent) {
                if opened.dir.symlink_metadata(name).is_err() {
                    // An error is ignored: a link that cannot be made again is left out.
                    let _ = rustix::fs::symlinkat(target, &opened.dir, name);
                }
                opened.close();
            }
        }
    }

    /// Opens a directory below the root without following a link. A directory that the program closed gets its
    /// permissions back until [`Opened::close`].
    fn open(&self, path: &Path) -> Option<Opened> {
        let mut dir = self.root.try_clone().ok()?;
        let mut closed = Vec::new();
        let mut here = PathBuf::new();
        for name in path {
            here.push(name);
            dir = match dir.open_dir_nofollow(name) {
                Ok(dir) => dir,
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied
                        && !self.quarantine.before.closed.contains(&here) =>
                {
                    let mode = widen(&dir, name).ok()?;
                    let inner = dir.open_dir_nofollow(name).ok()?;
                    closed.push((inner.try_clone().ok()?, mode));
                    inner
                }
                Err(_) => return None,
            };
        }
        Some(Opened { dir, closed })
    }

    fn remarks(self) -> Vec<String> {
        let mut remarks = Vec::new();
        let list = |places: Vec<String>| {
            let more = places.len().saturating_sub(SHOWN);
            let shown = places[..places.len() - more].join(", ");
            if more > 0 {
                format!("{shown} and {more} more")
            } else {
                shown
            }
        };
        if !self.moved.is_empty() {
            let places = (self.moved.iter())
                .map(|(from, to)| format!("`{}` to `{}`", from.display(), to.display()))
                .collect();
            remarks.push(format!(
                "moved aside, since other programs obey such names: {}; only the user may rename them back",
                list(places)
            ));
        }
        let named = |places: &[PathBuf]| {
            list(
                places
                    .iter()
                    .map(|path| format!("`{}`", path.display()))
                    .collect(),
            )
        };
        if !self.stuck.is_empty() {
            remarks.push(format!(
                "WARNING: other programs obey these, and they could not be moved aside: {}",
                named(&self.stuck)
            ));
        }
        if !self.cloned.is_empty() {
            remarks.push(format!(
                "the clone has files that other programs obey; the user should look at them first: {}",
                named(&self.cloned)
            ));
        }
        if self.is_cut {
            remarks.push(format!(
                "WARNING: there are more than {MOST_VISITS} files now: not all were looked at for names that other programs obey"
            ));
        }
        remarks
    }
}

/// An opened directory, and the directories on the way whose permissions were widened, with their old modes.
struct Opened {
    dir: Dir,
    closed: Vec<(Dir, u32)>,
}

impl Opened {
    fn close(self) {
        for (dir, mode) in self.closed {
            restore(&dir, Some(mode));
        }
    }
}

/// Gives the owner access to a directory. Returns the old mode.
fn widen(parent: &Dir, name: &OsStr) -> io::Result<u32> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let place = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    let metadata = rustix::fs::fstat(&place)?;
    // `fchmod` refuses an `O_PATH` handle, but its name in `/proc` works.
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    std::fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(metadata.st_mode & 0o7777 | 0o700),
    )?;
    Ok(metadata.st_mode & 0o7777)
}

/// Renames an entry so that no program obeys its name. Returns the new name.
fn rename(dir: &Dir, name: &OsStr) -> io::Result<String> {
    let plain = name.to_string_lossy();
    let mut plain = plain.trim_start_matches('.');
    while plain.len() > MOST_OF_NAME {
        let mut letters = plain.chars();
        letters.next_back();
        plain = letters.as_str();
    }
    let mut was = None;
    for n in 1..MOST_NAMES {
        let new = format!("quarantine-{n}.{plain}.moved");
        match rustix::fs::renameat_with(dir, name, dir, new.as_str(), RenameFlags::NOREPLACE) {
            Ok(()) => {
                restore(dir, was);
                return Ok(new);
            }
            Err(rustix::io::Errno::EXIST) => {}
            // The program may have removed its directory's permissions.
            Err(rustix::io::Errno::ACCESS) if was.is_none() => {
                let mode = rustix::fs::fstat(dir)?.st_mode & 0o7777;
                rustix::fs::fchmod(dir, Mode::from_raw_mode(mode | 0o700))?;
                was = Some(mode);
            }
            Err(error) => {
                restore(dir, was);
                return Err(error.into());
            }
        }
    }
    restore(dir, was);
    Err(io::ErrorKind::AlreadyExists.into())
}

fn restore(dir: &Dir, mode: Option<u32>) {
    if let Some(mode) = mode {
        let _ = rustix::fs::fchmod(dir, Mode::from_raw_mode(mode));
    }
}
