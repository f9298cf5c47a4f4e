//! The part of `toolglot-schema` that makes a `Shape` of a JSON Schema, compiled once more.
//!
//! The crate itself brings a validator that turns on `serde_json/arbitrary_precision` for all that is linked with it, the
//! other parsers too: they would read numbers otherwise than they do for their users.

#![allow(dead_code, unreachable_pub)]

#[path = "../../../../crates/schema/src/document.rs"]
mod document;
#[path = "../../../../crates/schema/src/kinds.rs"]
mod kinds;
#[path = "../../../../crates/schema/src/shape.rs"]
mod shape;
#[path = "../../../../crates/schema/src/standard.rs"]
mod standard;

pub use shape::fields;
