//! Asks an upstream for its kind and how its models handle tools, and writes the file of `serve --config`.
//!
//! ```text
//!  /v1/models ─ kind ─┬─ llama.cpp: does /apply-template write the tools?        ─ raw
//!                     ├─ vLLM: do tools make the prompt longer?                  ─ raw
//!                     └─ any other: a call is required, and the model makes it?  ─ recover, emulate
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use toolglot_engine::{Calls, Event, Finish, Input, Parser, Sink, Span};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};
use toolglot_wire::{UpstreamEvent, UpstreamReader};

use crate::chat_template;
use crate::error::GatewayError;
use crate::model_findings::{ModelFindings, comment, shortened};
use crate::models::Mode;
use crate::tool_program::{ToolProgram, ToolPrograms};
use crate::upstream::{Upstream, UpstreamError};
use crate::upstream_kind::{self, UpstreamKind};

/// The most models that are tried if none is named: each must be loaded.
const MOST_MODELS: usize = 4;

/// The most bytes of an answer that are read.
const ANSWER_BYTES: usize = 4 << 20;

/// The most tokens of an answer, reasoning included.
const ANSWER_TOKENS: u32 = 512;

/// The tool that models are asked to call.
const PROBE: &str = "toolglot_probe";

/// A diagnosis of one upstream.
pub(crate) struct Diagnosis<'u> {
    upstream: &'u Upstream,
    kind: UpstreamKind,
    program: ToolProgram,
}

/// The answer of a model.
#[derive(Debug, Default)]
struct ProbeAnswer {
    status: StatusCode,
    /// The upstream's error, if there is no answer.
    error: String,
    text: String,
    has_native_call: bool,
    prompt_tokens: Option<u64>,
}

/// The configuration for an upstream, with comments on what was tried. It tries the models of the list, or else those
/// that the upstream lists.
pub(crate) async fn configuration(
    upstream: &Upstream,
    address: &str,
    models: &[String],
) -> Result<String, GatewayError> {
    let mut out = String::new();
    let line = format!("`toolglot doctor --upstream {address}` tried what follows.");
    comment(&line, &mut out);
    let listed = upstream.get("/v1/models", &HeaderMap::new()).await;
    let listed = listed.map_err(|error| GatewayError::Unreachable(error.to_string()))?;
    let status = listed.status();
    let body = upstream.whole(listed.into_body(), ANSWER_BYTES).await;
    let body = toolglot_value::from_slice(&body.unwrap_or_default()).unwrap_or_default();
    let kind = UpstreamKind::of_models(upstream, &HeaderMap::new(), &body).await;
    comment(&description(kind, status, &body), &mut out);
    let ids = body["data"].as_array().into_iter().flatten();
    let ids: Vec<String> = ids
        .filter_map(|model| model["id"].as_str().map(str::to_owned))
        .collect();
    let tried = if models.is_empty() { &ids } else { models };
    let most = if models.is_empty() {
        MOST_MODELS
    } else {
        models.len()
    };
    if tried.is_empty() {
        comment("It names no model: say one with `--model NAME`.", &mut out);
    }
    for id in tried.iter().skip(most) {
        let line = format!("Not tried: {id}. `--model NAME` tries one.");
        comment(&line, &mut out);
    }
    let diagnosis = Diagnosis {
        upstream,
        kind,
        program: program()?,
    };
    for id in tried.iter().take(most) {
        diagnosis.findings(id).await.write(&mut out);
    }
    Ok(out)
}

/// The kind of the upstream, and the evidence for it.
fn description(kind: UpstreamKind, status: StatusCode, models: &Value) -> String {
    let mut line = format!("The upstream is {}", kind.name());
    let _ = match models["data"][0]["owned_by"].as_str() {
        Some(owner) => write!(line, ": its models are owned by `{}`.", shortened(owner)),
        None => write!(
            line,
            ": `GET /v1/models` gave {} and no owner.",
            status.as_u16()
        ),
    };
    line
}

fn program() -> Result<ToolProgram, GatewayError> {
    let list = json!([{"type": "function", "function": tool()}]);
    let toolbox = Toolbox::from_json(&list).unwrap_or_default();
    ToolPrograms::default()
        .make(&toolbox, None)
        .map_err(|source| GatewayError::Dialect {
            pattern: "*".to_owned(),
            source,
        })
}

