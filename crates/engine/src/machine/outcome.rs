//! How the set ends: a body wins, the entry is over, or nothing is left and what is certain is kept.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::Root;

use super::emitter::OpenCall;
use super::line_tail::LineTail;
use super::matching::joins_calls;
use super::mid_line_tag::MidLineTag;
use super::quote::Marks;
use super::remarks::wants;
use super::thread::Thread;
use super::value::Value;
use super::view::View;
use super::{Channel, Mode, Parser};
use crate::body::{Envelope, JsonBody, Python, Xml};
use crate::program::{Node, Program, RuleRole};
use crate::thresholds::{MARKER_MIN, SYNCHRONIZATION_MAX};
use crate::{Code, End, Sink, Span};

impl Parser {
    /// What was read leads nowhere: what might have started at `at` instead is entered.
    pub(super) fn fall_back(&mut self, at: u64, view: View<'_>, sink: &mut dyn Sink) {
        self.pos = at;
        core::mem::swap(
            &mut self.set.found.bodies,
            &mut self.candidate.fallback_bodies,
        );
        self.candidate.fallback_bodies.clear();
        self.enter_body(view, sink);
    }

    /// `body` alone is entered.
    pub(super) fn enter_only(&mut self, body: Thread, view: View<'_>, sink: &mut dyn Sink) {
        self.choose_body(body);
        self.enter_body(view, sink);
    }

    /// `body` alone is to be entered.
    pub(super) fn choose_body(&mut self, body: Thread) {
        self.set.found.bodies.clear();
        self.set.found.bodies.push(body);
    }

    /// A body, or the end of the entry, begins at `pos`.
    pub(super) fn enter_body(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let program = view.program;
        let body = self.set.found.bodies[0];
        let at = self.pos;
        self.keep_end(program, body, at);
        let is_py = matches!(program.node(body.node), Node::Py { .. });
        // What stands before a name that may be no call's is text then.
        if !(is_py && self.candidate.committed && self.emitter.call.is_none()) {
            self.candidate.checkpoint = at;
        }
        match program.node(body.node) {
            Node::Object(_) => {
                let is_object = |body: &Thread| matches!(program.node(body.node), Node::Object(_));
                let mut bodies = core::mem::take(&mut self.set.found.bodies);
                bodies.retain(is_object);
                let last = self.spare.envelope.take();
                let mut envelope = Envelope::start(last, program, bodies, at);
                envelope.needs_marker = self.needs_marker();
                self.mode = Mode::Envelope(envelope);
                return;
            }
            Node::Py { .. } => {
                self.leave_only(body);
                // Where a known name opened it, it is read from that name on.
                self.pos = body.since.min(at);
                self.mode = Mode::Python(Box::new(Python::new(body, self.pos)));
                return;
            }
            Node::Json { .. } | Node::Xml(_) if self.is_before_name(program, &body) => {
                return self.look_ahead(view, body);
            }
            _ => {}
        }
        if self.is_mid_line_tag(program, &body) {
            self.mode = Mode::MidLineTag(MidLineTag { body, pos: at });
            return;
        }
        if program.is_end(body.node) && self.may_continue(at) {
            if view.eof {
                self.entry_line((body, at), view, sink);
            } else {
                self.mode = Mode::LineTail(LineTail::Entry { body, pos: at });
            }
            return;
        }
        let text = program.text(body.node);
        if text.is_some_and(|text| text.role == RuleRole::Think) && self.may_reopen() {
            return self.reopen(view, sink);
        }
        self.leave_only(body);
        if program.wraps(body.node) && self.emitter.has_started() {
            // The answer is not all that it holds: a call stands before it.
            return self.reject(at);
        }
        if !self.commit(view, None, sink) {
            return;
        }
        self.flush(view, body.log, at, sink);
        self.set.threads.clear();
        if program.is_end(body.node) {
            return self.end_entry(program.wraps(body.node), view, at, sink);
        }
        if let Some(text) = text.filter(|text| text.role != RuleRole::Call) {
            if text.quotes.is_none() {
                self.emitter.markup(view, at, sink);
                let texts: Vec<Thread> = core::mem::take(&mut self.set.found.bodies);
                return self.enter_channel(&texts, view);
            }
            if text.role == RuleRole::Say {
                let dialect = &program.dialect_of(body.node).name;
                self.emitter.call = Some(OpenCall::of_text(dialect, at));
            }
        }
        self.emitter.start_call(view, at, sink);
        self.emitter.markup(view, at, sink);
        self.mode = match program.node(body.node) {
            Node::Text(_) => Mode::Value(Box::new(Value::start(program, self, body, at, sink))),
            Node::Json {
                quotes, closers, ..
            } => {
                self.start_fitting(program, at);
                let quote = quotes.first().map(String::as_str);
                let starts = program.starts(body.node);
                let mut json = JsonBody::new(body.node, Root::Object, quote, closers, starts);
                let others = quotes.iter().skip(1).cloned().collect();
                json.json = json.json.with_other_quotes(others);
                if let Some(tool) = self.emitter.tool() {
                    json.json.know(1, Arc::clone(program.tools.keys(tool)));
                }
                Mode::Json(Box::new(json))
            }
            Node::Xml(xml) => {
                let fields = self.parameters(program).cloned();
                let values = program.dialect_of(body.node).values.clone();
                let (prefix, limits) = (xml.prefix.as_deref(), &program.limits);
                let xml = Xml::new(body.node, at, fields, values, prefix, &xml.closers, limits);
                Mode::Xml(Box::new(xml))
            }
            _ => Mode::Text,
        };
    }

