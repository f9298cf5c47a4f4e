//! Pushes that change little but positions: prose that opens nothing, and a string or a raw value that goes on.
//!
//! Most pushes of a stream are such, and most of a long string is. They are told straight from the caller's bytes, escaped
//! where a value is not JSON. Whatever else a push may be is left to the modes: what is done here is exactly what they would
//! do, at a tenth of the cost.

use toolglot_json::internal::{StringRun, escape_into, is_plain};

use super::emitter::Channel;
use super::view::View;
use super::{Mode, Parser};
use crate::program::Openers;
use crate::{Event, Sink};

/// Up to this many bytes a push is told whole or not at all. Of a longer one, only what goes on in a string of JSON gains
/// by it, if it is at least as long.
const SMALL: usize = 64;

/// Bytes of prose that are held without a candidate: a first byte of openers, and perhaps the second.
pub(super) const HELD: usize = 2;

impl Parser {
    /// Tells the bytes of `text`, from its first on, that are of that kind, and says how many those were. No byte may be
    /// held.
    #[inline]
    pub(super) fn quick(&mut self, text: &str, sink: &mut dyn Sink) -> usize {
        if !self.fitting.is_passing() {
            return 0;
        }
        let stretch = match &mut self.mode {
            Mode::Json(body) => body.stretch(text),
            Mode::Envelope(envelope) => envelope.stretch(text),
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
        let Some(call) = self.emitter.call.as_ref().map(|call| call.id) else {
            return 0;
        };
        if stretch.length < text.len().min(SMALL) {
            return 0;
        }
        let length = stretch.length as u64;
        let json = &text[..stretch.length];
        match &mut self.mode {
            Mode::Envelope(envelope) => envelope.pass(json),
            Mode::Json(body) => body.json.pass(json, self.pos),
            _ => {}
        }
        self.set.found.work += length;
        self.pos += length;
        self.input.base = self.pos;
        if stretch.is_raw && !is_plain(json) {
            escape_into(self.emitter.args(), json);
            self.emitter.flush_args(self.pos, sink);
        } else {
            self.emitter.pass(length, Event::Args { call, json }, sink);
        }
        stretch.length
    }

    /// Tells the stretch of `text` that stands inside the string which begins there, if what is in strings passes as it is.
    /// Says whether it did.
    pub(super) fn emit_inside(
        &mut self,
        text: &str,
        stretch: StringRun,
        sink: &mut dyn Sink,
    ) -> bool {
        let Some(call) = self.emitter.call.as_ref().map(|call| call.id) else {
            return false;
        };
        if stretch.length == 0 || !self.fitting.is_passing() {
            return false;
        }
        let json = &text[..stretch.length];
        if stretch.is_raw {
            escape_into(self.emitter.args(), json);
        } else {
            self.emitter.flush_args(self.pos, sink);
            let length = stretch.length as u64;
            self.emitter.pass(length, Event::Args { call, json }, sink);
        }
        self.set.found.work += stretch.length as u64;
        self.pos += stretch.length as u64;
        true
    }

    /// Tells a small push of prose after what is held of the one before, but for a last byte that may begin an opener: that
    /// is held. `false` if more may begin here; nothing is touched then.
    #[inline]
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
        if n_held + n_open == 0 {
            self.quick_text(channel, is_plain, text, sink);
            self.pos = self.input.base;
            return true;
        }
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
        if n_open > 0 {
            self.input.buffer.push_str(open);
        }
        true
    }

    /// Tells prose; `is_plain`: no byte of it changes what is quoted.
    #[inline]
    fn quick_text(&mut self, channel: Channel, is_plain: bool, text: &str, sink: &mut dyn Sink) {
        let (base, len) = (self.input.base, text.len() as u64);
        self.input.base += len;
        if channel == Channel::Reasoning && self.emitter.thought {
            self.emitter.pass(len, Event::Reasoning(text), sink);
        } else if channel == Channel::Text && is_plain && self.emitter.spoken {
            self.emitter.pass(len, Event::Text(text), sink);
        } else {
            let program = &self.program;
            let view = View::new(program, text, base);
            self.emitter.text(channel, view, self.input.base, sink);
        }
    }

    /// Tells what is certain of a small push of a raw value, after what is held of the one before; the rest, blanks and
    /// what may begin a closer, is held. `false` if it may end the value; nothing is touched then.
    #[inline]
    pub(super) fn quick_value(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        let n_held = self.input.buffer.len();
        if text.len() > SMALL || n_held > SMALL || self.emitter.has_args() {
            return false;
        }
        let Mode::Value(value) = &mut self.mode else {
            return false;
        };
        let Some(node) = self.program.text(value.node) else {
            return false;
        };
        let blanks = self.program.limits.blanks;
        self.input.buffer.push_str(text);
        let both = self.input.buffer.as_bytes();
        let Some(certain) = value.continues(node, &self.set.registers, both, blanks) else {
            self.input.buffer.truncate(n_held);
            return false;
        };
        let mut buffer = core::mem::take(&mut self.input.buffer);
        self.quick_args(&buffer[..certain], sink);
        buffer.drain(..certain);
        self.input.buffer = buffer;
        self.set.found.work += text.len() as u64;
        self.pos += text.len() as u64;
        true
    }

    /// Tells the next bytes, which are inside a string of the arguments.
    #[inline]
    fn quick_args(&mut self, text: &str, sink: &mut dyn Sink) {
        if text.is_empty() {
            return;
        }
        self.input.base += text.len() as u64;
        escape_into(self.emitter.args(), text);
        self.emitter.flush_args(self.input.base, sink);
    }
}
