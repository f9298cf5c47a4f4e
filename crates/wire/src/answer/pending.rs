//! Items that are not written yet: an incomplete call, and everything after it.

use std::collections::VecDeque;

use toolglot_engine::{End, Place, Span};
use toolglot_value::Value;

/// The pending items, in order.
#[derive(Debug, Default)]
pub(super) struct PendingQueue {
    items: VecDeque<PendingItem>,
}

#[derive(Debug)]
pub(super) enum PendingItem {
    Text(String),
    Reasoning(String),
    Call(PendingCall),
}

/// The identity of a call: parsed from the text, or native to the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKey {
    Text(u32),
    Native(u32),
}

#[derive(Debug)]
pub(super) struct PendingCall {
    pub(super) key: CallKey,
    pub(super) name: String,
    pub(super) server: Option<String>,
    pub(super) dialect: Option<String>,
    pub(super) place: Place,
    /// The span of the name in the text.
    pub(super) name_span: Option<Span>,
    pub(super) arguments: String,
    /// How the call ended, once it has.
    pub(super) end: Option<End>,
    /// Whether its arguments are sent while they are read, once the filter was asked.
    pub(super) streams: Option<bool>,
    /// The number of written bytes of its arguments; `None` if the call was not started.
    pub(super) n_written: Option<usize>,
}

impl PendingQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn held(&self) -> usize {
        let bytes = |item: &PendingItem| match item {
            PendingItem::Text(text) | PendingItem::Reasoning(text) => text.len(),
            PendingItem::Call(call) => call.name.len() + call.arguments.len(),
        };
        self.items.iter().map(bytes).sum()
    }

    pub(super) fn push(&mut self, item: PendingItem) {
        self.items.push_back(item);
    }

    pub(super) fn pop(&mut self) -> Option<PendingItem> {
        self.items.pop_front()
    }

    pub(super) fn put_back(&mut self, call: PendingCall) {
        self.items.push_front(PendingItem::Call(call));
    }

    pub(super) fn text(&mut self, piece: &str) {
        match self.items.back_mut() {
            Some(PendingItem::Text(text)) => text.push_str(piece),
            _ => self.push(PendingItem::Text(piece.to_owned())),
        }
    }

    pub(super) fn reasoning(&mut self, piece: &str) {
        match self.items.back_mut() {
            Some(PendingItem::Reasoning(text)) => text.push_str(piece),
            _ => self.push(PendingItem::Reasoning(piece.to_owned())),
        }
    }

    pub(super) fn arguments(&mut self, key: CallKey, json: &str) {
        if let Some(call) = self.call(key) {
            call.arguments.push_str(json);
        }
    }

    pub(super) fn end(&mut self, key: CallKey, end: End) {
        if let Some(call) = self.call(key) {
            call.end = Some(end);
        }
    }

    /// Ends all calls that have no end.
    pub(super) fn end_all(&mut self) {
        for item in &mut self.items {
            if let PendingItem::Call(call) = item {
                call.end.get_or_insert(End::Truncated);
            }
        }
    }

    /// An open call. It is the last one, unless a fence waits for its end.
    fn call(&mut self, key: CallKey) -> Option<&mut PendingCall> {
        self.items.iter_mut().rev().find_map(|item| match item {
            PendingItem::Call(call) if call.key == key => Some(call),
            _ => None,
        })
    }
}

impl PendingCall {
    /// Whether the arguments are one JSON object.
    pub(super) fn is_object(&self) -> bool {
        self.arguments.trim_start().starts_with('{') && toolglot_value::is_json(&self.arguments)
    }

    /// The end of the arguments, without a brace that may be their last byte.
    pub(super) fn unfinished(&self) -> usize {
        let text = self.arguments.trim_end();
        text.strip_suffix('}')
            .map_or(self.arguments.len(), str::len)
    }

    /// Removes members that a later member with the same key replaces. Only a recovered call can have such members.
    pub(super) fn keep_last_members(&mut self) {
        if self.end == Some(End::Recovered)
            && let Ok(object @ Value::Object(_)) = toolglot_value::from_str(&self.arguments)
        {
            self.arguments = object.to_string();
        }
    }
}
