//! A cache of listing rows for unchanged files, in the user's cache directory; for listings only.
//!
//! It decides nothing about runs: a program that runs a tool reads and verifies its file. A row is valid if its file
//! has the same number, size and times as before, and nothing changed that the answer depends on: the other tool files
//! (one may run this file or be imported by it), keys, ledger, lock, policies, and this program. Nothing is cached if a
//! file changed within two seconds before it was read: the next change could have the same time.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use memchr::{memchr, memchr_iter};
use sha2::{Digest, Sha256};
use toolglot_tool_registry::{Entry, FileStamp};
use toolglot_tool_signature::hex;
use toolglot_tool_trust::{Space, Spaces, Trust};

use crate::Catalog;

/// A row of the listing: the fields of one tool, a tab between two. No field holds a tab or a line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    line: Cow<'a, str>,
}

impl<'a> Row<'a> {
    /// Space, standing, version and a line about it; and all of it, as JSON.
    pub(crate) fn new(fields: [&str; 4], json: &str) -> Row<'a> {
        let [space, status, version, about] = fields;
        Row {
            line: format!("{space}\t{status}\t{version}\t{about}\t{json}").into(),
        }
    }

    /// Space, standing, version and a line about it.
    pub fn fields(&self) -> [&str; 4] {
        let mut fields = self.line.splitn(5, '\t');
        std::array::from_fn(|_| fields.next().unwrap_or_default())
    }

    /// All of it, as JSON.
    pub fn json(&self) -> &str {
        self.line.splitn(5, '\t').nth(4).unwrap_or_default()
    }

    /// Whether the row is from the cache.
    fn is_kept(&self) -> bool {
        matches!(self.line, Cow::Borrowed(_))
    }
}

/// Cached rows in the order of a listing: one on each line, which starts with its key.
#[derive(Debug, Default)]
pub struct RowCache {
    file: Option<PathBuf>,
    fingerprint: String,
    /// The file as it was read, and the offset of its lines: the end, if it is not valid.
    text: String,
    begin: usize,
}

/// The largest cache file that is read, in bytes.
const MOST_BYTES: u64 = 256 << 20;
/// The coarsest resolution of file times, on the worst of file systems.
const FRESH: Duration = Duration::from_secs(2);

impl RowCache {
    /// Opens the cache of a project; it is empty if anything changed that all rows depend on. `depends` are the files
    /// of policies, which a row depends on beside the tools and the trust store.
    pub fn open(
        catalog: &Catalog,
        depends: &[PathBuf],
        entries: &[(Entry, Option<FileStamp>)],
    ) -> RowCache {
        let spaces = catalog.trust.spaces();
        let fingerprint = fingerprint(spaces, depends, entries);
        let Some((file, fingerprint)) = place(spaces).zip(fingerprint) else {
            return RowCache::default();
        };
        let text = match fs::metadata(&file) {
            Ok(metadata) if metadata.is_file() && metadata.len() <= MOST_BYTES => {
                fs::read_to_string(&file).unwrap_or_default()
            }
            _ => String::new(),
        };
        let is_same = text
            .strip_prefix(fingerprint.as_str())
            .is_some_and(|lines| lines.starts_with('\n'));
        RowCache {
            file: Some(file),
            begin: if is_same {
                fingerprint.len() + 1
            } else {
                text.len()
            },
            fingerprint,
            text,
        }
    }

    fn lines(&self) -> &str {
        &self.text[self.begin..]
    }

    /// The cached rows of unchanged files: a row or `None` for each entry.
    pub(crate) fn rows(&self, entries: &[(Entry, Option<FileStamp>)]) -> Vec<Option<Row<'_>>> {
        let mut lines = Lines(self.lines()).peekable();
        let mut prefix = String::new();
        let row = |(entry, stamp): &(Entry, Option<FileStamp>)| {
            let id = entry.id.as_str();
            // Both are in order of id: an earlier line is of a file that is gone.
            while lines
                .next_if(|line| {
                    let end = memchr(b'\t', line.as_bytes());
                    end.is_some_and(|end| &line[..end] < id)
                })
                .is_some()
            {}
            prefix.clear();
            key(entry, stamp.as_ref()?, &mut prefix);
            let line = lines.peek()?.strip_prefix(prefix.as_str())?;
            Some(Row { line: line.into() })
        };
        entries.iter().map(row).collect()
    }

    /// Caches these rows instead. A failure loses nothing.
    pub(crate) fn keep(&self, rows: &[(Entry, Option<FileStamp>, Row<'_>)]) {
        let Some(file) = &self.file else { return };
        let now = SystemTime::now();
        let may_stay = |stamp: &FileStamp| stamp.is_older(now, FRESH);
        if rows
            .iter()
            .any(|(_, stamp, _)| stamp.as_ref().is_some_and(|stamp| !may_stay(stamp)))
        {
            return;
        }
        let is_new = |(_, stamp, row): &(Entry, Option<FileStamp>, Row<'_>)| {
            !row.is_kept() && stamp.as_ref().is_some_and(may_stay)
        };
        let n_kept = rows.iter().filter(|(.., row)| row.is_kept()).count();
        let n_lines = memchr_iter(b'\n', self.lines().as_bytes()).count();
        if n_kept == n_lines && !rows.iter().any(is_new) {
            return;
        }
        let mut text = format!("{}\n", self.fingerprint);
        for (entry, stamp, row) in rows {
            let Some(stamp) = stamp.as_ref().filter(|stamp| may_stay(stamp)) else {
                continue;
            };
            key(entry, stamp, &mut text);
            text.push_str(&row.line);
            text.push('\n');
        }
        let _ = write(file, &text);
    }
}

/// The lines of a text, each of which ends with a line break. The text may have a megabyte, so `memchr` finds the line
/// breaks.
struct Lines<'a>(&'a str);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = memchr(b'\n', self.0.as_bytes())?;
        let (line, rest) = (&self.0[..end], &self.0[end + 1..]);
        self.0 = rest;
        Some(line)
    }
}

