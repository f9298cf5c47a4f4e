//! Addresses: their origin, path and query parameters.

use std::fmt::Write;

use super::error::AuthError;

/// An address in parts: `https://example.org`, `/mcp`, `a=b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) origin: &'a str,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
}

/// The parts of an HTTP address; `None` with a fragment, a user, or a character that is invalid in an address.
pub(super) fn parts(url: &str) -> Option<Parts<'_>> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"\\\"<>^`{|}#".contains(c);
    let after = url.find("://")? + 3;
    let end = url[after..]
        .find(['/', '?'])
        .map_or(url.len(), |at| at + after);
    let (authority, rest) = (&url[after..end], &url[end..]);
    if !url.chars().all(is_plain) || authority.is_empty() || authority.contains('@') {
        return None;
    }
    if !["http", "https"]
        .iter()
        .any(|scheme| url[..after - 3].eq_ignore_ascii_case(scheme))
    {
        return None;
    }
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    Some(Parts {
        origin: &url[..end],
        path,
        query,
    })
}

/// The canonical form of an address, for comparison: scheme and host in lower case, no default port, no `/` at the end
/// of a path, no fragment (<https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>, "Canonical
/// Server URI"). `None` if it is not an HTTP address.
pub fn canonical(url: &str) -> Option<String> {
    let parts = parts(url.split('#').next().unwrap_or_default())?;
    let origin = parts.origin.to_ascii_lowercase();
    let port = if origin.starts_with("https:") {
        ":443"
    } else {
        ":80"
    };
    let origin = origin.strip_suffix(port).unwrap_or(&origin);
    let path = parts.path.strip_suffix('/').unwrap_or(parts.path);
    let query = parts
        .query
        .map_or(String::new(), |query| format!("?{query}"));
    Some(format!("{origin}{path}{query}"))
}

/// Whether a resource covers the server at `server`: the same origin, and an equal path or a parent path.
pub(super) fn covers(resource: &str, server: &str) -> bool {
    let (Some(resource), Some(server)) = (canonical(resource), canonical(server)) else {
        return false;
    };
    let below = server.strip_prefix(&resource);
    below.is_some_and(|below| below.is_empty() || below.starts_with(['/', '?']))
}

/// Whether two addresses have the same origin.
pub(super) fn is_same_origin(one: &str, other: &str) -> bool {
    let origin = |url: &str| {
        let url = canonical(url)?;
        Some(parts(&url)?.origin.to_owned())
    };
    origin(one).is_some_and(|one| Some(one) == origin(other))
}

/// Names and values as `application/x-www-form-urlencoded`.
pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        let _ = write!(out, "{}={}", encoded(name), encoded(value));
    }
    out
}

pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Parses a query. A duplicate name or an invalid escape is an error: two readers would read two answers.
pub(super) fn query(text: &str) -> Result<Vec<(String, String)>, AuthError> {
    let bad = |why: &str| AuthError::Forged(why.to_owned());
    let mut out: Vec<(String, String)> = Vec::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decoded(name).ok_or_else(|| bad("holds an invalid escape"))?;
        let value = decoded(value).ok_or_else(|| bad("holds an invalid escape"))?;
        if out.iter().any(|(known, _)| *known == name) {
            return Err(bad("holds a name twice"));
        }
        out.push((name, value));
    }
    Ok(out)
}

fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let high = char::from(bytes.next()?).to_digit(16)?;
                let low = char::from(bytes.next()?).to_digit(16)?;
                out.push((high * 16 + low) as u8);
            }
            other => out.push(other),
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_in_one_form() {
        for (url, form) in [
            (
                "HTTPS://Mcp.Example.ORG:443/Mcp/",
                "https://mcp.example.org/Mcp",
            ),
            ("http://a:80", "http://a"),
            ("http://a:8080/", "http://a:8080"),
            ("https://a/b?c=D#e", "https://a/b?c=D"),
        ] {
            assert_eq!(canonical(url).as_deref(), Some(form), "{url}");
        }
        for url in [
            "",
            "a",
            "file:///x",
            "javascript:alert(1)",
            "https://a@b/",
            "https:///x",
            "https://a b/",
            "https://ä/",
            "https://a/\"x",
        ] {
            assert_eq!(canonical(url), None, "{url}");
        }
    }

    #[test]
    fn a_resource_covers_what_lies_below_it() {
        for (resource, server, does) in [
            ("https://a/mcp", "https://a/mcp", true),
            ("https://a", "https://a/mcp", true),
            ("https://A:443/", "https://a/mcp?x", true),
            ("https://a/m", "https://a/mcp", false),
            ("https://a/mcp/x", "https://a/mcp", false),
            ("http://a/mcp", "https://a/mcp", false),
            ("https://a.evil/mcp", "https://a/mcp", false),
            ("https://a", "https://a.evil/mcp", false),
            ("https://a", "https://a:8443/mcp", false),
        ] {
            assert_eq!(covers(resource, server), does, "{resource} {server}");
        }
    }

    #[test]
    fn queries_are_read_as_they_are_written() {
        let text = form(&[("a b", "ä&=%+"), ("c", "")]);
        assert_eq!(text, "a%20b=%C3%A4%26%3D%25%2B&c=");
        assert_eq!(
            query(&text).expect("read"),
            [("a b".into(), "ä&=%+".into()), ("c".into(), String::new())]
        );
        assert!(query("code=1&code=2").is_err());
        assert!(query("code=%f").is_err() && query("code=%ff").is_err());
    }
}
