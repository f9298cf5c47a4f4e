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

/// More violations than a model would repair in one turn are not listed.
const MAX_VIOLATIONS: usize = 16;

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A reference leads out of the schema, or to nothing in it.
    #[error("the schema holds a reference that cannot be followed inside it")]
    Reference {
        /// Which, and why not.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// References that lead only to each other: no value could ever be checked against them.
    #[error("the reference `{reference}` leads in a circle back to itself")]
    Circle {
        /// One of them.
        reference: String,
    },
    /// Its references lead to more schemas than any value needs.
    #[error("the references of the schema unfold to more than 10000 schemas for one value")]
    Unfolds,
    /// The schema is invalid by its own draft.
    #[error("the schema is not valid at `{path}`")]
    Invalid {
        /// A JSON pointer into the schema; empty for the whole.
        path: String,
        /// What is wrong there.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A schema made ready to check arguments.
///
/// The draft is the one that `$schema` names, else 2020-12. `format` is an annotation, as that draft has it.
#[derive(Debug)]
pub struct Validator {
    /// Compiled when it is first needed, where the schema is plain; `None` if that failed after all.
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

    /// What is wrong with `arguments`, in the order in which they were written; empty if nothing is.
    /// At most 16 violations are listed.
    pub fn validate(&self, arguments: &Value) -> Vec<Violation> {
        if self.is_plain && admits(&self.schema, arguments) {
            return Vec::new();
        }
        let compiled = self
            .compiled
            .get_or_init(|| Validator::compiled(&self.schema).ok());
        let Some(compiled) = compiled else {
            // No plain schema comes here. If one did, nothing could be said of its arguments.
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