/// The key of a row: the file, and the stamp that shows whether it changed.
fn key(entry: &Entry, stamp: &FileStamp, out: &mut String) {
    let space = match entry.space {
        Space::Project => "project",
        Space::User => "user",
        Space::System => "system",
    };
    for part in [entry.id.as_str(), entry.extension, space] {
        out.push_str(part);
        out.push('\t');
    }
    stamp.write(out);
    out.push('\t');
}

fn place(spaces: &Spaces) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let folder = match absolute("XDG_CACHE_HOME") {
        Some(folder) => folder,
        None => absolute("HOME")?.join(".cache"),
    };
    let project = fs::canonicalize(spaces.project.as_deref()?).ok()?;
    let user = spaces.user.as_deref().unwrap_or(Path::new(""));
    let name = format!("{}\0{}", project.display(), user.display());
    let name = hex(&Sha256::digest(name));
    Some(
        folder
            .join("toolglot")
            .join(format!("tools-{}", &name[..32])),
    )
}

/// The hash of everything that a row depends on, except the contents of the tool files.
fn fingerprint(
    spaces: &Spaces,
    depends: &[PathBuf],
    entries: &[(Entry, Option<FileStamp>)],
) -> Option<String> {
    let own = std::env::current_exe()
        .and_then(fs::metadata)
        .and_then(|metadata| Ok((metadata.len(), metadata.modified()?)))
        .ok()?;
    let mut hash = Sha256::new();
    hash.update(format!("{} {own:?}\0", env!("CARGO_PKG_VERSION")));
    hash.update(Trust::fingerprint(spaces));
    let mut files = String::new();
    for (entry, stamp) in entries {
        match stamp {
            Some(stamp) => key(entry, stamp, &mut files),
            None => files.push_str(entry.id.as_str()),
        }
        files.push('\n');
    }
    hash.update(&files);
    let servers = spaces.project.as_ref().map(|root| root.join(".mcp.json"));
    for file in depends.iter().chain(&servers) {
        hash.update(fs::read(file).unwrap_or_default());
        hash.update([0]);
    }
    Some(hex(&hash.finalize()))
}

/// Replaces the file whole or not at all; only this user can read it.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = file.with_extension(std::process::id().to_string());
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let done = options
        .open(&temporary)
        .and_then(|mut open| std::io::Write::write_all(&mut open, text.as_bytes()));
    done.and_then(|()| fs::rename(&temporary, file))
        .inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot_tool_files::ItemId;

    fn entry(id: &str) -> Entry {
        Entry {
            id: ItemId::new(id).expect("an id"),
            space: Space::Project,
            extension: "py",
        }
    }

    #[test]
    fn rows_are_found_again_whatever_comes_and_goes_between_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut shelf = RowCache {
            file: Some(folder.path().join("rows")),
            fingerprint: "same".to_owned(),
            text: String::new(),
            begin: 0,
        };
        // An id may be the start of another, and a blank or a dash sorts before a slash.
        let ids = ["a/b", "a/b-c", "a/bc", "a-b/c", "b"];
        let mut ids: Vec<&str> = ids.to_vec();
        ids.sort_by_key(|id| ItemId::new(id).expect("an id"));
        let new_row = |id: &str| Row::new(["project", "own", "1.0.0", id], "{}");
        let rows: Vec<_> = ids
            .iter()
            .map(|id| (entry(id), Some(FileStamp::default()), new_row(id)))
            .collect();
        shelf.keep(&rows);
        let text = fs::read_to_string(folder.path().join("rows")).expect("it was written");
        assert!(text.starts_with("same\n"));
        (shelf.text, shelf.begin) = (text, "same\n".len());
        let all = |ids: &[&str]| -> Vec<bool> {
            let entries: Vec<_> = ids
                .iter()
                .map(|id| (entry(id), Some(FileStamp::default())))
                .collect();
            let found = shelf.rows(&entries);
            let rows = found.iter().zip(ids);
            rows.map(|(row, id)| {
                row.as_ref()
                    .inspect(|row| assert_eq!(row.fields()[3], *id))
                    .is_some()
            })
            .collect()
        };
        assert_eq!(all(&ids), [true; 5]);
        for (at, id) in ids.iter().enumerate() {
            let mut fewer = ids.clone();
            fewer.remove(at);
            assert_eq!(all(&fewer), [true; 4], "without {id}");
            let new = format!("{id}x");
            let mut more = ids.clone();
            more.insert(at + 1, &new);
            more.sort_by_key(|id| ItemId::new(id).expect("an id"));
            let expected: Vec<bool> = more.iter().map(|id| *id != new).collect();
            assert_eq!(all(&more), expected, "with {new}");
        }
        // A changed file has another stamp, or none.
        let found = shelf.rows(&[
            (entry(ids[0]), None),
            (entry(ids[1]), Some(FileStamp::default())),
        ]);
        assert!(found[0].is_none() && found[1].is_some());
    }
}
