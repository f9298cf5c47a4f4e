//! Evidence for a closer: a resumable lookahead from the closer's first byte, with the same step as all other matching.
//!
//! Three sets of positions run in parallel: what follows the value, the closers of the enclosing rules, and the value's
//! own opener. A lookahead decides nothing at the end of a push.

use alloc::vec::Vec;
use core::mem::take;
use core::task::Poll;

use super::Parser;
use super::after_closer::{AfterCloser, SkippedParameter, names_known};
use super::closer_decision::{Decision, Signal};
use super::damaged_literal::{DamagedLiteral, is_literal};
use super::fence::fence;
use super::intervening_text::InterveningText;
use super::log::{Act, Log};
use super::missing_closer::MissingCloser;
use super::thread::{NamePolicy, StepResult, Thread, UnknownKey};
use super::value::Value;
use super::view::View;
use crate::program::{Node, Program, RuleRole, TextNode, is_blank};
use crate::thresholds::SKIPPED_MAX;

/// A running lookahead.
#[derive(Debug, Default)]
pub(crate) struct CloserLookahead {
    pub(super) at: u64,
    pub(super) pos: u64,
    /// Where the three sets started.
    pub(super) looked: u64,
    pub(super) follow: Vec<Thread>,
    pub(super) enclosing: Vec<Thread>,
    pub(super) own: Vec<Thread>,
    pub(super) stage: Stage,
    /// Where the value's own closer ends, once it was read whole.
    pub(super) closer_end: Option<u64>,
    /// All closers up to the call's end were read whole.
    pub(super) left_call: bool,
    /// Prose after such a closer may be searched for the next entry.
    pub(super) may_leave: bool,
    /// How far prose was searched without result.
    pub(super) prose_to: Option<u64>,
    /// Where the last whole closer of any kind ends.
    pub(super) last: Option<u64>,
    /// The last plausible key in an opener of the call, if the tool lacks that key. It may belong to an unknown
    /// parameter that is closed.
    pub(super) unknown_at: Option<UnknownKey>,
    /// A damaged literal was passed.
    pub(super) is_damaged: bool,
    /// Text after the value's closer was tried, which happens only once.
    pub(super) was_gap: bool,
    /// How many unknown parameters were skipped.
    pub(super) n_skips: u8,
    /// Where `follow` ended with a literal, at which the call ends or another value may start.
    pub(super) read: Option<u64>,
    /// The count of closers, if another value opens at the start of the lookahead.
    pub(super) missing: Option<MissingCloser>,
}

/// What the lookahead does next.
#[derive(Debug, Default)]
pub(super) enum Stage {
    /// Steps the three sets.
    #[default]
    Sets,
    /// Searches for the next literal that may be a closer or an opener, to count it.
    Search,
    /// The call has ended, and nothing is open: the value's own closer must not follow.
    Confirm,
    /// Skips an unknown parameter.
    Skipped(SkippedParameter),
    /// Skips text after the value's closer.
    Text(InterveningText),
    /// Reads a literal that was expected and broke off.
    Damaged(DamagedLiteral),
    /// Reads what follows the last closer.
    After(AfterCloser),
}

impl CloserLookahead {
    /// Restarts at `at` and keeps the allocations.
    fn start(&mut self, at: u64) {
        *self = CloserLookahead {
            at,
            follow: take(&mut self.follow),
            enclosing: take(&mut self.enclosing),
            own: take(&mut self.own),
            ..CloserLookahead::default()
        };
    }

    /// The value's own closer was read whole.
    pub(super) fn has_closer(&self) -> bool {
        self.closer_end.is_some()
    }
}

impl Parser {
    pub(super) fn start_probe(
        &mut self,
        text: &TextNode,
        value: &mut Value,
        at: u64,
        view: View<'_>,
    ) {
        let mut probe = take(&mut self.spare.probe);
        probe.start(at);
        // Prose may follow closers that close no value nested in this one.
        probe.may_leave = value.nest == 0 && !value.has_nested && at >= value.prose_to;
        self.look_from(text, &mut probe, value, at, view);
        value.probe = Some(probe);
    }

