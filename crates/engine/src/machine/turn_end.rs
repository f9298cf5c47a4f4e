//! A call that lacks only final closers: servers strip them, as stop strings, where the model stopped at them. The end
//! of the message, or of the model's turn, takes their place.

use super::Parser;
use super::log::{Act, Log};
use super::thread::{NamePolicy, Thread, any_ends};
use super::view::View;
use crate::program::{Node, RuleRole, is_blank};

impl Parser {
    /// Whether the open call lacks only final closers at `at`, with the positions `threads`. Closers may come next,
    /// nothing else of the call has started, and the arguments have, if there can be any.
    pub(super) fn lacks_only_closers(&self, threads: &[Thread], at: u64) -> bool {
        let program = &*self.program;
        let Some(call) = &self.emitter.call else {
            return false;
        };
        let takes_none = |tool| program.tools.tool(tool).parameters.properties.is_empty();
        let is_flag = call.flag.is_some();
        let has_arguments = call.opened || is_flag || call.tool.is_some_and(takes_none);
        let mut of_call = threads.iter().filter(|thread| !thread.extra);
        let has_started = |thread: &Thread| match program.node(thread.node) {
            Node::Literal { .. } | Node::Template { .. } => thread.off > 0,
            Node::Capture(_) | Node::Attrs(_) => thread.since < at,
            _ => false,
        };
        // What has started after a key may be its value, unless only its line break is missing.
        let ends = |thread: &Thread| match program.node(thread.node) {
            Node::Literal { bytes, .. } if is_flag => {
                matches!(bytes[thread.off.into()..], [b'\n'] | [b'\r', b'\n'])
            }
            _ => program.closes(thread.node),
        };
        let awaits = |thread: &Thread| !has_arguments && program.leads_to_values(thread.node);
        of_call.clone().any(|thread| program.closes(thread.node))
            && !of_call.clone().any(awaits)
            && of_call.all(|thread| !has_started(thread) || ends(thread))
    }

    /// Whether the open call lacks only closers after its certain part, and the end of the turn follows that part.
    /// `None`: the bytes end before that is known.
    pub(super) fn turn_ends(&mut self, view: View<'_>) -> Option<bool> {
        let is_whole = self.emitter.call.as_ref().is_some_and(|call| call.whole);
        let candidate = &self.candidate;
        let (threads, at) = (&candidate.checkpoint_threads, candidate.checkpoint);
        if !is_whole && !self.lacks_only_closers(threads, at) {
            return Some(false);
        }
        let checkpoint = self.candidate.checkpoint.max(self.emitter.cursor);
        let rest = view.from(checkpoint);
        let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count();
        self.set.found.work += n_blank as u64 + 1;
        if n_blank > view.program.limits.blanks {
            return Some(false);
        }
        let from = checkpoint + n_blank as u64;
        let has_break = rest[..n_blank].contains(&b'\n');
        let place = (self.candidate.at, self.candidate.bol, self.candidate.start);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = (from, has_break, false);
        let turn = self.step_to_stop(from, view);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = place;
        turn
    }

    /// Steps all entries from `from` on: whether one that ends a turn is complete. `None`: the bytes end before.
    fn step_to_stop(&mut self, from: u64, view: View<'_>) -> Option<bool> {
        let mut threads = alloc::vec![Thread::at(view.program.rules.trie_node, Log::ROOT, from)];
        let mut pos = from;
        let names = NamePolicy::Entry { plausible: false };
        let is_stop = |act: Act| matches!(act.entered(view.program), Some((RuleRole::Stop, _)));
        while let Some(byte) = view.byte(pos) {
            self.step_set((view, names), &mut threads, byte, pos);
            pos += 1;
            threads.retain(|thread| {
                self.set.log.any(Log::ROOT, thread.log, is_stop)
                    || matches!(view.program.node(thread.node), Node::Trie)
            });
            if any_ends(view.program, &threads) {
                return Some(true);
            }
            if threads.is_empty() {
                return Some(false);
            }
        }
        None
    }
}
