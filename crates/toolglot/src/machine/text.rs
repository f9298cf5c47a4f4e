//! Text mode: find the next byte that can begin an opener, or the literal that a context waits for.

use super::quick::HELD;
use super::thread::Thread;
use super::view::View;
use super::{Log, Mode, Parser, Speech};
use crate::program::Program;
use crate::{InCode, Sink};

/// How the openers' trie takes some bytes.
enum Walked {
    /// No opener begins so.
    Died,
    /// One may, and is not complete.
    Open,
    /// One is complete.
    Complete,
}

impl Parser {
    /// Returns whether the mode changed.
    pub(super) fn text(
        &mut self,
        program: &Program,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let waits = self.context.waits;
        let mut from = self.pos.max(self.not_before);
        loop {
            let rest = if from < view.end() {
                view.from(from)
            } else {
                &[]
            };
            let found = if waits.is_empty() {
                program.openers.find(rest)
            } else {
                program.openers.find_or(rest, &waits)
            };
            let Some(step) = found else {
                self.pos = view.end();
                return false;
            };
            let at = from + step as u64;
            let bytes = &rest[step..];
            self.work += 1;
            let trie_only = !waits.has(bytes[0]) && !program.rules.bodies_first.has(bytes[0]);
            if trie_only && is_word(bytes[0]) && is_word(self.byte_before(view, at)) {
                // A marker does not begin inside a word.
                from = at + 1;
                continue;
            }
            if trie_only {
                match self.walk_trie(program, bytes) {
                    Walked::Died => {
                        from = at + 1;
                        continue;
                    }
                    // So little says nothing yet.
                    Walked::Open if bytes.len() <= HELD && !eof && !self.teller.mute => {
                        self.pos = at;
                        return false;
                    }
                    // It counts with the byte behind it.
                    Walked::Complete if bytes.len() == 1 && !eof && !self.teller.mute => {
                        self.pos = at;
                        return false;
                    }
                    Walked::Open | Walked::Complete => {}
                }
            }
            self.found.opened = !trie_only;
            self.begin_candidate(program, view, at, sink);
            return true;
        }
    }

    /// The byte of text before `at`, 0 if there is none.
    fn byte_before(&self, view: View<'_>, at: u64) -> u8 {
        if at > self.teller.cursor {
            view.byte(at - 1).unwrap_or(0)
        } else {
            self.teller.last
        }
    }

    /// Walks the trie over the bytes that are here. Nothing is touched.
    fn walk_trie(&mut self, program: &Program, bytes: &[u8]) -> Walked {
        let mut state = 0;
        for &byte in bytes {
            self.work += 1;
            match program.trie.step(state, byte) {
                None => return Walked::Died,
                Some(next) if program.trie.complete(next).is_empty() => state = next,
                Some(_) => return Walked::Complete,
            }
        }
        Walked::Open
    }

    /// A candidate begins at `at`: the set is what a context waits for, then all openers.
    fn begin_candidate(&mut self, program: &Program, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        // The text before it is certain, and the quoting context is a function of it.
        self.teller.speak(self.context.speech, view, at, sink);
        let next = view.byte(at).unwrap_or(b' ');
        self.candidate = at;
        self.pos = at;
        self.safe = at;
        self.committed = false;
        self.candidate_noted = false;
        self.fallback = None;
        let special = self.special_at(at);
        // A prompt ends where the answer begins, and nobody speaks of a token that is one.
        let begins = if next == b'`' {
            self.teller.quote.at_fence()
        } else {
            self.teller.quote.at_bol()
        };
        // The end of reasoning begins a line, as the message does.
        let follows = self.teller.thought_over || !self.teller.has_begun();
        let begins = begins || (follows && self.context.speech == Speech::Text);
        self.bol = begins || self.teller.mute || special;
        // The fence that closes a wrapper opens no other one.
        let closes_wrapper = matches!(next, b'`' | b'~') && self.teller.quote.is_wrapped();
        self.start = !self.teller.spoken && !closes_wrapper;
        self.candidate_in_code =
            self.context.speech == Speech::Text && self.teller.quote.is_quoted(next) && !special;
        self.quoted = (self.candidate_in_code && self.in_code == InCode::Ignore)
            || !(self.context.reads || special);
        self.threads.clear();
        self.safe_threads.clear();
        self.forget();
        for waiting in &self.context.extras {
            let log = waiting
                .acts
                .iter()
                .fold(Log::ROOT, |log, &act| self.log.push(log, act, at));
            let mut thread = Thread {
                log,
                ..waiting.thread
            };
            if let Some(literal) = &waiting.literal {
                let literal = core::iter::once(literal.as_slice());
                thread.instance = self.instances.add(literal).unwrap_or_default();
            }
            self.threads.push(thread);
        }
        self.threads
            .push(Thread::at(program.rules.trie_node, Log::ROOT, at));
        if !self.quoted {
            self.add_bodies(program, view, at);
        }
        self.mode = Mode::Between;
    }

    /// Entries that begin with a body, or with a literal that must be filled.
    fn add_bodies(&mut self, program: &Program, view: View<'_>, at: u64) {
        let mut threads = core::mem::take(&mut self.threads);
        for way in &program.rules.bodies {
            if (way.bol && !self.bol) || (way.start && !self.start) {
                continue;
            }
            let mut thread = Thread::at(way.target, Log::ROOT, at);
            for &enter in &way.enters {
                thread.log = self.log.push(thread.log, super::log::Act::Enter(enter), at);
            }
            self.stepper(program, view, super::Judge::Reading)
                .close(thread, at, &mut threads);
        }
        self.threads = threads;
    }

    /// Whether the byte at `at` came in a special token.
    pub(super) fn special_at(&self, at: u64) -> bool {
        self.specials
            .iter()
            .any(|&(start, end)| start <= at && at < end)
    }

    /// The candidate is none: its first byte is text, the rest is read again, at most four times deep.
    pub(super) fn reject(&mut self, upto: u64) {
        self.pos = self.candidate;
        self.not_before = self.candidate + 1;
        // Where no opener was read whole none began. Had more of it been here, there would have been no candidate.
        if self.found.opened {
            let is_again = self.candidate < self.reread_end;
            let depth = if is_again { self.reread_depth + 1 } else { 1 };
            self.reread_end = self.reread_end.max(upto);
            self.reread_depth = depth.min(4);
            if depth >= 4 {
                self.not_before = self.not_before.max(upto);
            }
        }
        self.threads.clear();
        self.safe_threads.clear();
        self.mode = self.behind_candidate();
        self.forget();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
