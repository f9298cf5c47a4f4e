//! The end of the message.

use alloc::vec::Vec;

use toolglot_json::Completeness;

use super::emitter::Channel;
use super::log::{Act, Log};
use super::thread::{NamePolicy, Thread};
use super::view::View;
use super::{Mode, Parser};
use crate::body::Xml;
use crate::grammar::{Capture, Delimiter};
use crate::program::{Node, Program};
use crate::{Code, End, Finish, Recovery, Sink, Span};

impl Parser {
    pub(super) fn end(&mut self, why: Finish, view: View<'_>, sink: &mut dyn Sink) {
        self.ending.is_cut_off = why == Finish::Length;
        // Everything undecided is decided here. Rejected bytes are read again.
        for _ in 0..=view.text.len() * 8 + 64 {
            self.run(view, sink);
            let continues = self.end_mode(why, view, sink);
            if !(continues || matches!(self.mode, Mode::ReasoningHold(_))) {
                break;
            }
        }
        self.pos = view.end();
        self.unclosed(why, view, sink);
        self.emit_text(view, view.end(), sink);
        self.emitter.end(self.ending.is_cut_off, sink);
        if self.context.channel == Channel::Reasoning && !self.emitter.has_text {
            let message = "the reasoning has no end; nothing was answered";
            self.note(Code::UnclosedCall, Span::empty(view.end()), message, sink);
        }
    }

    /// Ends the mode that the message ended in. Returns whether there is more to read.
    fn end_mode(&mut self, why: Finish, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let program = view.program;
        if self.settle_string(program, why, sink) {
            return true;
        }
        match core::mem::take(&mut self.mode) {
            Mode::Matching => self.end_between(view, sink),
            // These modes decided at the last byte.
            Mode::Text
            | Mode::NameLookahead(_)
            | Mode::MidLineTag(_)
            | Mode::LineTail(_)
            | Mode::ReasoningResume(_)
            | Mode::ReasoningHold(_) => false,
            Mode::Value(value)
                if why != Finish::Length && Parser::ends_with_message(&value, view) =>
            {
                self.close_value(value, view, sink);
                true
            }
            Mode::Value(value) => {
                self.truncate_value(value, view, sink);
                self.pos = view.end();
                false
            }
            Mode::Json(body) if why != Finish::Length && body.json.waits_for_colon() => {
                self.stuck_json(body, view, sink);
                true
            }
            Mode::Json(mut body) => {
                let rest = body
                    .json
                    .finish(why != Finish::Length, self.pos, &mut body.out);
                body.place(self.pos);
                self.fit_body(program, &mut body, sink);
                self.after_json(rest, body.node, view, sink);
                false
            }
            Mode::Envelope(mut envelope)
                if why != Finish::Length
                    && envelope.committed
                    && envelope.json.waits_for_colon() =>
            {
                self.stuck_envelope(&mut envelope, view, sink);
                true
            }
            Mode::Envelope(mut envelope) => {
                let is_started = !envelope.committed;
                if is_started {
                    self.pos = envelope.pos;
                    if !envelope.marked || envelope.is_over() || self.is_aside() {
                        self.drop_envelope(&envelope, view, sink);
                        return true;
                    }
                    if envelope.head.name.is_none() {
                        return self.end_started(view, sink);
                    }
                    // The envelope has a name: the call was cut off before its arguments.
                    if !self.commit_envelope(&mut envelope, view, sink) {
                        return true;
                    }
                }
                let mut rest = Completeness::Whole;
                if !envelope.is_over() {
                    rest = envelope.finish(program, why != Finish::Length && !is_started);
                }
                if is_started || envelope.args.malformed {
                    rest = Completeness::Broken;
                }
                let has_no_args = envelope.args.at.is_none() && envelope.args.text.is_empty();
                self.emit_envelope(&mut envelope, view, sink);
                if has_no_args && rest != Completeness::Broken {
                    self.emitter.args().push_str("{}");
                    self.emitter.flush_args(self.emitter.cursor, sink);
                }
                self.after_json(rest, envelope.bodies[0].node, view, sink);
                false
            }
            Mode::Python(python) => {
                // After a committed call, only a known name starts another call.
                let word = view.slice(python.name_at.min(view.end()), view.end());
                let is_known = |(name, _): (&str, _)| program.tools.find(name.trim()).is_some();
                let is_call = !self.candidate.committed
                    || self.ending.is_cut_off
                    || word.split_once('(').is_some_and(is_known);
                if python.body.marked && is_call && !self.is_aside() {
                    return self.end_started(view, sink);
                }
                self.reject_python(view, sink)
            }
            Mode::Xml(mut xml) => {
                let is_whole = why != Finish::Length && xml.is_whole(view.end());
                let write = if is_whole { Xml::close } else { Xml::spill_all };
                self.write_elements(sink, |out| write(&mut xml, out));
                self.emitter.flush_args(xml.pos, sink);
                if is_whole {
                    self.whole();
                }
                self.pos = view.end();
                false
            }
        }
    }

