//! Errors in the format of each API.

use toolglot_value::{Map, Value, json};

use crate::{Api, RequestError};

/// An error for a client, which is written in the format of its API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The message for a person.
    pub message: String,
    /// The JSON path of the wrong field, as in `messages[0].role`.
    pub at: Option<String>,
}

/// The kinds of errors that all three APIs support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong: 400.
    InvalidRequest,
    /// The key is missing or wrong: 401.
    Authentication,
    /// The client has no permission: 403.
    Permission,
    /// There is no such path or model: 404.
    NotFound,
    /// The body is too large: 413.
    TooLarge,
    /// The client sent too many requests: 429.
    RateLimit,
    /// A fault of the gateway: 500.
    Internal,
    /// The upstream failed, or its answer is unreadable: 502.
    Upstream,
    /// There is no capacity: 503.
    Overloaded,
    /// The upstream was too slow: 504.
    Timeout,
}

impl ErrorKind {
    /// The HTTP status.
    pub fn status(self) -> u16 {
        match self {
            ErrorKind::InvalidRequest => 400,
            ErrorKind::Authentication => 401,
            ErrorKind::Permission => 403,
            ErrorKind::NotFound => 404,
            ErrorKind::TooLarge => 413,
            ErrorKind::RateLimit => 429,
            ErrorKind::Internal => 500,
            ErrorKind::Upstream => 502,
            ErrorKind::Overloaded => 503,
            ErrorKind::Timeout => 504,
        }
    }

    /// The value of `type` in OpenAI's APIs.
    fn openai(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest | ErrorKind::TooLarge | ErrorKind::NotFound => {
                "invalid_request_error"
            }
            ErrorKind::Authentication => "authentication_error",
            ErrorKind::Permission => "permission_error",
            ErrorKind::RateLimit => "rate_limit_error",
            ErrorKind::Internal
            | ErrorKind::Upstream
            | ErrorKind::Overloaded
            | ErrorKind::Timeout => "server_error",
        }
    }

    /// The value of `type` in Anthropic's API.
    fn anthropic(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest => "invalid_request_error",
            ErrorKind::Authentication => "authentication_error",
            ErrorKind::Permission => "permission_error",
            ErrorKind::NotFound => "not_found_error",
            ErrorKind::TooLarge => "request_too_large",
            ErrorKind::RateLimit => "rate_limit_error",
            ErrorKind::Internal | ErrorKind::Upstream => "api_error",
            ErrorKind::Overloaded => "overloaded_error",
            ErrorKind::Timeout => "timeout_error",
        }
    }

    /// The value of `code` in OpenAI's Responses.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest | ErrorKind::TooLarge | ErrorKind::NotFound => {
                "invalid_prompt"
            }
            ErrorKind::RateLimit => "rate_limit_exceeded",
            _ => "server_error",
        }
    }
}

impl ApiError {
    /// An error that points at no field.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> ApiError {
        ApiError {
            kind,
            message: message.into(),
            at: None,
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.kind.status()
    }

    /// The body of the response.
    pub fn body(&self, api: Api) -> Value {
        match api {
            Api::Chat | Api::Responses => {
                let mut error = Map::new();
                error.insert("message".to_owned(), Value::from(self.message.as_str()));
                error.insert("type".to_owned(), Value::from(self.kind.openai()));
                if let Some(at) = &self.at {
                    error.insert("param".to_owned(), Value::from(at.as_str()));
                }
                json!({"error": error})
            }
            Api::Messages => {
                json!({"type": "error", "error": {"type": self.kind.anthropic(), "message": &self.message}})
            }
        }
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> ApiError {
        ApiError {
            kind: ErrorKind::InvalidRequest,
            message: error.to_string(),
            at: Some(error.at),
        }
    }
}
