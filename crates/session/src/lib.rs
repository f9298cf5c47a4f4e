//! Takes a tool call from the text of a model to its effect and back: one library for all callers.
//!
//! ```text
//!  call ─▶ verify ─▶ decide ┬─ allow ──────────────▶ log ─▶ journal ─▶ execute ─▶ log ─▶ report
//!                           ├─ ask ──▶ Approver ─┘
//!                           └─ deny ─▶ refused, logged
//! ```
//!
//! [`Session::builder`] makes a [`Session`] from a root and its [`Policies`]. The session makes the sandbox of every
//! program that a call starts, in one place, from the policy and the caller's settings. Nothing has an effect before it
//! was decided and logged.
//!
//! It deliberately has no command line, no terminal, no network of its own and no `async`. The embedding program
//! implements [`Approver`] and [`AuditLog`]. Calls block until they have ended or are [cancelled](Cancel).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use toolglot_session::{CallReport, Policies, Session};
//!
//! let root = tempfile::tempdir()?;
//! std::fs::write(root.path().join("notes.txt"), "one\n")?;
//! let session = Session::builder(root.path(), Policies::of_text(root.path(), "version = 1"))
//!     .without_journal()
//!     .build()?;
//! // Without a rule that allows the call, nothing runs.
//! let arguments = toolglot_value::json!({"path": "notes.txt"});
//! let report = session.call("rye/file-system/read", arguments.as_object().cloned().unwrap_or_default());
//! assert!(!matches!(report, CallReport::Done(..)));
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! - `mcp`, on by default: tools of MCP servers, and what it takes to approve servers and to log in to them.

mod answer;
mod approval;
mod audit;
mod axe_yaml;
mod builder;
mod call_history;
mod called_message;
mod copied_markers;
mod direct_call;
mod earlier_calls;
mod error;
mod file_call;
mod file_tools;
mod files_hash;
mod gate;
mod grants;
mod hash_writer;
mod lesson;
mod message;
mod message_reader;
mod message_session;
mod objection;
mod one_call;
mod own_files;
mod policies;
mod reading;
mod record;
mod refusal;
mod request;
mod result_memory;
mod result_text;
#[cfg(feature = "mcp")]
mod servers;
mod session;
mod settings;
mod shell_block;
mod signature;
mod stamp;
mod step;
mod steps;
#[cfg(test)]
mod tests;
mod tool;
mod undo;
mod verbs;

pub use approval::{
    Approval, ApprovalRequest, Approver, CallSummary, MessageText, Nobody, is_answer,
};
pub use audit::{AuditLog, FileLog, LoggedResult};
pub use builder::SessionBuilder;
pub use called_message::CalledMessage;
pub use error::SessionError;
pub use gate::{CallReport, PlannedCall};
pub use grants::{Grants, GrantsError};
pub use message::Run;
pub use message_reader::MessageReader;
pub use own_files::OwnFile;
pub use policies::Policies;
pub use reading::{AfterFailure, ReadingSettings};
pub use record::RunRecord;
pub use request::{effect, request};
pub use result_text::{RESULT_BYTES, cut_result};
pub use session::Session;
pub use stamp::SessionStamp;
pub use step::{State, Step};
pub use tool::Tool;
pub use toolglot_policy::{Decision, Effect, Level, PathFact, Verdict};
pub use toolglot_tool_runner::{Attempt, CallError, CallResult, Cancel, Progress, Watch};
pub use undo::{journals, undo};

/// Rye's verbs, which take the id of a tool.
pub(crate) const VERBS: &[&str] = &["rye_execute", "rye_search", "rye_load", "rye_sign"];

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
