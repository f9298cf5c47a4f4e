//! Reads one answer of an upstream for the client: text is parsed for calls, and the result is written.
//!
//! ```text
//!  UpstreamEvent ─┬─ text ─ Parser ─ events ─┐
//!                 ├─ reasoning ──────────────┼─ Answer ─ bytes for the client
//!                 └─ native calls ───────────┘
//! ```

use std::sync::Arc;

use toolglot_engine::{Call, CallId, Calls, Code, End, Event, Finish, Input, Parser, Span};
use toolglot_wire::{Answer, ApiError, Ending, UpstreamEvent};

use crate::call_policy::{CallPolicy, OwnCall};
use crate::exchange::{Exchange, Said};
use crate::message_trace::MessageTrace;
use crate::metrics::{self, Metrics};
use crate::telemetry;
use crate::tool_program::ToolProgram;

/// The most bytes of a model's text that are stored for a second parse.
const KEPT_BYTES: usize = 1 << 20;

/// The dialect of calls that the upstream parsed, in metrics.
const NATIVE: &str = "native";

/// How an answer of the upstream starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerStart {
    /// The end of the prompt, if it is known.
    pub(crate) prompt: Option<String>,
    /// Whether the prompt opens the reasoning.
    pub(crate) reasoning_open: bool,
}

/// The state of reading one answer of an upstream.
pub(crate) struct Reading {
    /// `None` if the text cannot contain calls.
    parser: Option<Box<Parser>>,
    program: Option<Arc<ToolProgram>>,
    pub(crate) answer: Answer,
    pub(crate) policy: CallPolicy,
    counts: Counts,
    /// The reasoning that the upstream separates from the text.
    pub(crate) reasoning: KeptText,
    /// The text as the model wrote it.
    pub(crate) text: KeptText,
    /// The calls and notes, if they are needed.
    pub(crate) trace: Option<Box<MessageTrace>>,
}

/// A model's text, up to a limit.
#[derive(Debug, Default)]
pub(crate) struct KeptText {
    text: String,
    is_cut: bool,
}

impl KeptText {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text was longer than the limit.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn push(&mut self, text: &str) {
        self.is_cut |= self.text.len() + text.len() > KEPT_BYTES;
        if !self.is_cut {
            self.text.push_str(text);
        }
    }
}

/// The counters of one answer.
#[derive(Default)]
struct Counts {
    /// The dialects and the tools of the calls, by their index in the message.
    started: Vec<(String, String)>,
    /// The tool of the last call that the upstream parsed.
    native: String,
    ends: Vec<(String, String, End)>,
    notes: Vec<Code>,
}

impl Counts {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::CallStart(head) => {
                let call = (head.dialect.to_owned(), head.name.to_owned());
                self.started.push(call);
            }
            Event::CallEnd { call, end } => {
                let (dialect, name) = self
                    .started
                    .get(call.0 as usize)
                    .cloned()
                    .unwrap_or_default();
                self.ends.push((dialect, name, *end));
            }
            Event::Note(note) => self.notes.push(note.code),
            _ => {}
        }
    }

    /// Moves the counts to the metrics and the trace.
    fn settle(&mut self, metrics: &Metrics, model: &str) {
        for (dialect, name, end) in self.ends.drain(..) {
            metrics.call(&dialect, model, end);
            telemetry::call(&name, &dialect, metrics::word(end));
        }
        let mut lookalikes = 0;
        for code in self.notes.drain(..) {
            metrics.note(code);
            let is_lookalike = matches!(
                code,
                Code::NotACall | Code::QuotedCall | Code::PlainTextMarker | Code::MissingToolName
            );
            lookalikes += usize::from(is_lookalike);
        }
        if lookalikes > 0 {
            metrics.lookalikes(lookalikes);
        }
    }
}

impl Reading {
    /// Without a program, text is read without calls.
    pub(crate) fn new(
        answer: Answer,
        mut policy: CallPolicy,
        program: Option<Arc<ToolProgram>>,
        start: &AnswerStart,
    ) -> Reading {
        policy.is_waiting = is_start_unknown(program.as_deref(), start);
        Reading {
            parser: program.as_deref().map(|program| parser(program, start)),
            program,
            answer,
            policy,
            counts: Counts::default(),
            reasoning: KeptText::default(),
            text: KeptText::default(),
            trace: None,
        }
    }

