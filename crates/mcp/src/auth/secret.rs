//! Secrets, and unpredictable random bytes.

use std::fmt;

use super::error::AuthError;

/// A text that is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for its receiver only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Unpredictable random bytes as text: 4 letters for 3 bytes.
pub(super) fn random<const N: usize>() -> Result<String, AuthError> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| AuthError::Here(format!("there are no random bytes: {error}")))?;
    Ok(base64url(&bytes))
}

pub(super) fn base64url(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}
