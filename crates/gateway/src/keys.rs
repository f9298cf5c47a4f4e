//! The API keys of clients.

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

type Fingerprint = [u8; 32];

/// The accepted keys. Only their SHA-256 is stored and compared, so that timing reveals nothing about a key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Vec<Fingerprint>);

impl Keys {
    /// No key is required if `keys` is empty.
    pub(crate) fn new(keys: &[String]) -> Keys {
        Keys(keys.iter().map(|key| fingerprint(key.as_bytes())).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a request may pass: `Authorization: Bearer` of OpenAI's clients, or `x-api-key` of Anthropic's.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let bearer = headers.get(AUTHORIZATION).and_then(|value| {
            let (scheme, key) = value.as_bytes().split_at_checked("Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(key)
        });
        let api_key = headers.get("x-api-key").map(HeaderValue::as_bytes);
        [bearer, api_key]
            .into_iter()
            .flatten()
            .any(|key| self.0.contains(&fingerprint(key)))
    }
}

fn fingerprint(key: &[u8]) -> Fingerprint {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_in_either_header() {
        let keys = Keys::new(&["one".to_owned(), "two".to_owned()]);
        for (name, value, is_admitted) in [
            ("authorization", "Bearer one", true),
            ("authorization", "bearer two", true),
            ("x-api-key", "two", true),
            ("authorization", "Bearer three", false),
            ("authorization", "one", false),
            ("x-api-key", "", false),
            ("cookie", "one", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            assert_eq!(keys.admit(&headers), is_admitted, "{name}: {value}");
            assert!(Keys::default().admit(&headers));
        }
    }
}
