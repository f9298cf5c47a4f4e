//! A message that is one call as a JSON Schema, for servers that take no grammar but that.
//!
//! It can be said where a dialect writes a call as an object and nothing else. The schemas of the tools stay as they are, so the
//! server says what it leaves out of them.

use toolglot_engine::Dialect;
use toolglot_engine::form::{Envelope, Form, Forms, Role};
use toolglot_value::{Map, Value, json};

use crate::error::{GrammarError, GrammarNote};
use crate::message::chosen;
use crate::{Grammar, Options, Reasoning, ToolChoice, ToolSchema};

/// The schema of a call of one of the tools.
pub(crate) fn grammar(
    dialect: &Dialect,
    tools: &[ToolSchema<'_>],
    options: &Options<'_>,
) -> Result<Grammar, GrammarError> {
    let tools = chosen(tools, options.tool_choice)?;
    if matches!(options.tool_choice, ToolChoice::Auto | ToolChoice::None) {
        return Err(GrammarError::Target(
            "a JSON Schema has no text beside calls; ask for a call (`--tool-choice required`)"
                .to_owned(),
        ));
    }
    if options.reasoning != Reasoning::None {
        return Err(GrammarError::Target(
            "a JSON Schema has no reasoning before calls; leave `--reasoning` out".to_owned(),
        ));
    }
    let forms = Forms::new(dialect);
    let entries = forms.entries.iter().filter(|entry| entry.tool.is_none());
    let mut envelopes = entries.filter_map(|entry| envelope(&entry.form, &forms));
    let Some(envelope) = envelopes.next() else {
        return Err(GrammarError::Target(format!(
            "dialect `{}` does not write a call as an object and nothing else; take another format",
            dialect.name()
        )));
    };
    let is_alone = tools.len() == 1;
    let calls: Vec<Value> = tools
        .iter()
        .enumerate()
        .map(|(n, tool)| {
            let base = if is_alone {
                "#".to_owned()
            } else {
                format!("#/anyOf/{n}")
            };
            call(&envelope, tool, &base)
        })
        .collect();
    let schema = match <[Value; 1]>::try_from(calls) {
        Ok([call]) => call,
        Err(calls) => json!({"anyOf": Value::Array(calls)}),
    };
    let mut notes = Vec::new();
    if options.parallel {
        notes.push(GrammarNote {
            tool: String::new(),
            pointer: String::new(),
            message: "a JSON Schema has one call only".to_owned(),
        });
    }
    Ok(Grammar {
        text: schema.to_string(),
        triggers: Vec::new(),
        n_rules: tools.len(),
        notes,
    })
}

/// The object that a form is, and nothing beside it.
fn envelope(form: &Form, forms: &Forms) -> Option<Envelope> {
    match form {
        Form::Object(envelope) => Some(envelope.clone()),
        Form::Rule(name) => {
            let rules = forms.rules.get(name)?;
            rules.iter().find_map(|rule| envelope(&rule.form, forms))
        }
        Form::EachCall(inner) => envelope(inner, forms),
        Form::Choice(alternatives) => alternatives
            .iter()
            .find_map(|alternative| envelope(&alternative.form, forms)),
        // What is written only where something else is does not stand beside it.
        Form::Sequence(forms_in_order) => {
            let mut found = None;
            for form in forms_in_order {
                match form {
                    Form::LineStart | Form::If(..) => {}
                    other if found.is_none() => found = Some(envelope(other, forms)?),
                    _ => return None,
                }
            }
            found
        }
        _ => None,
    }
}

/// A call of one tool; `base` is where its schema stands.
fn call(envelope: &Envelope, tool: &ToolSchema<'_>, base: &str) -> Value {
    let arguments = |key: &str| {
        let place = key.replace('~', "~0").replace('/', "~1");
        let mut schema = tool.parameters.clone();
        if let Value::Object(map) = &mut schema {
            map.insert("type".to_owned(), Value::from("object"));
        }
        moved(schema, &format!("{base}/properties/{place}"))
    };
    let mut properties = Map::new();
    if envelope.name_is_key {
        properties.insert(tool.name.to_owned(), arguments(tool.name));
    } else {
        for (role, keys) in &envelope.roles {
            let Some(key) = keys.iter().find(|key| !key.contains('.')) else {
                continue;
            };
            let schema = match role {
                Role::Name => json!({"const": tool.name}),
                Role::Args => arguments(key),
                Role::Id | Role::Ns => continue,
            };
            properties.insert(key.clone(), schema);
        }
    }
    let required: Value = properties
        .keys()
        .map(|key| Value::from(key.as_str()))
        .collect();
    json!({
        "type": "object",
        "properties": Value::Object(properties),
        "required": required,
        "additionalProperties": false,
    })
}

/// A schema whose references into itself follow it to its new place.
fn moved(mut schema: Value, place: &str) -> Value {
    let mut todo = vec![&mut schema];
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match value {
                        Value::String(text) if key == "$ref" && text.starts_with('#') => {
                            *value = Value::from(format!("{place}{}", &text[1..]));
                        }
                        value => todo.push(value),
                    }
                }
            }
            Value::Array(items) => todo.extend(items.iter_mut()),
            _ => {}
        }
    }
    schema
}
