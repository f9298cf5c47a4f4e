//! Runs an envelope: starts its call, emits its arguments, and ends it.

use alloc::boxed::Box;

use toolglot_json::{Completeness, RepairSpan};

use super::emitter::Channel;
use super::view::View;
use super::{Mode, Parser};
use crate::body::{Action, Envelope};
use crate::program::Node;
use crate::{Arguments, Code, End, Recovery, Sink, Span};

impl Parser {
    pub(super) fn envelope(
        &mut self,
        mut envelope: Box<Envelope>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        loop {
            let before = envelope.pos;
            let rest = view.slice(before, view.end());
            // Bytes that were read may give more output without more text.
            let is_read = rest.is_empty() && !envelope.json.has_reports();
            if is_read && !(envelope.committed && envelope.is_over()) {
                return self.wait_in(Mode::Envelope(envelope));
            }
            let event = if is_read {
                Action::Done
            } else {
                let live = (!self.fitting.is_on()).then(|| self.emitter.args());
                envelope.feed(view.program, rest, view.program.limits.undecided, live)
            };
            self.set.found.work += envelope.pos.saturating_sub(before);
            self.pos = envelope.pos;
            match event {
                Action::Commit if self.repeats(&envelope) => {
                    let message = "the call was made before; after the answer it is only mentioned, and is text";
                    let at = envelope.head.name_at;
                    self.remark_at_name(Code::DuplicateCall, at, message.into(), view, sink);
                    self.drop_envelope(&envelope, view, sink);
                    break;
                }
                Action::Commit => {
                    if !self.commit_envelope(&mut envelope, view, sink) {
                        break;
                    }
                }
                Action::Args if envelope.committed => {
                    self.emit_envelope(&mut envelope, view, sink);
                }
                Action::More | Action::Args => {}
                Action::Inside => {
                    self.emit_envelope(&mut envelope, view, sink);
                    let rest = view.slice(envelope.pos, view.end());
                    let run = envelope.string_run(rest);
                    if self.emit_inside(rest, run, sink) {
                        envelope.pass(&rest[..run.length]);
                    }
                }
                Action::Another => self.another_envelope(&mut envelope, view, sink),
                Action::Done => {
                    self.end_envelope(&mut envelope, view, sink);
                    break;
                }
                Action::Stuck if envelope.committed => {
                    self.stuck_envelope(&mut envelope, view, sink);
                    break;
                }
                Action::Dead | Action::Stuck => {
                    self.drop_envelope(&envelope, view, sink);
                    break;
                }
            }
            // Without progress the run loop's guard applies.
            if envelope.pos == before {
                self.mode = Mode::Envelope(envelope);
                return true;
            }
        }
        // The next envelope reuses the memory of this one.
        self.set.found.bodies = core::mem::take(&mut envelope.bodies);
        self.set.found.bodies.clear();
        self.spare.envelope = Some(envelope);
        true
    }

    /// Whether a call after the answer repeats an earlier call, by name and arguments.
    fn repeats(&self, envelope: &Envelope) -> bool {
        let name = envelope.head.name.as_deref().unwrap_or_default();
        let n_space = envelope.head.meant.map_or(0, |(_, n_space)| n_space);
        envelope.may_repeat() && self.emitter.has_call(&name[n_space..], &envelope.args.text)
    }

    /// The next byte is not part of the object: only closing brackets may be missing.
    pub(super) fn stuck_envelope(
        &mut self,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        envelope.pos = view.char_start(envelope.here());
        self.pos = envelope.pos;
        let rest = envelope.finish(view.program, true);
        self.emit_envelope(envelope, view, sink);
        if rest == Completeness::Broken || envelope.args.malformed {
            let node = envelope.bodies[0].node;
            self.malformed(view, node, sink);
        } else {
            self.end_envelope(envelope, view, sink);
        }
    }

    /// Starts the call: emits its head, then the waiting arguments. Returns `false` if the candidate is not committed.
    #[must_use]
    pub(super) fn commit_envelope(
        &mut self,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let body = envelope.bodies[0];
        self.leave_only(body);
        self.set.found.bodies.clear();
        if !self.commit(view, envelope.head.name.as_deref(), sink) {
            return false;
        }
        self.set.threads.clear();
        let upto = envelope.head_end();
        self.flush(view, body.log, upto, sink);
        envelope.committed = true;
        // From here on the envelope only needs to know that it has a name.
        let name = envelope.head.name.as_mut();
        let mut name = name.map(core::mem::take).unwrap_or_default();
        let meant = envelope.head.meant;
        name.drain(..meant.map_or(0, |(_, n_space)| n_space));
        let (start, end) = envelope.head.name_at;
        let name_at = Span::new(start.min(end), end);
        if self.emitter.call.is_some() {
            self.name_call(name, name_at, meant.map(|(tool, _)| tool), sink);
        }
        if let Some(call) = &mut self.emitter.call {
            call.facts.is_bare = self.candidate.entry.is_bare(!envelope.marked);
            call.written_id = envelope.head.id.take().or(call.written_id.take());
            call.server = envelope.head.server.take().or(call.server.take());
        }
        self.emitter.start_call(view, upto, sink);
        self.start_fitting(view.program, envelope.head.name_at.0);
        self.emit_envelope(envelope, view, sink);
        true
    }

