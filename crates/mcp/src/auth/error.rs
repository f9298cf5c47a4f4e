//! Why there is no token.

use thiserror::Error;

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AuthError {
    /// No token is stored, and no person can log in.
    #[error("the server asks for authorization, and nobody is logged in")]
    NotLoggedIn,
    /// The token allows less than the request needs.
    #[error("the token does not allow that: the server asks for the scopes {0:?}")]
    Scope(String),
    /// The scopes were requested, and the server still rejects the token.
    #[error("the server asks for the scopes {0:?}, which it was given a token for already")]
    ScopeAgain(String),
    /// The maximum number of attempts was reached.
    #[error("the server was given {0} new tokens and took none")]
    TooOften(usize),
    /// An address that is forbidden, or that does not respond.
    #[error("`{url}` was not asked: {why}")]
    Unasked {
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
    /// An address with an invalid response.
    #[error("`{url}` gives nothing that can be used: {why}")]
    Unusable {
        /// The address.
        url: String,
        /// The fault of the response.
        why: String,
    },
    /// The server's metadata is about another resource.
    #[error(
        "the server says that it is {said:?}, and it was asked at {asked:?}: no token is asked for"
    )]
    OtherResource {
        /// The resource of its metadata.
        said: String,
        /// The address of the request.
        asked: String,
    },
    /// The server names another authorization server than the user.
    #[error(
        "the server does not name the authorization server {0:?}, whose client the definition has"
    )]
    OtherIssuer(String),
    /// No client is registered for the request.
    #[error(
        "the authorization server {0:?} does not register clients by itself: name a registered client in `oauth.client_id`"
    )]
    NoClient(String),
    /// The definition's client cannot be used there.
    #[error("the client of the definition cannot be used: {0}")]
    Client(String),
    /// The authorization server, or the person, refused.
    #[error("{what} was refused: {code}{}", .said.as_ref().map(|said| format!(" ({said})")).unwrap_or_default())]
    Refused {
        /// The request.
        what: &'static str,
        /// The error code.
        code: String,
        /// The error description.
        said: Option<String>,
    },
    /// The answer from the browser is not from this authorization server.
    #[error("the answer to the login {0}: nothing of it is used")]
    Forged(String),
    /// No answer came from the browser in time.
    #[error("nobody came back from the address in time")]
    Late,
    /// A local failure.
    #[error("{0}")]
    Here(String),
}

/// A stranger's text, safe to show: one line of at most 200 plain characters.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, ' '..='~'))
        .take(200)
        .collect()
}
