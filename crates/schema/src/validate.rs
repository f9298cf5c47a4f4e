//! Validation of arguments before anything runs.

use std::error::Error;
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use toolglot_value::Value;

use crate::Violation;
use crate::compiled::{Compiled, compile};
use crate::expansion_size::unfolds_too_far;
use crate::normal_form::standard;
use crate::plain_schema::{admits, is_plain};
use crate::ref_cycle::circle;
use crate::violation_order::findings;

/// The maximum number of listed violations: a model would not repair more in one turn.
const MAX_VIOLATIONS: usize = 16;

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A reference leads out of the schema, or to nothing in it.
    #[error("the schema holds a reference that cannot be followed inside it")]
    Reference {
        /// Which one, and why not.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// References that lead only to each other: no value can be checked against them.
    #[error("the reference `{reference}` leads in a circle back to itself")]
    Circle {
        /// One of these references.
        reference: String,
    },
    /// Its references lead to more schemas than any value needs.
    #[error("the references of the schema unfold to more than 10000 schemas for one value")]
    Unfolds,
    /// The schema is invalid by its own draft.
    #[error("the schema is not valid at `{path}`")]
    Invalid {
        /// A JSON pointer into the schema; empty for the whole schema.
        path: String,
        /// The cause.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A schema prepared to check arguments.
///
/// The draft is the one that `$schema` names, else 2020-12. `format` is an annotation, as that draft has it.
#[derive(Debug)]
pub struct Validator {
    /// Compiled at its first use if the schema is plain; `None` if the compilation failed after all.
    compiled: OnceLock<Option<Compiled>>,
    is_plain: bool,
    schema: Value,
}

impl Validator {
    /// Compiles `schema`. References are followed inside it only, patterns must be regular (no look-around).
    ///
    /// # Errors
    /// [`SchemaError`], with the place in the schema.
    pub fn new(schema: &Value) -> Result<Validator, SchemaError> {
        let schema = standard(schema);
        if let Some(reference) = circle(&schema) {
            return Err(SchemaError::Circle { reference });
        }
        if unfolds_too_far(&schema) {
            return Err(SchemaError::Unfolds);
        }
        let is_plain = is_plain(&schema);
        let compiled = OnceLock::new();
        if !is_plain {
            let _ = compiled.set(Some(Validator::compiled(&schema)?));
        }
        Ok(Validator {
            compiled,
            is_plain,
            schema,
        })
    }

    pub(crate) fn compiled(schema: &Value) -> Result<Compiled, SchemaError> {
        compile(schema).map_err(|error| {
            let path = error.instance_path().to_string();
            let outside = matches!(error.kind(), ValidationErrorKind::Referencing(_));
            let source = Box::new(error);
            if outside {
                SchemaError::Reference { source }
            } else {
                SchemaError::Invalid { path, source }
            }
        })
    }

    /// The violations of `arguments`, in the order in which the arguments were written; empty if there are none. At
    /// most 16 violations are listed.
    pub fn validate(&self, arguments: &Value) -> Vec<Violation> {
        if self.is_plain && admits(&self.schema, arguments) {
            return Vec::new();
        }
        let compiled = self
            .compiled
            .get_or_init(|| Validator::compiled(&self.schema).ok());
        let Some(compiled) = compiled else {
            // Unreachable for a plain schema: without a validator, nothing is known about its arguments.
            return vec![Violation {
                path: String::new(),
                keyword: "schema".into(),
                message: "the tool's schema cannot be used".into(),
            }];
        };
        let errors: Vec<_> = compiled.iter_errors(arguments).collect();
        findings(&errors, arguments)
            .iter()
            .take(MAX_VIOLATIONS)
            .map(|finding| Violation::of(finding, &self.schema, arguments))
            .collect()
    }
}
