//! Explains why some dialects cannot express a call: they write values without their types.

use toolglot_engine::{CallText, Dialect, Renderer};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, json};

/// A hint for a dialect that writes every value as text and could express the calls if it knew the types.
pub fn types_hint(dialect: &Dialect, calls: &[CallText<'_>]) -> String {
    let mut tools = Map::new();
    let mut needs_types = false;
    for call in calls {
        let arguments: Value = toolglot_value::from_str(call.arguments).unwrap_or_default();
        let schema = tools
            .entry(call.name)
            .or_insert_with(|| json!({"type": "object", "properties": {}}));
        for (name, value) in arguments.as_object().into_iter().flatten() {
            schema["properties"][name] = schema_of(value);
            needs_types |= !is_text_alone(value);
        }
    }
    let toolbox = Toolbox::from_json(&Value::Object(tools)).ok();
    let carries = toolbox.is_some_and(|toolbox| {
        let renderer = Renderer::new(dialect, &toolbox.tool_set());
        renderer.is_ok_and(|renderer| renderer.calls(calls).is_ok())
    });
    if carries && needs_types {
        "; the dialect writes values without their types: give the tools' schemas with `--tools`"
            .to_owned()
    } else {
        String::new()
    }
}

/// Whether a value is a string that no dialect takes for a value of another type.
fn is_text_alone(value: &Value) -> bool {
    matches!(value, Value::String(text) if toolglot_value::from_str(text).is_err())
}

/// A schema that accepts a value.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) if number.is_f64() => json!({"type": "number"}),
        Value::Number(_) => json!({"type": "integer"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(list) => {
            if let Some(first) = list.first() {
                json!({"type": "array", "items": schema_of(first)})
            } else {
                json!({"type": "array"})
            }
        }
        Value::Object(members) => {
            let properties: Map<String, Value> = members
                .iter()
                .map(|(name, value)| (name.clone(), schema_of(value)))
                .collect();
            json!({"type": "object", "properties": properties})
        }
    }
}
