//! Between bodies: the set of threads, byte by byte, until a body wins, the entry ends, or nothing is left.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::log::{Act, Log, LogId};
use super::teller::OpenCall;
use super::thread::{Judge, Stepper, Thread};
use super::value::Value;
use super::view::View;
use super::{Context, Mode, Parser, Speech, Waiting};
use crate::body::{Envelope, JsonBody, Python, Xml};
use crate::grammar::Capture;
use crate::program::{Node, Program, RuleRole};
use crate::{Code, End, InCode, Place, Sink, Span};

impl Parser {
    /// Returns whether the mode changed.
    pub(super) fn between(
        &mut self,
        program: &Program,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let held = program.limits.undecided as u64;
        loop {
            self.skip_alone(program, view);
            let Some(byte) = view.byte(self.pos) else {
                break;
            };
            let pos = self.pos;
            let Parser {
                threads,
                next,
                found,
                log,
                flushed,
                instances,
                registers,
                candidate,
                bol,
                start,
                ..
            } = &mut *self;
            let (flushed, candidate, bol, start) = (*flushed, *candidate, *bol, *start);
            Stepper {
                program,
                view,
                log,
                flushed,
                instances,
                registers,
                judge: Judge::Reading,
                candidate,
                bol,
                start,
            }
            .step(threads, byte, pos, next, found);
            if !self.committed {
                self.remark_names(program, view, sink);
            }
            if self.found.literal_ended
                && !self.committed
                && self.is_quoted_entry(program, view, sink)
            {
                // What the context waits for may be on its way all the same.
                self.next.retain(|thread| thread.extra);
                if self.next.is_empty() {
                    self.reject(pos + 1);
                    return true;
                }
            }
            if !self.found.bodies.is_empty() && self.found.body_first && !self.found.literal_took {
                let body = self.found.bodies[0];
                if matches!(program.node(body.node), Node::Match) {
                    // Blanks before the end are not the entry's.
                    let end = self.fallback_end(program).unwrap_or(pos);
                    self.pos = end;
                }
                self.win(program, view, sink);
                return true;
            }
            if self.next.is_empty() && self.is_extra_bracket(program, byte) {
                let span = Span::new(pos, pos + 1);
                self.teller.note(
                    Code::WrongBracket,
                    span,
                    String::from("a closing bracket too many was left out"),
                    None,
                    sink,
                );
                self.pos += 1;
                continue;
            }
            if self.next.is_empty() || pos + 1 - self.teller.cursor > held {
                if let Some(at) = self.fallback.take() {
                    self.pos = at;
                    self.found.bodies.clear();
                    self.found.bodies.append(&mut self.fallback_bodies);
                    self.win(program, view, sink);
                } else if self.committed {
                    self.recover(program, view, pos, sink);
                } else {
                    self.explain_rejection(program, view, pos, sink);
                    self.reject(pos);
                }
                return true;
            }
            if !self.found.bodies.is_empty() {
                self.remember_fallback(program, pos);
            }
            core::mem::swap(&mut self.threads, &mut self.next);
            self.pos += 1;
            for n in 0..self.found.markers.len() {
                let (from, dialect) = self.found.markers[n];
                self.outrank_captures(program, from, dialect);
            }
            if self.found.literal_ended {
                self.literal_ended(program, view, sink);
            }
            if self.fallback.is_none()
                && self
                    .threads
                    .iter()
                    .all(|thread| matches!(program.node(thread.node), Node::Match))
            {
                self.found.bodies.clear();
                self.found.bodies.push(self.threads[0]);
                self.win(program, view, sink);
                return true;
            }
        }
        false
    }

