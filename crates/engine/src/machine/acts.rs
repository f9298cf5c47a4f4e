//! Executes the acts that all threads agree on: a call starts, gets its name and its arguments, and ends.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::attributes::attribute_text;
use super::closer_lookahead::leaves_call;
use super::emitter::OpenCall;
use super::log::{Act, LogId};
use super::view::View;
use super::{Channel, Context, Parser};
use toolglot_json::Shape;
use toolglot_json::internal::quoted;

use super::typing::{plain_json, typed, untyped};
use crate::body::decoded;
use crate::grammar::Capture;
use crate::program::{CompiledDialect, Node, RuleRole};
use crate::tools::unwritten_values;
use crate::{Code, End, Place, Recovery, Sink, Span};

impl Parser {
    /// Commits the candidate: none of its bytes become text again. Returns `false` where the candidate is in quoted
    /// code or in reasoning and is rejected, or waits for the end of the reasoning. `name` is the call's name if no
    /// thread captured it.
    #[must_use]
    pub(super) fn commit(
        &mut self,
        view: View<'_>,
        name: Option<&str>,
        sink: &mut dyn Sink,
    ) -> bool {
        if self.candidate.committed {
            return true;
        }
        if !self.may_count_in_code(view, name, sink) || !self.may_count() {
            return false;
        }
        self.candidate.committed = true;
        self.candidate
            .entry
            .read(view.slice(self.candidate.at, self.pos));
        let is_reasoning = self.context.channel == Channel::Reasoning;
        let adjoins = self.adjoins_reasoning();
        self.reasoning.is_ended_by_entry = is_reasoning || adjoins;
        let by_sync_point = self.decided().is_some_and(|thread| thread.extra);
        self.emit_text(view, self.candidate.at, sink);
        self.emitter.reasoning_is_over |= by_sync_point && is_reasoning;
        if !adjoins {
            self.reasoning.interrupted = None;
        }
        if by_sync_point || self.context.open_ended || is_reasoning && self.enters_call() {
            let context = core::mem::take(&mut self.context);
            if is_reasoning {
                self.interrupt(context);
            }
        } else if self.context.sync {
            // The entry ends the open call of a broken entry.
            self.context = Context::default();
            let at = self.candidate.at;
            self.emitter.end_call(End::Recovered, view, at, sink);
        }
        true
    }

    /// Executes the acts up to `to`. If an argument emits the call's head, the bytes up to `upto` become markup.
    pub(super) fn flush(&mut self, view: View<'_>, to: LogId, upto: u64, sink: &mut dyn Sink) {
        let mut acts = core::mem::take(&mut self.spare.acts);
        self.set.log.acts(self.set.flushed, to, &mut acts);
        self.set.flushed = to;
        for (n, &(act, pos)) in acts.iter().enumerate() {
            let type_at = self.set.registers.type_at.take();
            match act {
                Act::Enter(node) => self.enter(view, node, pos, sink),
                Act::Captured { what, at } => {
                    match what {
                        Capture::Type => self.set.registers.type_at = Some(at),
                        Capture::Any => self.skip_element(view, type_at, at, sink),
                        _ => {}
                    }
                    self.captured(view, what, at, sink);
                }
                Act::Argument { node, index, at } => {
                    // The name may come after the first argument.
                    let call = self.emitter.call.as_ref();
                    let is_nameless = call.is_some_and(OpenCall::is_nameless);
                    let name = acts[n..].iter().find(|(act, _)| act.is_name());
                    if let (Some(&(Act::Captured { what, at }, _)), true) = (name, is_nameless) {
                        self.captured(view, what, at, sink);
                    }
                    self.argument(view, (node, index), at, upto, sink);
                }
                Act::Supplied(at) => self.supplied(at, sink),
                Act::Exit(node) if leaves_call(view.program, act) => {
                    self.add_empty(view.program.dialect_of(node), sink);
                    let mut later = acts[n + 1..].iter();
                    let is_last = !later.any(|&(act, _)| leaves_call(view.program, act));
                    self.end_call(view, pos, is_last, sink);
                }
                Act::Exit(_) => {}
                Act::Flag(value) => self.emitter.set_flag(value),
            }
        }
        self.spare.acts = acts;
    }

