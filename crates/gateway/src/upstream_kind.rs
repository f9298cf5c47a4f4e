//! The kind of server that the upstream is, as far as the mode depends on it.

use axum::http::HeaderMap;
use toolglot_value::{Value, json};

use crate::models::Mode;
use crate::upstream::Upstream;

/// The kind of a server; `Other` includes all unknown servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpstreamKind {
    /// It writes tools into the prompt even if no call is wanted, and then parses none.
    Vllm,
    /// It renders a prompt, and completes a given prompt.
    LlamaCpp {
        /// Whether the model's template writes tools.
        writes_tools: bool,
    },
    /// It parses calls by the model's template, and reports the template.
    Ollama,
    /// Any other.
    Other,
}

/// The most bytes of such an answer that are read.
const CAP: usize = 4 << 20;

impl UpstreamKind {
    /// Asks the upstream for its models, whose owner identifies the server. `None`: it is not ready, or rejects the
    /// client; a later request may succeed.
    pub(crate) async fn of(upstream: &Upstream, client: &HeaderMap) -> Option<UpstreamKind> {
        let response = upstream.get("/v1/models", client).await.ok()?;
        let status = response.status();
        if status.is_server_error() || matches!(status.as_u16(), 401 | 403 | 408 | 429) {
            return None;
        }
        let body = upstream.whole(response.into_body(), CAP).await.ok()?;
        let models = toolglot_value::from_slice(&body).unwrap_or_default();
        Some(UpstreamKind::of_models(upstream, client, &models).await)
    }

    /// The kind of an upstream with this list of models.
    pub(crate) async fn of_models(
        upstream: &Upstream,
        client: &HeaderMap,
        models: &Value,
    ) -> UpstreamKind {
        match models["data"][0]["owned_by"].as_str() {
            Some("vllm") => UpstreamKind::Vllm,
            Some("llamacpp") => UpstreamKind::LlamaCpp {
                writes_tools: writes_tools(upstream, client).await,
            },
            // The namespace of Ollama's models.
            Some("library") => UpstreamKind::Ollama,
            _ => UpstreamKind::Other,
        }
    }

    /// The mode to try first.
    pub(crate) fn mode(self) -> Mode {
        match self {
            UpstreamKind::Vllm | UpstreamKind::LlamaCpp { writes_tools: true } => Mode::Raw,
            UpstreamKind::LlamaCpp { .. } | UpstreamKind::Ollama | UpstreamKind::Other => {
                Mode::Recover
            }
        }
    }

    /// The name for display.
    pub(crate) fn name(self) -> &'static str {
        match self {
            UpstreamKind::Vllm => "vLLM",
            UpstreamKind::LlamaCpp { .. } => "llama.cpp",
            UpstreamKind::Ollama => "Ollama",
            UpstreamKind::Other => "a server that parses calls itself",
        }
    }
}

/// Whether the template of a llama.cpp server writes tools.
async fn writes_tools(upstream: &Upstream, client: &HeaderMap) -> bool {
    let prompt = prompt_with_tool(upstream, client).await;
    prompt.is_some_and(|prompt| prompt.contains("toolglot_probe"))
}

/// The prompt that a llama.cpp server renders from a message and a tool.
pub(crate) async fn prompt_with_tool(upstream: &Upstream, client: &HeaderMap) -> Option<String> {
    let messages = json!([{"role": "user", "content": "hi"}]);
    let tool = json!({"type": "function", "function": {
        "name": "toolglot_probe", "description": "", "parameters": {"type": "object", "properties": {}}}});
    let body = json!({"messages": messages, "tools": [tool]}).to_string();
    let answer = upstream.ask("/apply-template", client, Some(body), CAP);
    answer.await?["prompt"].as_str().map(str::to_owned)
}
