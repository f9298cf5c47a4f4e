//! Runs JSON bodies and element bodies, and continues after the end of any body.

use alloc::boxed::Box;
use alloc::string::String;

use toolglot_json::{Completeness, Step};

use super::emitter::Channel;
use super::log::Log;
use super::thread::{Thread, any_ends};
use super::view::View;
use super::{Mode, Parser};
use crate::body::{JsonBody, Xml, XmlOut};
use crate::program::{Node, NodeId, Program};
use crate::{Arguments, Code, End, Recovery, Sink, Span, Tail};

impl Parser {
    /// The end of the bytes that argument text accounts for.
    pub(super) fn body_emitted(&self) -> u64 {
        match &self.mode {
            Mode::Json(body) => body.json.held_from().unwrap_or(self.pos),
            Mode::Xml(xml) => xml.pos,
            Mode::Envelope(envelope)
                if envelope.committed && envelope.in_args() && envelope.args.at.is_some() =>
            {
                envelope.here()
            }
            _ => self.emitter.cursor,
        }
    }

    pub(super) fn json(
        &mut self,
        mut body: Box<JsonBody>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let step = loop {
            let end = self.json_piece(&mut body, view);
            let rest = view.slice(self.pos, end);
            let is_fitting = self.fitting.is_on();
            if !is_fitting {
                core::mem::swap(self.emitter.args(), &mut body.out.text);
            }
            let (used, step) = body.feed(rest, self.pos);
            if !is_fitting {
                core::mem::swap(self.emitter.args(), &mut body.out.text);
            }
            self.fit_body(view.program, &mut body, sink);
            self.set.found.work += used as u64;
            self.pos += used as u64;
            if step == Step::More && self.pos == end && end < view.end() {
                continue;
            }
            if step != Step::String {
                break step;
            }
            let (at, rest) = (self.pos, &rest[used..]);
            let run = body.string_run(rest);
            if self.emit_inside(rest, run, sink) {
                body.json.pass(&rest[..run.length], at);
            }
        };
        match step {
            Step::Done => {
                self.pos = view.char_start(body.json.held_from().unwrap_or(self.pos));
                self.whole();
                self.end_body(view, body.node, sink);
                true
            }
            Step::Stuck => {
                self.stuck_json(body, view, sink);
                true
            }
            _ => self.wait_in(Mode::Json(body)),
        }
    }

    /// The end of the next piece of JSON. Where special tokens quote the strings, a piece is all plain letters or all
    /// tokens, and `set_plain` records which.
    fn json_piece(&self, body: &mut JsonBody, view: View<'_>) -> u64 {
        let Node::Json { quotes, .. } = view.program.node(body.node) else {
            return view.end();
        };
        let mut quotes = quotes.iter();
        if !quotes.any(|quote| self.tokens.counts_only_as_one(quote)) {
            return view.end();
        }
        body.json.set_plain(!self.tokens.is_at(self.pos));
        self.tokens.next_edge(self.pos, view.end())
    }

    /// Fits the text that the body wrote, and emits notes for the repairs of the body.
    pub(super) fn fit_body(&mut self, program: &Program, body: &mut JsonBody, sink: &mut dyn Sink) {
        if !body.out.text.is_empty() {
            self.fit_args(program, &body.out.text);
            body.out.text.clear();
        }
        if !body.out.repairs.is_empty() {
            self.emitter.repaired(&body.out.repairs, sink);
            body.out.repairs.clear();
        }
    }

    /// The next byte fits no JSON: the arguments may still be whole except for their closing brackets.
    pub(super) fn stuck_json(
        &mut self,
        mut body: Box<JsonBody>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let end = view.char_start(body.json.held_from().unwrap_or(self.pos));
        self.pos = end.max(self.emitter.cursor);
        let rest = body.json.finish(true, self.pos, &mut body.out);
        body.place(self.pos);
        self.fit_body(view.program, &mut body, sink);
        if rest == Completeness::Broken {
            self.malformed(view, body.node, sink);
        } else {
            self.whole();
            self.end_body(view, body.node, sink);
        }
    }

    pub(super) fn whole(&mut self) {
        if let Some(call) = &mut self.emitter.call {
            call.whole = true;
            call.opened = true;
        }
    }

