//! Arguments before the call's name: a lookahead finds the name after them, then they are read for its tool.
//!
//! ```text
//!   <tool><arguments><path>a</path></arguments><tool_name>read_file</tool_name></tool>
//!                    ^ the body              ^ a closer, and the name after it
//! ```
//!
//! Everything up to the name is held, at most `Limits::undecided` bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::log::{Act, Log, LogId};
use super::thread::{NamePolicy, Thread};
use super::view::View;
use super::{Mode, Parser};
use crate::Sink;
use crate::grammar::Capture;
use crate::program::{ByteSet, Program, RuleRole};

/// The lookahead for a name.
#[derive(Debug, Default)]
pub(super) struct NameLookahead {
    body: Thread,
    /// Where the body starts.
    at: u64,
    /// The literals after the body, and their first bytes.
    after: Vec<Thread>,
    firsts: ByteSet,
    /// Where the closer that is tried starts, and its threads.
    tried: u64,
    threads: Vec<Thread>,
    /// All bytes before this position were looked at.
    pos: u64,
    /// The log of a thread that has the name.
    named: Option<LogId>,
    /// A literal after the body was read whole.
    closed: bool,
}

impl Parser {
    /// Whether `body` would start the arguments of a call that has no name yet.
    pub(super) fn is_before_name(&self, program: &Program, body: &Thread) -> bool {
        let enters = |act: Act| act.entered(program) == Some((RuleRole::Call, None));
        !self.candidate.committed
            && self.emitter.call.is_none()
            && self.set.log.any(self.set.flushed, body.log, enters)
            && !self.set.log.any(self.set.flushed, body.log, Act::is_name)
    }

    /// Looks for the name after the body, which starts at `pos`.
    pub(super) fn look_ahead(&mut self, view: View<'_>, body: Thread) {
        let at = self.pos;
        let thread = Thread::at(view.program.after_body(body.node), body.log, at);
        let mut ahead = NameLookahead {
            body,
            at,
            tried: at,
            pos: at,
            after: self.closure(view, thread),
            ..NameLookahead::default()
        };
        (ahead.after).retain(|thread| view.program.node(thread.node).is_evidence());
        for thread in &mut ahead.after {
            thread.marked = true;
            if let Some(bytes) = view.program.node(thread.node).literal() {
                ahead.firsts.insert(bytes[0]);
            }
        }
        self.leave_only(body);
        self.mode = Mode::NameLookahead(Box::new(ahead));
    }

    pub(super) fn ahead(
        &mut self,
        mut ahead: Box<NameLookahead>,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let cap = view.program.limits.undecided as u64;
        loop {
            let Some(byte) = view.byte(ahead.pos) else {
                if !view.eof {
                    self.pos = view.end();
                    return self.wait_in(Mode::NameLookahead(ahead));
                }
                break;
            };
            if ahead.pos - self.emitter.cursor > cap {
                break;
            }
            self.set.found.work += 1;
            if ahead.threads.is_empty() {
                if !ahead.firsts.has(byte) {
                    ahead.pos += 1;
                    continue;
                }
                ahead.tried = ahead.pos;
                ahead.threads.clone_from(&ahead.after);
            }
            let cx = (view, NamePolicy::Reading);
            self.step_set(cx, &mut ahead.threads, byte, ahead.pos);
            ahead.pos += 1;
            if self.set.found.literal_ended {
                ahead.closed = true;
                let is_named =
                    |thread: &&Thread| self.set.log.any(ahead.body.log, thread.log, Act::is_name);
                let named = ahead.threads.iter().find(is_named).map(|thread| thread.log);
                ahead.named = named.or(ahead.named);
            }
            let waits = |thread: &Thread| view.program.awaits_head(thread.node);
            if ahead.named.is_some() && !ahead.threads.iter().any(waits) {
                break;
            }
            if ahead.threads.is_empty() {
                ahead.pos = ahead.tried + 1;
            }
        }
        if let Some(named) = ahead.named {
            self.start_before_name(view, &ahead, named, sink);
            return true;
        }
        self.pos = view.end();
        if !ahead.closed && self.is_started_call(view, ahead.at) {
            return self.end_started(view, sink);
        }
        self.explain_rejection(view, ahead.at, sink);
        self.reject(ahead.at);
        true
    }

    /// The name is known: starts the call and reads its arguments.
    fn start_before_name(
        &mut self,
        view: View<'_>,
        ahead: &NameLookahead,
        named: LogId,
        sink: &mut dyn Sink,
    ) {
        self.pos = ahead.at;
        self.choose_body(ahead.body);
        self.leave_only(ahead.body);
        let name = self.set.log.newest(named, Log::ROOT, Capture::Name);
        let name = name.map(|at| view.at(at));
        if !self.commit(view, name, sink) {
            return;
        }
        self.flush(view, ahead.body.log, ahead.at, sink);
        let mut acts = Vec::new();
        self.set.log.acts(ahead.body.log, named, &mut acts);
        for (act, _) in acts {
            if let Act::Captured {
                what: what @ (Capture::Name | Capture::Server | Capture::Id),
                at,
            } = act
            {
                self.captured(view, what, at, sink);
            }
        }
        self.emitter.start_call(view, ahead.at, sink);
        self.enter_body(view, sink);
    }
}
