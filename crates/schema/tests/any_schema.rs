//! Properties for any JSON that a caller passes as a schema.

use proptest::prelude::*;
use toolglot_engine::{Fields, Shape};
use toolglot_schema::{Validator, fill_defaults, shape};
use toolglot_value::{Map, Value, json};

/// JSON of the keywords that this crate reads, in right and in wrong places.
fn schema_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(null)),
        Just(json!(7)),
        Just(json!("string")),
        Just(json!(["string", "null"])),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/properties/a"})),
        prop_oneof![
            Just("string"),
            Just("integer"),
            Just("object"),
            Just("array"),
            Just("float")
        ]
        .prop_map(|word| json!({"type": word, "default": 1})),
    ];
    leaf.prop_recursive(5, 48, 4, |inner| {
        let keyword = prop_oneof![
            Just("type"),
            Just("properties"),
            Just("items"),
            Just("anyOf"),
            Just("oneOf"),
            Just("allOf"),
            Just("additionalProperties"),
            Just("patternProperties"),
            Just("enum"),
            Just("const"),
            Just("default"),
            Just("required"),
            Just("nullable"),
            Just("$ref"),
            Just("a"),
            Just("b"),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((keyword, inner), 0..4).prop_map(|pairs| {
                Value::Object(
                    pairs
                        .into_iter()
                        .map(|(key, value)| (key.into(), value))
                        .collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

/// A union has two kinds or more, each once, text last; an unknown shape is not part of a union.
fn is_canonical(shape: &Shape) -> bool {
    match shape {
        Shape::Object(Fields { properties, others }) => {
            properties.iter().all(|(_, shape)| is_canonical(shape))
                && others.as_deref().is_none_or(is_canonical)
        }
        Shape::Array(items) => is_canonical(items),
        Shape::OneOf(parts) => {
            let kinds: Vec<_> = parts.iter().map(std::mem::discriminant).collect();
            let distinct = (1..kinds.len()).all(|i| !kinds[..i].contains(&kinds[i]));
            let text_is_last = parts[..parts.len() - 1]
                .iter()
                .all(|part| *part != Shape::Text);
            let flat = parts
                .iter()
                .all(|part| !matches!(part, Shape::OneOf(_) | Shape::Any));
            parts.len() > 1 && distinct && text_is_last && flat && parts.iter().all(is_canonical)
        }
        _ => true,
    }
}

proptest! {
    #[test]
    fn shapes_are_canonical(schema in schema_like()) {
        let shape = shape(&schema);
        prop_assert!(is_canonical(&shape), "{:?}", shape);
    }

    /// Filling adds and never changes existing values.
    #[test]
    fn defaults_only_add(schema in schema_like(), a in schema_like()) {
        let before = json!({"a": a, "c": 1});
        let mut after = before.clone();
        fill_defaults(&schema, &mut after);
        prop_assert!(holds(&after, &before), "{after} lost something of {before}");
    }

    /// A schema is refused or compiled; a compiled schema answers.
    #[test]
    fn validation_is_total(schema in schema_like(), a in schema_like()) {
        if let Ok(validator) = Validator::new(&schema) {
            let violations = validator.validate(&json!({"a": a}));
            prop_assert!(violations.len() <= 16);
            prop_assert!(violations.iter().all(|violation| !violation.message.is_empty()));
        }
    }
}

fn holds(after: &Value, before: &Value) -> bool {
    match (after, before) {
        (Value::Object(after), Value::Object(before)) => before
            .iter()
            .all(|(key, value)| after.get(key).is_some_and(|after| holds(after, value))),
        (Value::Array(after), Value::Array(before)) => {
            after.len() == before.len()
                && after
                    .iter()
                    .zip(before)
                    .all(|(after, before)| holds(after, before))
        }
        _ => after == before,
    }
}
