//! The approved writes of builtin tools to files that other programs obey, each with an approval of its own.
//!
//! Another call's program may run at the same time. Such a file does not count as the program's while it holds the
//! approved bytes.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use toolglot_policy::is_guarded;

/// How many paths are remembered. The oldest are forgotten first: their files are then quarantined like a program's.
const MOST_WRITES: usize = 1_000;

/// All approved writes of this process: programs of several sessions may run in one root.
static WRITES: Mutex<Writes> = Mutex::new(Writes {
    n: 0,
    last: BTreeMap::new(),
});

struct Writes {
    n: u64,
    /// By absolute path: the number of the last write, and the hash of its content.
    last: BTreeMap<PathBuf, (u64, [u8; 32])>,
}

/// How many writes were noted so far.
pub(crate) fn n_writes() -> u64 {
    WRITES.lock().unwrap_or_else(PoisonError::into_inner).n
}

/// Remembers the content that a tool is about to write at `path` below `root`.
pub(crate) fn note(root: &Path, path: &Path, content: &[u8]) {
    let is_obeyed = path.ancestors().any(is_guarded);
    if !is_obeyed {
        return;
    }
    let hash = Sha256::digest(content).into();
    let mut writes = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    writes.n += 1;
    let n = writes.n;
    writes.last.insert(root.join(path), (n, hash));
    while writes.last.len() > MOST_WRITES {
        let oldest = writes.last.iter().min_by_key(|(_, (n, _))| *n);
        let oldest = oldest.map(|(path, _)| path.clone());
        oldest.and_then(|path| writes.last.remove(&path));
    }
}

/// Whether `path` was written after the first `n_before` writes, and `file` still holds that content.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only programs in a sandbox need it")
)]
pub(crate) fn is_written(path: &Path, n_before: u64, file: impl Read) -> bool {
    let writes = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    let written = writes.last.get(path).copied();
    drop(writes);
    let Some((n, written)) = written else {
        return false;
    };
    n > n_before && hash(file).is_ok_and(|hash| hash == written)
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only programs in a sandbox need it")
)]
fn hash(mut file: impl Read) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut buffer = [0; 1 << 13];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            n => hash.update(&buffer[..n]),
        }
    }
}
