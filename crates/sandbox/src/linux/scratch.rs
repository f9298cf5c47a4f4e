//! A private directory on the disk: for programs without private mounts, and for several programs that share one.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::step::{Step, setup};
use crate::SandboxError;

/// A directory of this user alone, removed when it is dropped. The commands of one call have their temporary files
/// there; see [`Command::temporary`](crate::Command::temporary).
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a directory in the system's directory for temporary files.
    ///
    /// # Errors
    /// If no directory can be made there.
    pub fn new() -> Result<Scratch, SandboxError> {
        Scratch::make_in(&std::env::temp_dir()).map_err(|error| setup(Step::Temporary, None, error))
    }

    fn make_in(base: &Path) -> io::Result<Scratch> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = base.canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("toolglot-{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Scratch(path)),
            }
        }
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file that cannot be removed stays in the system's temporary directory, as with every other program.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_is_of_this_user_alone_and_goes_with_its_owner() {
        let base = tempfile::tempdir().expect("a directory");
        let made = [Scratch::make_in(base.path()), Scratch::make_in(base.path())];
        let made = made.map(|made| made.expect("it can be made"));
        assert_ne!(made[0].path(), made[1].path());
        let rights = std::fs::metadata(made[0].path())
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(rights & 0o777, 0o700);
        std::fs::write(made[0].path().join("a"), "x").expect("written");
        drop(made);
        assert_eq!(std::fs::read_dir(base.path()).expect("readable").count(), 0);
    }

    #[test]
    fn a_place_where_nothing_can_be_made_is_an_error() {
        for base in ["/proc", "/no/such/directory"] {
            assert!(Scratch::make_in(Path::new(base)).is_err(), "{base}");
        }
    }

    #[test]
    fn a_name_that_is_taken_is_passed_over() {
        let base = tempfile::tempdir().expect("a directory");
        let first = Scratch::make_in(base.path()).expect("it can be made");
        let name = first
            .path()
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (stem, number) = name.rsplit_once('-').expect("a number");
        let number: u32 = number.parse().expect("a number");
        for next in 1..4 {
            let taken = base.path().join(format!("{stem}-{}", number + next));
            std::fs::create_dir(taken).expect("it is made");
        }
        let second = Scratch::make_in(base.path()).expect("it can be made");
        assert!(second.path().is_dir() && second.path() != first.path());
    }
}
