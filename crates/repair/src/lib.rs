//! Documents that should be JSON: repaired, coerced to a schema and validated, with a note on each change.
//!
//! `toolglot-json` and `toolglot-json-compat` have the repair rules; this crate adds the code, the message and the
//! place of each change. [`Edits`] compares the input with the repaired text, piece by piece.
//!
//! This crate deliberately reads no file, knows no tool calls, and prints nothing.
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

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
