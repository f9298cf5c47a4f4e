//! Reads an upstream's answer, streamed or whole, as text, reasoning and native calls.
//!
//! ```text
//!  bytes ─ EventStream ─ chunks ─ UpstreamReader ─┬─ Text, Reasoning
//!                                                 └─ CallStart Arguments.. CallEnd, one call after another
//! ```

mod calls;
mod error;
mod event_stream;

use toolglot_engine::{End, Finish};
use toolglot_value::{Map, Value};

pub use error::UpstreamError;
pub use event_stream::{EventStream, StreamEvent};

use calls::NativeCalls;

/// One step of an upstream's answer. Borrowed until the sink returns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum UpstreamEvent<'a> {
    /// Text of the answer.
    Text(&'a str),
    /// The model's reasoning, which the upstream separates from the text.
    Reasoning(&'a str),
    /// A native call starts.
    CallStart {
        /// The index of the call, from 0.
        call: u32,
        /// The tool's name.
        name: &'a str,
        /// The upstream's id, which is not sent to clients.
        id: Option<&'a str>,
    },
    /// A piece of a native call's arguments.
    Arguments {
        /// The call.
        call: u32,
        /// JSON text.
        json: &'a str,
    },
    /// A native call ends.
    CallEnd {
        /// The call.
        call: u32,
        /// [`End::Closed`] if the arguments are one JSON object, else [`End::Truncated`].
        end: End,
    },
}

/// Why an upstream's model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// It finished, or met a stop string.
    #[default]
    Stop,
    /// It was cut off.
    Length,
    /// It called tools.
    ToolCalls,
    /// A filter stopped it.
    ContentFilter,
    /// There is no reason, or an unknown one: the answer may have been cut off.
    Unknown,
}

impl FinishReason {
    /// The parser's finish reason for the text.
    pub fn finish(self) -> Finish {
        match self {
            FinishReason::Stop | FinishReason::ToolCalls => Finish::Stop,
            FinishReason::Length => Finish::Length,
            FinishReason::ContentFilter | FinishReason::Unknown => Finish::Unknown,
        }
    }

    fn of(word: &str) -> FinishReason {
        match word {
            "length" | "max_tokens" | "limit" => FinishReason::Length,
            "tool_calls" | "function_call" => FinishReason::ToolCalls,
            "content_filter" => FinishReason::ContentFilter,
            // `eos` and `word` come from llama.cpp, `end_turn` and `stop_sequence` from servers with Anthropic's words.
            "stop" | "eos" | "word" | "end_turn" | "stop_sequence" => FinishReason::Stop,
            _ => FinishReason::Unknown,
        }
    }

    /// Whether the model ended its answer itself.
    fn is_whole(self) -> bool {
        matches!(self, FinishReason::Stop | FinishReason::ToolCalls)
    }
}

/// The data at the end of an upstream's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ending {
    /// Why the model stopped.
    pub reason: FinishReason,
    /// The stop string that the model met, if the upstream reports it.
    pub stop_sequence: Option<String>,
    /// The usage in the form of Chat Completions.
    pub usage: Option<Value>,
    /// Fields for the last event of the answer: the upstream's own, such as `timings`, and fields of the caller.
    pub other: Map,
}

/// Reads one answer of an upstream. It holds pending parts of native calls, and an unfinished event.
#[derive(Debug, Default)]
pub struct UpstreamReader {
    stream: EventStream,
    calls: NativeCalls,
    reason: Option<FinishReason>,
    is_done: bool,
    ending: Ending,
}

/// Fields of a chunk that are not the upstream's own.
const KNOWN: &[&str] = &["id", "object", "created", "model", "choices", "error"];

/// The fields of a chunk of llama.cpp's `/completion` for clients. The last chunk also contains the whole prompt and
/// all settings.
const OF_COMPLETIONS: &[&str] = &["timings"];

/// The finish reasons of vLLM and SGLang for a failure.
const FAILURES: &[&str] = &["abort", "error"];

impl UpstreamReader {
    /// A reader without input so far.
    pub fn new() -> UpstreamReader {
        UpstreamReader::default()
    }

