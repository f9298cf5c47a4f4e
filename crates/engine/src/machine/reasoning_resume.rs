//! Whether reasoning continues after a call that may have taken the place of the reasoning's end.
//!
//! Reasoning continues if its own end comes before other reasoning or text of the answer. Until that is known, at most
//! `Limits::undecided` bytes are held. Without that end, the call ends the reasoning. A call right after such a call is
//! in the reasoning, too.

use alloc::boxed::Box;

use super::context::ends_channel;
use super::view::View;
use super::{Context, Mode, Parser};
use crate::program::{Node, Opener, RuleRole, is_blank};

/// Reasoning that an entry interrupts: the entry takes the place of the reasoning's end.
#[derive(Debug)]
pub(super) struct Interrupted {
    /// The context before the entry.
    pub(super) context: Context,
    /// The entry has a call.
    pub(super) called: bool,
    /// Where the entry ended, after blanks; a candidate that starts there adjoins the entry.
    pub(super) after: Option<u64>,
}

/// The lookahead for the end of interrupted reasoning.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReasoningResume {
    /// All bytes before this position were looked at.
    pos: u64,
    /// Only blanks were looked at so far.
    blank: bool,
}

/// What starts at a byte.
pub(super) enum ReasoningToken {
    /// The reasoning's own end.
    End,
    /// An entry may start.
    Entry,
    /// Other reasoning starts.
    Reasoning,
    /// Text of the answer starts.
    Text,
    Nothing,
    /// More bytes are needed.
    Wait,
}

impl Parser {
    /// The mode after an entry.
    pub(super) fn after_entry(&mut self, at: u64) -> Mode {
        match &self.reasoning.interrupted {
            Some(interrupted) if interrupted.called => Mode::ReasoningResume(ReasoningResume {
                pos: at,
                blank: true,
            }),
            _ => {
                self.reasoning.interrupted = None;
                Mode::Text
            }
        }
    }

    /// The mode after a rejected candidate: if the candidate adjoined an entry in reasoning, text follows that entry.
    pub(super) fn after_candidate(&self) -> Mode {
        if self.adjoins_reasoning() {
            let (pos, blank) = (self.candidate.at, false);
            Mode::ReasoningResume(ReasoningResume { pos, blank })
        } else {
            Mode::Text
        }
    }

    /// Whether the candidate starts right after an entry in reasoning.
    pub(super) fn adjoins_reasoning(&self) -> bool {
        let interrupted = self.reasoning.interrupted.as_ref();
        interrupted.is_some_and(|reasoning| reasoning.after == Some(self.candidate.at))
    }

    pub(super) fn resume_reasoning(&mut self, mut resume: ReasoningResume, view: View<'_>) -> bool {
        let Some(mut interrupted) = self.reasoning.interrupted.take() else {
            return true;
        };
        let mut found = self.reasoning.end.is_some_and(|end| end >= self.pos);
        while !found {
            let rest = view.from(resume.pos);
            let step = if resume.blank {
                rest.iter().position(|&byte| !is_blank(byte))
            } else {
                view.program.openers.find(rest, &interrupted.context.waits)
            };
            let token = self.token_after(step, &interrupted.context, view, &mut resume.pos);
            let is_long = resume.pos - self.pos > view.program.limits.undecided as u64;
            let Some(token) = token.filter(|_| !is_long) else {
                break;
            };
            match token {
                ReasoningToken::End => {
                    self.reasoning.end = Some(resume.pos);
                    found = true;
                }
                ReasoningToken::Entry if resume.blank => {
                    interrupted.after = Some(resume.pos);
                    self.reasoning.interrupted = Some(interrupted);
                    return true;
                }
                ReasoningToken::Reasoning | ReasoningToken::Text => break,
                ReasoningToken::Entry | ReasoningToken::Nothing => {
                    resume.pos += u64::from(!resume.blank);
                    resume.blank = false;
                }
                ReasoningToken::Wait => {
                    self.reasoning.interrupted = Some(interrupted);
                    return self.wait_in(Mode::ReasoningResume(resume));
                }
            }
        }
        if found {
            self.context = interrupted.context;
        }
        true
    }

    /// The token `step` bytes after `pos`, which moves there. Without `step`, `pos` moves to the end of the view;
    /// `None` if the message ends there.
    pub(super) fn token_after(
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
            Some(_) => Some(self.token_at(context, view, to)),
            None => (!view.eof).then_some(ReasoningToken::Wait),
        }
    }

    /// The token at `at`.
    fn token_at(&mut self, context: &Context, view: View<'_>, at: u64) -> ReasoningToken {
        let program = view.program;
        let bytes = view.from(at);
        let mut waits = false;
        for point in &context.sync_points {
            let node = point.thread.node;
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
        // An opener of the message's start counts after text, too, where an entry interrupted reasoning.
        let after_text = self.emitter.has_text
            && self.reasoning.interrupted.is_none()
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

    /// Keeps the reasoning that a candidate interrupts, if the reasoning has an end of its own.
    pub(super) fn interrupt(&mut self, context: Context) {
        if !context.open_ended {
            self.reasoning.interrupted = Some(Box::new(Interrupted {
                context,
                called: false,
                after: None,
            }));
        }
    }
}
