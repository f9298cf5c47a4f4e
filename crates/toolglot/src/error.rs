//! Errors in the input of a caller. A model's text is never an error.

use std::fmt;

use toolglot_engine::{GrammarError, RenderError};
use toolglot_toolset::ToolError;

/// Why a dialect name, a tool list, calls to be written, or a document to be repaired is refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A dialect that is not known.
    UnknownDialect {
        /// The name as it was given.
        name: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A dialect that makes no program.
    Grammar(GrammarError),
    /// A tool list that is not JSON.
    ToolListSyntax {
        /// The error of the JSON reader, with line and column.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tool list with an entry that is not a tool.
    ToolList(ToolError),
    /// Calls that the dialect cannot carry.
    Unrenderable(RenderError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownDialect { name, nearest } => {
                write!(f, "unknown dialect `{name}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Error::ToolListSyntax { source } => write!(f, "the tool list is not JSON: {source}"),
            Error::Grammar(error) => error.fmt(f),
            Error::ToolList(error) => error.fmt(f),
            Error::Unrenderable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::UnknownDialect { .. } => None,
            Error::ToolListSyntax { source } => Some(&**source),
            // These errors share their message with this error, so their source is the source of this error.
            Error::Grammar(error) => error.source(),
            Error::ToolList(error) => error.source(),
            Error::Unrenderable(error) => error.source(),
        }
    }
}

impl From<GrammarError> for Error {
    fn from(error: GrammarError) -> Error {
        Error::Grammar(error)
    }
}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Error {
        Error::ToolList(error)
    }
}

impl From<RenderError> for Error {
    fn from(error: RenderError) -> Error {
        Error::Unrenderable(error)
    }
}
