//! The answer for a client: the parser's events as frames of an API's stream, and as a whole answer.
//!
//! ```text
//!  events of the parser ─┐                                    ┌─ frames of the stream
//!  native calls ─────────┼─ Pending ─ CallFilter ─ AnswerItem ┤
//!  text of the caller ───┘  (one call after another)          └─ whole answer
//! ```

mod anthropic;
mod chat;
mod filter;
mod frame;
mod ids;
mod item;
mod pending;
mod responses;

use std::sync::Arc;

use toolglot_engine::{End, Event, Place};
use toolglot_value::{Map, Value};

use crate::request::{ToolTable, estimate};
use crate::{Api, ApiError, Ending, FinishReason, Request, UpstreamEvent};

pub use filter::{CallFilter, CompleteCall, Decision, Emission};

use frame::Frames;
use ids::AnswerIds;
use item::{AnswerItem, ItemCall};
use pending::{CallKey, PendingCall, PendingItem, PendingQueue};

/// The inputs of an answer besides its request.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerHead<'a> {
    /// Ids are derived from it and from the request: it must be random or unique to this answer.
    pub seed: &'a [u8],
    /// Seconds since 1970.
    pub created: u64,
    /// The model of the answer; `None`: the requested one.
    pub model: Option<&'a str>,
}

/// An answer in progress.
///
/// Frames are appended to `out`, ready to be sent. If the client requested no stream, nothing is appended, and
/// [`Answer::whole`] returns the answer.
#[derive(Debug)]
pub struct Answer {
    tools: Arc<ToolTable>,
    ids: AnswerIds,
    frames: Frames,
    pending: PendingQueue,
    /// The open item.
    open: OpenItem,
    /// Blanks before a text or reasoning item that has not started, and its kind.
    blanks: (OpenItem, String),
    /// The items so far, for the whole answer.
    items: Vec<AnswerItem>,
    /// Whether texts are stored.
    keeps_items: bool,
    /// The number of items, the open one included.
    n_items: usize,
    is_started: bool,
    is_over: bool,
    is_stream: bool,
    n_calls: u32,
    /// The number of started calls, truncated ones included.
    n_started: u32,
    /// Whether a call was cut off.
    is_cut: bool,
    /// Whether pending calls must be decided.
    is_ending: bool,
    /// Whether a text was written.
    has_text: bool,
    /// Whether the next text starts a new paragraph.
    has_gap: bool,
    n_answer_tokens: u64,
    ending: Ending,
}

/// The kind of the open item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenItem {
    None,
    Text,
    Reasoning,
    Call,
}

impl Answer {
    /// An empty answer.
    pub fn new(request: &Request, head: AnswerHead<'_>) -> Answer {
        let mut ids = AnswerIds::new(request, head.seed);
        let frames = Frames::new(request, head, &mut ids);
        Answer {
            tools: Arc::clone(request.table()),
            ids,
            frames,
            pending: PendingQueue::default(),
            open: OpenItem::None,
            blanks: (OpenItem::None, String::new()),
            items: Vec::new(),
            keeps_items: !request.is_stream() || request.api() == Api::Responses,
            n_items: 0,
            is_started: false,
            is_over: false,
            is_stream: request.is_stream(),
            n_calls: 0,
            n_started: 0,
            is_cut: false,
            is_ending: false,
            has_text: false,
            has_gap: false,
            n_answer_tokens: 0,
            ending: Ending::default(),
        }
    }

