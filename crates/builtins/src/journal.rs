//! What a run changed, kept so that it can be taken back.
//!
//! ```text
//!   STATE/ROOT/RUN/log      one JSON line before each effect, and one after it
//!                 /0.old    what stood there before, byte for byte
//! ```
//!
//! The line before an effect, and what it needs, is on the disk before anything is done: a crash at any point leaves either
//! nothing to take back or enough to do so. What an effect leaves behind is identified by its hash, so that what somebody else wrote
//! since is noticed and left alone.

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

/// Runs of one root that are kept; older ones cannot be taken back.
const MOST_RUNS: usize = 16;

/// Bytes on the disk that are kept of one root, in all its runs: older runs go first, and what has no room is not done.
const MOST_BYTES: u64 = 1 << 30;

/// Other roots that are looked at for being gone.
const MOST_ROOTS: usize = 64;

/// How many runs this process started.
static N_RUNS: AtomicU64 = AtomicU64::new(0);

/// The journal of one run. It makes its files with the first effect.
#[derive(Debug)]
pub struct Journal {
    /// The directory of the root's journals.
    place: PathBuf,
    own: OnceLock<Result<PathBuf, String>>,
    log: Mutex<Option<File>>,
    next: AtomicU64,
    /// What this run left last in the files that it changed: what is changed again is kept already.
    left: Mutex<BTreeMap<PathBuf, State>>,
}

/// What stands at a place.
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
    /// Whether both hold the same, modes and owners aside.
    pub(crate) fn holds_what(&self, other: &State) -> bool {
        match (self, other) {
            (State::File { sha256: own, .. }, State::File { sha256: other, .. }) => own == other,
            _ => self == other,
        }
    }
}

/// What an effect does to the places it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Act {
    /// A file is made, changed or removed. `made` are directories that come to be on the way, the outer ones first.
    Content {
        path: PathBuf,
        before: State,
        /// The file with what stood there, beside the log; `None` also where an effect before this one left it, with whose
        /// file it comes back.
        old: Option<String>,
        /// What shall stand there, if that is known beforehand: a crash may come before the line that tells it.
        intended: Option<State>,
        made: Vec<PathBuf>,
    },
    /// Something gets another name.
    Move {
        from: PathBuf,
        to: PathBuf,
        made: Vec<PathBuf>,
        /// What is moved.
        what: State,
    },
    /// Directories are made, the outer ones first.
    Directories { made: Vec<PathBuf> },
    /// What cannot be taken back.
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
    /// The effect did not happen; `made` are directories that came to be nevertheless.
    Failed {
        number: u64,
        made: Vec<PathBuf>,
    },
    /// This effect, and all after it, are taken back.
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
    /// Whether nothing is there to be moved.
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

    /// Keeps what a plan is about to change. `None` of one that only reads.
    ///
    /// # Errors
    /// If it cannot be kept: then it must not be done.
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

    /// Says that a tool is about to do what cannot be taken back.
    ///
    /// # Errors
    /// If it cannot be written: then it must not be done.
    pub fn beyond(&self, root: &Root, tool: &str) -> io::Result<()> {
        if !self.is_on() {
            return Ok(());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let tool = tool.to_owned();
        let act = Act::Other { tool };
        self.append(root, &Line::Before { number, act })
    }

    /// Says what an effect left behind, or that it did not happen: `is_fine` is what the tool says of it.
    ///
    /// # Errors
    /// If it cannot be written. What was done is done: then it can be taken back only if nobody could have changed it.
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
                // What failed and is where it was did not move, whatever stands at the other place.
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
                // Nobody needs it; if it stays it is removed with the run.
                let _ = fs::remove_file(self.own()?.join(old));
            }
            _ => {}
        }
        Ok(())
    }

    /// Copies a file beside the log.
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

    /// Removes the oldest runs until `more` bytes can be kept.
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

    /// Why nothing is kept, if the directory of the user's own cannot be written at all.
    pub fn why_off(&self) -> Option<&str> {
        self.own.get()?.as_ref().err().map(String::as_str)
    }

    fn is_on(&self) -> bool {
        self.own().is_ok()
    }

    /// The directory of this run, made when it is needed first.
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
        // Names in the order of time; of one process no two are the same, however many calls it serves at once.
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

/// Copies a file, and leaves out what is nothing but zeros: what is a hole stays one, up to the length that it gives, which the
/// copy has still to be given.
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

/// Where the journals of a root are.
pub(crate) fn place(state: &Path, root: &Path) -> PathBuf {
    let hash = hex(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
    state.join("undo").join(&hash[..32])
}

/// Removes the oldest journals of this root, and those of roots that are gone. What cannot be removed stays.
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

/// Directories above a place that are not there, the outer ones first.
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

/// What stands at a place of the root.
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
