//! Events of Anthropic's Messages.

use toolglot_value::{Map, Value, json};

use super::ids::AnswerIds;
use super::item::AnswerItem;
use super::{AnswerHead, frame, with_other};
use crate::{Ending, FinishReason, Request};

#[derive(Debug)]
pub(super) struct MessagesFrames {
    id: String,
    model: String,
    n_request_tokens: u64,
    /// The index of the open block.
    index: usize,
}

impl MessagesFrames {
    pub(super) fn new(
        request: &Request,
        head: AnswerHead<'_>,
        ids: &mut AnswerIds,
    ) -> MessagesFrames {
        MessagesFrames {
            id: ids.item("msg_"),
            model: head.model.unwrap_or(request.model()).to_owned(),
            n_request_tokens: request.estimate_tokens(),
            index: 0,
        }
    }

    pub(super) fn start(&self, out: &mut Vec<u8>) {
        let mut message = self.message(Vec::new());
        // The API includes both fields from the start.
        message.insert("stop_reason".to_owned(), Value::Null);
        message.insert("stop_sequence".to_owned(), Value::Null);
        let usage = json!({"input_tokens": self.n_request_tokens, "output_tokens": 0});
        message.insert("usage".to_owned(), usage);
        let start = json!({"type": "message_start", "message": message});
        frame::write_event(out, "message_start", &start);
    }

    pub(super) fn open(&self, item: &AnswerItem, out: &mut Vec<u8>) {
        let block = match item {
            AnswerItem::Text { .. } => json!({"type": "text", "text": ""}),
            AnswerItem::Reasoning { .. } => {
                json!({"type": "thinking", "thinking": "", "signature": ""})
            }
            AnswerItem::Call(_) => block(item, &json!({})),
        };
        let start =
            json!({"type": "content_block_start", "index": self.index, "content_block": block});
        frame::write_event(out, "content_block_start", &start);
    }

    pub(super) fn delta(&self, item: &AnswerItem, piece: &str, out: &mut Vec<u8>) {
        let (kind, field) = match item {
            AnswerItem::Text { .. } => ("text_delta", "text"),
            AnswerItem::Reasoning { .. } => ("thinking_delta", "thinking"),
            AnswerItem::Call(_) => ("input_json_delta", "partial_json"),
        };
        frame::write_piece(
            out,
            format_args!(
                concat!(
                    "event: content_block_delta\n",
                    r#"data: {{"type":"content_block_delta","index":{index},"#,
                    r#""delta":{{"type":"{kind}","{field}":"#
                ),
                index = self.index,
                kind = kind,
                field = field,
            ),
            piece,
            "}}",
        );
    }

    pub(super) fn close(&mut self, out: &mut Vec<u8>) {
        let stop = json!({"type": "content_block_stop", "index": self.index});
        frame::write_event(out, "content_block_stop", &stop);
        self.index += 1;
    }

    pub(super) fn abandon(&mut self) {
        self.index += 1;
    }

    pub(super) fn finish(&self, ending: &Ending, n_tokens: u64, out: &mut Vec<u8>) {
        let (reason, sequence) = stop(ending);
        let delta = json!({"stop_reason": reason, "stop_sequence": sequence});
        let mut last = Map::new();
        last.insert("type".to_owned(), Value::from("message_delta"));
        last.insert("delta".to_owned(), delta);
        last.insert("usage".to_owned(), self.usage(ending, n_tokens));
        let last = Value::Object(with_other(last, ending));
        frame::write_event(out, "message_delta", &last);
        frame::write_event(out, "message_stop", &json!({"type": "message_stop"}));
    }

    pub(super) fn whole(&self, items: &[AnswerItem], ending: &Ending, n_tokens: u64) -> Value {
        let blocks = items.iter().map(|item| match item {
            AnswerItem::Call(call) => {
                let input = toolglot_value::from_str(&call.arguments);
                block(item, &input.unwrap_or_default())
            }
            _ => block(item, &Value::Null),
        });
        let mut message = self.message(blocks.collect());
        let (reason, sequence) = stop(ending);
        message.insert("stop_reason".to_owned(), Value::from(reason));
        message.insert("stop_sequence".to_owned(), sequence);
        message.insert("usage".to_owned(), self.usage(ending, n_tokens));
        Value::Object(with_other(message, ending))
    }

    fn message(&self, content: Vec<Value>) -> Map {
        let fields = [
            ("id", Value::from(self.id.as_str())),
            ("type", Value::from("message")),
            ("role", Value::from("assistant")),
            ("model", Value::from(self.model.as_str())),
            ("content", Value::Array(content)),
        ];
        let fields = fields.into_iter();
        fields.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// The usage in this API's form; estimates if the upstream reports none.
    fn usage(&self, ending: &Ending, n_tokens: u64) -> Value {
        let usage = ending.usage.as_ref().unwrap_or(&Value::Null);
        let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        let cached = cached.unwrap_or_default();
        let prompt = usage["prompt_tokens"].as_u64();
        let input = prompt.map_or(self.n_request_tokens, |prompt| {
            prompt.saturating_sub(cached)
        });
        let output = usage["completion_tokens"].as_u64().unwrap_or(n_tokens);
        json!({"input_tokens": input, "cache_read_input_tokens": cached, "output_tokens": output})
    }
}

/// A block of the content.
fn block(item: &AnswerItem, input: &Value) -> Value {
    match item {
        AnswerItem::Text { text, .. } => json!({"type": "text", "text": text}),
        AnswerItem::Reasoning { text, .. } => {
            json!({"type": "thinking", "thinking": text, "signature": ""})
        }
        AnswerItem::Call(call) => {
            json!({"type": "tool_use", "id": call.call_id, "name": call.name, "input": input})
        }
    }
}

/// The reason for the end, and the stop string that was met.
fn stop(ending: &Ending) -> (&'static str, Value) {
    let reason = match ending.reason {
        FinishReason::ToolCalls => "tool_use",
        FinishReason::Length => "max_tokens",
        FinishReason::ContentFilter => "refusal",
        FinishReason::Stop | FinishReason::Unknown => match &ending.stop_sequence {
            Some(text) => return ("stop_sequence", Value::from(text.as_str())),
            None => "end_turn",
        },
    };
    (reason, Value::Null)
}
