//! Reads a client's request of three APIs as one conversation, and writes it for an upstream.
//!
//! ```text
//!  Chat Completions ─┐                            ┌─ History::Native: tools and calls as fields
//!  Responses ────────┼─ Request::read ─ Request ──┤
//!  Messages ─────────┘                            └─ History::Text: a dialect in the text of messages
//! ```

mod anthropic;
mod chat;
mod emulation;
mod error;
mod fields;
mod native;
mod parts;
mod responses;
mod tools;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use toolglot_engine::IdForm;
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::{Map, Value};

use crate::{Api, ToolChoice};

pub use emulation::Emulation;
pub use error::RequestError;
pub(crate) use tools::ToolTable;

/// A client's request.
#[derive(Clone, Debug)]
pub struct Request {
    api: Api,
    model: String,
    is_stream: bool,
    has_usage_chunk: bool,
    history: Vec<HistoryMessage>,
    tools: Arc<ToolTable>,
    choice: ToolChoice,
    is_parallel: bool,
    /// The fields for the upstream.
    rest: Map,
    omitted: Vec<String>,
    /// The ids in the conversation.
    ids: Arc<BTreeSet<String>>,
    /// The fields that an answer of the Responses API repeats.
    echo: Arc<Map>,
    /// A hash that distinguishes conversations.
    digest: u64,
}

/// A message in the form of Chat Completions, and its path in the request.
#[derive(Clone, Debug)]
struct HistoryMessage {
    message: Value,
    at: String,
}

/// The form of the history and the tools for an upstream.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum History<'h, 'd> {
    /// As fields of Chat Completions, for the upstream's template.
    Native {
        /// The form of ids that the model requires; `None`: any.
        ids: Option<IdForm>,
    },
    /// As text of a dialect, if the template has no tools.
    Text(&'h Emulation<'d>),
}

/// The result of an API's reader.
#[derive(Default)]
struct Draft {
    model: String,
    is_stream: bool,
    has_usage_chunk: bool,
    history: Vec<HistoryMessage>,
    tools: ToolTable,
    choice: ToolChoice,
    is_parallel: Option<bool>,
    rest: Map,
    omitted: Vec<String>,
    echo: Map,
}

impl Request {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// [`RequestError`] with the path of the fault, which converts to [`ApiError`](crate::ApiError).
    pub fn read(api: Api, body: &[u8]) -> Result<Request, RequestError> {
        let value = toolglot_value::from_slice(body)
            .map_err(|error| RequestError::new("$", format!("the body is not JSON: {error}")))?;
        let Value::Object(fields) = value else {
            return Err(RequestError::expected("$", "an object", &value));
        };
        let draft = match api {
            Api::Chat => chat::read(fields)?,
            Api::Responses => responses::read(fields)?,
            Api::Messages => anthropic::read(fields)?,
        };
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let ids = draft.history.iter().flat_map(|one| ids_of(&one.message));
        Ok(Request {
            api,
            ids: Arc::new(ids.collect()),
            digest: hasher.finish(),
            model: draft.model,
            is_stream: draft.is_stream,
            has_usage_chunk: draft.has_usage_chunk,
            history: draft.history,
            tools: Arc::new(draft.tools),
            choice: draft.choice,
            is_parallel: draft.is_parallel.unwrap_or(true),
            rest: draft.rest,
            omitted: draft.omitted,
            echo: Arc::new(draft.echo),
        })
    }

    /// The client's API.
    pub fn api(&self) -> Api {
        self.api
    }

    /// The requested model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the answer is streamed.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// The tools for the model: functions, and freeform tools with the single parameter `input`. A namespaced tool has
    /// its plain name, with the namespace as prefix only if the name is not unique.
    pub fn tools(&self) -> &Toolbox {
        self.tools.toolbox()
    }

    /// The calls that the client requests. The names are those of [`Request::tools`].
    pub fn choice(&self) -> &ToolChoice {
        &self.choice
    }

