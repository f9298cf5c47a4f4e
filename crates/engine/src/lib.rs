//! Reads tool calls from the text of a language model, and writes calls as the model was taught to.
//!
//! A [`Dialect`] is a few lines of grammar. A [`Program`] is a set of dialects, compiled once and shared. A [`Parser`]
//! reads one message: text goes in as it comes, [`Event`]s go to a [`Sink`], and a `Parser` neither fails nor panics.
//! [`Calls`] is the sink that folds events into a message. A [`Renderer`] walks the same rules to write calls and
//! results. The dialects of the known models are in the crate `toolglot-dialects`.
//!
//! ```
//! use std::sync::Arc;
//! use toolglot_engine::{Calls, Event, Finish, Input, Limits, Parser, Program, Span, ToolSet};
//!
//! let hermes = toolglot_dialects::get("hermes").expect("it ships");
//! let program = Arc::new(Program::compile([hermes], &ToolSet::default(), Limits::default())?);
//! let text = "Let me look.\n<tool_call>{'name': 'read_file', 'arguments': {'path': 'a.rs',}}</tool_call>";
//!
//! // A whole message.
//! let mut message = Calls::default();
//! let mut parser = Parser::new(Arc::clone(&program));
//! parser.push(Input::Text(text), &mut message);
//! parser.finish(Finish::Stop, &mut message);
//! assert_eq!(message.content, "Let me look.\n");
//! assert_eq!(message.calls[0].name, "read_file");
//! assert_eq!(message.calls[0].arguments, r#"{"path": "a.rs"}"#);
//!
//! // The same in pieces, as a server has them: any function that takes events is a sink.
//! let mut arguments = String::new();
//! let mut sink = |_: Span, event: Event<'_>| {
//!     if let Event::Args { json, .. } = event {
//!         arguments.push_str(json);
//!     }
//! };
//! let mut parser = Parser::new(program);
//! for piece in text.split_inclusive(' ') {
//!     parser.push(Input::Text(piece), &mut sink);
//! }
//! parser.finish(Finish::Stop, &mut sink);
//! assert_eq!(arguments, message.calls[0].arguments);
//!
//! // The result, as the model was taught to read it.
//! use toolglot_engine::{CallText, ResultText, ResultWriter};
//! let call = CallText { name: "read_file", arguments: &arguments, server: None, id: None };
//! let result = ResultText { call, text: "fn main() {}", failed: false, is_json: false };
//! let answer = ResultWriter::new(hermes).results(&[result]);
//! assert_eq!(answer.text, "<tool_response>\nfn main() {}\n</tool_response>");
//! # Ok::<(), toolglot_engine::GrammarError>(())
//! ```
//!
//! `openai_deltas.rs`, an example of `toolglot-toolset`, turns the events into the deltas of OpenAI's chat API.
//!
//! # Guarantees
//!
//! Each guarantee is tested over all dialects, alone and together:
//!
//! - **Total.** No text makes [`Parser::push`] or [`Parser::finish`] fail or panic, however deep it nests.
//! - **Lossless.** The spans of the events tile the input: each byte is text, reasoning, markup or part of a call.
//! - **Chunk-invariant.** Merged events do not depend on where one push ended and the next started.
//! - **Monotone.** No emitted event is taken back. The [`Event::Args`] of a call, in order, are always a prefix of one
//!   JSON object. They are the whole object once the call has ended, unless it was truncated.
//! - **Linear and bounded.** The time is linear in the text, and [`Limits`] caps the bytes that are held back.
//! - **Nothing is repaired silently.** Each repair is a [`Note`] with a stable [`Code`].
//! - **Safe.** [`End`] says whether a call may run. It is known at [`Event::CallEnd`], not before. A call is
//!   [`Closed`](End::Closed), [`Recovered`](End::Recovered) if structure or a value was guessed, or
//!   [`Truncated`](End::Truncated), which must never run.
//! - **Reversible.** A parser reads the text of a [`Renderer`] as the calls that the `Renderer` was given. A call that
//!   a dialect cannot carry is an error.
//!
//! # What a server needs to know
//!
//! - [`Program::compile`] is for the start of the process, [`Program::for_tools`] for a request with its own tools:
//!   both programs share the rules. A [`ToolSet`] has the types of parameters, so that `42` is a number or a string
//!   while it streams. The crate `toolglot-toolset` makes a `ToolSet` from OpenAI's and MCP's lists.
//! - [`Parser::after_prompt`] takes the end of the prompt, if a chat template has opened reasoning or a header.
//! - [`Input::Special`] is for special tokens, which take precedence over equal text. Without tokens, push text.
//! - [`Finish`] says why the model stopped. Servers strip stop strings: with [`Finish::Stop`] a closer may be missing.
//! - If a key comes twice, both members stream and the last one counts; [`Call::arguments`] holds only the last one.
//!
//! # Features
//!
//! None. The crate does no input or output and needs `alloc`, not the standard library. Its types are not `Serialize`;
//! the crate `toolglot-wire` has their mirrors in JSON.
#![no_std]
extern crate alloc;

mod body;
mod call;
mod doubt;
mod event;
mod grammar;
mod limits;
mod machine;
mod note;
mod program;
mod recovery;
mod remark;
mod render;
mod span;
mod thresholds;
mod tools;
mod vocabulary;

pub use call::{Call, Calls};
pub use doubt::{Arguments, CallFacts, DoubtRule, DoubtSpan, Tail};
pub use event::{CallHead, CallId, End, Event, Finish, Input, Place, Sink};
pub use grammar::{Dialect, Evidence, GrammarError, IdForm, NamedArgument};
pub use limits::{InCode, InReasoning, Limits};
pub use machine::Parser;
pub use note::{Code, Note};
pub use program::Program;
pub use recovery::{Recovery, RecoveryRule};
pub use remark::remark;
pub use render::form;
pub use render::{
    CallText, EscapedMarker, RenderError, RenderedResults, Renderer, ResultNote, ResultText,
    ResultWriter, render,
};
pub use span::Span;
pub use toolglot_json::{Fields, Scalars, Shape};
pub use tools::{Tool, ToolSet};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