    /// Ends a JSON string that may have ended, since the message ends, and a number if the model had stopped. If the
    /// message was cut off, only the string of a call's name may end. Returns whether one ended.
    fn settle_string(&mut self, program: &Program, why: Finish, sink: &mut dyn Sink) -> bool {
        let (is_cut_off, stopped) = (why == Finish::Length, why == Finish::Stop);
        let (mode, is_settled) = match core::mem::take(&mut self.mode) {
            Mode::Json(mut body) if !is_cut_off => {
                let is_settled = body.json.settle_string(self.pos, &mut body.out)
                    || stopped && body.json.settle_word(self.pos, &mut body.out);
                if is_settled {
                    body.place(self.pos);
                    self.fit_body(program, &mut body, sink);
                }
                (Mode::Json(body), is_settled)
            }
            Mode::Envelope(mut envelope) => {
                let is_marked = envelope.marked && !self.candidate.quoted;
                let may_settle =
                    !is_cut_off && envelope.committed || !envelope.committed && is_marked;
                let is_settled = may_settle && envelope.settle(stopped)
                    || envelope.committed && envelope.settle_quote();
                (Mode::Envelope(envelope), is_settled)
            }
            mode => (mode, false),
        };
        self.mode = mode;
        is_settled
    }

    fn after_json(&mut self, rest: Completeness, node: u32, view: View<'_>, sink: &mut dyn Sink) {
        self.pos = view.end();
        if rest == Completeness::Broken || self.ending.is_cut_off {
            self.end_fitting(view.program, false);
            self.emitter.flush_args(self.pos, sink);
            return;
        }
        self.whole();
        if rest == Completeness::Brackets {
            self.emitter.worsen(End::Recovered);
        }
        self.end_body(view, node, sink);
        if matches!(self.mode, Mode::Matching) {
            self.mode = Mode::Text;
            self.end_between(view, sink);
        }
    }

    /// The message ends between bodies: an entry that may end ends. `unclosed` decides about missing closers.
    fn end_between(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let program = view.program;
        let mut threads = core::mem::take(&mut self.set.threads);
        self.pass_end(&mut threads, view, NamePolicy::Reading);
        self.set.threads = threads;
        let ends = |thread: &Thread| program.is_end(thread.node);
        if let Some(thread) = self.set.threads.iter().copied().find(ends) {
            self.pos = view.end();
            self.see_open_calls();
            self.enter_only(thread, view, sink);
            return false;
        }
        // A started value is read from its start; a value whose opener is cut off has not started.
        let is_text = |thread: &Thread| matches!(program.node(thread.node), Node::Text(_));
        let continues =
            self.candidate.committed && self.set.threads.iter().any(|thread| !thread.extra);
        let is_line = |thread: &Thread| matches!(program.node(thread.node), Node::Text(text) if text.delimiter == Delimiter::Line);
        let has_line = !self.ending.is_cut_off && self.set.threads.iter().any(is_line);
        let is_text = self.candidate.fallback_bodies.first().is_some_and(is_text);
        if continues && (has_line || is_text) {
            self.candidate.forget_fallback();
        }
        let may_end = self.candidate.fallback_end(program).is_some();
        if let Some(at) = self.candidate.fallback.take() {
            // A committed entry continues in a closer that the message's end cut off (`<tool_calls>.. </tool_ca`). An
            // opener opens nothing there, and a key may be any word.
            let has_rest = !view.slice(at, view.end()).trim().is_empty();
            let is_lost = self.lost_parameter(at, view).is_some();
            let opens = |at: &Thread| program.opens(at.node) || self.newest_key(at).is_some();
            let is_capture = |at: &Thread| matches!(program.node(at.node), Node::Capture(_));
            let mut threads = self.set.threads.iter();
            let has_key = threads.any(|at| opens(at) || is_capture(at));
            let is_part = self.ending.is_cut_off || is_lost || !has_key;
            let continues = continues && may_end && has_rest && is_part;
            self.fall_back(at, view, sink);
            if continues {
                self.emitter.markup(view, view.end(), sink);
                self.pos = view.end();
            }
            return !continues;
        }
        let is_value =
            |thread: &Thread| matches!(program.node(thread.node), Node::Text(_) | Node::Xml(_));
        let text = self.set.threads.iter().copied().find(is_value);
        let is_other = |thread: &Thread| program.node(thread.node).is_body() && !is_value(thread);
        let text = text.filter(|_| !self.set.threads.iter().any(is_other));
        if let Some(body) = text
            && (self.candidate.committed || self.set.threads.iter().any(|thread| thread.marked))
        {
            self.pos = view.end();
            self.enter_only(body, view, sink);
            return true;
        }
        if !self.candidate.committed {
            if !self.candidate.bol && is_plain(view.slice(self.candidate.at, view.end())) {
                self.reject(view.end());
                return true;
            }
            let is_cut_tag = self.ending.is_cut_off && self.is_cut_tag(view);
            if !is_cut_tag && !self.is_started_call(view, view.end()) {
                self.explain_rejection(view, view.end(), sink);
                self.reject(view.end());
                return true;
            }
            let is_named = |thread: &&Thread| {
                !thread.extra && self.set.log.any(Log::ROOT, thread.log, Act::is_name)
            };
            let Some(&started) = self.candidate.checkpoint_threads.iter().find(is_named) else {
                return self.end_started(view, sink);
            };
            // The candidate has a name, though its positions disagree on what follows: the call was cut off.
            self.leave_only(started);
            if !self.commit(view, None, sink) {
                return true;
            }
        }
        // The entry is committed: the certain part of the head is emitted.
        let common = self.set.common();
        self.flush(view, common, view.end(), sink);
        self.ending.lacks_only_closers = self.lacks_only_closers(&self.set.threads, view.end());
        self.pos = view.end();
        if self.emitter.call.is_none() {
            self.emitter.markup(view, view.end(), sink);
            self.recovered(
                Recovery::FinalBlockCloser,
                Span::empty(view.end()),
                "",
                sink,
            );
        }
        false
    }

