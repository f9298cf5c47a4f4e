//! Normalizes schemas of tool authors to the keywords of JSON Schema.

use toolglot_value::{Map, Value, json};

/// Type words of other languages, each with its JSON Schema type.
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
    // JSON Schema's own words, in any letter case: Gemini writes capitals.
    ("array", "array"),
    ("boolean", "boolean"),
    ("integer", "integer"),
    ("null", "null"),
    ("number", "number"),
    ("object", "object"),
    ("string", "string"),
];

/// The word for an unspecified type.
const ANY: &str = "any";

/// Keywords whose value is data, not a schema.
const DATA: &[&str] = &[
    "const", "default", "enum", "example", "examples", "required", "type",
];

/// Keywords whose value maps names to schemas: the author chooses the names.
pub(crate) const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Keywords that define a schema's types by other schemas.
const COMPOSED: &[&str] = &["$ref", "allOf", "anyOf", "oneOf"];

/// The maximum depth of rewriting; deeper schemas stay as they are.
const MAX_DEPTH: usize = 128;

/// The schema with `nullable`, foreign type words and, if it names no draft, older tuples replaced; the rest is
/// unchanged.
pub(crate) fn standard(schema: &Value) -> Value {
    // The default draft has other keywords for tuples than older drafts.
    let names_none = schema.get("$schema").is_none();
    rewrite(schema, names_none, MAX_DEPTH)
}

fn rewrite(schema: &Value, tuples: bool, depth: usize) -> Value {
    if depth == 0 {
        return schema.clone();
    }
    match schema {
        Value::Object(keywords) => Value::Object(rewrite_keywords(keywords, tuples, depth)),
        Value::Array(schemas) => schemas
            .iter()
            .map(|schema| rewrite(schema, tuples, depth - 1))
            .collect(),
        other => other.clone(),
    }
}

fn rewrite_keywords(
    keywords: &Map<String, Value>,
    tuples: bool,
    depth: usize,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (keyword, value) in keywords {
        let value = match keyword.as_str() {
            "type" if is_any(value) => continue,
            "type" => standard_type(value),
            word if DATA.contains(&word) => value.clone(),
            word if NAMED.contains(&word) => match value {
                Value::Object(named) => named
                    .iter()
                    .map(|(name, schema)| (name.clone(), rewrite(schema, tuples, depth - 1)))
                    .collect(),
                other => other.clone(),
            },
            _ => rewrite(value, tuples, depth - 1),
        };
        out.insert(keyword.clone(), value);
    }
    if tuples && out.get("items").is_some_and(Value::is_array) && !out.contains_key("prefixItems") {
        let rest = out.remove("additionalItems");
        let prefix = match rest {
            Some(rest) => out.insert("items".into(), rest),
            None => out.remove("items"),
        };
        out.extend(prefix.map(|prefix| ("prefixItems".to_owned(), prefix)));
    }
    if out.get("nullable") == Some(&Value::Bool(true)) {
        admit_null(&mut out);
    }
    out
}

fn is_any(written: &Value) -> bool {
    match written {
        Value::String(word) => word.eq_ignore_ascii_case(ANY),
        Value::Array(words) => words.iter().any(is_any),
        _ => false,
    }
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
    } else if COMPOSED.iter().any(|word| keywords.contains_key(word)) {
        // The types come from other schemas, so the result is `anyOf` this schema and null.
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

    #[test]
    fn tuples_are_brought_to_the_draft_that_counts() {
        let written = json!({
            "properties": {
                "point": {"type": "ARRAY", "items": [{"type": "Integer"}, {"type": "any"}], "additionalItems": false},
                "pair": {"items": [{"type": ["any", "null"]}]},
                "items": {"type": "array", "items": {"type": "STRING"}},
            },
        });
        let expected = json!({
            "properties": {
                "point": {"type": "array", "prefixItems": [{"type": "integer"}, {}], "items": false},
                "pair": {"prefixItems": [{}]},
                "items": {"type": "array", "items": {"type": "string"}},
            },
        });
        assert_eq!(standard(&written), expected);
        let named = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [true]});
        assert_eq!(standard(&named), named);
    }
}
