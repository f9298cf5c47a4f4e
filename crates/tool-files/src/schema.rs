//! The JSON Schema of a tool's parameters, however the file declares them.

use toolglot_value::{Map, Value, json};

use crate::literal::{Literal, Member};
use crate::read::Reading;

/// The schemas of a tool's arguments and result.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// JSON Schema of the arguments.
    pub input: Value,
    /// JSON Schema of the result, where the file has one.
    pub output: Option<Value>,
}

/// A part of a tool that is called on its own, as `tool-id.action`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Action {
    /// The name after the dot.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input: Value,
}

impl Schema {
    /// Reads `input_schema`, or else `CONFIG_SCHEMA`, or else `parameters`, and the actions beside it.
    pub(crate) fn of(reading: &Reading) -> (Schema, Vec<Action>) {
        let own = own(reading);
        let actions: Vec<Action> = actions(reading)
            .map(|member| Action {
                name: member.key.clone(),
                description: member
                    .value
                    .get("description")
                    .and_then(Literal::as_text)
                    .map(str::to_owned),
                input: beside(
                    own.as_ref(),
                    match member.value.get("input_schema") {
                        Some(schema) if schema.as_map().is_some() => schema.to_json(),
                        _ => listed(member.value.get("parameters")),
                    },
                ),
            })
            .collect();
        let input = if actions.is_empty() {
            own.unwrap_or_else(|| json!({"type": "object", "properties": {}}))
        } else {
            with_actions(own.as_ref(), &actions)
        };
        let output = reading
            .get("output_schema")
            .or_else(|| reading.get("outputs"))
            .filter(|schema| schema.as_map().is_some())
            .map(|schema| output(schema.to_json()));
        (Schema { input, output }, actions)
    }
}

fn actions(reading: &Reading) -> impl Iterator<Item = &Member> {
    let all = reading.get("actions").and_then(Literal::as_map);
    let all = all.unwrap_or_default().iter();
    all.filter(|member| member.value.as_map().is_some())
}

fn own(reading: &Reading) -> Option<Value> {
    for name in ["input_schema", "config_schema"] {
        if let Some(schema) = reading.get(name)
            && schema.as_map().is_some()
        {
            let mut schema = schema.to_json();
            if let Value::Object(keywords) = &mut schema {
                keywords.entry("type").or_insert_with(|| json!("object"));
            }
            return Some(schema);
        }
    }
    let list = reading.get("parameters")?;
    list.as_list().map(|_| listed(Some(list)))
}

/// A list of parameters as a schema. It is closed: other parameters are refused.
fn listed(list: Option<&Literal>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in list.and_then(Literal::as_list).unwrap_or_default() {
        let Some(name) = parameter.get("name").and_then(Literal::as_text) else {
            continue;
        };
        let Value::Object(mut keywords) = parameter.to_json() else {
            continue;
        };
        keywords.shift_remove("name");
        // `required` is a boolean for a parameter, and a list of keys for an object inside it.
        match keywords.get("required") {
            Some(Value::Array(_)) => {}
            Some(Value::Bool(false)) => {
                keywords.shift_remove("required");
            }
            Some(_) => {
                keywords.shift_remove("required");
                required.push(Value::String(name.to_owned()));
            }
            // A parameter with neither a default nor `required` is required.
            None if !keywords.contains_key("default") => {
                required.push(Value::String(name.to_owned()));
            }
            None => {}
        }
        properties.insert(name.to_owned(), Value::Object(keywords));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of an action: its own parameters, and those of the tool, which are all optional for an action. The
/// format's own example has an action that cannot use what its tool requires.
fn beside(own: Option<&Value>, action: Value) -> Value {
    let Some(Value::Object(own)) = own else {
        return action;
    };
    let mut whole = own.clone();
    // The action decides which other parameters are allowed and which are required.
    whole.shift_remove("additionalProperties");
    whole.shift_remove("required");
    for (keyword, of_action) in action.as_object().into_iter().flatten() {
        match (whole.get_mut(keyword), of_action) {
            (Some(Value::Object(all)), Value::Object(more)) if keyword == "properties" => {
                all.extend(more.clone());
            }
            _ => {
                whole.insert(keyword.clone(), of_action.clone());
            }
        }
    }
    // `action` selects it, and is not one of its parameters.
    if let Some(Value::Object(properties)) = whole.get_mut("properties") {
        properties.shift_remove("action");
    }
    Value::Object(whole)
}

/// The schema of a tool whose arguments include `action`.
fn with_actions(own: Option<&Value>, actions: &[Action]) -> Value {
    let names: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
    let mut properties = own
        .and_then(|own| own.get("properties"))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    // A tool may describe `action` itself.
    let description = properties
        .get("action")
        .and_then(|own| own.get("description"));
    let description = description
        .cloned()
        .unwrap_or_else(|| json!("Which part of the tool is meant"));
    properties.insert(
        "action".to_owned(),
        json!({"type": "string", "enum": names, "description": description}),
    );
    let branches: Vec<Value> = actions
        .iter()
        .map(|action| {
            let mut then = action.input.clone();
            // The branch also sees `action` and the tool's own parameters.
            if let Some(keywords) = then.as_object_mut() {
                keywords.shift_remove("additionalProperties");
            }
            json!({
                "if": {"properties": {"action": {"const": action.name}}, "required": ["action"]},
                "then": then,
            })
        })
        .collect();
    json!({"type": "object", "properties": properties, "required": ["action"], "allOf": branches})
}

/// `outputs` is a schema, or a map from names to schemas.
fn output(schema: Value) -> Value {
    let is_schema = schema.as_object().is_none_or(|keywords| {
        keywords
            .get("type")
            .is_some_and(|kind| kind.is_string() || kind.is_array())
            || [
                "properties",
                "anyOf",
                "oneOf",
                "allOf",
                "$ref",
                "enum",
                "const",
            ]
            .iter()
            .any(|keyword| keywords.contains_key(keyword))
    });
    if is_schema {
        schema
    } else {
        json!({"type": "object", "properties": schema})
    }
}
