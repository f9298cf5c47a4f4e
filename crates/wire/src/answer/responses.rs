//! Events of the Responses API.

use std::sync::Arc;

use toolglot_value::{Map, Value, json};

use super::ids::AnswerIds;
use super::item::AnswerItem;
use super::{AnswerHead, frame, with_other};
use crate::{ApiError, Ending, FinishReason, Request};

/// Text and reasoning items have one part.
const PART: &str = r#""content_index":0,"#;

#[derive(Debug)]
pub(super) struct ResponsesFrames {
    id: String,
    created: u64,
    model: String,
    /// The request fields that the response repeats.
    echo: Arc<Map>,
    n_request_tokens: u64,
    /// The number of the next event.
    sequence: u64,
    /// The index of the open item in the output.
    index: usize,
}

impl ResponsesFrames {
    pub(super) fn new(
        request: &Request,
        head: AnswerHead<'_>,
        ids: &mut AnswerIds,
    ) -> ResponsesFrames {
        ResponsesFrames {
            id: ids.item("resp_"),
            created: head.created,
            model: head.model.unwrap_or(request.model()).to_owned(),
            echo: Arc::clone(request.echo()),
            n_request_tokens: request.estimate_tokens(),
            sequence: 0,
            index: 0,
        }
    }

    pub(super) fn start(&mut self, out: &mut Vec<u8>) {
        for kind in ["response.created", "response.in_progress"] {
            let response = self.response("in_progress", &[]);
            self.write(kind, json!({"response": response}), out);
        }
    }

    pub(super) fn open(&mut self, item: &AnswerItem, out: &mut Vec<u8>) {
        let index = self.index;
        let shown = shown(item, true);
        let added = json!({"output_index": index, "item": shown});
        self.write("response.output_item.added", added, out);
        if let Some((id, part)) = part(item, "") {
            let part =
                json!({"item_id": id, "output_index": index, "content_index": 0, "part": part});
            self.write("response.content_part.added", part, out);
        }
    }

    pub(super) fn delta(&mut self, item: &AnswerItem, piece: &str, out: &mut Vec<u8>) {
        let (kind, id, part, after) = match item {
            AnswerItem::Text { id, .. } => ("output_text", id, PART, r#","logprobs":[]}"#),
            AnswerItem::Reasoning { id, .. } => ("reasoning_text", id, PART, "}"),
            AnswerItem::Call(call) if call.is_freeform => {
                ("custom_tool_call_input", &call.item_id, "", "}")
            }
            AnswerItem::Call(call) => ("function_call_arguments", &call.item_id, "", "}"),
        };
        let (index, number) = (self.index, self.sequence);
        self.sequence += 1;
        frame::write_piece(
            out,
            format_args!(
                concat!(
                    "event: response.{kind}.delta\n",
                    r#"data: {{"type":"response.{kind}.delta","sequence_number":{number},"#,
                    r#""item_id":"{id}","output_index":{index},{part}"delta":"#
                ),
                kind = kind,
                number = number,
                id = id,
                index = index,
                part = part,
            ),
            piece,
            after,
        );
    }

    pub(super) fn close(&mut self, item: &AnswerItem, out: &mut Vec<u8>) {
        let index = self.index;
        let (kind, fields) = match item {
            AnswerItem::Text { id, text } => (
                "response.output_text.done",
                json!({"item_id": id, "output_index": index, "content_index": 0, "text": text, "logprobs": []}),
            ),
            AnswerItem::Reasoning { id, text } => (
                "response.reasoning_text.done",
                json!({"item_id": id, "output_index": index, "content_index": 0, "text": text}),
            ),
            AnswerItem::Call(call) if call.is_freeform => (
                "response.custom_tool_call_input.done",
                json!({"item_id": call.item_id, "output_index": index, "input": call.arguments}),
            ),
            AnswerItem::Call(call) => (
                "response.function_call_arguments.done",
                json!({"item_id": call.item_id, "output_index": index, "name": call.name, "arguments": call.arguments}),
            ),
        };
        self.write(kind, fields, out);
        if let AnswerItem::Text { text, .. } | AnswerItem::Reasoning { text, .. } = item
            && let Some((id, part)) = part(item, text)
        {
            let part =
                json!({"item_id": id, "output_index": index, "content_index": 0, "part": part});
            self.write("response.content_part.done", part, out);
        }
        let done = json!({"output_index": index, "item": shown(item, false)});
        self.write("response.output_item.done", done, out);
        self.index += 1;
    }

    pub(super) fn abandon(&mut self) {
        self.index += 1;
    }

    pub(super) fn finish(
        &mut self,
        items: &[AnswerItem],
        ending: &Ending,
        n_tokens: u64,
        out: &mut Vec<u8>,
    ) {
        let kind = match status(ending.reason) {
            "incomplete" => "response.incomplete",
            _ => "response.completed",
        };
        let response = self.whole(items, ending, n_tokens);
        self.write(kind, json!({"response": response}), out);
    }

    pub(super) fn error(&mut self, error: &ApiError, items: &[AnswerItem], out: &mut Vec<u8>) {
        let (code, message) = (error.kind.code(), &error.message);
        self.write(
            "error",
            json!({"code": code, "message": message, "param": null}),
            out,
        );
        let mut response = self.response("failed", items);
        response.insert(
            "error".to_owned(),
            json!({"code": code, "message": message}),
        );
        self.write("response.failed", json!({"response": response}), out);
    }

    pub(super) fn whole(&self, items: &[AnswerItem], ending: &Ending, n_tokens: u64) -> Value {
        let mut response = self.response(status(ending.reason), items);
        let incomplete = match ending.reason {
            FinishReason::Length => Some("max_output_tokens"),
            FinishReason::ContentFilter => Some("content_filter"),
            _ => None,
        };
        if let Some(reason) = incomplete {
            response.insert("incomplete_details".to_owned(), json!({"reason": reason}));
        }
        let usage = usage(ending.usage.as_ref(), self.n_request_tokens, n_tokens);
        response.insert("usage".to_owned(), usage);
        Value::Object(with_other(response, ending))
    }

    fn response(&self, status: &str, items: &[AnswerItem]) -> Map {
        let output: Value = items.iter().map(|item| shown(item, false)).collect();
        let head = [
            ("id", Value::from(self.id.as_str())),
            ("object", Value::from("response")),
            ("created_at", Value::from(self.created)),
            ("status", Value::from(status)),
            ("model", Value::from(self.model.as_str())),
            ("output", output),
            ("parallel_tool_calls", Value::Bool(true)),
            ("tool_choice", Value::from("auto")),
            ("tools", Value::Array(Vec::new())),
        ];
        let head = head.into_iter().map(|(key, value)| (key.to_owned(), value));
        let echo = self
            .echo
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        head.chain(echo).collect()
    }

    fn write(&mut self, kind: &str, fields: Value, out: &mut Vec<u8>) {
        let mut event = Map::new();
        event.insert("type".to_owned(), Value::from(kind));
        event.insert("sequence_number".to_owned(), Value::from(self.sequence));
        self.sequence += 1;
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        frame::write_event(out, kind, &Value::Object(event));
    }
}

fn status(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Length | FinishReason::ContentFilter => "incomplete",
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Unknown => "completed",
    }
}