    /// Starts the three sets at `at`.
    fn look_from(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        at: u64,
        view: View<'_>,
    ) {
        probe.follow.clear();
        probe.enclosing.clear();
        probe.own.clear();
        (probe.pos, probe.looked, probe.last, probe.read) = (at, at, None, None);
        // The lookahead's log starts empty. It is flushed only where matching continues after the lookahead.
        self.set.log.clear();
        self.set.flushed = Log::ROOT;
        let mut from = Thread::at(text.follow, Log::ROOT, at);
        (from.starts_line, from.one_line) = (value.line_blank, value.one_line);
        from.pass(view.bytes(value.scan, at));
        self.add_positions(view, from, &[text.follow], &mut probe.follow);
        if at == value.start {
            self.add_after_break(view, text, &mut probe.follow);
        }
        self.add_positions(view, from, &text.enclosing, &mut probe.enclosing);
        let may_open = from.starts_line || !text.own_starts_line;
        let own = text.own.filter(|_| may_open);
        self.add_positions(view, from, own.as_slice(), &mut probe.own);
    }

    /// Adds the positions after the line break that literals of `set` start with: before an empty value that line break
    /// was already read. Outside of blocks an opener counts only if the tool is known, since a text may start like it.
    /// Such an opener may also start with a blank that was read.
    pub(super) fn add_after_break(
        &mut self,
        view: View<'_>,
        text: &TextNode,
        set: &mut Vec<Thread>,
    ) {
        let (program, is_block) = (view.program, !text.delimiter.is_closer());
        let argument = |node| program.value_after(node)?.argument.as_ref();
        let opens = |node| program.opens(node) && argument(node).is_none();
        let is_known = self.emitter.tool().is_some();
        let mut after = Vec::new();
        for thread in &*set {
            let Some(literal) = self.set.instances.literal(program, thread) else {
                continue;
            };
            let (next, is_whole) = (literal.next, literal.bytes.len() == 1);
            let is_read = match literal.bytes[0] {
                b'\n' => thread.starts_line,
                b' ' => is_known && !text.after_blank.is_empty() && program.opens(thread.node),
                _ => false,
            };
            if is_read && is_whole {
                self.add_positions(view, *thread, &[next], &mut after);
            } else if is_read {
                after.push(Thread { off: 1, ..*thread });
            }
        }
        let closes =
            |thread: &Thread| is_literal(program, thread) && (is_known || !opens(thread.node));
        // After a block, blanks start its next line.
        let is_blank = |thread: &Thread| program.node(thread.node).is_blank();
        after.retain(|thread| is_block && !is_blank(thread) || !is_block && closes(thread));
        set.append(&mut after);
    }

    /// Runs the lookahead over the bytes of the view.
    pub(super) fn probe(&mut self, text: &TextNode, value: &mut Value, view: View<'_>) -> Decision {
        let Some(mut probe) = value.probe.take() else {
            return Decision::Pending;
        };
        if text.fence && probe.pos == probe.at && view.byte(probe.at) == Some(b'`') {
            let wrapped = self.emitter.quote.is_wrapped();
            if let Some(decision) = fence(value, text, (view, probe.at), wrapped) {
                let waits = matches!(decision, Decision::Pending);
                value.probe = waits.then_some(probe);
                return decision;
            }
        }
        loop {
            match self.probe_on(text, &mut probe, value, view) {
                Poll::Pending => {
                    value.probe = Some(probe);
                    return Decision::Pending;
                }
                Poll::Ready(None) => {}
                Poll::Ready(Some(signal)) => {
                    let decision = self.decide(signal, value, &probe);
                    self.spare.probe = probe;
                    return decision;
                }
            }
        }
    }