    /// Reads bytes of a stream of server-sent events.
    ///
    /// # Errors
    /// If an event is not a chunk of an answer, or the upstream reports an error. Nothing is read after an error.
    pub fn push(
        &mut self,
        bytes: &[u8],
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<(), UpstreamError> {
        let mut stream = std::mem::take(&mut self.stream);
        let read = stream.push(bytes, &mut |event| self.event(event, sink));
        self.stream = stream;
        read
    }

    /// Whether the upstream marked its answer as ended.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The number of held bytes.
    pub fn held(&self) -> usize {
        self.stream.held() + self.calls.held()
    }

    /// Ends the reading of a stream at the end of its bytes.
    ///
    /// # Errors
    /// [`UpstreamError::CutOff`]: the stream ended before its answer did.
    pub fn finish(
        mut self,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<Ending, UpstreamError> {
        let Some(reason) = self.reason else {
            return Err(UpstreamError::CutOff);
        };
        self.calls.finish(!reason.is_whole(), sink);
        self.ending.reason = reason;
        Ok(self.ending)
    }

    /// Reads a whole answer.
    ///
    /// # Errors
    /// If the body is not an answer, or the upstream reports an error.
    pub fn whole(
        body: &[u8],
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<Ending, UpstreamError> {
        let mut reader = UpstreamReader::new();
        let text = std::str::from_utf8(body).map_err(|_| UpstreamError::NotUtf8)?;
        reader.chunk(text, sink)?;
        // Some servers give no finish reason for a whole answer.
        reader.reason.get_or_insert(FinishReason::Unknown);
        reader.finish(sink)
    }

    fn event(
        &mut self,
        event: StreamEvent<'_>,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<(), UpstreamError> {
        if event.kind == "error" {
            return Err(UpstreamError::reported(event.data));
        }
        let data = event.data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if self.is_done {
            return Err(UpstreamError::after_done(data));
        }
        if data == "[DONE]" {
            self.is_done = true;
            // `[DONE]` ends the answer, with or without a reason.
            self.reason.get_or_insert(FinishReason::Unknown);
            return Ok(());
        }
        self.chunk(data, sink)
    }

    fn chunk(
        &mut self,
        text: &str,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<(), UpstreamError> {
        let Ok(Value::Object(mut chunk)) = toolglot_value::from_str(text) else {
            return Err(UpstreamError::not_a_chunk(text));
        };
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(UpstreamError::reported(text));
        }
        if let Some(usage) = chunk.remove("usage").filter(Value::is_object) {
            self.ending.usage = Some(usage);
        }
        match chunk.remove("choices") {
            Some(Value::Array(choices)) => {
                for choice in &choices {
                    // Only one choice was requested.
                    if choice["index"].as_u64().unwrap_or_default() == 0 {
                        self.choice(choice, text, sink)?;
                    }
                }
                chunk.retain(|key, _| !KNOWN.contains(&&**key));
            }
            None | Some(Value::Null) if chunk.get("content").is_some_and(Value::is_string) => {
                self.completion(&chunk, sink);
                chunk.retain(|key, _| OF_COMPLETIONS.contains(&&**key));
            }
            // An event of another kind: the last one has only the usage, others keep the connection alive.
            None | Some(Value::Null) => chunk.retain(|key, _| !KNOWN.contains(&&**key)),
            Some(_) => return Err(UpstreamError::not_a_chunk(text)),
        }
        chunk.retain(|_, value| !value.is_null());
        self.ending.other.extend(chunk);
        Ok(())
    }

    /// A choice of a chunk, or of a whole answer.
    fn choice(
        &mut self,
        choice: &Value,
        text: &str,
        sink: &mut dyn FnMut(UpstreamEvent<'_>),
    ) -> Result<(), UpstreamError> {
        let delta = match (&choice["delta"], &choice["message"]) {
            (delta @ Value::Object(_), _) => delta,
            (_, message @ Value::Object(_)) => message,
            _ => &Value::Null,
        };
        let reasoning = [&delta["reasoning_content"], &delta["reasoning"]];
        let reasoning = reasoning.into_iter().find_map(Value::as_str);
        if let Some(text) = reasoning.filter(|text| !text.is_empty()) {
            sink(UpstreamEvent::Reasoning(text));
        }
        // The older Completions API has its text outside a delta.
        for text in [&delta["content"], &delta["refusal"], &choice["text"]] {
            if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
                sink(UpstreamEvent::Text(text));
            }
        }
        match &delta["tool_calls"] {
            Value::Null => {}
            Value::Array(calls) => {
                for call in calls {
                    let is_read = self.calls.delta(call, sink);
                    is_read.ok_or_else(|| UpstreamError::not_a_chunk(text))?;
                }
            }
            _ => return Err(UpstreamError::not_a_chunk(text)),
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            if FAILURES.contains(&reason) {
                return Err(UpstreamError::stopped(reason));
            }
            self.reason = Some(FinishReason::of(reason));
        }
        if let Some(stop) = choice["stop_reason"].as_str() {
            self.ending.stop_sequence = Some(stop.to_owned());
        }
        Ok(())
    }

    /// A chunk of llama.cpp's `/completion`.
    fn completion(&mut self, chunk: &Map, sink: &mut dyn FnMut(UpstreamEvent<'_>)) {
        let field = |name: &str| chunk.get(name).unwrap_or(&Value::Null);
        if let Some(text) = field("content").as_str().filter(|text| !text.is_empty()) {
            sink(UpstreamEvent::Text(text));
        }
        if *field("stop") != true {
            return;
        }
        self.reason = Some(match field("stop_type").as_str() {
            Some(word) => FinishReason::of(word),
            None if *field("stopped_limit") == true => FinishReason::Length,
            None => FinishReason::Stop,
        });
        let stop = field("stopping_word").as_str();
        self.ending.stop_sequence = stop.filter(|stop| !stop.is_empty()).map(str::to_owned);
        let counts = ["tokens_evaluated", "tokens_predicted"].map(|name| field(name).as_u64());
        if let [Some(prompt), Some(answer)] = counts {
            let usage = [
                ("prompt_tokens", prompt),
                ("completion_tokens", answer),
                ("total_tokens", prompt + answer),
            ];
            self.ending.usage = Some(usage.into_iter().collect());
        }
    }
}
