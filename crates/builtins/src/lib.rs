//! The builtin file tools, confined to one directory.
//!
//! A [`Root`] holds the directory open. [`plan`] reads a call's arguments and resolves its path; the facts go to the
//! policy. Then [`Plan::run_unjudged`] executes the plan at exactly that place. Between the two steps no lookup by name
//! can lead elsewhere. Every directory on the way is opened by its parent's handle, and no link is followed.
//!
//! ```text
//!  arguments ──plan──▶ Plan ──run──▶ Outcome { ok, output, text }
//!                        └─ paths ──▶ policy: may it run?
//! ```
//!
//! It deliberately knows no policy beyond the sandbox of the root: the caller of [`Plan::run_unjudged`] gets the policy
//! decision first. It validates no schema. Programs run in the [`ProgramSandbox`] of the root, and nowhere else. Its
//! results are bounded by [`Limits`], and say so where something was left out.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use toolglot_value::json;
//! use toolglot_builtins::{Root, plan};
//!
//! let directory = tempfile::tempdir()?;
//! std::fs::write(directory.path().join("notes.txt"), "one\ntwo\nthree\n")?;
//! let root = Root::open(directory.path())?;
//!
//! let arguments = json!({"path": "notes.txt", "start_line": 2, "end_line": 2});
//! let plan = plan(&root, "read_file", arguments.as_object().expect("an object"))?;
//! assert_eq!(plan.paths()[0].inside(), Some("notes.txt".as_ref()));
//! let outcome = plan.run_unjudged();
//! assert!(outcome.ok);
//! assert_eq!(outcome.output["content"], "two\n");
//! # Ok(())
//! # }
//! ```

mod approved_writes;
mod arguments;
pub mod audit;
mod base_directories;
mod change;
pub mod clock;
mod command;
mod edit;
mod encoding;
mod failure;
mod file_names;
mod foreseen;
mod git;
mod git_directory;
mod git_settings;
mod glob;
mod http;
mod identity;
mod journal;
mod limits;
mod lines;
mod list;
mod outcome;
mod place;
mod plan;
mod program_command;
mod program_sandbox;
mod protected_paths;
#[cfg(target_os = "linux")]
mod quarantine;
mod read;
mod remove;
mod replace;
mod resolve;
mod root;
mod root_snapshot;
mod search;
mod shown;
mod subtree;
mod summary;
mod tool_cache;
mod tools;
mod undo;
mod unified_diff;
mod walk;
pub mod web;
mod write;

pub use change::{Change, change, text_of};
pub use edit::line_id;
pub use failure::Failure;
pub use journal::{Entry, Journal};
pub use limits::Limits;
pub use outcome::Outcome;
pub use plan::{Plan, execute_unjudged, plan};
pub use program_command::{ToolCommand, ToolRights};
pub use program_sandbox::ProgramSandbox;
pub use protected_paths::ProtectedPaths;
pub use root::Root;
pub use shown::cut;
pub use tools::TOOLS;
pub use undo::{UndoError, UndoReport, undo};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
