//! Servers over HTTP, whose addresses are checked before a connection.

use std::sync::Arc;
use std::time::Duration;

use toolglot_builtins::web;
use toolglot_mcp::auth::Authorizer;
use toolglot_mcp::client::{Answer, Stream, Trouble, Web, WebError, Wire};
use toolglot_policy::{HostPort, is_own_header};
use toolglot_tool_files::template;
use toolglot_value::{Map, Value};

use super::definition::Definition;
use super::oauth;
use super::request::{asked, unasked};
use super::session_error::SessionError;
use crate::failure::CallError;
use crate::runner::ToolRunner;

/// Headers that the protocol sets, besides those of every request.
const PROTOCOLS_HEADERS: &[&str] = &[
    "content-type",
    "accept",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];

/// The wire to a server. It needs the grant `net.http`, or the one for its host.
pub(super) fn wire(
    runner: &ToolRunner,
    definition: &Definition,
    time: Duration,
) -> Result<Box<dyn Wire>, SessionError> {
    let place = place(runner, definition)?;
    let bad = |why: String| {
        SessionError::Refused(CallError::Config {
            id: definition.found.id.to_string(),
            why,
        })
    };
    // A definition with a token needs no authorizer. Otherwise the issuer that the server names gives one.
    let authorizer = if place.has_token() {
        None
    } else {
        Some(oauth::authorizer(runner, definition, &place.url, None).map_err(bad)?)
    };
    wire_to(&place.url, place.headers, authorizer, time).map_err(|trouble| match trouble {
        Trouble::Barred(why) => bad(why),
        trouble => trouble.into(),
    })
}

/// The address of a server, and the headers of its requests.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
}

impl Address {
    /// Whether the definition has a token in its headers.
    pub(super) fn has_token(&self) -> bool {
        let is_token = |name: &str| name.eq_ignore_ascii_case("authorization");
        self.headers.iter().any(|(name, _)| is_token(name))
    }
}

/// The address of a server, if a request to it is granted.
pub(super) fn place(runner: &ToolRunner, definition: &Definition) -> Result<Address, SessionError> {
    let id = definition.found.id.to_string();
    let bad = |why: String| {
        SessionError::Refused(CallError::Config {
            id: id.clone(),
            why,
        })
    };
    let text = |value: &Value| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let expanded = template::variables(&text, &runner.variables);
        expanded.map_err(|unset| SessionError::Refused(definition.unset(unset)))
    };
    let settings: &Map<String, Value> = &definition.settings;
    let url = url(runner, definition).map_err(SessionError::Refused)?;
    let url =
        url.ok_or_else(|| bad("it has neither `config.command` nor `config.url`".to_owned()))?;
    let place = HostPort::of(&url).map_err(|error| bad(error.to_string()))?;
    let named = match place.port {
        80 | 443 => format!("net:{}", place.name),
        port => format!("net:{}:{port}", place.name),
    };
    if !(runner.grants("net.http") || runner.grants(&named)) {
        return Err(SessionError::Refused(CallError::NotGranted {
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
        let value = text(value)?;
        let is_protocols = |own: &&str| own.eq_ignore_ascii_case(name);
        if is_own_header(name) || PROTOCOLS_HEADERS.iter().any(is_protocols) {
            return Err(bad(format!("the header `{name}` is not for a file to set")));
        }
        if value.chars().any(char::is_control) {
            return Err(bad(format!(
                "the value of the header `{name}` holds a control character"
            )));
        }
        headers.push((name.clone(), value));
    }
    Ok(Address { url, headers })
}

/// The URL of a server with the user's variables expanded.
///
/// # Errors
/// If a variable is not set.
pub(super) fn url(
    runner: &ToolRunner,
    definition: &Definition,
) -> Result<Option<String>, CallError> {
    let url = definition.settings.get("url").and_then(Value::as_str);
    let expanded = url.map(|url| template::variables(url, &runner.variables));
    expanded
        .transpose()
        .map_err(|unset| definition.unset(unset))
}

/// The wire to a server at an address that the caller has checked. The user's headers are on every request, with a
/// token if there is one.
///
/// # Errors
/// If the address is invalid, or its name has a local address or none.
pub fn wire_to(
    url: &str,
    headers: Vec<(String, String)>,
    authorizer: Option<Arc<Authorizer>>,
    time: Duration,
) -> Result<Box<dyn Wire>, Trouble> {
    let place = HostPort::of(url).map_err(|error| Trouble::Barred(error.to_string()))?;
    let way = web::Web::to(&place).map_err(|failure| match unasked(failure) {
        WebError::Barred(why) => Trouble::Barred(why),
        WebError::Unanswered(why) => Trouble::Gone(format!("is not reached: {why}")),
    })?;
    let url = url.to_owned();
    let way = Arc::new(Way { way, url });
    Ok(Box::new(Stream::new(way, headers, authorizer, time)))
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
        asked(
            &self.way,
            &web::Ask {
                url: &self.url,
                method,
                headers,
                body,
                time,
            },
        )
    }

    fn end(&self) {
        self.way.end();
    }

    fn again(&self) -> Arc<dyn Web> {
        Arc::new(Way {
            way: self.way.again(),
            url: self.url.clone(),
        })
    }
}