/// An item of the output; a new item is empty.
fn shown(item: &AnswerItem, is_new: bool) -> Value {
    let status = if is_new { "in_progress" } else { "completed" };
    let of = |text: &str| match part(item, text) {
        Some((_, part)) if !is_new => json!([part]),
        _ => json!([]),
    };
    match item {
        AnswerItem::Text { id, text } => {
            json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": of(text)})
        }
        AnswerItem::Reasoning { id, text } => {
            json!({"id": id, "type": "reasoning", "status": status, "summary": [], "content": of(text)})
        }
        AnswerItem::Call(call) => {
            let (kind, field) = if call.is_freeform {
                ("custom_tool_call", "input")
            } else {
                ("function_call", "arguments")
            };
            let arguments = if is_new { "" } else { &call.arguments };
            let mut fields = Map::new();
            let mut set = |key: &str, value: &str| {
                fields.insert(key.to_owned(), Value::from(value));
            };
            set("id", &call.item_id);
            set("type", kind);
            set("status", status);
            set("call_id", &call.call_id);
            set("name", &call.name);
            if let Some(namespace) = &call.namespace {
                set("namespace", namespace);
            }
            set(field, arguments);
            Value::Object(fields)
        }
    }
}

/// The single part of a text or reasoning item, and the item's id.
fn part<'i>(item: &'i AnswerItem, text: &str) -> Option<(&'i str, Value)> {
    match item {
        AnswerItem::Text { id, .. } => Some((
            id,
            json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}),
        )),
        AnswerItem::Reasoning { id, .. } => {
            Some((id, json!({"type": "reasoning_text", "text": text})))
        }
        AnswerItem::Call(_) => None,
    }
}

/// The usage in this API's form; estimates if the upstream reports none.
fn usage(usage: Option<&Value>, n_request: u64, n_answer: u64) -> Value {
    let none = Value::Null;
    let usage = usage.unwrap_or(&none);
    let input = usage["prompt_tokens"].as_u64().unwrap_or(n_request);
    let output = usage["completion_tokens"].as_u64().unwrap_or(n_answer);
    let total = usage["total_tokens"].as_u64().unwrap_or(input + output);
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    let reasoning = usage["completion_tokens_details"]["reasoning_tokens"].as_u64();
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": cached.unwrap_or_default()},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": reasoning.unwrap_or_default()},
        "total_tokens": total,
    })
}
