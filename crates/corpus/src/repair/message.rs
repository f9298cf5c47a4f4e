//! The messages of a conversation.

use toolglot_chat::{CompiledDialects, Reader};
use toolglot_value::Value;
use toolglot_wire::WireError;

use super::text::TextRepair;
use super::{RowReport, Targets, arguments};

/// The repair of one conversation.
pub(super) struct ConversationRepair<'a> {
    pub(super) reader: &'a Reader,
    pub(super) compiled: &'a CompiledDialects,
    pub(super) targets: &'a Targets,
}

impl ConversationRepair<'_> {
    /// The conversation with its calls repaired, if any was.
    pub(super) fn run(
        &self,
        conversation: &Value,
        report: &mut RowReport,
    ) -> Result<Option<Value>, WireError> {
        let found = toolglot_wire::assistant_messages(conversation)?;
        let mut repaired = conversation.clone();
        let mut is_changed = false;
        for message in found {
            let at = message.at;
            if let Some(fault) = message.fault {
                report.left.push(format!("messages[{at}]: {fault}"));
                continue;
            }
            let Some(place) = list(&mut repaired).and_then(|list| list.get_mut(at)) else {
                continue;
            };
            is_changed |= if message.calls.is_empty() {
                self.text(place, at, report)
            } else {
                self.calls(place, at, report)
            };
        }
        // Items of the Responses API: a call is an item of its own.
        for (at, item) in list(&mut repaired).into_iter().flatten().enumerate() {
            if item["type"] == "function_call" {
                let toolbox = self.compiled.toolbox.as_deref();
                is_changed |= arguments::repair(item, at, toolbox, self.targets, report);
            }
        }
        Ok(is_changed.then_some(repaired))
    }

    /// Calls in the text of a message, whose content is a string or a list of parts.
    fn text(&self, message: &mut Value, at: usize, report: &mut RowReport) -> bool {
        let mut is_changed = false;
        for text in texts(message) {
            let repair = TextRepair::new(self.reader, self.compiled, text);
            if let Some(repaired) = repair.run(Some(at), report) {
                *text = repaired;
                is_changed = true;
            }
        }
        is_changed
    }

    /// Structured calls of a message.
    fn calls(&self, message: &mut Value, at: usize, report: &mut RowReport) -> bool {
        let toolbox = self.compiled.toolbox.as_deref();
        let mut is_changed = false;
        let mut repair = |function: &mut Value| {
            is_changed |= arguments::repair(function, at, toolbox, self.targets, report);
        };
        if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
            for call in calls {
                match call.get_mut("function") {
                    Some(function) => repair(function),
                    None => repair(call),
                }
            }
        }
        if let Some(call) = message.get_mut("function_call") {
            repair(call);
        }
        is_changed
    }
}

/// The messages of a conversation.
fn list(conversation: &mut Value) -> Option<&mut Vec<Value>> {
    match conversation {
        Value::Array(messages) => Some(messages),
        Value::Object(fields) => {
            let names = ["messages", "conversations", "contents", "input"];
            let name = names.into_iter().find(|name| {
                let value = fields.get(name);
                value.is_some_and(Value::is_array)
            })?;
            match fields.get_mut(name) {
                Some(Value::Array(messages)) => Some(messages),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The texts of a message, in any of its forms.
fn texts(message: &mut Value) -> Vec<&mut String> {
    let Value::Object(fields) = message else {
        return Vec::new();
    };
    let key = ["content", "value", "parts"]
        .into_iter()
        .find(|key| fields.get(key).is_some_and(|value| !value.is_null()));
    match key.and_then(|key| fields.get_mut(key)) {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(parts)) => {
            let texts = parts
                .iter_mut()
                .filter_map(|part| match part.get_mut("text") {
                    Some(Value::String(text)) => Some(text),
                    _ => None,
                });
            texts.collect()
        }
        _ => Vec::new(),
    }
}