    /// Advances the lookahead by one stage, or by bytes of the three sets. `Pending`: more bytes are needed.
    fn probe_on(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        view: View<'_>,
    ) -> Poll<Option<Signal>> {
        let cap = view.program.limits.undecided as u64;
        let (found, stage) = match take(&mut probe.stage) {
            Stage::Search => {
                let found = self.seek_closer(text, &mut probe.pos, view);
                let at = probe.pos;
                if found.is_some() {
                    self.look_from(text, probe, value, at, view);
                    return Poll::Ready(None);
                }
                if view.eof || at - probe.at > cap {
                    return Poll::Ready(Some(Signal::Nested));
                }
                (None, Stage::Search)
            }
            Stage::Confirm => match self.confirm(text, probe, view) {
                // The confirmation decides, whatever the count is.
                Some(signal) => return Poll::Ready(Some(signal)),
                None => (None, Stage::Confirm),
            },
            Stage::Skipped(mut skipped) => {
                let signal = match self.run_skip(probe, &mut skipped, view) {
                    Some(false) => Some(self.look_after_closer(text, probe, view)),
                    is_closed => is_closed.map(|_| None),
                };
                (signal, Stage::Skipped(skipped))
            }
            Stage::Text(mut gap) => {
                let opens = self.run_gap(&mut gap, view);
                let signal = opens.map(|opens| {
                    if !opens {
                        return self.look_after_closer(text, probe, view);
                    }
                    self.set.gap = Some(gap.text);
                    probe.left_call = false;
                    Some(Signal::Ends)
                });
                (signal, Stage::Text(gap))
            }
            Stage::Damaged(damaged) => {
                let signal = match self.read_damaged(text, probe, &damaged, view) {
                    Some(false) => Some(self.nothing_left(text, probe, value, view)),
                    is_near => is_near.map(|_| probe.left_call.then_some(Signal::Ends)),
                };
                (signal, Stage::Damaged(damaged))
            }
            Stage::After(mut after) => {
                let signal = self.run_after_closer(text, probe, &mut after, view);
                probe.left_call |= matches!(signal, Some(Signal::Ends | Signal::Recovered));
                (signal.map(Some), Stage::After(after))
            }
            Stage::Sets => match view.byte(probe.pos) {
                None => {
                    if view.eof {
                        self.pass_end(&mut probe.follow, view, NamePolicy::Evidence);
                    }
                    let signal = view.eof.then(|| self.at_end(probe, value));
                    probe.left_call |= matches!(signal, Some(Signal::Ends | Signal::Recovered));
                    (signal.map(Some), Stage::Sets)
                }
                Some(_) if probe.pos - probe.at > cap => return Poll::Ready(Some(Signal::Data)),
                Some(byte) => {
                    let run = self.run_sets(probe, cap, view);
                    if run > 0 {
                        return Poll::Ready(None);
                    }
                    let signal = self.three_sets(text, probe, value, byte, view);
                    (Some(signal), Stage::Sets)
                }
            },
        };
        match found {
            None => {
                probe.stage = stage;
                Poll::Pending
            }
            Some(signal) => Poll::Ready(signal.and_then(|signal| probe.turned(signal))),
        }
    }

    /// Moves the sets over the bytes that only continue their positions, and returns the number of those bytes.
    fn run_sets(&mut self, probe: &mut CloserLookahead, cap: u64, view: View<'_>) -> u64 {
        if probe.pos == probe.looked {
            return 0;
        }
        let pos = probe.pos;
        let sets = &mut [&mut probe.follow, &mut probe.enclosing, &mut probe.own];
        let room = cap + 1 - (pos - probe.at);
        let stepper = self.stepper(view, NamePolicy::Evidence);
        let run = stepper.run(sets, pos, room);
        probe.pos += run;
        self.set.found.work += run;
        run
    }

