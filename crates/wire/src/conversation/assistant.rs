//! The assistant's messages of a conversation.

use toolglot_value::Value;

use super::apis;
use super::content::Content;
use crate::WireError;

/// A message of the assistant, or an unreadable message of any role.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The index of the message in the list, from 0.
    pub at: usize,
    /// The text of the message, which may contain calls.
    pub text: String,
    /// The reasoning, if it is separate from the text.
    pub reasoning: String,
    /// The structured calls, which are separate from the text.
    pub calls: Vec<StructuredCall>,
    /// Why the message cannot be read; all other fields are empty then.
    pub fault: Option<String>,
}

/// A structured call as received, without any verification.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StructuredCall {
    /// The tool's name; empty if there is none.
    pub name: String,
    /// The call's id.
    pub id: Option<String>,
    /// The text of the arguments, which should be a JSON object.
    pub arguments: String,
}

/// The assistant's messages of a conversation in any form that [`Converter`](crate::Converter) reads.
///
/// # Errors
/// If the document contains no list of messages, or one of them is not an object.
pub fn assistant_messages(document: &Value) -> Result<Vec<AssistantMessage>, WireError> {
    let messages = apis::objects(document)?;
    let messages = apis::chat(messages).into_iter().filter_map(|source| {
        let message = match source.fault {
            Some(fault) => Err(fault),
            None if source.message["role"] != "assistant" => return None,
            None => Content::of(&source.message).map(|content| AssistantMessage {
                text: content.text,
                reasoning: text_at(&source.message, "reasoning_content"),
                calls: calls(&source.message),
                ..AssistantMessage::default()
            }),
        };
        let message = message.unwrap_or_else(|fault| AssistantMessage {
            fault: Some(fault),
            ..AssistantMessage::default()
        });
        Some(AssistantMessage {
            at: source.at,
            ..message
        })
    });
    Ok(messages.collect())
}

fn calls(message: &Value) -> Vec<StructuredCall> {
    let listed = message["tool_calls"].as_array().into_iter().flatten();
    let older = message.get("function_call").filter(|call| call.is_object());
    let listed = listed.map(|call| {
        if call["type"] == "custom" {
            let input = &call["custom"]["input"];
            return StructuredCall {
                name: text_at(&call["custom"], "name"),
                id: id(call),
                arguments: toolglot_value::json!({ "input": input }).to_string(),
            };
        }
        // Some data sets omit the inner object.
        let inner = call.get("function").filter(|inner| inner.is_object());
        structured(inner.unwrap_or(call), id(call))
    });
    listed
        .chain(older.map(|call| structured(call, None)))
        .collect()
}

fn structured(function: &Value, id: Option<String>) -> StructuredCall {
    StructuredCall {
        name: text_at(function, "name"),
        id,
        arguments: match &function["arguments"] {
            Value::Null => "{}".to_owned(),
            Value::String(text) if text.trim().is_empty() => "{}".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
    }
}

fn id(call: &Value) -> Option<String> {
    call["id"].as_str().map(str::to_owned)
}

fn text_at(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn messages_of_all_forms_are_found_with_their_places() {
        let document = json!({"messages": [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": "a", "reasoning_content": "r"},
            {"from": "gpt", "value": "b"},
            {"role": "assistant", "content": [{"type": "text", "text": "c"}, {"type": "tool_use", "id": "1", "name": "f", "input": {"n": 1}}]},
            {"from": "narrator", "value": "d"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "2", "type": "function", "function": {"name": "g", "arguments": "{'n': 1"}},
                {"name": "h", "arguments": {}},
                {"type": "custom", "custom": {"name": "i", "input": "raw"}},
                {"function": {"arguments": ""}}
            ], "function_call": {"name": "j"}}
        ]});
        let found = assistant_messages(&document).expect("a conversation");
        let texts: Vec<_> = found
            .iter()
            .map(|one| (one.at, one.text.as_str()))
            .collect();
        assert_eq!(texts, [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "")]);
        assert_eq!(found[0].reasoning, "r");
        assert_eq!(found[2].calls[0].arguments, r#"{"n":1}"#);
        assert_eq!(found[3].fault.as_deref(), Some("unknown role `narrator`"));
        let calls = found[4].calls.iter();
        let calls: Vec<_> = calls
            .map(|call| (call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(
            calls,
            [
                ("g", "{'n': 1"),
                ("h", "{}"),
                ("i", r#"{"input":"raw"}"#),
                ("", "{}"),
                ("j", "{}")
            ]
        );
        assert_eq!(found[4].calls[0].id.as_deref(), Some("2"));
    }
}
