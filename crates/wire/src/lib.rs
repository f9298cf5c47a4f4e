//! The JSON formats of toolglot's input and output.
//!
//! The engine's types are not `Serialize`.
//! This crate has their mirror types, with handwritten conversions: the [`Document`] of a parsed message, the
//! [`EventLine`]s of a stream, the [`Line`]s of a batch and the [`Message`] to be rendered.
//! The JSON of chat APIs is also here: a [`Converter`] converts conversations from one form into another, and
//! [`ToolChoice`] compares calls with the requested ones. A gateway uses [`Request`] and [`Answer`] for three APIs.
//!
//! This crate deliberately reads and writes no file, repairs nothing, and decides nothing about calls.
//!
//! A conversation whose calls are in the text of the `hermes` dialect, as messages of OpenAI's chat API:
//!
//! ```
//! use toolglot_value::json;
//! use toolglot_engine::ToolSet;
//! use toolglot_wire::{ConversionReport, Converter, SourceForm, TargetForm};
//!
//! let hermes = [toolglot_dialects::get("hermes").expect("it is built in").clone()];
//! let from = SourceForm::Text { dialects: &hermes, tools: ToolSet::default(), toolbox: None };
//! let converter = Converter::new(from, TargetForm::Chat, false)?;
//! let mut report = ConversionReport::default();
//! let text = r#"<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>"#;
//! let document = json!({"messages": [{"role": "assistant", "content": text}]});
//! let converted = converter.conversation(document, &mut report)?;
//! assert_eq!(converted["messages"][0]["tool_calls"][0]["function"]["name"], "ls");
//! assert_eq!((report.calls, report.left.len()), (1, 0));
//! # Ok::<(), toolglot_wire::WireError>(())
//! ```
//!
//! A gateway reads a [`Request`] of any of three [`Api`]s, writes it for an upstream, and writes the [`Answer`] in the
//! format of that API. Here the upstream's model has no tool support, and makes calls in its text:
//!
//! ```
//! use std::sync::Arc;
//! use toolglot_engine::{Event, Input, Limits, Parser, Program, Span};
//! use toolglot_wire::{
//!     Answer, AnswerHead, Api, Emission, Emulation, History, Request, UpstreamEvent, UpstreamReader,
//! };
//!
//! let request = Request::read(Api::Chat, br#"{
//!     "model": "m",
//!     "messages": [{"role": "user", "content": "Which files are here?"}],
//!     "tools": [{"type": "function", "function": {"name": "ls"}}]
//! }"#)?;
//! let hermes = toolglot_dialects::get("hermes").expect("it is built in");
//! let tools = request.tools().tool_set();
//! let emulation = Emulation::new(hermes, &tools, "You can call `ls`.", None)?;
//! let body = request.chat(History::Text(&emulation))?;
//! assert_eq!(body["messages"][0]["content"], "You can call `ls`.");
//!
//! let program = Arc::new(Program::compile([hermes], &tools, Limits::default())?);
//! let mut parser = Parser::new(program);
//! let mut answer = Answer::new(&request, AnswerHead { seed: b"1", ..AnswerHead::default() });
//! let (mut filter, mut out) = (Emission::Atomic, Vec::new());
//! let upstream = br#"{"choices": [{"message": {"content": "<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>"}}]}"#;
//! let mut text = String::new();
//! let ending = UpstreamReader::whole(upstream, &mut |event| {
//!     if let UpstreamEvent::Text(piece) = event {
//!         text.push_str(piece);
//!     }
//! })?;
//! let mut sink = |_: Span, event: Event<'_>| answer.push(&event, &mut filter, &mut out);
//! parser.push(Input::Text(&text), &mut sink);
//! parser.finish(ending.reason.finish(), &mut sink);
//! answer.finish(ending, &mut filter, &mut out);
//! let whole = answer.whole();
//! assert_eq!(whole["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "ls");
//! assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A parsed message as a document:
//!
//! ```
//! use toolglot_engine::{CallHead, CallId, Calls, End, Event, Place, Sink, Span};
//!
//! let mut calls = Calls::default();
//! calls.event(Span::new(0, 3), Event::Text("hi "));
//! let head = CallHead {
//!     call: CallId(0),
//!     dialect: "forge",
//!     name: "ls",
//!     name_span: Span::new(4, 6),
//!     server: None,
//!     id: None,
//!     place: Place::Answer,
//! };
//! calls.event(Span::empty(3), Event::CallStart(head));
//! calls.event(Span::new(3, 9), Event::Args { call: CallId(0), json: "{}" });
//! calls.event(Span::empty(9), Event::CallEnd { call: CallId(0), end: End::Closed });
//!
//! let document = toolglot_wire::Document::new(&calls);
//! assert_eq!(document.dialect.as_deref(), Some("forge"));
//! assert_eq!(document.content, "hi ");
//! ```

mod answer;
mod api;
mod api_error;
mod arguments;
mod bytes;
mod choice;
mod conversation;
mod document;
mod error;
mod events;
mod line;
mod message;
mod note;
mod prefix;
mod request;
mod types_hint;
mod unmet_choice;
mod upstream;

pub use answer::{Answer, AnswerHead, CallFilter, CompleteCall, Decision, Emission};
pub use api::Api;
pub use api_error::{ApiError, ErrorKind};
pub use arguments::Arguments;
pub use bytes::{Bytes, JoinedText};
pub use choice::ToolChoice;
pub use conversation::{
    AssistantMessage, ConversionReport, ConvertedMessage, Converter, SourceForm, StructuredCall,
    TargetForm, assistant_messages, is_conversation,
};
pub use document::{CallDocument, Document};
pub use error::WireError;
pub use events::EventLine;
pub use line::{BadLine, Line};
pub use message::{Message, MessageCall, MessageResult};
pub use note::NoteLine;
pub use request::{Emulation, History, Request, RequestError};
pub use types_hint::types_hint;
pub use upstream::{
    Ending, EventStream, FinishReason, StreamEvent, UpstreamError, UpstreamEvent, UpstreamReader,
};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
