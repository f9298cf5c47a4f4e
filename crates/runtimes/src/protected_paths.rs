//! What in the project a tool may not see or change, for those who build no sandbox of ours: container engines, and sessions that
//! have to know whether theirs would be built the same now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolglot_exec::ProtectedPaths;

use crate::CallError;
use crate::call::Host;

/// Looks for it.
pub(crate) fn of(host: &Host<'_>, id: &str) -> Result<ProtectedPaths, CallError> {
    let found = ProtectedPaths::of_tool(&host.project, id, &host.sandbox.refused);
    found.map_err(|source| CallError::NotKept {
        id: id.to_owned(),
        source,
    })
}

/// What of the project a tool may change now.
pub(crate) fn writable(host: &Host<'_>) -> Vec<PathBuf> {
    if host.grants("fs.write") {
        host.sandbox.writable(&host.project)
    } else {
        Vec::new()
    }
}

/// The project in words for a container engine: at `/workspace`, with the same to see and to change as a program here has.
pub(crate) fn mounts(host: &Host<'_>, id: &str) -> Result<Vec<String>, CallError> {
    let kept = of(host, id)?;
    let between = |path: &PathBuf| -> Vec<PathBuf> {
        let above = path.ancestors().take_while(|above| **above != host.project);
        above.map(Path::to_path_buf).collect()
    };
    let mut mounts: BTreeMap<PathBuf, Mount> = BTreeMap::new();
    let writable = writable(host);
    let is_writable = |path: &Path| writable.iter().any(|top| path.starts_with(top));
    // What programs obey is not opened by a mount inside of it.
    let is_free = |path: &&PathBuf| !kept.guarded.iter().any(|guarded| path.starts_with(guarded));
    let parts = writable.iter().filter(|path| **path != host.project);
    mounts.extend(
        parts
            .filter(is_free)
            .map(|path| (path.clone(), Mount::Itself)),
    );
    // With the directories that they stand in, so that none is moved away with them.
    let held = kept.guarded.iter().chain(&kept.held).flat_map(between);
    mounts.extend(
        held.filter(|path| is_writable(path))
            .map(|path| (path, Mount::Itself)),
    );
    let guarded = kept.guarded.into_iter().filter(|path| is_writable(path));
    mounts.extend(guarded.map(|path| (path, Mount::ReadOnly)));
    mounts.extend(kept.secret.into_iter().map(|path| (path, Mount::Empty)));
    let bad = |path: &Path| CallError::Config {
        id: id.to_owned(),
        why: format!(
            "the name of {} cannot be told to a container engine",
            path.display()
        ),
    };
    let mut words = Vec::new();
    for (path, mount) in mounts {
        let inside = path.strip_prefix(&host.project).unwrap_or(&path);
        let target = Path::new("/workspace").join(inside);
        let (Some(source), Some(target)) = (path.to_str(), target.to_str()) else {
            return Err(bad(&path));
        };
        let (kind, source, mode) = match mount {
            Mount::Itself => ("bind", Some(source), None),
            Mount::ReadOnly => ("bind", Some(source), Some("readonly")),
            Mount::Empty if path.is_dir() => ("tmpfs", None, Some("readonly")),
            Mount::Empty => ("bind", Some("/dev/null"), Some("readonly")),
        };
        let fields = [
            Some(format!("type={kind}")),
            source.map(|source| format!("source={source}")),
            Some(format!("target={target}")),
            mode.map(str::to_owned),
        ];
        let fields: Vec<String> = fields.into_iter().flatten().map(field).collect();
        words.extend(["--mount".to_owned(), fields.join(",")]);
    }
    Ok(words)
}

/// What a container finds at a place.
enum Mount {
    /// What is there, and that cannot be moved.
    Itself,
    ReadOnly,
    Empty,
}

/// A field of a line of comma-separated values, as engines read it.
fn field(text: String) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// Places, and what stands there now.
pub(crate) type Print = Vec<(PathBuf, Option<(u64, u64, Option<SystemTime>)>)>;

/// What tells whether walls that are about these places would be built the same now. A mount stays on the file that it was put
/// on: another one that comes to stand there is bare, be it in the same inode.
pub(crate) fn print<'a>(places: impl Iterator<Item = &'a PathBuf>) -> Print {
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
