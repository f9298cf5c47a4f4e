//! The directory that tools are confined to.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::{Limits, ProgramSandbox};

/// The directory that tools are confined to, held open. It stays the same directory when it is renamed.
#[derive(Debug)]
pub struct Root {
    pub(crate) dir: Dir,
    /// The prefixes of absolute paths into the root: with its links followed, and as the user wrote it.
    pub(crate) spellings: [PathBuf; 2],
    pub(crate) limits: Limits,
    pub(crate) sandbox: ProgramSandbox,
}

impl Root {
    /// Opens a directory, with the default limits.
    ///
    /// # Errors
    /// If the path does not exist, is not a directory, or is not readable.
    pub fn open(path: &Path) -> io::Result<Root> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let spellings = [path.canonicalize()?, std::path::absolute(path)?];
        Ok(Root {
            dir,
            spellings,
            limits: Limits::default(),
            sandbox: ProgramSandbox::default(),
        })
    }

    /// The same root with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Root {
        Root { limits, ..self }
    }

    /// The same root with another sandbox of programs.
    #[must_use]
    pub fn with_sandbox(self, sandbox: ProgramSandbox) -> Root {
        Root { sandbox, ..self }
    }

    /// The same directory, opened once more, with another sandbox of programs.
    ///
    /// # Errors
    /// If the process has no free file descriptor.
    pub fn sharing(&self, sandbox: ProgramSandbox) -> io::Result<Root> {
        Ok(Root {
            dir: self.dir.try_clone()?,
            spellings: self.spellings.clone(),
            limits: self.limits.clone(),
            sandbox,
        })
    }

    /// The root's path at the time of opening: absolute, links followed.
    pub fn path(&self) -> &Path {
        &self.spellings[0]
    }

    /// An absolute path relative to the root, if it starts with one of the root's spellings.
    pub(crate) fn relative<'p>(&self, absolute: &'p Path) -> Option<&'p Path> {
        self.spellings
            .iter()
            .find_map(|root| absolute.strip_prefix(root).ok())
    }
}
