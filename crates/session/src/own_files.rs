//! The user's own files, which no call changes: their rules in a policy, and their real paths.

use std::path::{Path, PathBuf};

use toolglot_policy::Authority;

/// A kind of the user's own files: inputs of decisions, or records of them. Inside the root, no call changes such a
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// The rule's name.
    rule: &'static str,
    because: &'static str,
    /// Whether calls may not read the file either.
    is_secret: bool,
}

pub(crate) const LOG: OwnFile = OwnFile {
    rule: "audit-log",
    because: "the log of this run is written there, and by nobody else",
    is_secret: false,
};

pub(crate) const POLICY: OwnFile = OwnFile {
    rule: "policy-file",
    because: "the user's policy file is there, and no call may change a policy",
    is_secret: false,
};

pub(crate) const JOURNAL: OwnFile = OwnFile {
    rule: "journal",
    because: "what takes runs back is there, and no call changes it",
    is_secret: false,
};

impl OwnFile {
    /// Tools and dialects that calls are parsed with.
    pub const READING: OwnFile = OwnFile {
        rule: "own-file",
        because: "the command line names it to read calls by, and no call changes that",
        is_secret: false,
    };

    /// The token that clients of a server present: no call reads it either.
    pub const TOKEN: OwnFile = OwnFile {
        rule: "token-file",
        because: "the token of this server is there, which no call reads or changes",
        is_secret: true,
    };
}

/// Protects such a file at the path that was named, and at the path that links lead to.
pub(crate) fn protect(authority: &mut Authority, root: &Path, file: Option<&Path>, own: &OwnFile) {
    let (Some(file), Ok(root)) = (file, root.canonicalize()) else {
        return;
    };
    let Ok(file) = std::path::absolute(file) else {
        return;
    };
    let named = match (file.parent(), file.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => return,
    };
    let mut places = vec![real(&file), named];
    places.dedup();
    for place in places {
        if let Ok(place) = place.strip_prefix(&root) {
            let mut capabilities = vec!["write", "delete"];
            if own.is_secret {
                capabilities.push("read");
            }
            let place = place.to_string_lossy();
            authority.keep(&place, &capabilities, (own.rule, own.because));
        }
    }
}

/// Resolves a path as far as it exists. A dangling link resolves to its target.
pub(crate) fn real(path: &Path) -> PathBuf {
    fn at(path: &Path, n_links: usize) -> PathBuf {
        const MOST_LINKS: usize = 16;
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => at(Path::new("."), n_links),
            Some(parent) => at(parent, n_links),
            None => return path.to_path_buf(),
        };
        match path.read_link() {
            Ok(target) if n_links < MOST_LINKS => at(&parent.join(target), n_links + 1),
            _ => parent.join(path.file_name().unwrap_or_default()),
        }
    }
    at(path, 0)
}
