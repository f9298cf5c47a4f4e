//! A call in reasoning that has an end of its own.
//!
//! A model weighs calls that it does not make, and it forgets to end its reasoning before those that it makes. Which of the
//! two a call is shows what stands after it: where the end of the reasoning follows, before a line opens other reasoning,
//! it is reasoning, with a note; where none does, the call stands in its place. So a candidate that turns out to be a call is
//! held until that is known, or until `Limits::undecided` bytes are, and is then read anew. A call that came as a special
//! token, or that the caller accepts, is not weighed.

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
    /// All bytes before it were looked at.
    pos: u64,
    /// After the last of its literals, the call was certain.
    upto: u64,
}

/// Where no end of a kind stands, nor anything that stops the look for one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endless {
    /// What waits for the end.
    node: NodeId,
    /// From a candidate before on, up to there.
    upto: u64,
}

impl Parser {
    /// Nothing is remarked on the candidate: it counts for nothing, or may not.
    pub(super) fn is_aside(&self) -> bool {
        self.candidate.quoted
            || self.candidate.is_undecided
            || self.candidate.is_wrapped && !self.candidate.committed
    }

    /// Whether the candidate that is about to be believed may be, if it stands in quoted code: the end of what was begun, or
    /// a known call in a wrapper that holds nothing else.
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

    /// Whether the candidate that is about to be believed may be. In reasoning only its end may, or a call.
    pub(super) fn may_count(&mut self) -> bool {
        if !self.candidate.is_in_reasoning {
            return true;
        }
        let is_call = self.enters_call();
        let is_awaited = self.decided().is_some_and(|thread| thread.extra);
        if is_call && self.candidate.is_undecided && !self.emitter.mute {
            // What was looked at for a call before is not looked at again.
            let (at, upto) = (self.candidate.at, self.candidate.checkpoint);
            let before = self.thought.endless;
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

    /// The first position that waits for the end of what is spoken.
    fn awaited(&self) -> Option<NodeId> {
        self.context
            .sync_points
            .first()
            .map(|waiting| waiting.thread.node)
    }

    /// The position that the candidate is decided by.
    pub(super) fn decided(&self) -> Option<&Thread> {
        self.set.threads.first().or(self.set.found.bodies.first())
    }

    /// Whether that is one of a call.
    pub(super) fn enters_call(&self) -> bool {
        self.decided()
            .is_some_and(|thread| self.enters(thread, |role| role == RuleRole::Call))
    }

    /// Whether a position is one of a rule of such a role.
    pub(super) fn enters(&self, thread: &Thread, is: impl Fn(RuleRole) -> bool) -> bool {
        let enters = |act: Act| act.entered(&self.program).is_some_and(|(role, _)| is(role));
        self.set.log.any(Log::ROOT, thread.log, enters)
    }

    /// Of the candidate's positions only those are left that `stays` likes; what is waited for goes on.
    pub(super) fn retain_next(&mut self, stays: impl Fn(&Parser, &Thread) -> bool) {
        let mut next = core::mem::take(&mut self.set.next);
        next.retain(|thread| thread.extra || stays(self, thread));
        self.set.next = next;
    }

    /// Whether a position reads what is said or thought, or the end of a turn.
    pub(super) fn enters_channel(&self, thread: &Thread) -> bool {
        let reopens = self.may_reopen();
        self.enters(thread, |role| match role {
            RuleRole::Say | RuleRole::Stop => true,
            RuleRole::Think => !reopens,
            RuleRole::Call => false,
        })
    }

    /// Whether the tag that opens reasoning may stand here: what a prompt has opened is repeated at times, before all of it.
    pub(super) fn may_reopen(&self) -> bool {
        self.context.channel == Channel::Reasoning && !self.emitter.thought
    }

    /// Whether a position reads such a tag.
    pub(super) fn reopens(&self) -> bool {
        let reads = |thread: &Thread| self.enters(thread, |role| role == RuleRole::Think);
        let mut next = self.set.next.iter();
        self.may_reopen() && next.any(|thread| !thread.extra && reads(thread))
    }

    /// Such a tag is over: the reasoning goes on after it.
    pub(super) fn reopen(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        self.emitter.markup(view, self.pos, sink);
        self.forget_candidate();
        self.mode = Mode::Text;
    }

    /// Of the positions only one is left.
    pub(super) fn leave_only(&mut self, thread: Thread) {
        self.set.threads.clear();
        self.set.threads.push(thread);
    }

    /// No position of the candidate is left.
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
        let mut end = self.thought.end.filter(|&end| end > self.candidate.at);
        let context = core::mem::take(&mut self.context);
        while end.is_none() && hold.pos - self.candidate.at <= program.limits.undecided as u64 {
            let step = program.openers.find(view.from(hold.pos), &context.waits);
            let Some(sight) = self.sight_after(step, &context, view, &mut hold.pos) else {
                break;
            };
            match sight {
                ReasoningToken::End => end = Some(hold.pos),
                ReasoningToken::Wait => {
                    self.context = context;
                    return self.wait_in(Mode::ReasoningHold(hold));
                }
                ReasoningToken::Reasoning if byte_before(view, hold.pos) == Some(b'\n') => {
                    break;
                }
                ReasoningToken::Entry
                | ReasoningToken::Reasoning
                | ReasoningToken::Text
                | ReasoningToken::Nothing => hold.pos += 1,
            }
        }
        self.context = context;
        let Some(end) = end else {
            self.thought.decided = Some(self.candidate.at);
            let upto = hold.pos;
            self.thought.endless = self.awaited().map(|node| Endless { node, upto });
            self.start_candidate(view, self.candidate.at, sink);
            self.set.found.opened = true;
            return true;
        };
        self.thought.end = Some(end);
        let upto = hold.upto.min(end);
        // What stands after a marker that was passed over is of the same call.
        if self.thought.passed_over != Some(self.candidate.at) {
            let first = view.slice(self.candidate.at, end).chars().next();
            let least = self.candidate.at + first.map_or(0, char::len_utf8) as u64;
            let span = Span::new(self.candidate.at, upto.max(least));
            let message = "the call is in reasoning that ends after it: it is not read";
            let help = Some(String::from("end the reasoning before the call"));
            self.emitter
                .note_with_help(Code::ReasoningCall, span, message, help, sink);
        }
        self.thought.passed_over = Some(upto);
        self.reject(upto);
        self.input.not_before = self.input.not_before.max(upto);
        true
    }
}
