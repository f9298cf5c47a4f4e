//! Every tool file below a directory, by name only.

use std::path::Path;

use cap_std::fs::Dir;

use super::open::failure;
use crate::stamp::FileStamp;
use crate::{Entry, ItemId, Space};
use toolglot_tool_files::EXTENSIONS;

/// The most files that are listed.
const MAX_FILES: usize = 100_000;
/// The most levels of directories.
const MAX_LEVELS: usize = 32;

/// Passes each tool file below a directory to `add`, and each unreadable path to `problems`.
pub(super) fn walk(
    (tools, root): (&Dir, &Path),
    space: Space,
    is_stamped: bool,
    add: &mut impl FnMut(Entry, Option<FileStamp>),
    problems: &mut Vec<String>,
) {
    let mut open: Vec<(Dir, String, usize)> = match tools.try_clone() {
        Ok(dir) => vec![(dir, String::new(), 0)],
        Err(error) => {
            problems.push(format!("{}: {error}", root.display()));
            return;
        }
    };
    let mut files_left = MAX_FILES;
    while let Some((dir, prefix, level)) = open.pop() {
        let entries = match dir.entries() {
            Ok(entries) => entries,
            Err(error) => {
                problems.push(format!("{}/{prefix}: {error}", root.display()));
                continue;
            }
        };
        let mut relative = prefix.clone();
        for entry in entries {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                continue;
            };
            if name.starts_with(['.', '_']) || name == "node_modules" {
                continue;
            }
            if files_left == 0 {
                problems.push(format!(
                    "{}: more than {MAX_FILES} files, the rest is not listed",
                    root.display()
                ));
                return;
            }
            files_left -= 1;
            relative.truncate(prefix.len());
            relative.push_str(name);
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let (is_dir, is_file) = if kind.is_symlink() {
                match tools.metadata(&relative) {
                    Ok(metadata) => (metadata.is_dir(), metadata.is_file()),
                    Err(error) => {
                        let error = failure(error, &relative);
                        problems.push(error.to_string());
                        continue;
                    }
                }
            } else {
                (kind.is_dir(), kind.is_file())
            };
            if is_dir {
                // Following a link to a parent directory would never end.
                if level < MAX_LEVELS && !kind.is_symlink() {
                    match entry.open_dir() {
                        Ok(below) => open.push((below, format!("{relative}/"), level + 1)),
                        Err(error) => problems.push(format!("{relative}: {error}")),
                    }
                }
                continue;
            }
            let Some((stem, extension)) = relative.rsplit_once('.') else {
                continue;
            };
            let known = EXTENSIONS.iter().find(|(known, _)| *known == extension);
            let id = known.filter(|_| is_file).map(|_| ItemId::new(stem));
            if let Some(Err(why)) = &id {
                problems.push(format!("`{relative}` is not a tool: {why}"));
            }
            if let (Some((extension, _)), Some(Ok(id))) = (known, id) {
                let metadata = if !is_stamped {
                    None
                } else if kind.is_symlink() {
                    tools.metadata(&relative).ok()
                } else {
                    entry.metadata().ok()
                };
                let entry = Entry {
                    id,
                    space,
                    extension,
                };
                add(entry, metadata.as_ref().and_then(FileStamp::of));
            }
        }
    }
}
