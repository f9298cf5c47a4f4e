//! The contents of an assistant's message in any form.

use toolglot_engine::{End, Place};
use toolglot_value::{Value, json};

use super::content::Content;
use super::reader::Reader;
use crate::Arguments;

/// A parsed message of the assistant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// Text outside calls.
    pub(super) content: String,
    /// The original content, for its parts that are not text.
    pub(super) whole: Content,
    pub(super) reasoning: String,
    pub(super) calls: Vec<TurnCall>,
    /// Whether the calls were in the text; then blanks around the remaining text separated it from the calls.
    pub(super) is_read: bool,
    /// Why the message cannot be converted.
    pub(super) fault: Option<String>,
}

/// A call that can be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TurnCall {
    pub(super) name: String,
    /// A JSON object as text.
    pub(super) arguments: String,
    /// The id that the model or the server wrote.
    pub(super) id: Option<String>,
    /// The id in the source, if the target has assigned another.
    pub(super) source_id: Option<String>,
    pub(super) server: Option<String>,
    /// The dialect of the text that contained the call.
    pub(super) dialect: Option<String>,
    /// Whether the call was repaired, so that its value is in doubt.
    pub(super) is_recovered: bool,
    /// Whether the structured form has a raw text for the call.
    pub(super) is_freeform: bool,
}

impl Turn {
    /// Reads a message; `reader` reads its text if the source is a dialect.
    pub(super) fn of(message: &Value, reader: Option<&Reader>) -> Turn {
        let whole = match Content::of(message) {
            Ok(whole) => whole,
            Err(fault) => {
                return Turn {
                    fault: Some(fault),
                    ..Turn::default()
                };
            }
        };
        let calls = structured_calls(message);
        let mut turn = match reader {
            Some(reader) if calls.is_empty() => Turn::read(&whole.text, message, reader),
            _ => Turn {
                content: whole.text.clone(),
                reasoning: reasoning(message).to_owned(),
                ..Turn::default()
            },
        };
        turn.whole = whole;
        for call in calls {
            match call {
                Some(call) => turn.calls.push(call),
                None => {
                    turn.fault = Some(
                        "a call in `tool_calls` has no name or no object of arguments".to_owned(),
                    );
                }
            }
        }
        turn
    }

    fn read(text: &str, message: &Value, reader: &Reader) -> Turn {
        let read = reader.read(text);
        let mut turn = Turn {
            is_read: true,
            content: read.content.clone(),
            reasoning: match (reasoning(message), read.reasoning.as_str()) {
                (beside, "") => beside.to_owned(),
                ("", inside) => inside.to_owned(),
                (beside, inside) => format!("{beside}\n\n{inside}"),
            },
            ..Turn::default()
        };
        for call in &read.calls {
            if call.end == End::Truncated || call.place == Place::Reasoning {
                turn.fault = Some(format!("the call of `{}` is cut short", call.name));
                return turn;
            }
            let Arguments::Object(arguments) = Arguments::of(call) else {
                turn.fault = Some(format!(
                    "the arguments of `{}` are not an object",
                    call.name
                ));
                return turn;
            };
            turn.calls.push(TurnCall {
                name: call.name.clone(),
                arguments: Value::Object(arguments).to_string(),
                id: call.written_id.clone(),
                source_id: None,
                server: call.server.clone(),
                dialect: Some(call.dialect.clone()),
                is_recovered: call.end == End::Recovered,
                is_freeform: false,
            });
        }
        turn
    }

    /// Whether both turns are equal: calls in order, with equal names and arguments, and text without the blanks around
    /// it.
    pub(super) fn says_the_same(&self, other: &Turn) -> bool {
        let value = |call: &TurnCall| toolglot_value::from_str(&call.arguments).ok();
        self.content.trim() == other.content.trim()
            && self.calls.len() == other.calls.len()
            && self
                .calls
                .iter()
                .zip(&other.calls)
                .all(|(one, other)| one.name == other.name && value(one) == value(other))
    }
}

fn reasoning(message: &Value) -> &str {
    message["reasoning_content"].as_str().unwrap_or_default()
}

/// The calls under `tool_calls`, or the call under `function_call`, the older form; `None` for an invalid call.
pub(super) fn structured_calls(message: &Value) -> Vec<Option<TurnCall>> {
    let listed = message["tool_calls"].as_array().into_iter().flatten();
    let older = message.get("function_call").filter(|call| call.is_object());
    let function = |function: &Value, id: Option<&str>| {
        Some(TurnCall {
            name: function["name"].as_str()?.to_owned(),
            arguments: object(&function["arguments"])?,
            id: id.map(str::to_owned),
            ..TurnCall::default()
        })
    };
    let custom = |custom: &Value, id: Option<&str>| {
        let input = custom["input"].as_str()?;
        Some(TurnCall {
            name: custom["name"].as_str()?.to_owned(),
            arguments: json!({ "input": input }).to_string(),
            id: id.map(str::to_owned),
            is_freeform: true,
            ..TurnCall::default()
        })
    };
    let calls = listed.map(|call| match call["type"].as_str() {
        Some("custom") => custom(&call["custom"], call["id"].as_str()),
        _ => function(&call["function"], call["id"].as_str()),
    });
    calls
        .chain(older.map(|call| function(call, None)))
        .collect()
}

/// Arguments are a string that contains an object; some servers send the object itself.
fn object(arguments: &Value) -> Option<String> {
    match arguments {
        Value::String(text) if text.trim().is_empty() => Some("{}".to_owned()),
        Value::String(text) => {
            let value: Value = toolglot_value::from_str(text).ok()?;
            value.is_object().then(|| text.trim().to_owned())
        }
        Value::Object(_) => Some(arguments.to_string()),
        Value::Null => Some("{}".to_owned()),
        _ => None,
    }
}
