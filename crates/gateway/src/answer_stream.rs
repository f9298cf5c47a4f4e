//! The answer of one exchange, in the client's API.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Response};
use futures_util::{FutureExt, stream};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use toolglot_engine::Finish;
use toolglot_value::{Map, Value};
use toolglot_wire::{
    Answer, AnswerHead, ApiError, Ending, ErrorKind, FinishReason, UpstreamEvent, UpstreamReader,
};
use tracing::{Instrument, Span};

use crate::call_policy::OwnCall;
use crate::exchange::{Exchange, Opened};
use crate::executor::{ExecutedRounds, MOST_ROUNDS};
use crate::fault::Fault;
use crate::message_trace;
use crate::models::Mode;
use crate::rate_limit::RateLimit;
use crate::reading::{AnswerStart, Reading};
use crate::telemetry;

/// The time that an upstream's connection stays open after its last event, so that it can be reused.
const AFTER_DONE: Duration = Duration::from_secs(1);

/// The most names in the header that lists omitted fields.
const MOST_OMITTED: usize = 16;

/// The bytes of a stream that are held back while the client requires a call and there is none.
const HELD_BYTES: usize = 64 << 10;

/// Reads the upstream's answer only as fast as the client reads it, and ends when the client leaves.
pub(crate) struct AnswerStream {
    exchange: Exchange,
    head: HeadParts,
    reading: Box<Reading>,
    source: Source,
    /// Whether the client has a part of the answer's content.
    has_sent: bool,
    /// Whether the model was asked again.
    has_asked: bool,
    /// Whether it was asked again because a call was missing.
    has_asked_for_call: bool,
    n_bytes: usize,
    is_over: bool,
    /// The reason if there is no answer.
    failure: Option<Fault>,
    /// The report to the client, for the headers of a whole answer.
    report: Map,
    /// The rate headers of the upstream's last answer.
    rate_limit: RateLimit,
    /// The calls that the gateway ran itself.
    rounds: ExecutedRounds,
    /// The tokens of the earlier answers.
    usage: Option<Value>,
    /// The tracing span of the client's request.
    request_span: Span,
    /// The tracing span of the upstream's answer.
    span: Span,
}

/// What the answers of an exchange share: the client does not see that the model was asked again.
struct HeadParts {
    seed: [u8; 16],
    created: u64,
}

/// The source of the answer.
enum Source {
    Events(Box<UpstreamReader>, Incoming),
    /// A response that is not an event stream.
    Whole(Incoming),
    /// The model's text, from an error of the upstream.
    Salvaged(String),
    Nothing,
}

/// The outcome of one step.
enum Step {
    More,
    Over(Ending),
    Failed(ApiError),
}

impl AnswerStream {
    /// Opens the upstream.
    pub(crate) async fn new(mut exchange: Exchange) -> Result<AnswerStream, Fault> {
        let request_span = Span::current();
        let span = inference_span(&exchange, &request_span);
        let opened = exchange.open().instrument(span.clone()).await;
        let opened = opened.inspect_err(|fault| telemetry::failed(&span, &fault.error))?;
        let rate_limit = rate_limit(&opened);
        let (source, start) = source(opened);
        let head = HeadParts::new();
        Ok(AnswerStream {
            rate_limit,
            rounds: ExecutedRounds::default(),
            usage: None,
            request_span,
            span,
            reading: reading(&exchange, &head, &source, &start),
            exchange,
            head,
            source,
            has_sent: false,
            has_asked: false,
            has_asked_for_call: false,
            n_bytes: 0,
            is_over: false,
            failure: None,
            report: Map::new(),
        })
    }