    /// A bracket too many behind JSON that was whole: the closer that is waited for comes next, or is missing anyhow.
    fn is_extra_bracket(&self, program: &Program, byte: u8) -> bool {
        let waits = |thread: &Thread| {
            thread.off == 0
                && matches!(program.node(thread.node), Node::Literal { bytes, .. } if bytes.len() >= 3)
        };
        matches!(byte, b'}' | b']')
            && self.committed
            && self.fallback.is_none()
            && self.teller.call.as_ref().is_some_and(|call| call.whole)
            && self.threads.iter().any(waits)
    }

    /// A literal that is alone, and the openers before any is complete, are read as a run, short of their last byte.
    fn skip_alone(&mut self, program: &Program, view: View<'_>) {
        let ([thread], None) = (self.threads.as_mut_slice(), self.fallback) else {
            return;
        };
        let bytes = view.from(self.pos);
        let run = match program.node(thread.node) {
            Node::Literal {
                bytes: literal,
                fold: false,
                ..
            } => {
                let rest = &literal[usize::from(thread.off)..literal.len() - 1];
                let run = rest.iter().zip(bytes).take_while(|(a, b)| a == b).count();
                thread.off += run as u16;
                run
            }
            Node::Trie => {
                let mut run = 0;
                while let Some(state) = bytes
                    .get(run)
                    .and_then(|&byte| program.trie.step(thread.off, byte))
                {
                    if !program.trie.complete(state).is_empty() || !program.trie.has_children(state)
                    {
                        break;
                    }
                    thread.off = state;
                    run += 1;
                }
                run
            }
            _ => return,
        };
        self.pos += run as u64;
        self.work += run as u64;
    }

    /// A literal before a capture: where a marker was read whole, a thread of the same dialect that took its bytes for a
    /// capture is dropped.
    fn outrank_captures(&mut self, program: &Program, from: u64, dialect: u16) {
        if self.threads.len() < 2 {
            return;
        }
        let Parser {
            threads,
            log,
            flushed,
            pos,
            ..
        } = self;
        threads.retain(|thread| {
            if program.node_dialect[thread.node as usize] != dialect {
                return true;
            }
            let reading = matches!(program.node(thread.node), Node::Capture(_))
                && thread.since >= from
                && thread.since < *pos;
            let read = log.any(
                *flushed,
                thread.log,
                |act| matches!(act, Act::Captured { start, .. } if start >= from),
            );
            !(reading || read)
        });
    }

    fn remember_fallback(&mut self, program: &Program, pos: u64) {
        let node = self.found.bodies[0].node;
        let is_match = matches!(program.node(node), Node::Match);
        let replaces = match (self.fallback, self.fallback_bodies.first()) {
            (Some(_), Some(have)) => have.node == node && !is_match,
            _ => true,
        };
        if replaces {
            self.fallback = Some(pos);
            self.fallback_bodies.clone_from(&self.found.bodies);
        }
    }

    fn fallback_end(&self, program: &Program) -> Option<u64> {
        let is_match = self
            .fallback_bodies
            .first()
            .is_some_and(|body| matches!(program.node(body.node), Node::Match));
        self.fallback.filter(|_| is_match)
    }

    /// A literal ended at `pos`: this is where acts may become certain.
    fn literal_ended(&mut self, program: &Program, view: View<'_>, sink: &mut dyn Sink) {
        if self.found.literal_took && self.fallback.is_some() {
            // A literal outranks the body that waited for it.
            self.fallback = None;
            self.fallback_bodies.clear();
        }
        self.safe = self.pos;
        self.safe_threads.clone_from(&self.threads);
        if !self.committed
            && self.threads.first().is_some_and(|thread| {
                thread.extra
                    && !matches!(program.node(thread.node), Node::Literal { .. } if thread.off > 0)
            })
        {
            self.threads.retain(|thread| thread.extra);
            self.commit(program, view, sink);
        }
        if self.fallback.is_some() {
            return;
        }
        let common = {
            let Parser {
                log,
                threads,
                flushed,
                ..
            } = self;
            log.common(*flushed, threads.iter().map(|thread| thread.log))
        };
        if common == self.flushed {
            return;
        }
        let names = self.log.any(self.flushed, common, |act| {
            matches!(
                act,
                Act::Captured {
                    what: Capture::Name,
                    ..
                }
            )
        });
        let ends = self
            .log
            .any(self.flushed, common, |act| matches!(act, Act::Exit(_)));
        let marked = self.threads.iter().all(|thread| thread.marked);
        if !self.committed {
            if !(names && marked) {
                return;
            }
            self.commit(program, view, sink);
        }
        if names || ends {
            self.flush(program, view, common, self.pos, sink);
            let late = self
                .threads
                .iter()
                .any(|thread| Parser::awaits_head(program, thread));
            if names && !late && self.teller.call.is_some() {
                self.teller.start_call(view, self.pos, sink);
            }
        }
    }

