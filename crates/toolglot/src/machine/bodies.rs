//! Running the bodies that are sub-machines: JSON, envelope, Python call, elements.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use toolglot_json::{Rest, Root, Step};

use super::log::Log;
use super::teller::Speech;
use super::thread::{Judge, Thread};
use super::view::View;
use super::{Context, Mode, Parser};
use crate::body::{Asked, Envelope, JsonBody, Python, PythonStep, Xml, XmlOut, XmlStep};
use crate::program::{Node, NodeId, Program};
use crate::{Code, End, Sink, Span};

impl Parser {
    /// Returns whether the mode changed.
    pub(super) fn body(
        &mut self,
        program: &Program,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        match core::mem::take(&mut self.mode) {
            Mode::Json(body) => self.json(program, body, view, sink),
            Mode::Envelope(envelope) => self.envelope(program, envelope, view, sink),
            Mode::Python(python) => self.python(program, python, view, sink),
            Mode::Xml(xml) => self.xml(program, xml, view, eof, sink),
            mode => {
                self.mode = mode;
                false
            }
        }
    }

    /// How far the bytes are accounted for by argument text.
    pub(super) fn body_told(&self) -> u64 {
        match &self.mode {
            Mode::Json(_) => self.pos,
            Mode::Xml(xml) => xml.pos,
            Mode::Envelope(envelope)
                if envelope.committed && envelope.in_args() && envelope.args_at.is_some() =>
            {
                envelope.pos
            }
            _ => self.teller.cursor,
        }
    }

    fn json(
        &mut self,
        program: &Program,
        mut body: Box<JsonBody>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let rest = view.slice(self.pos, view.end());
        let fits = self.fitting.is_on();
        if !fits {
            core::mem::swap(self.teller.args(), &mut body.out.text);
        }
        let (used, step) = body.json.feed(rest, self.pos, &mut body.out);
        if fits {
            self.fit_body(program, &mut body, sink);
        } else {
            core::mem::swap(self.teller.args(), &mut body.out.text);
        }
        self.work += used as u64;
        self.pos += used as u64;
        self.tell_repairs(&mut body, sink);
        match step {
            Step::Done => {
                self.whole();
                self.end_body(program, view, body.node, sink);
                true
            }
            Step::Stuck => {
                self.stuck_json(program, body, view, sink);
                true
            }
            _ => {
                self.mode = Mode::Json(body);
                false
            }
        }
    }

    /// What a body wrote, fitted.
    pub(super) fn fit_body(&mut self, program: &Program, body: &mut JsonBody, sink: &mut dyn Sink) {
        self.fit_args(program, &body.out.text, sink);
        body.out.text.clear();
    }

    fn tell_repairs(&mut self, body: &mut JsonBody, sink: &mut dyn Sink) {
        if !body.out.repairs.is_empty() {
            self.teller.mended(&body.out.repairs, sink);
            body.out.repairs.clear();
        }
    }

    /// A byte that fits no JSON: the arguments may still be whole but for their brackets.
    fn stuck_json(
        &mut self,
        program: &Program,
        mut body: Box<JsonBody>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let rest = body.json.finish(true, self.pos, &mut body.out);
        self.fit_body(program, &mut body, sink);
        self.tell_repairs(&mut body, sink);
        if rest == Rest::Broken {
            self.malformed(program, view, body.node, sink);
        } else {
            self.whole();
            self.end_body(program, view, body.node, sink);
        }
    }

    fn whole(&mut self) {
        if let Some(call) = &mut self.teller.call {
            call.whole = true;
            call.opened = true;
        }
    }

    /// A body ended at `pos`: the set is what follows it.
    pub(super) fn end_body(
        &mut self,
        program: &Program,
        view: View<'_>,
        node: NodeId,
        sink: &mut dyn Sink,
    ) {
        let at = self.pos;
        self.end_fitting(program, true, sink);
        self.teller.flush_args(at, sink);
        let next = match program.node(node) {
            Node::Json { next, .. } | Node::Py { next } => *next,
            Node::Object(object) => object.next,
            Node::Xml(xml) => xml.next,
            _ => return,
        };
        self.log.clear();
        self.flushed = Log::ROOT;
        self.instances.clear();
        let mut threads = core::mem::take(&mut self.threads);
        threads.clear();
        let mut thread = Thread::at(next, Log::ROOT, at);
        thread.marked = true;
        self.stepper(program, view, Judge::Reading)
            .close(thread, at, &mut threads);
        self.threads = threads;
        self.committed = true;
        self.safe = at;
        self.safe_threads.clone_from(&self.threads);
        self.fallback = None;
        self.mode = Mode::Between;
        // An entry that can only end here ends here.
        if self
            .threads
            .iter()
            .all(|thread| matches!(program.node(thread.node), Node::Match))
            && !self.threads.is_empty()
        {
            self.found.bodies.clear();
            self.found.bodies.push(self.threads[0]);
            self.win(program, view, sink);
        } else {
            self.exit_certain(program, view, sink);
        }
    }

