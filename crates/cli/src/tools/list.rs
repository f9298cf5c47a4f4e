//! `toolglot tools list`.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Map, Value};
use toolglot_toolfiles::{Entry, FindError, Registry, Spaces, Stamp, Trust};

use super::args::{Common, ToolsFormat};
use super::shelf::{Row, Shelf};
use super::{root, view};
use crate::Outcome;
use crate::failure::Failure;

/// Fewer files than this are read by one thread.
const FEW: usize = 64;

pub(super) fn list(
    search: Option<&str>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let spaces = Spaces::of(root(&common.root)?);
    let registry = Registry::open(&spaces)?;
    let (entries, mut problems) = registry.stamped();
    let shelf = Shelf::open(&spaces);
    let mut rows = Vec::with_capacity(entries.len());
    for (entry, stamp, row) in rows_of(&registry, &spaces, entries, &shelf)? {
        match row {
            Ok(row) => rows.push((entry, stamp, row)),
            Err(error) => problems.push(error.to_string()),
        }
    }
    shelf.keep(&rows);
    let words: Vec<String> = search
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let mut found: Vec<(usize, &Entry, &Row)> = rows
        .iter()
        .filter_map(|(entry, _, row)| Some((rank(&words, &registry, entry, row)?, entry, row)))
        .collect();
    // The order of ids stays among those that fit equally well.
    found.sort_by_key(|(rank, ..)| *rank);
    let text = match common.format {
        ToolsFormat::Json => json(&found, &problems),
        ToolsFormat::Human => human(&found, &problems),
    };
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

fn json(found: &[(usize, &Entry, &Row)], problems: &[String]) -> String {
    let mut text = String::from("{\"tools\":[");
    for (index, (_, _, row)) in found.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&row.json);
    }
    let problems = Value::from(problems.to_vec());
    let _ = writeln!(text, "],\"problems\":{problems}}}");
    text
}

fn human(found: &[(usize, &Entry, &Row)], problems: &[String]) -> String {
    let mut text = String::new();
    let widths = found.iter().map(|(_, entry, _)| entry.id.as_str().len());
    let width = widths.max().unwrap_or(0).min(48);
    for (_, entry, row) in found {
        let Row {
            space,
            status,
            version,
            about,
            ..
        } = row;
        let id = entry.id.as_str();
        let _ = writeln!(
            text,
            "{id:width$}  {space:7}  {status:10}  {version:6}  {about}"
        );
    }
    if found.is_empty() {
        text.push_str("no tools\n");
    }
    for problem in problems {
        let _ = writeln!(text, "note: {problem}");
    }
    text
}

/// A file of a listing with what is told of it, or why that cannot be.
type Told = (Entry, Option<Stamp>, Result<Row, FindError>);

/// What is told of each: what was kept where the file is as it was, otherwise what it says, read by as many threads as there
/// are processors.
fn rows_of(
    registry: &Registry,
    spaces: &Spaces,
    entries: Vec<(Entry, Option<Stamp>)>,
    shelf: &Shelf,
) -> Result<Vec<Told>, Failure> {
    let kept: Vec<Option<&Row>> = entries
        .iter()
        .map(|(entry, stamp)| shelf.get(entry, stamp.as_ref()))
        .collect();
    if kept.iter().all(Option::is_some) {
        let told = entries.into_iter().zip(kept);
        return Ok(told
            .filter_map(|((entry, stamp), row)| Some((entry, stamp, Ok(row?.clone()))))
            .collect());
    }
    let trust = Trust::open(spaces)?;
    let read = |entry: &Entry, kept: Option<&Row>| match kept {
        Some(row) => Ok(row.clone()),
        None => row(registry, &trust, entry),
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let n_each = entries.len().div_ceil(n_threads).max(FEW);
    let rows: Vec<Result<Row, FindError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = entries
            .chunks(n_each)
            .zip(kept.chunks(n_each))
            .map(|(entries, kept)| {
                scope.spawn(move || {
                    let all = entries.iter().zip(kept);
                    all.map(|((entry, _), kept)| read(entry, *kept))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| match thread.join() {
                Ok(rows) => rows,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    let told = entries.into_iter().zip(rows);
    Ok(told
        .map(|((entry, stamp), row)| (entry, stamp, row))
        .collect())
}

/// What a file says of itself.
fn row(registry: &Registry, trust: &Trust, entry: &Entry) -> Result<Row, FindError> {
    let found = registry.read(entry)?;
    let tool = found.tool();
    let standing = trust.standing(&found, tool.metadata.version.as_deref());
    let fields = view::brief(&found, tool, &standing);
    let field = |name: &str| {
        let text = fields.get(name).and_then(Value::as_str).unwrap_or("-");
        let line = text.lines().next().unwrap_or("-");
        line.replace(char::is_control, " ")
    };
    let mut about = field("description");
    if tool.metadata.is_deprecated() {
        about.push_str(" (deprecated)");
    }
    let n_errors = tool.errors().count();
    if n_errors > 0 {
        let id = &entry.id;
        let _ = write!(about, " ({n_errors} errors: `toolglot tools check {id}`)");
    }
    let status = fields
        .get("standing")
        .and_then(|standing| standing["status"].as_str());
    Ok(Row {
        space: field("space"),
        status: status.unwrap_or("-").to_owned(),
        version: field("version"),
        about,
        json: Value::Object(fields).to_string(),
    })
}

/// How well a tool fits the words, the less the better; `None` if it lacks one of them.
fn rank(words: &[String], registry: &Registry, entry: &Entry, row: &Row) -> Option<usize> {
    if words.is_empty() {
        return Some(0);
    }
    let fields: Map<String, Value> = serde_json::from_str(&row.json).unwrap_or_default();
    let name = entry.id.as_str().to_lowercase();
    let tags = fields.get("tags").and_then(Value::as_array);
    let tags: Vec<&str> = tags
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let tags = tags.join(" ").to_lowercase();
    let description = fields.get("description").and_then(Value::as_str);
    let description = description.unwrap_or_default().to_lowercase();
    let mut sum = 0;
    let mut text = None;
    for word in words {
        sum += if name.contains(word) {
            0
        } else if tags.contains(word) {
            1
        } else if description.contains(word) {
            2
        } else {
            let text = text.get_or_insert_with(|| {
                let found = registry.read(entry);
                found.map_or_else(|_| String::new(), |found| found.text().to_lowercase())
            });
            if !text.contains(word) {
                return None;
            }
            3
        };
    }
    Some(sum)
}