    /// Behind a body: an end that all threads agree on is told at once.
    pub(super) fn exit_certain(&mut self, program: &Program, view: View<'_>, sink: &mut dyn Sink) {
        let common = {
            let Parser {
                log,
                threads,
                flushed,
                ..
            } = self;
            log.common(*flushed, threads.iter().map(|thread| thread.log))
        };
        if self
            .log
            .any(self.flushed, common, |act| matches!(act, Act::Exit(_)))
        {
            self.flush(program, view, common, self.pos, sink);
        }
    }

    /// Whether a thread may still read an id or a name space of the head.
    fn awaits_head(program: &Program, thread: &Thread) -> bool {
        match program.node(thread.node) {
            Node::Capture(capture) => matches!(capture.what, Capture::Id | Capture::Ns),
            _ => false,
        }
    }

    /// From here the candidate is what it seems: nothing is given back.
    pub(super) fn commit(&mut self, _program: &Program, view: View<'_>, sink: &mut dyn Sink) {
        if self.committed {
            return;
        }
        self.committed = true;
        let by_extra = self
            .threads
            .first()
            .or(self.found.bodies.first())
            .is_some_and(|thread| thread.extra);
        self.teller
            .speak(self.context.speech, view, self.candidate, sink);
        if by_extra {
            self.context = Context::default();
        } else if self.context.sync {
            // An entry ends the open call of a broken one.
            self.context = Context::default();
            if self.teller.call.is_some() {
                self.teller
                    .end_call(End::Recovered, view, self.candidate, sink);
            }
        }
    }

    /// Does the acts up to `to`. Bytes up to `upto` are markup where an act needs them told.
    pub(super) fn flush(
        &mut self,
        program: &Program,
        view: View<'_>,
        to: LogId,
        upto: u64,
        sink: &mut dyn Sink,
    ) {
        let mut acts: Vec<(Act, u64)> = Vec::new();
        self.log.acts(self.flushed, to, &mut acts);
        self.flushed = to;
        for (act, pos) in acts {
            match act {
                Act::Enter(node) => self.enter(program, view, node, pos, sink),
                Act::Captured { what, start, end } => {
                    self.captured(program, view, what, start, end, sink);
                }
                Act::Argument {
                    node,
                    index,
                    start,
                    end,
                } => self.argument(program, view, (node, index), (start, end), upto, sink),
                Act::Exit(node) => {
                    if matches!(
                        program.node(node),
                        Node::Exit {
                            role: RuleRole::Call,
                            ..
                        }
                    ) {
                        self.exit_call(view, pos, sink);
                    }
                }
            }
        }
    }

