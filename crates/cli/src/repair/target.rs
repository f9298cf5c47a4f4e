//! What a document should be: a schema, made ready.

use serde_json::Value;
use toolglot::Shape;
use toolglot_schema::{Validator, shape};

use crate::failure::Failure;

/// A schema, what it says about reading, and its validator.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) schema: Value,
    pub(super) shape: Shape,
    pub(super) validator: Validator,
}

impl Target {
    pub(super) fn new(schema: Value) -> Result<Target, Failure> {
        let validator = Validator::new(&schema).map_err(|error| Failure::Schema {
            source: Box::new(error),
        })?;
        Ok(Target {
            shape: shape(&schema),
            validator,
            schema,
        })
    }
}
