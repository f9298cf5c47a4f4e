//! The server: connections, admission of clients, and routes.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use toolglot_session::SessionBuilder;
use toolglot_value::json;
use toolglot_wire::{Api, Request as ChatRequest};
use tracing::Instrument;

use crate::answer_stream::AnswerStream;
use crate::chat_template;
use crate::connection::Connection;
use crate::diagnosis;
use crate::error::GatewayError;
use crate::exchange::Exchange;
use crate::executor::Executor;
use crate::fault::Fault;
use crate::keys::Keys;
use crate::limits::Limits;
use crate::messages::Messages;
use crate::metrics::Metrics;
use crate::models::{Mode, Models};
use crate::origin::AllowedHosts;
use crate::recorder::Recorder;
use crate::telemetry;
use crate::tool_program::{self, ToolProgram, ToolPrograms};
use crate::upstream::{Upstream, UpstreamError};
use crate::upstream_kind::UpstreamKind;

/// The builder of a server.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ServerBuilder {
    upstream: String,
    upstream_key: Option<String>,
    keys: Vec<String>,
    hosts: Vec<String>,
    models: Models,
    limits: Limits,
    messages: Messages,
    record: Option<(PathBuf, u64)>,
    execute: Option<(SessionBuilder, Vec<String>)>,
}

/// A gateway in front of one upstream.
#[derive(Debug)]
pub struct Server {
    gateway: Arc<Gateway>,
    /// The upstream's address as given.
    upstream: String,
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) upstream: Upstream,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) models: Models,
    pub(crate) programs: ToolPrograms,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) executor: Option<Arc<Executor>>,
    /// The kind of the upstream, once known.
    kind: OnceCell<UpstreamKind>,
    /// The working modes of models whose first mode failed.
    learned: Mutex<BTreeMap<String, Mode>>,
    /// Whether the upstream's templates open the reasoning, by model.
    templates: Mutex<BTreeMap<String, Option<bool>>>,
    messages: Messages,
    keys: Keys,
    hosts: AllowedHosts,
    /// One permit for each running request.
    requests: Arc<Semaphore>,
    /// One permit for each KiB of bodies.
    held: Arc<Semaphore>,
}

/// A request's body, counted in the held bytes.
pub(crate) struct HeldBody {
    pub(crate) bytes: Bytes,
    _permit: OwnedSemaphorePermit,
}

/// The most models with a learned mode: clients choose the names.
const MOST_LEARNED: usize = 1024;

/// The unit in which held bytes are counted.
const HELD_UNIT: usize = 1024;

impl ServerBuilder {
    /// The key for the upstream. It replaces the clients' keys.
    pub fn upstream_key(mut self, key: Option<String>) -> ServerBuilder {
        self.upstream_key = key;
        self
    }

    /// The accepted keys, one in each request; an empty list requires no key.
    pub fn keys(mut self, keys: Vec<String>) -> ServerBuilder {
        self.keys = keys;
        self
    }

    /// Names, beside `localhost` and addresses, that clients may use for the gateway.
    pub fn hosts(mut self, hosts: Vec<String>) -> ServerBuilder {
        self.hosts = hosts;
        self
    }

    /// The settings of the models.
    pub fn models(mut self, models: Models) -> ServerBuilder {
        self.models = models;
        self
    }

    /// The listener for messages while the gateway serves, one line each, such as its address or a working mode.
    pub fn on_message(mut self, listener: impl Fn(&str) + Send + Sync + 'static) -> ServerBuilder {
        self.messages = Messages::to(listener);
        self
    }

    /// Records each parsed message as a line of a file in `directory`, in the format of `toolglot parse --jsonl`. The
    /// directory is created if it is missing; it contains at most `max_bytes`. Messages contain the arguments of their
    /// calls.
    pub fn record(mut self, directory: impl Into<PathBuf>, max_bytes: u64) -> ServerBuilder {
        self.record = Some((directory.into(), max_bytes));
        self
    }

    /// Runs tools in the gateway, for clients that cannot: tools of the session's registry that may run and whose ids
    /// match a pattern, or all without patterns. The model gets them beside the client's tools, and the session decides
    /// on their calls and logs them. A key is required even on this machine.
    pub fn execute(mut self, session: SessionBuilder, patterns: Vec<String>) -> ServerBuilder {
        self.execute = Some((session, patterns));
        self
    }

