//! Takes the fields of a request with checked types.

use toolglot_value::{Map, Value};

use super::{Draft, HistoryMessage, RequestError, ToolTable};
use crate::conversation::chat_messages;
use crate::{Api, ToolChoice};

/// The fields of a request that are not taken yet.
pub(super) struct Fields {
    fields: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(fields: Map<String, Value>) -> Fields {
        Fields { fields }
    }

    /// The value of a field; `null` if there is none.
    pub(super) fn take(&mut self, name: &str) -> Value {
        self.fields.shift_remove(name).unwrap_or_default()
    }

    pub(super) fn peek(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    pub(super) fn bool(&mut self, name: &str) -> Result<Option<bool>, RequestError> {
        match self.take(name) {
            Value::Null => Ok(None),
            Value::Bool(value) => Ok(Some(value)),
            other => Err(RequestError::expected(name, "true or false", &other)),
        }
    }

    /// The name of the model.
    pub(super) fn model(&mut self) -> Result<String, RequestError> {
        match self.take("model") {
            Value::String(model) if !model.is_empty() => Ok(model),
            other => Err(RequestError::expected(
                "model",
                "the name of a model",
                &other,
            )),
        }
    }

    pub(super) fn object(&mut self, name: &str) -> Result<Map<String, Value>, RequestError> {
        match self.take(name) {
            Value::Null => Ok(Map::new()),
            Value::Object(fields) => Ok(fields),
            other => Err(RequestError::expected(name, "an object", &other)),
        }
    }

    /// A nonempty list.
    pub(super) fn messages(&mut self, name: &str) -> Result<Vec<Value>, RequestError> {
        match self.take(name) {
            Value::Array(list) if list.is_empty() => {
                Err(RequestError::new(name, "must have one message at least"))
            }
            Value::Array(list) => Ok(list),
            other => Err(RequestError::expected(name, "a list of messages", &other)),
        }
    }

    /// Refuses a field that needs stored state: the gateway stores none.
    pub(super) fn refuse(&mut self, name: &str, why: &str) -> Result<(), RequestError> {
        match self.take(name) {
            Value::Null | Value::Bool(false) => Ok(()),
            _ => Err(RequestError::new(name, why)),
        }
    }

    /// The tools, and the tool choice.
    pub(super) fn tools(&mut self, api: Api, draft: &mut Draft) -> Result<(), RequestError> {
        let tools = self.take("tools");
        draft.tools = ToolTable::read(api, &tools, &mut draft.omitted)?;
        let choice = self.take("tool_choice");
        if !choice.is_null() {
            draft.echo.insert("tool_choice".to_owned(), choice.clone());
        }
        if tools.is_array() {
            draft.echo.insert("tools".to_owned(), tools);
        }
        draft.choice = ToolChoice::of(&choice)
            .map_err(|()| RequestError::new("tool_choice", "no choice that is known"))?;
        if let ToolChoice::Of { names, .. } = &mut draft.choice {
            for name in names {
                let taught = draft.tools.taught(None, name).ok_or_else(|| {
                    let why = format!("there is no tool `{name}` in `tools`");
                    RequestError::new("tool_choice", why)
                })?;
                *name = taught.to_owned();
            }
        }
        Ok(())
    }

    pub(super) fn rest(self) -> Map<String, Value> {
        self.fields
    }
}

/// Adds messages in the form of Chat Completions, with their paths.
pub(super) fn add_history(
    draft: &mut Draft,
    messages: &[Value],
    places: &[String],
) -> Result<(), RequestError> {
    for converted in chat_messages(messages) {
        let at = &places[converted.at];
        if let Some(why) = converted.fault {
            return Err(RequestError::new(at, why));
        }
        draft.history.push(HistoryMessage {
            message: converted.message,
            at: at.clone(),
        });
    }
    Ok(())
}