    pub(super) fn enter(&mut self, view: View<'_>, node: u32, pos: u64, sink: &mut dyn Sink) {
        let Node::Enter {
            role: RuleRole::Call,
            tool,
            ..
        } = view.program.node(node)
        else {
            return;
        };
        self.emitter.end_call(End::Recovered, view, pos, sink);
        let place = match self.candidate.is_in_code {
            _ if self.reasoning.is_ended_by_entry => Place::Reasoning,
            true => Place::Code,
            false => Place::Answer,
        };
        if let Some(interrupted) = &mut self.reasoning.interrupted {
            interrupted.called = true;
        }
        let dialect = view.program.dialect_of(node);
        let mut call = OpenCall::new(&dialect.name, place, pos);
        call.has_flags = dialect.has_flags;
        call.facts.is_list_item = self.candidate.entry.is_list_item;
        call.facts.is_in_broken_list = self.candidate.entry.is_in_broken_list;
        call.facts.follows_missing_closer = self.emitter.missing_closer;
        call.facts.starts_line = self.candidate.bol;
        call.facts.is_in_later_fence = self.candidate.is_wrapped;
        for what in [Capture::Id, Capture::Server] {
            self.set.registers.set(what, "");
        }
        if let Some(tool) = tool {
            call.name = String::from(&**tool);
            call.tool = view.program.tools.find(tool);
        }
        self.emitter.call = Some(call);
    }

    pub(super) fn captured(
        &mut self,
        view: View<'_>,
        what: Capture,
        at: Span,
        sink: &mut dyn Sink,
    ) {
        let program = view.program;
        let mut text = Cow::Borrowed(view.at(at));
        let decodes = |dialect: &CompiledDialect| dialect.values.entities_in_attrs;
        if let Some(call) = &self.emitter.call
            && text.contains('&')
            && program.dialect_named(&call.dialect).is_some_and(decodes)
        {
            text = decoded(view.at(at));
        }
        let open = self.emitter.call.as_mut().filter(|call| !call.started);
        match (what, open) {
            (Capture::Name, Some(_)) => {
                let (tool, n_space) = program.tools.meant(&text).unzip();
                let n_space = n_space.unwrap_or(0);
                let name_at = Span::new(at.start + n_space as u64, at.end);
                self.name_call(text[n_space..].into(), name_at, tool, sink);
            }
            (Capture::Id, Some(call)) => {
                let dialect = program.dialect_named(&call.dialect);
                let spelt = dialect.and_then(|dialect| dialect.id.as_ref());
                call.written_id = Some(spelt.map_or_else(
                    || text.clone().into_owned(),
                    |spelt| {
                        let spelt = as_it_stands(spelt, view, call.name_at.start);
                        spelt.replace("{name}", &call.name).replace("{id}", &text)
                    },
                ));
            }
            (Capture::Server, Some(call)) => {
                call.server = (!text.is_empty()).then(|| text.clone().into_owned());
            }
            (Capture::Key, _) => {
                self.set.registers.key_at = at;
                self.emitter.end_flag(view, sink);
                if let Some(call) = self.emitter.call.as_mut().filter(|call| call.has_flags) {
                    let fields = { call.tool }.map(|tool| &program.tools.tool(tool).parameters);
                    let values = unwritten_values(fields.and_then(|fields| fields.get(&text)));
                    call.flag = Some((String::from(&*text), at, values));
                }
            }
            (Capture::Server, None) => return self.late_server(&text, at, sink),
            (Capture::Id, None) => return self.emitter.late_id(&text, sink),
            (Capture::Name, None) | (Capture::Type | Capture::Any | Capture::Length, _) => {}
        }
        self.set.registers.set(what, &text);
    }

    /// Sets the open call's name, which is at `at`, and the tool that the name means.
    pub(super) fn name_call(
        &mut self,
        name: String,
        at: Span,
        tool: Option<usize>,
        sink: &mut dyn Sink,
    ) {
        if tool.is_none() && !self.program.tools.is_empty() {
            let message = format!("unknown tool `{name}`");
            self.note(Code::UnknownTool, at, message, sink);
        }
        if let Some(call) = &mut self.emitter.call {
            (call.name, call.name_at, call.tool) = (name, at, tool);
        }
    }

