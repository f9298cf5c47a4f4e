//! Small pushes that change nothing but positions: prose that opens nothing, and a string that goes on as it stands.
//!
//! Most pushes of a stream are such. They are told straight from the caller's bytes. Whatever else a push may be is left to
//! the modes: what is done here is exactly what they would do, at a tenth of the cost.

use super::teller::Speech;
use super::view::View;
use super::{Mode, Parser};
use crate::program::Node;
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
        match &mut self.mode {
            Mode::Text => {
                let speech = self.context.speech;
                let openers = &self.program.openers;
                if self.not_before > self.pos
                    || speech == Speech::Junk
                    || openers.can_begin_in(bytes, &self.context.waits)
                {
                    return false;
                }
                let base = self.base;
                self.pos = base + len;
                self.base = self.pos;
                if speech == Speech::Reasoning {
                    self.teller.pass(len, Event::Reasoning(text), sink);
                } else if self.teller.spoken && self.teller.quote.ignores(bytes) {
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
                if !value.goes_on_as_it_stands(node, text) {
                    return false;
                }
            }
            Mode::Xml(xml) => {
                if !xml.goes_on_as_it_stands(text) {
                    return false;
                }
            }
            Mode::Between | Mode::Python(_) => return false,
        }
        let Some(call) = &self.teller.call else {
            return false;
        };
        let call = call.id;
        self.teller
            .pass(len, Event::Args { call, json: text }, sink);
        self.work += len;
        self.pos += len;
        self.base = self.pos;
        true
    }
}
