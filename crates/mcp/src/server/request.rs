//! One request of HTTP/1.1, read within all limits.

use std::io::{self, BufRead, Read, Write};

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 32 << 10;
/// The most headers.
const MAX_HEADERS: usize = 64;
/// The longest body, in bytes.
pub(super) const MAX_BODY: usize = 16 << 20;

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether another request may follow on the same connection.
    pub(super) is_kept: bool,
}

/// A failed read of a request, with the HTTP status of the error.
#[derive(Debug)]
pub(crate) enum Unread {
    /// The connection ended, or broke.
    Ended,
    /// Answered with this status.
    Bad(u16, &'static str),
}

impl From<io::Error> for Unread {
    fn from(_: io::Error) -> Unread {
        Unread::Ended
    }
}

impl Request {
    /// The header with that name; `None` also if there are several.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Whether there is a header with that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key == name)
    }

    /// Whether the list in a header contains a media type.
    pub(super) fn accepts(&self, kind: &str) -> bool {
        self.headers
            .iter()
            .filter(|(key, _)| key == "accept")
            .flat_map(|(_, value)| value.split(','))
            .map(|part| part.split(';').next().unwrap_or_default().trim())
            .any(|part| {
                part.eq_ignore_ascii_case(kind)
                    || part == "*/*"
                    || part
                        .split_once('/')
                        .is_some_and(|(top, rest)| rest == "*" && kind.starts_with(top))
            })
    }

    /// Reads a request. `out` is for `100 Continue`.
    pub(crate) fn read(from: &mut impl BufRead, out: &mut impl Write) -> Result<Request, Unread> {
        let head = head(from)?;
        Request::behind(&head, from, out)
    }

    /// Reads the rest of a request after its head.
    pub(super) fn behind(
        head: &[u8],
        from: &mut impl BufRead,
        out: &mut impl Write,
    ) -> Result<Request, Unread> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(head) {
            Ok(httparse::Status::Complete(_)) => {}
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Unread::Bad(431, "too many headers"));
            }
            _ => return Err(Unread::Bad(400, "not HTTP")),
        }
        let headers: Vec<(String, String)> = parsed
            .headers
            .iter()
            .map(|header| {
                let value = String::from_utf8_lossy(header.value).trim().to_owned();
                (header.name.to_ascii_lowercase(), value)
            })
            .collect();
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            headers,
            body: Vec::new(),
            is_kept: parsed.version == Some(1),
        };
        if request
            .header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
        {
            request.is_kept = false;
        }
        let is_chunked = request.has("transfer-encoding");
        let has_length = request.has("content-length");
        // Two lengths could give two different starts of the next request.
        if is_chunked && has_length {
            return Err(Unread::Bad(400, "a body has one length"));
        }
        if request
            .header("expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
        {
            out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            out.flush()?;
        }
        if is_chunked {
            if !request
                .header("transfer-encoding")
                .is_some_and(|value| value.eq_ignore_ascii_case("chunked"))
            {
                return Err(Unread::Bad(501, "no transfer coding but `chunked` is read"));
            }
            request.body = chunks(from)?;
        } else if has_length {
            let length = request
                .header("content-length")
                .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
            let Some(length) = length.and_then(|value| value.parse::<usize>().ok()) else {
                return Err(Unread::Bad(400, "`Content-Length` is not a number"));
            };
            if length > MAX_BODY {
                return Err(Unread::Bad(413, "the body is too long"));
            }
            from.take(length as u64).read_to_end(&mut request.body)?;
            if request.body.len() < length {
                return Err(Unread::Ended);
            }
        }
        Ok(request)
    }
}

/// All bytes up to the empty line.
pub(super) fn head(from: &mut impl BufRead) -> Result<Vec<u8>, Unread> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let left = (MAX_HEAD - before) as u64;
        let n = (&mut *from).take(left).read_until(b'\n', &mut head)?;
        if n == 0 {
            return Err(if before == 0 {
                Unread::Ended
            } else {
                Unread::Bad(431, "the head is too long or cut off")
            });
        }
        let line = &head[before..];
        if line == b"\r\n" || line == b"\n" {
            if before == 0 {
                // An empty line before a request is skipped.
                head.clear();
                continue;
            }
            return Ok(head);
        }
        if head.len() >= MAX_HEAD {
            return Err(Unread::Bad(431, "the head is too long"));
        }
    }
}

fn chunks(from: &mut impl BufRead) -> Result<Vec<u8>, Unread> {
    const MAX_LINE: u64 = 256;
    let bad = || Unread::Bad(400, "a chunk is not as it must be");
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        (&mut *from).take(MAX_LINE).read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let Some(line) = line.strip_suffix("\r\n") else {
            return Err(bad());
        };
        let size = line.split(';').next().unwrap_or_default();
        if size.is_empty() || size.len() > 8 || !size.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let size = usize::from_str_radix(size, 16).map_err(|_| bad())?;
        if body.len() + size > MAX_BODY {
            return Err(Unread::Bad(413, "the body is too long"));
        }
        if size == 0 {
            break;
        }
        let end = body.len() + size;
        (&mut *from).take(size as u64).read_to_end(&mut body)?;
        let mut tail = [0; 2];
        from.read_exact(&mut tail)?;
        if body.len() != end || &tail != b"\r\n" {
            return Err(bad());
        }
    }
    // The trailer after the chunks is skipped.
    let mut n_lines = 0;
    loop {
        let mut line = Vec::new();
        (&mut *from).take(MAX_LINE).read_until(b'\n', &mut line)?;
        n_lines += 1;
        match line.as_slice() {
            b"\r\n" => return Ok(body),
            _ if line.ends_with(b"\n") && n_lines < 32 => {}
            _ => return Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, Unread> {
        Request::read(&mut text.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn bodies_have_one_length() {
        let length = read("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
            .expect("a request");
        assert_eq!((length.body.as_slice(), length.is_kept), (&b"ab"[..], true));
        let chunked = read(
            "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: x\r\n\r\n",
        );
        assert_eq!(chunked.expect("a request").body, b"abc");
        for (text, status) in [
            (
                "POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nab",
                400,
            ),
            (
                "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                400,
            ),
            ("POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\nab", 400),
            (
                "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nab",
                413,
            ),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                400,
            ),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
                413,
            ),
            ("nonsense\r\n\r\n", 400),
        ] {
            match read(text) {
                Err(Unread::Bad(found, _)) => assert_eq!(found, status, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(MAX_HEAD));
        assert!(matches!(read(&long), Err(Unread::Bad(431, _))));
    }

    #[test]
    fn a_list_of_types_is_read_with_its_stars() {
        let of = |accept: &str| {
            read(&format!("POST / HTTP/1.1\r\nAccept: {accept}\r\n\r\n")).expect("a request")
        };
        let request = of("application/json;q=0.5, Text/Event-Stream");
        assert!(request.accepts("application/json") && request.accepts("text/event-stream"));
        assert!(
            of("*/*").accepts("text/event-stream") && of("text/*").accepts("text/event-stream")
        );
        assert!(!of("application/json").accepts("text/event-stream"));
    }
}
