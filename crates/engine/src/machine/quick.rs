//! Fast paths for pushes that change only positions: prose without openers, and the rest of a string or a raw value.
//!
//! Most pushes of a stream take a fast path, and so do most bytes of a long string. They are emitted from the caller's
//! bytes, escaped where a value is not JSON. All other pushes are left to the modes. A fast path does exactly what the
//! mode would do, at a tenth of the cost.

use toolglot_json::internal::{StringRun, escape_into, is_plain};

use super::emitter::Channel;
use super::view::View;
use super::{Mode, Parser};
use crate::program::Openers;
use crate::{Event, Sink};

/// A push of up to this many bytes is emitted whole or not at all. Of a longer push, only a run in a JSON string is
/// emitted, if the run has at least this many bytes.
const SMALL: usize = 64;

/// Most bytes of prose that are held without a candidate: the first byte of an opener, and perhaps the second.
pub(super) const HELD: usize = 2;

impl Parser {
    /// Emits the leading bytes of `text` that only continue a string, and returns how many there are. No byte may be
    /// held.
    pub(super) fn quick(&mut self, text: &str, sink: &mut dyn Sink) -> usize {
        if !self.fitting.is_passing() {
            return 0;
        }
        let run = match &mut self.mode {
            Mode::Json(body) => body.string_run(text),
            Mode::Envelope(envelope) => envelope.string_run(text),
            Mode::Xml(xml) => {
                if text.len() > SMALL || !xml.continues(text) {
                    return 0;
                }
                self.set.found.work += text.len() as u64;
                self.pos += text.len() as u64;
                self.quick_args(text, sink);
                return text.len();
            }
            _ => return 0,
        };
        let is_long = run.length >= text.len().min(SMALL);
        let Some(call) = self.emitter.call.as_ref().filter(|_| is_long) else {
            return 0;
        };
        let call = call.id;
        let length = run.length as u64;
        let json = &text[..run.length];
        match &mut self.mode {
            Mode::Envelope(envelope) => envelope.pass(json),
            Mode::Json(body) => body.json.pass(json, self.pos),
            _ => {}
        }
        self.set.found.work += length;
        self.pos += length;
        self.input.base = self.pos;
        if run.is_raw && !is_plain(json) {
            escape_into(self.emitter.args(), json);
            self.emitter.flush_args(self.pos, sink);
        } else {
            self.emitter.pass(length, Event::Args { call, json }, sink);
        }
        run.length
    }

    /// Emits the string run at the start of `text`, if strings pass unchanged. Returns whether it did.
    pub(super) fn emit_inside(&mut self, text: &str, run: StringRun, sink: &mut dyn Sink) -> bool {
        let may_pass = run.length > 0 && self.fitting.is_passing();
        let Some(call) = self.emitter.call.as_ref().filter(|_| may_pass) else {
            return false;
        };
        let call = call.id;
        let json = &text[..run.length];
        if run.is_raw {
            escape_into(self.emitter.args(), json);
        } else {
            self.emitter.flush_args(self.pos, sink);
            let length = run.length as u64;
            self.emitter.pass(length, Event::Args { call, json }, sink);
        }
        self.set.found.work += run.length as u64;
        self.pos += run.length as u64;
        true
    }

    /// Emits a small push of prose after the held bytes of the push before, and holds last bytes that may start an
    /// opener. Returns `false` and changes nothing if more than an opener's start is here.
    pub(super) fn quick_prose(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        let n_held = self.input.buffer.len();
        if n_held > HELD || text.len() > SMALL {
            return false;
        }
        let channel = self.context.channel;
        if self.input.not_before > self.pos
            || channel == Channel::Junk
            || self.emitter.mute
            || self.emitter.has_args()
        {
            return false;
        }
        let mut both: [u8; HELD + SMALL];
        let bytes = if n_held == 0 {
            text.as_bytes()
        } else {
            both = [0; HELD + SMALL];
            both[..n_held].copy_from_slice(self.input.buffer.as_bytes());
            both[n_held..n_held + text.len()].copy_from_slice(text.as_bytes());
            &both[..n_held + text.len()]
        };
        let waits = &self.context.waits;
        let kinds = self.program.openers.kinds(bytes);
        let mut n_open = 0;
        if kinds & Openers::STARTS != 0 || !waits.set.is_empty() {
            let Some(open) = self.program.openers.open_end(bytes, waits) else {
                return false;
            };
            n_open = open;
        }
        let is_plain = kinds & Openers::QUOTES == 0 && self.emitter.quote.ignores_plain();
        let (emitted, open) = text.split_at(text.len() - n_open);
        if let Some(first) = open.bytes().next()
            && self.program.rules.bodies_first.has(first)
        {
            return false;
        }
        if n_held > 0 {
            let held = core::mem::take(&mut self.input.buffer);
            self.quick_text(channel, is_plain, &held, sink);
            self.input.buffer = held;
            self.input.buffer.clear();
        }
        if !emitted.is_empty() {
            self.quick_text(channel, is_plain, emitted, sink);
        }
        self.pos = self.input.base;
        self.input.buffer.push_str(open);
        true
    }

    /// Emits prose; `is_plain`: none of its bytes changes what is quoted.
    fn quick_text(&mut self, channel: Channel, is_plain: bool, text: &str, sink: &mut dyn Sink) {
        let (base, len) = (self.input.base, text.len() as u64);
        self.input.base += len;
        if channel == Channel::Reasoning && self.emitter.has_reasoning {
            self.emitter.pass(len, Event::Reasoning(text), sink);
        } else if channel == Channel::Text && is_plain && self.emitter.has_text {
            self.emitter.pass(len, Event::Text(text), sink);
        } else {
            let program = &self.program;
            let view = View::new(program, text, base);
            self.emitter.text(channel, view, self.input.base, sink);
        }
    }

    /// Emits the certain bytes of a small push of a raw value, after the held bytes of the push before. Holds the rest:
    /// blanks and the possible start of a closer. Returns `false` and changes nothing if the push may end the value.
    pub(super) fn quick_value(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        if text.len() > SMALL || self.input.buffer.len() > SMALL || self.emitter.has_args() {
            return false;
        }
        self.read_held(text, |parser, held| {
            let Mode::Value(value) = &mut parser.mode else {
                return None;
            };
            let node = parser.program.text(value.node)?;
            let blanks = parser.program.limits.blanks;
            let certain = value.continues(node, &parser.set.registers, held.as_bytes(), blanks)?;
            parser.quick_args(&held[..certain], sink);
            parser.set.found.work += text.len() as u64;
            parser.pos += text.len() as u64;
            Some(certain)
        })
    }

    /// Emits the next bytes, which are inside a string of the arguments.
    fn quick_args(&mut self, text: &str, sink: &mut dyn Sink) {
        self.input.base += text.len() as u64;
        escape_into(self.emitter.args(), text);
        self.emitter.flush_args(self.input.base, sink);
    }
}
