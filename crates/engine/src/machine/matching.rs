//! Steps the set of threads byte by byte between bodies, until a body is entered, the entry ends or no thread is left.

use super::emitter::OpenCall;
use super::junk::OUTSIDE;
use super::log::Act;
use super::thread::{NamePolicy, Thread, any_ends};

use super::view::View;
use super::{Context, Mode, Parser};
use crate::grammar::Capture;
use crate::program::{Node, Program};
use crate::thresholds::{MARKER_MIN, MISSPELT_MAX};
use crate::{Recovery, Sink, Span};

impl Parser {
    /// Returns whether the mode changed.
    pub(super) fn match_positions(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let program = view.program;
        let cap = program.limits.undecided as u64;
        loop {
            if self.set.junk.is_some() && !self.skip_junk(view, sink) {
                break;
            }
            self.skip_gap(view, sink);
            self.skip_alone(view);
            let Some(byte) = view.byte(self.pos) else {
                break;
            };
            let pos = self.pos;
            let (mut stepper, [threads, next]) = self.step_parts(view, NamePolicy::Reading);
            stepper.step(threads, byte, pos, next);
            if !self.candidate.committed {
                self.remark_names(view, sink);
                if self.set.found.spelled {
                    self.remark_spelled(view, sink);
                }
            }
            if self.set.found.literal_ended && !self.candidate.committed {
                if self.candidate.is_in_reasoning || self.candidate.is_wrapped {
                    // In reasoning or in a wrapper no text of the answer, no reasoning and no turn's end starts.
                    self.retain_next(|parser, thread| !parser.enters_channel(thread));
                }
                let is_alive = !self.set.next.is_empty();
                if !self.reopens() {
                    self.drop_quoted(view, sink);
                }
                if is_alive && self.set.next.is_empty() {
                    self.reject(pos + 1);
                    return true;
                }
            }
            if self.set.found.body_first && !self.set.found.literal_took {
                let body = self.set.found.bodies[0];
                if program.is_end(body.node) {
                    // Blanks before the end are not the entry's.
                    let earlier = self.candidate.over.map(|(end, _)| end);
                    let end = earlier.or_else(|| self.candidate.fallback_end(program));
                    self.pos = end.unwrap_or(pos);
                }
                self.enter_body(view, sink);
                return true;
            }
            if self.set.next.is_empty() {
                if self.is_extra_bracket(program, byte) {
                    self.recovered(Recovery::ExtraBracket, Span::new(pos, pos + 1), "", sink);
                    self.pos += 1;
                    continue;
                }
                if let Some(name) = self.set.found.another_tool
                    && self.candidate.committed
                {
                    self.cut_short(view, name - 1, sink);
                    return true;
                }
                if let Some(at) = self.junk_member(view) {
                    self.emitter.markup(view, at, sink);
                    self.recovered(Recovery::ListMember, Span::new(at, at + 1), "", sink);
                    self.pos = at;
                    self.set.junk = Some(OUTSIDE);
                    let threads = &self.candidate.checkpoint_threads;
                    self.set.threads.clone_from(threads);
                    continue;
                }
                match self.supply_closer(view) {
                    Some(true) => continue,
                    Some(false) => {}
                    None => return false,
                }
            }
            if self.set.next.is_empty() || pos + 1 - self.emitter.cursor > cap {
                if let Some(at) = self.candidate.fallback.take() {
                    self.fall_back(at, view, sink);
                } else if self.candidate.committed {
                    let Some(stopped) = self.turn_ends(view) else {
                        return false;
                    };
                    self.recover(view, pos, stopped, sink);
                } else {
                    self.explain_rejection(view, pos, sink);
                    self.reject(pos);
                }
                return true;
            }
            if !self.set.found.bodies.is_empty() {
                self.remember_fallback(program, pos);
            }
            core::mem::swap(&mut self.set.threads, &mut self.set.next);
            self.pos += 1;
            for n in 0..self.set.found.markers.len() {
                self.outrank_captures(program, self.set.found.markers[n]);
            }
            if self.set.found.literal_ended {
                if !self.candidate.committed && self.is_mentioned(view) {
                    self.explain_rejection(view, self.pos, sink);
                    self.reject(self.pos);
                    return true;
                }
                self.literal_ended(view, sink);
                if !matches!(self.mode, Mode::Matching) {
                    return true;
                }
            }
            if self.candidate.fallback.is_none() && self.match_certain(view, sink) {
                return true;
            }
        }
        false
    }