    fn enter(
        &mut self,
        program: &Program,
        view: View<'_>,
        node: u32,
        pos: u64,
        sink: &mut dyn Sink,
    ) {
        let Node::Enter {
            role: RuleRole::Call,
            tool,
            ..
        } = program.node(node)
        else {
            return;
        };
        if self.teller.call.is_some() {
            self.teller.end_call(End::Recovered, view, pos, sink);
        }
        let place = match self.context.speech {
            Speech::Reasoning => Place::Reasoning,
            _ if self.in_code == InCode::Accept && self.candidate_in_code => Place::Code,
            _ => Place::Answer,
        };
        let mut call = OpenCall::new(&program.dialect_of(node).name, place, pos);
        (self.registers.id, self.registers.ns) = (None, None);
        if let Some(tool) = tool {
            call.name = String::from(&**tool);
            call.tool = program.tools.find(tool);
        }
        self.teller.call = Some(call);
    }

    fn captured(
        &mut self,
        program: &Program,
        view: View<'_>,
        what: Capture,
        start: u64,
        end: u64,
        sink: &mut dyn Sink,
    ) {
        let text: String = view.slice(start, end).into();
        let open = self.teller.call.as_mut().filter(|call| !call.started);
        match (what, open) {
            (Capture::Name, Some(call)) => {
                call.name.clone_from(&text);
                call.name_at = Span::new(start, end);
                call.tool = program.tools.find(&text);
                if call.tool.is_none() && !program.tools.is_empty() {
                    let message = format!("no tool is called `{text}`");
                    self.teller.note(
                        Code::UnknownTool,
                        Span::new(start, end),
                        message,
                        None,
                        sink,
                    );
                }
                self.registers.name = text;
            }
            (Capture::Id, Some(call)) => {
                call.written_id = Some(text.clone());
                self.registers.id = Some(text);
            }
            (Capture::Ns, Some(call)) => {
                call.ns = (!text.is_empty()).then(|| text.clone());
                self.registers.ns = Some(text);
            }
            (Capture::Name, None) => self.registers.name = text,
            (Capture::Key, _) => {
                self.registers.key = text;
                self.registers.key_at = Span::new(start, end);
            }
            (Capture::Kind, _) => self.registers.kind = text,
            (Capture::Skip, _) => self.registers.skip = text,
            (Capture::Id | Capture::Ns, None) => {}
        }
    }

    /// An attribute that is an argument (`<write_file path="..">`).
    fn argument(
        &mut self,
        program: &Program,
        view: View<'_>,
        at: (u32, u8),
        (start, end): (u64, u64),
        upto: u64,
        sink: &mut dyn Sink,
    ) {
        let Node::Attrs(attrs) = program.node(at.0) else {
            return;
        };
        let Some(key) = attrs
            .attributes
            .get(usize::from(at.1))
            .and_then(|a| a.argument.clone())
        else {
            return;
        };
        let text: String = view.slice(start, end).into();
        self.teller.start_call(view, upto, sink);
        self.teller.key(&key);
        let args = self.teller.args();
        args.push('"');
        toolglot_json::escape_into(args, &text);
        args.push('"');
    }

    fn exit_call(&mut self, view: View<'_>, pos: u64, sink: &mut dyn Sink) {
        if self.teller.call.is_some() {
            self.teller.end_call(End::Closed, view, pos, sink);
        }
    }

