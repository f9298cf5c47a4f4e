//! Schemas of common keywords: whether they admit a value, without compiling them.
//!
//! Before its first schema the validator compiles the metaschema, which takes longer than all other work of a small
//! call. Nearly all tools have plain schemas, and nearly all calls fit them. The validator gets schemas that are not
//! plain, and values that are not admitted here. The answer "admitted" must be right; "not admitted" may be wrong.

use std::collections::HashSet;

use toolglot_value::{Map, Number, Value};

/// Deeper schemas are not plain.
const MAX_DEPTH: usize = 32;

/// Drafts in which the keywords below have the same meaning, except `format`.
const DRAFTS: [&str; 3] = [
    LATEST,
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

/// The default draft. In it `format` is an annotation; in older drafts the validator checks it.
const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";

const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// Whether a schema has only the keywords known here, each well-formed.
pub(crate) fn is_plain(schema: &Value) -> bool {
    let draft = match schema.get("$schema") {
        Some(draft) => draft.as_str(),
        None => Some(LATEST),
    };
    draft.is_some_and(|draft| {
        let is_annotation = draft == LATEST;
        DRAFTS.contains(&draft) && is_plain_below(schema, MAX_DEPTH, true, is_annotation)
    })
}

/// `is_annotation`: whether `format` is an annotation.
fn is_plain_below(schema: &Value, depth: usize, is_root: bool, is_annotation: bool) -> bool {
    let Value::Object(keywords) = schema else {
        return schema.is_boolean();
    };
    depth > 0
        && keywords.iter().all(|(keyword, value)| {
            let is_schema =
                |schema: &Value| is_plain_below(schema, depth - 1, false, is_annotation);
            match keyword.as_str() {
                "$schema" => is_root,
                "title" | "description" | "$comment" => value.is_string(),
                "format" => is_annotation && value.is_string(),
                "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
                "default" | "const" => true,
                "examples" => value.is_array(),
                "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
                "type" => is_type(value),
                "properties" => value
                    .as_object()
                    .is_some_and(|properties| properties.values().all(is_schema)),
                "required" => value.as_array().is_some_and(|names| are_names(names)),
                "additionalProperties" | "items" => is_schema(value),
                "anyOf" => value
                    .as_array()
                    .is_some_and(|schemas| !schemas.is_empty() && schemas.iter().all(is_schema)),
                "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_u64(),
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_i64(),
                _ => false,
            }
        })
}

fn is_type(value: &Value) -> bool {
    let is_word = |value: &Value| value.as_str().is_some_and(|word| TYPES.contains(&word));
    match value {
        Value::Array(words) => !words.is_empty() && words.iter().all(is_word) && are_names(words),
        word => is_word(word),
    }
}

/// Whether all values are strings, each different.
fn are_names(values: &[Value]) -> bool {
    let mut known = HashSet::new();
    let mut names = values.iter().map(Value::as_str);
    names.all(|name| name.is_some_and(|name| known.insert(name)))
}

/// Whether a plain schema certainly admits a value.
pub(crate) fn admits(schema: &Value, value: &Value) -> bool {
    let Value::Object(keywords) = schema else {
        return schema == &Value::Bool(true);
    };
    keywords
        .iter()
        .all(|(keyword, wanted)| keeps_to(keywords, keyword, wanted, value))
}

fn keeps_to(keywords: &Map<String, Value>, keyword: &str, wanted: &Value, value: &Value) -> bool {
    match keyword {
        "type" => match wanted {
            Value::Array(words) => words.iter().any(|word| is_of_type(word, value)),
            word => is_of_type(word, value),
        },
        "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
        "const" => wanted == value,
        "anyOf" => {
            let schemas = wanted.as_array();
            schemas.is_some_and(|schemas| schemas.iter().any(|schema| admits(schema, value)))
        }
        "properties" => value.as_object().is_none_or(|members| {
            let of_member =
                |(name, member)| wanted.get(name).is_none_or(|schema| admits(schema, member));
            members.iter().all(of_member)
        }),
        "additionalProperties" => value.as_object().is_none_or(|members| {
            let known = keywords.get("properties").and_then(Value::as_object);
            let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
            let mut others = members.iter().filter(|(name, _)| !is_known(name));
            others.all(|(_, member)| admits(wanted, member))
        }),
        "required" => value.as_object().is_none_or(|members| {
            let mut names = wanted.as_array().into_iter().flatten();
            names.all(|name| name.as_str().is_some_and(|name| members.contains_key(name)))
        }),
        "items" => value
            .as_array()
            .is_none_or(|items| items.iter().all(|item| admits(wanted, item))),
        "minItems" => is_long(value.as_array().map(Vec::len), wanted, |n, bound| {
            n >= bound
        }),
        "maxItems" => is_long(value.as_array().map(Vec::len), wanted, |n, bound| {
            n <= bound
        }),
        "minLength" => is_long(length(value), wanted, |n, bound| n >= bound),
        "maxLength" => is_long(length(value), wanted, |n, bound| n <= bound),
        "minimum" => is_bounded(value, wanted, |number, bound| number >= bound),
        "maximum" => is_bounded(value, wanted, |number, bound| number <= bound),
        "exclusiveMinimum" => is_bounded(value, wanted, |number, bound| number > bound),
        "exclusiveMaximum" => is_bounded(value, wanted, |number, bound| number < bound),
        // The other keywords do not restrict a value.
        _ => true,
    }
}

fn is_of_type(word: &Value, value: &Value) -> bool {
    match word.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        // An integer may be written as `1.0`: the validator decides that.
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

/// The number of characters of a text.
fn length(value: &Value) -> Option<usize> {
    value.as_str().map(|text| text.chars().count())
}

fn is_long(length: Option<usize>, bound: &Value, holds: fn(u64, u64) -> bool) -> bool {
    length.is_none_or(|length| {
        let length = u64::try_from(length).ok();
        length
            .zip(bound.as_u64())
            .is_some_and(|(length, bound)| holds(length, bound))
    })
}

fn is_bounded(value: &Value, bound: &Value, holds: fn(i64, i64) -> bool) -> bool {
    let Value::Number(number) = value else {
        return true;
    };
    let pair = Number::as_i64(number).zip(bound.as_i64());
    pair.is_some_and(|(number, bound)| holds(number, bound))
}

#[cfg(test)]
mod tests {
    use toolglot_value::{Value, json};

    use super::{admits, is_plain};
    use crate::Validator;

    fn schemas() -> Vec<Value> {
        let leaves = [
            json!(true),
            json!(false),
            json!({}),
            json!({"type": "string", "description": "d", "default": 1}),
            json!({"type": ["integer", "null"]}),
            json!({"type": "number", "minimum": 1, "exclusiveMaximum": 3}),
            json!({"type": "integer", "exclusiveMinimum": 1, "maximum": 2}),
            json!({"minLength": 1, "maxLength": 2, "minItems": 1, "maxItems": 1}),
            json!({"enum": ["a", 1, null, 1.0]}),
            json!({"const": {"a": 1}}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 2}]}),
            json!({"type": "boolean", "examples": [], "deprecated": true}),
            json!({"type": "string", "format": "date"}),
        ];
        let mut all = leaves.to_vec();
        for leaf in &leaves {
            all.extend([
                json!({"type": "object", "properties": {"a": leaf}}),
                json!({"type": "object", "properties": {"a": leaf}, "required": ["a"], "additionalProperties": false}),
                json!({"properties": {"b": true}, "additionalProperties": leaf}),
                json!({"type": "array", "items": leaf}),
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": leaf}}}),
            ]);
        }
        all
    }

    fn values() -> Vec<Value> {
        let leaves = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(2),
            json!(3),
            json!(1.0),
            json!(2.5),
            json!(-7),
            json!(u64::MAX),
            json!(""),
            json!("a"),
            json!("漢字"),
            json!("abc"),
            json!([]),
            json!({}),
        ];
        let mut all = leaves.to_vec();
        for leaf in &leaves {
            all.extend([
                json!({"a": leaf}),
                json!({"b": leaf}),
                json!({"a": 1, "b": leaf}),
                json!([leaf]),
                json!([1, leaf]),
                json!({"a": [leaf]}),
            ]);
        }
        all
    }

    #[test]
    fn what_is_admitted_is_valid_and_plain_schemas_compile() {
        let (mut n_admitted, mut n_valid) = (0, 0);
        for schema in schemas() {
            let is_checked =
                schema.get("$schema").is_some() && schema.to_string().contains("format");
            assert_eq!(is_plain(&schema), !is_checked, "{schema}");
            if is_checked {
                continue;
            }
            let compiled = Validator::compiled(&schema).expect("a schema");
            for value in values() {
                let is_valid = compiled.is_valid(&value);
                let is_admitted = admits(&schema, &value);
                assert!(is_valid || !is_admitted, "{schema} admits {value}");
                n_valid += usize::from(is_valid);
                n_admitted += usize::from(is_admitted);
            }
        }
        assert!(n_admitted * 100 > n_valid * 90, "{n_admitted} of {n_valid}");
    }

    #[test]
    fn what_is_not_well_formed_or_not_known_is_not_plain() {
        for schema in [
            json!({"type": "text"}),
            json!({"type": []}),
            json!({"type": ["string", "string"]}),
            json!({"properties": []}),
            json!({"properties": {"a": 1}}),
            json!({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}),
            json!({"required": "a"}),
            json!({"required": ["a", "a"]}),
            json!({"enum": []}),
            json!({"anyOf": []}),
            json!({"items": [{}]}),
            json!({"minLength": -1}),
            json!({"minimum": "1"}),
            json!({"minimum": 1.5}),
            json!({"description": 1}),
            json!({"pattern": "a"}),
            json!({"$ref": "#"}),
            json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
            json!({"$schema": "http://json-schema.org/draft-07/schema", "items": {"format": "date"}}),
            json!([]),
            json!("x"),
        ] {
            assert!(!is_plain(&schema), "{schema}");
        }
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({"items": deep});
        }
        assert!(!is_plain(&deep));
    }
}
