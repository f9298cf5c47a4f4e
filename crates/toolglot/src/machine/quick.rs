//! Small pushes that change little but positions: prose that opens nothing, and a string or a raw value that goes on.
//!
//! Most pushes of a stream are such. They are told straight from the caller's bytes, escaped where a value is not JSON. Whatever else a push may be is left to
//! the modes: what is done here is exactly what they would do, at a tenth of the cost.

use toolglot_json::{escape_into, is_plain};

use super::teller::Speech;
use super::view::View;
use super::{Mode, Parser};
use crate::program::{Node, Openers};
use crate::{Event, Sink};

/// Longer pushes gain nothing.
const SMALL: usize = 64;

impl Parser {
    /// Tells all of `text`, if it is of that kind; otherwise touches nothing. No byte may be held.
    #[inline]
    pub(super) fn quick(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        if text.len() > SMALL || self.teller.has_args() {
            return false;
        }
        let bytes = text.as_bytes();
        let len = text.len() as u64;
        let mut is_json = true;
        match &mut self.mode {
            Mode::Text => {
                let speech = self.context.speech;
                let (openers, waits) = (&self.program.openers, &self.context.waits);
                let kinds = openers.kinds(bytes);
                if self.not_before > self.pos
                    || speech == Speech::Junk
                    || (kinds & Openers::BEGINS != 0 || !waits.is_empty())
                        && openers.can_begin_in(bytes, waits)
                {
                    return false;
                }
                let base = self.base;
                self.pos = base + len;
                self.base = self.pos;
                if speech == Speech::Reasoning {
                    self.teller.pass(len, Event::Reasoning(text), sink);
                } else if self.teller.spoken
                    && kinds & Openers::QUOTES == 0
                    && self.teller.quote.ignores_plain()
                {
                    self.teller.pass(len, Event::Text(text), sink);
                } else {
                    self.teller
                        .speak(speech, View { text, base }, self.pos, sink);
                }
                return true;
            }
            Mode::Json(body) => {
                if !self.fitting.is_passing() || !body.json.goes_on_as_it_stands(text) {
                    return false;
                }
            }
            Mode::Envelope(envelope) => {
                if !self.fitting.is_passing() || !envelope.goes_on_as_it_stands(text) {
                    return false;
                }
            }
            Mode::Value(value) => {
                let Node::Text(node) = self.program.node(value.node) else {
                    return false;
                };
                if !value.goes_on(node, &self.registers, text) {
                    return false;
                }
                is_json = is_plain(text);
            }
            Mode::Xml(xml) => {
                if !xml.goes_on(text) {
                    return false;
                }
                is_json = is_plain(text);
            }
            Mode::Between | Mode::Python(_) => return false,
        }
        let Some(call) = &self.teller.call else {
            return false;
        };
        let call = call.id;
        self.work += len;
        self.pos += len;
        self.base = self.pos;
        if is_json {
            self.teller
                .pass(len, Event::Args { call, json: text }, sink);
        } else {
            escape_into(self.teller.args(), text);
            self.teller.flush_args(self.pos, sink);
        }
        true
    }
}
