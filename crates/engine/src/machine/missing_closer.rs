//! A value whose closer is missing: another value of the call opens inside it, and one closer too few follows that
//! opener. `<a>x<b>y</b></call>` is two values, `<a>x <b>y</b> z</a></call>` is one.

use super::Parser;
use super::capture::takes_key;
use super::closer_decision::Signal;
use super::closer_lookahead::{CloserLookahead, Stage};
use super::log::{Log, LogId};
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Fits, TextNode, is_blank};
use crate::thresholds::OPENERS_MAX;

/// Counts openers and closers from another value's opener inside a value. The value's closer is missing if one closer
/// too few comes up to the call's end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MissingCloser {
    /// Openers that the count passed.
    n_openers: u8,
    /// Passed openers that are not closed.
    n_open: i8,
}

impl CloserLookahead {
    /// What a signal means while the closers after another value's opener are counted; `None`: the count continues.
    pub(super) fn turned(&mut self, signal: Signal) -> Option<Signal> {
        if self.missing.is_none() && !matches!(signal, Signal::Another) {
            return Some(signal);
        }
        let mut missing = self.missing.unwrap_or_default();
        match signal {
            Signal::Recovered if !self.has_closer() => return Some(Signal::Another),
            Signal::Another | Signal::Nested => {
                missing.n_openers += 1;
                missing.n_open += 1;
                if missing.n_openers > OPENERS_MAX {
                    return Some(Signal::Nested);
                }
            }
            Signal::Ends | Signal::Recovered | Signal::Unnested | Signal::Data | Signal::Cut => {
                if self.has_closer() {
                    missing.n_open -= 1;
                    if missing.n_open < 0 {
                        return Some(Signal::Nested);
                    }
                    if missing.n_open == 0 && self.left_call {
                        self.stage = Stage::Confirm;
                        self.missing = Some(missing);
                        return None;
                    }
                }
                // After the closer, or a byte that starts no closer.
                self.pos = self.closer_end.unwrap_or(self.looked + 1);
            }
        }
        self.may_leave = false;
        self.missing = Some(missing);
        self.stage = Stage::Search;
        (self.unknown_at, self.closer_end, self.left_call) = (None, None, false);
        None
    }
}

impl Parser {
    /// The call ended, and every counted opener is closed. If those openers are part of the value, its own closer
    /// follows, perhaps after further closers. `None`: more bytes are needed.
    pub(super) fn confirm(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
    ) -> Option<Signal> {
        let own = self.closers_at(text.follow, Log::ROOT, view);
        let enclosing = self.after_closers(text, 0, view);
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

    /// Whether the opener whose acts are in `log` has a key that the tool declares and the call does not have yet.
    pub(super) fn opens_another(&self, log: LogId, view: View<'_>) -> bool {
        let (Some(at), Some(call)) = (
            self.set.log.newest(log, Log::ROOT, Capture::Key),
            &self.emitter.call,
        ) else {
            return false;
        };
        let key = view.at(at).trim();
        let takes = |tool| takes_key(&view.program.tools.tool(tool).parameters, key);
        call.tool.is_none_or(takes) && !call.has_key(key)
    }
}