fn tool() -> Value {
    let text = json!({"type": "string", "description": "Any word."});
    json!({
        "name": PROBE,
        "description": "Says a word to the person who set this up.",
        "parameters": {"type": "object", "properties": {"text": text}, "required": ["text"]},
    })
}

impl Diagnosis<'_> {
    /// Tries one model.
    async fn findings(&self, model: &str) -> ModelFindings {
        let mut findings = ModelFindings::new(model);
        let is_raw = match self.kind {
            UpstreamKind::LlamaCpp { writes_tools: true } => self.try_template(&mut findings).await,
            UpstreamKind::Vllm => self.try_unparsed(model, &mut findings).await,
            UpstreamKind::LlamaCpp { .. } | UpstreamKind::Ollama | UpstreamKind::Other => false,
        };
        if is_raw {
            findings.mode = Mode::Raw;
        } else {
            self.try_required(model, &mut findings).await;
            let query = (&HeaderMap::new(), model);
            let (upstream, program) = (self.upstream, &self.program);
            let opens = chat_template::opens_reasoning(upstream, self.kind, query, program).await;
            if opens == Some(true) && !findings.reasoning_open {
                findings.reasoning_open = true;
                findings.add("The template opens the reasoning in the prompt.");
            }
        }
        findings
    }

    /// Checks llama.cpp's template for reasoning. The kind already says that the template writes tools.
    async fn try_template(&self, findings: &mut ModelFindings) -> bool {
        findings.add("`/apply-template` writes the tools into the prompt.");
        match upstream_kind::prompt_with_tool(self.upstream, &HeaderMap::new()).await {
            Some(prompt) if self.program.starts_in_reasoning(&prompt) => {
                findings
                    .add("The prompt opens the reasoning; the gateway sees this in each prompt.");
            }
            _ => findings.add("The prompt does not open the reasoning."),
        }
        true
    }

    /// Whether vLLM writes tools into the prompt when it parses no calls.
    async fn try_unparsed(&self, model: &str, findings: &mut ModelFindings) -> bool {
        let mut fields = with_tool("none");
        fields.insert("skip_special_tokens".to_owned(), Value::Bool(false));
        let with = self.ask(model, fields, ANSWER_TOKENS).await;
        let without = self.ask(model, Map::new(), 1).await;
        let (Some(with), Some(without)) = (told(with, findings), told(without, findings)) else {
            return false;
        };
        let n = [with.prompt_tokens, without.prompt_tokens];
        let [Some(n_with), Some(n_without)] = n else {
            findings.add("The upstream counts no tokens, so that nobody knows whether tools are in the prompt.");
            return false;
        };
        findings.add(format!(
            "With `tool_choice: \"none\"` the prompt has {n_with} tokens with a tool, and {n_without} without."
        ));
        if n_with <= n_without {
            findings.add("So the tools are not in the prompt: `--exclude-tools-when-tool-choice-none` may be set.");
            return false;
        }
        self.look_at(&with, findings);
        true
    }

    /// Requires a call, and records the outcome.
    async fn try_required(&self, model: &str, findings: &mut ModelFindings) {
        let answer = self.ask(model, with_tool("required"), ANSWER_TOKENS).await;
        let Some(answer) = told(answer, findings) else {
            findings.add("So the tools go into the instructions.");
            findings.mode = Mode::Emulate;
            return;
        };
        let is_read = self.look_at(&answer, findings);
        if answer.has_native_call || is_read {
            return;
        }
        findings.add("A call was required, and the answer has none.");
        let without = self.ask(model, Map::new(), 1).await.ok();
        let n_without = without.and_then(|answer| answer.prompt_tokens);
        match (answer.prompt_tokens, n_without) {
            (Some(n_with), Some(n_without)) if n_with > n_without => findings.add(format!(
                "The tools are in the prompt ({n_with} tokens with a tool, {n_without} without), so the model wrote none."
            )),
            (Some(n_with), Some(_)) => {
                findings.add(format!(
                    "The prompt has {n_with} tokens with a tool and without: the server ignores tools."
                ));
                findings.mode = Mode::Emulate;
            }
            _ => {
                findings.add("The upstream counts no tokens: it seems to ignore tools.");
                findings.mode = Mode::Emulate;
            }
        }
    }

    /// Records what an answer shows, and returns whether its text has a call.
    fn look_at(&self, answer: &ProbeAnswer, findings: &mut ModelFindings) -> bool {
        if answer.has_native_call {
            findings.add("The upstream parsed the call.");
        }
        findings.reasoning_open = self.leaves_reasoning(&answer.text);
        if findings.reasoning_open {
            findings
                .add("The answer closes a reasoning that it did not open: the prompt opens it.");
        }
        let message = self.read(&answer.text, findings.reasoning_open).0;
        let dialect = message.calls.first().map(|call| call.dialect.clone());
        if let Some(dialect) = &dialect {
            findings.add(format!("The text has a call, in the dialect `{dialect}`."));
        }
        findings.dialect = dialect;
        findings.dialect.is_some()
    }

    async fn ask(
        &self,
        model: &str,
        fields: Map,
        max_tokens: u32,
    ) -> Result<ProbeAnswer, UpstreamError> {
        let content = format!("Call the tool `{PROBE}` with the text `hello`.");
        let mut body = json!({
            "model": model,
            "messages": [{"role": "user", "content": content}],
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream": false,
        });
        if let Value::Object(body) = &mut body {
            body.extend(fields);
        }
        let path = "/v1/chat/completions";
        let (client, json) = (HeaderMap::new(), body.to_string());
        let response = self.upstream.post(path, &client, json).await?;
        let status = response.status();
        let body = self
            .upstream
            .whole(response.into_body(), ANSWER_BYTES)
            .await?;
        Ok(ProbeAnswer::new(status, &body))
    }

    /// The message in a text, and whether all of the text is reasoning.
    fn read(&self, text: &str, is_open: bool) -> (Calls, bool) {
        let parser = Parser::new(Arc::clone(&self.program.program));
        let mut parser = if is_open {
            parser.reasoning_open()
        } else {
            parser
        };
        let mut message = Calls::default();
        let mut is_all_reasoning = true;
        let mut sink = |span: Span, event: Event<'_>| {
            let is_answer = match &event {
                Event::Text(text) => !text.trim().is_empty(),
                Event::CallStart(head) => head.place == toolglot_engine::Place::Answer,
                _ => false,
            };
            is_all_reasoning &= !is_answer;
            message.event(span, event);
        };
        parser.push(Input::Text(text), &mut sink);
        parser.finish(Finish::Stop, &mut sink);
        (message, is_all_reasoning)
    }

    /// Whether a text ends reasoning that it did not start.
    fn leaves_reasoning(&self, text: &str) -> bool {
        let (closed, _) = self.read(text, false);
        let (open, is_all_reasoning) = self.read(text, true);
        closed.reasoning.is_empty() && !open.reasoning.trim().is_empty() && !is_all_reasoning
    }
}

