//! Records the changes of a run so that they can be undone.
//!
//! ```text
//!   STATE/ROOT/RUN/log      one JSON line before each effect, and one after it
//!                 /0.old    the backup of the file before the effect, byte for byte
//! ```
//!
//! The line before an effect, and its backup, are on the disk before the effect starts. So a crash at any point leaves
//! either nothing to undo or enough to undo it. The hash of an effect's result shows later changes by others, which are
//! left alone.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolglot_value::{Map, Value};

use crate::audit::hex;
use crate::change::new_bytes;
use crate::place::{Kind, split};
use crate::{Plan, Root};

/// The most runs of one root that are stored; older ones cannot be undone.
const MOST_RUNS: usize = 16;

/// The most bytes on the disk for all runs of one root. Older runs are removed first; an effect without room is
/// refused.
const MOST_BYTES: u64 = 1 << 30;

/// The most other roots that are checked for removal.
const MOST_ROOTS: usize = 64;

/// How many runs this process has started.
static N_RUNS: AtomicU64 = AtomicU64::new(0);

/// The journal of one run. The first effect creates its files.
#[derive(Debug)]
pub struct Journal {
    /// The directory of the root's journals.
    place: PathBuf,
    own: OnceLock<Result<PathBuf, String>>,
    log: Mutex<Option<File>>,
    next: AtomicU64,
    /// The last state that this run gave each file: a second change of a file needs no second backup.
    left: Mutex<BTreeMap<PathBuf, State>>,
}

/// The state of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Missing,
    Directory,
    File {
        sha256: String,
        mode: u32,
        owner: Option<(u32, u32)>,
    },
    /// A link, a pipe, a device.
    Other,
}

impl State {
    /// Whether both have the same content, apart from modes and owners.
    pub(crate) fn holds_what(&self, other: &State) -> bool {
        match (self, other) {
            (State::File { sha256: own, .. }, State::File { sha256: other, .. }) => own == other,
            _ => self == other,
        }
    }
}

/// What an effect does to its paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Act {
    /// A file is made, changed or removed. `made` are the directories that are created for it, the outer ones first.
    Content {
        path: PathBuf,
        before: State,
        /// The backup's file beside the log. Also `None` where an earlier effect of the run made the content: the
        /// earlier backup restores the file.
        old: Option<String>,
        /// The new state, if it is known in advance: a crash may come before the `After` line.
        intended: Option<State>,
        made: Vec<PathBuf>,
    },
    /// A path is renamed.
    Move {
        from: PathBuf,
        to: PathBuf,
        made: Vec<PathBuf>,
        /// The state of the moved entry.
        what: State,
    },
    /// Directories are made, the outer ones first.
    Directories { made: Vec<PathBuf> },
    /// An effect that cannot be undone.
    Other { tool: String },
}

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub(crate) enum Line {
    Root {
        path: PathBuf,
    },
    Before {
        number: u64,
        act: Act,
    },
    After {
        number: u64,
        state: State,
    },
    /// The effect did not happen; `made` are directories that were created nevertheless.
    Failed {
        number: u64,
        made: Vec<PathBuf>,
    },
    /// This effect, and all later ones, are undone.
    Undone {
        number: u64,
    },
}

/// An effect in progress.
#[derive(Debug)]
pub struct Entry {
    number: u64,
    act: Act,
}

impl Entry {
    /// Whether the entry to move does not exist.
    fn is_impossible(&self) -> bool {
        matches!(&self.act, Act::Move { what, .. } if *what == State::Missing)
    }
}

impl Journal {
    /// The journal of a run in `root`, below `state`, a directory of the user's own.
    pub fn new(state: &Path, root: &Path) -> Journal {
        Journal {
            place: place(state, root),
            own: OnceLock::new(),
            log: Mutex::new(None),
            next: AtomicU64::new(0),
            left: Mutex::default(),
        }
    }

