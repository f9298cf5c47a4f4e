//! The tools for reading a text, independent of any parser's form.

use serde_json::Value;

/// A tool: its name and the schema of its parameters.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub parameters: Value,
}

impl Tool {
    /// The tools of a record: functions in the form of chat completions, top-level functions, or namespaces of
    /// functions.
    pub fn all_of(value: &Value) -> Vec<Tool> {
        let Some(entries) = value.as_array() else {
            return Vec::new();
        };
        let mut tools = Vec::new();
        for entry in entries {
            if entry["tools"].is_array() {
                tools.extend(Tool::all_of(&entry["tools"]));
                continue;
            }
            let function = if entry["function"].is_object() {
                &entry["function"]
            } else {
                entry
            };
            if let Some(name) = function["name"].as_str() {
                let parameters = ["parameters", "input_schema", "inputSchema"]
                    .iter()
                    .map(|key| &function[*key])
                    .find(|schema| !schema.is_null())
                    .cloned()
                    .unwrap_or_else(|| Value::Object(serde_json::Map::new()));
                tools.push(Tool {
                    name: name.to_owned(),
                    parameters,
                });
            }
        }
        tools
    }
}