    /// A body, or the end of the entry, begins at `pos`.
    pub(super) fn win(&mut self, program: &Program, view: View<'_>, sink: &mut dyn Sink) {
        let body = self.found.bodies[0];
        let at = self.pos;
        self.fallback = None;
        self.fallback_bodies.clear();
        self.safe = at;
        match program.node(body.node) {
            Node::Object(_) => {
                let bodies: Vec<Thread> = self
                    .found
                    .bodies
                    .iter()
                    .copied()
                    .filter(|b| matches!(program.node(b.node), Node::Object(_)))
                    .collect();
                self.mode = Mode::Envelope(Box::new(Envelope::new(program, bodies, at)));
                return;
            }
            Node::Py { .. } => {
                self.threads.clear();
                self.threads.push(body);
                self.mode = Mode::Python(Python::new(body.node, at));
                return;
            }
            _ => {}
        }
        self.threads.clear();
        self.threads.push(body);
        self.commit(program, view, sink);
        self.flush(program, view, body.log, at, sink);
        self.threads.clear();
        match program.node(body.node) {
            Node::Match => self.end_entry(
                program.node_dialect[body.node as usize] == program.wrap,
                view,
                at,
                sink,
            ),
            Node::Text(text) if matches!(text.role, RuleRole::Think | RuleRole::Say) => {
                self.teller.markup(view, at, sink);
                self.enter_speech(body.node, body.log, view);
            }
            Node::Text(_) => {
                self.teller.start_call(view, at, sink);
                self.teller.markup(view, at, sink);
                let value = Value::begin(program, self, body, at, sink);
                self.mode = Mode::Value(Box::new(value));
            }
            Node::Json { quote, closers, .. } => {
                self.teller.start_call(view, at, sink);
                self.teller.markup(view, at, sink);
                self.mode = Mode::Json(Box::new(JsonBody::new(
                    body.node,
                    toolglot_json::Root::Object,
                    quote.as_deref(),
                    closers,
                )));
            }
            Node::Xml(xml) => {
                self.teller.start_call(view, at, sink);
                self.teller.markup(view, at, sink);
                let tool = self.teller.call.as_ref().and_then(|call| call.tool);
                let fields = tool.map(|tool| program.tools.tool(tool).parameters.clone());
                let values = program.dialect_of(body.node).values.clone();
                self.mode = Mode::Xml(Box::new(Xml::new(
                    body.node,
                    at,
                    fields,
                    values,
                    xml.prefix.as_deref(),
                    &xml.closers,
                    &program.limits,
                )));
            }
            _ => self.mode = Mode::Text,
        }
    }

    /// The entry is over; what follows is text again.
    fn end_entry(&mut self, wrapper: bool, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        if self.teller.call.is_some() && !self.context.sync {
            self.teller.end_call(End::Closed, view, at, sink);
        }
        self.teller.markup(view, at, sink);
        if wrapper {
            self.teller.quote.open_wrapper();
        }
        self.forget();
        self.safe_threads.clear();
        self.mode = Mode::Text;
    }

    /// Nothing is left of a committed entry. What is certain is told; the rest is text, or junk inside an open call.
    pub(super) fn recover(
        &mut self,
        program: &Program,
        view: View<'_>,
        at: u64,
        sink: &mut dyn Sink,
    ) {
        let safe_threads = core::mem::take(&mut self.safe_threads);
        let common = {
            let Parser { log, flushed, .. } = self;
            log.common(*flushed, safe_threads.iter().map(|thread| thread.log))
        };
        if !safe_threads.is_empty() {
            self.flush(program, view, common, self.safe, sink);
        }
        let safe = self.safe.max(self.teller.cursor);
        self.teller.markup(view, safe, sink);
        // Up to the character that fits nothing: more may not be here yet.
        let at = at.max(safe);
        let length = view
            .slice(at, view.end())
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        let found: String = view
            .slice(safe, at + length as u64)
            .chars()
            .take(20)
            .collect();
        let open = self.teller.call.is_some();
        let whole = self.teller.call.as_ref().is_none_or(|call| call.whole);
        if open && whole {
            let span = Span::empty(self.teller.cursor);
            self.teller.note(
                Code::MissingCloser,
                span,
                String::from("the call's closer is missing; it was supplied"),
                None,
                sink,
            );
            self.teller
                .end_call(End::Recovered, view, self.teller.cursor, sink);
        } else if open {
            let span = Span::new(safe, at.max(safe));
            let wants: Vec<String> = safe_threads
                .iter()
                .filter_map(|thread| wanted(program, thread))
                .take(4)
                .collect();
            let help = (!wants.is_empty()).then(|| format!("expected {}", wants.join(" or ")));
            self.teller.note(
                Code::Junk,
                span,
                format!("`{}` belongs to no part of the call", found.trim()),
                help,
                sink,
            );
            if let Some(call) = &mut self.teller.call {
                call.worsen(End::Recovered);
            }
        }
        let anchors = safe_threads
            .into_iter()
            .filter(|thread| is_anchor(program, thread));
        let extras: Vec<Waiting> = anchors
            .map(|thread| self.wait(program, thread, self.flushed))
            .collect();
        self.forget();
        let speech = if self.teller.call.is_some() {
            Speech::Junk
        } else {
            Speech::Text
        };
        let waits = !extras.is_empty() || self.teller.call.is_some();
        self.context = Context {
            speech,
            extras,
            reads: true,
            sync: waits,
        };
        self.pos = self.teller.cursor;
        self.not_before = self.pos;
        self.threads.clear();
        self.mode = Mode::Text;
        self.committed = false;
    }