    /// Backs up the state that a plan is about to change. `None` for a plan that only reads.
    ///
    /// # Errors
    /// If the backup or the line cannot be written: then the effect must not be executed.
    pub fn before(
        &self,
        root: &Root,
        call: (&str, &Map<String, Value>),
        plan: &Plan<'_>,
    ) -> io::Result<Option<Entry>> {
        let (tool, arguments) = call;
        let acts = [
            "write_file",
            "append_file",
            "edit_file",
            "delete_file",
            "move_file",
            "create_directory",
            "execute_command",
            "git_commit",
            "http_request",
        ];
        if !acts.contains(&tool) || !self.is_on() {
            return Ok(None);
        }
        let paths: Vec<&Path> = plan
            .paths()
            .iter()
            .filter_map(|fact| fact.inside())
            .collect();
        let number = self.next.load(Ordering::Relaxed);
        let act = match (tool, paths.as_slice()) {
            ("write_file" | "append_file" | "edit_file" | "delete_file", [path]) => {
                let before = state(root, path)?;
                let is_own = lock(&self.left)
                    .get(*path)
                    .is_some_and(|left| left.holds_what(&before));
                let old = match before {
                    State::File { .. } if !is_own => Some(self.keep(root, path, number)?),
                    _ => None,
                };
                let made = missing_above(root, path);
                let intended = if tool == "delete_file" {
                    Some(State::Missing)
                } else {
                    new_bytes(root, tool, arguments).map(|bytes| State::File {
                        sha256: hex(&Sha256::digest(bytes)),
                        mode: 0,
                        owner: None,
                    })
                };
                Act::Content {
                    path: path.to_path_buf(),
                    before,
                    old,
                    intended,
                    made,
                }
            }
            ("move_file", [from, to]) => Act::Move {
                from: from.to_path_buf(),
                to: to.to_path_buf(),
                made: missing_above(root, to),
                what: state(root, from)?,
            },
            ("create_directory", [path]) => {
                let mut made = missing_above(root, path);
                if state(root, path)? == State::Missing {
                    made.push(path.to_path_buf());
                }
                Act::Directories { made }
            }
            ("execute_command" | "git_commit" | "http_request", _) => Act::Other {
                tool: tool.to_owned(),
            },
            _ => return Ok(None),
        };
        self.next.store(number + 1, Ordering::Relaxed);
        let line = Line::Before {
            number,
            act: act.clone(),
        };
        self.append(root, &line)?;
        Ok(Some(Entry { number, act }))
    }

