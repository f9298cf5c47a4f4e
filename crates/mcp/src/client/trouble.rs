//! Why there is no result.

use thiserror::Error;

use crate::auth::AuthError;
use crate::message::Fault;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The server answered with an error.
    #[error("the server refused `{method}`: {}", .fault.message)]
    Refused {
        /// What it was asked.
        method: String,
        /// Its error.
        fault: Fault,
    },
    /// The server answered with what is no answer.
    #[error("the server {0}")]
    Odd(String),
    /// The server is gone. Asking another one may help.
    #[error("the server {0}")]
    Gone(String),
    /// The session is over, and a new one may be begun; what was asked was not done.
    #[error("the server has ended the session")]
    Expired,
    /// It did not answer in time, and was asked to stop.
    #[error("the server did not answer `{method}` in time")]
    Late {
        /// What it was asked.
        method: String,
    },
    /// The caller cancelled it, and the server was notified.
    #[error("it was stopped")]
    Stopped,
    /// The server wants to know who is asking.
    #[error("the server asks for authorization{}", .0.as_ref().map(|how| format!(" ({how})")).unwrap_or_default())]
    Unauthorized(
        /// Its `WWW-Authenticate`.
        Option<String>,
    ),
    /// It wants a token, and there is none.
    #[error("{0}")]
    NoToken(AuthError),
    /// It was not asked: its place may not be.
    #[error("{0}")]
    Barred(String),
}
