//! The target of a repair: a prepared schema.

use toolglot_engine::Shape;
use toolglot_schema::{Validator, shape};
use toolglot_value::Value;

use crate::error::RepairError;

/// A schema with its shape and its validator.
#[derive(Debug)]
pub struct SchemaTarget {
    pub(crate) schema: Value,
    pub(crate) shape: Shape,
    pub(crate) validator: Validator,
}

impl SchemaTarget {
    /// Prepares a schema.
    ///
    /// # Errors
    /// [`RepairError::Schema`] if it cannot be used.
    pub fn new(schema: Value) -> Result<SchemaTarget, RepairError> {
        let validator =
            Validator::new(&schema).map_err(|error| RepairError::Schema(Box::new(error)))?;
        Ok(SchemaTarget {
            shape: shape(&schema),
            validator,
            schema,
        })
    }
}
