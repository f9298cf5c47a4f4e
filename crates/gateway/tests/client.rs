//! A client that sends one request and sees each byte.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The reply to a request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The lines of the head, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Whether the body is complete.
    pub(crate) is_whole: bool,
}

/// A request: `POST /v1/models`, further header lines, and a body.
pub(crate) fn request(line: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let has = |name: &str| {
        headers
            .iter()
            .any(|header| header.to_lowercase().starts_with(name))
    };
    let mut text = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
    if !has("host:") {
        text.push_str("host: localhost\r\n");
    }
    if line.starts_with("POST") {
        if !has("content-type:") {
            text.push_str("content-type: application/json\r\n");
        }
        if !has("content-length:") {
            let _ = write!(text, "content-length: {}\r\n", body.len());
        }
    }
    for header in headers {
        let _ = write!(text, "{header}\r\n");
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

/// A connection on which these bytes were sent.
pub(crate) fn sent(to: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(to).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a time");
    stream.write_all(bytes).expect("it reads");
    stream
}

pub(crate) fn send(to: SocketAddr, line: &str, headers: &[&str], body: &str) -> Reply {
    reply(sent(to, &request(line, headers, body)))
}

pub(crate) fn get(to: SocketAddr, path: &str) -> Reply {
    send(to, &format!("GET {path}"), &[], "")
}

pub(crate) fn post(to: SocketAddr, path: &str, body: &str) -> Reply {
    send(to, &format!("POST {path}"), &[], body)
}

/// Reads to the end.
pub(crate) fn reply(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let rest = &bytes[end + 4..];
    let (body, is_whole) = if head.contains("transfer-encoding: chunked") {
        chunks(rest)
    } else {
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        (rest.to_vec(), rest.len() == length)
    };
    Reply {
        status: status.expect("a status"),
        head,
        body: String::from_utf8(body).expect("UTF-8"),
        is_whole,
    }
}

fn chunks(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&rest[..line]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        rest = &rest[line + 2..];
        if size == 0 {
            return (body, true);
        }
        if rest.len() < size + 2 {
            body.extend_from_slice(&rest[..size.min(rest.len())]);
            return (body, false);
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}