    /// Nothing can be made of the arguments: the call is cut here, and never runs.
    fn malformed(&mut self, program: &Program, view: View<'_>, node: NodeId, sink: &mut dyn Sink) {
        let at = self.pos;
        self.end_fitting(program, false, sink);
        self.teller.flush_args(at, sink);
        // One character: more may not be here yet.
        let found: String = view.slice(at, view.end()).chars().take(1).collect();
        let message = alloc::format!("`{found}` fits no JSON here; the arguments end");
        self.teller
            .note(Code::MalformedJson, Span::empty(at), message, None, sink);
        self.teller.end_call(End::Truncated, view, at, sink);
        self.end_body(program, view, node, sink);
        // Late closers are markup still; all else is text.
        let threads = core::mem::take(&mut self.threads);
        let late = threads.into_iter().filter(|thread| matches!(program.node(thread.node), Node::Literal { bytes, .. } if bytes.len() >= 3));
        let extras = late
            .map(|thread| self.wait(program, thread, self.flushed))
            .collect::<alloc::vec::Vec<_>>();
        self.context = Context {
            speech: Speech::Text,
            waits: super::first_bytes(program, &extras),
            extras,
            reads: true,
            sync: true,
            open_ended: false,
        };
        self.safe_threads.clear();
        self.not_before = at;
        self.mode = Mode::Text;
    }

    // ------------------------------------------------------------------------------------------------ envelope

    fn envelope(
        &mut self,
        program: &Program,
        mut envelope: Box<Envelope>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let before = envelope.pos;
        let rest = view.slice(envelope.pos, view.end());
        if rest.is_empty() && !envelope.is_behind() && !(envelope.committed && envelope.is_over()) {
            self.mode = Mode::Envelope(envelope);
            return false;
        }
        let asked = if rest.is_empty() && !envelope.is_behind() {
            Asked::Done
        } else {
            let live = (!self.fitting.is_on()).then(|| self.teller.args());
            envelope.feed(program, rest, program.limits.undecided, live)
        };
        self.work += envelope.pos - before;
        self.pos = envelope.pos;
        match asked {
            Asked::More => {
                let more = envelope.pos < view.end() || envelope.is_behind();
                self.mode = Mode::Envelope(envelope);
                more
            }
            Asked::Commit => {
                self.commit_envelope(program, &mut envelope, view, sink);
                self.mode = Mode::Envelope(envelope);
                true
            }
            Asked::Args => {
                if envelope.committed {
                    self.tell_envelope(program, &mut envelope, view, sink);
                }
                let more = envelope.pos < view.end() || envelope.is_behind();
                self.mode = Mode::Envelope(envelope);
                more
            }
            Asked::Done => {
                self.end_envelope(program, envelope, view, sink);
                true
            }
            Asked::Dead => {
                self.dead_envelope(program, &envelope, view, sink);
                true
            }
            Asked::Stuck => {
                if !envelope.committed {
                    self.dead_envelope(program, &envelope, view, sink);
                    return true;
                }
                let rest = envelope.finish(true);
                self.tell_envelope(program, &mut envelope, view, sink);
                if rest == Rest::Broken || envelope.malformed {
                    let node = envelope.bodies[0].node;
                    self.malformed(program, view, node, sink);
                } else {
                    self.end_envelope(program, envelope, view, sink);
                }
                true
            }
        }
    }

    /// The call begins: its head, then the arguments that waited.
    fn commit_envelope(
        &mut self,
        program: &Program,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let body = envelope.bodies[0];
        self.threads.clear();
        self.threads.push(body);
        self.found.bodies.clear();
        self.commit(program, view, sink);
        self.threads.clear();
        self.flush(program, view, body.log, envelope.here(), sink);
        envelope.committed = true;
        let mut name = envelope.name.clone().unwrap_or_default();
        let meant = program.tools.meant(&name);
        name.drain(..meant.map_or(0, |(_, n_space)| n_space));
        let (start, end) = envelope.name_at;
        if let Some(call) = &mut self.teller.call {
            call.tool = meant.map(|(tool, _)| tool);
            call.name.clone_from(&name);
            call.name_at = Span::new(start.min(end), end);
            call.written_id = envelope.id.take().or(call.written_id.take());
            call.ns = envelope.ns.take().or(call.ns.take());
            if call.tool.is_none() && !program.tools.is_empty() {
                let message = alloc::format!("no tool is called `{name}`");
                self.teller.note(
                    Code::UnknownTool,
                    Span::new(start.min(end), end),
                    message,
                    None,
                    sink,
                );
            }
        }
        let upto = envelope.args_at.unwrap_or_else(|| envelope.here());
        self.teller.start_call(view, upto, sink);
        if let Some(tool) = self.teller.call.as_ref().and_then(|call| call.tool) {
            envelope.know(program.tools.keys(tool));
        }
        self.begin_fitting(program, envelope.name_at.0);
        self.tell_envelope(program, envelope, view, sink);
    }

