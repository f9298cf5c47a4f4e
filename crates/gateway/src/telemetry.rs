//! Spans and events with the attributes of OpenTelemetry's conventions for generative AI
//! (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>, seen 2026-11), for subscribers of `tracing`.
//!
//! ```text
//!  POST /v1/messages              a request of a client
//!   ├─ chat MODEL                 one answer of the upstream; an event `call` for each call that is read
//!   └─ execute_tool NAMES         tools that the gateway runs; an event `executed` for each call
//! ```
//!
//! No attribute holds an argument, a result or a text.

use axum::http::Method;
use toolglot_wire::{ApiError, Ending, FinishReason};

use tracing::Span;
use tracing::field::Empty;

use crate::executor::ExecutedCall;

/// The span of a client's request.
pub(crate) fn request(method: &Method, path: &str) -> Span {
    tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {path}"),
        otel.kind = "server",
        http.request.method = %method,
        url.path = path,
        http.response.status_code = Empty,
    )
}

/// The span of an upstream's answer.
pub(crate) fn inference(model: &str, mode: &'static str, (host, port): (&str, u16)) -> Span {
    tracing::info_span!(
        "chat",
        otel.name = %format_args!("chat {model}"),
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = "openai",
        gen_ai.request.model = model,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        server.address = host,
        server.port = port,
        toolglot.mode = mode,
        error.type = Empty,
    )
}

/// Records how an answer ended.
pub(crate) fn ended(span: &Span, ending: &Ending) {
    let reason = match ending.reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::ContentFilter => "content_filter",
        _ => "unknown",
    };
    span.record(
        "gen_ai.response.finish_reasons",
        format_args!("[\"{reason}\"]").to_string(),
    );
    let usage = ending.usage.as_ref();
    let count = |key: &str| usage.and_then(|usage| usage[key].as_u64());
    if let Some(count) = count("prompt_tokens") {
        span.record("gen_ai.usage.input_tokens", count);
    }
    if let Some(count) = count("completion_tokens") {
        span.record("gen_ai.usage.output_tokens", count);
    }
}

/// Records why there is no answer.
pub(crate) fn failed(span: &Span, error: &ApiError) {
    span.record("error.type", error.kind.code());
}

/// An event for a parsed call.
pub(crate) fn call(name: &str, dialect: &str, end: &str) {
    tracing::info!(
        gen_ai.tool.name = name,
        toolglot.dialect = dialect,
        toolglot.end = end,
        "call"
    );
}

/// The span of tools that the gateway runs, one after the other.
pub(crate) fn tools(names: &str) -> Span {
    tracing::info_span!(
        "execute_tool",
        otel.name = %format_args!("execute_tool {names}"),
        otel.kind = "internal",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = names,
        gen_ai.tool.type = "function",
    )
}

/// An event for a call that the gateway ran or refused.
pub(crate) fn executed(call: &ExecutedCall) {
    tracing::info!(
        gen_ai.tool.name = call.id,
        toolglot.state = call.state,
        toolglot.rule = call.rule,
        "executed"
    );
}
