//! What in the project a tool may not see or change: the same that commands may not, and `.git` as a whole. Of `.ai` its own
//! cache is left to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolglot_exec::{Kept, caches};
use toolglot_sandbox::Isolation;

use crate::CallError;
use crate::call::Host;

/// Looks for it. Walls that can hide nothing inside the project have nothing to ask.
pub(crate) fn of(host: &Host<'_>, id: &str, is_container: bool) -> Result<Kept, CallError> {
    if host.isolation != Isolation::Namespaces && !is_container {
        return Ok(Kept::default());
    }
    let mut kept =
        Kept::of(&host.project, id, &host.refused).map_err(|source| CallError::NotKept {
            id: id.to_owned(),
            source,
        })?;
    kept.guarded.append(&mut kept.repositories);
    Ok(kept)
}

/// Opens the tool's own cache below `.ai`, where it may write at all.
pub(crate) fn open_caches(host: &Host<'_>, id: &str, kept: &mut Kept) {
    if host.isolation == Isolation::Namespaces && host.grants("fs.write") {
        // Without one the tool is told that it may not write there, as it would be of any other place.
        kept.reopened = caches(&host.project, id, &host.refused).unwrap_or_default();
    }
}

/// The same in words for a container engine, which has the project at `/workspace`.
pub(crate) fn mounts(host: &Host<'_>, id: &str) -> Result<Vec<String>, CallError> {
    let kept = of(host, id, true)?;
    let between = |path: &PathBuf| -> Vec<PathBuf> {
        let above = path.ancestors().take_while(|above| **above != host.project);
        above.map(Path::to_path_buf).collect()
    };
    let mut mounts: BTreeMap<PathBuf, Mount> = BTreeMap::new();
    if host.grants("fs.write") {
        // With the directories that they stand in, so that none is moved away with them.
        for path in kept.guarded.iter().chain(&kept.held).flat_map(between) {
            mounts.insert(path, Mount::Itself);
        }
        mounts.extend(kept.guarded.into_iter().map(|path| (path, Mount::ReadOnly)));
    }
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
