//! What a listing said of files that did not change since: kept in the user's cache directory, for listings only.
//!
//! Nothing that runs is decided by it: whoever runs a tool reads and verifies its file. A row counts if the file has the
//! same number, size and times as when it was read, and if nothing changed of what standing depends on: keys, ledger, lock,
//! and this program. A row of a file that was changed within two seconds before it was read is not kept: the next change
//! could bear the same time.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use toolglot_exec::audit::hex;
use toolglot_toolfiles::{Entry, Spaces, Stamp, Trust};

/// What is told of one tool. No field holds a tab or a line break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) space: String,
    pub(super) status: String,
    pub(super) version: String,
    pub(super) about: String,
    /// All of it, as JSON.
    pub(super) json: String,
}

/// Rows that were kept, by the files that they are of.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    file: Option<PathBuf>,
    fingerprint: String,
    rows: HashMap<String, Row>,
}

/// A larger file is not ours.
const MOST_BYTES: u64 = 256 << 20;
/// Times of files are no finer than this, on the worst of file systems.
const FRESH: Duration = Duration::from_secs(2);

impl Shelf {
    /// What was kept for a project; nothing, if anything is not as it was.
    pub(super) fn open(spaces: &Spaces) -> Shelf {
        let Some((file, fingerprint)) = place(spaces).zip(fingerprint(spaces)) else {
            return Shelf::default();
        };
        let text = match fs::metadata(&file) {
            Ok(metadata) if metadata.is_file() && metadata.len() <= MOST_BYTES => {
                fs::read_to_string(&file).unwrap_or_default()
            }
            _ => String::new(),
        };
        let mut lines = text.split_terminator('\n');
        let is_same = lines.next() == Some(&fingerprint);
        let rows = lines.take_while(|_| is_same).filter_map(row).collect();
        Shelf {
            file: Some(file),
            fingerprint,
            rows,
        }
    }

    /// What was kept of a file that is as it was.
    pub(super) fn get(&self, entry: &Entry, stamp: Option<&Stamp>) -> Option<&Row> {
        if self.rows.is_empty() {
            return None;
        }
        self.rows.get(&key(entry, stamp?))
    }

    /// Keeps these instead. Where that fails nothing is lost.
    pub(super) fn keep(&self, rows: &[(Entry, Option<Stamp>, Row)]) {
        let Some(file) = &self.file else { return };
        let now = SystemTime::now();
        let mut text = format!("{}\n", self.fingerprint);
        let mut is_new = rows.len() < self.rows.len();
        for (entry, stamp, row) in rows {
            let Some(stamp) = stamp.as_ref().filter(|stamp| stamp.is_older(now, FRESH)) else {
                continue;
            };
            let key = key(entry, stamp);
            is_new |= !self.rows.contains_key(&key);
            let Row {
                space,
                status,
                version,
                about,
                json,
            } = row;
            let _ = writeln!(text, "{key}\t{space}\t{status}\t{version}\t{about}\t{json}");
        }
        if is_new {
            let _ = write(file, &text);
        }
    }
}

fn row(line: &str) -> Option<(String, Row)> {
    let mut fields = line.splitn(6, '\t').map(str::to_owned);
    let key = fields.next()?;
    let row = Row {
        space: fields.next()?,
        status: fields.next()?,
        version: fields.next()?,
        about: fields.next()?,
        json: fields.next()?,
    };
    Some((key, row))
}

fn key(entry: &Entry, stamp: &Stamp) -> String {
    format!("{}.{} {} {stamp}", entry.id, entry.extension, entry.space)
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

/// Everything but the files themselves that a row depends on.
fn fingerprint(spaces: &Spaces) -> Option<String> {
    let own = std::env::current_exe()
        .and_then(fs::metadata)
        .and_then(|metadata| Ok((metadata.len(), metadata.modified()?)))
        .ok()?;
    let mut hash = Sha256::new();
    hash.update(format!("{} {own:?}\0", env!("CARGO_PKG_VERSION")));
    hash.update(Trust::fingerprint(spaces));
    Some(hex(&hash.finalize()))
}

/// Replaces the file whole or not at all; nobody else reads it.
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