    /// A Python call that turns out to be none may leave the candidate its end before it; nothing else outlives the body.
    fn keep_end(&mut self, program: &Program, body: Thread, at: u64) {
        // After a call that is whole another one may begin, or the entry was over.
        let may_end =
            !self.candidate.committed || self.emitter.call.as_ref().is_some_and(|call| call.whole);
        let is_py = matches!(program.node(body.node), Node::Py { .. }) && may_end;
        let candidate = &mut self.candidate;
        let over = candidate.over;
        let is_kept = is_py && over.is_none() && candidate.fallback_end(program).is_some();
        if is_kept {
            return;
        }
        candidate.forget_fallback();
        let mut ends = { self.set.found.bodies.iter() }.filter(|body| program.is_end(body.node));
        let end = over.or_else(|| Some((at, *ends.next()?))).filter(|_| is_py);
        candidate.fallback = end.map(|(end, _)| end);
        candidate.fallback_bodies.extend(end.map(|(_, body)| body));
    }

    /// Whether a name alone makes no call here: after a fence that wrapped the answer, text explains or repeats it.
    pub(super) fn needs_marker(&self) -> bool {
        let is_quoted = self.candidate.quoted || self.candidate.is_wrapped;
        !self.candidate.committed && !is_quoted && self.emitter.is_after_answer()
    }

    /// The entry is over; what follows is text again.
    pub(super) fn end_entry(
        &mut self,
        wrapper: bool,
        view: View<'_>,
        at: u64,
        sink: &mut dyn Sink,
    ) {
        self.emitter.end_call(End::Closed, view, at, sink);
        let marks = wrapper.then(|| Marks::leading(view.slice(self.candidate.at, at)));
        self.emitter.markup(view, at, sink);
        if let Some(marks) = marks.flatten() {
            self.emitter.quote.open_answer(marks);
        }
        self.forget();
        self.candidate.checkpoint_threads.clear();
        self.mode = self.after_entry(at);
    }

