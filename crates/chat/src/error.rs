//! What a caller of this crate can do wrong.

use thiserror::Error;
use toolglot_engine::GrammarError;

/// Why dialects or tools cannot be used as asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChatError {
    /// A dialect that is not embedded.
    #[error("unknown dialect `{name}`{}", suggestion(*nearest))]
    UnknownDialect {
        /// The name as it was given.
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
    /// Instructions for a dialect that says only what may be around calls.
    #[error("`{dialect}` has no rule `call`: name a dialect that has one")]
    NoCalls {
        /// The dialect.
        dialect: String,
    },
    /// Instructions for tools that the dialect has no call of.
    #[error("`{dialect}` only has calls of {calls}, and the given tools have other names")]
    NoToolOfDialect {
        /// The dialect.
        dialect: String,
        /// The calls that it has, in words.
        calls: String,
    },
    /// A call that the dialect has no form for.
    #[error("`{dialect}` cannot carry this: {why}")]
    Unrenderable {
        /// The dialect.
        dialect: String,
        /// What it cannot say.
        why: String,
        /// The text that it would write, where a reader would read it otherwise.
        text: Option<String>,
        /// Where it would write none: the text up to the part that no rule writes.
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
