//! The schema of a tool, compiled once for all of its calls.

use std::sync::{Arc, OnceLock};

use toolglot_schema::{SchemaError, Validator};
use toolglot_value::Value;

/// The validator of one tool's arguments. Copies share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolValidator(Arc<OnceLock<Result<Validator, SchemaError>>>);

impl ToolValidator {
    pub(crate) fn get(&self, parameters: &Value) -> Result<&Validator, &SchemaError> {
        let made = self.0.get_or_init(|| Validator::new(&closed(parameters)));
        made.as_ref()
    }
}

/// Keywords of a schema that may allow parameters beyond those it lists.
const OPENING: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "additionalProperties",
    "allOf",
    "anyOf",
    "dependentSchemas",
    "if",
    "oneOf",
    "patternProperties",
    "unevaluatedProperties",
];

/// The closed schema: a tool that lists its parameters has no others, unless the schema allows them.
fn closed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(settings) = &mut schema
        && settings.contains_key("properties")
        && !OPENING.iter().any(|opening| settings.contains_key(opening))
    {
        settings.insert("additionalProperties".to_owned(), false.into());
    }
    schema
}
