//! Why a session cannot be opened.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a session cannot be opened. The text of a model never causes one: it leads to a refusal or a failed result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The root cannot be opened.
    #[error("cannot read {}", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The policies are for another directory.
    #[error("the policies are those of {}, which is another directory than {}", policies.display(), root.display())]
    OtherRoot {
        /// The directory that the policies were read for.
        policies: PathBuf,
        /// The session's root.
        root: PathBuf,
    },
    /// The registry of tools that are files cannot be opened.
    #[error(transparent)]
    Open(#[from] toolglot_tool_runner::OpenError),
    /// The policy demands an invalid key.
    #[error(transparent)]
    Trust(#[from] toolglot_tool_trust::TrustError),
    /// The dialects and the tools cannot be compiled into a program.
    #[error(transparent)]
    Chat(#[from] toolglot_chat::ChatError),
    /// Two tools of one name: a builtin tool, or another function, already has the name.
    #[error("`{0}` is the name of another tool already: choose another")]
    TakenName(String),
    /// A function panicked when it was asked for its name, its description or its parameters.
    #[error(
        "a function panicked when it was asked for its name, its description or its parameters"
    )]
    Function,
    /// A builtin set of tools is missing.
    #[error("unknown builtin tool set `{0}`")]
    NoToolbox(&'static str),
    /// The system has no pipe left for the handle that cancels calls.
    #[error("cannot make a handle to cancel by")]
    Cancel(#[source] io::Error),
}
