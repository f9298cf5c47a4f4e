//! `http_request`: one question to one host, at an address that was looked at before it was connected to.
//!
//! The name is resolved once, and what is connected to is what was resolved. A name that leads to this machine or a network
//! nearby is refused, unless it is an address or `localhost` as the user allowed it. A redirection is told, not followed: the
//! next address is another question.

use std::fmt::Write;
use std::io::Read;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolglot_policy::{BadUrl, Host, is_public};
use ureq::config::Config;
use ureq::http::{Method, Request, Uri};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};

use crate::{Failure, Outcome, Root};

/// How long a question may take where nothing else is said.
const TIME: Duration = Duration::from_secs(30);

/// The longest that may be asked for.
const MOST_TIME: Duration = Duration::from_secs(300);

/// Headers that a question may not set: they say where it goes, or how long it is.
const OWN_HEADERS: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "proxy-authorization",
    "upgrade",
];

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    url: String,
    host: Host,
    method: Method,
    headers: Vec<(String, String)>,
    body: String,
    time: Duration,
}

impl Question {
    /// Reads the arguments.
    pub(crate) fn of(
        url: &str,
        host: &Result<Host, BadUrl>,
        arguments: &Map<String, Value>,
        time: Option<Duration>,
    ) -> Result<Question, Failure> {
        let bad = |problem: String| Failure::Http { problem };
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let host = host.clone().map_err(|error| bad(error.to_string()))?;
        let method = text("method").unwrap_or("GET").to_ascii_uppercase();
        let method = match method.as_str() {
            "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" => {
                Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET)
            }
            other => {
                return Err(bad(format!(
                    "{other:?} is no method: use GET, HEAD, POST, PUT, PATCH or DELETE"
                )));
            }
        };
        let mut headers = Vec::new();
        for (name, value) in arguments
            .get("headers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let Some(value) = value.as_str() else {
                return Err(bad(format!("the header {name:?} is no text")));
            };
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(bad(format!(
                    "the header {name:?} is not for the caller to set"
                )));
            }
            headers.push((name.clone(), value.to_owned()));
        }
        Ok(Question {
            url: url.to_owned(),
            host,
            method,
            headers,
            body: text("body").unwrap_or_default().to_owned(),
            time: time.unwrap_or(TIME).min(MOST_TIME),
        })
    }
}

/// Gives the addresses that were looked at, whatever it is asked for.
#[derive(Debug)]
struct Looked(Vec<SocketAddr>);

impl Resolver for Looked {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        for address in self.0.iter().take(16) {
            found.push(*address);
        }
        Ok(found)
    }
}

/// The addresses of a host, none of which leads nearby unless the host is such an address itself.
fn addresses(host: &Host) -> Result<Vec<SocketAddr>, Failure> {
    let bad = |problem: String| Failure::Http { problem };
    if let Some(address) = host.address {
        return Ok(vec![SocketAddr::new(address, host.port)]);
    }
    let found: Vec<SocketAddr> = (host.name.as_str(), host.port)
        .to_socket_addrs()
        .map_err(|error| bad(format!("`{}` leads to no address: {error}", host.name)))?
        .collect();
    let is_here = host.name == "localhost";
    let nearby = found
        .iter()
        .map(SocketAddr::ip)
        .find(|address| !(is_public(*address) || is_here && address.is_loopback()));
    match nearby {
        Some(address) => Err(bad(format!(
            "`{}` leads to {address}, which is not of the public network: ask the address itself, if that is meant and allowed",
            host.name
        ))),
        None => Ok(found),
    }
}

/// Asks.
pub(crate) fn ask(root: &Root, question: &Question) -> Result<Outcome, Failure> {
    let bad = |problem: String| Failure::Http { problem };
    let looked = Looked(addresses(&question.host)?);
    let config = Config::builder()
        .timeout_global(Some(question.time))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent("toolglot")
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), looked);
    let mut request = Request::builder()
        .method(question.method.clone())
        .uri(&question.url);
    for (name, value) in &question.headers {
        request = request.header(name, value);
    }
    let fail = |error: &dyn std::fmt::Display| {
        bad(format!(
            "`{}` was not answered: {error}",
            question.host.name
        ))
    };
    let answer: Result<ureq::http::Response<Body>, ureq::Error> = if question.body.is_empty() {
        agent.run(request.body(()).map_err(|error| bad(error.to_string()))?)
    } else {
        agent.run(
            request
                .body(question.body.as_str())
                .map_err(|error| bad(error.to_string()))?,
        )
    };
    let mut answer = answer.map_err(|error| fail(&error))?;
    let status = answer.status().as_u16();
    let headers: Map<String, Value> = answer
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes())
                    .into_owned()
                    .into(),
            )
        })
        .collect();
    let limit = root.limits.output_bytes;
    let mut body = Vec::new();
    answer
        .body_mut()
        .as_reader()
        .take(limit as u64 + 1)
        .read_to_end(&mut body)
        .map_err(|error| fail(&error))?;
    let is_cut = body.len() > limit;
    body.truncate(limit);
    let text = String::from_utf8_lossy(&body).into_owned();
    let to = headers
        .get("location")
        .and_then(Value::as_str)
        .filter(|_| (300..400).contains(&status))
        .map(str::to_owned);
    let output = json!({"status": status, "headers": headers, "body": text, "truncated": is_cut, "redirectTo": to});
    let mut told = format!("HTTP {status}\n{text}");
    if is_cut {
        let _ = write!(told, "\n[the answer was cut after {limit} bytes]");
    }
    if let Some(to) = to {
        let _ = write!(
            told,
            "\n[it leads to {to}, which was not followed: ask it if it is needed]"
        );
    }
    Ok(Outcome {
        ok: status < 400,
        output,
        text: told,
    })
}

#[cfg(test)]
mod tests {
    use toolglot_policy::Host;

    use super::addresses;

    #[test]
    fn names_that_lead_nearby_are_refused_unless_they_say_so() {
        let of = |url: &str| addresses(&Host::of(url).expect(url));
        assert!(of("http://localhost:1/").is_ok());
        assert!(of("http://127.0.0.1:1/").is_ok());
        assert!(of("http://no-such-host.invalid/").is_err());
        // A name that the host's own table sends to this machine.
        if let Ok(name) = std::fs::read_to_string("/etc/hostname") {
            let url = format!("http://{}/", name.trim());
            if let Ok(host) = Host::of(&url)
                && std::net::ToSocketAddrs::to_socket_addrs(&(host.name.as_str(), 80)).is_ok()
                && host.name != "localhost"
            {
                assert!(addresses(&host).is_err(), "{url}");
            }
        }
    }
}