    /// The message ends in a call that has certainly started but has no name yet. Its bytes are markup, as they are in
    /// a message that continues.
    pub(super) fn end_started(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let from = self.emitter.cursor;
        self.emitter.markup(view, view.end(), sink);
        if !self.candidate.is_noted {
            self.recovered(Recovery::Nameless, Span::new(from, view.end()), "", sink);
        }
        self.forget_candidate();
        self.pos = view.end();
        self.mode = Mode::Text;
        false
    }

    /// Whether the candidate is a known tool's tag that starts its line, after which the message was cut off.
    fn is_cut_tag(&self, view: View<'_>) -> bool {
        let is_known = |thread: &Thread| {
            let named = self.set.log.newest(thread.log, Log::ROOT, Capture::Name);
            let dialect = view.program.dialect_of(thread.node);
            let known = |at| view.program.knows(dialect, view.at(at));
            !thread.extra && named.is_some_and(known)
        };
        self.candidate.bol
            && !self.candidate.quoted
            && self.candidate.checkpoint_threads.iter().any(is_known)
    }

    /// Takes the set over the message's end: past `message_end`, and past a capture that `message_end` follows. The
    /// length limit is no such end.
    pub(super) fn pass_end(
        &mut self,
        set: &mut Vec<Thread>,
        view: View<'_>,
        names: NamePolicy<'_>,
    ) {
        let (end, mut n) = (view.end(), 0);
        while let Some(&thread) = set.get(n).filter(|_| !self.ending.is_cut_off) {
            n += 1;
            let mut stepper = self.stepper(view, names);
            let next = match view.program.node(thread.node) {
                Node::End { next } => thread.after(*next),
                Node::Capture(capture)
                    if view.program.ends_message(capture.next)
                        && stepper.accepts(&thread, capture, end) =>
                {
                    stepper.after_capture(&thread, capture, end)
                }
                _ => continue,
            };
            let next = Thread { since: end, ..next };
            set.append(&mut self.closure(view, next));
        }
    }

    /// The message ends inside a call.
    fn unclosed(&mut self, why: Finish, view: View<'_>, sink: &mut dyn Sink) {
        let Some(call) = &self.emitter.call else {
            return;
        };
        let started = call.started;
        if call.is_text() || call.is_nameless() {
            if !call.is_text() {
                let at = Span::new(self.emitter.cursor, view.end());
                self.recovered(Recovery::Nameless, at, "", sink);
            }
            return (self.emitter).end_call(End::Truncated, view, view.end(), sink);
        }
        let whole = call.whole || self.ending.lacks_only_closers;
        let recovery = match (whole, why) {
            (true, Finish::Stop) => Recovery::StoppedCloser,
            (true, Finish::Unknown) => Recovery::FinalCloser,
            (_, Finish::Length) => Recovery::LengthLimit,
            (false, _) => Recovery::UnclosedCall,
        };
        // Held junk is emitted before the note, in the same order as junk that was not held.
        if self.context.channel == Channel::Junk {
            self.emitter.markup(view, view.end(), sink);
        }
        let least = if started { 0 } else { view.end() };
        let at = Span::empty(self.emitter.cursor.max(least));
        self.recovered(recovery, at, "", sink);
        (self.emitter).end_call(recovery.rule().end, view, view.end(), sink);
    }
}

/// Whether a candidate after other text is too common to prove a call: a word (`functools`), a prompt sign (`>>>`).
fn is_plain(text: &str) -> bool {
    let is_common = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'>';
    text.trim().bytes().all(is_common)
}
