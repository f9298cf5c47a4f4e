//! Events folded into calls.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use toolglot_json::internal::last_members;

use crate::{CallId, Code, End, Event, Note, Place, Sink, Span};

/// One call of a message, complete unless it is `Truncated`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its index in the message.
    pub id: CallId,
    /// The id that the model wrote.
    pub written_id: Option<String>,
    /// The tool's name as the model wrote it, or as the rule fixes it.
    pub name: String,
    /// Where the name was read.
    pub name_span: Span,
    /// A name space or server.
    pub server: Option<String>,
    /// JSON text of one object without duplicate keys: the last member of a key counts. Earlier ones are in the events;
    /// they are removed here if [`Code::DuplicateKey`] is emitted, for which `Limits::notes` must leave room.
    /// If `end` is `Truncated`: a prefix of an object, as emitted.
    /// If the arguments are not an object: their raw text, with the note [`Code::MalformedJson`].
    pub arguments: String,
    /// All bytes of the call.
    pub span: Span,
    /// The dialect whose rule read it.
    pub dialect: String,
    /// Where it is in the message.
    pub place: Place,
    /// How it ended.
    pub end: End,
    /// Notes emitted while it was open, sorted by place, then by code.
    pub notes: Vec<Note>,
}

/// A folded message: its calls, text, reasoning and notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// The calls, in order of appearance.
    pub calls: Vec<Call>,
    /// All text outside calls, verbatim. Without calls it also has the line of a fence that could wrap some.
    pub content: String,
    /// All reasoning, verbatim.
    pub reasoning: String,
    /// All notes, also those inside calls, sorted by place, then by code.
    pub notes: Vec<Note>,
    open: Option<usize>,
    cursor: u64,
    started: u64,
    last_markup: Option<Span>,
    /// The line in `content` of a fence that may wrap calls. The first call removes it; without calls it stays text.
    wrapper: Option<Range<usize>>,
}

impl Calls {
    /// All bytes of the open call were emitted.
    fn leave_call(&mut self) {
        if let Some(open) = self.open.take() {
            self.calls[open].span.end = self.cursor;
            self.last_markup = None;
        }
    }

    /// Keeps markup before the first call: the line of a fence that starts the message.
    fn keep_wrapper(&mut self, text: &str, continues: bool) {
        let from = match &self.wrapper {
            Some(line) if continues && line.end == self.content.len() => line.start,
            None if self.content.trim().is_empty()
                && (text.starts_with("```") || text.starts_with("~~~")) =>
            {
                self.content.len()
            }
            _ => return,
        };
        if !self.content[from..].contains('\n') {
            self.content.push_str(text);
            self.wrapper = Some(from..self.content.len());
        }
    }
}

impl Call {
    /// Removes each member whose key comes again later.
    fn keep_last_members(&mut self) {
        let is_double = self
            .notes
            .iter()
            .any(|note| note.code == Code::DuplicateKey);
        if is_double
            && self.end != End::Truncated
            && let Cow::Owned(args) = last_members(&self.arguments)
        {
            self.arguments = args;
        }
    }

    /// Keeps markup that is in place of the arguments.
    fn keep_raw(&mut self, span: Span, text: &str) {
        let is_raw = |note: &&Note| note.code == Code::MalformedJson && self.arguments.is_empty();
        let Some(note) = self.notes.last().filter(is_raw) else {
            return;
        };
        let (from, to) = (note.span.start.max(span.start), note.span.end.min(span.end));
        let place = |at: u64| (at - span.start) as usize;
        if from < to
            && let Some(raw) = text.get(place(from)..place(to))
        {
            self.arguments.push_str(raw);
        }
    }
}

impl Sink for Calls {
    fn event(&mut self, span: Span, event: Event<'_>) {
        match event {
            Event::Text(text) => self.content.push_str(text),
            Event::Reasoning(text) => self.reasoning.push_str(text),
            Event::Markup(text) => {
                if let Some(open) = self.open {
                    self.calls[open].keep_raw(span, text);
                }
                // A call's span starts with the markup right before its head.
                let continues = self.last_markup.is_some_and(|last| last.end == span.start);
                if !continues {
                    self.started = span.start;
                }
                if self.calls.is_empty() {
                    self.keep_wrapper(text, continues);
                }
                self.last_markup = Some(span);
            }
            Event::CallStart(head) => {
                if let Some(line) = self.wrapper.take() {
                    self.content.replace_range(line, "");
                }
                let started = match self.last_markup {
                    Some(last) if last.end == span.start => self.started,
                    _ => span.start,
                };
                self.open = Some(self.calls.len());
                self.calls.push(Call {
                    id: head.call,
                    written_id: head.id.map(String::from),
                    name: head.name.into(),
                    name_span: head.name_span,
                    server: head.server.map(String::from),
                    arguments: String::new(),
                    span: Span::new(started, span.start),
                    dialect: head.dialect.into(),
                    place: head.place,
                    end: End::Truncated,
                    notes: Vec::new(),
                });
            }
            Event::Args { json, .. } => {
                if let Some(open) = self.open {
                    self.calls[open].arguments.push_str(json);
                }
            }
            Event::LateId { id, .. } => {
                if let Some(open) = self.open {
                    self.calls[open].written_id = Some(id.into());
                }
            }
            Event::CallEnd { call, end } => {
                self.cursor = span.end;
                if self.open.is_some_and(|open| self.calls[open].id == call) {
                    self.leave_call();
                }
                if let Some(call) = self.calls.iter_mut().rfind(|one| one.id == call) {
                    call.end = end;
                    call.keep_last_members();
                }
            }
            Event::Note(note) => {
                if let Some(open) = self.open {
                    insert(&mut self.calls[open].notes, note);
                }
                insert(&mut self.notes, note);
                // The call's `CallEnd` comes once it is known what follows the fence.
                if note.code == Code::FencedCall {
                    self.leave_call();
                }
                return;
            }
        }
        self.cursor = span.end;
    }
}

/// Inserts a note by its place: when it is emitted depends on the pushes, its place does not.
fn insert(notes: &mut Vec<Note>, note: &Note) {
    let key = |note: &Note| (note.span.start, note.span.end, note.code);
    let at = notes.partition_point(|before| key(before) <= key(note));
    notes.insert(at, note.clone());
}