    /// Ends the open call before another call's tag, which starts at `at`.
    fn cut_short(&mut self, view: View<'_>, at: u64, sink: &mut dyn Sink) {
        self.emitter.markup(view, at, sink);
        self.supply_end(view, sink);
        self.forget_candidate();
        self.context = Context::default();
        self.candidate.committed = false;
        (self.pos, self.input.not_before) = (at, at);
        self.mode = Mode::Text;
    }

    /// Supplies a missing or misspelt closing tag after a name: what may follow that tag is read in its place. The
    /// candidate stays uncommitted until what follows is complete. `None`: more bytes are needed.
    fn supply_closer(&mut self, view: View<'_>) -> Option<bool> {
        if self.candidate.committed || self.candidate.fallback.is_some() || self.candidate.quoted {
            return Some(false);
        }
        let mut closers = self.set.threads.iter().filter_map(|thread| {
            let literal = self.set.instances.literal(view.program, thread)?;
            let is_tag = literal.bytes.starts_with(b"</") && literal.bytes.ends_with(b">");
            let is_closer = is_tag && self.set.log.last(thread.log).is_some_and(Act::is_name);
            is_closer.then_some((*thread, literal.next))
        });
        let Some((closer, next)) = closers.next() else {
            return Some(false);
        };
        let start = self.pos - u64::from(closer.off);
        // `</` starts a closer; a bracket alone starts the next tag.
        let mut end = start;
        if closer.off >= 2 {
            let tag = view.from(start + 2);
            let is_word = |&&byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            let length = tag.iter().take(MISSPELT_MAX).take_while(is_word).count();
            if length == tag.len() && !view.eof {
                return None;
            }
            end += 2 + length as u64 + u64::from(tag.get(length) == Some(&b'>'));
        }
        let act = Act::Supplied(Span::new(start, end));
        let mut after = closer.after(next);
        (after.log, after.since) = (self.set.log.push(closer.log, act, start), end);
        let threads = self.closure(view, after);
        // Where the entry may end after the closer, nothing confirms that the word before the closer is a name.
        if any_ends(view.program, &threads) {
            return Some(false);
        }
        self.set.threads = threads;
        self.pos = end;
        Some(true)
    }

    /// Skips the text between two values of a call that the closer lookahead found after the first.
    fn skip_gap(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let Some(gap) = self.set.gap.filter(|gap| gap.start == self.pos) else {
            return;
        };
        self.set.gap = None;
        self.emitter.markup(view, gap.start, sink);
        self.recovered(Recovery::Intervening, gap, "", sink);
        self.pos = gap.end;
        for thread in &mut self.set.threads {
            thread.since = self.pos;
        }
    }

    /// Whether `byte` is a bracket too many after complete arguments: the closer follows, or is missing anyhow.
    fn is_extra_bracket(&self, program: &Program, byte: u8) -> bool {
        // The list of calls continues, or ends.
        let is_next = |bytes: &[u8]| byte != b']' && matches!(bytes, [b',' | b']']);
        let waits = |thread: &Thread| {
            let node = program.node(thread.node);
            thread.off == 0 && (node.is_evidence() || node.literal().is_some_and(is_next))
        };
        matches!(byte, b'}' | b']' | b')')
            && self.candidate.committed
            && self.candidate.fallback.is_none()
            && self.emitter.call.as_ref().is_none_or(|call| call.whole)
            && self.set.threads.iter().any(waits)
    }

    /// Reads literals, captures, attributes and incomplete openers as a run that stops before their ends.
    fn skip_alone(&mut self, view: View<'_>) {
        let program = view.program;
        let pos = self.pos;
        let first = self.set.threads.first();
        let Some(
            Node::Literal { .. }
            | Node::Template { .. }
            | Node::Capture(_)
            | Node::Attrs(_)
            | Node::Trie,
        ) = first.map(|thread| program.node(thread.node))
        else {
            return;
        };
        let room = (program.limits.undecided as u64).saturating_sub(pos - self.emitter.cursor);
        let run = if let [thread] = self.set.threads.as_mut_slice()
            && matches!(program.node(thread.node), Node::Trie)
        {
            let bytes = view.from(pos);
            let mut run = 0;
            while let Some(state) = bytes
                .get(run)
                .and_then(|&byte| program.trie.step(thread.off, byte))
            {
                if !program.trie.complete(state).is_empty() || !program.trie.has_children(state) {
                    break;
                }
                thread.off = state;
                run += 1;
            }
            run as u64
        } else {
            let mut threads = core::mem::take(&mut self.set.threads);
            let stepper = self.stepper(view, NamePolicy::Reading);
            let run = stepper.run(&mut [&mut threads], pos, room);
            self.set.threads = threads;
            run
        };
        self.pos += run;
        self.set.found.work += run;
    }

