//! Random arguments: valid ones, and damaged ones.

use toolglot_value::{Map, Value};

use crate::random::Random;
use crate::tool_sets::{Tool, Tools};

/// Strings that no dialect reads as a closer.
const STRINGS: &[&str] = &[
    "a.rs",
    "",
    "two words",
    "a line\nand another",
    "naïve 中",
    "if a < b && c { d }",
    "\"quoted\"",
    "it's",
    "{\"k\": 1}",
    "[1, 2]",
    "7",
    "true",
    "C:\\temp",
];

/// Arguments that fit a tool's schema; with undeclared ones if `has_others`. `None` if none were found.
pub(crate) fn fitting(tool: &Tool, has_others: bool, random: &mut Random) -> Option<Value> {
    (0..12).find_map(|_| {
        let depth = usize::from(has_others);
        let map = tool.parameters.as_object()?;
        let is_plain = !["$ref", "anyOf", "oneOf", "allOf"]
            .into_iter()
            .any(|word| map.contains_key(word));
        let arguments = if is_plain {
            object(map, &tool.parameters, random, depth)?
        } else {
            value(&tool.parameters, &tool.parameters, random, depth)?
        };
        (arguments.is_object() && tool.validator.validate(&arguments).is_empty())
            .then_some(arguments)
    })
}

/// A damaged call: a key is missing, a value has another type, or a key or the tool is unknown.
pub(crate) fn damaged_call(tools: &Tools, random: &mut Random) -> Option<(String, Value)> {
    let tool = &tools.list[random.below(tools.list.len())];
    let mut arguments = fitting(tool, true, random)?;
    let mut name = tool.name.clone();
    let members = arguments.as_object_mut()?;
    let keys: Vec<String> = members.keys().cloned().collect();
    let key = (!keys.is_empty()).then(|| &keys[random.below(keys.len())]);
    match (random.below(4), key) {
        (0, Some(key)) => {
            members.shift_remove(key);
        }
        (1, Some(key)) => {
            const OTHERS: &[&str] = &[
                "\"seven\"",
                "7",
                "-1.5",
                "true",
                "null",
                "[]",
                "{}",
                "[[1]]",
            ];
            let other = OTHERS[random.below(OTHERS.len())];
            members.insert(key.clone(), toolglot_value::from_str(other).expect("JSON"));
        }
        (2, _) => {
            members.insert("no_such_key".to_owned(), Value::from("a"));
        }
        _ => "no_such_tool".clone_into(&mut name),
    }
    Some((name, arguments))
}

/// A text with one damage: a character is lost, doubled or replaced, or a piece is lost. Half of the damages are near
/// the end, at the closers.
pub(crate) fn damaged_text(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if chars.is_empty() {
        return String::new();
    }
    let at = match random.below(2) {
        0 => chars.len() - 1 - random.below(chars.len().min(24)),
        _ => random.below(chars.len()),
    };
    match random.below(4) {
        0 => {
            chars.remove(at);
        }
        1 => chars.insert(at, chars[at]),
        2 => chars[at] = chars[random.below(chars.len())],
        _ => {
            let end = (at + 2 + random.below(12)).min(chars.len());
            chars.drain(at..end);
        }
    }
    chars.into_iter().collect()
}

