//! Tool calls in a chat, for a program that has only text and tools: this crate reads, verifies and explains calls, and
//! runs none.
//!
//! - [`Reader`] reads a message with the programs of some dialects; [`compile`] makes these for a set of tools.
//! - [`LineReader`] reads and verifies the lines of a batch, each with its own dialects and tools, on as many threads as share it.
//! - [`Digest`] verifies the calls of a message against the tools: each problem becomes a note that points at the text.
//! - [`lookalike_notes`] finds text that looks like a call and is not one.
//! - [`message_lesson`] and its siblings explain a refusal to the model.
//! - [`instructions`] writes the prompt that teaches a dialect; [`example_call`] writes the correct form of one call.
//!
//! It deliberately opens no file, starts no process, has no policy and no clock. Tools come as a
//! [`Toolbox`](toolglot_toolset::Toolbox), dialects as a [`Dialect`](toolglot_engine::Dialect).
//!
//! A server that teaches a dialect, reads an answer, and reports its faults:
//!
//! ```
//! use toolglot_value::json;
//! use toolglot_chat::{
//!     Digest, DigestContext, LessonContext, Reader, compile, dialect_named, instructions, message_lesson,
//! };
//! use toolglot_toolset::Toolbox;
//!
//! let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
//! let tools = Toolbox::from_json(&json!({"read_file": path})).expect("a list of tools");
//! let dialects = [dialect_named("roo")?.clone()];
//! let prompt = instructions(&dialects[0], &tools)?;
//! assert!(prompt.text.contains("<read_file>"));
//!
//! // The model answers.
//! let text = "I look.\n<read_file>\n<pth>src/main.rs</pth>\n</read_file>\n";
//! let reader = Reader::new(compile(&dialects, Some(&tools))?);
//! let reading = reader.read(text.as_bytes());
//! let context = DigestContext { dialects: &dialects, toolbox: Some(&tools), normalize: false, spans: None };
//! let digest = Digest::new(reading.trace.message, context);
//! assert!(digest.is_faulty, "the path is missing");
//!
//! // A copied placeholder of the instructions: it is not a call, and the model learns why.
//! let text = "<tool_name>\n<parameter_name>a.rs</parameter_name>\n</tool_name>\n";
//! let message = reader.read(text.as_bytes()).trace.message;
//! let context = LessonContext { text, dialects: &dialects, named: Some(&tools), vocabulary: &tools, quoted: &[] };
//! let lesson = message_lesson(context, &message, "", &|_| None).expect("something is to be said");
//! assert!(lesson.contains("The right form is:\n\n<read_file>"), "{lesson}");
//! # Ok::<(), toolglot_chat::ChatError>(())
//! ```

#![warn(missing_docs)]

mod argument_spans;
mod dialect_choice;
mod dialect_list;
mod digest;
mod error;
mod example_call;
mod lesson;
mod line_error;
mod line_reader;
mod lookalike;
mod program_cache;
mod prompt;
mod reader;
mod rendered_message;
mod sample;
mod server_name;
mod spaced_json;
mod trace;
mod verify;

pub use argument_spans::ArgumentSpans;
pub use dialect_choice::DialectChoice;
pub use dialect_list::{dialect_named, dialects_named, shared_dialects};
pub use digest::{
    Digest, DigestContext, FaultDetector, canonical_calls, is_fault, message_document,
    split_shell_blocks,
};
pub use error::ChatError;
pub use example_call::{example_call, example_of_tool, writes_rows};
pub use lesson::{
    Lesson, LessonContext, argument_lesson, doubt_lesson, is_lesson, message_lesson,
    missing_tool_notes, repair_reasons, step_lessons,
};
pub use line_error::LineError;
pub use line_reader::{LineReader, ToolLoader, tool_list};
pub use lookalike::{
    LOOKALIKE_BYTES, LookalikeCache, LookalikeContext, lookalike_notes, merge_notes,
    unopened_reasoning_note,
};
pub use program_cache::{CompiledDialects, CompiledRules, ProgramCache};
pub use prompt::{DEFAULT_DIALECT, Instructions, NotCarried, instructions};
pub use reader::{Reader, Reading, compile, tool_set};
pub use rendered_message::{RenderTarget, RenderedMessage, rendered_message};
pub use sample::required_parameters;
pub use server_name::{default_server, is_local_server};
pub use spaced_json::spaced_json;
pub use trace::{Piece, PieceKind, Trace};
pub use verify::{
    CallLocator, drop_unknown_tool_notes, no_object_note, schema_notes, unknown_tool_note,
};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
