//! What in the root programs may not see or change: commands, and tools that are files.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toolglot_policy::{Refusals, is_guarded, is_secret};
use toolglot_sandbox::{Command, Inspection, Isolation};

use crate::Failure;
use crate::approved_writes::n_writes;
use crate::git_directory::{is_repository, obeyed_in, rebase_commands_in, secrets_of_git};
use crate::root_snapshot::{BUILD_DIRECTORIES, RootSnapshot};

/// Entries of the root that are looked at. Where there are more, no command runs: what it could see is not known.
pub(crate) const MOST_VISITS: usize = 1_000_000;

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
    /// What inside of that may be changed all the same: see `tool_cache`.
    pub reopened: Vec<PathBuf>,
    /// What else has to be known to tell what comes to stand under such names later.
    before: RootSnapshot,
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
                        ahead.push((path, guards && !stays && !is_filled));
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