    /// Tells the arguments read so far.
    pub(super) fn tell_envelope(
        &mut self,
        program: &Program,
        envelope: &mut Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        if !envelope.repairs.is_empty() {
            self.teller.mended(&envelope.repairs, sink);
            envelope.repairs.clear();
        }
        if let Some(at) = envelope.encoded_at.take() {
            let message =
                String::from("the arguments are a string that holds JSON; it was unpacked");
            self.teller
                .note(Code::EncodedArguments, Span::empty(at), message, None, sink);
        }
        if let Some(at) = envelope.flat_at.take() {
            let message = String::from("the arguments stand beside the name, in no object");
            self.teller
                .note(Code::LooseArguments, Span::empty(at), message, None, sink);
        }
        let Some(at) = envelope.args_at else { return };
        if !envelope.args.is_empty() {
            if self.teller.args().is_empty() {
                self.teller.markup(view, at, sink);
            }
            self.fit_args(program, &envelope.args, sink);
            envelope.args.clear();
            if let Some(call) = &mut self.teller.call {
                call.opened = true;
            }
        }
        // While arguments stream they are told at the push's end. Bytes may be theirs and add nothing to them.
        if !envelope.in_args() {
            self.teller.flush_args(envelope.args_end, sink);
        }
    }

    fn end_envelope(
        &mut self,
        program: &Program,
        mut envelope: Box<Envelope>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        self.tell_envelope(program, &mut envelope, view, sink);
        let node = envelope.bodies[0].node;
        if let Some(id) = envelope.id.take() {
            self.teller.late_id(&id, sink);
        }
        if envelope.malformed {
            let message = String::from("the arguments are no JSON object");
            self.teller.note(
                Code::MalformedJson,
                Span::new(envelope.at, self.pos),
                message,
                None,
                sink,
            );
            if let Some(call) = &mut self.teller.call {
                call.worsen(End::Truncated);
            }
        }
        if envelope.args_at.is_some() {
            self.whole();
        } else if let Some(call) = &mut self.teller.call {
            // No arguments at all.
            call.whole = false;
        }
        self.teller.markup(view, self.pos, sink);
        self.end_body(program, view, node, sink);
        if let Some(call) = &mut self.teller.call
            && !call.whole
            && !envelope.malformed
        {
            call.whole = true;
            self.teller.args().push_str("{}");
            let at = self.teller.cursor;
            self.teller.flush_args(at, sink);
        }
    }

    /// The envelope is no call.
    pub(super) fn dead_envelope(
        &mut self,
        program: &Program,
        envelope: &Envelope,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let at = envelope.here();
        if self.committed {
            self.safe_threads
                .retain(|thread| !matches!(program.node(thread.node), Node::Object(_)));
            self.recover(program, view, at, sink);
            return;
        }
        let marked = envelope.bodies.iter().any(|body| body.marked);
        if let (false, Some(name), true) = (marked, &envelope.name, envelope.is_unknown()) {
            let message =
                alloc::format!("no tool is called `{name}`; without a marker it is no call");
            self.teller
                .speak(self.context.speech, view, self.candidate, sink);
            let (start, end) = envelope.name_at;
            self.teller.note(
                Code::UnknownTool,
                Span::new(start.min(end), end),
                message,
                None,
                sink,
            );
        }
        if marked && !self.quoted && !self.candidate_noted {
            let dialect = &program.dialect_of(envelope.bodies[0].node).name;
            let (code, message) = if envelope.name.is_none() {
                (
                    Code::MissingToolName,
                    alloc::format!("the JSON object of a `{dialect}` call has no tool name"),
                )
            } else {
                (
                    Code::MalformedJson,
                    alloc::format!("the JSON of a `{dialect}` call ends too early"),
                )
            };
            self.teller
                .speak(self.context.speech, view, self.candidate, sink);
            self.teller
                .note(code, Span::new(self.candidate, at), message, None, sink);
        }
        self.reject(at);
    }

