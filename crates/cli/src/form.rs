//! The right form of a call in a dialect, written by the renderer.

use serde_json::{Map, Value, json};
use toolglot::{CallText, Dialect, ToolSet, Unrenderable};
use toolglot_tools::{ToolSpec, Toolbox};

use crate::{server, spaced};

/// A call of `name`, or of the tool that was probably meant, or of any tool, in `dialect`.
///
/// `None` where the dialect cannot carry it.
pub(crate) fn of_call(
    dialect: &Dialect,
    toolbox: Option<&Toolbox>,
    name: Option<&str>,
) -> Option<String> {
    let known = || Toolbox::taught(dialect.name()).or_else(|| Toolbox::builtin("workspace"));
    let toolbox = &toolbox.cloned().or_else(known)?;
    let spec = match name {
        Some(name) => toolbox.get(name).or_else(|| {
            let names = toolbox.iter().map(|spec| spec.name.as_str());
            toolbox.get(toolglot_tools::nearest(name, names)?)
        }),
        None => None,
    };
    let spec = spec.or_else(|| toolbox.iter().next())?;
    of_tool(dialect, &toolbox.tool_set(), spec)
}

/// A call of `spec` with simple values for what it requires.
pub(crate) fn of_tool(dialect: &Dialect, tools: &ToolSet, spec: &ToolSpec) -> Option<String> {
    with(
        dialect,
        tools,
        &spec.name,
        &sample_arguments(&spec.parameters),
    )
}

/// A call of `name` with these arguments.
fn with(
    dialect: &Dialect,
    tools: &ToolSet,
    name: &str,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let call = (name.to_owned(), arguments.clone());
    let text = calls(dialect, tools, &[call]).ok()?;
    Some(text.trim_end().to_owned())
}

/// Calls by name and arguments, with the server of the dialect's system where there is a place for one.
pub(crate) fn calls(
    dialect: &Dialect,
    tools: &ToolSet,
    calls: &[(String, Map<String, Value>)],
) -> Result<String, Unrenderable> {
    let texts: Vec<String> = calls
        .iter()
        .map(|(_, arguments)| spaced::text(arguments))
        .collect();
    let written = |ns| {
        let calls: Vec<CallText<'_>> = calls
            .iter()
            .zip(&texts)
            .map(|((name, _), args)| CallText {
                name,
                args,
                ns,
                id: None,
            })
            .collect();
        toolglot::render(dialect, tools, &calls)
    };
    let server = server::default_of(dialect.name());
    written(server).or_else(|refused| server.map_or(Err(refused), |_| written(None)))
}

/// Simple values for the required properties of an object schema; where none is required, for the first.
pub(crate) fn sample_arguments(schema: &Value) -> Map<String, Value> {
    object(schema, 0)
}

/// Deeper schemas get an empty object: an example is to be read.
const MAX_DEPTH: usize = 4;

fn object(schema: &Value, depth: usize) -> Map<String, Value> {
    let Some(properties) = schema["properties"].as_object() else {
        return Map::new();
    };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let is_shown = |name: &str| required.contains(&name);
    let shown = properties.iter().filter(|(name, _)| is_shown(name));
    let first = properties.iter().take(usize::from(required.is_empty()));
    shown
        .chain(first)
        .map(|(name, property)| (name.clone(), sample(name, property, depth + 1)))
        .collect()
}

fn sample(name: &str, schema: &Value, depth: usize) -> Value {
    if let Some(given) = given(schema) {
        return given;
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("integer") => json!(1),
        Some("number") => json!(1.5),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some("array") if depth < MAX_DEPTH => json!([sample(name, &schema["items"], depth + 1)]),
        Some("array") => json!([]),
        Some("object") if depth < MAX_DEPTH => Value::Object(object(schema, depth)),
        Some("object") => json!({}),
        _ => {
            let word = WORDS.iter().find(|(known, _)| *known == name);
            word.map_or("text", |(_, word)| word).into()
        }
    }
}

/// A value that the schema itself gives.
fn given(schema: &Value) -> Option<Value> {
    let first = |list: &Value| list.as_array().and_then(|values| values.first()).cloned();
    schema
        .get("const")
        .cloned()
        .or_else(|| first(&schema["examples"]))
        .or_else(|| first(&schema["enum"]))
}

/// Values that look like what a parameter of that name takes.
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

    #[test]
    fn lists_hold_one_item() {
        let item = json!({"type": "object", "properties": {"search": {}}, "required": ["search"]});
        check(
            &json!({"properties": {"edits": {"type": "array", "items": item}}, "required": ["edits"]}),
            &json!({"edits": [{"search": "old text"}]}),
        );
    }
}
