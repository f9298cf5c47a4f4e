//! How the set of positions ends: a body is entered, the entry ends, or no position is left and error recovery starts.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::Root;

use super::emitter::OpenCall;
use super::line_tail::LineTail;
use super::matching::joins_calls;
use super::mid_line_tag::MidLineTag;
use super::quote::Marks;
use super::remarks::expected;
use super::thread::Thread;
use super::value::Value;
use super::view::View;
use super::{Channel, Mode, Parser};
use crate::body::{Envelope, JsonBody, Python, Xml};
use crate::grammar::Capture;
use crate::program::{Node, Program, RuleRole};
use crate::thresholds::SYNCHRONIZATION_MAX;
use crate::{End, Recovery, Sink, Span};

impl Parser {
    /// The literals that were read lead nowhere: enters the body, or the end, that could have started at `at`.
    pub(super) fn fall_back(&mut self, at: u64, view: View<'_>, sink: &mut dyn Sink) {
        if let Some(key) = self.lost_parameter(at, view) {
            self.recovered(Recovery::NoValue, key, view.at(key), sink);
        }
        self.see_open_calls();
        self.pos = at;
        self.set.found.bodies.clear();
        (self.set.found.bodies).append(&mut self.candidate.fallback_bodies);
        self.enter_body(view, sink);
    }

    /// Keeps whether the message was cut off while a thread is still in the call, for [`Parser::end_call`].
    pub(super) fn see_open_calls(&mut self) {
        let is_in_call = |thread: &Thread| self.set.log.is_in_call(&self.program, thread.log);
        self.ending.in_call = self.ending.is_cut_off && self.set.threads.iter().any(is_in_call);
    }

    /// Ends the call at `at`. It is truncated if it is the last and the message was cut off where it may continue.
    pub(super) fn end_call(&mut self, view: View<'_>, at: u64, is_last: bool, sink: &mut dyn Sink) {
        let is_open = |call: &OpenCall| is_last && !call.whole && !call.is_text();
        let may_continue = self.emitter.call.as_ref().is_some_and(is_open);
        if may_continue && core::mem::take(&mut self.ending.in_call) {
            self.emitter.start_call(view, at, sink);
            self.recovered(Recovery::LengthLimitBetween, Span::empty(at), "", sink);
        }
        self.emitter.end_call(End::Closed, view, at, sink);
    }

    /// The key of a declared parameter after the open call's possible end at `at`, if no position can read its value.
    pub(super) fn lost_parameter(&self, at: u64, view: View<'_>) -> Option<Span> {
        let mut ends = self.candidate.fallback_bodies.first().into_iter();
        ends.find(|body| view.program.is_end(body.node))?;
        let fields = self.parameters(view.program)?;
        let threads = self.set.threads.iter();
        // A key that may go on is not captured yet.
        let so_far = |thread: &Thread| Span::new(thread.since, self.pos);
        let mut keys = threads.filter_map(|thread| match view.program.node(thread.node) {
            Node::Capture(key) if key.what == Capture::Key => Some(so_far(thread)),
            _ => self.newest_key(thread),
        });
        keys.find(|key| key.start >= at && fields.get(view.at(*key)).is_some())
    }

    /// The key that the thread has captured since the last acts.
    pub(super) fn newest_key(&self, thread: &Thread) -> Option<Span> {
        (self.set.log).newest(thread.log, self.set.flushed, Capture::Key)
    }

    /// Enters `body` alone.
    pub(super) fn enter_only(&mut self, body: Thread, view: View<'_>, sink: &mut dyn Sink) {
        self.choose_body(body);
        self.enter_body(view, sink);
    }

    /// Makes `body` the only one to enter.
    pub(super) fn choose_body(&mut self, body: Thread) {
        self.set.found.bodies.clear();
        self.set.found.bodies.push(body);
    }

