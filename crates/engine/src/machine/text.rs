//! Text mode: finds the next byte that can start an opener, or the literal that a context waits for.

use super::entry::EntryFacts;
use super::line::Line;
use super::quick::HELD;
use super::thread::Thread;
use super::view::View;
use super::{Channel, Log, Mode, Parser};
use crate::thresholds::{LOOKBACK_MAX, REREAD_MAX};
use crate::{InCode, InReasoning, Sink};

impl Parser {
    /// Returns whether the mode changed.
    // Inlined into the loop of modes, its setup would run at every push.
    #[inline(never)]
    pub(super) fn text(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let waits = self.context.waits;
        let mut from = self.pos.max(self.input.not_before);
        let bodies = &view.program.rules.bodies_first;
        loop {
            let rest = view.from(from.min(view.end()));
            let Some(step) = view.program.openers.find(rest, &waits) else {
                self.pos = view.end();
                return false;
            };
            let at = from + step as u64;
            let bytes = &rest[step..];
            self.set.found.work += 1;
            let trie_only = !waits.set.has(bytes[0]) && !bodies.has(bytes[0]);
            if trie_only {
                if is_word(bytes[0]) && is_word(self.byte_before(view, at)) {
                    // A marker does not start inside a word.
                    from = at + 1;
                    continue;
                }
                let (read, is_complete) = self.walk_trie(view, at);
                if !is_complete && read < bytes.len() {
                    from = at + 1;
                    continue;
                }
                // So few bytes decide nothing yet, and an opener of one byte needs the byte after it.
                let is_little = !is_complete && read <= HELD || is_complete && bytes.len() == 1;
                if is_little && !view.eof && !self.emitter.mute {
                    self.pos = at;
                    return false;
                }
            }
            self.set.found.opened = !trie_only;
            self.start_candidate(view, at, sink);
            return true;
        }
    }

    /// The byte of text before `at`, 0 if there is none.
    fn byte_before(&self, view: View<'_>, at: u64) -> u8 {
        if at > self.emitter.cursor {
            view.byte(at - 1).unwrap_or(0)
        } else {
            self.emitter.last
        }
    }

    /// Whether an opener that starts the message, or a quotation, may be at `at`. The text before it may not be emitted
    /// yet.
    fn may_start(&self, view: View<'_>, at: u64) -> bool {
        let emitted = self.emitter.cursor.max(self.emitter.origin()).min(at);
        let unemitted = view.bytes(emitted, at);
        !self.emitter.has_text
            || self.reasoning.interrupted.is_some()
            || self.emitter.quote.may_start_after(unemitted)
    }

    /// Walks the trie from `at` to an opener that may be there. Returns the bytes read, and whether one is complete.
    fn walk_trie(&mut self, view: View<'_>, at: u64) -> (usize, bool) {
        let bytes = view.from(at);
        let (read, openers) = view.program.trie.walk(bytes, |opener| {
            let starts_line = || self.may_start_line(view, at, opener.may_be_assigned);
            (!opener.start || self.may_start(view, at))
                && (!opener.bol || starts_line() || self.may_start(view, at))
        });
        self.set.found.work += read as u64 + 1;
        (read, !openers.is_empty())
    }

    /// Whether an opener at `at` may start a line, or follow what keeps a call's result (`r =`); `false` where other
    /// text certainly precedes it.
    fn may_start_line(&self, view: View<'_>, at: u64, may_be_assigned: bool) -> bool {
        let emitter = &self.emitter;
        let is_plain = self.context.channel == Channel::Text
            && self.reasoning.interrupted.is_none()
            && self.tokens.is_empty()
            && !emitter.mute
            && !emitter.reasoning_is_over
            && emitter.has_started();
        if !is_plain {
            return true;
        }
        let certain = emitter.cursor.max(emitter.origin());
        let near = certain.max(at.saturating_sub(LOOKBACK_MAX));
        let before = view.bytes(near, at);
        let (mut line, before) = match memchr::memrchr(b'\n', before) {
            Some(end) => (Line::default(), &before[end + 1..]),
            None if near == certain => (emitter.quote.line, before),
            // The line's start is not visible: it may be a bullet, or a name that keeps the result.
            None => return may_be_assigned || !before.iter().any(u8::is_ascii_alphabetic),
        };
        for &byte in before {
            if line.is_led() {
                return false;
            }
            line.byte(byte);
        }
        line.may_lead() || may_be_assigned && line.keeps()
    }

