//! A value whose closer was forgotten: another value of the call opens inside it, and the closers after that opener are
//! one too few for all that is open. `<a>x<b>y</b></call>` is two values, `<a>x <b>y</b> z</a></call>` is one.

use alloc::vec::Vec;

use super::Parser;
use super::capture::takes_key;
use super::closer_decision::Signal;
use super::closer_lookahead::{CloserLookahead, Stage};
use super::log::{Log, LogId};
use super::thread::Thread;
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Fits, TextNode, is_blank};
use crate::thresholds::OPENERS_MAX;

/// Whether a value's closer was forgotten, told by the closers after the opener that stands inside it: up to the call's
/// end they are one too few.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MissingCloser {
    /// Openers that were passed.
    n_openers: u8,
    /// Those of them that were not closed.
    n_open: i8,
}

impl CloserLookahead {
    /// What a turn means while the closers after another value's opener are counted; `None`: count on.
    pub(super) fn turned(&mut self, turn: Signal) -> Option<Signal> {
        if self.forgotten.is_none() && !matches!(turn, Signal::Another) {
            return Some(turn);
        }
        let mut forgotten = self.forgotten.unwrap_or_default();
        match turn {
            Signal::Recovered if !self.has_closer() => return Some(Signal::Another),
            Signal::Another | Signal::Nested => {
                forgotten.n_openers += 1;
                forgotten.n_open += 1;
                if forgotten.n_openers > OPENERS_MAX {
                    return Some(Signal::Nested);
                }
            }
            Signal::Ends | Signal::Recovered | Signal::Unnested | Signal::Data | Signal::Cut => {
                if self.has_closer() {
                    forgotten.n_open -= 1;
                    if forgotten.n_open < 0 {
                        return Some(Signal::Nested);
                    }
                    if forgotten.n_open == 0 && self.left_call {
                        self.stage = Stage::Confirm;
                        self.forgotten = Some(forgotten);
                        return None;
                    }
                }
                // After the closer, or a byte that began none.
                self.pos = self.closer_end.unwrap_or(self.looked + 1);
            }
        }
        self.count_on(forgotten);
        None
    }

    fn count_on(&mut self, forgotten: MissingCloser) {
        self.may_leave = false;
        self.forgotten = Some(forgotten);
        self.stage = Stage::Search;
        (self.unknown_at, self.closer_end, self.left_call) = (None, None, false);
    }
}

impl Parser {
    /// The call is left, and of the openers after this value's all are closed. Were they part of the value, its own
    /// closer came next, perhaps after further closers. `None`: more bytes are needed.
    pub(super) fn confirm(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
    ) -> Option<Signal> {
        let own = self.closers_at(text.follow, Log::ROOT, view);
        let mut enclosing = Vec::new();
        let from = Thread::at(text.follow, Log::ROOT, 0);
        self.add_positions(view, from, &text.enclosing, &mut enclosing);
        loop {
            let rest = view.from(probe.pos);
            let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count();
            self.set.found.work += n_blank as u64 + 1;
            probe.pos += n_blank as u64;
            let rest = &rest[n_blank..];
            if probe.pos - probe.at > view.program.limits.undecided as u64 {
                return Some(Signal::Nested);
            }
            let (own, ..) = self.closer_fits(&own, rest);
            let (outer, length, _) = self.closer_fits(&enclosing, rest);
            match (own, outer) {
                (Fits::Whole, _) => return Some(Signal::Nested),
                (_, Fits::Whole) => probe.pos += length,
                (Fits::Not, Fits::Not) => return Some(Signal::Another),
                _ => return view.eof.then_some(Signal::Another),
            }
        }
    }

    /// Whether the opener whose acts are in `log` has a key that the call has not had, and that its tool has.
    pub(super) fn opens_another(&self, log: LogId, view: View<'_>) -> bool {
        let (Some(at), Some(call)) = (
            self.set.log.newest(log, Log::ROOT, Capture::Key),
            &self.emitter.call,
        ) else {
            return false;
        };
        let key = view.at(at).trim();
        let is_of_tool = call.tool.is_none_or(|tool| {
            let parameters = &view.program.tools.tool(tool).parameters;
            takes_key(parameters, key) || parameters.nearest(key).is_some()
        });
        is_of_tool && !call.has_key(key)
    }
}
