//! What an assistant's message holds, whatever form it came in.

use serde_json::Value;
use toolglot::{End, Place};
use toolglot_wire::Arguments;

use super::content;
use crate::reading::Manner;

/// One message of the assistant, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// Text outside calls.
    pub(super) content: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<TurnCall>,
    /// Why it cannot be carried.
    pub(super) fault: Option<String>,
}

/// A call, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TurnCall {
    pub(super) name: String,
    /// JSON text of one object.
    pub(super) arguments: String,
    /// The id that the model or the server wrote.
    pub(super) id: Option<String>,
    pub(super) server: Option<String>,
}

impl Turn {
    /// Reads a message; its text is read by `manner`, where the source is a dialect.
    pub(super) fn of(message: &Value, manner: Option<&Manner>) -> Turn {
        if message["tool_calls"]
            .as_array()
            .is_some_and(|calls| !calls.is_empty())
        {
            return Turn::structured(message);
        }
        let text = content(message);
        match manner {
            Some(manner) => Turn::read(&text, message, manner),
            None => Turn {
                content: text,
                reasoning: reasoning(message),
                ..Turn::default()
            },
        }
    }

    fn structured(message: &Value) -> Turn {
        let mut turn = Turn {
            content: content(message),
            reasoning: reasoning(message),
            ..Turn::default()
        };
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let (Some(name), Some(arguments)) =
                (function["name"].as_str(), object(&function["arguments"]))
            else {
                turn.fault =
                    Some("a call in `tool_calls` has no name or no object of arguments".to_owned());
                return turn;
            };
            turn.calls.push(TurnCall {
                name: name.to_owned(),
                arguments,
                id: call["id"].as_str().map(str::to_owned),
                server: None,
            });
        }
        turn
    }

    fn read(text: &str, message: &Value, manner: &Manner) -> Turn {
        let read = manner.whole(text.as_bytes()).trace.message;
        let mut turn = Turn {
            content: read.content.clone(),
            reasoning: if read.reasoning.is_empty() {
                reasoning(message)
            } else {
                read.reasoning.clone()
            },
            ..Turn::default()
        };
        for call in &read.calls {
            if call.end == End::Truncated || call.place == Place::Reasoning {
                turn.fault = Some(format!("the call of `{}` is cut short", call.name));
                return turn;
            }
            let Arguments::Object(arguments) = Arguments::of(call) else {
                turn.fault = Some(format!("the arguments of `{}` are no object", call.name));
                return turn;
            };
            turn.calls.push(TurnCall {
                name: call.name.clone(),
                arguments: Value::Object(arguments).to_string(),
                id: call.written_id.clone(),
                server: call.ns.clone(),
            });
        }
        turn
    }

    /// Whether it says the same: calls in order, with equal names and arguments; text but for blanks around it.
    pub(super) fn says_the_same(&self, other: &Turn) -> bool {
        let value = |call: &TurnCall| serde_json::from_str::<Value>(&call.arguments).ok();
        self.content.trim() == other.content.trim()
            && self.calls.len() == other.calls.len()
            && self
                .calls
                .iter()
                .zip(&other.calls)
                .all(|(one, other)| one.name == other.name && value(one) == value(other))
    }
}

fn reasoning(message: &Value) -> String {
    message["reasoning_content"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Arguments are a string that holds an object; some servers send the object itself.
fn object(arguments: &Value) -> Option<String> {
    match arguments {
        Value::String(text) if text.trim().is_empty() => Some("{}".to_owned()),
        Value::String(text) => {
            let value: Value = serde_json::from_str(text).ok()?;
            value.is_object().then(|| text.trim().to_owned())
        }
        Value::Object(_) => Some(arguments.to_string()),
        Value::Null => Some("{}".to_owned()),
        _ => None,
    }
}
