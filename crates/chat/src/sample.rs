//! Simple values for a schema: for examples in prompts and for the correct form of a call.

use std::borrow::Cow;
use std::cell::Cell;

use toolglot_schema::Validator;
use toolglot_value::{Map, Number, Value, json};

/// Simple values for the required properties of an object schema, or for the first property if none is required. If the
/// schema has alternatives, the first one that accepts such values counts.
pub(crate) fn sample_arguments(schema: &Value) -> Map<String, Value> {
    sample_with(schema, &[])
}

/// Like [`sample_arguments`], with these optional properties of the object.
pub(crate) fn sample_with(schema: &Value, optional: &[&str]) -> Map<String, Value> {
    let sampler = |choice| Sampler {
        root: schema,
        choice,
        optional,
        item: Cell::new(0),
        has_choice: Cell::new(false),
    };
    let first = sampler(0);
    let arguments = first.object(schema, 0);
    if !first.has_choice.get() {
        return arguments;
    }
    let Ok(validator) = Validator::new(schema) else {
        return arguments;
    };
    let fits = |arguments: &Map<String, Value>| {
        let arguments = Value::Object(arguments.clone());
        validator.validate(&arguments).is_empty()
    };
    if fits(&arguments) {
        return arguments;
    }
    let mut others = (1..MAX_CHOICES).map(|choice| sampler(choice).object(schema, 0));
    others.find(fits).unwrap_or(arguments)
}

/// The most alternatives that are tried.
const MAX_CHOICES: usize = 8;

/// The names that a schema requires.
pub fn required_parameters(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// The alternatives of a schema, from `anyOf` or `oneOf`.
pub(crate) fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    choices.filter(|choices| !choices.is_empty())
}

/// A schema with its references into `root` followed and its `allOf` joined. Unresolvable references stay.
pub(crate) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> Cow<'a, Value> {
    let mut schema = Cow::Borrowed(schema);
    // The limit also ends a loop of references.
    for _ in 0..MAX_STEPS {
        if let Some(target) = referred(root, &schema) {
            schema = Cow::Borrowed(target);
        } else if let Some(joined) = joined(&schema) {
            schema = Cow::Owned(joined);
        } else {
            break;
        }
    }
    schema
}

/// The most consecutive references.
const MAX_STEPS: usize = 8;

fn referred<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
}

/// The members of `allOf` as one schema: properties and requirements are united, and other keywords come from the first
/// that has them.
fn joined(schema: &Value) -> Option<Value> {
    let mut parts = schema["allOf"].as_array()?.iter();
    let mut whole = schema.as_object()?.clone();
    whole.remove("allOf");
    if let (1, Some(Value::Object(only))) = (parts.len(), schema["allOf"].get(0)) {
        // The next step follows a reference in it.
        let only = only.iter().map(|(key, value)| (key.clone(), value.clone()));
        return Some(Value::Object(only.chain(whole).collect()));
    }
    parts.try_for_each(|part| {
        merge(&mut whole, part.as_object()?);
        Some(())
    })?;
    Some(Value::Object(whole))
}

