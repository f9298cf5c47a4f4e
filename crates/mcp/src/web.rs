//! One HTTP address; the caller of this crate implements the requests.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// Sends requests to one address over HTTP.
pub trait Web: fmt::Debug + Send + Sync {
    /// Sends a request and returns the response after its head. Follows no redirection.
    ///
    /// # Errors
    /// If there is no response.
    fn ask(
        &self,
        method: &'static str,
        headers: &[(String, String)],
        body: &[u8],
        time: Duration,
    ) -> Result<Answer, WebError>;

    /// Ends all running requests, and rejects later ones.
    fn end(&self);

    /// Another connection to the same address.
    fn again(&self) -> Arc<dyn Web>;
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebError {
    /// Requests to this address are not allowed.
    Barred(String),
    /// The server did not respond.
    Unanswered(String),
}

/// A response whose body is still being read.
pub struct Answer {
    /// 200, ..
    pub status: u16,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    /// The rest of the response.
    pub body: Box<dyn Read + Send>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}
