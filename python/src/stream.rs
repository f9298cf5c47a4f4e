//! One message on its way from what is pushed to what was read.

use std::sync::{Arc, OnceLock};

use toolglot_chat::{Reading, Trace};
use toolglot_engine::{CallHead, Code, End, Event, Finish, Input, Note, Parser, Place, Sink, Span};
use toolglot_toolset::Toolbox;
use toolglot_wire::{Bytes, JoinedText};

use crate::from_python::Pushed;
use crate::message::{MessageData, Original};
use crate::reading_options::ReadingOptions;
use crate::source_text::SourceText;

/// A message that streams.
pub(crate) struct Stream {
    options: ReadingOptions,
    parser: Parser,
    joiner: Bytes,
    sink: StreamSink,
    text: SourceText,
    /// What was pushed, where it may differ from the text.
    original: Option<Vec<u8>>,
    is_bytes: bool,
}

/// An event that outlives the push.
#[derive(Clone, Debug)]
pub(crate) struct OwnedEvent {
    pub(crate) kind: EventKind,
    pub(crate) span: Span,
    pub(crate) call: Option<u32>,
    /// Text, reasoning, markup, JSON text or an id.
    pub(crate) text: String,
    pub(crate) head: Option<Box<OwnedHead>>,
    pub(crate) end: Option<End>,
    pub(crate) note: Option<Box<Note>>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Text,
    Reasoning,
    Markup,
    CallStart,
    Arguments,
    LateId,
    CallEnd,
    Note,
}

/// The head of a call.
#[derive(Clone, Debug)]
pub(crate) struct OwnedHead {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) dialect: String,
    pub(crate) place: Place,
    pub(crate) name_span: Span,
    pub(crate) is_freeform: bool,
}

/// Folds events into the message, and keeps those of a push.
#[derive(Default)]
struct StreamSink {
    trace: Trace,
    /// Where names of tools stand.
    names: Vec<Span>,
    events: Option<Vec<OwnedEvent>>,
    toolbox: Option<Arc<Toolbox>>,
}

impl Stream {
    /// A message of which nothing came yet. Without `keeps_events` only the message is kept.
    pub(crate) fn new(options: ReadingOptions, keeps_events: bool) -> Stream {
        Stream {
            parser: options.reader.parser(),
            joiner: Bytes::new(),
            sink: StreamSink {
                events: keeps_events.then(Vec::new),
                toolbox: options.compiled.toolbox.clone(),
                ..StreamSink::default()
            },
            options,
            text: SourceText::default(),
            original: None,
            is_bytes: false,
        }
    }

    /// The spellings that come as special tokens only.
    pub(crate) fn special_tokens(mut self, spellings: &[String]) -> Stream {
        self.parser = self
            .parser
            .special_tokens(spellings.iter().map(String::as_str));
        self
    }

    /// The text so far.
    pub(crate) fn text(&self) -> &SourceText {
        &self.text
    }

    /// The bytes that no event accounts for yet.
    pub(crate) fn held(&self) -> &str {
        self.parser.held()
    }