    /// The limits of the gateway.
    pub fn limits(mut self, limits: Limits) -> ServerBuilder {
        self.limits = limits;
        self
    }

    /// Asks the upstream for its kind and how its models handle tools, and returns a configuration file with comments
    /// on what was tried. Without `models`, it tries the models that the upstream lists, up to four.
    ///
    /// # Errors
    /// If the upstream's address is not an HTTP URL, or the upstream does not answer.
    pub fn diagnose(&self, models: &[String]) -> Result<String, GatewayError> {
        let upstream = Upstream::new(
            &self.upstream,
            self.upstream_key.as_deref(),
            self.limits.silence,
        )?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(GatewayError::Serve)?;
        let text = runtime.block_on(diagnosis::configuration(&upstream, &self.upstream, models));
        runtime.shutdown_background();
        text
    }

    /// Builds the server.
    ///
    /// # Errors
    /// If the upstream's address is not an HTTP URL, a key cannot be sent, a dialect is unknown, or messages cannot be
    /// recorded.
    pub fn build(self) -> Result<Server, GatewayError> {
        if self.keys.iter().any(String::is_empty) {
            return Err(GatewayError::Key("an API key"));
        }
        for (pattern, settings) in self.models.rows() {
            if let Some(dialect) = &settings.dialect {
                tool_program::check(dialect).map_err(|source| GatewayError::Dialect {
                    pattern: pattern.to_owned(),
                    source,
                })?;
            }
        }
        let recorder = self.record.as_ref().map(|(directory, max_bytes)| {
            Recorder::new(directory, *max_bytes, self.messages.clone())
        });
        let recorder = recorder.transpose()?;
        let keys = Keys::new(&self.keys);
        if self.execute.is_some() && keys.is_empty() {
            return Err(GatewayError::ExecuteNeedsKey);
        }
        let executor = self.execute.map(|(session, patterns)| {
            let executor = Executor::new(session, patterns);
            executor.map(Arc::new).map_err(GatewayError::Execute)
        });
        let executor = executor.transpose()?;
        let mut upstream = Upstream::new(
            &self.upstream,
            self.upstream_key.as_deref(),
            self.limits.silence,
        )?;
        // The upstream must not see a key for the gateway.
        upstream.keeps_client_key = keys.is_empty();
        Ok(Server {
            upstream: self.upstream,
            gateway: Arc::new(Gateway {
                upstream,
                metrics: Metrics::default(),
                keys,
                hosts: AllowedHosts::new(&self.hosts),
                requests: Arc::new(Semaphore::new(self.limits.requests())),
                held: Arc::new(Semaphore::new(self.limits.held_bytes.div_ceil(HELD_UNIT))),
                limits: self.limits,
                models: self.models,
                programs: ToolPrograms::default(),
                recorder,
                executor,
                kind: OnceCell::new(),
                learned: Mutex::default(),
                templates: Mutex::default(),
                messages: self.messages,
            }),
        })
    }
}

impl Server {
    /// A builder for a server in front of `upstream`, the URL of a model server, with or without `/v1` at its end.
    pub fn builder(upstream: impl Into<String>) -> ServerBuilder {
        ServerBuilder {
            upstream: upstream.into(),
            ..ServerBuilder::default()
        }
    }

