//! Decides whether a tool call may run, before any part of it runs.
//!
//! A [`Request`] describes what a call is about to do. Its facts come from the caller: the effect of the tool, how the
//! call ended in the model's text, where its paths lead. [`judge`] looks the request up in one table of rules and
//! returns a [`Verdict`]: allow, ask or deny, the rule that decided, and why. The strictest rule that applies wins;
//! where no rule applies the verdict is deny.
//!
//! The crate deliberately does no I/O: it opens no file, resolves no link, reads no clock. The caller, which has the
//! file system, makes each [`PathFact`]. The caller must run exactly what was decided.
//!
//! ```
//! use toolglot_engine::End;
//! use toolglot_policy::{Decision, Effect, Grants, Request, judge};
//!
//! let request = Request::new("write_file", Effect::Write, End::Closed, &[]);
//! let verdict = judge(&request, &Grants::default());
//! assert_eq!((verdict.decision, &*verdict.rule), (Decision::Ask, "write-needs-grant"));
//!
//! let granted: Grants = "write".parse()?;
//! assert_eq!(judge(&request, &granted).decision, Decision::Allow);
//! # Ok::<(), toolglot_policy::GrantError>(())
//! ```

mod command;
mod effect;
mod file;
mod grants;
mod host;
mod judge;
mod letters;
mod name_pattern;
mod names;
mod path;
mod protected_paths;
mod question;
mod refusals;
mod request;
mod rules;

pub use command::{
    AwayPath, CommandFact, CommandLine, FilePattern, Join, NotLiteral, Pipeline, Stream, Streams,
    Survey,
};
pub use effect::Effect;
pub use file::{
    AccessLists, Item, Level, MessageLimits, PathRules, Pin, Policy, PolicyError, Reach, Sandbox,
    SandboxSettings, SandboxTable, Scope, ServerRules, ToolPattern, TrustRules,
};
pub use grants::{GrantError, Grants, nearest as nearest_grant};
pub use host::{BadUrl, HostPort, is_public};
pub use judge::{Authority, Explanation, Layer, Reason, judge};
pub use letters::is_hidden;
pub use names::{is_guarded, is_secret};
pub use path::{Escape, Inside, PathFact};
pub use question::{BadMethod, METHODS, is_own_header, method};
pub use refusals::Refusals;
pub use request::{Decision, Request, Verdict};
pub use rules::{RULES, Rule};

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
