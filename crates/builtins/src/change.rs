//! The new content that a call would give a file, computed without a write.

use std::path::{Path, PathBuf};

use toolglot_value::{Map, Value};

use crate::arguments::Arguments;
use crate::edit::{Edits, text};
use crate::encoding::Encoding;
use crate::shown::shown;
use crate::unified_diff::unified_diff;
use crate::{Failure, Root};

/// The old and the new content of a file that a call would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the root.
    pub path: PathBuf,
    /// The present content; `None` if there is no file.
    pub old: Option<String>,
    /// The new content.
    pub new: String,
}

impl Change {
    /// The difference, as a unified diff.
    pub fn diff(&self) -> String {
        let old = self.old.as_deref().unwrap_or_default();
        let name = shown(&self.path);
        let before = if self.old.is_some() {
            format!("a/{name}")
        } else {
            "/dev/null".to_owned()
        };
        unified_diff((&before, old), (&format!("b/{name}"), &self.new), true)
    }
}

/// The text of the file at `path`, which is resolved and relative to the root. `None` if it is not a file, too large or
/// binary.
pub fn text_of(root: &Root, path: &Path) -> Option<String> {
    text(root, path).ok().map(|(_, text)| text)
}

/// The change that a call of a text-writing tool would make. `None` for other tools, and for calls that would fail.
pub fn change(root: &Root, tool: &str, arguments: &Map<String, Value>) -> Option<Change> {
    let arguments = Arguments {
        tool: tool.to_owned(),
        map: arguments,
    };
    let path = root.resolve(arguments.opt_text("path").ok()??).ok()?.path;
    let old = match text(root, &path) {
        Ok((_, old)) => Some(old),
        Err(Failure::NotFound { .. }) => None,
        Err(_) => return None,
    };
    let content = || {
        arguments
            .opt_text("content")
            .ok()
            .flatten()
            .map(str::to_owned)
    };
    let new = match tool {
        "write_file" => content()?,
        "append_file" => format!("{}{}", old.as_deref().unwrap_or_default(), content()?),
        "edit_file" => edited(&arguments, &path, old.as_deref()?)?,
        _ => return None,
    };
    Some(Change { path, old, new })
}

/// The bytes of a file after a call of a text-writing tool. `None` for other tools, for calls that would fail, and
/// where the bytes are not known in advance.
pub(crate) fn new_bytes(
    root: &Root,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Option<Vec<u8>> {
    let arguments = Arguments {
        tool: tool.to_owned(),
        map: arguments,
    };
    let content = arguments.opt_text("content").ok()?;
    if tool == "write_file" {
        return Some(content?.as_bytes().to_vec());
    }
    let path = root.resolve(arguments.opt_text("path").ok()??).ok()?.path;
    let (encoding, old) = match text(root, &path) {
        Ok(found) => found,
        Err(Failure::NotFound { .. }) => (Encoding::Utf8, String::new()),
        Err(_) => return None,
    };
    let new = match tool {
        // In Latin-1 the appended text stays UTF-8, so the bytes are known only after the call.
        "append_file" if encoding != Encoding::Latin1 => format!("{old}{}", content?),
        "edit_file" => edited(&arguments, &path, &old)?,
        _ => return None,
    };
    encoding.write(&new).ok()
}

fn edited(arguments: &Arguments<'_>, path: &Path, old: &str) -> Option<String> {
    Edits::of(arguments).ok()?.apply(path, old).ok()
}