    /// The call's name space comes after the arguments: the head was emitted without this name space, or with another.
    fn late_server(&mut self, text: &str, at: Span, sink: &mut dyn Sink) {
        let other = |call: &OpenCall| !text.is_empty() && call.server.as_deref() != Some(text);
        if self.emitter.call.as_ref().is_some_and(other) {
            self.recovered(Recovery::LateServer, at, text, sink);
        }
    }

    /// The closer after the name is missing or misspelt.
    fn supplied(&mut self, at: Span, sink: &mut dyn Sink) {
        let recovery = if at.start == at.end {
            Recovery::NameCloser
        } else {
            Recovery::MisspeltNameCloser
        };
        self.recovered(recovery, at, "", sink);
    }

    /// Emits a note for a skipped element, if a `type` was captured right before the skipped bytes. After the name, an
    /// element that is not empty may be a lost argument: the call is then recovered.
    fn skip_element(
        &mut self,
        view: View<'_>,
        type_at: Option<Span>,
        skipped: Span,
        sink: &mut dyn Sink,
    ) {
        let (Some(at), Some(call)) = (type_at, &mut self.emitter.call) else {
            return;
        };
        if !call.name.is_empty() && skipped.start < skipped.end {
            call.worsen(End::Recovered);
        }
        self.recovered(Recovery::UnknownElement, at, view.at(at), sink);
    }

    /// Writes an argument that an attribute or a capture holds (`<write_file path="..">`).
    pub(super) fn argument(
        &mut self,
        view: View<'_>,
        (node, index): (u32, u8),
        at: Span,
        upto: u64,
        sink: &mut dyn Sink,
    ) {
        let program = view.program;
        let key = match program.node(node) {
            Node::Capture(capture) => capture.argument.as_deref(),
            Node::Attrs(attrs) => attrs.attributes[usize::from(index)].named(),
            _ => None,
        };
        let key = key.unwrap_or_else(|| attribute_name(view, at.start));
        let text = attribute_text(program, node, view.at(at));
        self.emitter.start_call(view, upto, sink);
        self.emitter.start_key(key, at, sink);
        let shape = self.parameters(program).and_then(|fields| fields.get(key));
        let values = &program.dialect_of(node).values;
        let nested = plain_json(&text).filter(|json| json.starts_with(['[', '{']));
        let (json, remark) = match (shape, nested) {
            (None, _) => untyped(&text, values),
            (Some(Shape::Text), _) => (Cow::Owned(quoted(&text)), None),
            (_, Some(json)) => (Cow::Borrowed(json), None),
            (Some(shape), None) => typed(&text, shape, values),
        };
        self.emitter.args().push_str(&json);
        if let Some((code, message)) = remark {
            self.note(code, at, message, sink);
        }
    }

    /// Adds the arguments that the dialect declares empty, if a call of a rule for one tool lacks them.
    fn add_empty(&mut self, dialect: &CompiledDialect, sink: &mut dyn Sink) {
        for named in &dialect.empty {
            let lacks = |call: &OpenCall| {
                let key = named.strip_prefix(&call.name)?.strip_prefix('.')?;
                let is_fixed = call.name_at.is_empty() && call.opened;
                (is_fixed && !call.has_key(key)).then_some(key)
            };
            if let Some(key) = self.emitter.call.as_ref().and_then(lacks) {
                self.emitter.key(key);
                self.emitter.args().push_str("\"\"");
                let at = self.emitter.cursor;
                self.emitter.flush_args(at, sink);
            }
        }
    }
}

/// The name of the attribute whose value starts at `start`.
fn attribute_name(view: View<'_>, start: u64) -> &str {
    let before = view.slice(view.base, start).trim_end_matches(['"', '\'']);
    let before = before.trim_end().trim_end_matches('=').trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
    &before[before.trim_end_matches(is_name).len()..]
}

/// The spelling of an id. Its prefix before `{name}` is left out unless the text has that prefix before the name.
fn as_it_stands<'s>(spelling: &'s str, view: View<'_>, name_at: u64) -> &'s str {
    let Some((before, _)) = spelling.split_once("{name}") else {
        return spelling;
    };
    let start = name_at.saturating_sub(before.len() as u64);
    if start >= view.base && view.bytes(start, name_at) == before.as_bytes() {
        spelling
    } else {
        &spelling[before.len()..]
    }
}
