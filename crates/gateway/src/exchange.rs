//! One request of a client, and how it is sent to the upstream.

use std::sync::Arc;

use axum::http::{HeaderMap, Response, StatusCode};
use hyper::body::Incoming;
use toolglot_chat::{dialect_named, example_call};
use toolglot_engine::IdForm;
use toolglot_value::{Map, Value, json};
use toolglot_wire::{History, Request, ToolChoice};

use crate::call_policy::{CallPolicy, DoubtfulCall, OwnCall};
use crate::constraint::{self, Constrain, Constraint, Wanted};
use crate::executor::{OfferedTools, Round};
use crate::fault::Fault;
use crate::models::{Mode, ModelSettings};
use crate::rate_limit::RateLimit;
use crate::reading::AnswerStart;
use crate::salvage::salvaged;
use crate::server::{Gateway, HeldBody};
use crate::tool_program::ToolProgram;
use crate::upstream_kind::UpstreamKind;

/// The most bytes of an error's body that are read.
const ERROR_BYTES: usize = 1 << 20;

/// A request, and the settings and capabilities of its model.
pub(crate) struct Exchange {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) request: Request,
    settings: ModelSettings,
    mode: Mode,
    /// Whether another mode may be tried if the upstream refuses tools.
    is_automatic: bool,
    kind: UpstreamKind,
    program: Option<Arc<ToolProgram>>,
    /// The tools that the gateway runs itself.
    own_tools: Option<Arc<OfferedTools>>,
    constraint: Constraint,
    /// The client's headers.
    headers: HeaderMap,
    /// Messages for the model after the client's messages.
    lesson: Vec<Value>,
    _held: HeldBody,
}

/// The text of a model beside its calls.
pub(crate) struct Said<'a> {
    /// The whole text, calls included.
    pub(crate) written: &'a str,
    pub(crate) text: &'a str,
    pub(crate) reasoning: &'a str,
}

/// An upstream that answers.
pub(crate) enum Opened {
    /// With a response.
    Response(Response<Incoming>, AnswerStart),
    /// An error that quotes the model's text.
    Salvaged(String),
}

impl Exchange {
    /// A request to an API, with the settings of its model.
    pub(crate) async fn new(
        gateway: Arc<Gateway>,
        mut request: Request,
        headers: HeaderMap,
        held: HeldBody,
    ) -> Result<Exchange, Fault> {
        let settings = gateway.models.get(request.model()).clone();
        // Only these two cases depend on the kind of server.
        let kind = match settings.mode {
            None | Some(Mode::Raw) => gateway.kind(&headers).await,
            Some(_) => UpstreamKind::Other,
        };
        let learned = || gateway.learned_mode(request.model());
        let mode = settings.mode.or_else(learned);
        let mode = mode.unwrap_or_else(|| kind.mode());
        let own_tools = match &gateway.executor {
            Some(executor) => {
                let offered = executor.offered().await?;
                // If two tools have one name, the client's tool is used.
                let taken = request.tools();
                let offered = offered.without(|name| taken.canonical(name).is_some());
                request.add_tools(&offered.specs);
                Some(offered)
            }
            None => None,
        };
        let mut exchange = Exchange {
            gateway,
            request,
            is_automatic: settings.mode.is_none(),
            settings,
            mode,
            kind,
            program: None,
            own_tools,
            constraint: Constraint::default(),
            headers,
            lesson: Vec::new(),
            _held: held,
        };
        exchange.load()?;
        Ok(exchange)
    }

    /// The dialects to read; `None`: all.
    pub(crate) fn dialect(&self) -> Option<&str> {
        self.settings.dialect.as_deref()
    }

    /// Whether the client requests a report on its answer.
    pub(crate) fn wants_report(&self) -> bool {
        self.headers
            .get("x-toolglot-report")
            .is_some_and(|value| value == "1")
    }

    /// How the tools reach the model.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// The outcome of the grammar for its calls.
    pub(crate) fn constraint(&self) -> Constraint {
        self.constraint
    }