    /// Steps the three sets over one byte.
    fn three_sets(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        byte: u8,
        view: View<'_>,
    ) -> Option<Signal> {
        let program = view.program;
        let pos = probe.pos;

        // The opener of the next value is not a closer.
        let closes =
            |found: &StepResult| !found.ended.is_some_and(|literal| program.opens(literal));

        // What follows the value.
        let evidence = (view, NamePolicy::Evidence);
        self.step_set(evidence, &mut probe.follow, byte, pos);
        let (unknown, has_ended) = (self.set.found.unknown_key, self.set.found.literal_ended);
        let is_broken_off = probe.has_closer() && probe.follow.is_empty() && value.nest == 0;
        if is_broken_off && probe.closer_end == Some(pos) {
            // `cats\n\n@end`: the line break before the last one belongs to the value.
            let first = view.bytes(probe.at, pos);
            if first.iter().all(|&byte| is_blank(byte)) && view.from(pos).starts_with(first) {
                return Some(Signal::Data);
            }
        }
        let may_be_damaged = is_broken_off && !probe.is_damaged && probe.missing.is_none();
        // The set as it was before the byte.
        let before = &self.set.next;
        let damaged = { may_be_damaged.then_some(before) }
            .and_then(|before| DamagedLiteral::new(program, before, pos, probe.at));
        // What opens a parameter at the value's start is a closer only if the parameter starts.
        let is_after_break = probe.at == value.start
            && (value.line_blank || !text.after_blank.is_empty())
            && !view.byte(probe.at).is_some_and(is_blank);
        if has_ended && (!is_after_break || closes(&self.set.found)) {
            probe.closer_end.get_or_insert(pos + 1);
            if closes(&self.set.found) {
                probe.last = Some(pos + 1);
            }
        }
        let follow_ends = self.any_leaves_call(&probe.follow);
        let is_body = |thread: &Thread| program.node(thread.node).is_body();
        let follow_opens = probe.follow.iter().any(is_body);
        // Skipped bytes must be read again, and so must a tag that may name a tool if the call's tool is unknown.
        let is_tag = |thread: &Thread| matches!(program.node(thread.node), Node::Text(text) if text.own_needs_same_key);
        let is_known = self.emitter.tool().is_some();
        let is_sure =
            probe.n_skips == 0 && !probe.was_gap && (is_known || !probe.follow.iter().any(is_tag));
        let read = (has_ended && is_sure).then_some(pos + 1);

        // The value's own opener.
        if !probe.own.is_empty() {
            let same_key = text.own_needs_same_key.then_some(value.writer.key.as_str());
            let names = NamePolicy::Own { same_key };
            self.step_set((view, names), &mut probe.own, byte, pos);
            let mut own = probe.own.iter();
            if let Some(thread) = own.find(|thread| thread.node == value.node) {
                let may_forget = value.nest == 0 && !value.passed_closer;
                let forgets = may_forget && self.opens_another(thread.log, view);
                probe.pos = pos + 1;
                return Some(if forgets {
                    Signal::Another
                } else {
                    Signal::Nested
                });
            }
        }

        // The closers of the enclosing rules.
        let mut enclosing_names = false;
        if !probe.enclosing.is_empty() {
            self.step_set(evidence, &mut probe.enclosing, byte, pos);
            let found = &self.set.found;
            if found.literal_ended && closes(found) {
                probe.last = Some(pos + 1);
            }
            let names = |act| names_known(view, act);
            let calls = |thread: &Thread| {
                self.leaves(thread) && self.set.log.any(Log::ROOT, thread.log, names)
            };
            enclosing_names = probe.enclosing.iter().any(calls);
        }
        probe.pos = pos + 1;
        if probe.has_closer() {
            probe.unknown_at = unknown.or(probe.unknown_at);
        }

        if follow_opens {
            probe.read = read;
            return Some(match value.nest {
                0 => Signal::Ends,
                _ => Signal::Unnested,
            });
        }
        if follow_ends && value.nest == 0 {
            if value.writer.is_in_string() {
                // All closers were read, but a string of the JSON is open: text after the closers continues the string.
                return self.look_after_closer(text, probe, view);
            }
            probe.left_call = true;
            probe.read = read;
            return Some(Signal::Ends);
        }
        if enclosing_names {
            return Some(Signal::Recovered);
        }
        let continues = |thread: &Thread| !matches!(program.node(thread.node), Node::Match);
        let sets = [&probe.follow, &probe.enclosing, &probe.own];
        if sets.iter().any(|set| set.iter().any(continues)) {
            return None;
        }
        if let Some(damaged) = damaged {
            probe.stage = Stage::Damaged(damaged);
            return None;
        }
        self.nothing_left(text, probe, value, view)
    }

    /// Whether one of the threads has left the call.
    pub(super) fn any_leaves_call(&self, threads: &[Thread]) -> bool {
        threads.iter().any(|thread| self.leaves(thread))
    }

    /// Whether the thread has left the call.
    pub(super) fn leaves(&self, thread: &Thread) -> bool {
        let leaves = |act| leaves_call(&self.program, act);
        self.set.log.any(Log::ROOT, thread.log, leaves)
    }

    /// No position is left: skips a parameter or text, else reads what follows the last closer.
    fn nothing_left(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        view: View<'_>,
    ) -> Option<Signal> {
        if let Some(key) = probe.unknown_at.take()
            && probe.n_skips < SKIPPED_MAX
        {
            self.start_skip(probe, key, view);
            return None;
        }
        if value.nest == 0 && self.start_gap(text, probe, view) {
            return None;
        }
        self.look_after_closer(text, probe, view)
    }
}

/// Whether the byte after `bytes` starts a line, except for blanks. `is_start`: so do `bytes`.
pub(super) fn starts_line(bytes: &[u8], is_start: bool) -> bool {
    let last = { bytes.iter() }.rposition(|&byte| byte == b'\n' || !is_blank(byte));
    match last {
        Some(at) => bytes[at] == b'\n',
        None => is_start,
    }
}

pub(super) fn leaves_call(program: &Program, act: Act) -> bool {
    matches!(act, Act::Exit(node) if matches!(program.node(node), Node::Exit { role: RuleRole::Call | RuleRole::Say, .. }))
}