    // -------------------------------------------------------------------------------------------------- python

    fn python(
        &mut self,
        program: &Program,
        mut python: Box<Python>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        while let Some(byte) = view.byte(self.pos) {
            let step = if self.pos - python.at
                > 2 * program.limits.capture as u64 + program.limits.blanks as u64
            {
                PythonStep::Dead
            } else {
                python.step(byte, self.pos)
            };
            self.work += 1;
            match step {
                PythonStep::More => self.pos += 1,
                PythonStep::Call | PythonStep::Positional => {
                    let mut name = view.slice(python.at, python.name_end).replace("\\_", "_");
                    let meant = program.tools.meant(&name);
                    let n_space = meant.map_or(0, |(_, n_space)| n_space);
                    let known = meant.map(|(tool, _)| tool);
                    let name_at = python.at + n_space as u64;
                    name.drain(..n_space);
                    let positions = known.map(|tool| Arc::clone(program.tools.keys(tool)));
                    let positions = positions.unwrap_or_default();
                    if step == PythonStep::Positional && positions.is_empty() {
                        return self.dead_python(program, view, sink);
                    }
                    let body = self.threads.first().copied();
                    let marked = body.is_some_and(|body| body.marked);
                    if !marked && known.is_none() && !program.tools.is_empty() {
                        let message = alloc::format!(
                            "no tool is called `{name}`; without a marker it is no call"
                        );
                        self.teller.note(
                            Code::UnknownTool,
                            Span::new(python.at, python.name_end),
                            message,
                            None,
                            sink,
                        );
                        return self.dead_python(program, view, sink);
                    }
                    let Some(body) = body.filter(|_| marked || !self.needs_marker()) else {
                        return self.dead_python(program, view, sink);
                    };
                    self.commit(program, view, sink);
                    self.threads.clear();
                    self.flush(program, view, body.log, python.at, sink);
                    let at = Span::new(name_at, python.name_end);
                    if let Some(call) = &mut self.teller.call {
                        call.name.clone_from(&name);
                        call.name_at = at;
                        call.tool = known;
                        if known.is_none() && !program.tools.is_empty() {
                            self.teller.note(
                                Code::UnknownTool,
                                at,
                                alloc::format!("no tool is called `{name}`"),
                                None,
                                sink,
                            );
                        }
                    }
                    self.teller.start_call(view, python.arguments, sink);
                    self.teller.markup(view, python.arguments, sink);
                    self.begin_fitting(program, python.arguments);
                    self.fit_args(program, "{", sink);
                    self.pos = python.arguments;
                    let mut body =
                        JsonBody::new(python.node, Root::Keywords, None, &Arc::default());
                    body.json = body.json.with_positions(positions);
                    self.mode = Mode::Json(Box::new(body));
                    return true;
                }
                PythonStep::Dead => return self.dead_python(program, view, sink),
            }
        }
        self.mode = Mode::Python(python);
        false
    }

    pub(super) fn dead_python(
        &mut self,
        program: &Program,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        if self.committed {
            self.safe_threads
                .retain(|thread| !matches!(program.node(thread.node), Node::Py { .. }));
            self.recover(program, view, self.pos, sink);
        } else {
            self.reject(self.pos);
        }
        true
    }

    // ------------------------------------------------------------------------------------------------ elements

    fn xml(
        &mut self,
        program: &Program,
        mut xml: Box<Xml>,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let before = xml.pos;
        let rest = view.slice(xml.pos, view.end());
        let mut out = XmlOut::default();
        core::mem::swap(self.teller.args(), &mut out.json);
        let step = xml.feed(rest, eof, &mut out);
        if step == XmlStep::Done {
            xml.close(&mut out);
        }
        core::mem::swap(self.teller.args(), &mut out.json);
        self.work += xml.pos - before + 1 + core::mem::take(&mut xml.looked);
        self.pos = xml.pos;
        self.tell_elements(&out, sink);
        if step == XmlStep::More {
            self.mode = Mode::Xml(xml);
            return false;
        }
        self.whole();
        self.end_body(program, view, xml.node, sink);
        true
    }

    pub(super) fn tell_elements(&mut self, out: &XmlOut, sink: &mut dyn Sink) {
        for (code, span, message) in &out.remarks {
            self.teller.note(*code, *span, message.clone(), None, sink);
        }
        if let Some(call) = &mut self.teller.call {
            if out.structural {
                call.worsen(End::Recovered);
            }
            if out.refused {
                call.worsen(End::Truncated);
            }
        }
    }
}