impl ProbeAnswer {
    fn new(status: StatusCode, body: &[u8]) -> ProbeAnswer {
        let mut answer = ProbeAnswer {
            status,
            ..ProbeAnswer::default()
        };
        if !status.is_success() {
            answer.error = shortened(&String::from_utf8_lossy(body));
            return answer;
        }
        let (text, has_native_call) = (&mut answer.text, &mut answer.has_native_call);
        let read = UpstreamReader::whole(body, &mut |event| match event {
            UpstreamEvent::Text(piece) => text.push_str(piece),
            UpstreamEvent::CallStart { .. } => *has_native_call = true,
            _ => {}
        });
        match read {
            Ok(ending) => {
                let usage = ending.usage.unwrap_or_default();
                answer.prompt_tokens = usage["prompt_tokens"].as_u64();
            }
            Err(error) => answer.error = shortened(&error.to_string()),
        }
        answer
    }
}

/// A successful answer. Any failure is added to the findings.
fn told(
    answer: Result<ProbeAnswer, UpstreamError>,
    findings: &mut ModelFindings,
) -> Option<ProbeAnswer> {
    match answer {
        Ok(answer) if answer.error.is_empty() => Some(answer),
        Ok(answer) => {
            let (status, error) = (answer.status.as_u16(), answer.error);
            findings.add(format!("A request with a tool gave {status}: {error}"));
            None
        }
        Err(error) => {
            findings.add(format!("A request with a tool failed: {error}"));
            None
        }
    }
}

fn with_tool(choice: &str) -> Map {
    let mut fields = Map::new();
    let tools = json!([{"type": "function", "function": tool()}]);
    fields.insert("tools".to_owned(), tools);
    fields.insert("tool_choice".to_owned(), Value::from(choice));
    fields
}
