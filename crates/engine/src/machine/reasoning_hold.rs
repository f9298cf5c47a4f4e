//! A call in reasoning that has an end of its own.
//!
//! A model mentions calls that it does not make, and omits the end of its reasoning before calls that it makes. The
//! text after the call decides. If the end of the reasoning follows, before a line opens other reasoning, the call is
//! reasoning, with a note. If not, the call takes the place of that end. So a candidate that turns out to be a call is
//! held until that is known, for at most `Limits::undecided` bytes. Then the candidate is read again. A call that came
//! as a special token, or that the caller accepts, is not held.

use alloc::string::String;

use super::line_tail::byte_before;
use super::log::{Act, Log};
use super::reasoning_resume::ReasoningToken;
use super::thread::Thread;
use super::view::View;
use super::{Channel, Mode, Parser};
use crate::grammar::Capture;
use crate::program::{NodeId, RuleRole};
use crate::{Code, Sink, Span};

/// The lookahead for the reasoning's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReasoningHold {
    /// All bytes before this position were looked at.
    pos: u64,
    /// Where the call became certain: after its last literal so far.
    upto: u64,
}

/// A range without an end of one kind of reasoning, and without anything that stops the lookahead for that end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endless {
    /// The node that waits for the end.
    node: NodeId,
    /// Where the range ends; it starts at an earlier candidate.
    upto: u64,
}

impl Parser {
    /// Whether the candidate gets no notes, because it does not count, or may not.
    pub(super) fn is_aside(&self) -> bool {
        self.candidate.quoted
            || self.candidate.is_undecided
            || self.candidate.is_wrapped && !self.candidate.committed
    }

    /// Whether a candidate in quoted code may be committed: a literal that a context waits for, or a known call in a
    /// wrapper of calls.
    pub(super) fn may_count_in_code(
        &mut self,
        view: View<'_>,
        name: Option<&str>,
        sink: &mut dyn Sink,
    ) -> bool {
        let program = view.program;
        let Some(&thread) = self.decided() else {
            return true;
        };
        let is_quoted =
            self.candidate.is_in_code && (self.candidate.quoted || self.candidate.is_wrapped);
        if !is_quoted || thread.extra {
            return true;
        }
        let captured = self.set.log.newest(thread.log, Log::ROOT, Capture::Name);
        let captured = captured.map(|at| view.at(at));
        let fixed = || self.set.log.tool_entered(program, thread.log);
        let name = name.or(captured).or_else(fixed).unwrap_or_default();
        if self.candidate.is_wrapped && program.means(program.dialect_of(thread.node), name) {
            self.emitter.quote.hold_calls();
            return true;
        }
        if self.candidate.quoted && self.enters_call() {
            let at = Span::new(self.candidate.at, self.pos);
            self.remark_quoted(name, at, sink);
        }
        self.reject(self.pos);
        false
    }

    /// Whether the candidate may be committed. In reasoning only the reasoning's end or a call may be.
    pub(super) fn may_count(&mut self) -> bool {
        if !self.candidate.is_in_reasoning {
            return true;
        }
        let is_call = self.enters_call();
        let is_awaited = self.decided().is_some_and(|thread| thread.extra);
        if is_call && self.candidate.is_undecided && !self.emitter.mute {
            // Bytes that were looked at for an earlier call are not looked at again.
            let (at, upto) = (self.candidate.at, self.candidate.checkpoint);
            let before = self.reasoning.endless;
            let looked = before.filter(|before| self.awaited() == Some(before.node));
            let pos = looked.map_or(at, |before| before.upto.max(at));
            self.forget_candidate();
            self.mode = Mode::ReasoningHold(ReasoningHold { pos, upto });
            return false;
        }
        let counts = (!is_call && is_awaited) || (is_call && !self.candidate.is_undecided);
        if !counts {
            self.reject(self.pos);
        }
        counts
    }

    /// The first position that waits for the channel's end.
    fn awaited(&self) -> Option<NodeId> {
        let first = self.context.sync_points.first();
        first.map(|point| point.thread.node)
    }

    /// The position that decides what the candidate is.
    pub(super) fn decided(&self) -> Option<&Thread> {
        self.set.threads.first().or(self.set.found.bodies.first())
    }

