//! Text mode: find the next byte that can begin an opener, or the literal that a context waits for.

use super::entry::EntryFacts;
use super::line::Line;
use super::quick::HELD;
use super::thread::Thread;
use super::view::View;
use super::{Channel, Log, Mode, Parser};
use crate::{InCode, InReasoning, Sink};

impl Parser {
    /// Returns whether the mode changed.
    // Within the loop of modes, what it needs would be worked out at every push.
    #[inline(never)]
    pub(super) fn text(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let waits = self.context.waits;
        let mut from = self.pos.max(self.input.not_before);
        let bodies = &view.program.rules.bodies_first;
        loop {
            let rest = if from < view.end() {
                view.from(from)
            } else {
                &[]
            };
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
                    // A marker does not begin inside a word.
                    from = at + 1;
                    continue;
                }
                let (read, is_complete) = self.walk_trie(view, at);
                if !is_complete && read < bytes.len() {
                    from = at + 1;
                    continue;
                }
                // So little says nothing yet, and an opener of one byte counts with the byte after it.
                let is_little = if is_complete {
                    bytes.len() == 1
                } else {
                    read <= HELD
                };
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

    /// Whether an opener that begins the message, or a quotation, may stand at `at`: the text before it was not told yet.
    fn may_start(&self, view: View<'_>, at: u64) -> bool {
        let emitted = self.emitter.cursor.max(self.emitter.origin()).min(at);
        let unemitted = view.bytes(emitted, at);
        !self.emitter.spoken
            || self.thought.interrupted.is_some()
            || self.emitter.quote.may_start_after(unemitted)
    }

    /// Walks the trie over the bytes that are here, up to an opener that may stand at `at`. Nothing is touched.
    fn walk_trie(&mut self, view: View<'_>, at: u64) -> (usize, bool) {
        let bytes = view.from(at);
        let (read, openers) = view.program.trie.walk(bytes, |opener| {
            let starts_line = || self.may_start_line(view, at, opener.may_be_kept);
            (!opener.start || self.may_start(view, at))
                && (!opener.bol || starts_line() || self.may_start(view, at))
        });
        self.set.found.work += read as u64 + 1;
        (read, !openers.is_empty())
    }

    /// Whether what stands at `at` may begin a line, or stand after what keeps what it gives; `false` where other text
    /// certainly stands before it.
    fn may_start_line(&self, view: View<'_>, at: u64, may_be_kept: bool) -> bool {
        /// Bytes that are looked back at.
        const FAR: u64 = 64;
        let emitter = &self.emitter;
        let is_plain = self.context.channel == Channel::Text
            && self.thought.interrupted.is_none()
            && self.tokens.is_empty()
            && !emitter.mute
            && !emitter.reasoning_is_over
            && emitter.has_started();
        if !is_plain {
            return true;
        }
        let certain = emitter.cursor.max(emitter.origin());
        let near = certain.max(at.saturating_sub(FAR));
        let before = view.bytes(near, at);
        let (mut line, before) = match memchr::memrchr(b'\n', before) {
            Some(end) => (Line::default(), &before[end + 1..]),
            None if near == certain => (emitter.quote.line, before),
            // How it begins is not seen: a mark of a list may stand there, or a name that keeps.
            None => return may_be_kept || !before.iter().any(u8::is_ascii_alphabetic),
        };
        for &byte in before {
            if line.is_led() {
                return false;
            }
            line.byte(byte);
        }
        line.may_lead() || may_be_kept && line.keeps()
    }

    /// A candidate begins at `at`: the set is what a context waits for, then all openers.
    pub(super) fn start_candidate(&mut self, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        // The text before it is certain, and the quoting context is a function of it.
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
        // A prompt ends where the answer begins, and nobody speaks of a token that is one.
        let starts = if self.context.channel == Channel::Reasoning {
            self.emitter.at_line
        } else if next == b'`' {
            self.emitter.quote.at_fence()
        } else {
            self.emitter.quote.at_bol()
        };
        // The end of reasoning begins a line, as the message does.
        let follows = self.emitter.reasoning_is_over || !self.emitter.has_started();
        let starts = starts || (follows && self.context.channel == Channel::Text);
        let line = self.emitter.quote.line;
        let is_said = self.context.channel == Channel::Text;
        // After calls of other kinds, a view.program that keeps what calls give explains those.
        self.candidate.is_kept =
            is_said && line.keeps() && !line.is_nested() && self.emitter.calls_in_lines();
        self.candidate.entry.is_enclosed = is_said && line.is_nested();
        // The fence that closes a wrapper opens no other one.
        let may_be_code = self.context.channel != Channel::Reasoning && !special;
        self.candidate.is_in_code = self.emitter.quote.is_quoted(next) && may_be_code;
        // Nor does one in a quotation, which may close that.
        let is_fence = matches!(next, b'`' | b'~');
        let closes_wrapper = is_fence && self.emitter.quote.is_wrapped();
        let starts_quotation =
            self.candidate.is_in_code && self.emitter.quote.is_fresh && !is_fence;
        self.candidate.bol = starts || starts_quotation || special || self.follows_marker();
        self.candidate.start = starts_quotation || !self.emitter.spoken && !closes_wrapper;
        self.candidate.is_wrapped = self.candidate.is_in_code
            && self.options.in_code == InCode::Auto
            && self.emitter.quote.may_call()
            && !is_fence;
        let ignores = self.options.in_reasoning == InReasoning::Ignore;
        let is_closed_reasoning =
            self.context.channel == Channel::Reasoning && !self.context.open_ended;
        self.candidate.is_in_reasoning = is_closed_reasoning && !special;
        let is_reasoning = self.candidate.is_in_reasoning && ignores;
        self.candidate.is_undecided = is_reasoning && self.thought.decided != Some(at);
        self.candidate.quoted = (self.candidate.is_in_code
            && self.options.in_code != InCode::Accept
            && !self.candidate.is_wrapped)
            || (is_reasoning && self.context.is_choosy);
        self.forget_candidate();
        for waiting in &self.context.sync_points {
            let log = waiting
                .acts
                .iter()
                .fold(Log::ROOT, |log, &act| self.set.log.push(log, act, at));
            let mut thread = Thread {
                log,
                ..waiting.thread
            };
            if let Some(literal) = &waiting.literal {
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

    /// Entries that begin with a body, or with a literal that must be filled.
    fn add_bodies(&mut self, view: View<'_>, at: u64) {
        let mut threads = core::mem::take(&mut self.set.threads);
        for way in &view.program.rules.bodies {
            if (way.bol && !self.candidate.bol) || (way.start && !self.candidate.start) {
                continue;
            }
            let mut thread = Thread::at(way.target, Log::ROOT, at);
            for &enter in &way.enters {
                let act = super::log::Act::Enter(enter);
                thread.log = self.set.log.push(thread.log, act, at);
            }
            self.add_positions(view, thread, &[way.target], &mut threads);
        }
        self.set.threads = threads;
    }

    /// The candidate is none: its first byte is text, the rest is read again, at most four times deep.
    pub(super) fn reject(&mut self, upto: u64) {
        self.pos = self.candidate.at;
        self.input.not_before = self.candidate.at + 1;
        if self.candidate.is_wrapped && self.context.channel == Channel::Text {
            // Its first byte is text in a wrapper, which so is a quotation: the candidate may be one that is quoted.
            self.emitter.quote.refuse_calls();
            self.input.not_before = self.candidate.at;
        }
        // Where no opener was read whole none began. Had more of it been here, there would have been no candidate.
        if self.set.found.opened {
            let is_again = self.candidate.at < self.input.reread_end;
            let depth = u8::from(is_again) * self.input.reread_depth + 1;
            self.input.reread_end = self.input.reread_end.max(upto);
            self.input.reread_depth = depth.min(4);
            if depth >= 4 {
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
