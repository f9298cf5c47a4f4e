//! Emits events to the sink. Each event covers the bytes from the cursor to the event's end.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::RepairSpan;
use toolglot_json::internal::{Keys, escape_into};

use super::closer_lookahead::starts_line;
use super::quote::Quote;
use super::string_text::StringText;
use super::value::ValueWriter;
use super::view::View;
use crate::doubt::{CallFacts, DoubtRule, DoubtSpan, Doubts};
use crate::remark::remark;
use crate::thresholds::{REPEATABLE_MAX, WAITING_MAX};
use crate::{CallHead, CallId, Code, End, Event, Note, Place, Recovery, Sink, Span};

/// A call that has started and has not ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCall {
    pub(crate) id: CallId,
    pub(crate) dialect: Arc<str>,
    pub(crate) name: String,
    pub(crate) name_at: Span,
    pub(crate) server: Option<String>,
    pub(crate) written_id: Option<String>,
    /// The index of the call's tool in the program.
    pub(crate) tool: Option<usize>,
    /// The head was emitted.
    pub(crate) started: bool,
    /// The arguments' `{` was written.
    pub(crate) opened: bool,
    /// One of the call's raw values has started.
    pub(crate) has_value: bool,
    /// The arguments are complete: a body wrote all of them.
    pub(crate) whole: bool,
    /// The facts that the doubt rules test.
    pub(crate) facts: CallFacts,
    /// Where the call's text ends: after its arguments, or after its entry if the rest of the line is a fact.
    pub(crate) text_end: u64,
    /// Where the arguments start, if they are a fact of the call.
    pub(crate) arguments_at: u64,
    /// It is a bare Python call: the rest of its line is a fact of the call.
    pub(crate) awaits_tail: bool,
    /// Where the JSON that holds the arguments ends.
    pub(crate) json_end: Option<u64>,
    /// The best end that is still possible.
    pub(crate) at_best: End,
    /// A key without a value yet, its place, the value that it has without one, and the value of an empty form.
    pub(crate) flag: Option<(String, Span, (&'static str, &'static str))>,
    /// The dialect has keys without values.
    pub(crate) has_flags: bool,
    /// It is not a call: its only argument is text of the answer, which is decoded.
    text: Option<StringText>,
    /// The key of the open list, which a parameter of the same key continues.
    list: Option<String>,
    keys: Keys,
}

impl OpenCall {
    pub(crate) fn new(dialect: &Arc<str>, place: Place, at: u64) -> OpenCall {
        OpenCall {
            dialect: Arc::clone(dialect),
            name_at: Span::empty(at),
            facts: CallFacts::new(place),
            text_end: at,
            arguments_at: at,
            ..OpenCall::default()
        }
    }

    /// In place of a call: text of the answer that is written as a JSON value.
    pub(crate) fn of_text(dialect: &Arc<str>, at: u64) -> OpenCall {
        OpenCall {
            started: true,
            text: Some(StringText::default()),
            ..OpenCall::new(dialect, Place::Answer, at)
        }
    }

    /// Whether the arguments already have the member `key`, and it is not the open list.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.has(key.as_bytes()) && self.list.as_deref() != Some(key)
    }

    /// The call has started but has no name: nothing of the call can be emitted.
    pub(crate) fn is_nameless(&self) -> bool {
        self.name.is_empty() && !self.started
    }

    /// It is text of the answer, not a call.
    pub(crate) fn is_text(&self) -> bool {
        self.text.is_some()
    }

    pub(crate) fn worsen(&mut self, end: End) {
        self.at_best = self.at_best.max(end);
    }
}

/// The channel that plain text belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Channel {
    #[default]
    Text,
    Reasoning,
    /// Bytes inside a call or block that belong to nothing.
    Junk,
}

