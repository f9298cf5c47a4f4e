//! Why a template makes no dialect.

use thiserror::Error;

/// Why a template cannot be read, or declares nothing that the notation can express.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A chat template that is too large, or takes too long.
    #[error("line {line}, column {column}: {what}")]
    ChatTemplate {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The value that is too large, and its limit.
        what: String,
    },
    /// A chat template whose calls have no form that a draft supports.
    #[error("{}", no_draft(.call.as_deref()))]
    NoDraft {
        /// The call that it renders, if it renders one.
        call: Option<String>,
    },
    /// A response template that the notation cannot express.
    #[error("{why}")]
    ResponseTemplate {
        /// The field and the key that do not fit, why, and what to write instead.
        why: String,
    },
}

fn no_draft(call: Option<&str>) -> String {
    match call {
        Some(call) => format!(
            "no rule could be drafted for the call that it renders; write the rule `call` by hand for {call:?}"
        ),
        None => "the template renders no call for a message with `tool_calls`".to_owned(),
    }
}