    /// Serves on its own threads until the process gets SIGTERM or ctrl-c; then running requests may finish.
    ///
    /// # Errors
    /// If the listener is open to other machines and no key is required, or the system refuses a thread or a signal
    /// handler.
    pub fn run(self, listener: std::net::TcpListener) -> Result<(), GatewayError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(GatewayError::Serve)?;
        let outcome = runtime.block_on(async {
            let signal = StopSignal::new().map_err(GatewayError::Serve)?;
            let address = listener.local_addr().map_err(GatewayError::Serve)?;
            self.check(address)?;
            // From here on a signal causes an orderly shutdown.
            let upstream = &self.upstream;
            self.gateway.say(&format!(
                "listening on http://{address}, upstream {upstream}"
            ));
            self.serve(listener, signal.received()).await
        });
        // Name lookups may still be running.
        runtime.shutdown_background();
        outcome
    }

    /// Serves until `shutdown` completes; then running requests may finish within the limits. It needs a tokio runtime
    /// with time and IO.
    ///
    /// # Errors
    /// If the listener is open to other machines and no key is required, or the system refuses the listener.
    pub async fn serve(
        self,
        listener: std::net::TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), GatewayError> {
        let address = listener.local_addr().map_err(GatewayError::Serve)?;
        self.check(address)?;
        listener
            .set_nonblocking(true)
            .map_err(GatewayError::Serve)?;
        let listener = TcpListener::from_std(listener).map_err(GatewayError::Serve)?;
        let limits = self.gateway.limits.clone();
        let recorder = self.gateway.recorder.clone();
        let executor = self.gateway.executor.clone();
        let router = TowerToHyperService::new(router(self.gateway));
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(limits.connections()));
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let accepted = async {
                // The semaphore is never closed: it lives as long as this function.
                let permit = Arc::clone(&connections).acquire_owned().await;
                (permit, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = accepted => accepted,
            };
            let Ok((stream, _)) = accepted else {
                // There are no free descriptors, or the client has already left.
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.head)
                .max_buf_size(64 << 10)
                .serve_connection(
                    TokioIo::new(Connection::new(stream, limits.write)),
                    router.clone(),
                );
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // Errors of a connection concern only its client.
                let _ = connection.await;
                drop(permit);
            });
        }
        drop(listener);
        tokio::select! {
            () = graceful.shutdown() => {}
            () = tokio::time::sleep(limits.grace) => {}
        }
        if let Some(executor) = executor {
            executor.end();
        }
        if let Some(recorder) = recorder {
            recorder.flush();
        }
        Ok(())
    }

    fn check(&self, address: SocketAddr) -> Result<(), GatewayError> {
        if address.ip().is_loopback() || !self.gateway.keys.is_empty() {
            Ok(())
        } else {
            Err(GatewayError::NeedsKey(address))
        }
    }
}

