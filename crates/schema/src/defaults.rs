//! Fills in the `default` of properties.

use toolglot_value::{Map, Value};

use crate::document::Document;

/// Adds to `arguments` the `default` of each declared property that is missing, in nested objects and items too.
///
/// An existing property stays as it is, also if it is `null`. A filled-in default is the author's whole value and gets
/// no further defaults. Nothing is filled in from `anyOf` and `oneOf`: the intended branch is not known yet.
pub fn fill_defaults(schema: &Value, arguments: &mut Value) {
    Filler {
        document: Document::new(schema),
        open: Vec::new(),
    }
    .fill(schema, arguments);
}

struct Filler<'a> {
    document: Document<'a>,
    /// The references that were followed from the current value to the current schema.
    open: Vec<&'a str>,
}

impl<'a> Filler<'a> {
    fn fill(&mut self, schema: &'a Value, value: &mut Value) {
        let Value::Object(keywords) = schema else {
            return;
        };
        if !self.document.visit() {
            return;
        }
        match value {
            Value::Object(object) => self.fill_object(keywords, object),
            Value::Array(items) => {
                if let Some(schema) = keywords.get("items") {
                    for item in items {
                        self.fill_child(schema, item);
                    }
                }
            }
            _ => return,
        }
        if let Some(Value::String(reference)) = keywords.get("$ref")
            && !self.open.contains(&reference.as_str())
            && let Some(referred) = self.document.resolve(reference)
        {
            self.open.push(reference);
            self.fill(referred, value);
            self.open.pop();
        }
        for part in keywords
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.fill(part, value);
        }
    }

    fn fill_object(&mut self, keywords: &'a Map<String, Value>, object: &mut Map<String, Value>) {
        let properties = keywords.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            if let Some(value) = object.get_mut(name) {
                self.fill_child(schema, value);
            } else if let Some(default) = schema.get("default") {
                object.insert(name.clone(), default.clone());
            }
        }
    }

    /// No reference has been followed for a part of the value yet.
    fn fill_child(&mut self, schema: &'a Value, value: &mut Value) {
        let open = std::mem::take(&mut self.open);
        self.fill(schema, value);
        self.open = open;
    }
}