    /// A body ended at `pos`: emits its arguments, and continues with what follows the body.
    pub(super) fn end_body(&mut self, view: View<'_>, node: NodeId, sink: &mut dyn Sink) {
        let at = self.pos;
        self.end_fitting(view.program, true);
        self.emitter.flush_args(at, sink);
        let is_python = matches!(view.program.node(node), Node::Py { .. });
        if is_python && self.waits_for_line(view) {
            return self.start_tail(node);
        }
        let words_before = self.candidate.entry.words_before;
        if let Some(call) = &mut self.emitter.call {
            call.text_end = at;
            match view.program.node(node) {
                Node::Py { .. } if at < words_before => call.facts.tail = Tail::Words,
                Node::Json { .. } | Node::Object(_) => call.json_end = Some(at),
                _ => {}
            }
            if is_python && at == call.name_at.end + 2 {
                call.facts.arguments = Arguments::Empty;
            }
        }
        self.continue_after(view, node, sink);
    }

    /// Starts the set at what follows the body of `node`, which ended at `pos`.
    pub(super) fn continue_after(&mut self, view: View<'_>, node: NodeId, sink: &mut dyn Sink) {
        let at = self.pos;
        self.set.forget_log();
        let mut threads = core::mem::take(&mut self.set.threads);
        threads.clear();
        let mut thread = Thread::at(view.program.after_body(node), Log::ROOT, at);
        (thread.marked, thread.starts_line, thread.one_line) = (true, false, false);
        self.add_positions(view, thread, &[thread.node], &mut threads);
        self.set.threads = threads;
        self.resume();
        if self.match_certain(view, sink) {
            return;
        }
        if !self.awaits_tail() && !any_ends(view.program, &self.set.threads) {
            // Where the entry may end, or the call awaits the rest of its line, the next bytes decide.
            self.exit_certain(view, sink);
        }
    }

    /// Everything up to `pos` is certain: matching continues there.
    pub(super) fn resume(&mut self) {
        self.candidate.committed = true;
        self.checkpoint();
        self.candidate.forget_fallback();
        self.mode = Mode::Matching;
    }

    /// Records the current set as the checkpoint.
    pub(super) fn checkpoint(&mut self) {
        self.candidate.checkpoint = self.pos;
        let threads = &mut self.candidate.checkpoint_threads;
        threads.clone_from(&self.set.threads);
    }

    /// The arguments cannot be read: the call is truncated here, and never runs.
    pub(super) fn malformed(&mut self, view: View<'_>, node: NodeId, sink: &mut dyn Sink) {
        let at = self.pos;
        self.end_fitting(view.program, false);
        self.emitter.flush_args(at, sink);
        // Only one character: more may not have arrived.
        let found: String = view.slice(at, view.end()).chars().take(1).collect();
        self.recovered(Recovery::NoJson, Span::empty(at), &found, sink);
        self.emitter.end_call(End::Truncated, view, at, sink);
        self.end_body(view, node, sink);
        // Late closers are still markup; everything else is text.
        let threads = core::mem::take(&mut self.set.threads);
        let is_late = |thread: &Thread| view.program.node(thread.node).is_evidence();
        let late = threads.into_iter().filter(is_late);
        self.synchronize(Channel::Text, late, view.program);
        self.candidate.checkpoint_threads.clear();
        self.input.not_before = at;
    }

    pub(super) fn xml(&mut self, mut xml: Box<Xml>, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let before = xml.pos;
        let rest = view.slice(xml.pos, view.end());
        let has_ended = self.write_elements(sink, |out| {
            let has_ended = xml.feed(rest, view.eof, out);
            if has_ended {
                xml.close(out);
            }
            has_ended
        });
        self.set.found.work += xml.pos - before + 1 + core::mem::take(&mut xml.looked);
        self.pos = xml.pos;
        if !has_ended {
            return self.wait_in(Mode::Xml(xml));
        }
        self.whole();
        self.end_body(view, xml.node, sink);
        true
    }

    /// Emits what `write` makes of elements: argument text and notes.
    pub(super) fn write_elements<T>(
        &mut self,
        sink: &mut dyn Sink,
        write: impl FnOnce(&mut XmlOut) -> T,
    ) -> T {
        let mut out = XmlOut::default();
        core::mem::swap(self.emitter.args(), &mut out.json);
        let written = write(&mut out);
        core::mem::swap(self.emitter.args(), &mut out.json);
        for (code, span, message) in out.remarks {
            self.emitter.missing_closer |= code == Code::MissingCloser;
            self.note(code, span, message, sink);
        }
        self.emitter.worsen(out.end);
        written
    }
}
