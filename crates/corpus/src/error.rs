//! Errors that end a run, or the reading of one input.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why an input cannot be read to its end, or an output written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// An input that cannot be opened.
    #[error("cannot read {}", .path.display())]
    Open {
        /// The input.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// An input that is truncated, or invalid from some byte on.
    #[error("cannot read {} past byte {byte}, after {rows} rows", .path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The number of bytes read.
        byte: u64,
        /// The number of rows before the error.
        rows: u64,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file with known columns, without the requested one.
    #[error("{} has no column {}; it has {}", .path.display(), alternatives(.wanted), quoted(.columns).join(", "))]
    NoColumn {
        /// The input.
        path: PathBuf,
        /// The accepted columns; one of them is needed.
        wanted: Vec<String>,
        /// The existing columns.
        columns: Vec<String>,
    },
    /// A folder without a readable file.
    #[error("{} holds no file whose name ends with {endings}", .0.display(), endings = crate::input::ENDINGS.join(", "))]
    EmptyFolder(PathBuf),
    /// A Parquet file, in a build without Parquet.
    #[error("{} is a Parquet file; this build was made without the feature `parquet`", .0.display())]
    WithoutParquet(PathBuf),
    /// Two inputs whose outputs would have the same name.
    #[error("{} and {} would both be written as `{name}`: give one of them another name", .first.display(), .second.display())]
    SameName {
        /// An input.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// The name of their outputs.
        name: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The caller's output that cannot be written.
    #[error("cannot write the output")]
    Output(#[source] io::Error),
    /// A manifest that is not one.
    #[error("{} is not a manifest", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A folder with the outputs of another run.
    #[error("{} holds the output of another run: {what} differ; name another folder, or delete this one", .folder.display())]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// The part of the settings that differs.
        what: &'static str,
    },
    /// A folder that another process writes to.
    #[error("{} is being written to by another process", .0.display())]
    Locked(PathBuf),
    /// The observer stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// The system cannot start a thread.
    #[error("cannot start threads")]
    Threads(#[source] rayon::ThreadPoolBuildError),
}

impl CorpusError {
    /// Whether the fault is in the input only, so that the run continues with the next input.
    pub(crate) fn is_of_input(&self) -> bool {
        matches!(
            self,
            CorpusError::Open { .. } | CorpusError::Read { .. } | CorpusError::NoColumn { .. }
        )
    }
}

/// Names in quotes.
pub(crate) fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// Names in quotes, with "or" before the last one.
pub(crate) fn alternatives(names: &[String]) -> String {
    let mut names = quoted(names);
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        return last;
    }
    format!("{} or {last}", names.join(", "))
}
