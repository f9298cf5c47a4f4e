//! What a call would make of a file, without doing it.

use std::path::{Path, PathBuf};

use toolglot_value::{Map, Value};

use crate::arguments::Arguments;
use crate::edit::{Edits, text};
use crate::encoding::Encoding;
use crate::shown::shown;
use crate::unified_diff::unified_diff;
use crate::{Failure, Root};

/// What a call would make of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the root.
    pub path: PathBuf,
    /// What is in it now; `None` if there is none.
    pub old: Option<String>,
    /// What would be in it.
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

/// The text of the file at `path`, which is resolved and relative to the root. `None` if it is no file, too large or binary.
pub fn text_of(root: &Root, path: &Path) -> Option<String> {
    text(root, path).ok().map(|(_, text)| text)
}

/// What a call of a tool that writes text would make of its file. `None` of other tools, and where it could not be done.
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

/// The bytes that a file would hold after a call of a tool that writes text. `None` of other tools, and where it could not be
/// done.
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
        // What is appended to a text in Latin-1 is UTF-8, so that it is known only when it is done.
        "append_file" if encoding != Encoding::Latin1 => format!("{old}{}", content?),
        "edit_file" => edited(&arguments, &path, &old)?,
        _ => return None,
    };
    encoding.write(&new).ok()
}

fn edited(arguments: &Arguments<'_>, path: &Path, old: &str) -> Option<String> {
    Edits::of(arguments).ok()?.apply(path, old).ok()
}