    // ------------------------------------------------------------------------------------------------ remarks

    /// What looks like an entry stands in quoted code, or is spelled out after its token was seen as a special one.
    fn is_quoted_entry(&mut self, program: &Program, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let by_trie = self
            .next
            .iter()
            .any(|thread| !thread.extra && !matches!(program.node(thread.node), Node::Trie));
        if !by_trie {
            return false;
        }
        let end = self.pos + 1;
        if self.is_spelled_marker(view, end) {
            let text = view.slice(self.candidate, end);
            let message =
                format!("`{text}` came as a special token before; in plain letters it is text");
            self.teller.note(
                Code::SpelledMarker,
                Span::new(self.candidate, end),
                message,
                None,
                sink,
            );
            return true;
        }
        if !self.quoted {
            return false;
        }
        let text: String = view.slice(self.candidate, end).into();
        let call = self.next.iter().any(|thread| {
            !thread.extra
                && self
                    .log
                    .any(Log::ROOT, thread.log, |act| enters_call(program, act))
        });
        let fence = text.bytes().all(|byte| byte == b'`');
        if call && !fence && !self.candidate_noted {
            self.candidate_noted = true;
            let span = Span::new(self.candidate, end);
            if self.candidate_in_code {
                let message = format!("`{text}` stands in quoted code: it is text, not a call");
                let help = String::from(
                    "write the call outside of backticks, fences, block quotes and comments",
                );
                self.teller
                    .note(Code::QuotedCall, span, message, Some(help), sink);
            } else {
                let message = format!("`{text}` stands in reasoning: it is not read as a call");
                self.teller.note(
                    Code::ReasoningCall,
                    span,
                    message,
                    Some(String::from("end the reasoning before the call")),
                    sink,
                );
            }
        }
        true
    }

    fn is_spelled_marker(&self, view: View<'_>, end: u64) -> bool {
        if self.special_spellings.is_empty() || self.special_at(self.candidate) {
            return false;
        }
        let text = view.slice(self.candidate, end);
        self.special_spellings
            .iter()
            .any(|spelling| text.starts_with(spelling.as_str()))
    }

    /// Placeholders and unknown names where only the name marks a call.
    fn remark_names(&mut self, _program: &Program, view: View<'_>, sink: &mut dyn Sink) {
        if let (Some((start, end)), false) = (self.found.placeholder.take(), self.quoted) {
            let text: String = view.slice(start, end).into();
            let message = format!("`{text}` is a placeholder, not the name of a tool");
            let help = String::from("write the tool's own name in its place");
            self.teller.note(
                Code::PlaceholderTag,
                Span::new(start, end),
                message,
                Some(help),
                sink,
            );
            self.candidate_noted = true;
        }
    }

    /// Whether a thread stands in a name that is known as far as it was read (`<read_file path=..>`).
    fn stands_in_known_name(program: &Program, thread: &Thread, view: View<'_>, at: u64) -> bool {
        let Node::Capture(capture) = program.node(thread.node) else {
            return false;
        };
        let known = &program.dialect_of(thread.node).names;
        capture.what == Capture::Name
            && thread.since <= at
            && known.contains(view.slice(thread.since, at))
    }