    /// Reads the model's next text, for the same answer.
    pub(crate) fn go_on(
        &mut self,
        mut policy: CallPolicy,
        program: Option<Arc<ToolProgram>>,
        start: &AnswerStart,
    ) {
        policy.is_waiting = is_start_unknown(program.as_deref(), start);
        self.policy = policy;
        self.parser = program.as_deref().map(|program| parser(program, start));
        self.program = program;
        self.counts.started.clear();
        self.reasoning = KeptText::default();
        self.text = KeptText::default();
        if self.trace.is_some() {
            self.keep_trace(start);
        }
    }

    /// Calls for a session, and the text that contains them.
    pub(crate) fn message_of(&self, calls: &[OwnCall], exchange: &Exchange) -> (Calls, &str) {
        let trace = self.trace.as_deref();
        let mut message = Calls::default();
        for call in calls {
            let id = exchange.own_tool_id(&call.name);
            let read = call.name_span.zip(trace);
            let read = read.and_then(|(name, trace)| trace.call_at(name)).cloned();
            let nowhere = Span::empty(0);
            let call = read.map_or_else(
                || Call {
                    id: CallId(0),
                    written_id: None,
                    name: String::new(),
                    name_span: nowhere,
                    server: None,
                    arguments: call.arguments.clone(),
                    span: nowhere,
                    dialect: String::new(),
                    place: call.place,
                    end: call.end,
                    notes: Vec::new(),
                },
                |read| Call {
                    end: read.end.max(call.end),
                    ..read
                },
            );
            message.calls.push(Call {
                id: CallId(message.calls.len() as u32),
                name: id.to_owned(),
                server: None,
                ..call
            });
        }
        let is_reasoning = trace.is_some_and(|trace| trace.is_reasoning);
        let written = if is_reasoning {
            &self.reasoning
        } else {
            &self.text
        };
        (message, written.text())
    }

