//! A server over HTTP, at an address that was looked at before it was connected to.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolglot_exec::Failure;
use toolglot_exec::web;
use toolglot_mcp::client::{Answer, Stream, Web, WebError, Wire};
use toolglot_policy::Host as WebHost;
use toolglot_toolfiles::template;

use super::{Definition, Failed};
use crate::CallError;
use crate::call::Host;

/// Headers that are the protocol's, or say where a request goes.
const OWN_HEADERS: &[&str] = &[
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "accept",
    "upgrade",
    "proxy-authorization",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];

/// The wire to a server. Needs the network, unless the server is this machine's and the user's file says so.
pub(super) fn wire(
    host: &Host<'_>,
    definition: &Definition,
    time: Duration,
) -> Result<Box<dyn Wire>, Failed> {
    let id = definition.found.id.to_string();
    let bad = |why: String| {
        Failed::Refused(CallError::Config {
            id: id.clone(),
            why,
        })
    };
    let text = |value: &Value| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        template::variables(&text, &host.variables)
    };
    let settings: &Map<String, Value> = &definition.settings;
    let url = settings.get("url").map(text);
    let url =
        url.ok_or_else(|| bad("it has neither `config.command` nor `config.url`".to_owned()))?;
    let place = WebHost::of(&url).map_err(|error| bad(error.to_string()))?;
    let named = match place.port {
        80 | 443 => format!("net:{}", place.name),
        port => format!("net:{}:{port}", place.name),
    };
    if !(host.grants("net.http") || host.grants(&named)) {
        return Err(Failed::Refused(CallError::NotGranted {
            id,
            missing: vec!["net.http".to_owned()],
        }));
    }
    let mut headers = Vec::new();
    for (name, value) in settings
        .get("headers")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let value = text(value);
        if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(bad(format!("the header `{name}` is not for a file to set")));
        }
        if value.chars().any(char::is_control) {
            return Err(bad(format!(
                "the value of the header `{name}` holds a control character"
            )));
        }
        headers.push((name.clone(), value));
    }
    wire_to(&url, headers, time).map_err(bad)
}

/// The wire to a server at an address that somebody else has judged, with headers of the user's on every request.
///
/// # Errors
/// If the address is none, or its name leads nearby.
pub fn wire_to(
    url: &str,
    headers: Vec<(String, String)>,
    time: Duration,
) -> Result<Box<dyn Wire>, String> {
    let place = WebHost::of(url).map_err(|error| error.to_string())?;
    let way = web::Web::to(&place).map_err(|failure| failure.to_string())?;
    let url = url.to_owned();
    let way = Arc::new(Way { way, url });
    Ok(Box::new(Stream::new(way, headers, time)))
}

#[derive(Debug)]
struct Way {
    way: web::Web,
    url: String,
}

impl Web for Way {
    fn ask(
        &self,
        method: &'static str,
        headers: &[(String, String)],
        body: &[u8],
        time: Duration,
    ) -> Result<Answer, WebError> {
        let ask = web::Ask {
            url: &self.url,
            method,
            headers,
            body,
            time,
        };
        let answer = self.way.ask(&ask).map_err(|failure| match failure {
            Failure::Unanswered { problem, .. } => WebError::Unanswered(problem),
            other => WebError::Barred(other.to_string()),
        })?;
        let (parts, body) = answer.into_parts();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| {
                (
                    name.to_string(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        Ok(Answer {
            status: parts.status.as_u16(),
            headers,
            body: Box::new(body.into_reader()),
        })
    }
}
