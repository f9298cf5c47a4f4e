//! How a raw value ends: at a confirmed end, with the message, or cut off.

use alloc::boxed::Box;

use toolglot_json::internal::escape_into;

use super::Value;
use super::write::Wrapper;
use crate::grammar::Delimiter;
use crate::machine::Parser;
use crate::machine::log::Log;
use crate::machine::thread::Thread;
use crate::machine::typing::{How, is_surely_text};
use crate::machine::view::View;
use crate::program::{Node, NodeId, TextNode};
use crate::{Recovery, Sink, Span};

impl Parser {
    /// Ends the value; the set continues after it.
    pub(super) fn end_value(
        &mut self,
        text: &TextNode,
        mut value: Box<Value>,
        end: ValueEnd,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let (at, after) = (end.at, end.after);
        if value.edge.take().is_some_and(|edge| edge.is_near_marker()) {
            let at = value.start;
            self.doubt(at, Recovery::ShortOpener, sink);
        }
        let is_unbalanced = value.writer.is_open() || value.writer.json_over;
        if value.passed_closer && value.writer.how == How::Text && is_unbalanced {
            self.doubt(value.start, Recovery::OpenBracket, sink);
        }
        let values = &view.program.dialect_of(value.node).values;
        self.write_value(view.program, &mut value, sink, |value, out| {
            if !value.overlong {
                value.settle(text, at, view, out);
            }
            if text.delimiter.keeps_break() && view.byte(at) == Some(b'\n') {
                value.writer.write_line("\n", at, out);
            }
            value.writer.close(at, values, out);
        });
        self.emitter.emit_value(&value.writer, view, sink);
        if end.recovered {
            let is_missing = matches!(after, AfterValue::Enclosing | AfterValue::Closer);
            self.emitter.missing_closer |= is_missing;
            let recovery = if is_missing {
                Recovery::ValueCloser
            } else {
                Recovery::CallClosers
            };
            self.recovered(recovery, Span::empty(at), &value.writer.key, sink);
        }
        self.set.threads.clear();
        if let AfterValue::Read { upto } = after {
            // The lookahead has read the closers, by the same step.
            core::mem::swap(&mut self.set.threads, &mut self.spare.probe.follow);
            for thread in &mut self.set.threads {
                thread.marked = true;
            }
            self.pos = upto;
            self.resume();
            self.exit_certain(view, sink);
            self.match_certain(view, sink);
        } else {
            self.read_closers(text, &value, at, after, view);
            self.resume();
        }
    }

    /// Makes the set of threads that read the closers: from the end of the value's text, or from `at`.
    fn read_closers(
        &mut self,
        text: &TextNode,
        value: &Value,
        at: u64,
        after: AfterValue,
        view: View<'_>,
    ) {
        self.set.forget_log();
        let from = match after {
            AfterValue::Value => value.writer.emitted,
            _ => at,
        };
        let mut threads = core::mem::take(&mut self.set.threads);
        let mut thread = Thread::at(text.next, Log::ROOT, from);
        (thread.starts_line, thread.one_line) = (value.line_blank, value.one_line);
        thread.marked = true;
        let past_closers: alloc::vec::Vec<NodeId>;
        let nodes = match after {
            AfterValue::Value | AfterValue::Read { .. } => core::slice::from_ref(&text.next),
            AfterValue::Enclosing => &text.enclosing,
            AfterValue::Closer => {
                past_closers = self.past_closers(text, view);
                &past_closers
            }
        };
        self.add_positions(view, thread, nodes, &mut threads);
        if at == value.start {
            self.add_after_break(view, text, &mut threads);
        }
        self.set.threads = threads;
        self.pos = from;
    }

    /// Whether the message's end ends the value: the rule allows that end, or the closer is a stop string. Otherwise
    /// the message's end cuts off the value, as it does with an empty value of several lines.
    pub(in crate::machine) fn ends_with_message(value: &Value, view: View<'_>) -> bool {
        let is_written =
            value.start < view.base || !view.slice(value.start, view.end()).trim().is_empty();
        let is_due = |text: &TextNode| text.stop_string || view.program.ends_message(text.follow);
        value.counted.is_none()
            && matches!(view.program.node(value.node), Node::Text(text) if is_due(text) && (is_written || text.delimiter == Delimiter::Line))
    }

    /// Ends the value at the message's end.
    pub(in crate::machine) fn close_value(
        &mut self,
        mut value: Box<Value>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        let Node::Text(text) = view.program.node(value.node) else {
            return;
        };
        value.probe = None;
        // The start of a stop string is not text.
        let at = if text.stop_string {
            value.scan
        } else {
            view.end()
        };
        self.advance(text, &mut value, at, view, sink);
        self.end_value(text, value, ValueEnd::at(at), view, sink);
    }

    /// The message ends inside the value: emits what was read, and leaves the string open.
    pub(in crate::machine) fn truncate_value(
        &mut self,
        mut value: Box<Value>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) {
        value.probe = None;
        if let Wrapper::Maybe | Wrapper::Text = value.writer.wrapper {
            value.writer.wrapper = Wrapper::No;
            self.emitter.key(&value.writer.key);
        }
        // Held blanks may be trimmed, and an incomplete number, word or JSON is no value yet: both stay out.
        let is_held = !value.writer.wrote && value.writer.json.is_none();
        if is_held && is_surely_text(&value.writer.how, &value.writer.held) {
            // Show what arrived: a prefix of a string.
            let held = match value.writer.how {
                How::Infer => value.writer.held.trim(),
                _ => value.writer.held.trim_end(),
            };
            self.emitter.args().push('"');
            escape_into(self.emitter.args(), held);
        }
        if !value.writer.dropped {
            self.emitter.flush_args(value.writer.emitted, sink);
        }
        self.emitter.markup(view, view.end(), sink);
    }
}

/// How a value ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct ValueEnd {
    /// The value ends before this position.
    pub(in crate::machine) at: u64,
    /// A closer is missing.
    pub(in crate::machine) recovered: bool,
    pub(in crate::machine) after: AfterValue,
}

impl ValueEnd {
    /// The end before the closer at `at`.
    pub(super) fn at(at: u64) -> ValueEnd {
        ValueEnd {
            at,
            recovered: false,
            after: AfterValue::Value,
        }
    }
}

/// Where the reading continues when a value has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum AfterValue {
    /// After the value: at its closer.
    Value,
    /// At `upto`, after the bytes that confirmed the closer: the call ends or the next value may start there. The set
    /// of threads for that place is in the probe.
    Read { upto: u64 },
    /// At an enclosing closer: the value's own is missing.
    Enclosing,
    /// At the next value: the value's closer is missing.
    Closer,
}