    /// Nothing is left of a committed entry. What is certain is told; the rest is text, or junk inside an open call.
    /// `stopped`: the model's turn ends where its closers were due.
    pub(super) fn recover(&mut self, view: View<'_>, at: u64, stopped: bool, sink: &mut dyn Sink) {
        let program = view.program;
        let checkpoint_threads = core::mem::take(&mut self.candidate.checkpoint_threads);
        let logs = checkpoint_threads.iter().map(|thread| thread.log);
        let common = self.set.log.common(self.set.flushed, logs);
        self.flush(view, common, self.candidate.checkpoint, sink);
        let safe = self.candidate.checkpoint.max(self.emitter.cursor);
        self.emitter.markup(view, safe, sink);
        // Up to the character that fits nothing: more may not be here yet.
        let end = view.boundary(at.max(safe) + 1);
        let at = view.char_start(at.max(safe));
        let found: String = view.slice(safe, end).chars().take(20).collect();
        let open = self.emitter.call.is_some();
        let whole = self.emitter.call.as_ref().is_none_or(|call| call.whole);
        if open && stopped {
            let span = Span::empty(self.emitter.cursor);
            let message = "the final closer is missing; the model had stopped";
            self.note(Code::StrippedStopString, span, message, sink);
            self.emitter
                .end_call(End::Closed, view, self.emitter.cursor, sink);
        } else if open && whole {
            let span = Span::empty(self.emitter.cursor);
            let message = "the call's closer is missing; it was supplied";
            self.note(Code::MissingCloser, span, message, sink);
            self.emitter
                .end_call(End::Recovered, view, self.emitter.cursor, sink);
        } else if open {
            let span = Span::new(safe, at);
            let wants = wants(program, checkpoint_threads.iter());
            let help = (!wants.is_empty()).then(|| format!("expected {}", wants.join(" or ")));
            let message = match found.trim() {
                "" => String::from("blanks or a line break belong to no part of the call"),
                found => format!("`{found}` belongs to no part of the call"),
            };
            self.emitter
                .note_with_help(Code::Junk, span, message, help, sink);
            // Arguments that did not begin where they should are lost: without them it must not run.
            let starts = |thread: &Thread| {
                matches!(program.node(thread.node), Node::Json { .. } | Node::Xml(_))
            };
            let is_lost = checkpoint_threads.iter().any(starts);
            self.emitter.worsen(End::Recovered);
            if is_lost {
                self.emitter.worsen(End::Truncated);
            }
        } else if checkpoint_threads
            .iter()
            .any(|thread| program.closes(thread.node))
        {
            let span = Span::empty(self.emitter.cursor);
            let message = "the closer of the block does not follow its calls";
            self.note(Code::MissingCloser, span, message, sink);
        }
        let anchors = self.anchors(checkpoint_threads, view);
        let channel = if self.emitter.call.is_some() {
            Channel::Junk
        } else {
            Channel::Text
        };
        self.synchronize(channel, anchors, program);
        self.forget_candidate();
        self.pos = self.emitter.cursor;
        self.input.not_before = self.pos;
        self.candidate.committed = false;
    }

    /// The literals that a broken entry can be found again at: those that were waited for, then what stands after the
    /// closers among them, up to four deep.
    fn anchors(&mut self, safe: Vec<Thread>, view: View<'_>) -> Vec<Thread> {
        let at = self.emitter.cursor;
        let (mut anchors, mut level): (Vec<Thread>, Vec<Thread>) = (Vec::new(), safe);
        for _ in 0..=SYNCHRONIZATION_MAX {
            let mut deeper = Vec::new();
            for thread in level.drain(..) {
                // Arguments that never began: what stands after them is waited for.
                let next = match view.program.node(thread.node) {
                    Node::Json { next, .. } => Some(*next),
                    Node::Xml(xml) => Some(xml.next),
                    _ if !is_anchor(view.program, &thread)
                        || anchors.iter().any(|have| have.node == thread.node) =>
                    {
                        continue;
                    }
                    node => {
                        anchors.push(thread);
                        match node {
                            Node::Literal { next, .. } if !view.program.opens(thread.node) => {
                                Some(*next)
                            }
                            _ => None,
                        }
                    }
                };
                let after = Thread {
                    off: 0,
                    since: at,
                    ..thread
                };
                self.add_positions(view, after, next.as_slice(), &mut deeper);
            }
            level = deeper;
        }
        anchors
    }
}

/// A literal that a broken entry can be found again at.
fn is_anchor(program: &Program, thread: &Thread) -> bool {
    match program.node(thread.node) {
        Node::Literal { bytes, .. } => bytes.len() >= MARKER_MIN && !joins_calls(bytes),
        Node::Template { .. } => true,
        _ => false,
    }
}
