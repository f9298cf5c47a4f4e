//! The errors of an upstream's answer.

use thiserror::Error;

use crate::{ApiError, ErrorKind};

/// The most characters of an upstream's text in an error.
const SHOWN: usize = 200;

/// Why reading an upstream's answer failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// The bytes are not UTF-8.
    #[error("the upstream sent bytes that are not UTF-8")]
    NotUtf8,
    /// An event is not a chunk of an answer.
    #[error("the upstream sent an event that is not a chunk of an answer: {text}")]
    NotAChunk {
        /// The start of the event.
        text: String,
    },
    /// An event follows the last one.
    #[error("the upstream sent more after `[DONE]`: {text}")]
    AfterDone {
        /// The start of the event.
        text: String,
    },
    /// The stream ended before the answer did.
    #[error("the upstream's stream ended before its answer did")]
    CutOff,
    /// An event is too large.
    #[error("the upstream sent an event of more than {limit} bytes")]
    TooLarge {
        /// The most bytes of an event.
        limit: usize,
    },
    /// The upstream reports an error.
    #[error("the upstream reports an error: {message}")]
    Reported {
        /// The message of the upstream.
        message: String,
        /// The whole error, shortened.
        text: String,
    },
}

impl UpstreamError {
    pub(super) fn not_a_chunk(text: &str) -> UpstreamError {
        UpstreamError::NotAChunk { text: start(text) }
    }

    pub(super) fn after_done(text: &str) -> UpstreamError {
        UpstreamError::AfterDone { text: start(text) }
    }

    /// The answer ended with a reason that means a failure of the upstream.
    pub(super) fn stopped(reason: &str) -> UpstreamError {
        UpstreamError::Reported {
            message: format!("it stopped the answer: {reason}"),
            text: reason.to_owned(),
        }
    }

    /// The error in a body or an event.
    pub(super) fn reported(text: &str) -> UpstreamError {
        let value = toolglot_value::from_str(text).unwrap_or_default();
        let error = value.get("error").unwrap_or(&value);
        let message = error["message"].as_str().or(error.as_str());
        UpstreamError::Reported {
            message: start(message.unwrap_or(text)),
            text: start(text),
        }
    }
}

impl From<UpstreamError> for ApiError {
    fn from(error: UpstreamError) -> ApiError {
        ApiError::new(ErrorKind::Upstream, error.to_string())
    }
}

/// The first characters of a text.
fn start(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_owned(),
    }
}