    /// The response: streamed or whole, as requested.
    pub(crate) async fn response(mut self) -> Result<Response<Body>, Fault> {
        let mode = HeaderValue::from_static(self.exchange.mode().word());
        let constraint = self.exchange.constraint().word();
        let omitted = omitted(self.exchange.request.omitted());
        let mut response = if self.exchange.request.is_stream() {
            let rate_limit = std::mem::take(&mut self.rate_limit);
            let mut response = Response::new(self.body());
            let headers = response.headers_mut();
            rate_limit.add_to(headers);
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            response
        } else {
            self.whole().await?
        };
        let headers = response.headers_mut();
        headers.insert("x-toolglot-mode", mode);
        if let Some(word) = constraint {
            headers.insert("x-toolglot-constraint", HeaderValue::from_static(word));
        }
        if !omitted.is_empty()
            && let Ok(omitted) = HeaderValue::try_from(omitted)
        {
            headers.insert("x-toolglot-omitted", omitted);
        }
        Ok(response)
    }

    async fn whole(mut self) -> Result<Response<Body>, Fault> {
        let mut out = Vec::new();
        while !self.is_over {
            self.step(&mut out).await;
            self.settle();
        }
        if let Some(fault) = self.failure.take() {
            return Err(fault);
        }
        let whole = self.reading.answer.whole().to_string();
        let mut response = Response::new(Body::from(whole));
        let headers = response.headers_mut();
        self.rate_limit.add_to(headers);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(Value::String(who)) = self.report.get("tool_choice")
            && let Ok(who) = HeaderValue::try_from(who)
        {
            headers.insert("x-toolglot-tool-choice", who);
        }
        if self.exchange.wants_report()
            && let Ok(report) = HeaderValue::try_from(message_trace::header(&self.report))
        {
            headers.insert("x-toolglot-report", report);
        }
        Ok(response)
    }

    /// The report to the client beside its complete answer.
    fn reported(&self) -> Map {
        let mut report = Map::new();
        if let Some(who) = self.who_enforced_choice() {
            report.insert("tool_choice".to_owned(), Value::from(who));
        }
        if self.exchange.wants_report() {
            let mode = self.exchange.mode().word();
            report.insert("mode".to_owned(), Value::from(mode));
            report.insert("asked_again".to_owned(), Value::Bool(self.has_asked));
            if let Some(trace) = &self.reading.trace {
                report.extend(trace.report());
            }
            if self.exchange.gateway.executor.is_some() {
                report.insert("executed".to_owned(), self.rounds.report());
            }
        }
        report
    }

