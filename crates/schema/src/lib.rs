//! The meaning of a JSON Schema for a tool's arguments.
//!
//! This crate answers three questions, each by a pure function of the schema:
//!
//! - [`shape`] and [`fields`]: how is a value *read*? The engine types `42` and `true` by it while they stream.
//! - [`Validator`]: do the arguments fit? Its answers are instructions that a model can follow.
//! - [`fill_defaults`]: which values does the schema supply?
//!
//! Schemas may have the habits of tool authors: `nullable: true` and type words of other languages (`float`, `dict`)
//! are understood. References are followed inside the schema only. This crate opens no file and no socket, and regular
//! expressions run in linear time. So a schema from an unknown server can only be refused.
//!
//! ```
//! use toolglot_value::json;
//! use toolglot_schema::Validator;
//!
//! let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
//! let validator = Validator::new(&schema)?;
//! let violations = validator.validate(&json!({"pth": "a.rs"}));
//! assert_eq!(violations[0].message, "add the required `path`; `pth` is not a parameter, rename it if you meant that");
//! # Ok::<(), toolglot_schema::SchemaError>(())
//! ```
//!
//! # Features
//!
//! - `validate`, off by default: [`Validator`], as in the example, by the `jsonschema` crate. It adds some 50
//!   crates.

#[cfg(feature = "validate")]
mod compiled;
mod defaults;
mod document;
#[cfg(feature = "validate")]
mod expansion_size;
mod kinds;
#[cfg(feature = "validate")]
mod multiple;
mod nearest_name;
mod normal_form;
#[cfg(feature = "validate")]
mod plain_schema;
#[cfg(feature = "validate")]
mod ref_cycle;
mod shape;
#[cfg(feature = "validate")]
mod validate;
#[cfg(feature = "validate")]
mod violation;
#[cfg(feature = "validate")]
mod violation_order;
mod whole_numbers;

pub use defaults::fill_defaults;
pub use nearest_name::nearest;
pub use shape::{fields, shape};
#[cfg(feature = "validate")]
pub use validate::{SchemaError, Validator};
#[cfg(feature = "validate")]
pub use violation::Violation;
pub use whole_numbers::write_whole;

/// Items that the crates of this workspace share. They are not covered by semantic versioning: any release may change
/// them.
#[doc(hidden)]
pub mod internal {
    pub use crate::document::Document;
}

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
