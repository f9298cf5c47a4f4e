//! Tools described for a model: name, what it does, parameters.

use std::fmt::Write;

use serde_json::Value;
use toolglot_tools::{ToolSpec, Toolbox};

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
    let Some(properties) = spec.parameters["properties"]
        .as_object()
        .filter(|all| !all.is_empty())
    else {
        text.push_str("No parameters.\n");
        return text;
    };
    text.push_str("Parameters:\n");
    parameters(properties, &spec.parameters["required"], 0, &mut text);
    text
}

/// Deeper objects are named by their type only.
const MAX_DEPTH: usize = 3;

fn parameters(
    properties: &serde_json::Map<String, Value>,
    required: &Value,
    depth: usize,
    text: &mut String,
) {
    let is_required = |name: &str| {
        required
            .as_array()
            .is_some_and(|names| names.iter().any(|known| known == name))
    };
    for (name, schema) in properties {
        let optional = if is_required(name) {
            "required"
        } else {
            "optional"
        };
        let indent = "  ".repeat(depth);
        // Writing to a string cannot fail.
        let _ = write!(text, "{indent}- {name} ({}, {optional})", type_of(schema));
        if let Some(description) = schema["description"].as_str() {
            // A description of several lines stays one item.
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
            &schema["items"]
        };
        if let Some(inner_properties) = inner["properties"]
            .as_object()
            .filter(|_| depth + 1 < MAX_DEPTH)
        {
            parameters(inner_properties, &inner["required"], depth + 1, text);
        }
    }
}

/// A schema's type in words.
fn type_of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return format!("one of {}", values.join(", "));
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => match &schema["items"] {
            Value::Null => "array".to_owned(),
            items => format!("array of {}", type_of(items)),
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
    use serde_json::json;

    use super::*;

    #[test]
    fn types_read_as_words() {
        let check = |schema: Value, words: &str| assert_eq!(type_of(&schema), words);
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
                "edits": {"type": "array", "items": {"type": "object", "properties": {"search": {"type": "string"}}, "required": ["search"]}},
            },
            "required": ["path"],
        });
        let mut text = String::new();
        parameters(
            schema["properties"].as_object().expect("an object"),
            &schema["required"],
            0,
            &mut text,
        );
        assert_eq!(
            text,
            "- path (string, required): The file, relative to the root.\n\
             - edits (array of object, optional)\n  - search (string, required)\n"
        );
    }
}