    /// A candidate with a call's marker turned out to be none: say why.
    pub(super) fn explain_rejection(
        &mut self,
        program: &Program,
        view: View<'_>,
        at: u64,
        sink: &mut dyn Sink,
    ) {
        if self.candidate_noted || self.quoted {
            return;
        }
        // A marker was read, or a known tool's name where only the name marks the call; a rule for one tool is no marker.
        let named = |thread: &&Thread| {
            self.log
                .newest(thread.log, self.flushed, Capture::Name)
                .is_some()
                || Parser::stands_in_known_name(program, thread, view, at)
        };
        let fixed = |thread: &&Thread| {
            self.log
                .any(Log::ROOT, thread.log, |act| enters_tool(program, act))
        };
        let enters = |thread: &&Thread| {
            self.log.any(Log::ROOT, thread.log, |act| {
                enters_call(program, act) || matches!(act, Act::Enter(_))
            }) || thread.marked
        };
        let marked: Vec<&Thread> = self
            .threads
            .iter()
            .filter(|t| !t.extra && (t.marked || named(t)) && !fixed(t) && enters(t))
            .collect();
        if marked.is_empty()
            || marked
                .iter()
                .any(|thread| program.node_dialect[thread.node as usize] == program.wrap)
        {
            return;
        }
        let dialect = &program.dialect_of(marked[0].node).name;
        let wants: Vec<String> = marked
            .iter()
            .filter_map(|thread| wanted(program, thread))
            .take(4)
            .collect();
        let named = marked.iter().any(named);
        let json = marked.iter().any(|thread| {
            matches!(
                program.node(thread.node),
                Node::Object(_) | Node::Json { .. }
            )
        });
        let code = match (named, json) {
            (false, true) => Code::MalformedJson,
            (false, false) => Code::MissingToolName,
            _ => Code::NotACall,
        };
        let opener: String = view
            .slice(self.candidate, self.safe.max(self.candidate))
            .trim_end()
            .chars()
            .take(40)
            .collect();
        let message = match code {
            Code::MalformedJson => {
                format!("`{opener}` opens a call of `{dialect}`, but no JSON object follows")
            }
            Code::MissingToolName => {
                format!("`{opener}` opens a call of `{dialect}`, but no tool name follows")
            }
            _ => format!("`{opener}` opens a call of `{dialect}`, but what follows is none"),
        };
        let help = (!wants.is_empty()).then(|| format!("expected {}", wants.join(" or ")));
        self.teller
            .note(code, Span::new(self.candidate, at), message, help, sink);
        self.candidate_noted = true;
    }
}

fn enters_tool(program: &Program, act: Act) -> bool {
    matches!(act, Act::Enter(node) if matches!(program.node(node), Node::Enter { tool: Some(_), .. }))
}

fn enters_call(program: &Program, act: Act) -> bool {
    matches!(act, Act::Enter(node) if matches!(program.node(node), Node::Enter { role: RuleRole::Call, .. }))
}

/// A literal that a broken entry can be found again at.
fn is_anchor(program: &Program, thread: &Thread) -> bool {
    match program.node(thread.node) {
        Node::Literal { bytes, .. } => bytes.len() >= 3,
        Node::Template { .. } => true,
        _ => false,
    }
}

/// What a thread waits for, for a help text.
fn wanted(program: &Program, thread: &Thread) -> Option<String> {
    match program.node(thread.node) {
        Node::Literal { bytes, .. } => Some(format!(
            "`{}`",
            core::str::from_utf8(bytes).ok()?.escape_debug()
        )),
        Node::Object(_) | Node::Json { .. } => Some(String::from("a JSON object")),
        Node::Capture(capture) if capture.what == Capture::Name => {
            Some(String::from("a tool's name"))
        }
        _ => None,
    }
}
