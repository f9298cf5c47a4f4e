//! References that lead only to each other.

use serde_json::Value;

/// More references in a row than anyone writes.
const LONGEST_CHAIN: usize = 100;

/// A reference of the schema that leads back to itself through nothing but references. Recursion through a property is none:
/// there the value gets smaller.
pub(crate) fn circle(schema: &Value) -> Option<String> {
    let mut ahead = vec![schema];
    while let Some(value) = ahead.pop() {
        match value {
            Value::Object(map) => {
                if let Some(first) = reference(value)
                    && is_circle(schema, first)
                {
                    return Some(first.to_owned());
                }
                ahead.extend(map.values());
            }
            Value::Array(list) => ahead.extend(list),
            _ => {}
        }
    }
    None
}

/// The reference of a schema to a place in the same document.
fn reference(schema: &Value) -> Option<&str> {
    schema
        .get("$ref")?
        .as_str()
        .filter(|reference| reference.starts_with('#'))
}

fn is_circle(schema: &Value, first: &str) -> bool {
    let mut at = first;
    for _ in 0..LONGEST_CHAIN {
        let Some(target) = schema.pointer(&at[1..]) else {
            return false;
        };
        match reference(target) {
            None => return false,
            Some(next) if next == first => return true,
            Some(next) => at = next,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::circle;

    #[test]
    fn only_references_without_a_value_between_are_circles() {
        let defs = json!({"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}});
        assert!(circle(&json!({"$defs": defs, "$ref": "#/$defs/a"})).is_some());
        assert!(circle(&json!({"$ref": "#"})).is_some());
        assert!(circle(&json!({"properties": {"c": {"$ref": "#"}}})).is_none());
        assert!(circle(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}})).is_none());
        assert!(circle(&json!({"properties": {"$ref": {"type": "string"}}})).is_none());
    }
}
