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
        /// The method of the request.
        method: String,
        /// Its error.
        fault: Fault,
    },
    /// The server sent an invalid answer.
    #[error("the server {0}")]
    Odd(String),
    /// The server is gone. Another server may be available.
    #[error("the server {0}")]
    Gone(String),
    /// The session has expired, and a new one may be started; the request was not executed.
    #[error("the server has ended the session")]
    Expired,
    /// The server did not answer in time, and the request was cancelled.
    #[error("the server did not answer `{method}` in time")]
    Late {
        /// The method of the request.
        method: String,
    },
    /// The caller cancelled it, and the server was notified.
    #[error("it was stopped")]
    Stopped,
    /// The server requires authentication.
    #[error("the server asks for authorization{}", .0.as_ref().map(|how| format!(" ({how})")).unwrap_or_default())]
    Unauthorized(
        /// The `WWW-Authenticate` header.
        Option<String>,
    ),
    /// The server requires a token, and there is none.
    #[error("{0}")]
    NoToken(AuthError),
    /// No request was sent: the address is forbidden.
    #[error("{0}")]
    Barred(String),
}