    /// Compiles the program, if the mode needs one.
    fn load(&mut self) -> Result<(), Fault> {
        if self.program.is_none() && (self.reads_calls() || self.mode == Mode::Emulate) {
            let dialect = self.settings.dialect.as_deref();
            let program = self.gateway.programs.get(self.request.tools(), dialect);
            let program = program.map_err(|error| {
                Fault::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
            })?;
            self.program = Some(program);
        }
        Ok(())
    }

    /// Whether the model's text can contain calls.
    fn reads_calls(&self) -> bool {
        !self.request.tools().is_empty() && *self.request.choice() != ToolChoice::None
    }

    /// The program that reads calls in the model's text; `None` if the text cannot contain calls.
    pub(crate) fn program(&self) -> Option<Arc<ToolProgram>> {
        self.program.clone().filter(|_| self.reads_calls())
    }

    /// The id of a tool that the gateway runs itself.
    pub(crate) fn own_tool_id<'t>(&'t self, name: &'t str) -> &'t str {
        let own = self.own_tools.as_ref();
        own.and_then(|own| own.id(name)).unwrap_or(name)
    }

    pub(crate) fn policy(&self) -> CallPolicy {
        CallPolicy::new(
            &self.settings,
            self.program(),
            self.own_tools.clone(),
            &self.request,
        )
    }

    /// Sends the request until the upstream answers: again after a failure, and in another mode if it refuses tools.
    pub(crate) async fn open(&mut self) -> Result<Opened, Fault> {
        let mut is_again = false;
        let first = self.mode;
        loop {
            let (response, start) = self.send().await?;
            let status = response.status();
            if status.is_success() {
                if self.mode != first {
                    self.gateway.learn_mode(self.request.model(), self.mode);
                }
                return Ok(Opened::Response(response, start));
            }
            let (head, body) = response.into_parts();
            let body = self.gateway.upstream.whole(body, ERROR_BYTES);
            let body = body.await.unwrap_or_default();
            let must_wait = RateLimit::of(&head.headers).is_wait();
            if status.is_server_error()
                && self.program().is_some()
                && let Some(text) = salvaged(&body)
            {
                return Ok(Opened::Salvaged(text));
            }
            let next = self.next_mode().filter(|_| refuses_tools(status, &body));
            let may_be_grammar = matches!(status.as_u16(), 400 | 422 | 500 | 501);
            if may_be_grammar && matches!(self.constraint, Constraint::Sent(_)) {
                self.gateway.metrics.retry("grammar-refused");
                self.constraint = Constraint::Refused;
            } else if let Some(mode) = next {
                self.gateway.metrics.retry("tools-refused");
                self.mode = mode;
                self.load()?;
            } else if status.is_server_error() && !is_again && !must_wait {
                self.gateway.metrics.retry("upstream-error");
                is_again = true;
            } else {
                self.gateway.metrics.upstream_failure();
                return Err(Fault::upstream(status, &head.headers, &body));
            }
        }
    }

    /// The mode to try after this one.
    fn next_mode(&self) -> Option<Mode> {
        let has_tools = !self.request.tools().is_empty();
        match self.mode {
            Mode::Raw if self.is_automatic && has_tools => Some(Mode::Recover),
            Mode::Recover if self.is_automatic && has_tools => Some(Mode::Emulate),
            _ => None,
        }
    }

    async fn send(&mut self) -> Result<(Response<Incoming>, AnswerStart), Fault> {
        let mut body = self.body()?;
        let mut start = AnswerStart {
            prompt: None,
            reasoning_open: false,
        };
        let mut path = "/v1/chat/completions";
        if self.mode == Mode::Raw && self.program().is_some() {
            if matches!(self.kind, UpstreamKind::LlamaCpp { writes_tools: true })
                && is_completion(&body)
            {
                let prompt = self.prompt(&body).await?;
                body = completion(body, &prompt, self.program.as_deref());
                // The end of the prompt shows whether the answer starts in reasoning.
                start.prompt = Some(prompt);
                path = "/completion";
            } else if let Value::Object(fields) = &mut body {
                fields.insert("tool_choice".to_owned(), Value::from("none"));
                fields.insert("skip_special_tokens".to_owned(), Value::Bool(false));
                fields.remove("parallel_tool_calls");
            }
        }
        if start.prompt.is_none() {
            start.reasoning_open = self.is_reasoning_open(&body).await;
        }
        self.constrain(&mut body, &start)?;
        let upstream = &self.gateway.upstream;
        match upstream.post(path, &self.headers, body.to_string()).await {
            Ok(response) => Ok((response, start)),
            Err(error) => Err(self.gateway.failure(&error)),
        }
    }

