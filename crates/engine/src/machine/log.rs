//! The acts of all threads, in a shared, parent-linked log. An act takes effect only when it is flushed.
//!
//! ```text
//!  root <- Enter(call) <- Captured(name) <- Exit(call)          thread 1
//!                               ^-- Captured(key)               thread 2: both agree on the first two
//! ```

use alloc::vec::Vec;

use super::closer_lookahead::leaves_call;
use crate::Span;
use crate::grammar::Capture;
use crate::program::{NodeId, Program, RuleRole};

/// A place in the log; 0 is the root.
pub(crate) type LogId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Enter(NodeId),
    Exit(NodeId),
    /// The value of the last key, unless another value follows.
    Flag(&'static str),
    Captured {
        what: Capture,
        at: Span,
    },
    /// The closer after a name is missing or misspelt: its span.
    Supplied(Span),
    /// An argument that an attribute or a capture holds: the attribute's index, and the value's span.
    Argument {
        node: NodeId,
        index: u8,
        at: Span,
    },
}

impl Act {
    /// Whether the act captures a name.
    pub(crate) fn is_name(self) -> bool {
        matches!(self, Act::Captured { what, .. } if what == Capture::Name)
    }

    /// Whether the act ends a rule.
    pub(crate) fn is_exit(self) -> bool {
        matches!(self, Act::Exit(_))
    }

    /// The role of the rule that the act enters, and the tool that the rule fixes.
    pub(crate) fn entered(self, program: &Program) -> Option<(RuleRole, Option<&str>)> {
        match self {
            Act::Enter(node) => program.entered(node),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Line {
    parent: LogId,
    act: Act,
    pos: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    lines: Vec<Line>,
}

impl Log {
    pub(crate) const ROOT: LogId = 0;

    pub(crate) fn push(&mut self, parent: LogId, act: Act, pos: u64) -> LogId {
        self.lines.push(Line { parent, act, pos });
        self.lines.len() as LogId
    }

    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }

    fn line(&self, id: LogId) -> Line {
        self.lines[id as usize - 1]
    }

    /// The last act of a thread's log.
    pub(crate) fn last(&self, at: LogId) -> Option<Act> {
        (at != Log::ROOT).then(|| self.line(at).act)
    }

    /// The newest capture of kind `wanted` in a thread's log after `flushed`: the bytes of older ones may be gone.
    pub(crate) fn newest(&self, at: LogId, flushed: LogId, wanted: Capture) -> Option<Span> {
        self.back(flushed, at).find_map(|line| match line.act {
            Act::Captured { what, at } if what == wanted => Some(at),
            _ => None,
        })
    }

    /// The newest rule that a thread's log enters.
    pub(crate) fn entered(&self, at: LogId) -> Option<NodeId> {
        self.back(Log::ROOT, at).find_map(|line| match line.act {
            Act::Enter(node) => Some(node),
            _ => None,
        })
    }

    /// The tool of the newest rule in a thread's log that fixes one.
    pub(crate) fn tool_entered<'p>(&self, program: &'p Program, at: LogId) -> Option<&'p str> {
        let mut lines = self.back(Log::ROOT, at);
        lines.find_map(|line| line.act.entered(program)?.1)
    }

    /// Whether a thread's log ends in a call: in the open one, or in one that it enters.
    pub(crate) fn is_in_call(&self, program: &Program, at: LogId) -> bool {
        let mut acts = self.back(Log::ROOT, at).map(|line| line.act);
        let is_call = |act: &Act| matches!(act.entered(program), Some((RuleRole::Call, _)));
        let last = acts.find(|act| is_call(act) || leaves_call(program, *act));
        last.is_none_or(|act| is_call(&act))
    }

    /// Whether `wanted` accepts an act from `from` (exclusive) to `to`.
    pub(crate) fn any(&self, from: LogId, to: LogId, wanted: impl Fn(Act) -> bool) -> bool {
        self.back(from, to).any(|line| wanted(line.act))
    }

    /// The lines from `to` back to `from` (exclusive).
    fn back(&self, from: LogId, to: LogId) -> impl Iterator<Item = Line> {
        let mut at = to;
        core::iter::from_fn(move || {
            let line = (at != from && at != Log::ROOT).then(|| self.line(at))?;
            at = line.parent;
            Some(line)
        })
    }

    /// The last act that all of `tips` share, at or after `from`.
    pub(crate) fn common(&self, from: LogId, mut tips: impl Iterator<Item = LogId>) -> LogId {
        let mut common = tips.next().unwrap_or(from);
        for mut at in tips {
            // Ids grow along a chain: of two different acts, the later one is not shared.
            while at != common {
                let later = if at > common { &mut at } else { &mut common };
                *later = self.line(*later).parent;
            }
        }
        common.max(from)
    }

    /// The acts from `from` (exclusive) to `to`, oldest first.
    pub(crate) fn acts(&self, from: LogId, to: LogId, out: &mut Vec<(Act, u64)>) {
        out.clear();
        out.extend(self.back(from, to).map(|line| (line.act, line.pos)));
        out.reverse();
    }
}
