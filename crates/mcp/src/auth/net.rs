//! Requests to addresses that a stranger named.

use std::fmt;
use std::time::Duration;

use crate::web::{Answer, WebError};

/// The largest answer of a metadata, registration or token endpoint, in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 10;
/// How long each request may take.
pub(super) const TIME: Duration = Duration::from_secs(15);

/// Sends requests to addresses that a stranger named. An implementation checks each address first, and follows no
/// redirection.
pub trait Net: fmt::Debug + Send + Sync {
    /// Sends a request.
    ///
    /// # Errors
    /// If the address is forbidden, or does not respond.
    fn ask(&self, question: &Question<'_>) -> Result<Answer, WebError>;

    /// Whether a person may be sent to an address.
    ///
    /// # Errors
    /// Why not.
    fn may_visit(&self, url: &str) -> Result<(), String>;
}

/// A request to an address.
#[derive(Debug)]
pub struct Question<'a> {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The full address.
    pub url: &'a str,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: &'a [u8],
    /// The time limit, up to the last byte of the response.
    pub time: Duration,
}
