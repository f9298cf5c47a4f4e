//! The fault of a request.

use thiserror::Error;
use toolglot_value::Value;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{at}`: {why}")]
#[non_exhaustive]
pub struct RequestError {
    /// The JSON path of the value, as in `messages[0].role`; `$` is the whole body.
    pub at: String,
    /// The fault at this path.
    pub why: String,
}

impl RequestError {
    pub(crate) fn new(at: impl Into<String>, why: impl Into<String>) -> RequestError {
        RequestError {
            at: at.into(),
            why: why.into(),
        }
    }

    pub(crate) fn expected(at: impl Into<String>, what: &str, found: &Value) -> RequestError {
        let found = match found {
            Value::Null => "nothing",
            found => crate::line::kind(found),
        };
        RequestError::new(at, format!("must be {what}, found {found}"))
    }
}
