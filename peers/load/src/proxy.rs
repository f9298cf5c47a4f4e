//! A minimal streaming proxy: it decodes each event into types, and encodes it again.
//!
//! It uses the gateway's HTTP library, without limits, checks, counters, parser or second API.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

type Upstream = Client<HttpConnector, Full<Bytes>>;

#[derive(Deserialize, Serialize)]
struct Chunk {
    id: String,
    object: String,
    created: u64,
    model: String,
    choices: Vec<Choice>,
}

#[derive(Deserialize, Serialize)]
struct Choice {
    index: u32,
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// Listens, writes its address to standard error, and serves until the process ends.
pub async fn serve(upstream: SocketAddr) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Upstream = Client::builder(TokioExecutor::new()).build(connector);
    loop {
        let (stream, _) = listener.accept().await?;
        let _ = stream.set_nodelay(true);
        let client = client.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(client.clone(), upstream, request));
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    client: Upstream,
    upstream: SocketAddr,
    request: Request<Incoming>,
) -> Result<
    Response<impl hyper::body::Body<Data = Bytes, Error = Infallible>>,
    Box<dyn std::error::Error + Send + Sync>,
> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let onward = Request::builder()
        .method(head.method)
        .uri(format!("http://{upstream}{}", head.uri.path()))
        .header("content-type", "application/json")
        .body(Full::new(body))?;
    let (head, body) = client.request(onward).await?.into_parts();
    let frames = stream::unfold((body, Vec::new()), |(mut body, mut line)| async move {
        loop {
            let bytes = body.frame().await?.ok()?.into_data().unwrap_or_default();
            let mut out = Vec::new();
            for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                line.extend_from_slice(piece);
                if line.ends_with(b"\n") {
                    again(&line, &mut out);
                    line.clear();
                }
            }
            if !out.is_empty() {
                return Some((
                    Ok::<_, Infallible>(Frame::data(Bytes::from(out))),
                    (body, line),
                ));
            }
        }
    });
    let mut response = Response::new(StreamBody::new(frames));
    *response.status_mut() = head.status;
    if let Some(kind) = head.headers.get("content-type") {
        response.headers_mut().insert("content-type", kind.clone());
    }
    Ok(response)
}

fn again(line: &[u8], out: &mut Vec<u8>) {
    let Some(data) = line.strip_prefix(b"data: ") else {
        return;
    };
    match serde_json::from_slice::<Chunk>(data) {
        Ok(chunk) => {
            out.extend_from_slice(b"data: ");
            serde_json::to_writer(&mut *out, &chunk).expect("a vector takes all");
            out.extend_from_slice(b"\n\n");
        }
        // The end of the stream.
        Err(_) => out.extend_from_slice(&[line, b"\n"].concat()),
    }
}
