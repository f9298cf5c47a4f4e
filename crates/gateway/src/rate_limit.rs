//! An upstream's headers on rate limits and retries.

use axum::http::header::{HeaderName, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue};

/// The headers that clients read to slow down, as the upstream sent them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RateLimit(Vec<(HeaderName, HeaderValue)>);

/// Prefixes of such headers' names, after an `anthropic-` or `x-`.
const NAMES: [&str; 4] = [
    // RFC 9110, section 10.2.3; and `retry-after-ms`, which OpenAI's clients also read.
    "retry-after",
    // Whether OpenAI's and Anthropic's clients retry at all.
    "should-retry",
    // `x-ratelimit-remaining-tokens` and similar names are OpenAI's, `anthropic-ratelimit-requests-reset` and similar
    // names Anthropic's.
    "ratelimit",
    // Other servers' spelling, as in `x-rate-limit-limit`.
    "rate-limit",
];

impl RateLimit {
    /// The rate headers among the headers of an answer.
    pub(crate) fn of(headers: &HeaderMap) -> RateLimit {
        let kept = headers.iter().filter(|(name, _)| is_about_rate(name));
        RateLimit(
            kept.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Whether the upstream says when to retry.
    pub(crate) fn is_wait(&self) -> bool {
        self.0.iter().any(|(name, _)| *name == RETRY_AFTER)
    }

    /// Adds the headers to an answer, replacing those of the same names.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        for (name, _) in &self.0 {
            headers.remove(name);
        }
        for (name, value) in &self.0 {
            headers.append(name, value.clone());
        }
    }
}

fn is_about_rate(name: &HeaderName) -> bool {
    let name = name.as_str();
    let name = name.strip_prefix("anthropic-").unwrap_or(name);
    let name = name.strip_prefix("x-").unwrap_or(name);
    NAMES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_about_the_rate_pass() {
        let mut headers = HeaderMap::new();
        for name in [
            "retry-after",
            "retry-after-ms",
            "x-should-retry",
            "x-ratelimit-remaining-requests",
            "ratelimit-policy",
            "anthropic-ratelimit-tokens-reset",
            "x-rate-limit-limit",
            "set-cookie",
            "content-length",
            "anthropic-organization-id",
        ] {
            headers.insert(name, HeaderValue::from_static("1"));
        }
        let limit = RateLimit::of(&headers);
        assert!(limit.is_wait());
        let mut own = HeaderMap::new();
        own.insert("retry-after", HeaderValue::from_static("9"));
        limit.add_to(&mut own);
        assert_eq!(own.len(), 7, "{own:?}");
        assert_eq!(own["retry-after"], "1");
        assert!(!RateLimit::of(&HeaderMap::new()).is_wait());
    }
}
