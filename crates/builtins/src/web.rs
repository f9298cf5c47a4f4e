//! An HTTP client for one host, whose addresses are checked before a connection.
//!
//! The name is resolved once, and connections use the resolved addresses. A name of this machine or of a local network
//! is refused, unless it is an IP address or `localhost` as the user allowed it. No proxy is used and no redirection is
//! followed: the next address is another request.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use toolglot_policy::{HostPort, is_public};
use ureq::config::Config;
use ureq::http::{Method, Request, Response, Uri};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};

use crate::Failure;

/// An HTTP client for one host. Connections stay open between requests.
#[derive(Debug)]
pub struct Web {
    agent: Agent,
    looked: Looked,
    host: HostPort,
}

/// A request to the host.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The whole URL; its host has to equal [`Web::host`].
    pub url: &'a str,
    /// `GET`, `POST`, ..
    pub method: &'a str,
    /// Names and values; no control characters.
    pub headers: &'a [(String, String)],
    /// The request body; may be empty.
    pub body: &'a [u8],
    /// The time limit up to the response's last byte.
    pub time: Duration,
}

impl Web {
    /// A client for `host`: resolves its name.
    ///
    /// # Errors
    /// If the name has no address, or a local one that it does not spell out.
    pub fn to(host: &HostPort) -> Result<Web, Failure> {
        Ok(Web::at(host, Looked(addresses(host)?)))
    }

    /// Another client for the same addresses.
    #[must_use]
    pub fn again(&self) -> Web {
        Web::at(&self.host, self.looked.clone())
    }

    /// Ends all running requests; later requests fail.
    pub fn end(&self) {
        self.agent.clone().shutdown();
    }

    fn at(host: &HostPort, looked: Looked) -> Web {
        let config = Config::builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .allow_non_standard_methods(false)
            .proxy(None)
            .user_agent("toolglot")
            .build();
        Web {
            agent: Agent::with_parts(config, DefaultConnector::default(), looked.clone()),
            looked,
            host: host.clone(),
        }
    }

    /// Sends a request and returns the response after its head; any status is a response.
    ///
    /// # Errors
    /// [`Failure::Http`] for an invalid request, [`Failure::Unanswered`] without a response.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<Response<Body>, Failure> {
        let bad = |problem: String| Failure::Http { problem };
        match HostPort::of(ask.url) {
            Ok(host) if host == self.host => {}
            Ok(host) => {
                return Err(bad(format!(
                    "this way leads to `{}` and not to `{}`",
                    self.host.name, host.name
                )));
            }
            Err(error) => return Err(bad(error.to_string())),
        }
        let method = Method::from_bytes(ask.method.as_bytes())
            .map_err(|_| bad(format!("unknown method {:?}", ask.method)))?;
        let mut request = Request::builder().method(method).uri(ask.url);
        for (name, value) in ask.headers {
            request = request.header(name, value);
        }
        let request = request.body(()).map_err(|error| bad(error.to_string()))?;
        let (parts, ()) = request.into_parts();
        let time = Some(ask.time);
        let answer = if ask.body.is_empty() && !matches!(ask.method, "POST" | "PUT" | "PATCH") {
            let request = Request::from_parts(parts, ());
            let request = self.agent.configure_request(request);
            self.agent.run(request.timeout_global(time).build())
        } else {
            let request = Request::from_parts(parts, ask.body);
            let request = self.agent.configure_request(request);
            self.agent.run(request.timeout_global(time).build())
        };
        answer.map_err(|error| self.unanswered(&error))
    }

    /// The failure of a request whose response ended early.
    pub fn unanswered(&self, error: &dyn std::fmt::Display) -> Failure {
        let said = error.to_string();
        Failure::Unanswered {
            host: self.host.name.clone(),
            problem: match said.strip_prefix("timeout: ") {
                Some(_) => "the time for it is over".to_owned(),
                None => said,
            },
        }
    }

    /// The host of all requests.
    pub fn host(&self) -> &HostPort {
        &self.host
    }
}

/// A resolver that returns the checked addresses for every name.
#[derive(Clone, Debug)]
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

/// The addresses of a host. A local address is an error, unless the host is spelled as one.
fn addresses(host: &HostPort) -> Result<Vec<SocketAddr>, Failure> {
    if let Some(address) = host.address {
        return Ok(vec![SocketAddr::new(address, host.port)]);
    }
    let found: Vec<SocketAddr> = (host.name.as_str(), host.port)
        .to_socket_addrs()
        .map_err(|error| Failure::Unanswered {
            host: host.name.clone(),
            problem: format!("it leads to no address: {error}"),
        })?
        .collect();
    let is_here = host.name == "localhost";
    let nearby = found
        .iter()
        .map(SocketAddr::ip)
        .find(|address| !(is_public(*address) || is_here && address.is_loopback()));
    match nearby {
        Some(address) => Err(Failure::Http {
            problem: format!(
                "`{}` leads to {address}, which is not of the public network: ask the address itself, if that is meant and allowed",
                host.name
            ),
        }),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use toolglot_policy::HostPort;

    use super::addresses;

    #[test]
    fn names_that_lead_nearby_are_refused_unless_they_say_so() {
        let of = |url: &str| addresses(&HostPort::of(url).expect(url));
        assert!(of("http://localhost:1/").is_ok());
        assert!(of("http://127.0.0.1:1/").is_ok());
        assert!(of("http://no-such-host.invalid/").is_err());
        // A name that `/etc/hosts` maps to this machine.
        if let Ok(name) = std::fs::read_to_string("/etc/hostname") {
            let url = format!("http://{}/", name.trim());
            if let Ok(host) = HostPort::of(&url)
                && std::net::ToSocketAddrs::to_socket_addrs(&(host.name.as_str(), 80)).is_ok()
                && host.name != "localhost"
            {
                assert!(addresses(&host).is_err(), "{url}");
            }
        }
    }
}