/// The cursor and the open call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    /// All bytes before it are accounted for.
    pub(crate) cursor: u64,
    pub(crate) call: Option<OpenCall>,
    pub(super) calls: u32,
    /// How many of these calls are of a dialect whose calls start a line.
    pub(super) line_calls: u32,
    /// The names of calls in and after a wrapper fence, and the hashes of their arguments.
    emitted_calls: Vec<(String, u64)>,
    /// The hash of the open call's arguments so far.
    arguments_hash: u64,
    /// Argument text that was not emitted yet.
    args: String,
    pub(crate) quote: Quote,
    /// Text that is not blank was emitted: the message has started.
    pub(crate) has_text: bool,
    /// Reasoning that is not blank was emitted since the reasoning started.
    pub(crate) has_reasoning: bool,
    /// Only blanks precede the next byte on its line of reasoning.
    pub(crate) at_line: bool,
    /// Reasoning has ended, and neither text that is not blank nor a call has followed it: a line starts here.
    pub(crate) reasoning_is_over: bool,
    /// The last byte that was emitted, if it was text; else 0.
    pub(crate) last: u8,
    /// The last byte of text that is not blank.
    pub(crate) last_solid: u8,
    /// The last calls in wrappers, and how they ended: what follows their fence is a fact of these calls.
    waiting: Vec<(CallId, End, CallFacts)>,
    /// A value of a call ended without its closer.
    pub(crate) missing_closer: bool,
    /// The doubt rules for all calls.
    pub(crate) doubts: Doubts,
    counts: BTreeMap<Code, usize>,
    notes_cap: usize,
    /// Notes that are emitted with the call's end.
    end_notes: Vec<Note>,
    /// The names of the program's tools.
    names: Arc<[String]>,
    /// The sink is off (priming).
    pub(crate) mute: bool,
    /// Where the message starts: the bytes before belong to the prompt and are never emitted.
    origin: u64,
}

impl Emitter {
    pub(crate) fn new(notes_cap: usize, names: Arc<[String]>) -> Emitter {
        Emitter {
            notes_cap,
            names,
            ..Emitter::default()
        }
    }

    /// Starts the message at `at`: the bytes before belong to the prompt, and nothing counts as emitted.
    pub(crate) fn start_message(&mut self, at: u64) {
        self.origin = at;
        self.has_text = false;
        self.quote = Quote::default();
        self.counts.clear();
        self.waiting.clear();
    }

