//! Rewrites whole numbers as the integers that a schema requires.

use toolglot_value::{Number, Value};

use crate::document::Document;

/// Writes `2.0` and `1e2` as `2` and `100` where the schema has `integer`, in nested objects and items too.
///
/// JSON Schema takes them for integers; programming languages do not. Numbers beyond 2^53 stay as they are written.
pub fn write_whole(schema: &Value, arguments: &mut Value) {
    Writer {
        document: Document::new(schema),
        open: Vec::new(),
    }
    .write(schema, arguments);
}

/// From here on not every whole number is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct Writer<'a> {
    document: Document<'a>,
    /// The references that were followed from the current value to the current schema.
    open: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn write(&mut self, schema: &'a Value, value: &mut Value) {
        let Value::Object(keywords) = schema else {
            return;
        };
        if !self.document.visit() {
            return;
        }
        match value {
            Value::Number(number) => {
                if says(keywords.get("type"), "integer")
                    && !says(keywords.get("type"), "number")
                    && let Some(whole) = whole(number)
                {
                    *number = whole;
                }
            }
            Value::Object(object) => {
                let properties = keywords.get("properties").and_then(Value::as_object);
                let others = keywords.get("additionalProperties");
                for (name, value) in object {
                    let declared = properties.and_then(|properties| properties.get(name));
                    if let Some(schema) = declared.or(others) {
                        self.write_child(schema, value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = keywords.get("items") {
                    for item in items {
                        self.write_child(schema, item);
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
            self.write(referred, value);
            self.open.pop();
        }
        for union in ["allOf", "anyOf", "oneOf"] {
            let branches = keywords.get(union).and_then(Value::as_array);
            let branches = branches.map(Vec::as_slice).unwrap_or_default();
            // A number may stay a number if one branch allows it.
            let is_open = union != "allOf"
                && value.is_number()
                && branches
                    .iter()
                    .any(|branch| says(branch.get("type"), "number"));
            if !is_open {
                for branch in branches {
                    self.write(branch, value);
                }
            }
        }
    }

    /// No reference has been followed for a part of the value yet.
    fn write_child(&mut self, schema: &'a Value, value: &mut Value) {
        let open = std::mem::take(&mut self.open);
        self.write(schema, value);
        self.open = open;
    }
}

/// Whether a `type` is or lists a word.
fn says(kind: Option<&Value>, word: &str) -> bool {
    match kind {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == word),
        Some(kind) => kind == word,
        None => false,
    }
}

fn whole(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return None;
    }
    let value = number.as_f64()?;
    (value.fract() == 0.0 && value.abs() < EXACT).then(|| Number::from(value as i64))
}

#[cfg(test)]
mod tests {
    use toolglot_value::{Value, json};

    use super::write_whole;

    #[test]
    fn whole_numbers_are_integers_where_the_schema_says_so() {
        let integer = json!({"type": "integer"});
        let schema = json!({
            "$defs": {"n": {"type": ["integer", "null"]}},
            "properties": {
                "a": integer,
                "list": {"items": {"properties": {"n": {"$ref": "#/$defs/n"}}, "additionalProperties": integer}},
                "any": {"anyOf": [{"type": "string"}, integer]},
                "number": {"anyOf": [{"type": "number"}, integer]},
                "float": {"type": "number"},
            },
        });
        let mut value: Value = toolglot_value::from_str(
            r#"{"a": 1e2, "list": [{"n": 2.0, "m": -3.0}], "any": 4.0, "number": 5.0, "float": 6.0, "none": 7.0}"#,
        )
        .expect("JSON");
        write_whole(&schema, &mut value);
        assert_eq!(
            value.to_string(),
            r#"{"a":100,"list":[{"n":2,"m":-3}],"any":4,"number":5.0,"float":6.0,"none":7.0}"#
        );
    }

    #[test]
    fn what_is_not_whole_stays() {
        for text in ["2.5", "1e300", "true", "9007199254740993.0"] {
            let mut value: Value = toolglot_value::from_str(text).expect("JSON");
            let before = value.clone();
            write_whole(&json!({"type": "integer", "$ref": "#"}), &mut value);
            assert_eq!(value, before);
        }
    }
}
