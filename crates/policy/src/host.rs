//! Where a request to another machine goes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;

/// Where a request to another machine goes, read from its URL as strictly as any reader would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// Whether the connection is encrypted: `https`.
    pub is_encrypted: bool,
    /// The name in lower case, or the address.
    pub name: String,
    /// The address, if the name is one.
    pub address: Option<IpAddr>,
    /// The port; without one in the URL, the default port of the scheme.
    pub port: u16,
}

/// Why a URL names no host for a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadUrl {
    /// A scheme other than `http` and `https`, or no scheme.
    #[error("only `http://` and `https://` are supported")]
    Scheme,
    /// A user or password before the host, which makes one host look like another.
    #[error("a URL with `@` before the path hides its host: write it without user and password")]
    UserInfo,
    /// An invalid host: wrong letters or labels, or an address in another spelling than `1.2.3.4`.
    #[error("`{host}` is not a plain host name or address")]
    Host {
        /// The text of the host.
        host: String,
    },
    /// A port that is invalid.
    #[error("invalid port `{port}`")]
    Port {
        /// The text of the port.
        port: String,
    },
    /// A blank, a control character, a backslash.
    #[error(
        "a URL holds no blanks, backslashes or invisible characters: write them in percent form"
    )]
    Characters,
}

impl HostPort {
    /// Reads a URL.
    ///
    /// # Errors
    /// If two parsers could find different hosts.
    pub fn of(url: &str) -> Result<HostPort, BadUrl> {
        if url
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '\\')
            || !url.is_ascii()
        {
            return Err(BadUrl::Characters);
        }
        let (scheme, rest) = url.split_once("://").ok_or(BadUrl::Scheme)?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(BadUrl::Scheme),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(BadUrl::UserInfo);
        }
        let (name, port) = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(|| bad_host(authority))?,
            None => match authority.find(':') {
                Some(at) => authority.split_at(at),
                None => (authority, ""),
            },
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => {
                if is_encrypted {
                    443
                } else {
                    80
                }
            }
            Some(digits)
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                digits.parse().map_err(|_| BadUrl::Port {
                    port: digits.to_owned(),
                })?
            }
            _ => {
                return Err(BadUrl::Port {
                    port: port.to_owned(),
                });
            }
        };
        let address = if authority.starts_with('[') {
            Some(IpAddr::V6(
                name.parse::<Ipv6Addr>().map_err(|_| bad_host(name))?,
            ))
        } else {
            address(name)?
        };
        Ok(HostPort {
            is_encrypted,
            name: name.to_ascii_lowercase(),
            address,
            port,
        })
    }
}

fn bad_host(host: &str) -> BadUrl {
    BadUrl::Host {
        host: host.to_owned(),
    }
}

/// The address that a name spells, or `None` for a host name. A name whose last label starts with a digit must be an
/// address: some parsers read `0x7f.1` as an address, others as a name.
fn address(name: &str) -> Result<Option<IpAddr>, BadUrl> {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Err(bad_host(name));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if !last.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    match name.parse::<Ipv4Addr>() {
        Ok(address) if address.to_string() == name => Ok(Some(IpAddr::V4(address))),
        _ => Err(bad_host(name)),
    }
}

/// Whether an address is public: not loopback, private, link-local, shared, documentation, multicast or reserved, and
/// not one that embeds such an address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let segments = address.segments();
            if let Some(inner) = address.to_ipv4_mapped() {
                return is_public_v4(inner);
            }
            match segments {
                // NAT64 and 6to4 embed an IPv4 address.
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                    let [a, b] = high.to_be_bytes();
                    let [c, d] = low.to_be_bytes();
                    is_public_v4(Ipv4Addr::new(a, b, c, d))
                }
                // Teredo, documentation, and the rest of 2001:0::/23.
                [0x2001, 0x0db8 | 0..=0x01ff, ..] | [0x3fff, ..] => false,
                // Only 2000::/3 is allocated.
                [first, ..] => first & 0xe000 == 0x2000,
            }
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !is_special
}

#[cfg(test)]
mod tests {
    use super::{HostPort, is_public};

    #[test]
    fn urls_lead_where_everybody_reads_them_to_lead() {
        for (url, name, port) in [
            ("http://api.example.test/x?y#z", "api.example.test", 80),
            ("HTTPS://Api.Example.test", "api.example.test", 443),
            ("https://a:8443/@x", "a", 8443),
            ("http://127.0.0.1:18099/", "127.0.0.1", 18099),
            ("http://[::ffff:127.0.0.1]:1/", "::ffff:127.0.0.1", 1),
        ] {
            let host = HostPort::of(url).expect(url);
            assert_eq!((host.name.as_str(), host.port), (name, port), "{url}");
        }
        for url in [
            "",
            "x",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "ftp://a/",
            "gopher://a/",
            "http://",
            "http:///x",
            "http://a@b/",
            "http://api.example.test@127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://a.test./",
            "http://a..b/",
            "http://a b/",
            "http://a\\@b/",
            "http://a:80:80/",
            "http://a:x/",
            "http://a:+80/",
            "http://a:/",
            "http://a:65536/",
            "http://[::1/",
            "http://[x]/",
            "http://ä.test/",
            "http://a%2eb/",
            "http://[::1]x/",
        ] {
            assert!(HostPort::of(url).is_err(), "{url}: {:?}", HostPort::of(url));
        }
    }

    #[test]
    fn only_public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "2606:4700::1111",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "101.64.0.1",
            "192.0.1.1",
            "192.1.0.1",
            "193.0.0.1",
            "192.88.98.1",
            "192.87.99.1",
            "191.88.99.1",
            "198.17.0.1",
            "198.20.0.1",
            "197.18.0.1",
            "223.255.255.255",
        ] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
        for address in [
            "127.0.0.1",
            "127.8.8.8",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "255.255.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "198.18.0.1",
            "198.19.0.1",
            "192.0.0.1",
            "192.88.99.1",
            "203.0.113.1",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::127.0.0.1",
        ] {
            assert!(
                !is_public(address.parse().expect("an address")),
                "{address}"
            );
        }
    }
}
