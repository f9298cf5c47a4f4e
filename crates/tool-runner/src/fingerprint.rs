//! Fingerprints of paths: they show whether a sandbox would be built the same again.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;

/// Device, inode number and last change of an entry.
type EntryMark = (u64, u64, Option<SystemTime>);

/// Paths with their present entries.
pub(crate) type Fingerprint = Vec<(PathBuf, Option<EntryMark>)>;

/// Fingerprints the paths of a sandbox. A mount stays on its file: a new file at the same path is not covered, even
/// with the same inode number.
pub(crate) fn fingerprint<'a>(places: impl Iterator<Item = &'a PathBuf>) -> Fingerprint {
    let stamp = |path: &PathBuf| Some(entry_mark(&path.symlink_metadata().ok()?));
    places.map(|path| (path.clone(), stamp(path))).collect()
}

#[cfg(unix)]
fn entry_mark(metadata: &Metadata) -> EntryMark {
    use std::os::unix::fs::MetadataExt;
    // A directory's change time moves with its entries, so the creation time is used.
    let since = if metadata.is_dir() {
        metadata.created().ok()
    } else {
        let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
        SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::new(seconds, nanoseconds))
    };
    (metadata.dev(), metadata.ino(), since)
}

/// This system has no mounts and no inode numbers: size and time are used.
#[cfg(not(unix))]
fn entry_mark(metadata: &Metadata) -> EntryMark {
    let since = if metadata.is_dir() {
        metadata.created().ok()
    } else {
        metadata.modified().ok()
    };
    (metadata.len(), 0, since)
}
