//! Reads a Python call up to its arguments, which the JSON transducer reads.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use toolglot_json::Root;

use super::line_tail::byte_before;
use super::log::{Act, Log};
use super::thread::Thread;
use super::view::View;
use super::{Mode, Parser};
use crate::body::{JsonBody, Python, PythonStep, SkipStep, SkippedCall};
use crate::program::{Node, Program};
use crate::vocabulary::CONTINUATIONS;
use crate::{Code, Sink, Span};

/// The name of a Python call.
struct Named {
    /// The name without a name space that no tool has; `n_space` is that prefix's length in bytes.
    name: String,
    n_space: usize,
    /// The tool that the name means.
    tool: Option<usize>,
}

/// What a possible Python call is.
enum PythonKind {
    Call(Named),
    /// Only the name could show that this is a call, and no tool has that name.
    Unknown,
    Text,
}

impl Parser {
    pub(super) fn python(
        &mut self,
        mut python: Box<Python>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let program = view.program;
        while let Some(byte) = view.byte(self.pos) {
            self.set.found.work += 1;
            if let Some(skipped) = &mut python.skipped {
                let is_long = self.pos - self.candidate.at > program.limits.undecided as u64;
                match skipped.step(byte) {
                    SkipStep::More if !is_long => self.pos += 1,
                    SkipStep::Name if !is_long => {
                        *python = Python::new(python.body, self.pos);
                        python.has_skipped = true;
                    }
                    _ => return self.reject_python(view, sink),
                }
                continue;
            }
            let longest = 2 * program.limits.capture as u64 + program.limits.blanks as u64;
            match python.step(byte, self.pos) {
                _ if self.pos - python.at > longest => return self.reject_python(view, sink),
                PythonStep::More => self.pos += 1,
                step @ (PythonStep::Call | PythonStep::Positional) => {
                    match self.decide_python(&python, step, view, sink) {
                        PythonKind::Call(named) => {
                            self.start_python(&python, named, view, sink);
                            return true;
                        }
                        PythonKind::Unknown => {
                            // After an unknown call, one of a known tool may follow.
                            self.pos = python.arguments;
                            python.skipped = Some(SkippedCall::new());
                        }
                        PythonKind::Text => return self.reject_python(view, sink),
                    }
                }
                PythonStep::Dead => return self.reject_python(view, sink),
            }
        }
        self.wait_in(Mode::Python(python))
    }