    /// Whether an answer may have several calls.
    pub fn is_parallel(&self) -> bool {
        self.is_parallel
    }

    /// Whether the client requires strict arguments for some tool.
    pub fn has_strict_tool(&self) -> bool {
        self.tools.has_strict()
    }

    /// Adds tools for the model that the client does not know. If two tools have one name, the client's tool is used.
    pub fn add_tools<'s>(&mut self, specs: impl IntoIterator<Item = &'s ToolSpec>) {
        Arc::make_mut(&mut self.tools).add(specs);
    }

    /// Frees the conversation, if no further request to the upstream will need it. The data for an answer remains.
    pub fn forget_history(&mut self) {
        self.history = Vec::new();
        self.rest = Map::new();
    }

    /// Drops a requirement of calls, after a call was made that the client does not see.
    pub fn relax_choice(&mut self) {
        if self.choice == ToolChoice::Required {
            self.choice = ToolChoice::Auto;
        }
    }

    /// Omitted items: tools that only a server runs, and their traces in the history, as in
    /// ``tools[1] of the type `web_search` ``. They belong in a header of the response.
    pub fn omitted(&self) -> &[String] {
        &self.omitted
    }

    /// The body for an upstream with Chat Completions. It requests a stream if the client does, and then also the
    /// usage.
    ///
    /// # Errors
    /// With [`History::Text`]: an image, or a call that the dialect cannot express.
    pub fn chat(&self, history: History<'_, '_>) -> Result<Value, RequestError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), Value::from(self.model.as_str()));
        match history {
            History::Native { ids } => native::write(self, ids, &mut body),
            History::Text(emulation) => {
                let messages = emulation.messages(self)?;
                body.insert("messages".to_owned(), Value::Array(messages));
            }
        }
        for (key, value) in &self.rest {
            body.insert(key.clone(), value.clone());
        }
        body.insert("stream".to_owned(), Value::Bool(self.is_stream));
        if self.is_stream {
            let options = body.entry("stream_options");
            let options = options.or_insert(Value::Object(Map::new()));
            if let Value::Object(options) = options {
                options.insert("include_usage".to_owned(), Value::Bool(true));
            }
        }
        Ok(Value::Object(body))
    }

    /// An estimate of the request's tokens: one for four bytes of ASCII text, one for each other character, and 1,000
    /// for an image.
    pub fn estimate_tokens(&self) -> u64 {
        let history = self.history.iter().map(|one| 4 + tokens(&one.message));
        let tools = self.tools.functions(&ToolChoice::Auto);
        history.sum::<u64>() + tools.iter().map(tokens).sum::<u64>()
    }

    pub(crate) fn table(&self) -> &Arc<ToolTable> {
        &self.tools
    }

    pub(crate) fn taken_ids(&self) -> &Arc<BTreeSet<String>> {
        &self.ids
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    pub(crate) fn echo(&self) -> &Arc<Map> {
        &self.echo
    }

    pub(crate) fn has_usage_chunk(&self) -> bool {
        self.has_usage_chunk
    }
}

/// The ids of calls in a message.
fn ids_of(message: &Value) -> Vec<String> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.map(|call| &call["id"]);
    let ids = calls.chain([&message["tool_call_id"]]);
    ids.filter_map(|id| id.as_str().map(str::to_owned))
        .collect()
}

/// An estimate for all strings in a value.
fn tokens(value: &Value) -> u64 {
    match value {
        Value::String(text) => estimate(text),
        Value::Array(list) => list.iter().map(tokens).sum(),
        Value::Object(fields) if fields.contains_key("image_url") => 1000,
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| estimate(key) + tokens(value))
                .sum()
        }
        _ => 1,
    }
}

/// An estimate for one text.
pub(crate) fn estimate(text: &str) -> u64 {
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    (n_ascii.div_ceil(4) + others) as u64
}
