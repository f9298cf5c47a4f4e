//! What a request to another machine says by itself: its method, and which headers are not the caller's.

use thiserror::Error;

/// The methods that a request can have.
pub const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// Headers that say where a request goes, or how long it is.
const OWN_HEADERS: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "proxy-authorization",
    "upgrade",
];

/// A text that is not one of [`METHODS`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown method `{0}`: use GET, HEAD, POST, PUT, PATCH or DELETE")]
pub struct BadMethod(String);

/// The method that is meant, in whatever case.
///
/// # Errors
/// If it is not one of [`METHODS`].
pub fn method(text: &str) -> Result<&'static str, BadMethod> {
    let mut known = METHODS.iter().copied();
    known
        .find(|known| known.eq_ignore_ascii_case(text))
        .ok_or_else(|| BadMethod(text.to_owned()))
}

/// Whether a header is the request's own, and not for a caller or a file to set.
pub fn is_own_header(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
}
