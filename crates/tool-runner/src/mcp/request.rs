//! One request to a server, at checked addresses.

use toolglot_builtins::{Failure, web};
use toolglot_mcp::client::{Answer, WebError};

/// Converts the failure of a request that was not sent. A name without an address is temporary.
pub(super) fn unasked(failure: Failure) -> WebError {
    match failure {
        Failure::Unanswered { problem, .. } => WebError::Unanswered(problem),
        other => WebError::Barred(other.to_string()),
    }
}

/// Sends a request to the checked addresses of `way`.
pub(super) fn asked(way: &web::Web, ask: &web::Ask<'_>) -> Result<Answer, WebError> {
    let answer = way.ask(ask).map_err(unasked)?;
    let (parts, body) = answer.into_parts();
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value)
        })
        .collect();
    Ok(Answer {
        status: parts.status.as_u16(),
        headers,
        body: Box::new(body.into_reader()),
    })
}