    /// Decides what a possible Python call is.
    fn decide_python(
        &mut self,
        python: &Python,
        step: PythonStep,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> PythonKind {
        let program = view.program;
        let mut name = view
            .slice(python.name_at, python.name_end)
            .replace("\\_", "_");
        let (known, n_space) = program.tools.meant(&name).unzip();
        let n_space = n_space.unwrap_or(0);
        name.drain(..n_space);
        let marked = python.body.marked;
        let is_foreign = !marked && known.is_none() && !program.tools.is_empty();
        let has_places = known.is_some_and(|tool| !program.tools.keys(tool).is_empty());
        if step == PythonStep::Positional && !has_places && !is_foreign {
            return PythonKind::Text;
        }
        let assigned = python.is_assigned();
        // Code assigns results of other functions, too. A call without assignment is left to the wrapper fence.
        let dialect = program.dialect_of(python.body.node);
        let is_no_tool = known.is_none() && (assigned || dialect.is_no_tool(&name));
        if is_no_tool || (!assigned && dialect.reads_lines && self.may_wrap(program)) {
            return PythonKind::Text;
        }
        if !marked && known.is_none() && self.is_in_prose() {
            // Prose and code contain brackets, and words with brackets: `see [note(1)]`, `x = [f(1)]`.
            return PythonKind::Text;
        }
        let at = Span::new(python.name_at, python.name_end);
        if is_foreign
            && (self.candidate.quoted || self.candidate.is_wrapped && !self.candidate.committed)
        {
            // A quotation is an example of a call if it starts with that call.
            if self.candidate.start && step == PythonStep::Call {
                self.remark_quoted(&name, at, sink);
            }
            return PythonKind::Text;
        }
        // An unknown call in reasoning is held like any call, and decided again if the reasoning never ends.
        if is_foreign && !self.candidate.is_undecided {
            let message =
                alloc::format!("unknown tool `{name}`; without a marker it is not a call");
            self.note(Code::UnknownTool, at, message, sink);
            return PythonKind::Unknown;
        }
        if !marked && self.needs_marker() {
            // Answers that do not stop contain code of all kinds, and calls of tools that nobody asked for.
            let at = (python.name_at + n_space as u64, python.name_end);
            let message = "after the fence that was the answer, a Python call is text";
            self.remark_at_name(Code::QuotedCall, at, message.into(), view, sink);
            return PythonKind::Text;
        }
        PythonKind::Call(Named {
            name,
            n_space,
            tool: known,
        })
    }

    /// Starts the call and its arguments.
    fn start_python(&mut self, python: &Python, named: Named, view: View<'_>, sink: &mut dyn Sink) {
        let program = view.program;
        let mut body = python.body;
        if python.has_skipped {
            body = self.start_after_unknown(body, python.at);
            self.leave_only(body);
        }
        if !self.commit(view, Some(&named.name), sink) {
            return;
        }
        self.set.threads.clear();
        self.flush(view, body.log, python.at, sink);
        let at = Span::new(python.name_at + named.n_space as u64, python.name_end);
        self.name_call(named.name, at, named.tool, sink);
        if let Some(call) = &mut self.emitter.call {
            call.awaits_tail = self.candidate.entry.is_bare(!body.marked);
            call.facts.is_bare = call.awaits_tail;
            call.facts.follows_word = self.candidate.entry.follows_word;
            call.facts.is_enclosed = self.candidate.entry.is_enclosed;
        }
        if !body.marked {
            self.candidate.entry.bare_body = Some(body.node);
        }

        if program.dialect_of(body.node).reads_lines {
            self.emitter.line_calls += 1;
        }
        self.emitter.start_call(view, python.arguments, sink);
        self.emitter.markup(view, python.arguments, sink);
        self.start_fitting(program, python.arguments);
        self.fit_args(program, "{");
        self.pos = python.arguments;
        // Within a string, the quotes of the call's strings are escaped.
        let quote = match byte_before(view, python.at) {
            Some(b'"') => Some("\\\""),
            Some(b'\'') => Some("\\'"),
            _ => None,
        };
        let nothing = Arc::default();
        let mut arguments = JsonBody::new(body.node, Root::Keywords, quote, &nothing, &nothing);
        let is_within = byte_before(view, python.name_at) == Some(b'(');
        let positions = named.tool.map(|tool| Arc::clone(program.tools.keys(tool)));
        let json = { arguments.json }.with_positions(positions.unwrap_or_default());
        arguments.json = json.within_brackets(is_within);
        self.mode = Mode::Json(Box::new(arguments));
    }

    /// Moves the candidate to the call at `at`, the first of its list whose tool is known; text precedes that call.
    fn start_after_unknown(&mut self, body: Thread, at: u64) -> Thread {
        let mut acts = core::mem::take(&mut self.spare.acts);
        self.set.log.acts(Log::ROOT, body.log, &mut acts);
        self.set.log.clear();
        let enters = acts.iter().filter(|(act, _)| matches!(act, Act::Enter(_)));
        let log = enters.fold(Log::ROOT, |log, &(act, _)| self.set.log.push(log, act, at));
        self.spare.acts = acts;
        self.candidate.forget_fallback();
        (self.candidate.at, self.candidate.checkpoint) = (at, at);
        self.candidate.entry.is_in_broken_list = true;
        Thread { log, ..body }
    }

    pub(super) fn reject_python(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        if let Some(at) = self.candidate.fallback.take() {
            // Back to the line of a fence that only wraps what follows.
            self.fall_back(at, view, sink);
        } else if self.candidate.committed {
            self.candidate
                .checkpoint_threads
                .retain(|thread| !matches!(view.program.node(thread.node), Node::Py { .. }));
            self.recover(view, self.pos, false, sink);
        } else {
            self.reject(self.pos);
        }
        true
    }

    /// Whether the candidate is in the middle of a sentence or of code, as in an attribute or a macro (`#![f(1)]`).
    fn is_in_prose(&self) -> bool {
        let last = self.emitter.last_solid;
        let joins = last.is_ascii_alphanumeric() || last >= 0x80 || CONTINUATIONS.contains(&last);
        let joins = joins || self.emitter.last == b'!';
        joins && !self.candidate.committed && (!self.candidate.bol || b"=([{".contains(&last))
    }

    /// Whether the candidate may end before the call, with the line of a wrapper fence.
    fn may_wrap(&self, program: &Program) -> bool {
        !self.candidate.committed && self.candidate.fallback_end(program).is_some()
    }
}
