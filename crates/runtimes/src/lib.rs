//! Runs tools that are files.
//!
//! ```text
//!  id ──find──▶ tool ──standing──▶ signed, trusted, own ──resolve──▶ tool, runtime, .., primitive
//!                                                                          │
//!  arguments ──fill defaults, validate──▶ capabilities ──▶ cost ──▶ one attempt, or several ──▶ return contract ──▶ Called
//! ```
//!
//! [`Host`] says where, with what rights and behind which walls; [`Host::call`] does the rest. The bytes that were
//! verified are the bytes that run: a file is read once, and its text is handed to the interpreter on a pipe.
//! Nothing in an argument is ever expanded, and no argument is part of a command line.
//!
//! It deliberately has no policy: whoever calls has asked. Each call has a process of its own, behind the walls of
//! `toolglot-sandbox`, and leaves none behind; a warm interpreter of Python is kept only to make such processes from.

mod answer;
mod attempt;
mod call;
mod environment;
mod failure;
mod files;
mod http_client;
mod interpreter;
mod interpreter_variable;
mod mcp;
mod origin_form;
mod programs;
mod protected_paths;
mod resolve;
mod warm;
mod watch;

pub use call::{Attempt, Budget, Called, Host, OpenError, Prepared};
pub use failure::CallError;
pub use files::Builtin;
pub use interpreter::{Interpreter, Interpreters};
pub use mcp::{LoggedIn, Offer, Servers, authorizer_of, wire_to};
pub use resolve::{Chain, MAX_DEPTH, has_server, leads_somewhere, resolve};
pub use toolglot_sandbox::Cancel;
pub use warm::Warm;
pub use watch::{Progress, Told, Watch};