    /// The events since the last time.
    pub(crate) fn take_events(&mut self) -> Vec<OwnedEvent> {
        self.sink
            .events
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Reads more of the message.
    pub(crate) fn push(&mut self, piece: &Pushed<'_>) {
        match piece {
            Pushed::Text(text) => {
                self.end_character();
                self.keep(text.as_bytes());
                self.text.push(text);
                self.parser.push(Input::Text(text), &mut self.sink);
            }
            Pushed::Surrogates(bytes) => {
                self.end_character();
                self.start_original();
                self.keep(bytes);
                self.push_surrogates(bytes);
            }
            Pushed::Bytes(bytes) => {
                self.is_bytes = true;
                self.start_original();
                self.keep(bytes);
                let Stream {
                    text, parser, sink, ..
                } = self;
                self.joiner
                    .join(bytes, &mut |piece| push_joined(piece, text, parser, sink));
            }
        }
    }

    /// Reads a special token, which was pushed as `pushed`.
    pub(crate) fn push_special(&mut self, token: &str, id: Option<u32>, pushed: &Pushed<'_>) {
        self.end_character();
        if let Pushed::Bytes(_) = pushed {
            self.is_bytes = true;
        }
        self.keep(token.as_bytes());
        self.text.push(token);
        self.parser
            .push(Input::Special { text: token, id }, &mut self.sink);
    }

    /// Ends the message: what was read, and the last events.
    pub(crate) fn finish(mut self, why: Finish) -> (MessageData, Vec<OwnedEvent>) {
        self.end_character();
        let Stream {
            mut options,
            parser,
            mut sink,
            text,
            original,
            is_bytes,
            ..
        } = self;
        parser.finish(why, &mut sink);
        options.reader.finish = why;
        let events = sink.events.take().unwrap_or_default();
        let mut reading = Reading {
            text: text.into_string(),
            trace: sink.trace,
        };
        let digest = options
            .compiled
            .digest(&options.reader, &mut reading, &options.choice, false);
        let original = Original {
            bytes: original.filter(|bytes| bytes != reading.text.as_bytes()),
            is_bytes,
        };
        let calls = digest.message.calls.iter();
        let freeform = calls.filter(|call| is_freeform(sink.toolbox.as_ref(), &call.name));
        let mut freeform: Vec<String> = freeform.map(|call| call.name.clone()).collect();
        freeform.sort_unstable();
        freeform.dedup();
        let data = MessageData {
            freeform,
            text: SourceText::of(reading.text),
            original,
            pieces: reading.trace.pieces,
            names: sink.names,
            message: digest.message,
            document: digest.document.into(),
            segments: OnceLock::new(),
            is_faulty: digest.is_faulty,
            finish: why,
        };
        (data, events)
    }

    /// Nothing completes a character that bytes have begun, once text follows.
    fn end_character(&mut self) {
        let Stream {
            joiner,
            text,
            parser,
            sink,
            ..
        } = self;
        joiner.end(&mut |piece| push_joined(piece, text, parser, sink));
    }

    fn start_original(&mut self) {
        let text = self.text.as_str();
        self.original
            .get_or_insert_with(|| text.as_bytes().to_vec());
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(original) = &mut self.original {
            original.extend(bytes);
        }
    }

    /// Each surrogate is one code point before and after.
    fn push_surrogates(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let n_valid = match std::str::from_utf8(rest) {
                Ok(_) => rest.len(),
                Err(error) => error.valid_up_to(),
            };
            let (valid, after) = rest.split_at(n_valid);
            let valid = String::from_utf8_lossy(valid);
            self.text.push(&valid);
            self.parser.push(Input::Text(&valid), &mut self.sink);
            if after.is_empty() {
                return;
            }
            let at = self.text.as_str().len() as u64;
            let replacement = JoinedText::Invalid.text();
            let span = Span::new(at, at + replacement.len() as u64);
            let note = Note {
                code: Code::LoneSurrogate,
                span,
                message: "half a surrogate pair became U+FFFD".into(),
                help: None,
            };
            self.sink.event(span, Event::Note(&note));
            self.text.push(replacement);
            self.parser.push(Input::Text(replacement), &mut self.sink);
            rest = after.get(3..).unwrap_or_default();
        }
    }
}

fn push_joined(
    piece: JoinedText<'_>,
    text: &mut SourceText,
    parser: &mut Parser,
    sink: &mut StreamSink,
) {
    let at = text.as_str().len() as u64;
    text.push(piece.text());
    piece.push(at, parser, sink);
}

impl Sink for StreamSink {
    fn event(&mut self, span: Span, event: Event<'_>) {
        if let Event::CallStart(head) = &event
            && !head.name_span.is_empty()
        {
            self.names.push(head.name_span);
        }
        if let Some(events) = &mut self.events {
            events.extend(OwnedEvent::new(span, &event, self.toolbox.as_ref()));
        }
        self.trace.event(span, event);
    }
}

impl OwnedEvent {
    /// `None` for a kind of event that this package does not know.
    fn new(span: Span, event: &Event<'_>, toolbox: Option<&Arc<Toolbox>>) -> Option<OwnedEvent> {
        let plain = |kind, text: &str| OwnedEvent {
            kind,
            span,
            call: None,
            text: text.to_owned(),
            head: None,
            end: None,
            note: None,
        };
        Some(match event {
            Event::Text(text) => plain(EventKind::Text, text),
            Event::Reasoning(text) => plain(EventKind::Reasoning, text),
            Event::Markup(text) => plain(EventKind::Markup, text),
            Event::CallStart(head) => OwnedEvent {
                call: Some(head.call.0),
                head: Some(Box::new(OwnedHead::new(head, toolbox))),
                ..plain(EventKind::CallStart, "")
            },
            Event::Args { call, json } => OwnedEvent {
                call: Some(call.0),
                ..plain(EventKind::Arguments, json)
            },
            Event::LateId { call, id } => OwnedEvent {
                call: Some(call.0),
                ..plain(EventKind::LateId, id)
            },
            Event::CallEnd { call, end } => OwnedEvent {
                call: Some(call.0),
                end: Some(*end),
                ..plain(EventKind::CallEnd, "")
            },
            Event::Note(note) => OwnedEvent {
                note: Some(Box::new((*note).clone())),
                ..plain(EventKind::Note, "")
            },
            _ => return None,
        })
    }
}

impl OwnedHead {
    fn new(head: &CallHead<'_>, toolbox: Option<&Arc<Toolbox>>) -> OwnedHead {
        OwnedHead {
            name: head.name.to_owned(),
            id: head.id.map(str::to_owned),
            server: head.server.map(str::to_owned),
            dialect: head.dialect.to_owned(),
            place: head.place,
            name_span: head.name_span,
            is_freeform: is_freeform(toolbox, head.name),
        }
    }
}

fn is_freeform(toolbox: Option<&Arc<Toolbox>>, name: &str) -> bool {
    toolbox.is_some_and(|toolbox| toolbox.is_freeform(name))
}
