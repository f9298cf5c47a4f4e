//! Reads tool calls out of what a language model writes, in any dialect, and repairs them.
//!
//! The library does no I/O and runs no call: `toolglot-session` decides, asks for approval, runs and logs calls.
//!
//! # One line each
//!
//! ```
//! let message = toolglot::parse("I look.\n<tool_call>{'name': 'ls', 'arguments': {'path': '.',}}</tool_call>");
//! assert_eq!(message.content, "I look.\n");
//! assert_eq!(message.calls[0].name, "ls");
//! assert!(message.notes.iter().any(|note| note.code.name() == "trailing-comma"));
//!
//! assert_eq!(toolglot::repair("{'path': '.',}").text, r#"{"path": "."}"#);
//! # Ok::<(), toolglot::Error>(())
//! ```
//!
//! With the dialect of the model and the tools of the request, values get the types of the tool's parameters:
//!
//! ```
//! use toolglot::Options;
//!
//! let tools = toolglot::tools(
//!     r#"[{"name": "at", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}]"#,
//! )?;
//! let options = Options { dialect: "qwen3_coder", tools, ..Options::default() };
//! let text = "<tool_call>\n<function=at>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>";
//! let message = toolglot::parse_with(text, &options)?;
//! assert_eq!(message.calls[0].name, "at");
//! # Ok::<(), toolglot::Error>(())
//! ```
//!
//! # The full form
//!
//! A [`Program`] is compiled once and shared. A [`Parser`] reads one message as it streams: text goes in, [`Event`]s
//! go to a [`Sink`] at once. Neither fails on any text. [`Calls`] is the sink that collects a message; a function is
//! also a sink.
//!
//! ```
//! use toolglot::{Calls, Event, Finish, Input, Options, Parser, Span};
//!
//! let program = Options { dialect: "hermes", ..Options::default() }.program()?;
//! let mut arguments = String::new();
//! let mut parser = Parser::new(program);
//! let mut sink = |_: Span, event: Event<'_>| {
//!     if let Event::Args { json, .. } = event {
//!         arguments.push_str(json);
//!     }
//! };
//! for piece in ["I look.\n<tool_", "call>{'name': 'ls', 'argu", "ments': {'path': '.'}}</tool_call>"] {
//!     parser.push(Input::Text(piece), &mut sink);
//! }
//! parser.finish(Finish::Stop, &mut sink);
//! assert_eq!(arguments, r#"{"path": "."}"#);
//! # Ok::<(), toolglot::Error>(())
//! ```
//!
//! # Where to go next
//!
//! - `toolglot-engine` documents the guarantees of events, and what a server needs to know.
//! - `toolglot-chat` teaches a dialect, verifies calls and explains to the model what is wrong with them.
//! - `toolglot-wire` turns conversations of one chat API into those of another.
//! - `toolglot-session` carries calls out under a policy, in a sandbox.
//!
//! # Features
//!
//! All but the last are on by default. All are for the command line: a program that only needs this library turns
//! default features off.
//!
//! - `cli`: the binary, and [`command_line`] for a program that embeds the command line.
//! - `import`: its commands `dialects detect` and `dialects import`, and templates as dialects.
//! - `mcp`: its command `mcp`, and tools of MCP servers.
//! - `serve`: its command `serve`, the gateway.
//! - `parquet`, off by default: Parquet files in its command `corpus`.

#[cfg(feature = "cli")]
mod cli;
mod error;
mod options;

use std::sync::Arc;

#[cfg(feature = "cli")]
pub use cli::command_line;
pub use error::Error;
pub use options::Options;
pub use toolglot_dialects as dialects;
pub use toolglot_engine::{
    Call, CallHead, CallId, CallText, Calls, Code, Dialect, End, EscapedMarker, Event, Evidence,
    Fields, Finish, GrammarError, IdForm, InCode, InReasoning, Input, Limits, Note, Parser, Place,
    Program, RenderError, RenderedResults, Renderer, ResultNote, ResultText, ResultWriter, Scalars,
    Shape, Sink, Span, Tool, ToolSet, remark,
};
pub use toolglot_json::{Repair, RepairEdit, RepairedText};
pub use toolglot_toolset::{ToolError, Toolbox};

/// Reads a whole message in any dialect, for any tools.
pub fn parse(text: &str) -> Calls {
    read(parser(), text, Finish::Stop)
}

/// Reads a whole message. The program is compiled for this call: to read many messages, keep [`Options::program`].
///
/// # Errors
/// A dialect that is not known.
pub fn parse_with(text: &str, options: &Options<'_>) -> Result<Calls, Error> {
    Ok(read(Parser::new(options.program()?), text, options.finish))
}

/// A parser for a message that streams, in any dialect and for any tools.
pub fn parser() -> Parser {
    Parser::new(Arc::clone(dialects::auto()))
}

fn read(mut parser: Parser, text: &str, finish: Finish) -> Calls {
    let mut message = Calls::default();
    parser.push(Input::Text(text), &mut message);
    parser.finish(finish, &mut message);
    message
}

/// Writes calls in a dialect, as a model that was taught it writes them. To write many, keep a [`Renderer`].
///
/// ```
/// use toolglot::CallText;
///
/// let message = toolglot::parse("[TOOL_CALLS]ls[ARGS]{\"path\": \".\"}");
/// let calls: Vec<CallText<'_>> = message.calls.iter().map(toolglot::call_text).collect();
/// assert_eq!(
///     toolglot::render("hermes", &calls)?,
///     "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\"}}\n</tool_call>"
/// );
/// # Ok::<(), toolglot::Error>(())
/// ```
///
/// # Errors
/// An unknown dialect, or calls that the dialect cannot carry.
pub fn render(dialect: &str, calls: &[CallText<'_>]) -> Result<String, Error> {
    let dialect = options::dialect(dialect)?;
    Ok(Renderer::new(dialect, &ToolSet::default())?.calls(calls)?)
}

/// A parsed call, in the form that [`render`] takes.
pub fn call_text(call: &Call) -> CallText<'_> {
    CallText {
        name: &call.name,
        arguments: &call.arguments,
        server: call.server.as_deref(),
        id: call.written_id.as_deref(),
    }
}

/// Repairs a document that should be JSON. `toolglot-repair` adds schemas, and notes with places in the text.
pub fn repair(text: &str) -> RepairedText {
    toolglot_json::repair(text, &Shape::Any)
}

/// Reads the JSON text of a tool list of OpenAI, Anthropic or MCP, or of a map of names to schemas.
///
/// [`Toolbox`] has what a [`ToolSet`] leaves out: descriptions, schemas and other names.
///
/// # Errors
/// Text that is not JSON, or an entry that is not a tool.
pub fn tools(list: &str) -> Result<ToolSet, Error> {
    let list = serde_json::from_str(list).map_err(|source| Error::ToolListSyntax {
        source: Box::new(source),
    })?;
    Ok(Toolbox::from_json(&list)?.tool_set())
}

/// The example of this package's README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