    /// Prefers a literal to a capture: drops the threads of a dialect that captured bytes of its complete marker.
    fn outrank_captures(&mut self, program: &Program, (from, dialect, is_word): (u64, u16, bool)) {
        if self.set.threads.len() < 2 {
            return;
        }
        let pos = self.pos;
        let (log, flushed) = (&self.set.log, self.set.flushed);
        self.set.threads.retain(|thread| {
            if program.dialect_index(thread.node) != dialect {
                return true;
            }
            // After a word a type may continue: `("str" | type)`. So may `any` after a text beside it: `("---" | any)`.
            let may_continue = |what| match what {
                Capture::Type => is_word,
                what => what == Capture::Any && thread.since == from,
            };
            let reading = matches!(program.node(thread.node), Node::Capture(capture) if !may_continue(capture.what))
                && thread.since >= from
                && thread.since < pos;
            let read = log.any(
                flushed,
                thread.log,
                |act| matches!(act, Act::Captured { at, .. } if at.start >= from && at.end > at.start),
            );
            !(reading || read)
        });
    }

    fn remember_fallback(&mut self, program: &Program, pos: u64) {
        let body = self.set.found.bodies[0];
        let key = self.newest_key(&body);
        let (candidate, bodies) = (&mut self.candidate, &self.set.found.bodies);
        let is_py = matches!(program.node(body.node), Node::Py { .. });
        let is_text = |node| matches!(program.node(node), Node::Text(_));
        match (candidate.fallback, candidate.fallback_bodies.first()) {
            (Some(at), Some(old)) if is_py && program.is_end(old.node) => {
                // A call may start after the end; without one, the entry ended there.
                candidate.over = Some((at, *old));
            }
            // A literal has priority over a value. The new body comes after a longer literal, or after the opener of a
            // parameter; or the entry ended after the literal.
            (Some(at), Some(old)) => {
                let is_end = program.is_end(body.node);
                // A parameter without a value ended before this end.
                let is_later = is_end && key.is_some_and(|key| key.start >= at);
                let is_same = old.node == body.node && !is_end;
                let is_longer = is_same || is_text(body.node) != is_end && is_text(old.node);
                if !(is_longer || (is_later || is_text(body.node)) && program.is_end(old.node)) {
                    return;
                }
            }
            _ => candidate.over = None,
        }
        candidate.fallback = Some(pos);
        candidate.fallback_bodies.clone_from(bodies);
    }

