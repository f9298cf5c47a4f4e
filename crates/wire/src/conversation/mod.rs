//! Converts conversations from one form into another.
//!
//! ```text
//! {"messages":[..]} ── turn (what an assistant's message holds: text, calls) ── Converter (the same in the target) ── {"messages":[..]}
//! ```
//!
//! A conversation is a list of messages as in chat APIs, or an object that contains one; `apis` reads the forms of
//! other APIs.
//! The structured form has calls under `tool_calls`, and results in messages of the role `tool`.
//! In a text form calls are in the text of the assistant's messages.
//! A message that cannot be converted is unchanged and counted; nothing is dropped silently.

mod apis;
mod assistant;
mod content;
mod converter;
mod fields;
mod ids;
mod items;
mod open_calls;
mod reader;
mod report;
mod result_owners;
mod results;
mod target;
mod turn;

use std::sync::Arc;

use toolglot_engine::{Dialect, Program, ToolSet};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, json};

use crate::WireError;

pub(crate) use apis::chat as chat_messages;
pub use assistant::{AssistantMessage, StructuredCall, assistant_messages};
pub use converter::Converter;
pub use report::ConversionReport;

/// The form of the conversations to read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SourceForm<'d> {
    /// Calls are separate from the text, as in chat APIs; text is never read.
    Structured,
    /// Calls are in the text of the assistant's messages. Structured calls are read as well.
    Text {
        /// The dialects to read.
        dialects: &'d [Dialect],
        /// The names and parameter shapes for parsing.
        tools: ToolSet,
        /// The tools, which determine the freeform ones.
        toolbox: Option<&'d Toolbox>,
    },
    /// Like [`SourceForm::Text`], with precompiled dialects.
    Compiled {
        /// The dialects to read.
        dialects: &'d [Dialect],
        /// These dialects, compiled for the tools.
        program: Arc<Program>,
        /// The tools, which determine the freeform ones.
        toolbox: Option<&'d Toolbox>,
    },
}

/// The form of the conversations to write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TargetForm<'d> {
    /// Messages of OpenAI's chat API.
    Chat,
    /// Items of OpenAI's Responses API.
    Responses,
    /// Calls in the text of the assistant's messages.
    Text {
        /// The dialect to write.
        dialect: &'d Dialect,
        /// The names and parameter shapes for rendering.
        tools: ToolSet,
        /// The server of a call without a server in the source.
        server: Option<&'d str>,
    },
}

/// One message in the target's form.
#[derive(Clone, Debug, PartialEq)]
pub enum ConvertedMessage {
    /// The text of a message without structured calls.
    Text(String),
    /// A message with structured calls, or a list of items.
    Json(Value),
}

impl Converter<'_> {
    /// Converts one conversation: a list of messages, or an object with a list and other fields, which are unchanged.
    ///
    /// # Errors
    /// If the document contains no list of messages, or one of them is not an object.
    pub fn conversation(
        &self,
        mut document: Value,
        report: &mut ConversionReport,
    ) -> Result<Value, WireError> {
        let messages = apis::objects(&document)?;
        let mut converted = self.messages(messages, report);
        let name = apis::list(&document).and_then(|(name, _)| name);
        let mut list = "messages";
        if self.writes_items() {
            converted = items::of(&converted);
            list = "input";
        }
        match (&mut document, name) {
            (Value::Object(fields), Some(name)) => {
                fields.remove(name);
                fields.insert(list.to_owned(), Value::Array(converted));
            }
            (list, _) => *list = Value::Array(converted),
        }
        Ok(document)
    }

    /// Converts one message as the model wrote it. The result is plain text unless the target form is structured.
    pub fn message(&self, text: &str, report: &mut ConversionReport) -> ConvertedMessage {
        let message = json!({"role": "assistant", "content": text});
        let mut converted = self.messages(&[message], report);
        if self.writes_items() {
            return ConvertedMessage::Json(Value::Array(items::of(&converted)));
        }
        let message = converted.pop().unwrap_or_default();
        if message["tool_calls"].is_null() {
            let text = message["content"].as_str().unwrap_or_default();
            ConvertedMessage::Text(text.to_owned())
        } else {
            ConvertedMessage::Json(message)
        }
    }
}

/// Whether a text is meant as a conversation, complete or broken. A model's text may also start with a bracket.
pub fn is_conversation(text: &str) -> bool {
    let text = text.trim_start();
    match toolglot_value::from_str(text) {
        Ok(value) => match apis::list(&value) {
            Some((Some("messages"), _)) => true,
            Some((_, messages)) => messages.is_empty() || messages.iter().any(apis::is_message),
            None => value.get("messages").is_some(),
        },
        Err(_) => text.starts_with(['[', '{']) && text.contains("\"role\""),
    }
}

/// A call in the structured form.
fn structured(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A call of a freeform tool in the structured form: its input is a raw text.
fn freeform(id: &str, name: &str, input: &str) -> Value {
    json!({"id": id, "type": "custom", "custom": {"name": name, "input": input}})
}

/// The input of a call of a freeform tool, whose arguments are `{"input": ".."}` in text.
pub(crate) fn input_of(arguments: &str) -> Option<String> {
    let Ok(Value::Object(mut arguments)) = toolglot_value::from_str(arguments) else {
        return None;
    };
    match (arguments.remove("input"), arguments.is_empty()) {
        (Some(Value::String(input)), true) => Some(input),
        _ => None,
    }
}
