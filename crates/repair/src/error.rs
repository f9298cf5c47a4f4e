//! Why a document was not repaired.

use thiserror::Error;
use toolglot_json_compat::{CoercionError, RepairFailure};
use toolglot_schema::SchemaError;

/// Why there is no repaired document.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The preset refuses the text.
    #[error(transparent)]
    Text(#[from] RepairFailure),
    /// The value cannot be brought to the schema.
    #[error("the value does not fit the schema: {0}")]
    Coercion(#[from] CoercionError),
    /// The coerced value does not fit the schema.
    #[error("the value does not fit the schema: {0}")]
    Invalid(String),
    /// The value is nested too deeply for a schema.
    #[error("the value nests too deeply for a schema to be applied")]
    Depth,
    /// The schema itself is invalid.
    #[error("the schema cannot be used")]
    Schema(#[source] Box<SchemaError>),
}