    /// Who enforced `tool_choice` and `parallel_tool_calls`; `None` if neither restricts the calls.
    fn who_enforced_choice(&self) -> Option<&'static str> {
        let policy = &self.reading.policy;
        if !policy.is_constrained() {
            return None;
        }
        let is_met = !policy.wants_a_call() || self.reading.answer.n_calls() > 0;
        let is_changed = policy.has_dropped || self.has_asked_for_call;
        Some(match self.exchange.mode() {
            _ if !is_met => "unmet",
            Mode::Recover if !is_changed => "upstream",
            _ => "gateway",
        })
    }

    /// Adds the message to the record.
    fn record(&self, finish: Finish) {
        let gateway = &self.exchange.gateway;
        if let (Some(recorder), Some(trace)) = (&gateway.recorder, &self.reading.trace)
            && self.exchange.program().is_some()
        {
            let texts = (&self.reading.text, &self.reading.reasoning);
            let row = trace.row(&self.exchange, texts, finish);
            if !recorder.push(row) {
                gateway.metrics.unrecorded();
            }
        }
    }

    fn body(mut self) -> Body {
        let mut first = Vec::new();
        self.reading.answer.start(&mut first);
        let state = (self, first);
        Body::from_stream(stream::unfold(state, |(mut answer, mut out)| async move {
            while !answer.is_over && (out.is_empty() || answer.holds_back(out.len())) {
                let span = answer.request_span.clone();
                answer.step(&mut out).instrument(span).await;
                answer.settle();
            }
            if out.is_empty() {
                return None;
            }
            answer.has_sent = answer.reading.answer.has_content();
            if answer.has_sent && answer.exchange.gateway.executor.is_none() {
                // The upstream is not asked again from here on.
                answer.exchange.forget_history();
            }
            Some((Ok::<Bytes, Infallible>(out.into()), (answer, Vec::new())))
        }))
    }

    /// Reads the next part of the answer.
    async fn step(&mut self, out: &mut Vec<u8>) {
        self.reading.policy.may_ask = self.may_ask();
        let step = self.read(out).await;
        if self.reading.policy.doubtful.is_some() && self.may_ask() {
            self.ask_again(Finish::Unknown, out).await;
            return;
        }
        match step {
            Step::More => {}
            Step::Failed(error) => {
                self.exchange.gateway.metrics.upstream_failure();
                self.record(Finish::Unknown);
                self.fail(error.into(), out);
            }
            Step::Over(mut ending) => {
                let finish = ending.reason.finish();
                self.reading.end_text(finish, out);
                telemetry::ended(&self.span, &ending);
                let own_calls = std::mem::take(&mut self.reading.policy.own_calls);
                if !own_calls.is_empty() && self.rounds.n_rounds < MOST_ROUNDS {
                    self.run_round(own_calls, (ending, finish), out).await;
                    return;
                }
                let is_missed =
                    self.reading.policy.wants_a_call() && self.reading.answer.n_calls() == 0;
                let is_doubtful = self.reading.policy.doubtful.is_some();
                if (is_missed || is_doubtful) && self.may_ask() {
                    self.has_asked_for_call = is_missed;
                    self.ask_again(finish, out).await;
                    return;
                }
                self.record(finish);
                if let Some(call) = self.reading.policy.doubtful.take() {
                    self.reading.answer.text(&call.text(), out);
                }
                if !own_calls.is_empty() {
                    let text = format!("\n[Stopped: {MOST_ROUNDS} rounds of tools have run.]\n");
                    self.reading.answer.text(&text, out);
                    ending.reason = FinishReason::Length;
                } else if self.reading.policy.has_sent() {
                    let record = self.rounds.record();
                    self.reading.answer.text(&record, out);
                }
                ending.usage = sum(self.usage.take(), ending.usage);
                self.report = self.reported();
                if self.exchange.request.is_stream() && !self.report.is_empty() {
                    let report = Value::Object(std::mem::take(&mut self.report));
                    ending.other.insert("toolglot".to_owned(), report);
                }
                self.reading.finish(ending, out);
                self.end();
            }
        }
    }

    /// Whether the model can be asked again: nothing of its answer was sent.
    fn may_ask(&self) -> bool {
        let is_first = self.rounds.n_rounds == 0;
        is_first && !self.has_asked && !self.has_sent && !matches!(self.source, Source::Salvaged(_))
    }

    /// Runs calls of the gateway's own tools, and asks the model to continue with their results.
    async fn run_round(
        &mut self,
        calls: Vec<OwnCall>,
        (ending, finish): (Ending, Finish),
        out: &mut Vec<u8>,
    ) {
        self.record(finish);
        self.usage = sum(self.usage.take(), ending.usage);
        self.settle();
        self.source = Source::Nothing;
        let first_id = self.rounds.calls.len();
        let Some(executor) = self.exchange.gateway.executor.clone() else {
            return self.end();
        };
        let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
        let span = self
            .request_span
            .in_scope(|| telemetry::tools(&names.join(", ")));
        let (message, written) = self.reading.message_of(&calls, &self.exchange);
        let run = self
            .rounds
            .carry_out(&executor, message, written.to_owned());
        let round = match run.instrument(span.clone()).await {
            Ok(round) => round,
            Err(fault) => return self.fail(fault, out),
        };
        for call in &round.calls {
            span.in_scope(|| telemetry::executed(call));
            let metrics = &self.exchange.gateway.metrics;
            metrics.executed(&call.id, call.state);
        }
        let said = self.reading.said();
        self.exchange.add_round(&said, &round, &calls, first_id);
        self.reading.answer.end_part(out);
        self.span = inference_span(&self.exchange, &self.request_span);
        match self.exchange.open().await {
            Ok(opened) => {
                self.rate_limit = rate_limit(&opened);
                let (source, start) = source(opened);
                let policy = self.exchange.policy();
                self.reading.go_on(policy, self.exchange.program(), &start);
                self.reading.policy.is_salvaged = matches!(source, Source::Salvaged(_));
                self.source = source;
            }
            Err(fault) => self.fail(fault, out),
        }
    }

    /// Whether these bytes are held back for a call: after they are sent, a missing call cannot be requested.
    fn holds_back(&self, n_bytes: usize) -> bool {
        let is_missing = self.reading.policy.wants_a_call() && self.reading.answer.n_calls() == 0;
        is_missing && self.reading.answer.has_content() && self.may_ask() && n_bytes < HELD_BYTES
    }

    async fn ask_again(&mut self, finish: Finish, out: &mut Vec<u8>) {
        self.has_asked = true;
        self.record(finish);
        self.exchange.gateway.metrics.retry("correction");
        // The upstream stops generating an answer that nobody reads.
        self.source = Source::Nothing;
        let doubtful = self.reading.policy.doubtful.take();
        self.exchange
            .correct(self.reading.text.text(), doubtful.as_ref());
        self.settle();
        self.span = inference_span(&self.exchange, &self.request_span);
        match self.exchange.open().await {
            Ok(opened) => {
                self.rate_limit = rate_limit(&opened);
                let (source, start) = source(opened);
                self.reading = reading(&self.exchange, &self.head, &source, &start);
                out.clear();
                // The client already has the first frames.
                self.reading.answer.start(&mut Vec::new());
                self.source = source;
            }
            Err(fault) => self.fail(fault, out),
        }
    }

    async fn read(&mut self, out: &mut Vec<u8>) -> Step {
        let gateway = &self.exchange.gateway;
        let (upstream, cap) = (&gateway.upstream, gateway.limits.answer_bytes);
        let reading = &mut self.reading;
        match &mut self.source {
            Source::Events(reader, body) => {
                let next = upstream.next(body);
                let next = if reader.is_done() {
                    // Bytes that came with the last event are read; there is no wait for more.
                    next.now_or_never().flatten()
                } else {
                    next.await
                };
                match next {
                    Some(Ok(bytes)) => {
                        gateway.metrics.upstream_bytes(bytes.len());
                        self.n_bytes += bytes.len();
                        if self.n_bytes > cap {
                            return Step::Failed(too_long(cap));
                        }
                        match reader.push(&bytes, &mut |event| reading.event(event, out)) {
                            Ok(()) => Step::More,
                            Err(error) => Step::Failed(error.into()),
                        }
                    }
                    Some(Err(error)) => {
                        Step::Failed(ApiError::new(ErrorKind::Upstream, error.to_string()))
                    }
                    None => {
                        let reader = std::mem::take(reader);
                        let ended = reader.finish(&mut |event| reading.event(event, out));
                        if let Source::Events(_, body) =
                            std::mem::replace(&mut self.source, Source::Nothing)
                        {
                            release(body);
                        }
                        ended.map_or_else(|error| Step::Failed(error.into()), Step::Over)
                    }
                }
            }
            Source::Whole(body) => {
                let mut whole = Vec::new();
                while let Some(bytes) = upstream.next(body).await {
                    match bytes {
                        Ok(bytes) if whole.len() + bytes.len() <= cap => {
                            whole.extend_from_slice(&bytes);
                        }
                        Ok(_) => return Step::Failed(too_long(cap)),
                        Err(error) => {
                            let error = ApiError::new(ErrorKind::Upstream, error.to_string());
                            return Step::Failed(error);
                        }
                    }
                }
                gateway.metrics.upstream_bytes(whole.len());
                let ended = UpstreamReader::whole(&whole, &mut |event| reading.event(event, out));
                ended.map_or_else(|error| Step::Failed(error.into()), Step::Over)
            }
            Source::Salvaged(text) => {
                reading.event(UpstreamEvent::Text(text), out);
                Step::Over(Ending::default())
            }
            Source::Nothing => Step::Over(Ending::default()),
        }
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<u8>) {
        telemetry::failed(&self.span, &fault.error);
        self.reading.error(&fault.error, out);
        self.failure = Some(fault);
        self.end();
    }

    fn end(&mut self) {
        self.is_over = true;
        // The connection is released as soon as possible.
        self.source = Source::Nothing;
    }

    fn settle(&mut self) {
        let _in_span = self.span.enter();
        let model = self.exchange.request.model();
        self.reading.settle(&self.exchange.gateway.metrics, model);
    }
}

