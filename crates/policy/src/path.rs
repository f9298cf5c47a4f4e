//! What was found out about a path that a model wrote.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What was found out about a path that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    /// The path as the model wrote it.
    pub written: String,
    /// Where it leads.
    pub found: Result<Inside, Escape>,
}

/// A place inside the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// Relative to the root, every link followed, without `.` and `..`; empty for the root itself.
    /// What does not exist yet stands as written.
    pub path: PathBuf,
    /// Whether a `..` was written on the way.
    pub climbs: bool,
    /// Whether it is a file that has another name as well, which may be outside.
    pub is_shared: bool,
}

/// Why a path leads to no place inside the root.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Escape {
    /// Nothing was written.
    #[error("the path is empty: write a path relative to the root, or `.` for the root itself")]
    Empty,
    /// A zero byte, which no path may hold.
    #[error("the path holds a zero byte, which no file name can: write it without")]
    ZeroByte,
    /// A URL where a path belongs.
    #[error("a URL is no path: write the plain path, relative to the root")]
    Url,
    /// More bytes than a path may have.
    #[error("a path of {bytes} bytes is too long: no system takes more than 4096")]
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// An absolute path to somewhere else.
    #[error("the absolute path leads out of the root; write one that is relative to it")]
    Absolute,
    /// More `..` than directories to leave.
    #[error("`..` leads above the root; write a path inside it")]
    Climbs,
    /// A symbolic link that leads out of the root.
    #[error(
        "{link:?} is a symbolic link that leads out of the root; only what is really inside it can be used"
    )]
    Link {
        /// The link, relative to the root.
        link: PathBuf,
    },
    /// Symbolic links that lead in a circle, or too many of them.
    #[error("{link:?} leads through too many symbolic links: name the real path")]
    Circle {
        /// The link that was one too many, relative to the root.
        link: PathBuf,
    },
    /// The path goes on behind something that is no directory.
    #[error("{at:?} is not a directory, so nothing can be inside it")]
    ThroughFile {
        /// What is no directory, relative to the root.
        at: PathBuf,
    },
    /// The system refused to look.
    #[error("{at:?} cannot be looked at: {kind}")]
    Unreadable {
        /// Where the system refused, relative to the root.
        at: PathBuf,
        /// What the system said.
        kind: io::ErrorKind,
    },
}

impl Escape {
    /// Whether the path leads out of the root, rather than nowhere.
    pub fn is_outside(&self) -> bool {
        match self {
            Escape::Absolute | Escape::Climbs | Escape::Link { .. } => true,
            Escape::Empty
            | Escape::ZeroByte
            | Escape::Url
            | Escape::TooLong { .. }
            | Escape::Circle { .. }
            | Escape::ThroughFile { .. }
            | Escape::Unreadable { .. } => false,
        }
    }
}

impl PathFact {
    /// The place inside the root, if it is one.
    pub fn inside(&self) -> Option<&Path> {
        self.found.as_ref().ok().map(|inside| inside.path.as_path())
    }
}
