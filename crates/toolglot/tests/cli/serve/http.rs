//! Requests and answers, as far as these tests need them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use toolglot_value::Value;

/// A request or an answer.
#[derive(Debug)]
pub(super) struct HttpMessage {
    /// The first line.
    pub(super) line: String,
    /// The lines of the head, in lower case.
    pub(super) head: Vec<String>,
    pub(super) body: String,
}

impl HttpMessage {
    /// Reads a message; `None` if the connection has ended.
    pub(super) fn read(stream: &TcpStream) -> Option<HttpMessage> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        let mut head = Vec::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|n| *n > 0)?;
            if header.trim().is_empty() {
                break;
            }
            head.push(header.trim().to_lowercase());
        }
        let mut message = HttpMessage {
            line: line.trim().to_owned(),
            head,
            body: String::new(),
        };
        if let Some(length) = message.header("content-length") {
            let mut body = vec![0; length.parse().ok()?];
            reader.read_exact(&mut body).ok()?;
            message.body = String::from_utf8(body).ok()?;
        } else if message.header("transfer-encoding").is_some() {
            loop {
                let mut size = String::new();
                reader.read_line(&mut size).ok()?;
                let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).ok()? + 2];
                reader.read_exact(&mut chunk).ok()?;
                if chunk.len() == 2 {
                    break;
                }
                message.body += std::str::from_utf8(&chunk[..chunk.len() - 2]).ok()?;
            }
        }
        Some(message)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.iter().filter_map(|line| line.split_once(": "));
        headers
            .find(|(have, _)| *have == name)
            .map(|(_, value)| value)
    }

    /// The status of an answer.
    pub(super) fn status(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Posts JSON, with further lines of the head.
pub(super) fn post(to: SocketAddr, path: &str, headers: &[&str], body: &Value) -> HttpMessage {
    let body = body.to_string();
    let mut head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for header in headers {
        head = head + header + "\r\n";
    }
    let mut stream = TcpStream::connect(to).expect("a connection");
    let timeout = Some(Duration::from_secs(20));
    stream.set_read_timeout(timeout).expect("a time");
    stream
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .expect("it reads");
    HttpMessage::read(&stream).expect("an answer")
}
