//! The caches below `.ai` of tools that are files.

use std::path::{Path, PathBuf};

use toolglot_policy::{Refusals, is_secret};

use crate::Root;

/// The directory of the tools' caches.
pub(crate) const CACHE: &str = ".ai/cache/tools";
/// The index of line ids, which the origin's file tools share.
const LINE_INDEX: &str = "read/line_index";

/// The directories below `.ai` that a tool with write access may change: its cache `.ai/cache/tools/ID` and the line
/// index. Absolute; missing ones are created. A path that rules refuse or that contains a link is left out.
///
/// # Errors
///
/// The root cannot be opened.
pub(crate) fn caches(root: &Path, tool: &str, refused: &Refusals) -> std::io::Result<Vec<PathBuf>> {
    let opened = Root::open(root)?;
    let places = [tool, LINE_INDEX].map(|name| Path::new(CACHE).join(name));
    let is_plain = |path: &Path| {
        let mut parts = path.components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    let is_refused = |path: &Path| {
        let mut above = path.ancestors();
        above.any(|path| refused.keeps(tool, path) || refused.hides_from_program(tool, path))
    };
    Ok(places
        .iter()
        .filter(|path| is_plain(path) && !is_refused(path) && !is_secret(path))
        .filter(|path| opened.make_directory(path).is_ok())
        .map(|path| opened.path().join(path))
        .collect())
}
