//! Conversations from one form into another.
//!
//! ```text
//! {"messages":[..]} ── turn (what an assistant's message holds: text, calls) ── Converter (the same in the target) ── {"messages":[..]}
//! ```
//!
//! A conversation is a list of messages as chat APIs have them, or an object that holds one; `apis` has those of other APIs.
//! The structured form has calls under `tool_calls`, and results in messages of the role `tool`.
//! In a text form calls are in the text of the assistant's messages.
//! What cannot be carried stays as it was and is counted; nothing is dropped silently.

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

/// The form of the conversations that are read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SourceForm<'d> {
    /// Calls stand beside the text, as chat APIs have them; text is never read.
    Structured,
    /// Calls are in the text of the assistant's messages. Those that stand beside it are read as well.
    Text {
        /// The dialects that are read.
        dialects: &'d [Dialect],
        /// The names and shapes that they are read with.
        tools: ToolSet,
        /// The tools, which say whose input is one raw text.
        toolbox: Option<&'d Toolbox>,
    },
    /// The same, with dialects that were compiled before.
    Compiled {
        /// The dialects that are read.
        dialects: &'d [Dialect],
        /// These dialects, compiled for the tools.
        program: Arc<Program>,
        /// The tools, which say whose input is one raw text.
        toolbox: Option<&'d Toolbox>,
    },
}

/// The form of the conversations that are written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TargetForm<'d> {
    /// Messages of OpenAI's chat API.
    Chat,
    /// Items of OpenAI's Responses API.
    Responses,
    /// Calls in the text of the assistant's messages.
    Text {
        /// The dialect that is written.
        dialect: &'d Dialect,
        /// The names and shapes that it is written with.
        tools: ToolSet,
        /// The server that a call names where its source names none.
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
    /// Converts one conversation: a list of messages, or an object with one and other fields, which stay.
    ///
    /// # Errors
    /// The document holds no list of messages, or one of them is not an object.
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

    /// Converts one message as the model wrote it. It stays a plain text, but for a structured form.
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

/// Whether a text is meant as a conversation, whole or broken. A model's text may start with a bracket, too.
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

/// A call of a freeform tool in the structured form: its input is one raw text.
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
