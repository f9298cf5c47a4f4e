//! Describes tools for a model: name, description, parameters.

use std::fmt::Write;

use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::Value;

use crate::sample::{alternatives, required_parameters, resolved};

/// The list of tools, in Markdown.
pub(crate) fn tool_list(toolbox: &Toolbox) -> String {
    toolbox.iter().map(tool).collect::<Vec<_>>().join("\n")
}

fn tool(spec: &ToolSpec) -> String {
    let mut text = format!("## {}\n", spec.name);
    if !spec.description.is_empty() {
        text.push_str(spec.description.trim());
        text.push('\n');
    }
    let root = &spec.parameters;
    let schema = resolved(root, root);
    let has_any = schema["properties"]
        .as_object()
        .is_some_and(|all| !all.is_empty());
    if has_any {
        text.push_str("Parameters:\n");
        parameters(root, &schema, 0, &mut text);
    } else {
        text.push_str("No parameters.\n");
    }
    text
}

/// Deeper objects are described only by their type.
const MAX_DEPTH: usize = 3;

fn parameters(root: &Value, object: &Value, depth: usize, text: &mut String) {
    let required = required_parameters(object);
    for (name, schema) in object["properties"].as_object().into_iter().flatten() {
        let schema = &*resolved(root, schema);
        let optional = if required.contains(&name.as_str()) {
            "required"
        } else {
            "optional"
        };
        let indent = "  ".repeat(depth);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{indent}- {name} ({}, {optional})",
            type_of(root, schema, 0)
        );
        if let Some(description) = schema["description"].as_str() {
            // A description of several lines stays one list item.
            let words: Vec<&str> = description.split_whitespace().collect();
            let _ = write!(text, ": {}", words.join(" "));
        }
        if let Some(default) = schema.get("default") {
            let _ = write!(text, " Default: {default}.");
        }
        text.push('\n');
        let inner = if schema["properties"].is_object() {
            schema
        } else {
            &*resolved(root, &schema["items"])
        };
        if depth + 1 < MAX_DEPTH {
            parameters(root, inner, depth + 1, text);
        }
    }
    let indent = "  ".repeat(depth);
    if let Some(words) = either(object) {
        let _ = writeln!(text, "{indent}Required of these: {words}.");
    }
}

/// The required parameters of alternatives that contain nothing else: `a`, or `b` and `c`.
fn either(object: &Value) -> Option<String> {
    let sets: Vec<String> = alternatives(object)?
        .iter()
        .map(|choice| {
            let names: Vec<String> = required_parameters(choice)
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            names.join(" and ")
        })
        .collect();
    let is_listed = sets.len() > 1 && sets.iter().all(|set| !set.is_empty());
    let is_said_below = object["properties"].is_object();
    (is_listed && is_said_below).then(|| sets.join(", or "))
}

/// A schema's type in words. Below a few levels it is `any`: a schema may contain itself.
fn type_of(root: &Value, schema: &Value, depth: usize) -> String {
    if depth > 2 * MAX_DEPTH {
        return "any".to_owned();
    }
    let schema = resolved(root, schema);
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return format!("one of {}", values.join(", "));
    }
    if schema["properties"].is_object() {
        return "object".to_owned();
    }
    if let Some(choices) = alternatives(&schema) {
        let choices: Vec<String> = choices
            .iter()
            .map(|choice| type_of(root, choice, depth + 1))
            .collect();
        return choices.join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => match &schema["items"] {
            Value::Null => "array".to_owned(),
            items => format!("array of {}", type_of(root, items, depth + 1)),
        },
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn types_read_as_words() {
        let check = |schema: Value, words: &str| assert_eq!(type_of(&schema, &schema, 0), words);
        check(
            json!({"type": "array", "items": {"type": "string"}}),
            "array of string",
        );
        check(json!({"type": ["integer", "null"]}), "integer or null");
        check(json!({"enum": ["a", 1]}), r#"one of "a", 1"#);
        check(
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
            "string or number",
        );
        check(json!({}), "any");
    }

    #[test]
    fn parameters_say_what_is_required() {
        let schema = json!({
            "properties": {
                "path": {"type": "string", "description": "The file,\nrelative to the root."},
                "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit"}},
            },
            "required": ["path"],
            "$defs": {"Edit": {"type": "object", "properties": {"search": {"type": "string"}}, "required": ["search"]}},
        });
        let mut text = String::new();
        parameters(&schema, &schema, 0, &mut text);
        let either = json!({
            "properties": {"a": {"type": "string"}, "b": {}},
            "oneOf": [{"required": ["a"]}, {"required": ["a", "b"]}],
        });
        let mut other = String::new();
        parameters(&either, &either, 0, &mut other);
        assert_eq!(
            other,
            "- a (string, optional)\n- b (any, optional)\nRequired of these: `a`, or `a` and `b`.\n"
        );
        assert_eq!(
            text,
            "- path (string, required): The file, relative to the root.\n\
             - edits (array of object, optional)\n  - search (string, required)\n"
        );
    }
}
