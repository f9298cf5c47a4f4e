//! Documents that should be JSON: repaired, brought to a schema and validated, with a note on each change.
//!
//! `toolglot-json` and `toolglot-json-compat` have the rules of repair; here each change gets its code, its words and its place in the text that came.
//! [`Edits`] compares that text with the repaired one, piece by piece.
//!
//! What this crate deliberately does not do: it reads no file, it knows nothing of calls, and it prints nothing.
//!
//! ```
//! use toolglot_value::json;
//! use toolglot_repair::{Preset, SchemaTarget, repair};
//!
//! let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
//! let target = SchemaTarget::new(schema)?;
//! let repaired = repair("{'n': \"7\",}", Preset::Llm, Some(&target))?;
//! assert_eq!(repaired.text, "{\"n\": 7}");
//! let codes: Vec<&str> = repaired.notes.iter().map(|note| note.code.name()).collect();
//! assert_eq!(codes, ["nonstandard-quote", "trailing-comma", "type-coercion"]);
//! # Ok::<(), toolglot_repair::RepairError>(())
//! ```

#![warn(missing_docs)]

mod document;
mod edits;
mod error;
mod preset;
mod schema_target;

pub use document::{RepairNote, RepairedDocument, repair};
pub use edits::{EditPiece, Edits};
pub use error::RepairError;
pub use preset::Preset;
pub use schema_target::SchemaTarget;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