/// Merges a part of a schema into the whole.
fn merge(whole: &mut Map<String, Value>, part: &Map<String, Value>) {
    for (key, value) in part {
        match (whole.get_mut(key), value) {
            (Some(Value::Object(all)), Value::Object(more)) => {
                all.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            (Some(Value::Array(all)), Value::Array(more)) => all.extend(more.iter().cloned()),
            (Some(_), _) => {}
            (None, value) => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Deeper schemas get an empty object: examples must be readable.
const MAX_DEPTH: usize = 4;

/// Makes values; if a schema has alternatives, it uses one of them.
struct Sampler<'a> {
    root: &'a Value,
    /// The index of the alternative, or the last if there are fewer.
    choice: usize,
    /// Optional properties of the whole that are included.
    optional: &'a [&'a str],
    /// The index of the current list item: the second differs from the first if possible.
    item: Cell<u32>,
    /// Whether a schema had alternatives.
    has_choice: Cell<bool>,
}

impl Sampler<'_> {
    fn chosen<'c>(&self, choices: &'c [Value]) -> Option<&'c Value> {
        self.has_choice
            .set(self.has_choice.get() || choices.len() > 1);
        choices.get(self.choice).or(choices.last())
    }

    fn object(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut schema = resolved(self.root, schema);
        // An alternative adds constraints to the same object.
        let mut has_part = false;
        for _ in 0..MAX_STEPS {
            let Some(part) = alternatives(&schema).and_then(|all| self.chosen(all)) else {
                break;
            };
            let part = resolved(self.root, part).into_owned();
            let (Some(part), Some(mut whole)) = (part.as_object(), schema.as_object().cloned())
            else {
                break;
            };
            whole.retain(|key, _| !matches!(key.as_str(), "anyOf" | "oneOf"));
            merge(&mut whole, part);
            schema = Cow::Owned(Value::Object(whole));
            has_part = true;
        }
        let Some(properties) = schema["properties"].as_object() else {
            return Map::new();
        };
        let required = required_parameters(&schema);
        let is_wanted =
            |name: &str| required.contains(&name) || depth == 0 && self.optional.contains(&name);
        // A nested object gets two members, so that it is recognizable.
        let n_least = match depth {
            0 => usize::from(required.is_empty()),
            _ if has_part => 0,
            _ => 2,
        };
        let n_wanted = properties.keys().filter(|name| is_wanted(name)).count();
        let mut n_more = n_least.saturating_sub(n_wanted);
        let mut shown = Map::new();
        for (name, property) in properties {
            let is_wanted = is_wanted(name);
            if !is_wanted && n_more == 0 {
                continue;
            }
            let value = self.sample(name, property, depth + 1);
            if !is_wanted && depth > 0 && !self.is_valid(property, &value) {
                continue;
            }
            n_more -= usize::from(!is_wanted);
            shown.insert(name.clone(), value);
        }
        shown
    }

    /// Whether a value is valid for an optional property: no simple value matches some patterns.
    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let schema = resolved(self.root, schema);
        Validator::new(&schema).is_ok_and(|validator| validator.validate(value).is_empty())
    }

    /// Items of a list: two, unless the schema requires more or fewer.
    fn items(&self, name: &str, schema: &Value, depth: usize) -> Value {
        let bound = |key: &str| schema[key].as_u64().unwrap_or(u64::MAX);
        let n_least = schema["minItems"].as_u64().unwrap_or(0);
        let n_items = n_least.max(2).min(bound("maxItems")).min(MAX_ITEMS);
        let outer = self.item.get();
        let items = (0..n_items as u32).map(|n| {
            self.item.set(n);
            self.sample(name, &schema["items"], depth + 1)
        });
        let mut items: Vec<Value> = items.collect();
        self.item.set(outer);
        if schema["uniqueItems"] == true {
            let mut seen = Vec::new();
            items.retain(|item| {
                !seen.contains(item) && {
                    seen.push(item.clone());
                    true
                }
            });
        }
        Value::Array(items)
    }

    fn sample(&self, name: &str, schema: &Value, depth: usize) -> Value {
        let schema = resolved(self.root, schema);
        let n = self.item.get();
        if let Some(given) = given(&schema, n) {
            return given;
        }
        let is_object = schema["properties"].is_object();
        let choices = alternatives(&schema).filter(|_| depth < MAX_DEPTH && !is_object);
        if let Some(choices) = choices {
            let is_null = |choice: &&Value| choice["type"] == "null";
            let choices: Vec<Value> = choices
                .iter()
                .filter(|one| !is_null(one))
                .cloned()
                .collect();
            let choice = self.chosen(&choices);
            return choice.map_or(Value::Null, |choice| self.sample(name, choice, depth + 1));
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.first().and_then(Value::as_str),
            Value::Null if is_object => Some("object"),
            kind => kind.as_str(),
        };
        match kind {
            Some("integer") => number(&schema, 1.0 + f64::from(n), 1.0),
            Some("number") => number(&schema, 1.5 + f64::from(n), 0.5),
            Some("boolean") => json!(true),
            Some("null") => Value::Null,
            Some("array") if depth < MAX_DEPTH => self.items(name, &schema, depth),
            Some("array") => json!([]),
            Some("object") if depth < MAX_DEPTH => Value::Object(self.object(&schema, depth)),
            Some("object") => json!({}),
            _ => text(name, &schema, n).into(),
        }
    }
}