    /// Records that a tool is about to have an effect that cannot be undone.
    ///
    /// # Errors
    /// If the line cannot be written: then the effect must not be executed.
    pub fn beyond(&self, root: &Root, tool: &str) -> io::Result<()> {
        if !self.is_on() {
            return Ok(());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let tool = tool.to_owned();
        let act = Act::Other { tool };
        self.append(root, &Line::Before { number, act })
    }

    /// Records the state after an effect, or that the effect did not happen. `is_fine` is whether the tool reports
    /// success.
    ///
    /// # Errors
    /// If the line cannot be written. Then the effect can be undone only if the state equals the intended one.
    pub fn after(&self, root: &Root, entry: &Entry, is_fine: bool) -> io::Result<()> {
        let number = entry.number;
        let failed = |made: &[PathBuf]| {
            let made = made.iter().filter(|path| root.directory(path).is_ok());
            Line::Failed {
                number,
                made: made.cloned().collect(),
            }
        };
        let line = match &entry.act {
            Act::Content {
                path, before, made, ..
            } => match state(root, path)? {
                now if !is_fine && now == *before => failed(made),
                state => Line::After { number, state },
            },
            Act::Move { from, to, made, .. } => {
                // A failed move whose source still exists did not happen, whatever is at the target.
                if !is_fine && (entry.is_impossible() || state(root, from)? != State::Missing) {
                    failed(made)
                } else {
                    let state = state(root, to)?;
                    Line::After { number, state }
                }
            }
            Act::Directories { made } if !is_fine => failed(made),
            Act::Directories { .. } | Act::Other { .. } => return Ok(()),
        };
        self.append(root, &line)?;
        match (line, &entry.act) {
            (Line::After { state, .. }, Act::Content { path, .. }) => {
                lock(&self.left).insert(path.clone(), state);
            }
            (Line::Failed { .. }, Act::Content { old: Some(old), .. }) => {
                // The backup is unused; if this fails, it is removed with the run.
                let _ = fs::remove_file(self.own()?.join(old));
            }
            _ => {}
        }
        Ok(())
    }

    /// Backs up a file beside the log.
    fn keep(&self, root: &Root, path: &Path, number: u64) -> io::Result<String> {
        let name = format!("{number}.old");
        let (mut file, metadata) = root
            .file(path)
            .map_err(|error| io::Error::other(error.to_string()))?;
        self.make_room(on_disk(&metadata))?;
        let mut copy = private(&self.own()?.join(&name), false)?;
        let length = copy_holes(&mut file, &mut copy)?;
        copy.set_len(length)?;
        copy.sync_data()?;
        Ok(name)
    }

    /// Removes the oldest runs until there is room for `more` bytes.
    fn make_room(&self, more: u64) -> io::Result<()> {
        let own = self.own()?;
        let own_bytes = bytes_of(&own);
        let mut runs = runs(&self.place);
        runs.retain(|run| *run != own);
        let mut bytes: Vec<u64> = runs.iter().map(|run| bytes_of(run)).collect();
        while own_bytes + more + bytes.iter().sum::<u64>() > MOST_BYTES {
            if runs.is_empty() {
                return Err(io::Error::other(format!(
                    "the backups of this run would exceed {} MiB",
                    MOST_BYTES >> 20
                )));
            }
            bytes.remove(0);
            fs::remove_dir_all(runs.remove(0))?;
        }
        Ok(())
    }

    fn append(&self, root: &Root, line: &Line) -> io::Result<()> {
        let mut log = lock(&self.log);
        if log.is_none() {
            *log = Some(private(&self.own()?.join("log"), true)?);
            let path = root.path().to_path_buf();
            let first = Line::Root { path };
            if let Some(log) = log.as_mut() {
                log.write_all(&text(&first)?)?;
            }
        }
        let Some(log) = log.as_mut() else {
            return Ok(());
        };
        log.write_all(&text(line)?)?;
        log.sync_data()
    }

    /// Why the journal is off, if the user's state directory cannot be written.
    pub fn why_off(&self) -> Option<&str> {
        self.own.get()?.as_ref().err().map(String::as_str)
    }

    fn is_on(&self) -> bool {
        self.own().is_ok()
    }

    /// The directory of this run, created on first use.
    fn own(&self) -> io::Result<PathBuf> {
        let own = self
            .own
            .get_or_init(|| self.make_own().map_err(|error| error.to_string()));
        own.clone().map_err(io::Error::other)
    }

    fn make_own(&self) -> io::Result<PathBuf> {
        tidy(&self.place);
        make(&self.place)?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        // The names sort by time. One process never makes the same name twice, even for parallel calls.
        let (process, n) = (std::process::id(), N_RUNS.fetch_add(1, Ordering::Relaxed));
        let own = self.place.join(format!("{now:024}-{process}-{n}"));
        make(&own)?;
        Ok(own)
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that a file takes on the disk.
#[cfg(unix)]
fn on_disk(metadata: &cap_std::fs::Metadata) -> u64 {
    use cap_std::fs::MetadataExt;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn on_disk(metadata: &cap_std::fs::Metadata) -> u64 {
    metadata.len()
}

/// Bytes that the files of a run take on the disk.
fn bytes_of(run: &Path) -> u64 {
    let files = fs::read_dir(run).into_iter().flatten().flatten();
    let metadata = files.filter_map(|file| file.metadata().ok());
    metadata
        .map(|metadata| {
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                metadata.blocks() * 512
            }
            #[cfg(not(unix))]
            {
                metadata.len()
            }
        })
        .sum()
}

/// Copies a file and skips blocks of zeros, so that holes stay holes. The caller has to set the copy's length to the
/// result.
pub(crate) fn copy_holes(from: &mut dyn Read, to: &mut (impl Write + Seek)) -> io::Result<u64> {
    let mut piece = vec![0; 64 << 10];
    let mut length = 0;
    loop {
        let n = from.read(&mut piece)?;
        if n == 0 {
            return Ok(length);
        }
        if piece[..n].iter().all(|byte| *byte == 0) {
            to.seek(SeekFrom::Current(i64::try_from(n).unwrap_or_default()))?;
        } else {
            to.write_all(&piece[..n])?;
        }
        length += n as u64;
    }
}

fn text(line: &Line) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

/// The directory of a root's journals.
pub(crate) fn place(state: &Path, root: &Path) -> PathBuf {
    let hash = hex(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
    state.join("undo").join(&hash[..32])
}

/// Removes the oldest journals of this root, and those of roots that do not exist. Errors are ignored.
fn tidy(place: &Path) {
    let mut own = runs(place);
    while own.len() >= MOST_RUNS {
        let _ = fs::remove_dir_all(own.remove(0));
    }
    let Some(all) = place.parent().and_then(|all| fs::read_dir(all).ok()) else {
        return;
    };
    for other in all.flatten().take(MOST_ROOTS) {
        let Some(run) = runs(&other.path()).pop() else {
            continue;
        };
        let first = fs::read_to_string(run.join("log")).unwrap_or_default();
        let first = first.lines().next().map(serde_json::from_str::<Line>);
        if let Some(Ok(Line::Root { path })) = first
            && !path.exists()
        {
            let _ = fs::remove_dir_all(other.path());
        }
    }
}

/// The runs of a root, the oldest first.
pub(crate) fn runs(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    runs.retain(|run| run.join("log").is_file());
    runs.sort();
    runs
}

/// The missing directories above a path, the outer ones first.
fn missing_above(root: &Root, path: &Path) -> Vec<PathBuf> {
    let above = path
        .ancestors()
        .skip(1)
        .filter(|above| above.components().next().is_some());
    let mut missing: Vec<PathBuf> = above
        .take_while(|above| root.directory(above).is_err())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// The present state of a path of the root.
pub(crate) fn state(root: &Root, path: &Path) -> io::Result<State> {
    if split(path).is_none() {
        return Ok(State::Directory);
    }
    match root.kind(path) {
        Ok(Kind::Directory) => Ok(State::Directory),
        Ok(Kind::Link | Kind::Special) => Ok(State::Other),
        Ok(Kind::File) => {
            let (mut file, metadata) = root
                .file(path)
                .map_err(|error| io::Error::other(error.to_string()))?;
            let mut hash = Sha256::new();
            let mut piece = vec![0; 64 << 10];
            loop {
                let n = file.read(&mut piece)?;
                if n == 0 {
                    break;
                }
                hash.update(&piece[..n]);
            }
            let (mode, owner) = rights(&metadata);
            Ok(State::File {
                sha256: hex(&hash.finalize()),
                mode,
                owner,
            })
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(State::Missing)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn rights(metadata: &cap_std::fs::Metadata) -> (u32, Option<(u32, u32)>) {
    use cap_std::fs::MetadataExt;
    (
        metadata.mode() & 0o7777,
        Some((metadata.uid(), metadata.gid())),
    )
}

#[cfg(not(unix))]
fn rights(_: &cap_std::fs::Metadata) -> (u32, Option<(u32, u32)>) {
    (0, None)
}

fn make(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

fn private(path: &Path, appends: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(appends).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}
