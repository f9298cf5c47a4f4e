//! The directory that no tool leaves.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::{Limits, ProgramSandbox};

/// The directory that no tool leaves, held open. It stays the same directory when it is renamed.
#[derive(Debug)]
pub struct Root {
    pub(crate) dir: Dir,
    /// How an absolute path into the root may start: as the user wrote the root, and with its links followed.
    pub(crate) spellings: [PathBuf; 2],
    pub(crate) limits: Limits,
    pub(crate) sandbox: ProgramSandbox,
}

impl Root {
    /// Opens a directory, with the default limits.
    ///
    /// # Errors
    /// If it does not exist, is no directory, or may not be read.
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
    /// If the process has no handle left.
    pub fn sharing(&self, sandbox: ProgramSandbox) -> io::Result<Root> {
        Ok(Root {
            dir: self.dir.try_clone()?,
            spellings: self.spellings.clone(),
            limits: self.limits.clone(),
            sandbox,
        })
    }

    /// Where the root was when it was opened: absolute, links followed.
    pub fn path(&self) -> &Path {
        &self.spellings[0]
    }

    /// An absolute path without the root's own path, if it starts with it.
    pub(crate) fn relative<'p>(&self, absolute: &'p Path) -> Option<&'p Path> {
        self.spellings
            .iter()
            .find_map(|root| absolute.strip_prefix(root).ok())
    }
}
