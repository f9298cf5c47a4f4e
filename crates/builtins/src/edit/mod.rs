//! `edit_file`: replaces pieces of a file, all or none, each only where the piece is unambiguous.
//!
//! Exact pieces are `edits`, `old_string` with `new_string`, or `search` with `replace`. SEARCH/REPLACE blocks and
//! unified diffs are in `diff`. Whole lines are replaced by `changes` (by number; for tools that are files also by id),
//! or inserted by `edits` or `line` with `content`. A piece that is missing or occurs more than once is an error that
//! shows the present text.

mod blocks;
mod exact;
mod ids;
mod lines;
mod ranges;
mod unified;

pub use ids::line_id;

use std::io::Read;
use std::path::Path;

use toolglot_value::{Value, json};

use crate::arguments::Arguments;
use crate::encoding::Encoding;
use crate::place::{OpenError, split};
use crate::shown::{plain, shown};
use crate::write::{Old, write_bytes};
use crate::{Failure, Outcome, Root};

/// The edits in one of their forms.
#[derive(Clone, Debug)]
pub(crate) enum Edits {
    Exact(Vec<exact::Edit>),
    Blocks(Vec<lines::Hunk>),
    Unified(Vec<lines::Hunk>),
    Ranges(Vec<ranges::Range>),
    Insertions(Vec<ranges::Range>),
    Ids(Vec<ids::Change>),
}

impl Edits {
    /// Reads the form that the arguments have.
    pub(crate) fn of(arguments: &Arguments<'_>) -> Result<Edits, Failure> {
        let wrong = |problem: &str| Failure::BadEdit {
            problem: problem.to_owned(),
        };
        let path = arguments.opt_text("path")?.unwrap_or_default();
        if let Some(Value::Array(changes)) = arguments.map.get("changes") {
            return match ids::read(changes) {
                Some(changes) => changes.map(Edits::Ids),
                None => ranges::read(changes).map(Edits::Ranges),
            };
        }
        let forms = ["edits", "diff", "old_string", "search", "content"]
            .map(|key| arguments.map.get(key).filter(|value| !value.is_null()));
        match forms {
            [Some(Value::Array(edits)), None, None, None, None]
                if edits.iter().any(|edit| edit.get("content").is_some()) =>
            {
                ranges::insertions(edits).map(Edits::Insertions)
            }
            [None, None, None, None, Some(_)] => {
                let insertion = Value::Object(arguments.map.clone());
                ranges::insertions(&[insertion]).map(Edits::Insertions)
            }
            [None, None, None, Some(_), None] => {
                let edit = Value::Object(arguments.map.clone());
                Ok(Edits::Exact(vec![exact::Edit::of(&edit)?]))
            }
            [Some(Value::Array(edits)), None, None, None, None] if !edits.is_empty() => edits
                .iter()
                .map(exact::Edit::of)
                .collect::<Result<_, _>>()
                .map(Edits::Exact),
            [None, Some(Value::String(diff)), None, None, None] => {
                if diff.lines().any(|line| line.starts_with("<<<<<<<")) {
                    blocks::read(diff).map(Edits::Blocks)
                } else {
                    unified::read(diff, path).map(Edits::Unified)
                }
            }
            [None, None, Some(Value::String(old)), None, None] => {
                let new = arguments.text("new_string", "the text to put there instead")?;
                let n = arguments.opt_count("expected_replacements")?.unwrap_or(1);
                Ok(Edits::Exact(vec![exact::Edit::counted(old, new, n)?]))
            }
            _ => Err(wrong(
                "give `edits`, a list of {\"search\",\"replace\"} or {\"start_line\",\"content\"}, or `diff`, SEARCH/REPLACE blocks or a unified diff. A single edit may be `old_string` with `new_string`, `search` with `replace`, or `line` with `content`",
            )),
        }
    }

    fn len(&self) -> usize {
        match self {
            Edits::Exact(edits) => edits.len(),
            Edits::Blocks(hunks) | Edits::Unified(hunks) => hunks.len(),
            Edits::Ranges(ranges) | Edits::Insertions(ranges) => ranges.len(),
            Edits::Ids(changes) => changes.len(),
        }
    }

    /// The text with all edits made.
    pub(crate) fn apply(&self, path: &Path, text: &str) -> Result<String, Failure> {
        match self {
            Edits::Exact(edits) => {
                let mut text = text.to_owned();
                for (index, edit) in edits.iter().enumerate() {
                    text = edit
                        .apply(&text)
                        .map_err(|problem| stale(path, index, problem))?;
                }
                Ok(text)
            }
            Edits::Blocks(hunks) | Edits::Unified(hunks) => {
                lines::apply(hunks, text).map_err(|(index, problem)| stale(path, index, problem))
            }
            Edits::Ranges(ranges) => {
                ranges::apply(ranges, text).map_err(|(index, problem)| stale(path, index, problem))
            }
            Edits::Insertions(ranges) => {
                ranges::insert(ranges, text).map_err(|(index, problem)| stale(path, index, problem))
            }
            Edits::Ids(changes) => ids::ranges(changes, text)
                .and_then(|ranges| ranges::apply(&ranges, text))
                .map_err(|(index, problem)| stale(path, index, problem)),
        }
    }
}

fn stale(path: &Path, index: usize, problem: String) -> Failure {
    Failure::StaleEdit {
        path: shown(path),
        number: index + 1,
        problem,
    }
}

/// The whole text of a file, and its encoding.
pub(crate) fn text(root: &Root, path: &Path) -> Result<(Encoding, String), Failure> {
    let (file, metadata) = root.file(path)?;
    let limit = root.limits.file_bytes;
    let size = metadata.len();
    if size > limit {
        return Err(Failure::TooLarge {
            what: "the size",
            path: shown(path),
            size,
            limit,
        });
    }
    let mut bytes = Vec::new();
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| root.explain("read", path, OpenError::Io(error)))?;
    let is_binary = Encoding::of_head(&bytes).is_none() && bytes.contains(&0);
    match Encoding::read(&bytes) {
        Some(read) if !is_binary => Ok(read),
        _ if is_binary => Err(Failure::Binary {
            path: shown(path),
            size,
        }),
        _ => Err(Failure::NotText { path: shown(path) }),
    }
}

/// Makes the edits.
pub(crate) fn edit(root: &Root, path: &Path, edits: &Edits) -> Result<Outcome, Failure> {
    if split(path).is_none() {
        return Err(Failure::IsDirectory { path: shown(path) });
    }
    let (encoding, old) = text(root, path)?;
    let new = edits.apply(path, &old)?;
    let n = edits.len();
    let is_changed = new != old;
    if is_changed {
        let bytes = encoding
            .write(&new)
            .map_err(|letter| Failure::NoSuchLetter {
                path: shown(path),
                encoding: encoding.name(),
                letter,
            })?;
        write_bytes(root, path, &bytes, Old::Replaced)?;
    }
    let mut output = json!({
        "success": true,
        "path": plain(path),
        "editsApplied": n,
        "changed": is_changed,
        "size": new.len(),
        "encoding": encoding.name(),
    });
    if let Edits::Ids(changes) = edits {
        let ranges = ids::ranges(changes, &old).unwrap_or_default();
        output["lines_changed"] = json!(ids::n_lines(&ranges));
        output["diff"] = json!(ids::diff(&path.to_string_lossy(), &old, &new));
    }
    let text = if is_changed {
        format!("Successfully applied {n} edit(s) to {}", shown(path))
    } else {
        "No changes made to file".to_owned()
    };
    Ok(Outcome::success(output, text))
}