/// The names of omitted fields, up to a limit.
fn omitted(names: &[String]) -> String {
    let n_shown = names.len().min(MOST_OMITTED);
    let mut text = names[..n_shown].join(", ");
    if n_shown < names.len() {
        let _ = write!(text, ", and {} more", names.len() - n_shown);
    }
    text
}

fn too_long(cap: usize) -> ApiError {
    let message = format!("the upstream's answer is longer than {cap} bytes");
    ApiError::new(ErrorKind::Upstream, message)
}

/// Reads the rest of a finished body, so that its connection can be reused.
fn release(mut body: Incoming) {
    if body.is_end_stream() {
        return;
    }
    tokio::spawn(tokio::time::timeout(AFTER_DONE, async move {
        while let Some(Ok(_)) = body.frame().await {}
    }));
}

fn rate_limit(opened: &Opened) -> RateLimit {
    match opened {
        Opened::Response(response, _) => RateLimit::of(response.headers()),
        Opened::Salvaged(_) => RateLimit::default(),
    }
}

fn source(opened: Opened) -> (Source, AnswerStart) {
    match opened {
        Opened::Salvaged(text) => (Source::Salvaged(text), AnswerStart::default()),
        Opened::Response(response, start) => {
            let kind = response.headers().get(CONTENT_TYPE);
            let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            let is_stream = kind.trim_start().starts_with("text/event-stream");
            let body = response.into_body();
            let source = if is_stream {
                Source::Events(Box::default(), body)
            } else {
                Source::Whole(body)
            };
            (source, start)
        }
    }
}

