//! The model server that requests go to.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderName};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, Uri};
use futures_util::stream;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use thiserror::Error;
use toolglot_value::Value;

use crate::error::GatewayError;

/// Headers that belong to one connection and are never passed on (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [&str; 10] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The most bytes of an answer that are read before its client has read the rest; it also limits an answer's head.
const BUFFER_BYTES: usize = 64 << 10;

/// Headers about a body, which are wrong for a rewritten body.
const OF_BODY: [&str; 4] = [
    "content-encoding",
    "content-digest",
    "digest",
    "content-md5",
];

/// The address of requests, and their key.
#[derive(Debug)]
pub(crate) struct Upstream {
    scheme: Scheme,
    authority: Authority,
    /// The path before `/v1`, without a slash at its end.
    prefix: String,
    key: Option<HeaderValue>,
    /// Whether a client's key is forwarded to the upstream, if there is no other.
    pub(crate) keeps_client_key: bool,
    silence: Duration,
    client: Client<HttpsConnector<HttpConnector>, Body>,
    /// A client with a new connection for each request.
    unpooled: Client<HttpsConnector<HttpConnector>, Body>,
}

/// Why the upstream did not answer.
#[derive(Debug, Error)]
pub(crate) enum UpstreamError {
    #[error("the upstream cannot be reached: {0}")]
    Unreachable(String),
    #[error("the upstream was silent for {} s", .0.as_secs())]
    Silent(Duration),
    #[error("the connection to the upstream ended early")]
    Dropped,
    #[error("the upstream's answer is longer than {0} bytes")]
    TooLong(usize),
}

impl Upstream {
    /// The server at `address`, with or without `/v1` at its end.
    pub(crate) fn new(
        address: &str,
        key: Option<&str>,
        silence: Duration,
    ) -> Result<Upstream, GatewayError> {
        let unusable = |why| GatewayError::Upstream {
            address: address.to_owned(),
            why,
        };
        let uri: Uri = address
            .trim()
            .parse()
            .map_err(|_| unusable("it is not a URL"))?;
        let parts = uri.into_parts();
        let scheme = parts
            .scheme
            .filter(|scheme| *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS)
            .ok_or_else(|| unusable("it starts with neither `http://` nor `https://`"))?;
        let authority = parts
            .authority
            .ok_or_else(|| unusable("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(unusable("a key belongs into the upstream's key file"));
        }
        let path = parts
            .path_and_query
            .unwrap_or(PathAndQuery::from_static("/"));
        if path.query().is_some() {
            return Err(unusable("it has a query"));
        }
        let prefix = path.path().trim_end_matches('/');
        let prefix = prefix.strip_suffix("/v1").unwrap_or(prefix).to_owned();
        let key = key.map(|key| HeaderValue::try_from(format!("Bearer {key}")));
        let mut key = key
            .transpose()
            .map_err(|_| GatewayError::Key("the upstream's key"))?;
        if let Some(key) = &mut key {
            key.set_sensitive(true);
        }
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(Duration::from_secs(10)));
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let mut client = Client::builder(TokioExecutor::new());
        client
            .pool_idle_timeout(Duration::from_secs(20))
            // A stream is idle most of the time; heads and events are a few KiB.
            .http1_max_buf_size(BUFFER_BYTES);
        let mut unpooled = client.clone();
        unpooled.pool_max_idle_per_host(0);
        Ok(Upstream {
            scheme,
            authority,
            prefix,
            key,
            keeps_client_key: true,
            silence,
            client: client.build(connector.clone()),
            unpooled: unpooled.build(connector),
        })
    }

    /// Forwards a request unchanged, and streams the answer back. A request that `may_repeat` may reach the upstream
    /// twice.
    pub(crate) async fn forward(
        &self,
        request: Request<Bytes>,
        may_repeat: bool,
    ) -> Result<Response<Body>, UpstreamError> {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().cloned();
        parts.uri = self.uri(path.as_ref().map_or("/", PathAndQuery::as_str))?;
        parts.headers = self.headers(&parts.headers);
        let request = Request::from_parts(parts, body);
        let response = self.send(request, may_repeat).await?;
        let (mut parts, body) = response.into_parts();
        parts.headers = end_to_end(&parts.headers);
        Ok(Response::from_parts(parts, self.streamed(body)))
    }

    /// Posts JSON with the headers of a client, and returns the answer's head with its body unread.
    pub(crate) async fn post(
        &self,
        path: &str,
        client: &HeaderMap,
        json: impl Into<Bytes>,
    ) -> Result<Response<Incoming>, UpstreamError> {
        let mut headers = self.headers(client);
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        // The gateway itself reads the answer.
        headers.remove(ACCEPT_ENCODING);
        for name in OF_BODY {
            headers.remove(name);
        }
        let mut request = Request::new(json.into());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri(path)?;
        *request.headers_mut() = headers;
        self.send(request, true).await
    }

