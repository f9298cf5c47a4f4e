//! A private directory on the disk: for programs that have no private mounts, and for several that share one.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::plan::setup;
use super::step::Step;
use crate::SandboxError;

/// A directory of this user alone, removed when it is dropped: what the commands of one call have for temporary files, see
/// [`Command::temporary`](crate::Command::temporary).
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one where the system has its temporary files.
    ///
    /// # Errors
    /// If none can be made there.
    pub fn new() -> Result<Scratch, SandboxError> {
        Scratch::make().map_err(|error| setup(Step::Temporary, None, error))
    }

    fn make() -> io::Result<Scratch> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("toolglot-{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Scratch(path)),
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's temporary directory, as with every other program.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
