//! Running a Python call up to its arguments, which are JSON's from there on.

use alloc::boxed::Box;
use alloc::sync::Arc;

use toolglot_json::Root;

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
                    let is_within = python.at > view.base && view.byte(python.at - 1) == Some(b'(');
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
        if self.committed {
            self.safe_threads
                .retain(|thread| !matches!(program.node(thread.node), Node::Py { .. }));
            self.recover(program, view, self.pos, sink);
        } else {
            self.reject(self.pos);
        }
        true
    }
}
