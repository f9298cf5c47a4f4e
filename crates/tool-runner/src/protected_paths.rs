//! The protected paths of the project for users outside our sandbox: container engines, and the keys of sessions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolglot_builtins::ProtectedPaths;

use crate::failure::CallError;
use crate::runner::ToolRunner;

/// Searches the project for the protected paths of a tool.
pub(crate) fn of(runner: &ToolRunner, id: &str) -> Result<ProtectedPaths, CallError> {
    let found = ProtectedPaths::of_tool(&runner.project, id, &runner.sandbox.refused);
    found.map_err(|source| CallError::NotKept {
        id: id.to_owned(),
        source,
    })
}

/// The paths of the project that a tool may change.
pub(crate) fn writable(runner: &ToolRunner) -> Vec<PathBuf> {
    if runner.grants("fs.write") {
        runner.sandbox.writable(&runner.project)
    } else {
        Vec::new()
    }
}

/// The mount options for a container engine: `/workspace` shows and permits the same as the sandbox of a program.
pub(crate) fn mounts(runner: &ToolRunner, id: &str) -> Result<Vec<String>, CallError> {
    let paths = of(runner, id)?;
    let between = |path: &PathBuf| -> Vec<PathBuf> {
        let above = path
            .ancestors()
            .take_while(|above| **above != runner.project);
        above.map(Path::to_path_buf).collect()
    };
    let mut mounts: BTreeMap<PathBuf, Mount> = BTreeMap::new();
    let writable = writable(runner);
    let is_writable = |path: &Path| writable.iter().any(|top| path.starts_with(top));
    // A writable mount may not open a path inside a read-only one.
    let is_free = |path: &&PathBuf| !paths.guarded.iter().any(|top| path.starts_with(top));
    let parts = writable.iter().filter(|path| **path != runner.project);
    mounts.extend(
        parts
            .filter(is_free)
            .map(|path| (path.clone(), Mount::Itself)),
    );
    // Includes the parent directories, so that a protected path is not moved with its parent.
    let held = paths.guarded.iter().chain(&paths.held).flat_map(between);
    mounts.extend(
        held.filter(|path| is_writable(path))
            .map(|path| (path, Mount::Itself)),
    );
    let guarded = paths.guarded.into_iter().filter(|path| is_writable(path));
    mounts.extend(guarded.map(|path| (path, Mount::ReadOnly)));
    mounts.extend(paths.secret.into_iter().map(|path| (path, Mount::Empty)));
    let bad = |path: &Path| CallError::Config {
        id: id.to_owned(),
        why: format!(
            "the name of {} cannot be passed to a container engine",
            path.display()
        ),
    };
    let mut words = Vec::new();
    for (path, mount) in mounts {
        let inside = path.strip_prefix(&runner.project).unwrap_or(&path);
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

/// The content of a mount in a container.
enum Mount {
    /// The present entry, which cannot be moved.
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
