//! A damaged literal after a value's closer: `</parameter></functoin>`, `</arg_value>/tool_call>`. The lookahead
//! continues after the literal, and the call is recovered.

use alloc::vec::Vec;

use super::Parser;
use super::closer_lookahead::CloserLookahead;
use super::thread::Thread;
use super::view::View;
use crate::program::{Fits, Node, Program};

/// The literals that broke off, and where they start.
#[derive(Clone, Debug)]
pub(super) struct DamagedLiteral {
    from: u64,
    literals: Vec<Thread>,
}

impl DamagedLiteral {
    /// The literals of `follow` with the most bytes read, which the byte at `at` does not continue.
    pub(super) fn new(program: &Program, follow: &[Thread], at: u64) -> DamagedLiteral {
        let literals = follow.iter().filter(|thread| is_literal(program, thread));
        let off = literals.clone().map(|thread| thread.off).max().unwrap_or(0);
        let is_last = |thread: &&Thread| thread.off == off;
        let literals = literals.filter(is_last).copied().collect();
        let from = at - u64::from(off);
        DamagedLiteral { from, literals }
    }
}

/// Whether the thread is at or in a literal.
pub(super) fn is_literal(program: &Program, thread: &Thread) -> bool {
    let node = program.node(thread.node);
    matches!(node, Node::Literal { .. } | Node::Template { .. })
}

impl Parser {
    /// Whether a literal is there with a few wrong bytes; if so, continues after it. `None`: more bytes are needed.
    pub(super) fn read_damaged(
        &mut self,
        probe: &mut CloserLookahead,
        damaged: &DamagedLiteral,
        view: View<'_>,
    ) -> Option<bool> {
        // The opener of an entry is not a damaged literal.
        let (read, openers) = view.program.trie.walk(view.from(damaged.from), |_| true);
        let is_opener = !openers.is_empty();
        let is_all = damaged.from + read as u64 == view.end();
        if is_opener || is_all && !view.eof {
            return is_opener.then_some(false);
        }
        for thread in &damaged.literals {
            let Some(literal) = self.set.instances.literal(view.program, thread) else {
                continue;
            };
            self.set.found.work += literal.bytes.len() as u64;
            let (fits, length) = literal.near(view.from(damaged.from), view.eof);
            match fits {
                Fits::Not => continue,
                Fits::SoFar => return None,
                Fits::Whole => {}
            }
            // `};@end`: the value's closer occurs twice before the literal, and the value ends at the second one.
            let (closer, rest) = (view.bytes(probe.at, damaged.from), view.from(damaged.from));
            let n_before = length.saturating_sub(literal.bytes.len());
            let mut places = closer.len().max(1)..=n_before;
            if places
                .any(|n| rest[..n].ends_with(closer) && literal.fits(&rest[n..]) == Fits::Whole)
            {
                return Some(false);
            }
            let end = damaged.from + length as u64;
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
