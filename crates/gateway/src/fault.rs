//! A request that gets no answer of a model, in the shape that the API's clients read.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode};
use toolglot_value::{Value, json};

use crate::api::Api;

/// Why a request failed.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) status: StatusCode,
    /// In a sentence, for the person who made the request.
    pub(crate) message: String,
    /// The JSON path of the field that is wrong.
    pub(crate) param: Option<String>,
}

impl Fault {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Fault {
        Fault {
            status,
            message: message.into(),
            param: None,
        }
    }

    /// The error as the API writes it.
    pub(crate) fn json(&self, api: Api) -> Value {
        let (openai, anthropic) = match self.status.as_u16() {
            401 => ("authentication_error", "authentication_error"),
            403 => ("permission_error", "permission_error"),
            404 => ("invalid_request_error", "not_found_error"),
            413 => ("invalid_request_error", "request_too_large"),
            400..=499 => ("invalid_request_error", "invalid_request_error"),
            503 => ("server_error", "overloaded_error"),
            _ => ("server_error", "api_error"),
        };
        match api {
            Api::Messages => json!({
                "type": "error",
                "error": {"type": anthropic, "message": self.message.as_str()},
            }),
            Api::Chat | Api::Responses | Api::Other => json!({"error": {
                "message": self.message.as_str(),
                "type": openai,
                "param": self.param.as_deref(),
                "code": null,
            }}),
        }
    }

    /// The error as a whole answer.
    pub(crate) fn response(&self, api: Api) -> Response<Body> {
        let mut response = Response::new(Body::from(self.json(api).to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert("retry-after", HeaderValue::from_static("1"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_api_has_its_own_shape() {
        let mut fault = Fault::new(StatusCode::BAD_REQUEST, "no messages");
        fault.param = Some("$.messages".to_owned());
        let expected = json!({"error": {
            "message": "no messages", "type": "invalid_request_error", "param": "$.messages", "code": null,
        }});
        assert_eq!(fault.json(Api::Responses), expected);
        let expected = json!({
            "type": "error", "error": {"type": "invalid_request_error", "message": "no messages"},
        });
        assert_eq!(fault.json(Api::Messages), expected);
    }
}
