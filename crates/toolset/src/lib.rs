//! Tools, and the normalization of a model's calls before a policy decision and a run.
//!
//! A [`Toolbox`] is an ordered set of tools with the other names that models use for them. It comes from a file
//! ([`Toolbox::from_json`]) or is one of the sets that the known systems teach ([`Toolbox::builtin`]): tables in
//! `data/`, in the shape of an MCP `tools/list`. [`split_calls`] and [`normalize`] turn calls into [`Canonical`] ones:
//! shell blocks become commands, other names become the tool's own, lists of files become single reads, repeated
//! commands and reads are marked. Every change is noted.
//!
//! Nothing here decides which calls may run; an external tool list never states the effects of its tools. `Functions`
//! runs functions of the embedding program, and nothing else.
//!
//! ```
//! use toolglot_toolset::{Effect, Toolbox};
//!
//! let toolbox = Toolbox::builtin("workspace").expect("it is built in");
//! let (tool, by_alias) = toolbox.canonical("cat").expect("an alias of read_file");
//! assert_eq!((tool.name.as_str(), tool.effect, by_alias), ("read_file", Effect::Read, true));
//! ```
//!
//! # Features
//!
//! - `validate`, off by default: `Functions` and `Toolbox::validator`, which check arguments by the `jsonschema` crate.
//!   It adds some 50 crates.

mod arguments;
mod builtin;
mod canonical;
mod duplicates;
mod elements;
#[cfg(feature = "validate")]
mod functions;
mod listing;
mod multi_file_reads;
mod shell;
mod split;
#[cfg(feature = "validate")]
mod tool_validator;
mod toolbox;

pub use builtin::roo_names;
pub use canonical::{Canonical, normalize};
#[cfg(feature = "validate")]
pub use functions::{FunctionError, Functions};
pub use listing::ToolError;
pub use shell::split_shell;
pub use split::split_calls;
pub use toolbox::{Effect, ToolSpec, Toolbox};
pub use toolglot_schema::nearest;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
