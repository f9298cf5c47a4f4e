//! Running a Python call up to its arguments, which are JSON's from there on.

use alloc::boxed::Box;
use alloc::sync::Arc;

use toolglot_json::Root;

use super::thread::Thread;
use super::view::View;
use super::{Mode, Parser};
use crate::body::{JsonBody, Python, PythonStep};
use crate::program::{Node, Program};
use crate::{Code, Sink, Span};

impl Parser {
    pub(super) fn python(
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
                    let mut name = view
                        .slice(python.name_at, python.name_end)
                        .replace("\\_", "_");
                    let meant = program.tools.meant(&name);
                    let n_space = meant.map_or(0, |(_, n_space)| n_space);
                    let known = meant.map(|(tool, _)| tool);
                    let name_at = python.name_at + n_space as u64;
                    name.drain(..n_space);
                    let positions = known.map(|tool| Arc::clone(program.tools.keys(tool)));
                    let positions = positions.unwrap_or_default();
                    if step == PythonStep::Positional && positions.is_empty() {
                        return self.dead_python(program, view, sink);
                    }
                    let body = self.threads.first().copied();
                    let marked = body.is_some_and(|body| body.marked);
                    let assigned = python.is_assigned();
                    // Code assigns much that is no tool's; a call as it stands is what the wrapper reads by itself.
                    let reads_lines = program.dialect_of(python.node).reads_lines;
                    if (assigned && known.is_none())
                        || (!assigned && reads_lines && self.may_wrap(program))
                    {
                        return self.dead_python(program, view, sink);
                    }
                    if !marked && known.is_none() && self.is_in_prose() {
                        // Prose and code hold brackets, and words with brackets: `see [note(1)]`, `x = [f(1)]`.
                        return self.dead_python(program, view, sink);
                    }
                    if !marked && known.is_none() && !program.tools.is_empty() && !self.weighs {
                        let message = alloc::format!(
                            "no tool is called `{name}`; without a marker it is no call"
                        );
                        self.teller.note(
                            Code::UnknownTool,
                            Span::new(python.name_at, python.name_end),
                            message,
                            None,
                            sink,
                        );
                        return self.dead_python(program, view, sink);
                    }
                    if !marked && self.needs_marker() {
                        // Answers that run on hold code of all kinds, and calls of tools that nobody asked for.
                        let (code, at) = (Code::QuotedCall, (name_at, python.name_end));
                        let message =
                            "behind the fence that was the answer a call of Python is text";
                        self.remark_at_name(code, at, message.into(), view, sink);
                        return self.dead_python(program, view, sink);
                    }
                    let Some(body) = body else {
                        return self.dead_python(program, view, sink);
                    };
                    if !self.commit(program, view, sink) {
                        return true;
                    }
                    self.threads.clear();
                    self.flush(program, view, body.log, python.at, sink);
                    let at = Span::new(name_at, python.name_end);
                    if let Some(call) = &mut self.teller.call {
                        call.name.clone_from(&name);
                        call.name_at = at;
                        call.tool = known;
                        call.bare = !marked;
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
                    let before = (python.at > view.base)
                        .then(|| view.byte(python.at - 1))
                        .flatten();
                    // In a string of JSON its marks are escaped.
                    let is_in_json = before == Some(b'"');
                    let mut body = JsonBody::new(
                        python.node,
                        Root::Keywords,
                        is_in_json.then_some("\\\""),
                        &Arc::default(),
                        &Arc::default(),
                    );
                    let is_within =
                        python.name_at > view.base && view.byte(python.name_at - 1) == Some(b'(');
                    body.json = body
                        .json
                        .with_positions(positions)
                        .within_brackets(is_within);
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
        let may_end = self.fallback.is_some() && !self.fallback_bodies.is_empty();
        if self.committed && !may_end {
            self.safe_threads
                .retain(|thread| !matches!(program.node(thread.node), Node::Py { .. }));
            self.recover(program, view, self.pos, false, sink);
        } else if let Some(at) = self.fallback.take_if(|_| !self.fallback_bodies.is_empty()) {
            // The line of a fence that only wraps what follows.
            self.pos = at;
            self.found.bodies.clear();
            self.found.bodies.append(&mut self.fallback_bodies);
            self.win(program, view, sink);
        } else {
            self.reject(self.pos);
        }
        true
    }

    /// Whether the candidate stands in the midst of a sentence.
    fn is_in_prose(&self) -> bool {
        let last = self.teller.last_solid;
        let goes_on =
            last.is_ascii_alphanumeric() || last >= 0x80 || b",;()]=#[{+-/&|<\\@$%".contains(&last);
        goes_on && !self.committed && !self.bol
    }

    /// Whether the candidate ends before the call if that is none: with the line of a wrapper fence.
    fn may_wrap(&self, program: &Program) -> bool {
        let is_over = |body: &Thread| matches!(program.node(body.node), Node::Match);
        !self.committed && self.fallback_bodies.first().is_some_and(is_over)
    }
}