    /// Adds the grammar of the calls, if the settings and the request need one and the client sets no format.
    fn constrain(&mut self, body: &mut Value, start: &AnswerStart) -> Result<(), Fault> {
        let Value::Object(fields) = body else {
            return Ok(());
        };
        let constrain = self.settings.constrain;
        let has_format = ["response_format", "grammar", "structured_outputs"]
            .iter()
            .any(|key| fields.get(key).is_some_and(|format| !format.is_null()));
        let Some(program) = self.program() else {
            return Ok(());
        };
        // A model without a configured dialect may use a dialect that it was trained on.
        let is_known = self.settings.dialect.is_some() || self.mode == Mode::Emulate;
        if constrain == Constrain::Off
            || self.constraint == Constraint::Refused
            || has_format
            || !is_known
        {
            return Ok(());
        }
        let wanted = Wanted {
            constrain,
            choice: self.request.choice(),
            is_parallel: self.request.is_parallel(),
            has_strict_tool: self.request.has_strict_tool(),
            is_reasoning_open: match &start.prompt {
                Some(prompt) => program.starts_in_reasoning(prompt),
                None => start.reasoning_open,
            },
        };
        let grammars = &program.grammars;
        let (constraint, grammar) = grammars.get(program.taught(), &program.toolbox, &wanted)?;
        if let Some(grammar) = grammar {
            constraint::add(fields, constrain, &grammar);
        }
        self.constraint = constraint;
        Ok(())
    }

    /// Whether the prompt opens the reasoning, according to the settings or else to the upstream's template.
    async fn is_reasoning_open(&self, body: &Value) -> bool {
        if let Some(is_open) = self.settings.reasoning_open {
            return is_open;
        }
        // These fields may change the template's output.
        let words = ["chat_template_kwargs", "reasoning_effort", "think"];
        let is_set = words.into_iter().any(|key| !body[key].is_null());
        match &self.program {
            Some(program) if self.is_automatic && !is_set => {
                let model = body["model"].as_str().unwrap_or_default();
                let query = (&self.headers, model);
                let gateway = &self.gateway;
                gateway
                    .template_opens_reasoning(self.kind, query, program)
                    .await
            }
            _ => false,
        }
    }

    /// Adds a round to the conversation: the model's text, the calls that ran, and their results. The next request asks
    /// the model to continue.
    pub(crate) fn add_round(
        &mut self,
        said: &Said<'_>,
        round: &Round,
        calls: &[OwnCall],
        first_id: usize,
    ) {
        self.request.relax_choice();
        if self.mode == Mode::Emulate {
            self.lesson
                .push(json!({"role": "assistant", "content": said.written}));
            self.lesson
                .push(json!({"role": "user", "content": round.answer}));
            return;
        }
        // Nine letters and digits are a valid id in every template.
        let id = |at: usize| format!("run{:06}", first_id + at);
        let entries = calls.iter().enumerate().map(|(at, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": id(at), "type": "function", "function": function})
        });
        let entries: Value = entries.collect();
        let mut message = json!({"role": "assistant", "content": said.text, "tool_calls": entries});
        if !said.reasoning.is_empty() {
            message["reasoning_content"] = Value::from(said.reasoning);
        }
        self.lesson.push(message);
        for (at, result) in round.calls.iter().enumerate() {
            let text = result.text.as_str();
            self.lesson
                .push(json!({"role": "tool", "tool_call_id": id(at), "content": text}));
        }
    }

