//! The result of a closer lookahead: the signal of its last byte, and the decision for its value.

use super::Parser;
use super::closer_lookahead::CloserLookahead;
use super::log::Log;
use super::value::{AfterValue, Value, ValueEnd};
use crate::thresholds::MARKER_MIN;

/// What the lookahead decides about the value.
#[derive(Debug)]
pub(super) enum Decision {
    /// More bytes are needed, or the message ends in a possible closer, whose bytes then belong to no argument.
    Pending,
    /// The bytes up to `upto` belong to the value.
    Data { upto: u64, doubt: bool },
    /// The value ends.
    Ends(ValueEnd),
}

/// What the lookahead found at a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Data,
    /// The message ends before the lookahead can decide.
    Cut,
    Nested,
    Unnested,
    /// Another value of the call opens. The closers after its opener decide whether this value's closer is missing.
    Another,
    /// The value ends at its closer, and nothing was supplied.
    Ends,
    /// The value ends, and a closer is missing.
    Recovered,
}

impl Parser {
    /// The message ends during the lookahead.
    pub(super) fn at_end(&self, probe: &CloserLookahead, value: &Value) -> Signal {
        let leaves = self.any_leaves_call(&probe.follow);
        // The last closer of a value with its own openers may be one of many, without a closer of the call.
        let is_closed = leaves || probe.last.is_some() && !value.has_nested;
        match (probe.last, probe.has_closer()) {
            (_, true) if value.nest == 0 && is_closed => Signal::Ends,
            (Some(_), _) if self.ending.is_cut_off => Signal::Cut,
            (Some(_), _) => Signal::Recovered,
            // The literal opens another value, but none follows: the literal is data, and the value is in doubt.
            (None, true) if value.nest == 0 && !self.ending.is_cut_off && is_marker(probe) => {
                Signal::Data
            }
            (None, _) => Signal::Cut,
        }
    }

    /// Turns the lookahead's signal into the decision about the value.
    pub(super) fn decide(
        &mut self,
        found: Signal,
        value: &mut Value,
        probe: &CloserLookahead,
    ) -> Decision {
        let read = probe.read.filter(|_| found == Signal::Ends);
        if read.is_none() {
            self.set.log.clear();
            self.set.flushed = Log::ROOT;
        }
        let (at, upto) = (probe.at, probe.at + 1);
        match found {
            Signal::Data => {
                value.passed_closer |= probe.last.is_some();
                value.prose_to = value.prose_to.max(probe.prose_to.unwrap_or(0));
                // The value passes its own unpaired closer or an unknown parameter, and is in doubt.
                let has_evidence = probe.n_skips > 0 || is_marker(probe);
                // A literal that could end an empty value is no evidence about a longer value.
                let text = self.program.text(value.node);
                let is_start = text.is_some_and(|text| value.may_be_over(text));
                let doubt =
                    value.nest == 0 && has_evidence && !is_start && !value.writer.is_in_string();
                if probe.has_closer() && value.nest > 0 {
                    value.nest -= 1;
                }
                Decision::Data { upto, doubt }
            }
            Signal::Nested => {
                // Closers are counted only once for a value.
                value.passed_closer |= probe.missing.is_some();
                value.nest += 1;
                value.has_nested = true;
                Decision::Data { upto, doubt: false }
            }
            Signal::Unnested => {
                value.nest -= 1;
                Decision::Data { upto, doubt: false }
            }
            Signal::Cut => Decision::Pending,
            Signal::Another | Signal::Ends | Signal::Recovered => Decision::Ends(ValueEnd {
                at,
                recovered: found != Signal::Ends || probe.is_damaged,
                after: match read {
                    _ if found == Signal::Another => AfterValue::Closer,
                    Some(upto) if !value.cut_in_doubt => AfterValue::Read { upto },
                    _ if found == Signal::Recovered && !probe.has_closer() => AfterValue::Enclosing,
                    _ => AfterValue::Value,
                },
            }),
        }
    }
}

/// Whether the closer that was read whole is too long to occur in a value by chance.
fn is_marker(probe: &CloserLookahead) -> bool {
    let length = probe.closer_end.map(|end| end - probe.at);
    length.is_some_and(|length| length >= MARKER_MIN as u64)
}