    /// The text of the model beside its calls.
    pub(crate) fn said(&self) -> Said<'_> {
        let (text, reasoning) = match &self.trace {
            Some(trace) => trace.texts(),
            None => ("", ""),
        };
        let apart = self.reasoning.text();
        Said {
            written: self.text.text(),
            text,
            reasoning: if apart.is_empty() { reasoning } else { apart },
        }
    }

    /// Records calls and notes from here on.
    pub(crate) fn keep_trace(&mut self, start: &AnswerStart) {
        self.trace = Some(Box::new(MessageTrace::new(start)));
    }

    /// Handles an event of the upstream. Bytes for the client are added to `out`.
    pub(crate) fn event(&mut self, event: UpstreamEvent<'_>, out: &mut Vec<u8>) {
        if self.policy.doubtful.is_some() {
            return;
        }
        match event {
            UpstreamEvent::Text(text) => {
                self.text.push(text);
                self.push(text, out);
            }
            UpstreamEvent::Reasoning(text) => {
                self.reasoning.push(text);
                self.answer.reasoning(text, out);
                self.stop_waiting(out);
            }
            native => {
                match native {
                    UpstreamEvent::CallStart { name, .. } => {
                        name.clone_into(&mut self.counts.native);
                    }
                    UpstreamEvent::CallEnd { end, .. } => {
                        let name = std::mem::take(&mut self.counts.native);
                        self.counts.ends.push((NATIVE.to_owned(), name, end));
                    }
                    _ => {}
                }
                match (&mut self.trace, native) {
                    (Some(trace), UpstreamEvent::CallStart { name, .. }) => trace.native_call(name),
                    (Some(trace), UpstreamEvent::CallEnd { end, .. }) => trace.native_end(end),
                    _ => {}
                }
                self.answer.push_upstream(&native, &mut self.policy, out);
            }
        }
    }

    /// Handles text of the model.
    fn push(&mut self, text: &str, out: &mut Vec<u8>) {
        let Some(parser) = &mut self.parser else {
            self.answer.text(text, out);
            return;
        };
        let (answer, policy, counts) = (&mut self.answer, &mut self.policy, &mut self.counts);
        let trace = &mut self.trace;
        let mut is_reasoned = false;
        parser.push(Input::Text(text), &mut |span: Span, event: Event<'_>| {
            is_reasoned |= matches!(event, Event::Reasoning(_));
            counts.event(&event);
            answer.push(&event, policy, out);
            if let Some(trace) = trace {
                trace.event(span, event);
            }
        });
        if is_reasoned {
            self.stop_waiting(out);
        }
    }

    /// Sends the waiting calls: no closer without an opener can follow from here on.
    fn stop_waiting(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.policy.is_waiting) {
            self.answer.release(&mut self.policy, out);
        }
    }

    /// Finds the end of reasoning without an opener, and notes it.
    fn find_reasoning_end(&mut self) {
        let is_open = self.policy.is_waiting && !self.text.is_cut();
        let note = match &self.program {
            Some(program) if is_open => program.unopened_reasoning(self.text.text()),
            _ => None,
        };
        if let Some(note) = note {
            self.policy.reasoning_end = Some(note.span.start);
            self.counts.notes.push(note.code);
            if let Some(trace) = &mut self.trace {
                trace.note(note);
            }
        }
    }

    /// Ends the text, after the upstream's answer has ended.
    pub(crate) fn end_text(&mut self, finish: Finish, out: &mut Vec<u8>) {
        if self.policy.doubtful.is_some() {
            return;
        }
        let (answer, policy, counts) = (&mut self.answer, &mut self.policy, &mut self.counts);
        let trace = &mut self.trace;
        let mut sink = |span: Span, event: Event<'_>| {
            counts.event(&event);
            answer.push(&event, policy, out);
            if let Some(trace) = trace {
                trace.event(span, event);
            }
        };
        if let Some(parser) = self.parser.take() {
            parser.finish(finish, &mut sink);
        }
        self.find_reasoning_end();
        // If a model stops inside its reasoning, its calls there count.
        if self.text.text().trim().is_empty()
            && self.counts.ends.is_empty()
            && !self.reasoning.text().is_empty()
            && let Some(program) = &self.program
        {
            let (answer, policy, counts) = (&mut self.answer, &mut self.policy, &mut self.counts);
            let trace = &mut self.trace;
            if let Some(trace) = trace {
                trace.is_reasoning = true;
            }
            let mut calls = |span: Span, event: Event<'_>| {
                // The client already has the other text as reasoning.
                if !matches!(event, Event::Text(_) | Event::Reasoning(_)) {
                    counts.event(&event);
                    answer.push(&event, policy, out);
                }
                if let Some(trace) = trace {
                    trace.event(span, event);
                }
            };
            let mut parser = Parser::new(Arc::clone(&program.program)).reasoning_open();
            parser.push(Input::Text(self.reasoning.text()), &mut calls);
            parser.finish(finish, &mut calls);
        }
        self.stop_waiting(out);
    }

    /// Ends the answer. A whole answer can be read from it afterwards.
    pub(crate) fn finish(&mut self, ending: Ending, out: &mut Vec<u8>) {
        self.answer.finish(ending, &mut self.policy, out);
    }

    /// Ends an already started answer with an error.
    pub(crate) fn error(&mut self, error: &ApiError, out: &mut Vec<u8>) {
        self.answer.error(error, out);
    }

    /// Reports the counts.
    pub(crate) fn settle(&mut self, metrics: &Metrics, model: &str) {
        self.counts.settle(metrics, model);
    }
}

/// Whether a text is parsed for calls, and it is unknown whether the text starts in reasoning.
fn is_start_unknown(program: Option<&ToolProgram>, start: &AnswerStart) -> bool {
    program.is_some() && !start.reasoning_open && start.prompt.is_none()
}

fn parser(program: &ToolProgram, start: &AnswerStart) -> Box<Parser> {
    let compiled = Arc::clone(&program.program);
    let parser = match &start.prompt {
        Some(prompt) => Parser::after_prompt(compiled, prompt),
        None => Parser::new(compiled),
    };
    Box::new(if start.reasoning_open {
        parser.reasoning_open()
    } else {
        parser
    })
}
