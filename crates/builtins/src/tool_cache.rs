//! The caches that tools which are files have below `.ai`.

use std::path::{Path, PathBuf};

use toolglot_policy::{Refusals, is_secret};

use crate::Root;

/// Where below `.ai` tools that are files keep what they remember.
pub(crate) const CACHE: &str = ".ai/cache/tools";
/// The ids that lines were given, which the origin's file tools share.
const LINE_INDEX: &str = "read/line_index";

/// The directories below `.ai` that a tool with the right to write may change: its own cache, `.ai/cache/tools/ID`, and the index
/// of lines. Made where they are missing; absolute. One that rules refuse, or that a link leads to, is not one.
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
