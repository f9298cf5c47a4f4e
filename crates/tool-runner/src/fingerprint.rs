//! What tells whether a sandbox would be built the same now.

use std::path::PathBuf;
use std::time::SystemTime;

/// Places, and what stands there now.
pub(crate) type Fingerprint = Vec<(PathBuf, Option<(u64, u64, Option<SystemTime>)>)>;

/// What tells whether walls that are about these places would be built the same now. A mount stays on the file that it was put
/// on: another one that comes to stand there is bare, be it in the same inode.
pub(crate) fn fingerprint<'a>(places: impl Iterator<Item = &'a PathBuf>) -> Fingerprint {
    use std::os::unix::fs::MetadataExt;
    let mark = |path: &PathBuf| {
        let metadata = path.symlink_metadata().ok()?;
        // The time of a directory's last change is that of an entry in it.
        let since = if metadata.is_dir() {
            metadata.created().ok()
        } else {
            let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
            let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
            SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::new(seconds, nanoseconds))
        };
        Some((metadata.dev(), metadata.ino(), since))
    };
    places.map(|path| (path.clone(), mark(path))).collect()
}