    /// Another key that is a tool's name follows the value of the last one: ends the call and starts the next.
    fn another_envelope(&mut self, envelope: &mut Envelope, view: View<'_>, sink: &mut dyn Sink) {
        let enter = self.set.log.entered(envelope.bodies[0].log);
        self.emit_envelope(envelope, view, sink);
        self.end_fitting(view.program, true);
        self.emitter.flush_args(envelope.args.end, sink);
        if envelope.args.at.is_some() {
            self.whole();
        }
        let at = self.emitter.cursor;
        self.emitter.end_call(End::Closed, view, at, sink);
        if let Some(enter) = enter {
            self.enter(view, enter, at, sink);
        }
        envelope.start_next(view.program);
        let is_started = self.commit_envelope(envelope, view, sink);
        debug_assert!(is_started, "the entry is committed");
    }

    /// Emits the arguments read so far, and the notes about them.
    pub(super) fn emit_envelope(
        &mut self,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        if let Some(at) = envelope.encoded.at.take() {
            // Repairs of the string's JSON have empty spans at `at`, and are noted after this note.
            let is_before =
                |repair: &RepairSpan| repair.start < at || repair.start == at && repair.end > at;
            let before = envelope.repairs.partition_point(is_before);
            self.emitter.repaired(&envelope.repairs[..before], sink);
            envelope.repairs.drain(..before);
            let message = "the arguments are a string that holds JSON; it was unpacked";
            self.note(Code::EncodedArguments, Span::empty(at), message, sink);
        }
        self.emitter.repaired(&envelope.repairs, sink);
        envelope.repairs.clear();
        if let Some(at) = envelope.loose.flat_at.take() {
            let message = "the arguments are beside the name, not in an object";
            self.note(Code::UnnestedArguments, Span::empty(at), message, sink);
        }
        if let Some(at) = envelope.args.defines_at.take()
            && let Some(call) = &mut self.emitter.call
        {
            call.facts.arguments = Arguments::Schema;
            call.arguments_at = at;
        }
        if let Some((at, what)) = envelope.loose.left_out.take() {
            self.recovered(what, Span::empty(at), "", sink);
        }
        let Some(at) = envelope.args.at else {
            return;
        };
        if !envelope.args.text.is_empty() {
            if self.emitter.args().is_empty() {
                self.emitter.markup(view, at, sink);
            }
            self.fit_args(view.program, &envelope.args.text);
            envelope.args.text.clear();
            if let Some(call) = &mut self.emitter.call {
                call.opened = true;
            }
        }
        // While arguments stream, the end of the push emits them. Some of their bytes add no text.
        if !envelope.in_args() {
            self.emitter.flush_args(envelope.args.end, sink);
        }
    }

    pub(super) fn end_envelope(
        &mut self,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        self.emit_envelope(envelope, view, sink);
        let node = envelope.bodies[0].node;
        if let Some(id) = envelope.head.id.take() {
            self.emitter.late_id(&id, sink);
        }
        if envelope.args.malformed {
            let at = self.no_object(envelope, view);
            self.recovered(Recovery::NoObject, at, "", sink);
        }
        if envelope.args.at.is_some() {
            self.whole();
        } else if let Some(call) = &mut self.emitter.call {
            call.whole = false;
            call.facts.arguments = Arguments::Missing;
        }
        self.emitter.markup(view, self.pos, sink);
        self.end_body(view, node, sink);
        if let Some(call) = &mut self.emitter.call
            && !call.whole
            && !envelope.args.malformed
        {
            call.whole = true;
            self.emitter.args().push_str("{}");
            let at = self.emitter.cursor;
            self.emitter.flush_args(at, sink);
        }
    }

    /// The span of arguments that are not an object, without blanks around; the whole envelope if they were emitted.
    fn no_object(&self, envelope: &Envelope, view: View<'_>) -> Span {
        match envelope.args.malformed_at {
            Some((start, end)) if start >= self.emitter.cursor => {
                let text = view.slice(start, end);
                let start = end - text.trim_start().len() as u64;
                Span::new(start, start + text.trim().len() as u64)
            }
            _ => Span::new(envelope.at, self.pos),
        }
    }

    /// The envelope is not a call.
    pub(super) fn drop_envelope(
        &mut self,
        envelope: &Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let at = envelope.here();
        if self.candidate.committed && self.emitter.call.is_none() && envelope.is_nameless() {
            // This member of a list is not a call: the members after it may be calls.
            let span = Span::new(envelope.at, at);
            self.emitter.markup(view, envelope.at, sink);
            self.recovered(Recovery::OtherObject, span, "", sink);
            self.emitter.text(Channel::Text, view, at, sink);
            self.end_body(view, envelope.bodies[0].node, sink);
            return;
        }
        if self.candidate.committed {
            self.candidate
                .checkpoint_threads
                .retain(|thread| !matches!(view.program.node(thread.node), Node::Object(_)));
            self.recover(view, at, false, sink);
            return;
        }
        let marked = envelope.bodies.iter().any(|body| body.marked);
        if marked && !self.is_aside() && !self.candidate.is_noted {
            let dialect = &view.program.dialect_of(envelope.bodies[0].node).name;
            let (code, part, fault) = if envelope.is_other {
                (
                    Code::NotACall,
                    "a fixed member",
                    "is missing or has another value",
                )
            } else if envelope.head.name.is_none() {
                (Code::MissingToolName, "the JSON object", "has no tool name")
            } else {
                (Code::MalformedJson, "the JSON", "ends too early")
            };
            let message = alloc::format!("{part} of a `{dialect}` call {fault}");
            self.emit_text(view, self.candidate.at, sink);
            self.note(code, Span::new(self.candidate.at, at), message, sink);
        }
        self.reject(at);
    }
}
