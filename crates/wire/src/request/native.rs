//! Writes the history and the tools as fields of Chat Completions.

use std::collections::BTreeMap;

use toolglot_engine::IdForm;
use toolglot_value::{Map, Value, json};

use super::Request;
use crate::{Api, ToolChoice};

/// Adds messages, tools and the tool choice.
pub(super) fn write(request: &Request, ids: Option<IdForm>, body: &mut Map<String, Value>) {
    let mut names = IdNames::new(ids);
    let mut messages: Vec<Value> = Vec::with_capacity(request.history.len());
    for one in &request.history {
        let message = message(&one.message, &mut names);
        let joins = messages
            .last_mut()
            .filter(|last| joins(request.api, last, &message));
        match joins {
            Some(last) => {
                let [before, after] = [&last["content"], &message["content"]]
                    .map(|content| content.as_str().unwrap_or_default());
                last["content"] = Value::String(format!("{before}\n\n{after}"));
            }
            None => messages.push(message),
        }
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    let tools = request.tools.functions(&request.choice);
    if tools.is_empty() {
        return;
    }
    body.insert("tools".to_owned(), Value::Array(tools));
    let choice = match &request.choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Of { names, is_required } => match (names.as_slice(), is_required) {
            ([name], true) => Some(json!({"type": "function", "function": {"name": name}})),
            // The tool list omits the other tools.
            (_, true) => Some(json!("required")),
            (_, false) => None,
        },
    };
    if let Some(choice) = choice {
        body.insert("tool_choice".to_owned(), choice);
    }
    if !request.is_parallel {
        body.insert("parallel_tool_calls".to_owned(), Value::Bool(false));
    }
}

/// Whether two messages become one. Templates accept instructions once, and many require alternating users and
/// assistants; the items and blocks of the other APIs have no turns.
fn joins(api: Api, last: &Value, message: &Value) -> bool {
    let roles: &[&str] = match api {
        Api::Chat => &["system"],
        Api::Responses | Api::Messages => &["system", "user"],
    };
    let is_plain = |message: &Value| message["content"].is_string() && message["name"].is_null();
    let role = message["role"].as_str().unwrap_or_default();
    roles.contains(&role) && last["role"] == role && is_plain(last) && is_plain(message)
}

fn message(message: &Value, names: &mut IdNames) -> Value {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    if message["role"] == "developer" {
        fields.insert("role".to_owned(), Value::from("system"));
    }
    // Clients return fields that they received as `null`.
    fields.retain(|key, value| !value.is_null() || key == "content");
    let failed = fields.remove("is_error");
    if failed == Some(Value::Bool(true))
        && let Some(text) = message["content"].as_str()
        && !text.starts_with("Error")
    {
        fields.insert(
            "content".to_owned(),
            Value::String(format!("Error: {text}")),
        );
    }
    let has_calls = message["tool_calls"]
        .as_array()
        .is_some_and(|calls| !calls.is_empty());
    if !has_calls {
        fields.remove("tool_calls");
    }
    if !has_calls && message["role"] == "assistant" && message["content"].is_null() {
        // Without calls, templates concatenate the content, which must be a string.
        fields.insert("content".to_owned(), Value::from(""));
    }
    if let Some(Value::Array(calls)) = fields.get_mut("tool_calls") {
        for call in calls {
            if call["type"] == "custom" {
                *call = function_of(call);
            }
            names.rename(&mut call["id"]);
        }
    }
    if let Some(id) = fields.get_mut("tool_call_id") {
        names.rename(id);
    }
    Value::Object(fields)
}

/// Converts a call of a freeform tool to a function call with the parameter `input`.
fn function_of(call: &Value) -> Value {
    let arguments = json!({"input": &call["custom"]["input"]}).to_string();
    let function = json!({"name": &call["custom"]["name"], "arguments": arguments});
    json!({"id": &call["id"], "type": "function", "function": function})
}

/// Ids in the form that a model was trained on.
struct IdNames {
    form: Option<IdForm>,
    names: BTreeMap<String, String>,
}

impl IdNames {
    fn new(form: Option<IdForm>) -> IdNames {
        IdNames {
            form,
            names: BTreeMap::new(),
        }
    }

    fn rename(&mut self, id: &mut Value) {
        let (Some(form), Value::String(text)) = (self.form, id) else {
            return;
        };
        let n = self.names.len() as u64;
        let name = self.names.entry(text.clone());
        name.or_insert_with(|| form.id(n)).clone_into(text);
    }
}