impl HeadParts {
    fn new() -> HeadParts {
        let mut seed = [0; 16];
        // Without randomness, the time still distinguishes answers.
        let _ = getrandom::fill(&mut seed);
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        for (byte, time) in seed.iter_mut().zip(since.as_nanos().to_le_bytes()) {
            *byte ^= time;
        }
        HeadParts {
            seed,
            created: since.as_secs(),
        }
    }
}

/// The tracing span of an upstream's answer.
fn inference_span(exchange: &Exchange, request: &Span) -> Span {
    let (model, mode) = (exchange.request.model(), exchange.mode().word());
    let address = exchange.gateway.upstream.address();
    request.in_scope(|| telemetry::inference(model, mode, address))
}

/// The sum of two token counts.
fn sum(before: Option<Value>, after: Option<Value>) -> Option<Value> {
    let (Some(before), Some(mut after)) = (before.clone(), after.clone()) else {
        return before.or(after);
    };
    for key in ["prompt_tokens", "completion_tokens", "total_tokens"] {
        if let (Some(a), Some(b)) = (before[key].as_u64(), after[key].as_u64()) {
            after[key] = Value::from(a + b);
        }
    }
    Some(after)
}

fn reading(
    exchange: &Exchange,
    head: &HeadParts,
    source: &Source,
    start: &AnswerStart,
) -> Box<Reading> {
    let head = AnswerHead {
        seed: &head.seed,
        created: head.created,
        model: None,
    };
    let answer = Answer::new(&exchange.request, head);
    let mut policy = exchange.policy();
    policy.is_salvaged = matches!(source, Source::Salvaged(_));
    let mut reading = Box::new(Reading::new(answer, policy, exchange.program(), start));
    let gateway = &exchange.gateway;
    let is_traced = gateway.recorder.is_some() || gateway.executor.is_some();
    if exchange.wants_report() || is_traced {
        reading.keep_trace(start);
    }
    reading
}
