//! One request to a server, on a way that was looked at.

use toolglot_builtins::{Failure, web};
use toolglot_mcp::client::{Answer, WebError};

/// Why a server was not asked. That its name leads nowhere now says nothing of later.
pub(super) fn unasked(failure: Failure) -> WebError {
    match failure {
        Failure::Unanswered { problem, .. } => WebError::Unanswered(problem),
        other => WebError::Barred(other.to_string()),
    }
}

/// Asks on a way that was looked at.
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