    /// Requests a path with the headers of a client.
    pub(crate) async fn get(
        &self,
        path: &str,
        client: &HeaderMap,
    ) -> Result<Response<Incoming>, UpstreamError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = self.uri(path)?;
        *request.headers_mut() = self.headers(client);
        request.headers_mut().remove(ACCEPT_ENCODING);
        request.headers_mut().remove("content-type");
        self.send(request, true).await
    }

    /// The JSON answer to a GET, or to a POST if there is a body.
    pub(crate) async fn ask(
        &self,
        path: &str,
        client: &HeaderMap,
        body: Option<String>,
        cap: usize,
    ) -> Option<Value> {
        let response = match body {
            Some(body) => self.post(path, client, body).await,
            None => self.get(path, client).await,
        };
        let response = response.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let body = self.whole(response.into_body(), cap).await.ok()?;
        toolglot_value::from_slice(&body).ok()
    }

    /// A server may close a connection that it promised to keep, as llama.cpp does after each stream, while the next
    /// request is sent. So a repeatable request is sent again, and other requests get their own connection.
    async fn send(
        &self,
        request: Request<Bytes>,
        may_repeat: bool,
    ) -> Result<Response<Incoming>, UpstreamError> {
        if may_repeat {
            let first = self.send_by(&self.client, request.clone()).await;
            if !matches!(first, Err(UpstreamError::Dropped)) {
                return first;
            }
        }
        self.send_by(&self.unpooled, request).await
    }

    async fn send_by(
        &self,
        client: &Client<HttpsConnector<HttpConnector>, Body>,
        request: Request<Bytes>,
    ) -> Result<Response<Incoming>, UpstreamError> {
        let response = client.request(request.map(Body::from));
        match tokio::time::timeout(self.silence, response).await {
            Err(_) => Err(UpstreamError::Silent(self.silence)),
            Ok(Err(error)) if error.is_connect() => Err(UpstreamError::Unreachable(cause(&error))),
            Ok(Err(_)) => Err(UpstreamError::Dropped),
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// The next bytes of an answer; `None` at its end.
    pub(crate) async fn next(&self, body: &mut Incoming) -> Option<Result<Bytes, UpstreamError>> {
        loop {
            match tokio::time::timeout(self.silence, body.frame()).await {
                Err(_) => return Some(Err(UpstreamError::Silent(self.silence))),
                Ok(None) => return None,
                Ok(Some(Err(_))) => return Some(Err(UpstreamError::Dropped)),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
            }
        }
    }

    /// All of an answer, up to `cap` bytes.
    pub(crate) async fn whole(
        &self,
        mut body: Incoming,
        cap: usize,
    ) -> Result<Vec<u8>, UpstreamError> {
        let mut all = Vec::new();
        while let Some(bytes) = self.next(&mut body).await {
            let bytes = bytes?;
            if all.len() + bytes.len() > cap {
                return Err(UpstreamError::TooLong(cap));
            }
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    /// A body that reads the upstream only as fast as the client reads, and is dropped with the client.
    fn streamed(&self, body: Incoming) -> Body {
        let silence = self.silence;
        let frames = stream::unfold(Some(body), move |body| async move {
            let mut body = body?;
            match tokio::time::timeout(silence, body.frame()).await {
                Err(_) => Some((Err(UpstreamError::Silent(silence)), None)),
                Ok(None) => None,
                Ok(Some(Err(_))) => Some((Err(UpstreamError::Dropped), None)),
                Ok(Some(Ok(frame))) => {
                    Some((Ok(frame.into_data().unwrap_or_default()), Some(body)))
                }
            }
        });
        Body::from_stream(frames)
    }

    /// The host and the port.
    pub(crate) fn address(&self) -> (&str, u16) {
        let usual = if self.scheme == Scheme::HTTPS {
            443
        } else {
            80
        };
        let port = self.authority.port_u16().unwrap_or(usual);
        (self.authority.host(), port)
    }

    fn uri(&self, path: &str) -> Result<Uri, UpstreamError> {
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path}", self.prefix))
            .build()
            .map_err(|error| UpstreamError::Unreachable(error.to_string()))
    }

    /// The client's headers for the upstream. A configured key replaces the client's key.
    fn headers(&self, client: &HeaderMap) -> HeaderMap {
        let mut headers = end_to_end(client);
        headers.remove(HOST);
        headers.remove(CONTENT_LENGTH);
        if self.key.is_some() || !self.keeps_client_key {
            headers.remove("x-api-key");
            headers.remove(AUTHORIZATION);
        }
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        headers
    }
}

/// The headers that are not specific to one connection.
fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<HeaderName> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let mut kept = headers.clone();
    for name in HOP_BY_HOP {
        kept.remove(name);
    }
    for name in named {
        kept.remove(name);
    }
    kept
}

/// The innermost cause, which is the specific one: "connection refused".
fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_end_with_the_version() {
        for (address, expected) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/models"),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1/models"),
            (
                "http://127.0.0.1:8000/v1",
                "http://127.0.0.1:8000/v1/models",
            ),
            (
                "https://host.example/api/v1/",
                "https://host.example/api/v1/models",
            ),
        ] {
            let upstream =
                Upstream::new(address, None, Duration::from_secs(1)).expect("an address");
            assert_eq!(upstream.uri("/v1/models").expect("a URI"), expected);
        }
        for address in [
            "",
            "127.0.0.1:8000",
            "ftp://a/",
            "http://u:p@a/",
            "http://a/?b=c",
        ] {
            assert!(
                Upstream::new(address, None, Duration::from_secs(1)).is_err(),
                "{address}"
            );
        }
    }

    #[test]
    fn headers_of_one_connection_stay() {
        let upstream =
            Upstream::new("http://a", Some("ours"), Duration::from_secs(1)).expect("an address");
        let mut client = HeaderMap::new();
        for (name, value) in [
            ("host", "localhost"),
            ("connection", "close, x-private"),
            ("x-private", "1"),
            ("transfer-encoding", "chunked"),
            ("authorization", "Bearer theirs"),
            ("x-api-key", "theirs"),
            ("openai-beta", "kept"),
        ] {
            client.insert(name, HeaderValue::from_static(value));
        }
        let sent = upstream.headers(&client);
        let mut names: Vec<&str> = sent.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["authorization", "openai-beta"]);
        assert_eq!(sent["authorization"], "Bearer ours");
    }
}
