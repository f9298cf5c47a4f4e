//! The paths of the root that commands and tools' programs may not see or change.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toolglot_policy::{Refusals, is_guarded, is_secret};
use toolglot_sandbox::{Command, Inspection, Isolation};

use crate::Failure;
use crate::approved_writes::n_writes;
use crate::git_directory::{is_repository, obeyed_in, rebase_commands_in, secrets_of_git};
use crate::root_snapshot::{BUILD_DIRECTORIES, RootSnapshot};

/// The most entries of the root that are searched. With more entries no command runs, since protected paths could be
/// missed.
pub(crate) const MOST_VISITS: usize = 1_000_000;

/// The existing paths that programs may not change or see. All paths are absolute.
#[derive(Debug, Default)]
pub struct ProtectedPaths {
    /// Read-only paths.
    pub guarded: Vec<PathBuf>,
    /// Hidden paths: programs see them empty.
    pub secret: Vec<PathBuf>,
    /// Directories that may not be moved: an entry in them is refused by its path, not by its name.
    pub held: Vec<PathBuf>,
    /// The `.git` of repositories. git writes there, so commands get only its obeyed entries read-only; for tools all
    /// of it is.
    pub repositories: Vec<PathBuf>,
    /// Writable paths inside read-only ones: see `tool_cache`.
    pub reopened: Vec<PathBuf>,
    /// The root before the program: the inspection finds later names by it.
    before: RootSnapshot,
}

impl ProtectedPaths {
    /// Searches the whole root; the policy's rules may name `tool`. Names that a program creates later are not
    /// included: they are quarantined after the program ends.
    ///
    /// # Errors
    ///
    /// The root has too many entries, or is nested deeper than a path can name.
    pub fn of(root: &Path, tool: &str, refused: &Refusals) -> Result<ProtectedPaths, Failure> {
        let mut paths = ProtectedPaths::default();
        paths.before.root = root.to_path_buf();
        paths.before.n_writes = n_writes();
        tool.clone_into(&mut paths.before.tool);
        paths.before.refused = refused.clone();
        // Directories to search; the flag is whether obeyed names count below. They do not below read-only and build
        // directories.
        let mut stack = vec![(PathBuf::new(), true)];
        let mut n_visits = 0;
        while let Some((directory, guards)) = stack.pop() {
            let entries = match std::fs::read_dir(root.join(&directory)) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::InvalidFilename => {
                    return Err(Failure::TooDeep);
                }
                // A missing or unreadable directory is so for commands, too.
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
                // Two names are enough: no directory further up is secret or obeyed, since the search does not enter
                // such directories.
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
                    // git itself has to write here; only its obeyed entries are read-only.
                    let git = root.join(path);
                    paths.repositories.push(git.clone());
                    paths.guarded.extend(obeyed_in(&git));
                    paths
                        .before
                        .rebase_commands
                        .extend(rebase_commands_in(&git));
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
                        let is_filled = BUILD_DIRECTORIES.iter().any(|filled| name == *filled);
                        stack.push((path, guards && !stays && !is_filled));
                    }
                }
            }
            let place = root.join(&directory);
            let is_there = |name: &str| place.join(name).symlink_metadata().is_ok();
            if has_head && guards && is_repository(&is_there) {
                paths.guarded.extend(obeyed_in(&place));
                paths
                    .before
                    .rebase_commands
                    .extend(rebase_commands_in(&place));
                paths.before.bare_repositories.insert(directory);
            }
        }
        Ok(paths)
    }

    /// The same for a tool that is a file: all of `.git` is read-only to it.
    ///
    /// # Errors
    ///
    /// As [`of`](ProtectedPaths::of).
    pub fn of_tool(root: &Path, tool: &str, refused: &Refusals) -> Result<ProtectedPaths, Failure> {
        let mut paths = ProtectedPaths::of(root, tool, refused)?;
        paths.guarded.append(&mut paths.repositories);
        Ok(paths)
    }

    /// Adds the paths to a program's sandbox. Only the level `namespaces` supports that.
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
    /// The inspection after a program that may write below `write`.
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

/// Whether a file has several hard links.
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
