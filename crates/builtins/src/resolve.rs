//! Resolves a path as written to a path inside the root.
//!
//! The walk resolves one component at a time, like the kernel, by name in the directory held open. The result is a path
//! without links. Later operations go down that path without following a link. So a link put there in the meantime
//! makes them fail instead of leading elsewhere.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use toolglot_policy::{Escape, Inside};

use crate::Root;

/// The most links on one path, as in Linux.
const MAX_LINKS: usize = 40;

/// The most bytes of a path, as in Linux.
const MAX_BYTES: usize = 4096;

impl Root {
    /// Resolves a path that a model wrote: relative to the root, or absolute and inside it.
    ///
    /// Links inside the root are followed. Parts that do not exist stay as written. Nothing is decoded or trimmed:
    /// `%2e%2e` and a blank at the end are ordinary characters. A path that a shell would expand to a home directory is
    /// refused.
    ///
    /// # Errors
    /// If the path leads out of the root, or cannot be resolved.
    pub fn resolve(&self, written: &str) -> Result<Inside, Escape> {
        if written.is_empty() {
            return Err(Escape::Empty);
        }
        if written.contains('\0') {
            return Err(Escape::ZeroByte);
        }
        if written.len() > MAX_BYTES {
            return Err(Escape::TooLong {
                bytes: written.len(),
            });
        }
        if is_url(written) {
            return Err(Escape::Url);
        }
        if Escape::is_home(written) {
            return Err(Escape::Home);
        }
        if Escape::disguises(written) {
            return Err(Escape::Disguised);
        }
        let path = Path::new(written);
        let path = if path.is_absolute() {
            self.relative(path).ok_or(Escape::Absolute)?
        } else {
            path
        };
        let mut walk = Walk {
            root: self,
            ahead: VecDeque::new(),
            path: PathBuf::new(),
            n_missing: 0,
            n_links: 0,
        };
        walk.push(path, None).ok_or(Escape::Absolute)?;
        while let Some(step) = walk.ahead.pop_front() {
            walk.step(step)?;
        }
        let climbs = path
            .components()
            .any(|component| component == Component::ParentDir);
        let is_shared = walk.n_missing == 0 && self.is_shared(&walk.path);
        Ok(Inside {
            path: walk.path,
            climbs,
            is_shared,
        })
    }
}

impl Root {
    /// Whether `path` is a regular file with several hard links.
    #[cfg(unix)]
    fn is_shared(&self, path: &Path) -> bool {
        use cap_std::fs::MetadataExt;
        let metadata = self.dir.symlink_metadata(path);
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
    }

    #[cfg(not(unix))]
    fn is_shared(&self, _: &Path) -> bool {
        false
    }
}

struct Walk<'a> {
    root: &'a Root,
    /// The remaining steps.
    ahead: VecDeque<Step>,
    /// The resolved prefix, without links.
    path: PathBuf,
    /// How many components at the end of `path` do not exist.
    n_missing: usize,
    n_links: usize,
}

struct Step {
    to: To,
    /// The link whose target contains this step, relative to the root.
    link: Option<Rc<Path>>,
}

enum To {
    Parent,
    Child(OsString),
}

impl Walk<'_> {
    /// Adds a path before the remaining steps. `None` if the path is not relative.
    fn push(&mut self, path: &Path, link: Option<&Rc<Path>>) -> Option<()> {
        for component in path.components().rev() {
            let to = match component {
                Component::CurDir => continue,
                Component::ParentDir => To::Parent,
                Component::Normal(name) => To::Child(name.to_owned()),
                Component::RootDir | Component::Prefix(_) => return None,
            };
            self.ahead.push_front(Step {
                to,
                link: link.cloned(),
            });
        }
        Some(())
    }

    fn step(&mut self, step: Step) -> Result<(), Escape> {
        match step.to {
            To::Parent => {
                self.n_missing = self.n_missing.saturating_sub(1);
                if self.path.pop() {
                    return Ok(());
                }
                Err(step.link.map_or(Escape::Climbs, |link| Escape::Link {
                    link: link.to_path_buf(),
                }))
            }
            To::Child(name) => {
                self.path.push(name);
                if self.n_missing > 0 {
                    self.n_missing += 1;
                    return Ok(());
                }
                self.look(step.link)
            }
        }
    }

    /// Checks the entry at `path`, which was reached through `link`.
    fn look(&mut self, link: Option<Rc<Path>>) -> Result<(), Escape> {
        let metadata = match self.root.dir.symlink_metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.n_missing = 1;
                return Ok(());
            }
            Err(error) => return Err(self.unreadable(&error)),
        };
        if metadata.is_symlink() {
            // An error names the first of a chain of links, since the model knows that one.
            let link = link.unwrap_or_else(|| Rc::from(self.path.as_path()));
            return self.follow(&link);
        }
        if !metadata.is_dir() && !self.ahead.is_empty() {
            return Err(Escape::ThroughFile {
                at: self.path.clone(),
            });
        }
        Ok(())
    }

    /// Continues with the target of the link at `path`.
    fn follow(&mut self, link: &Rc<Path>) -> Result<(), Escape> {
        self.n_links += 1;
        if self.n_links > MAX_LINKS {
            return Err(Escape::Circle {
                link: link.to_path_buf(),
            });
        }
        let target = self
            .root
            .dir
            .read_link_contents(&self.path)
            .map_err(|error| self.unreadable(&error))?;
        let outside = || Escape::Link {
            link: link.to_path_buf(),
        };
        if target.is_absolute() {
            self.path.clear();
            let target = self.root.relative(&target).ok_or_else(outside)?;
            self.push(target, Some(link)).ok_or_else(outside)
        } else {
            self.path.pop();
            self.push(&target, Some(link)).ok_or_else(outside)
        }
    }

    fn unreadable(&self, error: &io::Error) -> Escape {
        Escape::Unreadable {
            at: self.path.clone(),
            kind: error.kind(),
        }
    }
}

/// Whether the path starts like `file://`.
fn is_url(written: &str) -> bool {
    written.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}
