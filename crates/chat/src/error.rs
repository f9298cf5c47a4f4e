//! The errors of this crate's callers.

use thiserror::Error;
use toolglot_engine::GrammarError;

/// Why dialects or tools cannot be used as requested.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChatError {
    /// A dialect that is not embedded.
    #[error("unknown dialect `{name}`{}", suggestion(*nearest))]
    UnknownDialect {
        /// The name as given.
        name: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A list of dialects without a name.
    #[error("the list names no dialect")]
    NoDialect,
    /// Instructions for an empty set of tools.
    #[error("there are no tools to teach")]
    NothingToTeach,
    /// Instructions for a dialect that has only rules for the text around calls.
    #[error("`{dialect}` has no rule `call`: name a dialect that has one")]
    NoCalls {
        /// The dialect.
        dialect: String,
    },
    /// Instructions for tools that the dialect has no call for.
    #[error("`{dialect}` only has calls of {calls}, and the given tools have other names")]
    NoToolOfDialect {
        /// The dialect.
        dialect: String,
        /// The calls of the dialect, in words.
        calls: String,
    },
    /// A call that the dialect cannot express.
    #[error("`{dialect}` cannot carry this: {why}")]
    Unrenderable {
        /// The dialect.
        dialect: String,
        /// The reason.
        why: String,
        /// The text that the dialect would write, if a reader would read it differently.
        text: Option<String>,
        /// If there is no such text: the text up to the first part that no rule writes.
        start: Option<String>,
    },
    /// Dialects that do not compile together.
    #[error("the dialects cannot be compiled: {}", .0.message)]
    Program(Box<GrammarError>),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