    /// A literal ended at `pos`: acts may become certain here.
    fn literal_ended(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let program = view.program;
        let ended = self.set.found.ended.map(|literal| program.node(literal));
        let joins = ended.and_then(Node::literal).is_some_and(joins_calls);
        let is_whole = |call: &OpenCall| call.whole;
        if joins && self.candidate.committed && self.emitter.call.as_ref().is_none_or(is_whole) {
            // A word between two calls is text without the second call.
            return;
        }
        let start = self.pos - self.set.found.literal_length;
        let is_member = |body: &Thread| matches!(program.node(body.node), Node::Object(_));
        let is_member = self.candidate.fallback_bodies.iter().any(is_member);
        let mut threads = self.set.threads.iter();
        let outranks = !(is_member && threads.all(|thread| self.enters_channel(thread)));
        // A literal that is a whole value outranks the one that may start with it (`none of these`) once another follows.
        let is_text = |thread: &Thread| matches!(program.node(thread.node), Node::Text(_));
        let is_value = self.candidate.fallback_bodies.first().is_some_and(is_text)
            && !self.set.threads.iter().any(is_text);
        // The call may have ended before the opener of a parameter, which `- ` also is in prose.
        let is_end = self.candidate.fallback_end(program).is_some();
        let is_opener =
            is_end && { self.set.found.ended }.is_some_and(|ended| program.opens(ended));
        let outranks =
            outranks && !is_opener && !(is_value && self.candidate.fallback >= Some(start));
        if self.set.found.literal_took
            && outranks
            && { self.candidate.fallback }.is_some_and(|at| at == start || !is_member)
            && self.set.found.literal_length >= MARKER_MIN as u64
        {
            // A literal outranks the fallback body. A bracket alone does not, since a body may start with one. Nor does
            // a literal inside an object, or a `say` literal where an object starts.
            self.candidate.forget_fallback();
        }
        // A `<` alone may start something else.
        let is_bracket =
            self.set.found.literal_length == 1 && view.byte(self.pos - 1) == Some(b'<');
        if !(self.candidate.committed && is_bracket) {
            self.checkpoint();
        }
        if !self.candidate.committed && self.is_at_sync_point(program) {
            self.set.threads.retain(|thread| thread.extra);
            if !self.commit(view, None, sink) {
                return;
            }
        }
        if self.candidate.fallback.is_some() {
            return;
        }
        let common = self.set.common();
        let names = self.set.log.any(self.set.flushed, common, Act::is_name);
        let ends = self.set.log.any(self.set.flushed, common, Act::is_exit);
        let marked = self.set.threads.iter().all(|thread| thread.marked);
        if !self.candidate.committed {
            // After a supplied closer, a bracket alone confirms nothing.
            let supplied = |act| matches!(act, Act::Supplied(_));
            let is_weak = self.set.found.literal_length < MARKER_MIN as u64
                && self.set.log.any(self.set.flushed, common, supplied);
            if !(names && marked) || is_weak || !self.commit(view, None, sink) {
                return;
            }
        }
        if names || ends && !self.awaits_tail() {
            self.flush(view, common, self.pos, sink);
            let call = self.emitter.call.as_ref();
            let has_head = |call: &OpenCall| call.server.is_some() || call.written_id.is_some();
            let awaits_head = |thread: &Thread| program.awaits_head(thread.node);
            let late = !call.is_some_and(has_head) && self.set.threads.iter().any(awaits_head);
            // The name may belong to an earlier call.
            if names && !late && call.is_some_and(|call| !call.name.is_empty()) {
                self.emitter.start_call(view, self.pos, sink);
            }
        }
    }

    /// Whether a synchronization point of the context was read: after a recovery any literal, otherwise the channel's
    /// end. An alternative to that end (`raw ("</think>" | block)`) starts like an entry.
    fn is_at_sync_point(&self, program: &Program) -> bool {
        // An opener is recognized by the name after it.
        let opens = |thread: &Thread| {
            let node = program.node(thread.node);
            node.is_body() || matches!(node, Node::Capture(_) | Node::Attrs(_))
        };
        let is_sync = self.context.sync && !self.set.threads.iter().any(opens);
        self.set.threads.first().is_some_and(|thread| {
            let is_literal = matches!(program.node(thread.node), Node::Literal { .. });
            let is_exit = || self.set.log.any(self.set.flushed, thread.log, Act::is_exit);
            thread.extra && !(is_literal && thread.off > 0) && (is_sync || is_exit())
        })
    }

    /// Ends an entry that can only end here. Returns whether it did.
    pub(super) fn match_certain(&mut self, view: View<'_>, sink: &mut dyn Sink) -> bool {
        let mut threads = self.set.threads.iter();
        let first = self.set.threads.first().copied();
        let end = first.filter(|_| threads.all(|thread| view.program.is_end(thread.node)));
        end.map(|end| self.enter_only(end, view, sink)).is_some()
    }

    /// Emits at once, after a body, an end that all threads agree on.
    pub(super) fn exit_certain(&mut self, view: View<'_>, sink: &mut dyn Sink) {
        let common = self.set.common();
        if self.set.log.any(self.set.flushed, common, Act::is_exit) {
            self.flush(view, common, self.pos, sink);
        }
    }
}

/// Whether the literal is a blank, a word or a sign that also joins things in ordinary text.
pub(super) fn joins_calls(literal: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || b" ,+&".contains(byte);
    literal != b"," && literal.iter().all(is_word)
}
