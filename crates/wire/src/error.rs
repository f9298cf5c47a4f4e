//! The errors in a caller's document.

use thiserror::Error;
use toolglot_engine::GrammarError;

/// Why a document cannot be rendered or converted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WireError {
    /// The document is not JSON.
    #[error("not JSON")]
    Syntax(#[from] toolglot_value::Error),
    /// A value is missing or has the wrong type.
    #[error("`{at}` must be {expected}, found {found}")]
    Field {
        /// The path of the value, as in `calls[0].name`.
        at: String,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// The document has neither `calls` nor `results`, or both.
    #[error("expected either `calls` or `results`")]
    NeitherOrBoth,
    /// The document contains no conversation.
    #[error("a conversation is a list of messages, or an object with a list under `messages`")]
    NoMessages,
    /// A message of a conversation is not an object.
    #[error("`{list}[{at}]` must be an object")]
    MessageNotObject {
        /// The name of the list.
        list: &'static str,
        /// The index in the list, from 0.
        at: usize,
    },
    /// The dialects of a form cannot be compiled.
    #[error("the dialects cannot be compiled: {}", .0.message)]
    Program(#[source] Box<GrammarError>),
}

impl From<GrammarError> for WireError {
    fn from(error: GrammarError) -> WireError {
        WireError::Program(Box::new(error))
    }
}
