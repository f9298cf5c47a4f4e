//! A hash of the sizes and times of files.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// A hash of the sizes and times of files. It changes when a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FilesHash(u64);

impl FilesHash {
    /// The hash of the files in their present state.
    pub(crate) fn of(files: impl IntoIterator<Item = PathBuf>) -> FilesHash {
        let mut hasher = DefaultHasher::new();
        for file in files {
            let state = file.metadata().ok().map(|metadata| {
                let time = metadata.modified().ok();
                let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                (metadata.len(), time, identity(&metadata))
            });
            state.hash(&mut hasher);
        }
        FilesHash(hasher.finish())
    }
}

/// The identity of the file and the time of its last change of any kind: resetting the modification time hides no
/// change.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt;
    [
        metadata.dev().cast_signed(),
        metadata.ino().cast_signed(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 4] {
    [0; 4]
}