    /// The request in the form of Chat Completions.
    fn body(&self) -> Result<Value, Fault> {
        let history = match (&self.program, self.mode) {
            (Some(program), Mode::Emulate) => {
                let emulation = program.emulation();
                History::Text(emulation.map_err(|why| Fault::new(StatusCode::BAD_REQUEST, why))?)
            }
            _ => History::Native { ids: self.ids() },
        };
        let mut body = self.request.chat(history)?;
        if let Value::Object(fields) = &mut body {
            if let Some(model) = &self.settings.upstream_model {
                fields.insert("model".to_owned(), Value::from(model.as_str()));
            }
            if let Some(Value::Array(messages)) = fields.get_mut("messages") {
                messages.extend(self.lesson.iter().cloned());
            }
        }
        Ok(body)
    }

    /// The form of call ids for a model with a known dialect.
    fn ids(&self) -> Option<IdForm> {
        let dialect = self.settings.dialect.as_deref()?;
        toolglot_dialects::get(dialect)?.id_form()
    }

    /// The prompt that llama.cpp's template produces from the messages and the tools.
    async fn prompt(&self, body: &Value) -> Result<String, Fault> {
        let mut fields = Map::new();
        for key in ["messages", "tools", "chat_template_kwargs"] {
            if let Some(value) = body.get(key) {
                fields.insert(key.to_owned(), value.clone());
            }
        }
        let gateway = &self.gateway;
        let template = Value::Object(fields).to_string();
        let response = gateway
            .upstream
            .post("/apply-template", &self.headers, template);
        let response = response.await.map_err(|error| gateway.failure(&error))?;
        let (head, body) = response.into_parts();
        let cap = gateway.limits.answer_bytes;
        let body = gateway.upstream.whole(body, cap).await;
        let body = body.map_err(|error| gateway.failure(&error))?;
        let value = toolglot_value::from_slice(&body).unwrap_or_default();
        match value["prompt"].as_str() {
            Some(prompt) if head.status.is_success() => Ok(prompt.to_owned()),
            _ => Err(Fault::upstream(head.status, &head.headers, &body)),
        }
    }

    /// Frees data that only another request to the upstream would need.
    pub(crate) fn forget_history(&mut self) {
        self.request.forget_history();
        self.lesson = Vec::new();
    }

    /// Asks the model to write its call again.
    pub(crate) fn correct(&mut self, text: &str, doubtful: Option<&DoubtfulCall>) {
        let program = self.program.as_deref();
        let toolbox = program.map(|program| &program.toolbox);
        let name = doubtful.map(|call| call.name.as_str());
        let dialect = doubtful.and_then(|call| dialect_named(call.dialect.as_deref()?).ok());
        // In other modes the upstream's template taught the model its own dialect.
        let taught = program.filter(|_| self.mode == Mode::Emulate);
        let dialect = dialect.or(taught.map(ToolProgram::taught));
        let mut words = match doubtful {
            Some(call) => format!(
                "Your call of `{}` was not made: a part of it is missing or unclear. Write it again, whole.",
                call.name
            ),
            None => "Your message has no tool call, and one is needed here. Write it.".to_owned(),
        };
        if let Some(form) = dialect.and_then(|dialect| example_call(dialect, toolbox, name)) {
            words.push_str("\n\nThe right form is:\n\n");
            words.push_str(&form);
        }
        if !text.trim().is_empty() {
            self.lesson
                .push(json!({"role": "assistant", "content": text}));
        }
        self.lesson.push(json!({"role": "user", "content": words}));
    }
}

