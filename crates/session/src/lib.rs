//! The way of a tool call from what a model wrote to its effect and back: one library for every door.
//!
//! ```text
//!  call ─▶ verify ─▶ judge ─┬─ allow ──────────────▶ log ─▶ journal ─▶ execute ─▶ log ─▶ report
//!                           ├─ ask ──▶ Approver ─┘
//!                           └─ deny ─▶ refused, logged
//! ```
//!
//! A [`Session`] is made by [`Session::builder`] from a root and its [`Policies`]. It makes the sandbox of every program that a
//! call starts, in one place, from the policy and what the caller asks for. Nothing has an effect that was not judged and
//! logged before.
//!
//! It deliberately has no command line, no terminal, no network of its own and no `async`: an [`Approver`] and an [`AuditLog`]
//! are the embedding program's to write, and calls block until they have ended or are [cancelled](Cancel).
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
//! // Without a rule that allows it, nothing runs.
//! let arguments = toolglot_value::json!({"path": "notes.txt"});
//! let report = session.call("rye/file-system/read", arguments.as_object().cloned().unwrap_or_default());
//! assert!(!matches!(report, CallReport::Done(..)));
//! # Ok(())
//! # }
//! ```

mod answer;
mod approval;
mod audit;
mod axe_yaml;
mod builder;
mod copied_markers;
mod direct_call;
mod error;
mod file_tools;
mod gate;
mod grants;
mod hash_writer;
mod message;
mod message_reader;
mod one_call;
mod policies;
mod reading;
mod request;
mod result_memory;
mod result_text;
mod seen;
mod servers;
mod session;
mod step;
mod steps;
#[cfg(test)]
mod tests;
mod tool;
mod undo;

pub use approval::{
    Approval, ApprovalRequest, Approver, CallSummary, MessageText, Nobody, is_answer,
};
pub use audit::{AuditLog, FileLog, LoggedResult};
pub use builder::SessionBuilder;
pub use error::SessionError;
pub use gate::{CallReport, PlannedCall};
pub use grants::{Grants, GrantsError};
pub use message::Run;
pub use message_reader::MessageReader;
pub use policies::{OwnFile, Policies};
pub use reading::{AfterFailure, ReadingSettings};
pub use request::{effect, request};
pub use result_text::{RESULT_BYTES, cut_result};
pub use session::{Session, SessionStamp};
pub use step::{State, Step};
pub use tool::Tool;
pub use toolglot_policy::{Decision, Effect, Level, PathFact, Verdict};
pub use toolglot_tool_runner::{Attempt, CallError, CallResult, Cancel, Progress, Watch};
pub use undo::{journals, undo};

/// The verbs of Rye, which take the id of a tool.
pub(crate) const VERBS: &[&str] = &["rye_execute", "rye_search", "rye_load", "rye_sign"];

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
