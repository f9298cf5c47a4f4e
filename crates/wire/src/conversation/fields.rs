//! The fields of a message, after its calls and its text are known.

use toolglot_value::{Map, Value};

use super::turn::{Turn, TurnCall};
use super::{freeform, input_of, structured};

/// The structured form of a message.
pub(super) fn message_of(message: &Value, turn: &Turn, calls: &[TurnCall]) -> Map<String, Value> {
    let mut fields = without_calls(message);
    let content = match (calls, turn.content.trim()) {
        ([], _) => turn.whole.with(turn.content.clone()),
        _ if !turn.is_read => message["content"].clone(),
        (_, text) => match turn.whole.with(text.to_owned()) {
            // A message with calls has no empty text.
            Value::String(text) if text.is_empty() => Value::Null,
            content => content,
        },
    };
    fields.insert("content".to_owned(), content);
    with_reasoning(&mut fields, turn);
    if !calls.is_empty() {
        let calls = calls.iter().map(|call| {
            let id = call.id.as_deref().unwrap_or_default();
            match input_of(&call.arguments).filter(|_| call.is_freeform) {
                Some(input) => freeform(id, &call.name, &input),
                None => structured(id, &call.name, &call.arguments),
            }
        });
        fields.insert("tool_calls".to_owned(), calls.collect());
    }
    fields
}

pub(super) fn with_reasoning(fields: &mut Map<String, Value>, turn: &Turn) {
    if !turn.reasoning.is_empty() {
        let reasoning = Value::String(turn.reasoning.clone());
        fields.insert("reasoning_content".to_owned(), reasoning);
    }
}

pub(super) fn without_calls(message: &Value) -> Map<String, Value> {
    let mut fields = message.as_object().cloned().unwrap_or_default();
    fields.remove("tool_calls");
    fields.remove("function_call");
    fields
}
