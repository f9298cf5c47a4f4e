//! A fast fake server of Chat Completions: plain sockets, one event per piece, at the requested pace.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::message::{Plan, PlanEnd};

/// The counters of the server.
#[derive(Debug)]
pub struct Counters {
    /// Written events, including the first and the last one of each answer.
    pub events: AtomicU64,
    /// Open answers.
    pub open: AtomicUsize,
    /// Answers whose client disconnected early.
    pub left: AtomicU64,
    pub start: Instant,
}

pub async fn listen() -> io::Result<(SocketAddr, Arc<Counters>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let counters = Arc::new(Counters {
        events: AtomicU64::new(0),
        open: AtomicUsize::new(0),
        left: AtomicU64::new(0),
        start: Instant::now(),
    });
    let shared = Arc::clone(&counters);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let _ = serve(stream, &shared).await;
            });
        }
    });
    Ok((address, counters))
}

async fn serve(mut stream: TcpStream, counters: &Counters) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some((line, body)) = request(&mut stream, &mut buffer).await? {
        let Some(plan) = Plan::find(&body).filter(|_| line.starts_with("POST")) else {
            let body =
                json!({"object": "list", "data": [{"id": "load", "object": "model"}]}).to_string();
            let status = if line.contains("/v1/models") {
                "200 OK"
            } else {
                "404 Not Found"
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).await?;
            continue;
        };
        let is_stream =
            serde_json::from_slice::<Value>(&body).is_ok_and(|body| body["stream"] == true);
        if !is_stream {
            // A model writes no faster for a client that waits for the complete answer.
            tokio::time::sleep(Duration::from_micros(plan.pause * plan.n_pieces() as u64)).await;
            let text: String = (0..plan.n_pieces())
                .map(|at| plan.piece(at, counters.start))
                .collect();
            let message = json!({"role": "assistant", "content": text});
            let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
            let body = json!({"id": "x", "object": "chat.completion", "created": 1, "model": "load", "choices": [choice]}).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).await?;
            continue;
        }
        counters.open.fetch_add(1, Ordering::Relaxed);
        let written = answer(&mut stream, &plan, counters).await;
        counters.open.fetch_sub(1, Ordering::Relaxed);
        if written.is_err() {
            counters.left.fetch_add(1, Ordering::Relaxed);
            return written;
        }
    }
    Ok(())
}

/// The line and the body of the next request; `None` at the end of the connection.
async fn request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<(String, Vec<u8>)>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
            let line = String::from_utf8_lossy(&buffer[..end]);
            let line = line.lines().next().unwrap_or_default().to_owned();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length
                .and_then(|length| length.trim().parse().ok())
                .unwrap_or(0);
            while buffer.len() < end + 4 + length {
                if stream.read_buf(buffer).await? == 0 {
                    return Ok(None);
                }
            }
            let body = buffer[end + 4..end + 4 + length].to_vec();
            buffer.drain(..end + 4 + length);
            return Ok(Some((line, body)));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

async fn answer(stream: &mut TcpStream, plan: &Plan, counters: &Counters) -> io::Result<()> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut out = Vec::new();
    event(
        &mut out,
        &delta(&json!({"role": "assistant", "content": ""}), None),
    );
    stream.write_all(&out).await?;
    counters.events.fetch_add(1, Ordering::Relaxed);
    // Streams that start together do not write together.
    let pause = Duration::from_micros(plan.pause);
    let mut next = tokio::time::Instant::now() + pause;
    for at in 0..plan.n_pieces() {
        if plan.pause > 0 {
            pause_until(stream, next).await?;
            next += pause;
        }
        out.clear();
        let piece = plan.piece(at, counters.start);
        event(&mut out, &delta(&json!({"content": piece}), None));
        stream.write_all(&out).await?;
        counters.events.fetch_add(1, Ordering::Relaxed);
    }
    if plan.end == PlanEnd::Idle {
        // The client ends the connection.
        let _ = stream.read(&mut [0; 64]).await?;
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    out.clear();
    event(&mut out, &delta(&json!({}), Some("stop")));
    out.extend_from_slice(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
    stream.write_all(&out).await?;
    counters.events.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// Waits, and detects a client that disconnects meanwhile.
async fn pause_until(stream: &mut TcpStream, until: tokio::time::Instant) -> io::Result<()> {
    let mut byte = [0];
    tokio::select! {
        () = tokio::time::sleep_until(until) => Ok(()),
        read = stream.peek(&mut byte) => match read {
            Ok(0) | Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
            // A pipelined request waits its turn.
            Ok(_) => Ok(tokio::time::sleep_until(until).await),
        },
    }
}

/// One chunk of HTTP with one event.
fn event(out: &mut Vec<u8>, data: &str) {
    out.extend_from_slice(format!("{:x}\r\ndata: {data}\n\n\r\n", data.len() + 8).as_bytes());
}

fn delta(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
    json!({
        "id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": "load", "choices": [choice],
    })
    .to_string()
}
