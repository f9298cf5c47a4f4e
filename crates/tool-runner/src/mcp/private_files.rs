//! Files that only their user may read, on each system.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading. On Unix it does not follow a link and does not wait for a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

/// Whether nobody else may read a file.
#[cfg(unix)]
#[expect(
    clippy::verbose_bit_mask,
    reason = "the mask is how permissions are written"
)]
pub(super) fn is_private(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o077 == 0
}

/// Whether nobody else may read a file. Without modes a file inherits the rights of the user's directory.
#[cfg(not(unix))]
pub(super) fn is_private(_: &Metadata) -> bool {
    true
}

/// Makes a directory and its missing parents.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Waits for the lock and takes it; it is held while the file is open.
#[cfg(unix)]
pub(super) fn lock(path: &Path) -> io::Result<File> {
    use rustix::fs::{FlockOperation, flock};
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

/// Waits for the lock and takes it; it is held while the file is open.
#[cfg(windows)]
pub(super) fn lock(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    /// `ERROR_SHARING_VIOLATION`: another process has it open.
    const IS_TAKEN: i32 = 32;
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(false)
        .share_mode(0);
    loop {
        match options.open(path) {
            Err(error) if error.raw_os_error() == Some(IS_TAKEN) => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            opened => return opened,
        }
    }
}

/// This system has no file locks that the crate knows.
#[cfg(not(any(unix, windows)))]
pub(super) fn lock(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
