//! Addresses that a stranger named, and how they are asked.

use std::fmt;
use std::time::Duration;

use crate::web::{Answer, WebError};

/// The largest answer of a metadata, registration or token endpoint, in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 10;
/// How long each of them may take.
pub(super) const TIME: Duration = Duration::from_secs(15);

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
