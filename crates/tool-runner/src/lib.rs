//! Runs tools that are files.
//!
//! ```text
//!  id ──find──▶ tool ──standing──▶ signed, trusted, own ──resolve──▶ tool, runtime, .., primitive
//!                                                                          │
//!  arguments ──fill defaults, validate──▶ capabilities ──▶ cost ──▶ one attempt, or several ──▶ return contract ──▶ CallResult
//! ```
//!
//! [`ToolRunner`] has the project, the rights and the sandbox; [`ToolRunner::prepare`] finds and checks a call, and
//! [`ToolRunner::carry_out_unjudged`] runs it. Exactly the verified bytes run: a file is read once, and its text goes
//! to the interpreter on a pipe. Arguments are never expanded, and no argument is part of a command line.
//!
//! It deliberately has no policy: the caller gets the policy decision first, and functions that skip it have `unjudged`
//! in their name. Each call has its own process in the sandbox of `toolglot-sandbox`, and no process outlives the call.
//! A warm Python interpreter stays only to fork such processes.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let project = std::fs::canonicalize(folder.path())?;
//! let runner = toolglot_tool_runner::ToolRunner::open(&project)?;
//! let missing = runner.prepare("deploy/ship", toolglot_value::Map::new()).expect_err("there is none");
//! assert_eq!(missing.code(), "unknown-tool");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! - `mcp`, on by default: tools of MCP servers. Without it a call of such a tool is refused, and the error names the
//!   feature.

mod answer;
mod attempt;
mod budget;
mod call;
mod call_result;
mod container;
mod environment;
mod failure;
mod files;
mod fingerprint;
mod http_client;
mod interpreter;
mod interpreter_variable;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "mcp_left_out.rs"]
mod mcp;
mod origin_form;
mod plain_form;
mod prepared;
mod program;
mod programs;
mod protected_paths;
mod random_word;
mod resolve;
mod runner;
mod sandboxed;
#[cfg(feature = "mcp")]
mod sessions;
#[cfg(not(feature = "mcp"))]
#[path = "sessions_left_out.rs"]
mod sessions;
mod shell_command;
mod sizes;
mod texts;
#[cfg(target_os = "linux")]
mod warm;
#[cfg(not(target_os = "linux"))]
#[path = "warm_elsewhere.rs"]
mod warm;
mod warm_call;
mod watch;
mod words;

pub use budget::Budget;
pub use call_result::{Attempt, CallResult};
pub use failure::CallError;
pub use interpreter::{Interpreter, Interpreters};
#[cfg(feature = "mcp")]
pub use mcp::{LoggedIn, Offer, authorizer_of, wire_to};
pub use prepared::{Builtin, Prepared};
pub use resolve::{Chain, MAX_DEPTH, has_server, leads_somewhere, resolve};
pub use runner::{OpenError, SharedTrust, ToolRunner};
pub use sessions::Servers;
pub use toolglot_sandbox::Cancel;
pub use warm::WarmInterpreters;
pub use watch::{Progress, ProgressListener, Watch};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