    /// Writes the first frames, before there is any content. Every other method also does this.
    pub fn start(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.is_started, true) && self.is_stream {
            self.frames.start(out);
        }
    }

    /// Handles an event of the parser. Markup, notes and late ids have no effect.
    pub fn push(&mut self, event: &Event<'_>, filter: &mut dyn CallFilter, out: &mut Vec<u8>) {
        match event {
            Event::Text(text) => self.text(text, out),
            Event::Reasoning(text) => self.reasoning(text, out),
            Event::CallStart(head) => {
                let call = PendingCall {
                    key: CallKey::Text(head.call.0),
                    name: head.name.to_owned(),
                    server: head.server.map(str::to_owned),
                    dialect: Some(head.dialect.to_owned()),
                    place: head.place,
                    name_span: Some(head.name_span),
                    arguments: String::new(),
                    end: None,
                    streams: None,
                    n_written: None,
                };
                self.pending.push(PendingItem::Call(call));
            }
            Event::Args { call, json } => self.pending.arguments(CallKey::Text(call.0), json),
            Event::CallEnd { call, end } => self.pending.end(CallKey::Text(call.0), *end),
            _ => return,
        }
        self.write_pending(filter, out);
    }

    /// Handles an event of an upstream with native calls.
    pub fn push_upstream(
        &mut self,
        event: &UpstreamEvent<'_>,
        filter: &mut dyn CallFilter,
        out: &mut Vec<u8>,
    ) {
        match *event {
            UpstreamEvent::Text(text) => self.text(text, out),
            UpstreamEvent::Reasoning(text) => self.reasoning(text, out),
            UpstreamEvent::CallStart { call, name, .. } => {
                let call = PendingCall {
                    key: CallKey::Native(call),
                    name: name.to_owned(),
                    server: None,
                    dialect: None,
                    place: Place::Answer,
                    name_span: None,
                    arguments: String::new(),
                    end: None,
                    streams: None,
                    n_written: None,
                };
                self.pending.push(PendingItem::Call(call));
            }
            UpstreamEvent::Arguments { call, json } => {
                self.pending.arguments(CallKey::Native(call), json);
            }
            UpstreamEvent::CallEnd { call, end } => self.pending.end(CallKey::Native(call), end),
        }
        self.write_pending(filter, out);
    }

    /// Adds text of the answer.
    pub fn text(&mut self, text: &str, out: &mut Vec<u8>) {
        if self.pending.is_empty() {
            self.write_text(OpenItem::Text, text, out);
        } else {
            self.pending.text(text);
        }
    }

    /// Adds reasoning that the upstream separates from the text.
    pub fn reasoning(&mut self, text: &str, out: &mut Vec<u8>) {
        if self.pending.is_empty() {
            self.write_text(OpenItem::Reasoning, text, out);
        } else {
            self.pending.reasoning(text);
        }
    }

    /// Asks the filter again about waiting calls.
    pub fn release(&mut self, filter: &mut dyn CallFilter, out: &mut Vec<u8>) {
        self.write_pending(filter, out);
    }

    /// Ends a part of the answer, such as the text before tools ran: later text starts a new paragraph.
    pub fn end_part(&mut self, out: &mut Vec<u8>) {
        self.has_gap |= self.has_text;
        self.blanks.1.clear();
        self.close(out);
    }

    /// The number of held bytes of calls.
    pub fn held(&self) -> usize {
        self.pending.held() + self.blanks.1.len()
    }

    /// The number of written calls.
    pub fn n_calls(&self) -> u32 {
        self.n_calls
    }

    /// Whether something was written that a retry could not withdraw.
    pub fn has_content(&self) -> bool {
        self.n_items > 0
    }

    /// Ends the answer. A call that is still open is truncated.
    pub fn finish(&mut self, ending: Ending, filter: &mut dyn CallFilter, out: &mut Vec<u8>) {
        self.start(out);
        self.pending.end_all();
        self.is_ending = true;
        self.write_pending(filter, out);
        if self.n_items == 0 && self.blanks.0 == OpenItem::Text {
            let blanks = std::mem::take(&mut self.blanks.1);
            self.write_item_text(OpenItem::Text, &blanks, out);
        }
        self.close(out);
        self.ending = ending;
        if self.is_cut {
            self.ending.reason = FinishReason::Length;
        } else if self.ending.reason != FinishReason::Length
            && self.ending.reason != FinishReason::ContentFilter
        {
            self.ending.reason = match self.n_calls {
                0 => FinishReason::Stop,
                _ => FinishReason::ToolCalls,
            };
        }
        self.is_over = true;
        if self.is_stream {
            let n_tokens = self.n_answer_tokens;
            self.frames.finish(&self.items, &self.ending, n_tokens, out);
        }
    }

    /// Ends the stream with an error. Held bytes are dropped: they are not a valid call.
    pub fn error(&mut self, error: &ApiError, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.is_over, true) && self.is_stream {
            self.frames.error(error, &self.items, out);
        }
    }

    /// The whole answer, after it is finished.
    pub fn whole(&self) -> Value {
        self.frames
            .whole(&self.items, &self.ending, self.n_answer_tokens)
    }

    /// Writes pending items, up to a call that is not complete.
    fn write_pending(&mut self, filter: &mut dyn CallFilter, out: &mut Vec<u8>) {
        while let Some(item) = self.pending.pop() {
            match item {
                PendingItem::Text(text) => self.write_text(OpenItem::Text, &text, out),
                PendingItem::Reasoning(text) => self.write_text(OpenItem::Reasoning, &text, out),
                PendingItem::Call(mut call) => {
                    let Some(end) = call.end else {
                        self.write_open_call(&mut call, filter, out);
                        self.pending.put_back(call);
                        return;
                    };
                    if let Some(call) = self.write_complete_call(call, end, filter, out) {
                        self.pending.put_back(call);
                        return;
                    }
                }
            }
        }
    }

    /// Writes the available part of a call without an end, if its arguments are sent while they are read.
    fn write_open_call(
        &mut self,
        call: &mut PendingCall,
        filter: &mut dyn CallFilter,
        out: &mut Vec<u8>,
    ) {
        if call.n_written.is_none() {
            let streams = call.streams.get_or_insert_with(|| {
                let tool = self.tools.client(call.server.as_deref(), &call.name);
                // The input of a freeform tool is written once its text is complete.
                !tool.is_freeform && filter.streams(&call.name)
            });
            if !*streams {
                return;
            }
            self.start_call(call, out);
            call.n_written = Some(0);
        }
        self.write_arguments(call, out);
    }

    /// Writes an ended call, or returns it if it has to wait.
    fn write_complete_call(
        &mut self,
        mut call: PendingCall,
        end: End,
        filter: &mut dyn CallFilter,
        out: &mut Vec<u8>,
    ) -> Option<PendingCall> {
        if call.n_written.is_some() {
            // A sent text cannot be withdrawn: the client gets an unfinished prefix, and no end.
            let is_whole = end != End::Truncated && call.is_object();
            if is_whole {
                self.write_arguments(&mut call, out);
            }
            self.end_call(is_whole, out);
            return None;
        }
        let complete = CompleteCall {
            name: &call.name,
            server: call.server.as_deref(),
            arguments: &call.arguments,
            dialect: call.dialect.as_deref(),
            place: call.place,
            name_span: call.name_span,
            end,
            is_object: call.is_object(),
        };
        match filter.decide(&complete) {
            Decision::Send if end != End::Truncated && complete.is_object => {
                call.keep_last_members();
                self.start_call(&call, out);
                call.n_written = Some(0);
                self.write_arguments(&mut call, out);
                self.end_call(true, out);
            }
            Decision::Text(text) => {
                self.is_cut |= end == End::Truncated;
                self.write_text(OpenItem::Text, &text, out);
            }
            Decision::Wait if !self.is_ending => return Some(call),
            // A call whose arguments are not an object was also cut off: the client learns that something is missing.
            Decision::Send | Decision::Drop | Decision::Wait => {
                self.is_cut |= end == End::Truncated || !complete.is_object;
            }
        }
        None
    }

    fn write_text(&mut self, kind: OpenItem, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.start(out);
        if self.open == kind {
            self.write_item_text(kind, text, out);
            return;
        }
        if self.blanks.0 != kind {
            self.blanks = (kind, String::new());
        }
        // Blanks alone are not an item.
        if text.trim().is_empty() {
            self.blanks.1.push_str(text);
        } else if self.blanks.1.is_empty() {
            self.write_item_text(kind, text, out);
        } else {
            let joined = std::mem::take(&mut self.blanks.1) + text;
            self.write_item_text(kind, &joined, out);
        }
    }

    /// Writes a piece of an item of this kind, and starts the item if another one is open.
    fn write_item_text(&mut self, kind: OpenItem, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        if self.open != kind {
            self.close(out);
            self.open = kind;
            self.n_items += 1;
            let id = self.ids.item(match kind {
                OpenItem::Reasoning => "rs_",
                _ => "msg_",
            });
            let text = String::new();
            self.items.push(match kind {
                OpenItem::Reasoning => AnswerItem::Reasoning { id, text },
                _ => AnswerItem::Text { id, text },
            });
            if self.is_stream
                && let Some(item) = self.items.last()
            {
                self.frames.open(item, out);
            }
        }
        let joined;
        let text = if kind == OpenItem::Text && std::mem::take(&mut self.has_gap) {
            // Chat Completions has one text, other APIs have items.
            joined = match self.frames.api() {
                Api::Chat => format!("\n\n{text}"),
                Api::Responses | Api::Messages => text.to_owned(),
            };
            &joined
        } else {
            text
        };
        self.has_text |= kind == OpenItem::Text;
        self.n_answer_tokens += estimate(text);
        if let Some(item) = self.items.last_mut() {
            if self.keeps_items {
                item.add(text);
            }
            if self.is_stream {
                self.frames.delta(item, text, out);
            }
        }
    }

    fn start_call(&mut self, call: &PendingCall, out: &mut Vec<u8>) {
        self.start(out);
        self.close(out);
        self.blanks.1.clear();
        let tool = self.tools.client(call.server.as_deref(), &call.name);
        let item = ItemCall {
            index: self.n_started,
            call_id: self.ids.call(self.frames.api()),
            item_id: self.ids.item(if tool.is_freeform { "ctc_" } else { "fc_" }),
            name: tool.name.to_owned(),
            namespace: tool.namespace.map(str::to_owned),
            is_freeform: tool.is_freeform,
            arguments: String::new(),
        };
        self.n_calls += 1;
        self.n_started += 1;
        self.n_items += 1;
        self.open = OpenItem::Call;
        self.n_answer_tokens += estimate(&item.name);
        self.items.push(AnswerItem::Call(item));
        if self.is_stream
            && let Some(item) = self.items.last()
        {
            self.frames.open(item, out);
        }
    }

    /// Writes the pending part of a call's arguments.
    fn write_arguments(&mut self, call: &mut PendingCall, out: &mut Vec<u8>) {
        let from = call.n_written.unwrap_or_default();
        let to = match call.end {
            Some(_) => call.arguments.len(),
            // A call that is cut off right after its last brace must not look complete.
            None => call.unfinished().max(from),
        };
        let piece = &call.arguments[from..to];
        if piece.is_empty() {
            return;
        }
        call.n_written = Some(to);
        self.n_answer_tokens += estimate(piece);
        if let Some(item @ AnswerItem::Call(_)) = self.items.last_mut() {
            let input = item.input_of(piece);
            let piece = input.as_deref().unwrap_or(piece);
            if self.keeps_items {
                item.add(piece);
            }
            if self.is_stream {
                self.frames.delta(item, piece, out);
            }
        }
    }

    /// Ends the open call; an incomplete call gets no end and is not part of the whole answer.
    fn end_call(&mut self, is_whole: bool, out: &mut Vec<u8>) {
        if is_whole {
            self.close(out);
        } else {
            self.is_cut = true;
            self.n_calls -= 1;
            self.items.pop();
            self.frames.abandon();
            self.open = OpenItem::None;
        }
    }

    /// Closes the open item.
    fn close(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.open, OpenItem::None) == OpenItem::None {
            return;
        }
        if self.is_stream
            && let Some(item) = self.items.last()
        {
            self.frames.close(item, out);
        }
        if !self.keeps_items {
            self.items.clear();
        }
    }
}

/// Adds the fields of the caller and the upstream.
fn with_other(mut fields: Map, ending: &Ending) -> Map {
    for (key, value) in &ending.other {
        if !fields.contains_key(key) {
            fields.insert(key.clone(), value.clone());
        }
    }
    fields
}
