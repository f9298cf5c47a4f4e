//! A way to one host, at addresses that were looked at before they are connected to.
//!
//! The name is resolved once, and what is connected to is what was resolved. A name that leads to this machine or a network
//! nearby is refused, unless it is an address or `localhost` as the user allowed it. No proxy is asked and no redirection is
//! followed: the next address is another question.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use toolglot_policy::{HostPort, is_public};
use ureq::config::Config;
use ureq::http::{Method, Request, Response, Uri};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};

use crate::Failure;

/// A way to one host. Connections are kept open between questions.
#[derive(Debug)]
pub struct Web {
    agent: Agent,
    looked: Looked,
    host: HostPort,
}

/// What is asked of the host.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// All of the URL; its host is that of the [`Web`].
    pub url: &'a str,
    /// `GET`, `POST`, ..
    pub method: &'a str,
    /// Names and values; no control characters.
    pub headers: &'a [(String, String)],
    /// What is sent; nothing if empty.
    pub body: &'a [u8],
    /// Until the last byte of the answer.
    pub time: Duration,
}

impl Web {
    /// A way to `host`: resolves its name.
    ///
    /// # Errors
    /// If it leads to no address, or to one nearby that it does not spell out.
    pub fn to(host: &HostPort) -> Result<Web, Failure> {
        Ok(Web::at(host, Looked(addresses(host)?)))
    }

    /// A way of its own to the same addresses.
    #[must_use]
    pub fn again(&self) -> Web {
        Web::at(&self.host, self.looked.clone())
    }

    /// Ends what is running, whatever it waits for; nothing can be asked any more.
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

    /// Asks, and gives the answer as soon as its head is there; any status is an answer.
    ///
    /// # Errors
    /// [`Failure::Http`] for what cannot be asked, [`Failure::Unanswered`] where no answer came.
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

    /// What became of a question whose answer ended early.
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

    /// Where it leads.
    pub fn host(&self) -> &HostPort {
        &self.host
    }
}

/// Gives the addresses that were looked at, whatever it is asked for.
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

/// The addresses of a host, none of which leads nearby unless the host is such an address itself.
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
        // A name that the host's own table sends to this machine.
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
