//! What is wrong with a document of the caller.

use thiserror::Error;
use toolglot_engine::GrammarError;

/// Why a document cannot be rendered or converted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WireError {
    /// It is not JSON.
    #[error("not JSON")]
    Syntax(#[from] toolglot_value::Error),
    /// A value has a wrong type or is missing.
    #[error("`{at}` must be {expected}, found {found}")]
    Field {
        /// Where, in the manner of `calls[0].name`.
        at: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// Neither `calls` nor `results`, or both.
    #[error("expected either `calls` or `results`")]
    NeitherOrBoth,
    /// A document that holds no conversation.
    #[error("a conversation is a list of messages, or an object with a list under `messages`")]
    NoMessages,
    /// A message of a conversation that is not an object.
    #[error("`{list}[{at}]` must be an object")]
    MessageNotObject {
        /// The name of the list.
        list: &'static str,
        /// The place in the list, from 0.
        at: usize,
    },
    /// The dialects of a form make no program.
    #[error("the dialects cannot be compiled: {}", .0.message)]
    Program(#[source] Box<GrammarError>),
}

impl From<GrammarError> for WireError {
    fn from(error: GrammarError) -> WireError {
        WireError::Program(Box::new(error))
    }
}
