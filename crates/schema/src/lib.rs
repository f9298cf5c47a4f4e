//! What a JSON Schema says about a tool's arguments.
//!
//! Three questions are answered here, each by a pure function of the schema:
//!
//! - [`shape`] and [`fields`]: how is a value *read*? The engine types `42` and `true` by it while they stream.
//! - [`Validator`]: do the arguments fit? Its answers are instructions that a model can follow.
//! - [`fill_defaults`]: what did the model leave to the schema?
//!
//! Schemas are taken as tool authors write them: `nullable: true` and type words of other languages (`float`, `dict`)
//! are understood. References are followed inside the schema only. This crate opens no file and no socket, and regular
//! expressions run in linear time, so a schema from a server that nobody knows can do no more than be refused.
//!
//! ```
//! use serde_json::json;
//! use toolglot_schema::Validator;
//!
//! let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
//! let validator = Validator::new(&schema)?;
//! let violations = validator.validate(&json!({"pth": "a.rs"}));
//! assert_eq!(violations[0].message, "add the required `path`; `pth` is no parameter, rename it if you meant that");
//! # Ok::<(), toolglot_schema::SchemaError>(())
//! ```

mod coercion;
mod defaults;
mod document;
mod expansion_size;
mod kinds;
mod nearest_name;
mod normal_form;
mod plain_schema;
mod ref_cycle;
mod shape;
mod validate;
mod violation;
mod whole_numbers;

pub use coercion::{CoercionError, CoercionRules, fit};
pub use defaults::fill_defaults;
pub use nearest_name::nearest;
pub use shape::{fields, shape};
pub use validate::{SchemaError, Validator};
pub use violation::Violation;
pub use whole_numbers::write_whole;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
