//! A request without a model's answer, in the error format of the API.

use axum::body::Body;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use toolglot_wire::{Api, ApiError, ErrorKind, RequestError};

use crate::rate_limit::RateLimit;

/// The most characters of an upstream's body that are quoted.
const QUOTED_CHARS: usize = 200;

/// Why a request failed, with its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) status: StatusCode,
    /// For the person who made the request.
    pub(crate) error: ApiError,
    /// When the upstream accepts the next request.
    rate_limit: RateLimit,
}

impl Fault {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Fault {
        let kind = match status.as_u16() {
            401 => ErrorKind::Authentication,
            403 => ErrorKind::Permission,
            404 => ErrorKind::NotFound,
            413 => ErrorKind::TooLarge,
            429 => ErrorKind::RateLimit,
            400..=499 => ErrorKind::InvalidRequest,
            502 => ErrorKind::Upstream,
            503 => ErrorKind::Overloaded,
            504 => ErrorKind::Timeout,
            _ => ErrorKind::Internal,
        };
        Fault {
            status,
            error: ApiError::new(kind, message),
            rate_limit: RateLimit::default(),
        }
    }

    /// The error that the upstream returned. An error about the client's request keeps its status and its retry
    /// headers.
    pub(crate) fn upstream(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Fault {
        let text = String::from_utf8_lossy(body);
        let quoted: String = text.trim().chars().take(QUOTED_CHARS).collect();
        let message = format!("the upstream answered {}: {quoted}", status.as_u16());
        let own = match status.as_u16() {
            400 | 401 | 403 | 404 | 413 | 422 | 429 => status,
            _ => StatusCode::BAD_GATEWAY,
        };
        Fault {
            rate_limit: RateLimit::of(headers),
            ..Fault::new(own, message)
        }
    }

    /// The error as a whole answer; on other paths it has OpenAI's format.
    pub(crate) fn response(&self, api: Option<Api>) -> Response<Body> {
        let body = self.error.body(api.unwrap_or(Api::Chat));
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        self.rate_limit.add_to(headers);
        response
    }
}

impl From<ApiError> for Fault {
    fn from(error: ApiError) -> Fault {
        let status = StatusCode::from_u16(error.status());
        Fault {
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            error,
            rate_limit: RateLimit::default(),
        }
    }
}

impl From<RequestError> for Fault {
    fn from(error: RequestError) -> Fault {
        ApiError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_is_quoted_in_part() {
        let body = "é".repeat(300);
        for (status, own) in [(418, 502), (500, 502), (429, 429), (400, 400)] {
            let status = StatusCode::from_u16(status).expect("a status");
            let fault = Fault::upstream(status, &HeaderMap::new(), body.as_bytes());
            assert_eq!(fault.status.as_u16(), own);
            let message = format!(
                "the upstream answered {}: {}",
                status.as_u16(),
                "é".repeat(200)
            );
            assert_eq!(fault.error.message, message);
        }
    }
}
