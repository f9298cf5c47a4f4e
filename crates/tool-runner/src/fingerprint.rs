//! What tells whether a sandbox would be built the same now.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;

/// Device, number and last change of an entry.
type EntryMark = (u64, u64, Option<SystemTime>);

/// Places, and what stands there now.
pub(crate) type Fingerprint = Vec<(PathBuf, Option<EntryMark>)>;

/// What shows whether a sandbox for these places would be the same now. A mount stays on the file that it was put
/// on: another one that comes to stand there is bare, be it in the same inode.
pub(crate) fn fingerprint<'a>(places: impl Iterator<Item = &'a PathBuf>) -> Fingerprint {
    let mark = |path: &PathBuf| Some(entry_mark(&path.symlink_metadata().ok()?));
    places.map(|path| (path.clone(), mark(path))).collect()
}

#[cfg(unix)]
fn entry_mark(metadata: &Metadata) -> EntryMark {
    use std::os::unix::fs::MetadataExt;
    // The time of a directory's last change is that of an entry in it.
    let since = if metadata.is_dir() {
        metadata.created().ok()
    } else {
        let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
        SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::new(seconds, nanoseconds))
    };
    (metadata.dev(), metadata.ino(), since)
}

/// There are no mounts here, and no numbers of files to be had: size and time have to do.
#[cfg(not(unix))]
fn entry_mark(metadata: &Metadata) -> EntryMark {
    let since = if metadata.is_dir() {
        metadata.created().ok()
    } else {
        metadata.modified().ok()
    };
    (metadata.len(), 0, since)
}
