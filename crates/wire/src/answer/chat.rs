//! Chunks of Chat Completions.

use toolglot_value::{Map, Value, json};

use super::ids::AnswerIds;
use super::item::{AnswerItem, ItemCall};
use super::{AnswerHead, frame, with_other};
use crate::{Ending, FinishReason, Request};

/// The text after a piece of text in its chunk.
const END: &str = r#"},"finish_reason":null}]}"#;

/// The text after a piece of a call in its chunk.
const CALL_END: &str = r#"}}]},"finish_reason":null}]}"#;

#[derive(Debug)]
pub(super) struct ChatFrames {
    id: String,
    created: u64,
    model: String,
    has_usage: bool,
    /// A chunk of the stream, up to its delta.
    start: String,
}

impl ChatFrames {
    pub(super) fn new(request: &Request, head: AnswerHead<'_>, ids: &mut AnswerIds) -> ChatFrames {
        let mut frames = ChatFrames {
            id: ids.item("chatcmpl-"),
            created: head.created,
            model: head.model.unwrap_or(request.model()).to_owned(),
            has_usage: request.has_usage_chunk(),
            start: String::new(),
        };
        let chunk = Value::Object(frames.chunk(json!([{"index": 0, "delta": {}}]))).to_string();
        let start = chunk.strip_suffix("{}}]}").unwrap_or_default();
        frames.start = format!("data: {start}");
        frames
    }

    pub(super) fn start(&self, out: &mut Vec<u8>) {
        self.write(&json!({"role": "assistant"}), out);
    }

    pub(super) fn open(&self, item: &AnswerItem, out: &mut Vec<u8>) {
        if let AnswerItem::Call(call) = item {
            let mut fields = Map::new();
            fields.insert("index".to_owned(), Value::from(call.index));
            if let Value::Object(entry) = entry(call, "") {
                fields.extend(entry);
            }
            self.write(&json!({"tool_calls": [fields]}), out);
        }
    }

    pub(super) fn delta(&self, item: &AnswerItem, piece: &str, out: &mut Vec<u8>) {
        let start = &self.start;
        let mut write = |before: std::fmt::Arguments<'_>, after| {
            frame::write_piece(out, format_args!("{start}{before}"), piece, after);
        };
        match item {
            AnswerItem::Text { .. } => write(format_args!(r#"{{"content":"#), END),
            AnswerItem::Reasoning { .. } => {
                write(format_args!(r#"{{"reasoning_content":"#), END);
            }
            AnswerItem::Call(call) => {
                let (kind, field) = if call.is_freeform {
                    ("custom", "input")
                } else {
                    ("function", "arguments")
                };
                let index = call.index;
                write(
                    format_args!(r#"{{"tool_calls":[{{"index":{index},"{kind}":{{"{field}":"#),
                    CALL_END,
                );
            }
        }
    }

    pub(super) fn finish(&self, ending: &Ending, out: &mut Vec<u8>) {
        let choice = json!({"index": 0, "delta": {}, "finish_reason": reason(ending.reason)});
        let mut last = self.chunk(json!([choice]));
        let usage = ending.usage.as_ref().filter(|_| self.has_usage);
        if usage.is_none() {
            last = with_other(last, ending);
        }
        frame::write(out, &Value::Object(last));
        if let Some(usage) = usage {
            let mut last = self.chunk(json!([]));
            last.insert("usage".to_owned(), usage.clone());
            frame::write(out, &Value::Object(with_other(last, ending)));
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    pub(super) fn whole(&self, items: &[AnswerItem], ending: &Ending) -> Value {
        let (mut content, mut reasoning) = (String::new(), String::new());
        let mut calls: Vec<Value> = Vec::new();
        for item in items {
            match item {
                AnswerItem::Text { text, .. } => content.push_str(text),
                AnswerItem::Reasoning { text, .. } => reasoning.push_str(text),
                AnswerItem::Call(call) => calls.push(entry(call, &call.arguments)),
            }
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), Value::from("assistant"));
        // The API always includes this field.
        let content = (!content.is_empty() || calls.is_empty()).then_some(content);
        message.insert("content".to_owned(), Value::from(content));
        if !reasoning.is_empty() {
            message.insert("reasoning_content".to_owned(), Value::String(reasoning));
        }
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        let reason = reason(ending.reason);
        let choice = json!({"index": 0, "message": message, "finish_reason": reason});
        let mut whole = self.chunk(json!([choice]));
        whole.insert("object".to_owned(), Value::from("chat.completion"));
        if let Some(usage) = &ending.usage {
            whole.insert("usage".to_owned(), usage.clone());
        }
        Value::Object(with_other(whole, ending))
    }

    fn write(&self, delta: &Value, out: &mut Vec<u8>) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
        frame::write(out, &Value::Object(self.chunk(json!([choice]))));
    }

    fn chunk(&self, choices: Value) -> Map {
        let mut chunk = Map::new();
        chunk.insert("id".to_owned(), Value::from(self.id.as_str()));
        chunk.insert("object".to_owned(), Value::from("chat.completion.chunk"));
        chunk.insert("created".to_owned(), Value::from(self.created));
        chunk.insert("model".to_owned(), Value::from(self.model.as_str()));
        chunk.insert("choices".to_owned(), choices);
        chunk
    }
}

fn reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop | FinishReason::Unknown => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::ContentFilter => "content_filter",
    }
}

/// An entry of `tool_calls`.
fn entry(call: &ItemCall, arguments: &str) -> Value {
    let id = &call.call_id;
    // The API has no namespaces, so the name contains the namespace.
    let name = match &call.namespace {
        Some(namespace) => format!("{namespace}__{}", call.name),
        None => call.name.clone(),
    };
    if call.is_freeform {
        json!({"id": id, "type": "custom", "custom": {"name": name, "input": arguments}})
    } else {
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    }
}
