//! Whether the model's turn ends where the closers of a call are due: it had stopped, and its closers are what servers
//! strip.

use alloc::vec::Vec;

use super::Parser;
use super::log::{Act, Log};
use super::thread::{Found, Judge, Thread};
use super::view::View;
use crate::program::{Node, Program, RuleRole, is_blank};

/// What stands behind a call that lacks nothing but closers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The end of the turn.
    Ends,
    GoesOn,
    /// More bytes are needed; at the message's end they were it.
    Undecided,
}

impl Parser {
    /// Looks behind what is certain of the open call.
    pub(super) fn turn_ends(&mut self, program: &Program, view: View<'_>) -> Turn {
        let lacks_closers = |thread: &Thread| program.closes(thread.node);
        let is_open = self.teller.call.as_ref().is_some_and(|call| {
            let is_between = !self.safe_threads.is_empty() && call.opened;
            call.whole || is_between && self.safe_threads.iter().all(lacks_closers)
        });
        if !is_open {
            return Turn::GoesOn;
        }
        let safe = self.safe.max(self.teller.cursor);
        let rest = view.from(safe);
        let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count();
        self.work += n_blank as u64 + 1;
        if n_blank > program.limits.blanks {
            return Turn::GoesOn;
        }
        let from = safe + n_blank as u64;
        let has_break = rest[..n_blank].contains(&b'\n');
        let place = (self.candidate, self.bol, self.start);
        (self.candidate, self.bol, self.start) = (from, has_break, false);
        let turn = self.step_to_stop(program, from, view);
        (self.candidate, self.bol, self.start) = place;
        turn
    }

    /// Steps all entries from `from` on: whether one that ends a turn is there whole.
    fn step_to_stop(&mut self, program: &Program, from: u64, view: View<'_>) -> Turn {
        let mut threads = alloc::vec![Thread::at(program.rules.trie_node, Log::ROOT, from)];
        let (mut next, mut found) = (Vec::new(), Found::default());
        let mut pos = from;
        let judge = Judge::Entry { plausible: false };
        let is_stop = |act| matches!(act, Act::Enter(node) if matches!(program.node(node), Node::Enter { role: RuleRole::Stop, .. }));
        while let Some(byte) = view.byte(pos) {
            self.stepper(program, view, judge)
                .step(&threads, byte, pos, &mut next, &mut found);
            self.work += found.work;
            core::mem::swap(&mut threads, &mut next);
            pos += 1;
            threads.retain(|thread| {
                self.log.any(Log::ROOT, thread.log, is_stop)
                    || matches!(program.node(thread.node), Node::Trie)
            });
            let is_over = |thread: &Thread| matches!(program.node(thread.node), Node::Match);
            if threads.iter().any(is_over) {
                return Turn::Ends;
            }
            if threads.is_empty() {
                return Turn::GoesOn;
            }
        }
        Turn::Undecided
    }
}
