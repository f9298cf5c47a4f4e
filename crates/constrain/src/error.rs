//! Why there is no grammar, and which constraints a grammar lacks.

use std::fmt;

/// Why no grammar was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// A schema allows no value.
    #[error("tool `{tool}`, schema {}: {reason}, so no value fits", place(.pointer))]
    Nothing {
        /// The tool.
        tool: String,
        /// JSON pointer into its schema.
        pointer: String,
        /// Why no value fits.
        reason: String,
    },
    /// A reference leads nowhere.
    #[error("tool `{tool}`, schema {}: no `{reference}` in this schema; write `#/$defs/NAME` for a definition of it", place(.pointer))]
    Reference {
        /// The tool.
        tool: String,
        /// JSON pointer into its schema.
        pointer: String,
        /// The reference.
        reference: String,
    },
    /// A schema is nested too deeply.
    #[error("tool `{tool}`, schema {}: more than {limit} levels; shorten the schema", place(.pointer))]
    TooDeep {
        /// The tool.
        tool: String,
        /// JSON pointer into its schema.
        pointer: String,
        /// The most levels.
        limit: usize,
    },
    /// The grammar has too many rules.
    #[error(
        "tool `{tool}`: the grammar has more than {limit} rules; leave tools out, or shorten their schemas"
    )]
    TooLarge {
        /// The tool at which the limit was reached.
        tool: String,
        /// The most rules.
        limit: usize,
    },
    /// The dialect has no form for a call.
    #[error("dialect `{dialect}` has no grammar for calls of `{tool}`: {reason}")]
    Dialect {
        /// The dialect.
        dialect: String,
        /// The tool.
        tool: String,
        /// The part that the dialect cannot write.
        reason: String,
    },
    /// There is no tool, or the tool choice names an unknown one.
    #[error("{0}")]
    Tools(String),
    /// The target cannot express this grammar.
    #[error("{0}")]
    Target(String),
    /// A note, where notes are errors.
    #[error("{0}")]
    Note(GrammarNote),
}

/// A constraint of a schema that the grammar does not express: it allows more, or less, than the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrammarNote {
    /// The tool; empty where it is about the whole grammar.
    pub tool: String,
    /// JSON pointer into its schema.
    pub pointer: String,
    /// One line, lower case, no full stop.
    pub message: String,
}

impl fmt::Display for GrammarNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tool.is_empty() {
            write!(f, "tool `{}`, schema {}: ", self.tool, place(&self.pointer))?;
        }
        f.write_str(&self.message)
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        "root".to_owned()
    } else {
        format!("`{pointer}`")
    }
}