/// A value of a schema, for the usual keywords.
fn value(schema: &Value, root: &Value, random: &mut Random, depth: usize) -> Option<Value> {
    let Value::Object(map) = schema else {
        return (*schema != Value::Bool(false)).then(|| any(random));
    };
    if depth > 12 {
        return None;
    }
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        return value(
            root.pointer(reference.strip_prefix('#')?)?,
            root,
            random,
            depth + 1,
        );
    }
    if let Some(values) = map.get("enum").and_then(Value::as_array) {
        return values.get(random.below(values.len().max(1))).cloned();
    }
    if let Some(value) = map.get("const") {
        return Some(value.clone());
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some(several) = map.get(word).and_then(Value::as_array) {
            return value(
                several.get(random.below(several.len().max(1)))?,
                root,
                random,
                depth,
            );
        }
    }
    let kind = match map.get("type") {
        Some(Value::Array(kinds)) => kinds.get(random.below(kinds.len().max(1)))?.as_str()?,
        Some(kind) => kind.as_str()?,
        None if map.contains_key("properties") => "object",
        None if map.contains_key("items") => "array",
        None => return Some(any(random)),
    };
    let number = |word: &str| map.get(word).and_then(Value::as_i64);
    match kind {
        "string" => Some(string(map, random)),
        "integer" => {
            let min = number("minimum").or(number("exclusiveMinimum").map(|n| n + 1));
            let max = number("maximum").or(number("exclusiveMaximum").map(|n| n - 1));
            let min = min.unwrap_or_else(|| max.map_or(-30, |max| max - 30));
            let max = max.unwrap_or(min.saturating_add(3_000)).max(min);
            let n = usize::try_from(max.saturating_sub(min))
                .unwrap_or(3_000)
                .min(3_000);
            Some(Value::from(min + i64::try_from(random.below(n + 1)).ok()?))
        }
        "number" => Some(Value::from([0.5, 3.25, 100.0, 12.0, -7.5][random.below(5)])),
        "boolean" => Some(Value::from(random.is_one_in(2))),
        "null" => Some(Value::Null),
        "array" => {
            let min = usize::try_from(number("minItems").unwrap_or(0)).ok()?;
            let n = min + if depth > 3 { 0 } else { random.below(3) };
            let fixed = map.get("prefixItems").and_then(Value::as_array);
            let every = Value::Bool(true);
            let item = |n: usize| {
                let fixed = fixed.and_then(|fixed| fixed.get(n));
                fixed.or(map.get("items")).unwrap_or(&every)
            };
            (0..n)
                .map(|n| value(item(n), root, random, depth + 1))
                .collect()
        }
        "object" => object(map, root, random, depth),
        _ => Some(any(random)),
    }
}

fn object(
    map: &Map<String, Value>,
    root: &Value,
    random: &mut Random,
    depth: usize,
) -> Option<Value> {
    let mut members = Map::new();
    let required = map.get("required").and_then(Value::as_array);
    let properties = map.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let is_required =
            required.is_some_and(|names| names.iter().any(|one| one == name.as_str()));
        if is_required || (depth < 3 && random.is_one_in(2)) {
            members.insert(name.clone(), value(schema, root, random, depth + 1)?);
        }
    }
    // An object schema without `properties` allows any members.
    let is_free = properties.is_none();
    match map.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        _ if depth == 0 => {}
        None if !is_free => {}
        more => {
            let every = Value::Bool(true);
            for name in ["k", "another key"].iter().take(random.below(3)) {
                members.insert(
                    (*name).to_owned(),
                    value(more.unwrap_or(&every), root, random, depth + 1)?,
                );
            }
        }
    }
    Some(Value::Object(members))
}

fn string(map: &Map<String, Value>, random: &mut Random) -> Value {
    let word = |word: &str| map.get(word).and_then(Value::as_str);
    match (word("pattern"), word("format")) {
        (Some(_), _) => Value::from(["e4", "2026-02-28", "a_b", "A1"][random.below(4)]),
        (_, Some("date")) => Value::from("2026-02-28"),
        (_, Some("date-time")) => Value::from("2026-02-28T10:00:00Z"),
        (_, Some("email")) => Value::from("ann@example.org"),
        (_, Some("uuid")) => Value::from("0b5a9c3e-7f10-4e8b-9a54-2f6d1c8e3b70"),
        (_, Some("uri")) => Value::from("https://example.org/a"),
        _ => Value::from(STRINGS[random.below(STRINGS.len())]),
    }
}

/// A value for a schema that allows any.
fn any(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::from(i64::try_from(random.below(100)).expect("a number")),
        1 => Value::from_iter([("k", Value::from("a"))]),
        2 => Value::from_iter([Value::from("a"), Value::from(true)]),
        _ => Value::from(STRINGS[random.below(STRINGS.len())]),
    }
}
