//! Authorization of the client over HTTP: OAuth 2.1, as the protocol asks for it.
//!
//! ```text
//!  401 ──▶ Challenge ──▶ metadata of the resource ──▶ metadata of its issuer ──▶ a client there ──▶ a token ──▶ the request again
//!          (WWW-Authenticate)  (RFC 9728)                  (RFC 8414, OpenID)         │                 ▲
//!                                                                                     └── a person's ───┘
//!                                                                                     browser, PKCE (or no person)
//! ```
//!
//! What a server says of where it is to be asked comes from a stranger: every address goes to a [`Net`], which judges it before
//! it is asked, and nothing is followed. A token is for one resource of one issuer, and goes to the server that it was asked
//! for, at the address that the user named, and to nobody else. Nothing here writes a secret where it is read: [`Secret`] has
//! no text.
//!
//! Source: <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>, read 2026-11.

mod address;
mod assertion;
mod authorizer;
mod challenge;
mod code;
mod discovery;
mod grant;
mod loopback;
mod register;
mod token;

use std::fmt;
use std::time::Duration;

use thiserror::Error;

pub use address::canonical;
pub use authorizer::{Authorizer, Person};
pub use challenge::Challenge;
pub use grant::{Grant, Store};
pub use register::{Client, Method};

use crate::client::{Answer, WebError};

/// The largest answer of a metadata, registration or token endpoint, in bytes.
const MAX_BYTES: u64 = 256 << 10;
/// How long each of them may take.
const TIME: Duration = Duration::from_secs(15);

/// Asks addresses that a stranger named. Whoever implements it judges each before it is asked, and follows no redirection.
pub trait Net: fmt::Debug + Send + Sync {
    /// Asks.
    ///
    /// # Errors
    /// If the address may not be asked, or does not answer.
    fn ask(&self, question: &Question<'_>) -> Result<Answer, WebError>;

    /// Whether a person may be sent to an address.
    ///
    /// # Errors
    /// Why not.
    fn may_visit(&self, url: &str) -> Result<(), String>;
}

/// What is asked of an address.
#[derive(Debug)]
pub struct Question<'a> {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// All of the address.
    pub url: &'a str,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: &'a [u8],
    /// Until the last byte of the answer.
    pub time: Duration,
}

/// A text that is shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps it.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for whom it is meant.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What the user's definition of a server says of its authorization.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The client that was registered before, or the `https` address of the client's metadata document.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// Its key as PEM (PKCS#8, P-256): it signs instead of showing a secret (RFC 7523).
    pub private_key: Option<Secret>,
    /// Whose client that is; another authorization server gets nothing of it.
    pub issuer: Option<String>,
    /// The scopes that are asked for, whatever the server says.
    pub scope: Option<String>,
    /// Whether the client asks for itself, without a person (`client_credentials`).
    pub is_machine: bool,
}

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

/// Bytes that nobody guesses, as text: 4 letters for 3 bytes.
fn random<const N: usize>() -> Result<String, AuthError> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| AuthError::Here(format!("there are no random bytes: {error}")))?;
    Ok(base64url(&bytes))
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// What a stranger says, fit to be shown: one line of at most 200 plain characters.
fn shown(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, ' '..='~'))
        .take(200)
        .collect()
}