    /// Starts a candidate at `at`: the set has what the context waits for, then all openers.
    pub(super) fn start_candidate(&mut self, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        // The text before the candidate is certain, and the quoting context depends on that text.
        self.emit_text(view, at, sink);
        let next = view.byte(at).unwrap_or(b' ');
        self.candidate.at = at;
        self.pos = at;
        self.candidate.checkpoint = at;
        self.candidate.committed = false;
        self.candidate.is_noted = false;
        self.candidate.entry = EntryFacts::new(self.emitter.last, next);
        self.candidate.forget_fallback();
        let special = self.tokens.is_at(at);
        // Prose does not mention real tokens, so a special token counts as a line's start.
        let starts = if self.context.channel == Channel::Reasoning {
            self.emitter.at_line
        } else if next == b'`' {
            self.emitter.quote.at_fence()
        } else {
            self.emitter.quote.at_bol()
        };
        // The end of reasoning starts a line, as the message's start does.
        let follows = self.emitter.reasoning_is_over || !self.emitter.has_started();
        let starts = starts || (follows && self.context.channel == Channel::Text);
        let line = self.emitter.quote.line;
        let is_text = self.context.channel == Channel::Text;
        // After calls of other kinds, a program that keeps the results of calls explains those calls.
        let in_lines = self.emitter.calls == self.emitter.line_calls;
        self.candidate.is_kept = is_text && line.keeps() && !line.is_nested() && in_lines;
        self.candidate.entry.is_enclosed = is_text && line.is_nested();
        let may_be_code = self.context.channel != Channel::Reasoning && !special;
        self.candidate.is_in_code = self.emitter.quote.is_quoted(next) && may_be_code;
        // A fence in a wrapper or another quotation may close that, and opens no other.
        let is_fence = matches!(next, b'`' | b'~');
        let closes_wrapper = is_fence && self.emitter.quote.is_wrapped();
        let starts_quotation =
            self.candidate.is_in_code && self.emitter.quote.is_fresh && !is_fence;
        self.candidate.bol = starts || starts_quotation || special || self.follows_marker();
        self.candidate.start = starts_quotation || !self.emitter.has_text && !closes_wrapper;
        self.candidate.is_wrapped = self.candidate.is_in_code
            && self.options.in_code == InCode::Auto
            && self.emitter.quote.may_call()
            && !is_fence;
        let ignores = self.options.in_reasoning == InReasoning::Ignore;
        let is_closed_reasoning =
            self.context.channel == Channel::Reasoning && !self.context.open_ended;
        self.candidate.is_in_reasoning = is_closed_reasoning && !special;
        let is_reasoning = self.candidate.is_in_reasoning && ignores;
        self.candidate.is_undecided = is_reasoning && self.reasoning.decided != Some(at);
        self.candidate.quoted = (self.candidate.is_in_code
            && self.options.in_code != InCode::Accept
            && !self.candidate.is_wrapped)
            || (is_reasoning && self.context.is_strict);
        self.forget_candidate();
        for point in &self.context.sync_points {
            let acts = point.acts.iter();
            let log = acts.fold(Log::ROOT, |log, &act| self.set.log.push(log, act, at));
            let mut thread = Thread {
                log,
                ..point.thread
            };
            if let Some(literal) = &point.literal {
                let literal = core::iter::once(literal.as_slice());
                thread.instance = self.set.instances.add(literal).unwrap_or_default();
            }
            self.set.threads.push(thread);
        }
        self.set
            .threads
            .push(Thread::at(view.program.rules.trie_node, Log::ROOT, at));
        if (!self.candidate.quoted || self.candidate.is_in_code)
            && view.program.rules.bodies_first.has(next)
        {
            self.add_bodies(view, at);
        }
        self.mode = Mode::Matching;
    }

    /// Adds the entries that start with a body, or with a literal that must be filled.
    fn add_bodies(&mut self, view: View<'_>, at: u64) {
        let mut threads = core::mem::take(&mut self.set.threads);
        for body in &view.program.rules.bodies {
            if (body.bol && !self.candidate.bol) || (body.start && !self.candidate.start) {
                continue;
            }
            let mut thread = Thread::at(body.target, Log::ROOT, at);
            for &enter in &body.enters {
                let act = super::log::Act::Enter(enter);
                thread.log = self.set.log.push(thread.log, act, at);
            }
            self.add_positions(view, thread, &[body.target], &mut threads);
        }
        self.set.threads = threads;
    }

    /// Rejects the candidate: its first byte is text, the rest is read again, at most four levels deep.
    pub(super) fn reject(&mut self, upto: u64) {
        self.pos = self.candidate.at;
        self.input.not_before = self.candidate.at + 1;
        if self.candidate.is_wrapped && self.context.channel == Channel::Text {
            // Text makes the wrapper a quotation, in which the candidate is read again.
            self.emitter.quote.refuse_calls();
            self.input.not_before = self.candidate.at;
        }
        // Without a complete opener none started: with more bytes here, there would be no candidate.
        if self.set.found.opened {
            let is_again = self.candidate.at < self.input.reread_end;
            let depth = u8::from(is_again) * self.input.reread_depth + 1;
            self.input.reread_end = self.input.reread_end.max(upto);
            self.input.reread_depth = depth.min(REREAD_MAX);
            if depth >= REREAD_MAX {
                self.input.not_before = self.input.not_before.max(upto);
            }
        }
        self.mode = self.after_candidate();
        self.forget_candidate();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
