//! A damaged literal after a value's closer: `</parameter></functoin>`, `</arg_value>/tool_call>`. The lookahead
//! continues after the literal, and the call is recovered.

use alloc::vec::Vec;

use super::Parser;
use super::closer_lookahead::CloserLookahead;
use super::thread::Thread;
use super::view::View;
use crate::program::{Fits, Node, Program, TextNode, near};

/// A place where a literal may be damaged.
#[derive(Clone, Debug)]
pub(super) struct DamagedLiteral {
    pub(super) from: u64,
    /// The literals that broke off. `None`: no entry starts at `from`, so a closer may.
    pub(super) literals: Option<Vec<Thread>>,
}

impl DamagedLiteral {
    /// The literals of `follow` with the most bytes read, which the byte at `at` does not continue. `None` if they start
    /// before `base`, in a line break that was read before an empty value.
    pub(super) fn new(
        program: &Program,
        follow: &[Thread],
        at: u64,
        base: u64,
    ) -> Option<DamagedLiteral> {
        let literals = follow.iter().filter(|thread| is_literal(program, thread));
        let off = literals.clone().map(|thread| thread.off).max().unwrap_or(0);
        let is_last = |thread: &&Thread| thread.off == off;
        let literals = Some(literals.filter(is_last).copied().collect());
        let from = at - u64::from(off);
        (from >= base).then_some(DamagedLiteral { from, literals })
    }
}

/// Whether the thread is at or in a literal.
pub(super) fn is_literal(program: &Program, thread: &Thread) -> bool {
    let node = program.node(thread.node);
    matches!(node, Node::Literal { .. } | Node::Template { .. })
}

impl Parser {
    /// Whether the literal, or another closer, is there with a few wrong bytes; if so, continues after it. `None`: more
    /// bytes are needed.
    pub(super) fn read_damaged(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        damaged: &DamagedLiteral,
        view: View<'_>,
    ) -> Option<bool> {
        let from = damaged.from;
        // The opener of an entry is not a damaged literal, unless the literal is longer: `<invoke>` for `</invoke>`. It
        // may be one that is as long once it is known that no entry starts there: `<call>` for `</call>`.
        let (read, openers) = view.program.trie.walk(view.from(from), |_| true);
        if from + read as u64 == view.end() && !view.eof {
            return None;
        }
        let least = read + usize::from(damaged.literals.is_some());
        let shortest = openers.first().map_or(0, |_| least);
        let mut closers = self.after_closers(text, from, view);
        closers.retain(|closer| !view.program.opens(closer.node));
        for thread in damaged.literals.iter().flatten().chain(&closers) {
            let Some(literal) = self.set.instances.literal(view.program, thread) else {
                continue;
            };
            self.set.found.work += literal.bytes.len() as u64;
            let (fits, length) = near(literal.bytes, view.from(from), (literal.fold, view.eof));
            match fits {
                Fits::Not => continue,
                Fits::SoFar => return None,
                Fits::Whole if length < shortest => continue,
                Fits::Whole => {}
            }
            let end = from + length as u64;
            let mut after = thread.after(literal.next);
            after.since = end;
            probe.follow = self.closure(view, after);
            (probe.pos, probe.last, probe.read) = (end, Some(end), Some(end));
            probe.is_damaged = true;
            probe.left_call = self.any_leaves_call(&probe.follow);
            return Some(true);
        }
        Some(false)
    }
}
