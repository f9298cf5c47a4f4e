//! Runs the tests in the files of `data/`.

use toolglot_engine::{Fields, Scalars, Shape};
use toolglot_schema::{SchemaError, Validator, fields, fill_defaults, shape};
use toolglot_value::Value;

/// The nonblank lines of a file, each with its number.
fn lines(file: &'static str) -> impl Iterator<Item = (usize, &'static str)> {
    file.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn json(line: &str, number: usize) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("line {number}: {error}"))
}

#[test]
fn shapes() {
    let mut schema = Value::Null;
    for (number, line) in lines(include_str!("data/shapes.txt")) {
        match line.strip_prefix("=> ") {
            None => schema = json(line, number),
            Some(expected) => assert_eq!(notation(&shape(&schema)), expected, "line {number}"),
        }
    }
}

#[test]
fn violations() {
    let file = include_str!("data/violations.txt");
    let mut validator = None;
    let mut found = Vec::new();
    let mut blank_above = true;
    for (number, line) in file.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        if line.is_empty() || line.starts_with('#') {
            blank_above = true;
            continue;
        }
        if let Some(expected) = line.strip_prefix("=> ") {
            assert!(!found.is_empty(), "line {number}: nothing more was found");
            assert_eq!(found.remove(0), expected, "line {number}");
            continue;
        }
        assert!(found.is_empty(), "above line {number}: {found:?}");
        let value = json(line, number);
        if blank_above {
            validator = Some(Validator::new(&value).expect("the schema is valid"));
        } else {
            found = validator
                .as_ref()
                .expect("a schema stands above")
                .validate(&value)
                .iter()
                .map(|v| format!("{} [{}] {}", v.path, v.keyword, v.message))
                .collect();
        }
        blank_above = false;
    }
    assert!(found.is_empty(), "at the end: {found:?}");
}

#[test]
fn defaults() {
    let (mut schema, mut arguments) = (Value::Null, Value::Null);
    let mut blank_above = true;
    for (number, line) in include_str!("data/defaults.txt").lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            blank_above = true;
        } else if let Some(expected) = line.strip_prefix("=> ") {
            fill_defaults(&schema, &mut arguments);
            assert_eq!(arguments, json(expected, number + 1), "line {}", number + 1);
        } else if std::mem::take(&mut blank_above) {
            schema = json(line, number + 1);
        } else {
            arguments = json(line, number + 1);
        }
    }
}

#[test]
fn schemas_that_are_refused_say_where() {
    for (schema, expected) in [
        (
            r#"{"type": "object", "properties": {"a": {"type": 7}}}"#,
            "the schema is not valid at `/properties/a/type`",
        ),
        (
            r#"{"properties": {"a": {"pattern": "(?=x)"}}}"#,
            "the schema is not valid at `/properties/a/pattern`",
        ),
        (
            r#"{"$ref": "https://example.com/s.json"}"#,
            "the schema holds a reference that cannot be followed inside it",
        ),
        (
            r#"{"$ref": "file:///etc/passwd"}"#,
            "the schema holds a reference that cannot be followed inside it",
        ),
        (
            r##"{"$ref": "#/$defs/none"}"##,
            "the schema holds a reference that cannot be followed inside it",
        ),
    ] {
        let error = Validator::new(&json(schema, 0)).expect_err(schema);
        assert_eq!(error.to_string(), expected, "{schema}");
    }
}

/// Thirty definitions, each of which uses the next one twice: a billion schemas when unfolded.
#[test]
fn schemas_that_unfold_without_end_are_read_in_bounded_work_and_not_compiled() {
    let mut defs = toolglot_value::Map::new();
    for i in 0..30 {
        let next = toolglot_value::json!({"$ref": format!("#/$defs/d{}", i + 1)});
        let twice =
            toolglot_value::json!({"allOf": [next, next], "properties": {"l": next, "r": next}});
        defs.insert(format!("d{i}"), twice);
    }
    defs.insert("d30".into(), toolglot_value::json!({"type": "object"}));
    let schema = toolglot_value::json!({"$ref": "#/$defs/d0", "$defs": defs});
    assert!(!fields(&schema).properties.is_empty());
    assert!(matches!(Validator::new(&schema), Err(SchemaError::Unfolds)));
    let mut arguments = toolglot_value::json!({"l": {"l": {}}});
    fill_defaults(&schema, &mut arguments);
    assert_eq!(arguments, toolglot_value::json!({"l": {"l": {}}}));
}

/// Trees need recursion through the parts of a value.
#[test]
fn recursive_schemas_are_compiled() {
    let schema = json(
        r##"{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
            "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"}, "value": {"type": "integer"}}}}}"##,
        0,
    );
    let validator = Validator::new(&schema).expect("a tree is a schema");
    let found = validator.validate(&json(r#"{"left": {"right": {"value": "x"}}}"#, 0));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "/left/right/value");
}

#[test]
fn fields_of_what_is_no_object_are_free() {
    for schema in [
        "null",
        "{}",
        r#"{"type": "string"}"#,
        r#"{"type": "object"}"#,
    ] {
        let fields = fields(&json(schema, 0));
        assert!(fields.properties.is_empty(), "{schema}");
        assert_eq!(fields.others.as_deref(), Some(&Shape::Any), "{schema}");
    }
    let nullable = json(
        r#"{"type": ["object", "null"], "properties": {"a": {"type": "string"}}}"#,
        0,
    );
    assert_eq!(fields(&nullable).get("a"), Some(&Shape::Text));
}

fn notation(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".into(),
        Shape::Scalar(scalars) => scalar_notation(*scalars),
        Shape::Object(fields) => format!("{{{}}}", fields_notation(fields)),
        Shape::Array(items) => format!("[{}]", notation(items)),
        Shape::Any => "any".into(),
        Shape::OneOf(parts) => parts.iter().map(notation).collect::<Vec<_>>().join(" | "),
        other => panic!("a shape this test does not know: {other:?}"),
    }
}

fn scalar_notation(scalars: Scalars) -> String {
    [
        (scalars.integer, "integer"),
        (scalars.number, "number"),
        (scalars.boolean, "boolean"),
        (scalars.null, "null"),
    ]
    .iter()
    .filter_map(|&(set, name)| set.then_some(name))
    .collect::<Vec<_>>()
    .join("/")
}

fn fields_notation(fields: &Fields) -> String {
    let declared = fields
        .properties
        .iter()
        .map(|(name, shape)| format!("{name}: {}", notation(shape)));
    let others = fields
        .others
        .iter()
        .map(|others| format!("..{}", notation(others)));
    declared.chain(others).collect::<Vec<_>>().join(", ")
}
