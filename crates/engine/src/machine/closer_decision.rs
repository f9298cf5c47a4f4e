//! What a probe comes to: what one byte of it means, and what becomes of the value.

use super::Parser;
use super::closer_lookahead::CloserLookahead;
use super::log::Log;
use super::value::{AfterValue, Value};
use crate::thresholds::MARKER_MIN;

/// What a probe found.
#[derive(Debug)]
pub(super) enum Decision {
    /// More bytes are needed, or the message ends in what may be a closer: that is none of the arguments of a call that was
    /// cut off.
    Pending,
    /// The bytes up to `upto` are the value's.
    Data { upto: u64, doubt: bool },
    /// The value ends before `at`.
    Ends {
        at: u64,
        recovered: bool,
        after: AfterValue,
    },
}

/// What a probe has found at a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Data,
    /// The message ends before it is known.
    Cut,
    Nested,
    Unnested,
    /// Another value of the call opens: this one's closer was forgotten, once the closers after that opener say so.
    Another,
    /// The value ends at its closer, and nothing was supplied.
    Ends,
    /// The value ends, and a closer of it is missing.
    Recovered,
}

impl Parser {
    /// The message ends while a probe runs.
    pub(super) fn at_end(&self, probe: &CloserLookahead, value: &Value) -> Signal {
        let is_over = probe.last.is_some() || self.any_leaves_call(&probe.follow);
        match (probe.last, probe.has_closer()) {
            (_, true) if value.nest == 0 && is_over => Signal::Ends,
            (Some(_), _) if self.ending.is_cut_off => Signal::Cut,
            (Some(_), _) => Signal::Recovered,
            // What opens another value opens none here: it may hold too much.
            (None, true) if value.nest == 0 && !self.ending.is_cut_off && is_marker(probe) => {
                Signal::Data
            }
            (None, _) => Signal::Cut,
        }
    }

    /// What becomes of the value that the probe looked ahead of.
    pub(super) fn decide(
        &mut self,
        turn: Signal,
        value: &mut Value,
        probe: &CloserLookahead,
    ) -> Decision {
        let read = probe.read.filter(|_| turn == Signal::Ends);
        if read.is_none() {
            self.set.log.clear();
            self.set.flushed = Log::ROOT;
        }
        let (at, upto) = (probe.at, probe.at + 1);
        match turn {
            Signal::Data => {
                value.passed_closer |= probe.last.is_some();
                value.prose_to = value.prose_to.max(probe.prose_to.unwrap_or(0));
                // Its own closer, which pairs with no opener in it, or an unknown parameter: it may hold too much.
                let is_there = probe.n_overs > 0 || is_marker(probe);
                // What would end an empty value says nothing of one that is not.
                let text = self.program.text(value.node);
                let is_start = text.is_some_and(|text| value.may_be_over(text));
                let doubt =
                    value.nest == 0 && is_there && !is_start && !value.writer.is_in_string();
                if probe.has_closer() && value.nest > 0 {
                    value.nest -= 1;
                }
                Decision::Data { upto, doubt }
            }
            Signal::Nested => {
                // Once is enough: what follows is not counted again.
                value.passed_closer |= probe.forgotten.is_some();
                value.nest += 1;
                value.has_nested = true;
                Decision::Data { upto, doubt: false }
            }
            Signal::Unnested => {
                value.nest -= 1;
                Decision::Data { upto, doubt: false }
            }
            Signal::Cut => Decision::Pending,
            Signal::Another => Decision::Ends {
                at,
                recovered: true,
                after: AfterValue::Closer,
            },
            Signal::Ends | Signal::Recovered => Decision::Ends {
                at,
                recovered: turn == Signal::Recovered || probe.is_damaged,
                after: match read {
                    Some(upto) if !value.cut_in_doubt => AfterValue::Read { upto },
                    _ if turn == Signal::Recovered && !probe.has_closer() => AfterValue::Enclosing,
                    _ => AfterValue::Value,
                },
            },
        }
    }
}

/// Whether the literal that was read whole is no text that a value holds by chance.
fn is_marker(probe: &CloserLookahead) -> bool {
    let length = probe.closer_end.map(|end| end - probe.at);
    length.is_some_and(|length| length >= MARKER_MIN as u64)
}
