//! Schemas that unfold to an excessive size.
//!
//! A validator follows each reference each time it meets it. Thirty definitions that use each other twice are a billion
//! schemas for one value, in less than 2 KB. A server with such a tool would block the caller.

use std::collections::BTreeSet;

use toolglot_value::Value;

use crate::document::Document;

/// Keywords whose schemas apply to the same value as the schema they are in.
const SAME_VALUE: &[&str] = &[
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

/// Whether some reference in `root` leads to more schemas for one value than a [`Document`] allows.
///
/// Parts of a value are other values: the arguments bound the schemas that are reached through them, not the schema.
pub(crate) fn unfolds_too_far(root: &Value) -> bool {
    let mut followed = BTreeSet::new();
    let mut schemas = vec![root];
    while let Some(schema) = schemas.pop() {
        match schema {
            Value::Object(keywords) => {
                let mut walk = Walk {
                    document: Document::new(root),
                    open: Vec::new(),
                };
                if let Some(Value::String(reference)) = keywords.get("$ref")
                    && followed.insert(reference)
                    && walk.leads_too_far(reference)
                {
                    return true;
                }
                schemas.extend(keywords.values());
            }
            Value::Array(parts) => schemas.extend(parts),
            _ => {}
        }
    }
    false
}

struct Walk<'a> {
    document: Document<'a>,
    /// The references that are being followed.
    open: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn is_too_far(&mut self, schema: &'a Value) -> bool {
        match schema {
            Value::Array(parts) => parts.iter().any(|part| self.is_too_far(part)),
            Value::Object(keywords) => {
                !self.document.visit()
                    || SAME_VALUE
                        .iter()
                        .filter_map(|word| keywords.get(word))
                        .any(|part| self.is_too_far(part))
                    || keywords
                        .get("$ref")
                        .and_then(Value::as_str)
                        .is_some_and(|reference| self.leads_too_far(reference))
            }
            _ => false,
        }
    }

    fn leads_too_far(&mut self, reference: &'a str) -> bool {
        if self.open.contains(&reference) {
            return false;
        }
        let Some(schema) = self.document.resolve(reference) else {
            return false;
        };
        self.open.push(reference);
        let too_far = self.is_too_far(schema);
        self.open.pop();
        too_far
    }
}
