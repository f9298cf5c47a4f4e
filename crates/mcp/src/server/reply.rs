//! The reply to one request of HTTP/1.1.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Instant;

use toolglot_value::Value;

use crate::message::{Fault, Message};
use crate::sse::SseEvent;

/// The reply to one request.
#[derive(Debug)]
pub(super) struct Reply {
    to: Option<TcpStream>,
    /// Additional headers.
    pub(super) head: String,
    pub(super) last: Instant,
}

impl Default for Reply {
    fn default() -> Reply {
        Reply {
            to: None,
            head: String::new(),
            last: Instant::now(),
        }
    }
}

impl Reply {
    pub(super) fn new(to: TcpStream) -> Reply {
        Reply {
            to: Some(to),
            ..Reply::default()
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.last = Instant::now();
        match &mut self.to {
            Some(to) => to.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Sends a complete response. Whether the connection can continue.
    pub(super) fn whole(
        &mut self,
        status: u16,
        kind: &str,
        own: &str,
        body: &str,
    ) -> io::Result<bool> {
        let reason = match status {
            200 => "OK",
            202 => "Accepted",
            204 => "No Content",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            406 => "Not Acceptable",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let mut text = format!("HTTP/1.1 {status} {reason}\r\n{own}{}", self.head);
        if status == 401 {
            text.push_str("WWW-Authenticate: Bearer\r\n");
        }
        if !kind.is_empty() {
            let _ = write!(text, "Content-Type: {kind}\r\n");
        }
        if status != 204 {
            let _ = write!(text, "Content-Length: {}\r\n", body.len());
        }
        text.push_str("X-Content-Type-Options: nosniff\r\n\r\n");
        text.push_str(body);
        self.write(text.as_bytes())?;
        Ok(true)
    }

    pub(super) fn empty(mut self, status: u16, own: &str) -> io::Result<bool> {
        self.whole(status, "", own, "")
    }

    pub(super) fn plain(mut self, status: u16, why: &str) -> io::Result<bool> {
        self.whole(status, "text/plain; charset=utf-8", "", &format!("{why}\n"))
    }

    pub(super) fn fault(mut self, status: u16, id: Value, fault: Fault) -> io::Result<bool> {
        let message = Message::Response {
            id,
            result: Err(fault),
        };
        self.whole(status, "application/json", "", &message.write().to_string())
    }

    pub(super) fn begin_stream(&mut self) -> io::Result<()> {
        let head = std::mem::take(&mut self.head);
        self.write(format!("HTTP/1.1 200 OK\r\n{head}Content-Type: text/event-stream\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes())
    }

    fn chunk(&mut self, text: &str) -> io::Result<()> {
        self.write(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
    }

    /// Sends an event of the stream.
    pub(super) fn event(&mut self, event: &SseEvent) -> io::Result<()> {
        self.chunk(&event.write())
    }

    pub(super) fn comment(&mut self) -> io::Result<()> {
        self.chunk(": here\n\n")
    }

    /// Ends the stream. The connection can continue.
    pub(super) fn end_stream(&mut self) -> io::Result<()> {
        self.write(b"0\r\n\r\n")
    }
}
