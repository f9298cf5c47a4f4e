//! Tool calls in a chat, for a program that only has text and tools: it reads them, verifies them and explains them, and executes none.
//!
//! - [`Reader`] reads a message with the programs of some dialects; [`compile`] makes these for a set of tools.
//! - [`Digest`] verifies the calls of a message against the tools: each problem becomes a note that points at the text.
//! - [`lookalike_notes`] finds text that looks like a call and is none.
//! - [`message_lesson`] and its siblings write what the model learns from a refusal.
//! - [`instructions`] writes the prompt that teaches a dialect; [`example_call`] writes one call as it should have been written.
//!
//! It deliberately opens no file, starts no process, asks no policy and knows no clock. Tools come as a
//! [`Toolbox`](toolglot_tools::Toolbox), dialects as a [`Dialect`](toolglot::Dialect).

mod argument_spans;
mod dialect_list;
mod digest;
mod error;
mod example_call;
mod lesson;
mod lookalike;
mod prompt;
mod reader;
mod sample;
mod server_name;
mod spaced_json;
mod trace;
mod verify;

pub use argument_spans::ArgumentSpans;
pub use dialect_list::{dialect_named, dialects_from, dialects_named};
pub use digest::{
    Digest, DigestContext, FaultDetector, canonical_calls, is_fault, split_shell_blocks,
};
pub use error::ChatError;
pub use example_call::{example_call, example_of_tool, render_calls, writes_rows};
pub use lesson::{
    Lesson, LessonContext, argument_lesson, doubt_lesson, is_lesson, message_lesson,
    missing_tool_notes, read_only_lesson, repair_reasons, step_lessons,
};
pub use lookalike::{
    LOOKALIKE_BYTES, LookalikeContext, OtherPrograms, lookalike_notes, merge_notes,
};
pub use prompt::{DEFAULT_DIALECT, Instructions, instructions};
pub use reader::{Reader, Reading, compile, tool_set};
pub use sample::{required_parameters, sample_arguments};
pub use server_name::{LOCAL_SERVER, default_server, is_local_server};
pub use spaced_json::spaced_json;
pub use trace::{Piece, PieceKind, Trace};
pub use verify::{
    CallLocator, drop_unknown_tool_notes, no_object_note, schema_notes, unknown_tool_note,
};
