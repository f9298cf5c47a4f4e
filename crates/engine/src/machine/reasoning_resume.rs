//! After a call that stands in reasoning in place of its end: whether the reasoning goes on there.
//!
//! Its own end shows that, if it comes before anything else is thought or said; until then what stands there is held, up to
//! `Limits::undecided`. Without it the call was the end. A call right after such a one stands in the reasoning as well.

use alloc::boxed::Box;

use super::context::ends_channel;
use super::view::View;
use super::{Context, Mode, Parser};
use crate::program::{Node, NodeId, Opener, Program, RuleRole, is_blank};

/// Reasoning that an entry stands in, in place of its end.
#[derive(Debug)]
pub(super) struct Interrupted {
    /// As it was before that.
    pub(super) context: Context,
    /// The entry has a call.
    pub(super) called: bool,
    /// Where the entry ended, blanks passed; what begins there adjoins it.
    pub(super) after: Option<u64>,
}

/// The lookahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReasoningResume {
    /// All bytes before it were looked at.
    pos: u64,
    /// Nothing but blanks stands there so far.
    blank: bool,
}

/// What stands at a byte.
pub(super) enum ReasoningToken {
    /// The reasoning's own end.
    End,
    /// An entry may begin there.
    Entry,
    /// Other reasoning does.
    Reasoning,
    /// What is said does.
    Text,
    Nothing,
    /// More bytes are needed.
    Wait,
}

impl Parser {
    /// An entry is over: what mode after it.
    pub(super) fn after_entry(&mut self, at: u64) -> Mode {
        match &self.thought.interrupted {
            Some(interrupted) if interrupted.called => Mode::ReasoningResume(ReasoningResume {
                pos: at,
                blank: true,
            }),
            _ => {
                self.thought.interrupted = None;
                Mode::Text
            }
        }
    }

    /// The candidate is none: if it adjoined such an entry, text follows that.
    pub(super) fn after_candidate(&self) -> Mode {
        if self.adjoins_reasoning() {
            let (pos, blank) = (self.candidate.at, false);
            Mode::ReasoningResume(ReasoningResume { pos, blank })
        } else {
            Mode::Text
        }
    }

    /// Whether the candidate stands right after an entry in reasoning.
    pub(super) fn adjoins_reasoning(&self) -> bool {
        let interrupted = self.thought.interrupted.as_ref();
        interrupted.is_some_and(|thought| thought.after == Some(self.candidate.at))
    }

    pub(super) fn resume_reasoning(&mut self, mut after: ReasoningResume, view: View<'_>) -> bool {
        let Some(mut thought) = self.thought.interrupted.take() else {
            return true;
        };
        let mut found = self.thought.end.is_some_and(|end| end >= self.pos);
        while !found {
            let rest = view.from(after.pos);
            let step = if after.blank {
                rest.iter().position(|&byte| !is_blank(byte))
            } else {
                view.program.openers.find(rest, &thought.context.waits)
            };
            let sight = self.sight_after(step, &thought.context, view, &mut after.pos);
            let is_long = after.pos - self.pos > view.program.limits.undecided as u64;
            let Some(sight) = sight.filter(|_| !is_long) else {
                break;
            };
            match sight {
                ReasoningToken::End => {
                    self.thought.end = Some(after.pos);
                    found = true;
                }
                ReasoningToken::Entry if after.blank => {
                    thought.after = Some(after.pos);
                    self.thought.interrupted = Some(thought);
                    return true;
                }
                ReasoningToken::Reasoning | ReasoningToken::Text => break,
                ReasoningToken::Entry | ReasoningToken::Nothing => {
                    after.pos += u64::from(!after.blank);
                    after.blank = false;
                }
                ReasoningToken::Wait => {
                    self.thought.interrupted = Some(thought);
                    return self.wait_in(Mode::ReasoningResume(after));
                }
            }
        }
        if found {
            self.context = thought.context;
        }
        true
    }

    /// What stands `step` bytes after `pos`, which moves there; otherwise to the end of what is here. Nothing is there where
    /// the message ends.
    pub(super) fn sight_after(
        &mut self,
        step: Option<usize>,
        context: &Context,
        view: View<'_>,
        pos: &mut u64,
    ) -> Option<ReasoningToken> {
        let to = step.map_or(view.end(), |step| *pos + step as u64);
        self.set.found.work += to - *pos + 1;
        *pos = to;
        match step {
            Some(_) => Some(self.sight(context, view, to)),
            None => (!view.eof).then_some(ReasoningToken::Wait),
        }
    }

    /// What stands at `at`.
    fn sight(&mut self, context: &Context, view: View<'_>, at: u64) -> ReasoningToken {
        let program = view.program;
        let bytes = view.from(at);
        let mut waits = false;
        for waiting in &context.sync_points {
            let node = waiting.thread.node;
            let Node::Literal { bytes: end, .. } = program.node(node) else {
                continue;
            };
            let length = end.len().min(bytes.len());
            if end[..length] != bytes[..length] || !ends_channel(program, node) {
                continue;
            }
            let is_data = self.tokens.is_spelled(end, at);
            if length == end.len() && !is_data {
                return ReasoningToken::End;
            }
            waits |= !is_data;
        }
        if waits && !view.eof {
            return ReasoningToken::Wait;
        }
        if program.rules.bodies_first.has(bytes[0]) {
            return ReasoningToken::Entry;
        }
        if bytes.len() == 1 && !view.eof {
            return ReasoningToken::Wait;
        }
        if !program.openers.may_start(bytes) {
            return ReasoningToken::Nothing;
        }
        // After an entry in reasoning what looks like the message's begin tells how that goes on.
        let after_text = self.emitter.spoken
            && self.thought.interrupted.is_none()
            && !self.emitter.quote.is_fresh;
        let counts = |opener: &&Opener| !(opener.start && after_text);
        let (read, openers) = program.trie.walk(bytes, |opener| counts(&opener));
        self.set.found.work += read as u64 + 1;
        let enters = |is: RuleRole| {
            let mut nodes = { openers.iter() }
                .filter(counts)
                .flat_map(|one| &one.enters);
            nodes.any(|&node| program.entered(node).is_some_and(|(role, _)| role == is))
        };
        if enters(RuleRole::Think) {
            ReasoningToken::Reasoning
        } else if enters(RuleRole::Say) {
            ReasoningToken::Text
        } else if !openers.is_empty() {
            ReasoningToken::Entry
        } else if view.eof || read < bytes.len() {
            ReasoningToken::Nothing
        } else {
            ReasoningToken::Wait
        }
    }

    /// Keeps the reasoning that a candidate stands in, in place of its end, if it has one.
    pub(super) fn interrupt(&mut self, context: Context) {
        if !context.open_ended {
            self.thought.interrupted = Some(Box::new(Interrupted {
                context,
                called: false,
                after: None,
            }));
        }
    }
}

/// Whether nothing is left of the entry at `node`.
pub(super) fn is_over(program: &Program, node: NodeId) -> bool {
    program.ends_past(node, |node| {
        matches!(node, Node::Exit { .. } | Node::Ws { .. } | Node::Nl { .. })
    })
}
