//! Why there is no token.

use thiserror::Error;

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AuthError {
    /// Nobody logged in, and nobody is here to.
    #[error("the server asks for authorization, and nobody is logged in")]
    NotLoggedIn,
    /// The token allows less than what was asked.
    #[error("the token does not allow that: the server asks for the scopes {0:?}")]
    Scope(String),
    /// The scopes were asked for, and the server is not content.
    #[error("the server asks for the scopes {0:?}, which it was given a token for already")]
    ScopeAgain(String),
    /// It was tried often enough.
    #[error("the server was given {0} new tokens and took none")]
    TooOften(usize),
    /// An address may not be asked, or does not answer.
    #[error("`{url}` was not asked: {why}")]
    Unasked {
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
    /// An address answers with something else.
    #[error("`{url}` gives nothing that can be used: {why}")]
    Unusable {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server's metadata is about something else.
    #[error(
        "the server says that it is {said:?}, and it was asked at {asked:?}: no token is asked for"
    )]
    OtherResource {
        /// The resource of its metadata.
        said: String,
        /// Where it was asked.
        asked: String,
    },
    /// The server names another authorization server than the user did.
    #[error(
        "the server does not name the authorization server {0:?}, whose client the definition has"
    )]
    OtherIssuer(String),
    /// There is no client to ask as.
    #[error(
        "the authorization server {0:?} does not register clients by itself: name a registered client in `oauth.client_id`"
    )]
    NoClient(String),
    /// The definition's client cannot be used there.
    #[error("the client of the definition cannot be used: {0}")]
    Client(String),
    /// The authorization server, or the person, said no.
    #[error("{what} was refused: {code}{}", .said.as_ref().map(|said| format!(" ({said})")).unwrap_or_default())]
    Refused {
        /// What was asked for.
        what: &'static str,
        /// Its code.
        code: String,
        /// Its words.
        said: Option<String>,
    },
    /// The answer that came back through the browser is not of this authorization server.
    #[error("the answer to the login {0}: nothing of it is used")]
    Forged(String),
    /// Nobody came back from the browser.
    #[error("nobody came back from the address in time")]
    Late,
    /// Something of this machine failed.
    #[error("{0}")]
    Here(String),
}

/// What a stranger says, fit to be shown: one line of at most 200 plain characters.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, ' '..='~'))
        .take(200)
        .collect()
}
