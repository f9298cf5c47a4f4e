//! The method of a request to another machine, and the headers that a caller may not set.

use thiserror::Error;

/// The methods that a request can have.
pub const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// Headers about the destination, the connection or the length of a request. Only the HTTP client sets them.
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

/// The method of this name, in any letter case.
///
/// # Errors
/// If `text` is not one of [`METHODS`].
pub fn method(text: &str) -> Result<&'static str, BadMethod> {
    let mut known = METHODS.iter().copied();
    known
        .find(|known| known.eq_ignore_ascii_case(text))
        .ok_or_else(|| BadMethod(text.to_owned()))
}

/// Whether only the HTTP client sets a header, not a caller or a file.
pub fn is_own_header(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
}
