//! One address over HTTP, as whoever uses this crate asks it.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// Asks one address over HTTP.
pub trait Web: fmt::Debug + Send + Sync {
    /// Sends a request and gives the answer as soon as its head is there. Follows no redirection.
    ///
    /// # Errors
    /// If there is none.
    fn ask(
        &self,
        method: &'static str,
        headers: &[(String, String)],
        body: &[u8],
        time: Duration,
    ) -> Result<Answer, WebError>;

    /// Ends all that is running; nothing is asked on this way any more.
    fn end(&self);

    /// Another way to the same address.
    fn again(&self) -> Arc<dyn Web>;
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebError {
    /// It may not be asked.
    Barred(String),
    /// It did not answer.
    Unanswered(String),
}

/// An answer whose body is still being read.
pub struct Answer {
    /// 200, ..
    pub status: u16,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    /// What follows.
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