/// Words of servers that accept no tools, in lower case. An error about one tool or one result contains none of them:
/// it belongs to the client, and another mode would hide it.
const REFUSALS: &[&str] = &[
    // Ollama v0.33.0-rc2, server/images.go, `errCapabilities`: `MODEL does not support tools`, with status 400.
    // SGLang before its pull request 10184, srt/function_call/function_call_parser.py: `Unsupported tool_call_parser: None`,
    // with status 500; since then it leaves calls in the text.
    "support",
    // llama.cpp 006639c3, tools/server/server-common.cpp, `oaicompat_chat_params_parse`: `tools param requires --jinja flag`,
    // and `tool_choice param requires --jinja flag`, with status 500.
    "--jinja",
    // vLLM efa1035f, vllm/renderers/online_renderer.py, `render_chat`: `"auto" tool choice requires --enable-auto-tool-choice
    // and --tool-call-parser to be set`, and `tool_choice="required" requires --tool-call-parser to be set`, with status 400.
    "--tool-call-parser",
    // Servers that check their fields. Azure: `Unrecognized request argument supplied: tools` (azure-sdk-for-java issue 38115);
    // pydantic 2, `extra_forbidden`: `Extra inputs are not permitted`; serde 1: `unknown field `tools``; a function of Python:
    // `got an unexpected keyword argument 'tools'`.
    "unrecognized",
    "inputs are not permitted",
    "unknown field",
    "unexpected keyword",
];

/// Whether an error says that the upstream or the model accepts no tools.
fn refuses_tools(status: StatusCode, body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    let has_refusal = || REFUSALS.iter().any(|words| text.contains(words));
    matches!(status.as_u16(), 400 | 404 | 422 | 500 | 501) && text.contains("tool") && has_refusal()
}

/// Whether llama.cpp can complete the prompt of this request: all contents are text, and no format is set.
fn is_completion(body: &Value) -> bool {
    let messages = body["messages"].as_array();
    let is_text = |message: &Value| message["content"].is_string() || message["content"].is_null();
    body["response_format"].is_null()
        && messages.is_some_and(|messages| messages.iter().all(is_text))
}

/// A request for llama.cpp's `/completion` with a prompt.
fn completion(body: Value, prompt: &str, program: Option<&ToolProgram>) -> Value {
    let Value::Object(mut fields) = body else {
        return body;
    };
    let of_chat = [
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "stream_options",
        "chat_template_kwargs",
    ];
    for key in of_chat {
        fields.remove(key);
    }
    for key in ["max_tokens", "max_completion_tokens"] {
        if let Some(most) = fields.remove(key) {
            fields.insert("n_predict".to_owned(), most);
        }
    }
    fields.insert("prompt".to_owned(), Value::from(prompt));
    // Special tokens that are markers of calls must stay in the text.
    let markers = program.map(ToolProgram::markers).unwrap_or_default();
    let markers: Vec<Value> = markers.iter().copied().map(Value::from).collect();
    fields.insert("preserved_tokens".to_owned(), Value::Array(markers));
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_without_tools_refuses_them() {
        for (body, expected) in [
            (
                "{\"error\":\"registry.ollama.ai/library/m does not support tools\"}",
                true,
            ),
            (
                "{\"error\":{\"message\":\"tools param requires --jinja flag\"}}",
                true,
            ),
            (
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
                true,
            ),
            (
                "tool_choice=\"required\" requires --tool-call-parser to be set",
                true,
            ),
            (
                "Internal server error: Unsupported tool_call_parser: None",
                true,
            ),
            ("Unrecognized request argument supplied: tools", true),
            ("tools[0].function.name: writing is not permitted", false),
            ("Extra inputs are not permitted: body.tools", true),
            (
                "messages[3]: `tool` must follow an assistant message with tool_calls",
                false,
            ),
            (
                "tools[0].function.name: string does not match pattern",
                false,
            ),
            ("this model does not support images", false),
        ] {
            let status = StatusCode::BAD_REQUEST;
            assert_eq!(refuses_tools(status, body.as_bytes()), expected, "{body}");
        }
        assert!(!refuses_tools(
            StatusCode::UNAUTHORIZED,
            b"tools: unsupported key"
        ));
    }

    #[test]
    fn a_chat_becomes_a_completion() {
        let body = json!({
            "model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [],
            "max_tokens": 5, "temperature": 0, "stream": true, "stream_options": {"include_usage": true},
        });
        assert!(is_completion(&body));
        let expected = json!({
            "model": "m", "temperature": 0, "stream": true, "n_predict": 5, "prompt": "<hi>", "preserved_tokens": [],
        });
        assert_eq!(completion(body, "<hi>", None), expected);
        let image = json!({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]});
        assert!(!is_completion(&image));
    }
}
