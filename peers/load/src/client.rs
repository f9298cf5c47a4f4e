//! A client of streams over plain sockets: it decodes the framing of HTTP, and parses nothing else.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response that is being read.
#[derive(Debug)]
pub struct Reply {
    stream: TcpStream,
    buffer: Vec<u8>,
    pub status: u16,
    framing: Framing,
    is_over: bool,
}

#[derive(Debug)]
enum Framing {
    /// Remaining bytes of the chunk; 0 before a size.
    Chunks(usize),
    /// Remaining bytes of the body.
    Length(usize),
    UntilClose,
}

impl Reply {
    /// Posts JSON, and returns the response after its head.
    pub async fn post(address: SocketAddr, path: &str, body: &str) -> io::Result<Reply> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer any\r\nx-api-key: any\r\nanthropic-version: 2023-06-01\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        Reply::read_head(stream).await
    }

    pub async fn get(address: SocketAddr, path: &str) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(address).await?;
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes())
            .await?;
        let mut reply = Reply::read_head(stream).await?;
        let mut all = Vec::new();
        while reply
            .next(&mut |bytes| all.extend_from_slice(bytes))
            .await?
        {}
        Ok(all)
    }

    async fn read_head(mut stream: TcpStream) -> io::Result<Reply> {
        let mut buffer = Vec::with_capacity(4096);
        loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
                buffer.drain(..end + 4);
                let status = head
                    .split(' ')
                    .nth(1)
                    .and_then(|status| status.parse().ok())
                    .unwrap_or(0);
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length:"));
                let framing = match length.and_then(|length| length.trim().parse().ok()) {
                    Some(length) => Framing::Length(length),
                    None if head.contains("transfer-encoding: chunked") => Framing::Chunks(0),
                    None => Framing::UntilClose,
                };
                return Ok(Reply {
                    stream,
                    buffer,
                    status,
                    framing,
                    is_over: false,
                });
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Passes the received bytes to `sink`, and returns whether there may be more.
    pub async fn next(&mut self, sink: &mut (dyn FnMut(&[u8]) + Send)) -> io::Result<bool> {
        self.take(sink)?;
        if self.is_over {
            return Ok(false);
        }
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return match self.framing {
                Framing::UntilClose => {
                    self.is_over = true;
                    Ok(false)
                }
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        self.take(sink)?;
        Ok(!self.is_over)
    }

    fn take(&mut self, sink: &mut (dyn FnMut(&[u8]) + Send)) -> io::Result<()> {
        let mut at = 0;
        while at < self.buffer.len() && !self.is_over {
            let rest = &self.buffer[at..];
            match &mut self.framing {
                Framing::UntilClose => {
                    sink(rest);
                    at = self.buffer.len();
                }
                Framing::Length(left) => {
                    let n = rest.len().min(*left);
                    sink(&rest[..n]);
                    *left -= n;
                    at += n;
                    self.is_over = *left == 0;
                }
                Framing::Chunks(0) => {
                    // The line break after a chunk is skipped before the next size.
                    let skipped = if rest.starts_with(b"\r\n") { 2 } else { 0 };
                    let Some(end) = rest[skipped..]
                        .windows(2)
                        .position(|window| window == b"\r\n")
                    else {
                        break;
                    };
                    let size = std::str::from_utf8(&rest[skipped..skipped + end]).ok();
                    let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
                    let size = size.ok_or(io::ErrorKind::InvalidData)?;
                    at += skipped + end + 2;
                    self.is_over = size == 0;
                    self.framing = Framing::Chunks(size);
                }
                Framing::Chunks(left) => {
                    let n = rest.len().min(*left);
                    sink(&rest[..n]);
                    *left -= n;
                    at += n;
                }
            }
        }
        self.buffer.drain(..at);
        if matches!(self.framing, Framing::Length(0)) {
            self.is_over = true;
        }
        Ok(())
    }
}