    /// Enters the body, or the end of the entry, that starts at `pos`.
    pub(super) fn enter_body(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let program = view.program;
        let body = self.set.found.bodies[0];
        let at = self.pos;
        self.keep_end(program, body, at);
        let is_py = matches!(program.node(body.node), Node::Py { .. });
        // If the Python name is not a call's, the text before the name is text.
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
                // A call that a known name opened is read from that name on.
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
            // A repeated tag: the reasoning continues after it.
            self.emitter.markup(view, at, sink);
            self.forget_candidate();
            self.mode = Mode::Text;
            return;
        }
        self.leave_only(body);
        if program.wraps(body.node) && self.emitter.has_started() {
            // The wrapper does not contain the whole answer: a call came before the wrapper.
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
                    json.json.add_keys(1, Arc::clone(program.tools.keys(tool)));
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

    /// Keeps an end before a Python call, in case that is not a call; no other fallback outlives the body.
    fn keep_end(&mut self, program: &Program, body: Thread, at: u64) {
        // After a complete call another one may start, or the entry ended.
        let may_end =
            !self.candidate.committed || self.emitter.call.as_ref().is_some_and(|call| call.whole);
        let is_py = matches!(program.node(body.node), Node::Py { .. }) && may_end;
        let candidate = &mut self.candidate;
        let old = candidate.over;
        let is_kept = is_py && old.is_none() && candidate.fallback_end(program).is_some();
        if is_kept {
            return;
        }
        candidate.forget_fallback();
        let mut ends = { self.set.found.bodies.iter() }.filter(|body| program.is_end(body.node));
        let end = old.or_else(|| Some((at, *ends.next()?))).filter(|_| is_py);
        candidate.fallback = end.map(|(end, _)| end);
        candidate.fallback_bodies.extend(end.map(|(_, body)| body));
    }

    /// Whether a name alone makes no call here: text after a fence around the answer explains or repeats the answer.
    pub(super) fn needs_marker(&self) -> bool {
        let is_quoted = self.candidate.quoted || self.candidate.is_wrapped;
        let is_after_answer = self.emitter.calls > 0 && self.emitter.quote.is_after_wrapper();
        !self.candidate.committed && !is_quoted && is_after_answer
    }

    /// Ends the entry at `at`; text follows.
    pub(super) fn end_entry(
        &mut self,
        wrapper: bool,
        view: View<'_>,
        at: u64,
        sink: &mut dyn Sink,
    ) {
        self.emitter.end_call(End::Closed, view, at, sink);
        let run = wrapper.then(|| Marks::leading(view.slice(self.candidate.at, at)));
        self.emitter.markup(view, at, sink);
        if let Some(run) = run.flatten() {
            self.emitter.quote.open_answer(run);
        }
        self.forget();
        self.candidate.checkpoint_threads.clear();
        self.mode = self.after_entry(at);
    }

    /// Error recovery: no position of a committed entry is left. Emits the certain part; the rest is text, or junk
    /// inside an open call. `stopped`: the model's turn ends where the closers were due.
    pub(super) fn recover(&mut self, view: View<'_>, at: u64, stopped: bool, sink: &mut dyn Sink) {
        let program = view.program;
        let checkpoint_threads = core::mem::take(&mut self.candidate.checkpoint_threads);
        let logs = checkpoint_threads.iter().map(|thread| thread.log);
        let common = self.set.log.common(self.set.flushed, logs);
        self.flush(view, common, self.candidate.checkpoint, sink);
        let checkpoint = self.candidate.checkpoint.max(self.emitter.cursor);
        self.emitter.markup(view, checkpoint, sink);
        // Up to the character that fits nothing; later ones may not be here yet.
        let end = view.boundary(at.max(checkpoint) + 1);
        let at = view.char_start(at.max(checkpoint));
        let found: String = view.slice(checkpoint, end).chars().take(20).collect();
        let cursor = self.emitter.cursor;
        let is_whole = self.emitter.call.as_ref().map(|call| call.whole);
        if is_whole.is_some() && stopped {
            self.recovered(Recovery::StoppedCloser, Span::empty(cursor), "", sink);
            self.emitter.end_call(End::Closed, view, cursor, sink);
        } else if is_whole == Some(true) {
            self.supply_end(view, sink);
        } else if is_whole.is_some() {
            let span = Span::new(checkpoint, at);
            let help = expected(program, checkpoint_threads.iter());
            let rule = Recovery::Unexpected.rule();
            let text = Some(found.trim()).filter(|text| !text.is_empty());
            let text = text.unwrap_or(&found).replace('\r', "\\r");
            let message = Recovery::Unexpected.note_text(&text.replace('\n', "\\n"));
            (self.emitter).note_with_help(rule.code, span, message, help, sink);
            // Arguments that did not start where they should are lost; without them the call must not run.
            let starts = |thread: &Thread| {
                matches!(program.node(thread.node), Node::Json { .. } | Node::Xml(_))
            };
            let is_lost = checkpoint_threads.iter().any(starts);
            let end = if is_lost { End::Truncated } else { rule.end };
            self.emitter.worsen(end);
        } else if { checkpoint_threads.iter() }.any(|thread| program.closes(thread.node)) {
            self.recovered(Recovery::BlockCloser, Span::empty(cursor), "", sink);
        }
        let anchors = self.anchors(checkpoint_threads, cursor, view);
        let channel = match self.emitter.call {
            Some(_) => Channel::Junk,
            None => Channel::Text,
        };
        self.synchronize(channel, anchors, program);
        self.forget_candidate();
        self.pos = self.emitter.cursor;
        self.input.not_before = self.pos;
        self.candidate.committed = false;
    }

    /// Ends the open call, whose arguments are whole and whose closer is missing.
    pub(super) fn supply_end(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let cursor = self.emitter.cursor;
        self.recovered(Recovery::CallCloser, Span::empty(cursor), "", sink);
        self.emitter.end_call(End::Recovered, view, cursor, sink);
    }

    /// The synchronization points of a broken entry: the literals that were expected, then those after the closers
    /// among them, up to [`SYNCHRONIZATION_MAX`] levels deep.
    pub(super) fn anchors(&mut self, threads: Vec<Thread>, at: u64, view: View<'_>) -> Vec<Thread> {
        let (mut anchors, mut level): (Vec<Thread>, Vec<Thread>) = (Vec::new(), threads);
        for _ in 0..=SYNCHRONIZATION_MAX {
            let mut deeper = Vec::new();
            for thread in level.drain(..) {
                // Arguments that never started: what comes after them is expected.
                let next = match view.program.node(thread.node) {
                    Node::Json { next, .. } => Some(*next),
                    Node::Xml(xml) => Some(xml.next),
                    _ if !is_anchor(view.program, &thread)
                        || anchors.iter().any(|other| other.node == thread.node) =>
                    {
                        continue;
                    }
                    node => {
                        anchors.push(thread);
                        match node {
                            Node::Literal { next, .. } | Node::Template { next, .. }
                                if !view.program.opens(thread.node) =>
                            {
                                Some(*next)
                            }
                            _ => None,
                        }
                    }
                };
                let mut after = thread;
                (after.off, after.since) = (0, at);
                self.add_positions(view, after, next.as_slice(), &mut deeper);
            }
            level = deeper;
        }
        anchors
    }
}

/// Whether the literal at `thread` can be a synchronization point.
fn is_anchor(program: &Program, thread: &Thread) -> bool {
    let node = program.node(thread.node);
    let is_literal = node.is_evidence() && !node.literal().is_some_and(joins_calls);
    is_literal || matches!(node, Node::Template { .. })
}
