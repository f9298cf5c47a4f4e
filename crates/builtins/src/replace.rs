//! Replaces a file atomically: at any moment it has the old content or the new.

use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// The most names that are tried for the temporary file; other processes may leave files.
const ATTEMPTS: u32 = 64;

/// Writes `name` in `dir` with the content that `write` produces. It keeps the mode of an `old` file, and its owner if
/// possible.
///
/// The content goes to a temporary file, which is then renamed. A hard link to the old file keeps the old content.
pub(crate) fn replace(
    dir: &Dir,
    name: &OsStr,
    old: Option<&Metadata>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, mut file) = Temporary::create(dir, old.is_some())?;
    write(&mut file)?;
    if let Some(old) = old {
        keep_mode(&file, old)?;
    }
    file.sync_all()?;
    temporary.rename(name)
}

/// A temporary file that is removed unless it was renamed.
struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    fn create(dir: &'a Dir, is_private: bool) -> io::Result<(Temporary<'a>, File)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if is_private {
            private(&mut options);
        }
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".toolglot-{}-{number}.tmp", std::process::id());
            match dir.open_with(&name, &options) {
                Ok(file) => {
                    return Ok((
                        Temporary {
                            dir,
                            name,
                            is_renamed: false,
                        },
                        file,
                    ));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn rename(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // An error here is ignored: the caller reports the earlier error.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// No other user may read the file before it has the old file's mode.
#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(unix)]
fn keep_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // An ordinary user cannot change the owner: then the new file belongs to that user.
        let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    // Without the setuid and setgid bits: new content must not run as another user.
    file.set_permissions(Permissions::from_mode(old.mode() & 0o777))
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn keep_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
