//! Reads the text of a tool file without running it.
//!
//! A reader for each language (Python, YAML, JavaScript, TypeScript, Bash, TOML) extracts the fields, the schemas, the
//! actions, and what the code returns and imports. The rules then report what the file breaks, as diagnostics with a
//! code and a place. The crate also has the contract of a tool's return value ([`ReturnContract`]), the check of
//! capabilities ([`capability`]), and the expansion of variables in a configuration ([`template`]).
//!
//! It opens no file, starts no program and knows no directory of tools: ids and texts are arguments.
//! It does not decide whether a file may run; `toolglot-tool-trust` does.
//! It reads a text of any length and depth in bounded memory: at most [`MAX_BYTES`], 64 levels, 20,000 values.
//!
//! ```
//! use toolglot_tool_files::{ItemId, Language, ToolFile};
//!
//! let text = "__version__ = \"1.0\"\n__tool_type__ = \"python\"\n";
//! let id = ItemId::new("work/greet-it")?;
//! let tool = ToolFile::read(&id, Language::Python, text);
//! let broken = tool.diagnostics.iter().find(|one| one.rule.code == "R05").expect("a version has three parts");
//! assert_eq!(&text[broken.span.clone()], "\"1.0\"");
//! # Ok::<(), toolglot_tool_files::IdError>(())
//! ```

pub mod capability;
mod diagnostic;
mod executors;
mod fields;
mod item_id;
mod language;
mod literal;
mod metadata;
mod new_tool;
mod program_output;
mod read;
mod reader;
mod returns;
mod rule;
mod rules;
mod schema;
mod severity;
mod surrogates;
pub mod template;
mod tool_file;

pub use diagnostic::{Diagnostic, SourceLocation};
pub use executors::{EXECUTORS, SYSTEM_EXECUTORS, executor_id, nearest_executor};
pub use item_id::{IdError, ItemId};
pub use language::{EXTENSIONS, Language};
pub use metadata::{Cost, Executor, Metadata, RetryBackoff, RetryPolicy};
pub use new_tool::new_tool;
pub use read::javascript_of;
pub use reader::MAX_BYTES;
pub use returns::{ReturnContract, ReturnValue};
pub use rule::{RULES, Rule, rule};
pub use schema::{Action, Schema};
pub use severity::Severity;
pub use surrogates::read_json;
pub use tool_file::ToolFile;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