    /// Whether the deciding position belongs to a call's rule.
    pub(super) fn enters_call(&self) -> bool {
        self.decided()
            .is_some_and(|thread| self.enters(thread, |role| role == RuleRole::Call))
    }

    /// Whether a position belongs to a rule whose role satisfies `is`.
    pub(super) fn enters(&self, thread: &Thread, is: impl Fn(RuleRole) -> bool) -> bool {
        let enters = |act: Act| act.entered(&self.program).is_some_and(|(role, _)| is(role));
        self.set.log.any(Log::ROOT, thread.log, enters)
    }

    /// Keeps those of the candidate's positions that satisfy `stays`, and all that wait in a context.
    pub(super) fn retain_next(&mut self, stays: impl Fn(&Parser, &Thread) -> bool) {
        let mut next = core::mem::take(&mut self.set.next);
        next.retain(|thread| thread.extra || stays(self, thread));
        self.set.next = next;
    }

    /// Whether a position reads text of the answer, reasoning, or the end of a turn.
    pub(super) fn enters_channel(&self, thread: &Thread) -> bool {
        let reopens = self.may_reopen();
        self.enters(thread, |role| match role {
            RuleRole::Say | RuleRole::Stop => true,
            RuleRole::Think => !reopens,
            RuleRole::Call => false,
        })
    }

    /// Whether the tag that opens reasoning may occur here: models repeat the prompt's tag at times, before any
    /// reasoning.
    pub(super) fn may_reopen(&self) -> bool {
        self.context.channel == Channel::Reasoning && !self.emitter.has_reasoning
    }

    /// Whether a position reads a repeated tag that opens reasoning.
    pub(super) fn reopens(&self) -> bool {
        let reads = |thread: &Thread| self.enters(thread, |role| role == RuleRole::Think);
        let mut next = self.set.next.iter();
        self.may_reopen() && next.any(|thread| !thread.extra && reads(thread))
    }

    /// Keeps only one position.
    pub(super) fn leave_only(&mut self, thread: Thread) {
        self.set.threads.clear();
        self.set.threads.push(thread);
    }

    /// Drops all positions of the candidate.
    pub(super) fn forget_candidate(&mut self) {
        self.set.threads.clear();
        self.candidate.checkpoint_threads.clear();
        self.forget();
    }

    pub(super) fn hold_reasoning(
        &mut self,
        mut hold: ReasoningHold,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let program = view.program;
        let mut end = self.reasoning.end.filter(|&end| end > self.candidate.at);
        let context = core::mem::take(&mut self.context);
        while end.is_none() && hold.pos - self.candidate.at <= program.limits.undecided as u64 {
            let step = program.openers.find(view.from(hold.pos), &context.waits);
            let Some(token) = self.token_after(step, &context, view, &mut hold.pos) else {
                break;
            };
            match token {
                ReasoningToken::End => end = Some(hold.pos),
                ReasoningToken::Wait => {
                    self.context = context;
                    return self.wait_in(Mode::ReasoningHold(hold));
                }
                ReasoningToken::Reasoning if byte_before(view, hold.pos) == Some(b'\n') => {
                    break;
                }
                _ => hold.pos += 1,
            }
        }
        self.context = context;
        let Some(end) = end else {
            self.reasoning.decided = Some(self.candidate.at);
            let upto = hold.pos;
            self.reasoning.endless = self.awaited().map(|node| Endless { node, upto });
            self.start_candidate(view, self.candidate.at, sink);
            self.set.found.opened = true;
            return true;
        };
        self.reasoning.end = Some(end);
        let upto = hold.upto.min(end);
        // What follows a marker that was passed over belongs to the same call.
        if self.reasoning.passed_over != Some(self.candidate.at) {
            let first = view.slice(self.candidate.at, end).chars().next();
            let least = self.candidate.at + first.map_or(0, char::len_utf8) as u64;
            let span = Span::new(self.candidate.at, upto.max(least));
            let message = "the call is in reasoning that ends after it: it is not read";
            let help = Some(String::from("end the reasoning before the call"));
            self.emitter
                .note_with_help(Code::ReasoningCall, span, message, help, sink);
        }
        self.reasoning.passed_over = Some(upto);
        self.reject(upto);
        self.input.not_before = self.input.not_before.max(upto);
        true
    }
}
