//! The errors of a catalog.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use toolglot_tool_files::IdError;
use toolglot_tool_registry::FindError;
use toolglot_tool_runner::CallError;
use toolglot_tool_trust::TrustError;

/// The errors of a catalog.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// A tool does not exist, or cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It is a tool that this build cannot call.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The trust store cannot be used.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A word is not an id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A word is not a pattern of ids.
    #[error("invalid tool id pattern `{pattern}`")]
    BadPattern {
        /// The word.
        pattern: String,
        /// What is wrong with it.
        #[source]
        source: globset::Error,
    },
    /// A pattern matches no tool that can be changed.
    #[error("no tool of the project or the user fits `{0}`")]
    NothingFits(String),
    /// A word is not a language, or a file has no extension of one.
    #[error("unknown language `{0}`: write python, javascript, typescript, bash, yaml or toml")]
    NoLanguage(String),
    /// Another file has the id.
    #[error(
        "`{other}` is `{id}` already, and one of the two would never be used: choose another id, or remove it"
    )]
    TakenId {
        /// The id.
        id: String,
        /// The file.
        other: String,
    },
    /// The file exists already.
    #[error("`{0}` is there already: choose another id, or remove it")]
    Taken(String),
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}