    /// Where the message starts.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    fn emit(&self, span: Span, event: Event<'_>, sink: &mut dyn Sink) {
        if self.mute {
            return;
        }
        if self.origin == 0 {
            sink.event(span, event);
        } else {
            self.emit_from_origin(span, event, sink);
        }
    }

    /// Emits an event with offsets from the message's start, and without the prompt's part of a text.
    #[cold]
    fn emit_from_origin(&self, span: Span, event: Event<'_>, sink: &mut dyn Sink) {
        let n_prompt = self.origin.saturating_sub(span.start) as usize;
        let moved = span.since(self.origin);
        let short = |text| str::get(text, n_prompt..).unwrap_or_default();
        match event {
            Event::Text(text) | Event::Reasoning(text) | Event::Markup(text)
                if n_prompt > 0 && n_prompt >= text.len() => {}
            Event::Text(text) => sink.event(moved, Event::Text(short(text))),
            Event::Reasoning(text) => sink.event(moved, Event::Reasoning(short(text))),
            Event::Markup(text) => sink.event(moved, Event::Markup(short(text))),
            Event::CallStart(mut head) => {
                head.name_span = head.name_span.since(self.origin);
                sink.event(moved, Event::CallStart(head));
            }
            Event::Note(note) => {
                let mut note = note.clone();
                note.span = note.span.since(self.origin);
                sink.event(note.span, Event::Note(&note));
            }
            other => sink.event(moved, other),
        }
    }

    /// Emits an event for the next `len` bytes.
    pub(crate) fn pass(&mut self, len: u64, event: Event<'_>, sink: &mut dyn Sink) {
        self.last = match event {
            Event::Text(text) => {
                self.is_said(text.as_bytes());
                last_byte(text)
            }
            Event::Reasoning(text) => {
                self.at_line = starts_line(text.as_bytes(), self.at_line);
                last_byte(text)
            }
            _ => 0,
        };
        self.account(self.cursor + len, event, sink);
    }

    /// Records text of the answer. Returns whether any byte of the text is not blank.
    fn is_said(&mut self, text: &[u8]) -> bool {
        let solid = |byte: &&u8| !crate::program::is_blank(**byte);
        let last = text.iter().rev().find(solid);
        if let Some(&last) = last {
            (self.last_solid, self.reasoning_is_over) = (last, false);
        }
        last.is_some()
    }

    /// Emits an event that accounts for the bytes up to `to`.
    fn account(&mut self, to: u64, event: Event<'_>, sink: &mut dyn Sink) {
        if let (Event::Args { json, .. }, true) = (&event, self.quote.wrapped) {
            self.arguments_hash = hash_arguments(self.arguments_hash, json);
        }
        let span = Span::new(self.cursor, to);
        self.cursor = to;
        self.emit(span, event, sink);
    }

    /// Whether argument text waits to be emitted.
    pub(crate) fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Emits the bytes up to `to` as text of `channel`.
    pub(crate) fn text(&mut self, channel: Channel, view: View<'_>, to: u64, sink: &mut dyn Sink) {
        if to <= self.cursor {
            return;
        }
        if channel == Channel::Junk {
            let last = last_byte(view.slice(self.cursor, to));
            self.markup(view, to, sink);
            // A marker does not start inside a word of junk either.
            self.last = last;
            return;
        }
        self.flush_args(self.cursor, sink);
        if channel == Channel::Text
            && !self.waiting.is_empty()
            && let Some(n) = self.quote.clone().past_calls(view.bytes(self.cursor, to))
        {
            self.text(channel, view, self.cursor + n as u64, sink);
            self.end_waiting(true, sink);
        }
        let text = view.slice(self.cursor, to);
        self.last = last_byte(text);
        if channel == Channel::Text {
            // The prompt's part does not count as text of the message.
            let n_prompt = self.origin.saturating_sub(self.cursor) as usize;
            let message = text.as_bytes().get(n_prompt..).unwrap_or(&[]);
            self.quote.feed(message);
            // A byte order mark counts as one only where the message starts.
            let is_start = self.cursor <= self.origin;
            let without_mark = message.strip_prefix(b"\xef\xbb\xbf");
            let message = without_mark.filter(|_| is_start).unwrap_or(message);
            self.has_text |= self.is_said(message);
            self.account(to, Event::Text(text), sink);
        } else {
            self.has_reasoning |= !text.bytes().all(crate::program::is_blank);
            self.pass(to - self.cursor, Event::Reasoning(text), sink);
        }
    }

    /// Emits the bytes up to `to` as markup.
    pub(crate) fn markup(&mut self, view: View<'_>, to: u64, sink: &mut dyn Sink) {
        if to <= self.cursor {
            return;
        }
        self.flush_args(self.cursor, sink);
        let text = view.slice(self.cursor, to);
        self.quote.skip(text.as_bytes());
        self.last = 0;
        self.account(to, Event::Markup(text), sink);
    }

    /// Emits argument text that accounts for the bytes up to `to`, or for none.
    pub(crate) fn flush_args(&mut self, to: u64, sink: &mut dyn Sink) {
        if self.args.is_empty() && to <= self.cursor {
            return;
        }
        let Some(call) = &mut self.call else {
            self.args.clear();
            return;
        };
        let (id, mut json) = (call.id, core::mem::take(&mut self.args));
        if let Some(text) = &mut call.text {
            let decoded = text.take(&mut json);
            self.args = json;
            self.has_text |= !decoded.trim().is_empty();
            let length = to.saturating_sub(self.cursor);
            if length > 0 || !decoded.is_empty() {
                self.pass(length, Event::Text(&decoded), sink);
            }
            return;
        }
        let event = Event::Args {
            call: id,
            json: &json,
        };
        self.account(to.max(self.cursor), event, sink);
        self.args = json;
        self.args.clear();
    }

    /// Emits what was written of a raw value.
    pub(super) fn emit_value(&mut self, writer: &ValueWriter, view: View<'_>, sink: &mut dyn Sink) {
        if writer.dropped {
            self.markup(view, writer.emitted, sink);
        } else {
            self.flush_args(writer.emitted, sink);
        }
    }

    /// The buffer that bodies write argument text to.
    pub(crate) fn args(&mut self) -> &mut String {
        &mut self.args
    }

    /// Emits the head of the open call; all bytes up to `to` before the head are markup.
    pub(crate) fn start_call(&mut self, view: View<'_>, to: u64, sink: &mut dyn Sink) {
        let Some(mut call) = self.call.take_if(|call| !call.started) else {
            return;
        };
        self.markup(view, to, sink);
        self.reasoning_is_over = false;
        self.counts.clear();
        (call.id, call.started) = (CallId(self.calls), true);
        self.calls += 1;
        if !call.facts.is_in_later_fence {
            self.end_waiting(true, sink);
        }
        self.call_by_name(&mut call, sink);
        let head = CallHead {
            call: call.id,
            dialect: &call.dialect,
            name: &call.name,
            name_span: call.name_at,
            server: call.server.as_deref(),
            id: call.written_id.as_deref(),
            place: call.facts.place,
        };
        self.emit(Span::empty(self.cursor), Event::CallStart(head), sink);
        self.call = Some(call);
    }

    /// Gives a call its tool's own name, however the model spelt that name.
    fn call_by_name(&mut self, call: &mut OpenCall, sink: &mut dyn Sink) {
        let Some(name) = call.tool.and_then(|tool| self.names.get(tool)) else {
            return;
        };
        if *name != call.name {
            let message = format!("unknown tool `{}`; it was read as `{name}`", call.name);
            call.name.clone_from(name);
            call.worsen(End::Recovered);
            self.note(Code::NearName, call.name_at, message, sink);
        }
    }

    /// Whether the message has more than blanks, markup and reasoning before the cursor.
    pub(crate) fn has_started(&self) -> bool {
        self.has_text || self.calls > 0
    }

    /// Whether a call in or after the answer's fence has that name and those arguments, blanks and quotes aside.
    pub(crate) fn has_call(&self, name: &str, json: &str) -> bool {
        let json = if json.is_empty() { "{}" } else { json };
        let arguments_hash = hash_arguments(0, json);
        let is_same = |(called, hash): &(String, u64)| called == name && *hash == arguments_hash;
        self.emitted_calls.iter().any(is_same)
    }

    /// Marks the arguments as opened by the value of `key`, which wrote its key itself.
    pub(crate) fn opened_by(&mut self, key: &str) {
        if let Some(call) = self.call.as_mut().filter(|call| !call.opened) {
            call.opened = true;
            call.keys.insert(key.as_bytes());
        }
    }

    /// Sets the value of the last key, unless another value follows.
    pub(crate) fn set_flag(&mut self, value: &'static str) {
        if let Some((.., flag)) = self.call.as_mut().and_then(|call| call.flag.as_mut()) {
            flag.0 = if value.is_empty() { flag.1 } else { value };
        }
    }

    /// Writes the value of the last key, if no value followed it.
    pub(crate) fn end_flag(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let flag = self.call.as_mut().and_then(|call| call.flag.take());
        if let Some((key, at, (value, _))) = flag {
            self.start_call(view, at.start, sink);
            self.start_key(&key, at, sink);
            self.args.push_str(value);
        }
    }

    /// Starts the member `key` of the arguments, which was read at `at`.
    pub(crate) fn start_key(&mut self, key: &str, at: Span, sink: &mut dyn Sink) {
        if !self.key(key) {
            self.recovered(Recovery::DuplicateKey, at, key, sink);
        }
    }

    /// Starts an item of the list `key`, in the open list if that has the same key.
    pub(crate) fn start_item(&mut self, key: &str, at: Span, sink: &mut dyn Sink) {
        if (self.call.as_ref()).is_some_and(|call| call.list.as_deref() == Some(key)) {
            return self.args.push(',');
        }
        self.start_key(key, at, sink);
        self.args.push('[');
        if let Some(call) = &mut self.call {
            call.list = Some(key.into());
        }
    }

    /// Starts the member `key` of the arguments. Returns whether the key is new.
    pub(crate) fn key(&mut self, key: &str) -> bool {
        let Some(call) = self.call.as_mut().filter(|call| !call.is_text()) else {
            return true;
        };
        self.args.push_str(call.list.take().map_or("", |_| "]"));
        self.args.push_str(if call.opened { ",\"" } else { "{\"" });
        call.opened = true;
        escape_into(&mut self.args, key);
        self.args.push_str("\":");
        call.keys.insert(key.as_bytes())
    }

    /// The tool of the open call, if it is known.
    pub(crate) fn tool(&self) -> Option<usize> {
        self.call.as_ref()?.tool
    }

    /// Lets the open call, if there is one, end no better than `end`.
    pub(crate) fn worsen(&mut self, end: End) {
        if let Some(call) = &mut self.call {
            call.worsen(end);
        }
    }

    /// Emits the id of the open call, which came after the call's arguments.
    pub(crate) fn late_id(&mut self, id: &str, sink: &mut dyn Sink) {
        self.flush_args(self.cursor, sink);
        let call = self.call.as_ref().filter(|call| call.started);
        if let Some(call) = call.map(|call| call.id) {
            self.emit(Span::empty(self.cursor), Event::LateId { call, id }, sink);
        }
    }

    /// Ends the open call, if there is one; all bytes up to `to` before the end are markup.
    pub(crate) fn end_call(&mut self, end: End, view: View<'_>, to: u64, sink: &mut dyn Sink) {
        let is_not_call = |call: &OpenCall| call.is_nameless() || call.is_text();
        if self.call.as_ref().is_some_and(is_not_call) {
            self.flush_args(self.cursor, sink);
            self.call = None;
            self.args.clear();
            self.markup(view, to, sink);
            return;
        }
        if end != End::Truncated {
            self.end_flag(view, sink);
        }
        self.start_call(view, to, sink);
        let Some(call) = &mut self.call else { return };
        let end = end.max(call.at_best).max(self.doubts.end(call.facts));
        if !call.whole && end != End::Truncated {
            self.args.push_str(call.list.take().map_or("", |_| "]"));
            self.args.push_str(if call.opened { "}" } else { "{}" });
        }
        self.flush_args(self.cursor, sink);
        self.markup(view, to, sink);
        let Some(call) = self.call.take() else { return };
        self.note_doubts(&call, sink);
        self.end_notes(sink);
        let (id, facts) = (call.id, call.facts);
        if self.quote.wrapped && self.emitted_calls.len() < REPEATABLE_MAX {
            self.emitted_calls.push((call.name, self.arguments_hash));
        }
        self.arguments_hash = 0;
        if !facts.is_in_later_fence {
            let event = Event::CallEnd { call: id, end };
            self.emit(Span::empty(self.cursor), event, sink);
            return;
        }
        self.waiting.push((id, end, facts));
        if self.waiting.len() > WAITING_MAX {
            self.end_waiting(true, sink);
        }
    }

    /// Emits the notes of the doubt rules for a call whose bytes have ended.
    fn note_doubts(&mut self, call: &OpenCall, sink: &mut dyn Sink) {
        let notes: Vec<DoubtRule> = self.doubts.of(call.facts).copied().collect();
        for rule in notes {
            let Some(code) = rule.code else { continue };
            let span = match rule.span {
                DoubtSpan::Name => call.name_at,
                DoubtSpan::Arguments => Span::empty(call.arguments_at),
                DoubtSpan::End => Span::empty(call.text_end),
            };
            self.note(code, span, rule.message, sink);
        }
    }

    /// Ends the calls in wrappers whose ends wait. `has_text`: text follows their fence.
    pub(crate) fn end_waiting(&mut self, has_text: bool, sink: &mut dyn Sink) {
        for (call, end, mut facts) in core::mem::take(&mut self.waiting) {
            facts.has_text_after_fence = has_text;
            let end = end.max(self.doubts.end(facts));
            let event = Event::CallEnd { call, end };
            self.emit(Span::empty(self.cursor), event, sink);
        }
    }

    /// Ends the message. If it was cut off, missing text after the last wrapper is no evidence for its calls.
    pub(crate) fn end(&mut self, is_cut_off: bool, sink: &mut dyn Sink) {
        self.quote.end();
        self.end_waiting(is_cut_off || self.quote.is_past_calls(), sink);
    }

    /// Emits a note, if its code has not reached the cap.
    #[cold]
    pub(crate) fn note(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        sink: &mut dyn Sink,
    ) {
        self.note_with_help(code, span, message, None, sink);
    }

    /// Emits the note of a recovery, about `what`, and worsens the open call's end.
    #[cold]
    pub(crate) fn recovered(
        &mut self,
        recovery: Recovery,
        at: Span,
        what: &str,
        sink: &mut dyn Sink,
    ) {
        let rule = recovery.rule();
        self.worsen(rule.end);
        self.note(rule.code, at, recovery.note_text(what), sink);
    }

    /// Emits a note that says what would have been right.
    #[cold]
    pub(crate) fn note_with_help(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
        sink: &mut dyn Sink,
    ) {
        if self.takes_note(code) {
            let note = Note::new(code, span, message, help);
            self.emit(span, Event::Note(&note), sink);
        }
    }

    /// Emits a note with the end of the call. When a coercion is certain depends on the cut; the order of notes does not.
    pub(crate) fn note_at_end(&mut self, code: Code, span: Span, message: String) {
        if self.takes_note(code) {
            self.end_notes.push(Note::new(code, span, message, None));
        }
    }

    /// Counts a note. Returns whether it is one of those that are kept.
    fn takes_note(&mut self, code: Code) -> bool {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        *count <= self.notes_cap
    }

    /// Emits the notes that waited for the call's end, and for each code a note that says how many were left out.
    fn end_notes(&mut self, sink: &mut dyn Sink) {
        for note in core::mem::take(&mut self.end_notes) {
            self.emit(note.span, Event::Note(&note), sink);
        }
        for (code, count) in core::mem::take(&mut self.counts) {
            if count > self.notes_cap {
                let span = Span::empty(self.cursor);
                let message = format!("{} more of {}", count - self.notes_cap, code.name());
                let note = Note::new(code, span, message, None);
                self.emit(span, Event::Note(&note), sink);
            }
        }
    }

    /// Emits notes for the repairs of the JSON transducer.
    #[cold]
    pub(crate) fn repaired(&mut self, repairs: &[RepairSpan], sink: &mut dyn Sink) {
        for repaired in repairs {
            let (code, message) = remark(repaired.repair);
            if repaired.repair.is_structural() {
                self.worsen(End::Recovered);
            }
            let at = Span::new(repaired.start, repaired.end.max(repaired.start));
            self.note(code, at, message, sink);
        }
    }
}

fn last_byte(text: &str) -> u8 {
    text.bytes().next_back().unwrap_or(0)
}

/// Extends the hash `before` by JSON text without its blanks and quotes.
fn hash_arguments(before: u64, json: &str) -> u64 {
    let counts = |byte: &u8| !crate::program::is_blank(*byte) && *byte != b'"';
    json.bytes().filter(counts).fold(before, |sum, byte| {
        (sum ^ u64::from(byte) ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0x0100_0000_01B3)
    })
}
