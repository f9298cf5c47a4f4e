//! JSON values that keep the order of keys and the digits of numbers.
//!
//! `serde_json` has both as cargo features, which change the types of every crate of a program. This crate changes no
//! other crate's types: it has a [`Value`] of its own, with the accessors of `serde_json::Value`. It uses `serde_json`
//! where a value is part of a type with derived `Serialize` or `Deserialize`.
//!
//! It does not read JSON with errors in it, and it does no arithmetic.
//!
//! ```
//! use toolglot_value::{Value, from_str, json};
//!
//! let value = from_str(r#"{"z": 12345678901234567890123, "a": 0.10}"#)?;
//! assert_eq!(value.to_string(), r#"{"z":12345678901234567890123,"a":0.10}"#);
//! assert_eq!(value["a"].as_f64(), Some(0.1));
//! assert_eq!(json!({"z": [1, null]})["z"][0], 1);
//!
//! // A value of `serde_json` becomes one of this crate. The way back is refused where a number would change.
//! let theirs = serde_json::json!({"a": 0.5});
//! assert_eq!(serde_json::Value::try_from(&Value::from(&theirs)), Ok(theirs));
//! # Ok::<(), toolglot_value::Error>(())
//! ```
//!
//! The digits of a number are preserved; its exponent is written as `e+5` or `e-5`, as in `serde_json`.

mod decimal;
mod error;
mod from;
mod index;
mod macros;
mod map;
mod number;
mod plain;
mod read;
mod serde;
mod text;
mod to_value;
mod value;

pub use decimal::Decimal;
pub use error::Error;
pub use index::Index;
pub use map::{Entry, IntoIter, Iter, IterMut, Map};
pub use number::Number;
pub use plain::ChangedNumber;
pub use read::{ReadOptions, from_slice, from_str, is_json};
pub use serde::{from_value, to_value};
pub use to_value::ToValue;
pub use value::Value;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
