//! What can be wrong with what a program hands over. A model's text is never an error.

use toolglot_engine::{GrammarError, RenderError};
use toolglot_json::RepairFailure;
use toolglot_toolset::ToolError;

/// What is wrong with a dialect's name, a tool list, calls to be written, or a document to be repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dialect that is not known.
    #[error("unknown dialect `{name}`{}", nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?")))]
    UnknownDialect {
        /// The name as it was given.
        name: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A dialect that makes no program.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A tool list that is not JSON.
    #[error("the tool list is not JSON: {source}")]
    ToolListSyntax {
        /// What the reader of JSON says, with line and column.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tool list with an entry that is not a tool.
    #[error(transparent)]
    ToolList(#[from] ToolError),
    /// Calls that the dialect cannot carry.
    #[error(transparent)]
    Unrenderable(#[from] RenderError),
    /// A document that no rule makes JSON of.
    #[error(transparent)]
    Unrepairable(#[from] RepairFailure),
}