/// The most items of an example list.
const MAX_ITEMS: u64 = 8;

/// A value from the schema itself: the value for item `n` of a list, or the first.
fn given(schema: &Value, n: u32) -> Option<Value> {
    let first = |list: &Value| {
        let values = list.as_array()?;
        values.get(n as usize).or(values.first()).cloned()
    };
    schema
        .get("const")
        .cloned()
        .or_else(|| first(&schema["examples"]))
        .or_else(|| first(&schema["enum"]))
        .or_else(|| {
            let default = schema.get("default").filter(|value| !value.is_null());
            default.cloned()
        })
}

/// A number near `wanted` that the schema's bounds allow, in steps of `step`.
fn number(schema: &Value, wanted: f64, step: f64) -> Value {
    let bound = |key: &str| schema[key].as_f64();
    let mut value = wanted;
    if let Some(most) = bound("maximum") {
        value = value.min(most);
    }
    if let Some(most) = bound("exclusiveMaximum") {
        value = value.min(most - step);
    }
    if let Some(least) = bound("minimum") {
        value = value.max(least);
    }
    if let Some(least) = bound("exclusiveMinimum") {
        value = value.max(least + step);
    }
    if let Some(factor) = bound("multipleOf").filter(|factor| *factor > 0.0) {
        value = (value / factor).ceil() * factor;
    }
    let is_whole = value.fract() == 0.0 && value.abs() < 1e15;
    if is_whole {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A text typical for a parameter of that name, with the length that the schema requires.
fn text(name: &str, schema: &Value, n: u32) -> String {
    let format = schema["format"].as_str().unwrap_or_default();
    let formats = FORMATS.iter().find(|(known, _)| *known == format);
    let words = WORDS.iter().find(|(known, _)| *known == name);
    let other = OTHER_WORDS.iter().find(|(known, _)| *known == name);
    let plain = if n == 0 { "text" } else { "more text" };
    let mut text = formats
        .or(other.filter(|_| n > 0))
        .or(words)
        .map_or(plain, |(_, word)| word)
        .to_owned();
    let n_least = schema["minLength"].as_u64().unwrap_or(0).min(256) as usize;
    while text.chars().count() < n_least {
        text.push('x');
    }
    match schema["maxLength"].as_u64() {
        Some(n_most) => text.chars().take(n_most as usize).collect(),
        None => text,
    }
}

/// Values of the formats that JSON Schema names.
const FORMATS: &[(&str, &str)] = &[
    ("date", "2026-01-31"),
    ("time", "12:30:00Z"),
    ("date-time", "2026-01-31T12:30:00Z"),
    ("email", "ada@example.com"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("ipv4", "192.0.2.1"),
    ("hostname", "example.com"),
];

/// Typical values for parameters by name.
const WORDS: &[(&str, &str)] = &[
    ("path", "src/main.rs"),
    ("file_path", "src/main.rs"),
    ("file_pattern", "*.rs"),
    ("pattern", "TODO"),
    ("regex", "TODO"),
    ("content", "Hello!\n"),
    ("command", "ls -la"),
    ("question", "Which file do you mean?"),
    ("result", "The file is written."),
    ("url", "https://example.com/"),
    ("query", "parser"),
    ("search", "old text"),
    ("replace", "new text"),
];

/// Values for the second item of a list.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("path", "src/lib.rs"),
    ("file_path", "src/lib.rs"),
    ("search", "another old text"),
    ("replace", "another new text"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, expected: &Value) {
        assert_eq!(&Value::Object(sample_arguments(schema)), expected);
    }

    #[test]
    fn only_what_is_required_is_shown() {
        check(
            &json!({"properties": {"path": {"type": "string"}, "start_line": {"type": "integer"}}, "required": ["path"]}),
            &json!({"path": "src/main.rs"}),
        );
    }

    #[test]
    fn where_nothing_is_required_the_first_is_shown() {
        check(
            &json!({"properties": {"n": {"type": ["integer", "null"]}, "m": {}}}),
            &json!({"n": 1}),
        );
    }

    #[test]
    fn values_of_the_schema_come_first() {
        check(
            &json!({"properties": {"to": {"enum": ["a", "b"]}}, "required": ["to"]}),
            &json!({"to": "a"}),
        );
    }

    /// Alternatives that differ in their required properties.
    #[test]
    fn one_of_several_requirements_is_shown() {
        let of = |more: Value| {
            let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}});
            let settings = schema.as_object_mut().expect("an object");
            settings.extend(more.as_object().expect("an object").clone());
            schema
        };
        let either = json!([{"required": ["b"]}, {"required": ["a", "c"]}]);
        check(&of(json!({"oneOf": either})), &json!({"b": 1}));
        check(&of(json!({"anyOf": either})), &json!({"b": 1}));
        // The first alternative would require both properties.
        check(
            &of(json!({"oneOf": [{"required": ["b"]}, {"required": ["a"]}], "required": ["a"]})),
            &json!({"a": "text"}),
        );
        let inner = of(json!({"oneOf": either}));
        check(
            &json!({"properties": {"x": inner}, "required": ["x"]}),
            &json!({"x": {"b": 1}}),
        );
        let whole = json!({"oneOf": [
            {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            {"type": "object", "properties": {"m": {}}, "required": ["m"]},
        ]});
        check(&whole, &json!({"n": 1}));
    }

    #[test]
    fn lists_hold_two_items_and_objects_two_members() {
        let item = json!({"type": "object", "properties": {"search": {}, "n": {"type": "integer"}, "more": {}}, "required": ["search"]});
        let list = |more: Value| {
            let mut list = json!({"type": "array", "items": item});
            let settings = list.as_object_mut().expect("an object");
            settings.extend(more.as_object().expect("an object").clone());
            json!({"properties": {"edits": list}, "required": ["edits"]})
        };
        let (first, second) = (
            json!({"search": "old text", "n": 1}),
            json!({"search": "another old text", "n": 2}),
        );
        check(&list(json!({})), &json!({"edits": [first, second]}));
        check(&list(json!({"maxItems": 1})), &json!({"edits": [first]}));
        let words = json!({"type": "array", "uniqueItems": true, "items": {"enum": ["a"]}});
        check(
            &json!({"properties": {"words": words}, "required": ["words"]}),
            &json!({"words": ["a"]}),
        );
    }

    #[test]
    fn optional_properties_are_shown_where_they_are_asked_for() {
        let schema = json!({"properties": {
            "a": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
            "at": {"properties": {"x": {"type": "integer"}, "y": {"type": "integer"}, "code": {"type": "string", "pattern": "^\\d+$"}}},
        }, "required": ["a"]});
        assert_eq!(
            Value::Object(sample_with(&schema, &["tags", "at"])),
            json!({"a": "text", "tags": ["text", "more text"], "at": {"x": 1, "y": 1}})
        );
    }

    /// Generated schemas refer to parts of themselves.
    #[test]
    fn references_bounds_and_choices_are_kept() {
        let schema = json!({
            "properties": {
                "color": {"$ref": "#/$defs/Color"},
                "box": {"allOf": [{"$ref": "#/$defs/Box"}], "description": "d"},
                "n": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
                "day": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string", "minLength": 6}, "minItems": 2},
                "part": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "mode": {"type": "string", "pattern": "^r$", "default": "r"},
            },
            "required": ["color", "box", "n", "day", "tags", "part", "mode"],
            "$defs": {
                "Color": {"enum": ["red", "blue"]},
                "Box": {"type": "object", "properties": {"w": {"type": "integer", "multipleOf": 4}}, "required": ["w"]},
            },
        });
        let expected = json!({
            "color": "red", "box": {"w": 4}, "n": 5, "day": "2026-01-31", "tags": ["textxx", "more text"], "part": 1,
            "mode": "r",
        });
        check(&schema, &expected);
        let validator = toolglot_schema::Validator::new(&schema).expect("a schema");
        assert!(validator.validate(&expected).is_empty());
        check(&json!({"$ref": "#"}), &json!({}));
    }
}
