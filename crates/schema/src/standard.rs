//! Schemas as tool authors write them, brought to the words of JSON Schema.

use serde_json::{Map, Value, json};

/// Type words of other languages and the JSON Schema type each stands for.
/// Seen in the tool lists of BFCL, SGLang and dynamo-parsers.
const TYPE_WORDS: &[(&str, &str)] = &[
    ("bool", "boolean"),
    ("dict", "object"),
    ("double", "number"),
    ("float", "number"),
    ("hashmap", "object"),
    ("int", "integer"),
    ("list", "array"),
    ("long", "integer"),
    ("map", "object"),
    ("str", "string"),
    ("text", "string"),
    ("tuple", "array"),
    ("uint", "integer"),
];

/// Keywords whose value is data, not a schema.
const DATA: &[&str] = &[
    "const", "default", "enum", "example", "examples", "required", "type",
];

/// Keywords whose value maps names to schemas: the names are the author's own.
const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Keywords that say a schema's types by other schemas.
const COMPOSED: &[&str] = &["$ref", "allOf", "anyOf", "oneOf"];

/// How deep a schema is rewritten; below that it is taken as it stands.
const MAX_DEPTH: usize = 128;

/// The schema with `nullable` and foreign type words replaced, all else as written.
pub(crate) fn standard(schema: &Value) -> Value {
    rewrite(schema, MAX_DEPTH)
}

fn rewrite(schema: &Value, depth: usize) -> Value {
    if depth == 0 {
        return schema.clone();
    }
    match schema {
        Value::Object(keywords) => Value::Object(rewrite_keywords(keywords, depth)),
        Value::Array(schemas) => schemas
            .iter()
            .map(|schema| rewrite(schema, depth - 1))
            .collect(),
        other => other.clone(),
    }
}

fn rewrite_keywords(keywords: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let mut out = Map::new();
    for (keyword, value) in keywords {
        let value = match keyword.as_str() {
            "type" => standard_type(value),
            word if DATA.contains(&word) => value.clone(),
            word if NAMED.contains(&word) => match value {
                Value::Object(named) => named
                    .iter()
                    .map(|(name, schema)| (name.clone(), rewrite(schema, depth - 1)))
                    .collect(),
                other => other.clone(),
            },
            _ => rewrite(value, depth - 1),
        };
        out.insert(keyword.clone(), value);
    }
    if out.get("nullable") == Some(&Value::Bool(true)) {
        admit_null(&mut out);
    }
    out
}

fn standard_type(written: &Value) -> Value {
    match written {
        Value::String(word) => Value::from(standard_word(word)),
        Value::Array(words) => words.iter().map(standard_type).collect(),
        other => other.clone(),
    }
}

fn standard_word(word: &str) -> &str {
    TYPE_WORDS
        .iter()
        .find(|(foreign, _)| foreign.eq_ignore_ascii_case(word))
        .map_or(word, |(_, standard)| standard)
}

/// OpenAPI 3.0's `nullable`, which JSON Schema does not know.
fn admit_null(keywords: &mut Map<String, Value>) {
    if let Some(types) = keywords.get_mut("type") {
        match types {
            Value::Array(types) if types.iter().any(|word| word == "null") => {}
            Value::Array(types) => types.push(json!("null")),
            single => *single = json!([single.take(), "null"]),
        }
    } else if COMPOSED.iter().any(|word| keywords.contains_key(*word)) {
        // The types are said elsewhere: all of this, or null.
        let not_null = std::mem::take(keywords);
        keywords.insert("anyOf".into(), json!([not_null, {"type": "null"}]));
    }
    if let Some(Value::Array(options)) = keywords.get_mut("enum")
        && !options.contains(&Value::Null)
    {
        options.push(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_schemas_and_leaves_data_and_names() {
        let written = json!({
            "type": "dict",
            "properties": {
                "type": {"type": "float", "nullable": true},
                "const": {"const": {"type": "dict"}},
                "color": {"type": "str", "nullable": true, "enum": ["red"]},
            },
            "anyOf": [{"items": {"type": ["int", "null"]}}],
            "items": {"$ref": "#/$defs/a", "nullable": true},
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "type": {"type": ["number", "null"], "nullable": true},
                "const": {"const": {"type": "dict"}},
                "color": {"type": ["string", "null"], "nullable": true, "enum": ["red", null]},
            },
            "anyOf": [{"items": {"type": ["integer", "null"]}}],
            "items": {"anyOf": [{"$ref": "#/$defs/a", "nullable": true}, {"type": "null"}]},
        });
        assert_eq!(standard(&written), expected);
    }
}