/// The signals that stop a server.
struct StopSignal {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl StopSignal {
    fn new() -> io::Result<StopSignal> {
        Ok(StopSignal {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    async fn received(mut self) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn received(self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

fn router(gateway: Arc<Gateway>) -> Router {
    let admitted = middleware::from_fn_with_state(Arc::clone(&gateway), admit);
    Router::new()
        .route("/metrics", get(metrics))
        .route(Api::Chat.path(), post(answer).fallback(forward))
        .route(Api::Responses.path(), post(answer).fallback(forward))
        .route(Api::Messages.path(), post(answer).fallback(forward))
        .route(COUNT_TOKENS, post(count_tokens).fallback(forward))
        .fallback(forward)
        .layer(admitted)
        .route("/healthz", get("ok"))
        .with_state(gateway)
}

/// Admits a request, and holds its permit until its answer is sent.
async fn admit(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let api = api_of(request.uri().path());
    let response = match gateway.admission(&request) {
        Err(fault) => fault.response(api),
        Ok(()) => match Arc::clone(&gateway.requests).try_acquire_owned() {
            Err(_) => {
                let message = format!("{} requests are running", gateway.limits.requests);
                Fault::new(StatusCode::SERVICE_UNAVAILABLE, message).response(api)
            }
            Ok(permit) => {
                let under_way = UnderWay::new(&gateway);
                let span = telemetry::request(request.method(), request.uri().path());
                let response = next.run(request).instrument(span.clone()).await;
                span.record("http.response.status_code", response.status().as_u16());
                // Both live as long as the body.
                response.map(|body| {
                    Body::new(body.map_frame(move |frame| {
                        let _ = (&permit, &under_way);
                        frame
                    }))
                })
            }
        },
    };
    let label = api.map_or("other", Api::name);
    gateway.metrics.request(label, response.status().as_u16());
    response
}

/// A request that is counted as running.
struct UnderWay(Arc<Gateway>);

impl UnderWay {
    fn new(gateway: &Arc<Gateway>) -> UnderWay {
        gateway.metrics.start();
        UnderWay(Arc::clone(gateway))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.metrics.end();
    }
}

impl Gateway {
    /// Whether a request may pass, decided by its head.
    fn admission(&self, request: &Request) -> Result<(), Fault> {
        let headers = request.headers();
        if let Err(header) = self.hosts.check(headers) {
            let message = format!("`{header}` names a host that this gateway does not serve");
            return Err(Fault::new(StatusCode::FORBIDDEN, message));
        }
        if !self.keys.admit(headers) {
            let message = "an API key is needed: `Authorization: Bearer KEY` or `x-api-key: KEY`";
            return Err(Fault::new(StatusCode::UNAUTHORIZED, message));
        }
        // A tunnel would bypass all these checks.
        if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
            let message = format!("the method {} is not served", request.method());
            return Err(Fault::new(StatusCode::METHOD_NOT_ALLOWED, message));
        }
        // A form on a web page can send other types without a preflight request.
        let is_read = matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::DELETE
        );
        let is_json = headers.get(CONTENT_TYPE).is_some_and(is_json);
        if !is_read && !is_json {
            let message = "the body has to be JSON: `Content-Type: application/json`";
            return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        Ok(())
    }

    /// The whole body of a request, within the limits.
    pub(crate) async fn body(&self, body: Body) -> Result<HeldBody, Fault> {
        let cap = self.limits.body_bytes;
        let too_long = || {
            let message = format!("the body is longer than {cap} bytes");
            Fault::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        let size = hyper::body::Body::size_hint(&body);
        if size.lower() > cap as u64 {
            return Err(too_long());
        }
        let most = size.upper().unwrap_or(cap as u64).min(cap as u64);
        let permits = (most as usize).div_ceil(HELD_UNIT) as u32;
        let Ok(permit) = Arc::clone(&self.held).try_acquire_many_owned(permits) else {
            let message = "the bodies of other requests take all the memory there is for them";
            return Err(Fault::new(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        let read = Limited::new(body, cap).collect();
        match tokio::time::timeout(self.limits.body, read).await {
            Err(_) => {
                let message = format!("the body took longer than {} s", self.limits.body.as_secs());
                Err(Fault::new(StatusCode::REQUEST_TIMEOUT, message))
            }
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
            Ok(Err(_)) => Err(Fault::new(StatusCode::BAD_REQUEST, "the body broke off")),
            Ok(Ok(read)) => Ok(HeldBody {
                bytes: read.to_bytes(),
                _permit: permit,
            }),
        }
    }

    /// Whether a body is for a model in mode `passthrough`.
    fn is_passed(&self, body: &[u8]) -> bool {
        if !self.models.has_passthrough() {
            return false;
        }
        let body = toolglot_value::from_slice(body).unwrap_or_default();
        let model = body["model"].as_str().unwrap_or_default();
        self.models.get(model).mode == Some(Mode::Passthrough)
    }

    /// Forwards a request unchanged. A model request may be sent twice; the effect of other paths is unknown.
    async fn pass(&self, head: Parts, body: Bytes) -> Result<Response<Body>, Fault> {
        let may_repeat = head.method.is_idempotent() || api_of(head.uri.path()).is_some();
        let request = axum::http::Request::from_parts(head, body);
        let response = self.upstream.forward(request, may_repeat).await;
        response.map_err(|error| self.failure(&error))
    }

    /// The kind of the upstream. Each request asks with its client's headers until the upstream answers.
    pub(crate) async fn kind(&self, client: &HeaderMap) -> UpstreamKind {
        let ask = async {
            let kind = UpstreamKind::of(&self.upstream, client).await.ok_or(())?;
            let (name, mode) = (kind.name(), kind.mode().word());
            self.say(&format!("the upstream is {name}: mode `{mode}`"));
            Ok::<_, ()>(kind)
        };
        let kind = self.kind.get_or_try_init(|| ask).await;
        kind.copied().unwrap_or(UpstreamKind::Other)
    }

    /// The mode that worked for a model after another mode had failed.
    pub(crate) fn learned_mode(&self, model: &str) -> Option<Mode> {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        learned.get(model).copied()
    }

    pub(crate) fn learn_mode(&self, model: &str, mode: Mode) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if learned.len() < MOST_LEARNED {
            learned.insert(model.to_owned(), mode);
            drop(learned);
            let mode = mode.word();
            self.say(&format!(
                "the upstream refuses tools for the model `{model}`: mode `{mode}`"
            ));
        }
    }

    /// Whether a model's answers start in reasoning, according to the upstream's template. Each model is asked for
    /// once.
    pub(crate) async fn template_opens_reasoning(
        &self,
        kind: UpstreamKind,
        (client, model): (&HeaderMap, &str),
        program: &ToolProgram,
    ) -> bool {
        let templates = || {
            self.templates
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let known = templates().get(model).copied();
        if let Some(known) = known {
            return known.unwrap_or_default();
        }
        let query = chat_template::opens_reasoning(&self.upstream, kind, (client, model), program);
        let opens = query.await;
        let mut templates = templates();
        if templates.len() < MOST_LEARNED && templates.insert(model.to_owned(), opens).is_none() {
            drop(templates);
            if opens == Some(true) {
                let message = format!("the template of the model `{model}` opens the reasoning");
                self.say(&message);
            }
        }
        opens.unwrap_or_default()
    }

    fn say(&self, message: &str) {
        self.messages.say(message);
    }

    /// The fault for a request that the upstream failed.
    pub(crate) fn failure(&self, error: &UpstreamError) -> Fault {
        self.metrics.upstream_failure();
        let status = match error {
            UpstreamError::Silent(_) => StatusCode::GATEWAY_TIMEOUT,
            UpstreamError::Unreachable(_) | UpstreamError::Dropped | UpstreamError::TooLong(_) => {
                StatusCode::BAD_GATEWAY
            }
        };
        Fault::new(status, error.to_string())
    }
}

/// The path of Anthropic's token counting.
const COUNT_TOKENS: &str = "/v1/messages/count_tokens";

/// The API with this path.
fn api_of(path: &str) -> Option<Api> {
    match path {
        COUNT_TOKENS => Some(Api::Messages),
        path => Api::ALL.into_iter().find(|api| api.path() == path),
    }
}

fn is_json(value: &HeaderValue) -> bool {
    let essence = value.to_str().unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

async fn metrics(State(gateway): State<Arc<Gateway>>) -> Response<Body> {
    let mut response = Response::new(Body::from(gateway.metrics.text()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Forwards a request to the upstream, and the answer back, unchanged.
async fn forward(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let api = api_of(request.uri().path());
    let (parts, body) = request.into_parts();
    let outcome = async {
        let body = gateway.body(body).await?;
        gateway.pass(parts, body.bytes).await
    };
    outcome
        .await
        .unwrap_or_else(|fault: Fault| fault.response(api))
}

/// Answers a request of one of the three APIs.
async fn answer(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let Some(api) = api_of(request.uri().path()) else {
        return forward(State(gateway), request).await;
    };
    let (parts, body) = request.into_parts();
    let outcome = async {
        let mut body = gateway.body(body).await?;
        if gateway.is_passed(&body.bytes) {
            return gateway.pass(parts, body.bytes).await;
        }
        let request = ChatRequest::read(api, &body.bytes)?;
        // The parsed request stays in memory from here on, and counts with the size of its text.
        body.bytes.clear();
        let exchange = Exchange::new(Arc::clone(&gateway), request, parts.headers, body).await?;
        AnswerStream::new(exchange).await?.response().await
    };
    outcome
        .await
        .unwrap_or_else(|fault: Fault| fault.response(Some(api)))
}

/// Estimates the tokens of a request; for models in mode `passthrough` the upstream counts.
async fn count_tokens(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let outcome = async {
        let body = gateway.body(body).await?;
        if gateway.is_passed(&body.bytes) {
            return gateway.pass(parts, body.bytes).await;
        }
        let request = ChatRequest::read(Api::Messages, &body.bytes)?;
        let count = json!({"input_tokens": request.estimate_tokens()});
        let mut response = Response::new(Body::from(count.to_string()));
        let kind = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        Ok(response)
    };
    outcome
        .await
        .unwrap_or_else(|fault: Fault| fault.response(Some(Api::Messages)))
}
