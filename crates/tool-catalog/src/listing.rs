//! All tools of a catalog, one on each line.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_tool_registry::{Entry, FileStamp, FindError, Registry};
use toolglot_value::{Map, Value};

use crate::row_cache::{Row, RowCache};
use crate::{Catalog, brief};

/// How many files a thread takes at a time.
const FEW: usize = 32;

/// The tools that can be called by their ids, each with its row, in order of id.
#[derive(Debug)]
pub struct Listing<'c> {
    rows: Vec<(Entry, Option<FileStamp>, Row<'c>)>,
    /// The faults of the listing, in words.
    pub problems: Vec<String>,
}

impl<'c> Listing<'c> {
    /// The rows for the result of [`Registry::stamped`]: from the cache if a file is unchanged, otherwise from the
    /// file. The new rows are then cached.
    pub fn of(
        catalog: &Catalog,
        (entries, mut problems): (Vec<(Entry, Option<FileStamp>)>, Vec<String>),
        cache: &'c RowCache,
    ) -> Listing<'c> {
        let read = rows_of(catalog, &entries, cache);
        let mut rows = Vec::with_capacity(entries.len());
        for ((entry, stamp), row) in entries.into_iter().zip(read) {
            match row {
                Ok(row) => rows.push((entry, stamp, row)),
                Err(error) => problems.push(error.to_string()),
            }
        }
        cache.keep(&rows);
        Listing { rows, problems }
    }

    /// The tools with all of these words in their id, tags, description or text; the best match first.
    pub fn search(&self, catalog: &Catalog, words: &str) -> Vec<(&Entry, &Row<'c>)> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let registry = &catalog.registry;
        let mut found: Vec<(usize, &Entry, &Row<'c>)> = self
            .rows
            .iter()
            .filter_map(|(entry, _, row)| Some((rank(&words, registry, entry, row)?, entry, row)))
            .collect();
        // The sort is stable: tools that match equally well stay in order of id.
        found.sort_by_key(|(rank, ..)| *rank);
        found
            .into_iter()
            .map(|(_, entry, row)| (entry, row))
            .collect()
    }
}

/// The row of each file, or why there is none: cached if the file is unchanged, otherwise read from the file, by as
/// many threads as there are processors.
fn rows_of<'s>(
    catalog: &Catalog,
    entries: &[(Entry, Option<FileStamp>)],
    cache: &'s RowCache,
) -> Vec<Result<Row<'s>, FindError>> {
    let known = cache.rows(entries);
    if known.iter().all(Option::is_some) {
        return known.into_iter().flatten().map(Ok).collect();
    }
    let read = |((entry, _), known): (&(Entry, Option<FileStamp>), &Option<Row<'s>>)| match known {
        Some(row) => Ok(row.clone()),
        None => row(catalog, entry),
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let n_threads = n_threads.min(entries.len().div_ceil(FEW));
    let next = AtomicUsize::new(0);
    // A free thread takes the next few files: files of one language may be adjacent, and some take longer than others.
    let work = || {
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(FEW, Ordering::Relaxed);
            let Some(rest) = entries.get(from..).filter(|rest| !rest.is_empty()) else {
                return done;
            };
            let some = rest.iter().zip(&known[from..]).take(FEW);
            done.push((from, some.map(read).collect::<Vec<_>>()));
        }
    };
    let mut done: Vec<(usize, Vec<_>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| match thread.join() {
                Ok(rows) => rows,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    done.sort_by_key(|(from, _)| *from);
    done.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// The row of a file.
fn row<'a>(catalog: &Catalog, entry: &Entry) -> Result<Row<'a>, FindError> {
    let found = catalog.registry.read(entry)?;
    let tool = found.tool();
    let fields = brief(&found, tool, catalog);
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
    let standing = fields.get("standing");
    let said = |key: &str| standing.and_then(|standing| standing[key].as_str());
    if n_errors > 0 {
        let id = &entry.id;
        let plural = if n_errors == 1 { "" } else { "s" };
        let _ = write!(
            about,
            " ({n_errors} error{plural}: `toolglot tools check {id}`)"
        );
    } else if let Some(code) =
        said("code").filter(|code| *code != "not-callable" && Some(*code) != said("status"))
    {
        let _ = write!(about, " ({code}: `toolglot tools verify {}`)", entry.id);
    }
    let status = fields
        .get("standing")
        .and_then(|standing| standing["status"].as_str());
    let (space, version) = (field("space"), field("version"));
    let cells = [space.as_str(), status.unwrap_or("-"), &version, &about];
    Ok(Row::new(cells, &Value::Object(fields.clone()).to_string()))
}

/// The rank of a tool for the words, where less is better; `None` if the tool lacks one of them.
fn rank(words: &[String], registry: &Registry, entry: &Entry, row: &Row<'_>) -> Option<usize> {
    if words.is_empty() {
        return Some(0);
    }
    let fields: Map<String, Value> = serde_json::from_str(row.json()).unwrap_or_default();
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
