//! The host names that requests may use for the gateway.
//!
//! A page in a browser reaches a socket of this machine through its own name, which it resolves to this machine (DNS
//! rebinding). The request then has that name as `Host`. So `Host` must be an address, `localhost` or a name that the
//! owner allows. `Origin`, which only browsers send, must be this machine or such a name.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

/// Allowed names in `Host` and `Origin` besides `localhost`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    pub(crate) fn new(names: &[String]) -> AllowedHosts {
        AllowedHosts(names.iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    /// Whether the names in a request are allowed; `Err` contains the name of the wrong header.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let host = host.and_then(|host| host.parse::<Authority>().ok());
        let is_allowed = |authority: &Authority| {
            let name = bare(authority);
            name.parse::<IpAddr>().is_ok() || self.has(&name)
        };
        if hosts.next().is_some() || !host.as_ref().is_some_and(is_allowed) {
            return Err("Host");
        }
        let is_ours = |origin: &str| {
            let origin: Option<Uri> = origin.parse().ok();
            origin
                .as_ref()
                .and_then(Uri::authority)
                .is_some_and(|authority| {
                    let name = bare(authority);
                    name.parse()
                        .is_ok_and(|address: IpAddr| address.is_loopback())
                        || self.has(&name)
                })
        };
        let mut origins = headers.get_all(ORIGIN).iter();
        if origins.all(|origin| origin.to_str().is_ok_and(is_ours)) {
            Ok(())
        } else {
            Err("Origin")
        }
    }

    fn has(&self, name: &str) -> bool {
        name == "localhost" || self.0.iter().any(|allowed| allowed == name)
    }
}

/// The name of an authority in lower case, without a port and without the brackets of IPv6.
fn bare(authority: &Authority) -> String {
    let host = authority.host().to_ascii_lowercase();
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inner.map_or(host.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_refused() {
        let hosts = AllowedHosts::new(&["Gateway.Example".to_owned()]);
        for (host, origin, expected) in [
            ("127.0.0.1:8080", None, Ok(())),
            ("localhost", None, Ok(())),
            ("LOCALHOST:1", None, Ok(())),
            ("[::1]:8080", None, Ok(())),
            ("10.0.0.7:8080", None, Ok(())),
            ("gateway.example", None, Ok(())),
            ("evil.example:8080", None, Err("Host")),
            ("localhost.evil.example", None, Err("Host")),
            ("", None, Err("Host")),
            ("localhost", Some("http://localhost:3000"), Ok(())),
            ("localhost", Some("https://gateway.example"), Ok(())),
            ("localhost", Some("http://[::1]"), Ok(())),
            ("localhost", Some("http://evil.example"), Err("Origin")),
            ("localhost", Some("http://10.0.0.7"), Err("Origin")),
            ("localhost", Some("null"), Err("Origin")),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().expect("a header"));
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().expect("a header"));
            }
            assert_eq!(hosts.check(&headers), expected, "{host} {origin:?}");
        }
        assert_eq!(hosts.check(&HeaderMap::new()), Err("Host"));
        let mut twice = HeaderMap::new();
        twice.append(HOST, "localhost".parse().expect("a header"));
        twice.append(HOST, "evil.example".parse().expect("a header"));
        assert_eq!(hosts.check(&twice), Err("Host"));
    }
}
