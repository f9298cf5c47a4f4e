//! Evidence for a closer: a resumable lookahead from its first byte, by the step that reads everything else.
//!
//! Three sets run side by side: what follows the value, the closers of what encloses it, and the value's own opener.
//! A probe decides nothing at a push's end.

use alloc::vec::Vec;

use super::Parser;
use super::after_closer::{AfterCloser, OVERS, SkippedParameter};
use super::closer_decision::{Decision, Signal};
use super::fence::{Fence, fence};
use super::intervening_text::InterveningText;
use super::log::{Act, Log};
use super::missing_closer::{MissingCloser, Step};
use super::misspelled_closer::MisspelledCloser;
use super::thread::{NamePolicy, StepResult, Thread, UnknownKey};
use super::value::{Value, next_closer};
use super::view::View;
use crate::Sink;
use crate::program::{Node, Program, RuleRole, TextNode, is_blank};

/// A probe that runs.
#[derive(Debug, Default)]
pub(crate) struct CloserLookahead {
    pub(super) at: u64,
    pub(super) pos: u64,
    /// Where the three sets began.
    pub(super) looked: u64,
    pub(super) follow: Vec<Thread>,
    pub(super) enclosing: Vec<Thread>,
    pub(super) own: Vec<Thread>,
    pub(super) beyond: Option<AfterCloser>,
    /// The value's own closer was read whole.
    pub(super) closer: bool,
    /// Where that one ended.
    pub(super) closer_end: Option<u64>,
    /// All closers up to the call's end were.
    pub(super) left_call: bool,
    /// An enclosing closer ends the call, and begins its line.
    pub(super) leaves: bool,
    /// Prose after such closers may be looked over for the next entry.
    pub(super) may_leave: bool,
    /// How far it was, if nothing came of that.
    pub(super) prose_to: Option<u64>,
    /// Any closer was, and where it ended.
    pub(super) last: Option<u64>,
    /// A plausible key stood where an opener of the call may stand, but the tool has none such.
    pub(super) unknown_key: bool,
    /// The last such key, while it may be that of an unknown parameter that is closed.
    pub(super) unknown_at: Option<UnknownKey>,
    /// After the value's own closer began what may follow it, and broke off, or stood there without its first byte.
    pub(super) damaged: bool,
    /// What may follow it, short of the first byte.
    pub(super) shorn: Vec<Thread>,
    /// A tag that broke off where another closer was due; one that was misspelt was passed.
    pub(super) bent: Option<MisspelledCloser>,
    pub(super) is_bent: bool,
    /// Reading over the value of an unknown parameter.
    pub(super) over: Option<SkippedParameter>,
    /// Reading over text after the value's closer; once is enough.
    pub(super) gap: Option<InterveningText>,
    pub(super) was_gap: bool,
    /// Unknown parameters that were.
    pub(super) n_overs: u8,
    /// What follows ends there with a literal, and so does the call, or another value may begin.
    pub(super) read: Option<u64>,
    /// At the probe's begin another value opens.
    pub(super) forgotten: Option<MissingCloser>,
}

impl CloserLookahead {
    /// Begins anew at `at`, keeping the allocations.
    fn begin(&mut self, at: u64) {
        self.follow.clear();
        self.enclosing.clear();
        self.own.clear();
        self.shorn.clear();
        (
            self.at,
            self.pos,
            self.beyond,
            self.closer,
            self.last,
            self.unknown_key,
        ) = (at, at, None, false, None, false);
        (self.unknown_at, self.over, self.n_overs) = (None, None, 0);
        (self.gap, self.was_gap) = (None, false);
        self.damaged = false;
        (self.bent, self.is_bent) = (None, false);
        (self.closer_end, self.left_call) = (None, false);
        (self.leaves, self.prose_to) = (false, None);
        (self.read, self.forgotten) = (None, None);
    }

    /// It looks whether the value's closer was forgotten.
    pub(super) fn forgets(&self) -> bool {
        self.forgotten.is_some()
    }
}

impl Parser {
    pub(super) fn begin_probe(
        &mut self,
        program: &Program,
        text: &TextNode,
        value: &mut Value,
        at: u64,
        view: View<'_>,
    ) {
        let mut probe = core::mem::take(&mut self.spare.probe);
        probe.begin(at);
        probe.may_leave = value.may_be_left(at);
        self.look_from(program, text, &mut probe, at, view);
        value.probe = Some(probe);
    }

    /// The three sets begin at `at`.
    fn look_from(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut CloserLookahead,
        at: u64,
        view: View<'_>,
    ) {
        probe.follow.clear();
        probe.enclosing.clear();
        probe.own.clear();
        probe.shorn.clear();
        (probe.pos, probe.looked, probe.closer, probe.last) = (at, at, false, None);
        probe.read = None;
        // The probe's log begins anew: it is flushed only where the reading goes on after it.
        self.set.log.clear();
        self.set.flushed = Log::ROOT;
        let thread = Thread::at(text.follow, Log::ROOT, at);
        self.stepper(program, view, NamePolicy::Evidence)
            .add_closure(thread, at, &mut probe.follow);
        for &node in &text.enclosing {
            let thread = Thread { node, ..thread };
            self.stepper(program, view, NamePolicy::Evidence)
                .add_closure(thread, at, &mut probe.enclosing);
        }
        if let Some(node) = text.own {
            let thread = Thread { node, ..thread };
            self.stepper(program, view, NamePolicy::Evidence)
                .add_closure(thread, at, &mut probe.own);
        }
    }

    /// Runs the probe over what the view has.
    pub(super) fn probe(
        &mut self,
        program: &Program,
        text: &TextNode,
        value: &mut Value,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> Decision {
        let Some(mut probe) = value.probe.take() else {
            return Decision::Pending;
        };
        if text.fence && probe.pos == probe.at && view.byte(probe.at) == Some(b'`') {
            let wrapped = self.emitter.quote.is_wrapped();
            let cap = program.limits.undecided as u64;
            match fence(value, text, (view, probe.at), (wrapped, cap), eof) {
                Fence::Wait => {
                    value.probe = Some(probe);
                    return Decision::Pending;
                }
                Fence::Data { upto } => return Decision::Data { upto, doubt: false },
                Fence::Closer => {}
                Fence::Doubtful => value.cut_in_doubt = true,
            }
        }
        let cap = program.limits.undecided as u64;
        let _ = sink;
        loop {
            match probe.forgotten.map(|forgotten| forgotten.step) {
                Some(Step::Search) => {
                    let Some(at) = next_closer(text, &self.set.registers, view, probe.pos) else {
                        self.set.found.work += view.end() - probe.pos;
                        probe.pos = view.end();
                        if eof || probe.pos - probe.at > cap {
                            return self.settle(Signal::Nested, value, probe);
                        }
                        value.probe = Some(probe);
                        return Decision::Pending;
                    };
                    self.set.found.work += at - probe.pos + 1;
                    self.look_from(program, text, &mut probe, at, view);
                    if let Some(forgotten) = &mut probe.forgotten {
                        forgotten.step = Step::Look;
                    }
                }
                Some(Step::Confirm) => {
                    let Some(turn) = self.confirm(program, text, &mut probe, view, eof) else {
                        value.probe = Some(probe);
                        return Decision::Pending;
                    };
                    return self.settle(turn, value, probe);
                }
                Some(Step::Look) | None => {}
            }
            if let Some(mut over) = probe.over.take() {
                match self.run_over(program, &mut probe, &mut over, view, eof) {
                    Some(true) => {}
                    Some(false) => {
                        if let Some(turn) = self.look_beyond(program, text, &mut probe, view)
                            && let Some(turn) = probe.turned(turn)
                        {
                            return self.settle(turn, value, probe);
                        }
                    }
                    None => {
                        probe.over = Some(over);
                        value.probe = Some(probe);
                        return Decision::Pending;
                    }
                }
                continue;
            }
            if let Some(mut gap) = probe.gap.take() {
                let turn = match self.run_gap(program, &mut gap, view, eof) {
                    Some(true) => {
                        self.set.gap = Some(gap.text);
                        probe.left_call = false;
                        Some(Signal::Ends {
                            recovered: false,
                            enclosing: false,
                        })
                    }
                    Some(false) => self.look_beyond(program, text, &mut probe, view),
                    None => {
                        probe.gap = Some(gap);
                        value.probe = Some(probe);
                        return Decision::Pending;
                    }
                };
                if let Some(turn) = turn
                    && let Some(turn) = probe.turned(turn)
                {
                    return self.settle(turn, value, probe);
                }
                continue;
            }
            if let Some(bent) = probe.bent {
                let Some(is_near) = self.run_bent(program, &mut probe, bent, view, eof) else {
                    value.probe = Some(probe);
                    return Decision::Pending;
                };
                probe.bent = None;
                if !is_near
                    && let Some(turn) = self.nothing_left(program, text, &mut probe, value, view)
                    && let Some(turn) = probe.turned(turn)
                {
                    return self.settle(turn, value, probe);
                }
                continue;
            }
            if let Some(beyond) = probe.beyond.take() {
                let Some(turn) = self.run_beyond(program, text, &mut probe, beyond, view, eof)
                else {
                    value.probe = Some(probe);
                    return Decision::Pending;
                };
                probe.left_call |= matches!(turn, Signal::Ends { .. });
                match probe.turned(turn) {
                    Some(turn) => return self.settle(turn, value, probe),
                    None => continue,
                }
            }
            let Some(byte) = view.byte(probe.pos) else {
                if eof {
                    let turn = self.at_end(&probe, value);
                    probe.left_call |= matches!(turn, Signal::Ends { .. });
                    match probe.turned(turn) {
                        Some(turn) => return self.settle(turn, value, probe),
                        None => continue,
                    }
                }
                value.probe = Some(probe);
                return Decision::Pending;
            };
            if probe.pos - probe.at > cap {
                let turn = match probe.forgotten {
                    Some(_) => Signal::Nested,
                    None => Signal::Data,
                };
                return self.settle(turn, value, probe);
            }
            if probe.pos > probe.looked {
                // What a step would find out of the sets was found out by the one before.
                let pos = probe.pos;
                let sets = &mut [
                    &mut probe.follow,
                    &mut probe.enclosing,
                    &mut probe.own,
                    &mut probe.shorn,
                ];
                let room = cap + 1 - (pos - probe.at);
                let run = self
                    .stepper(program, view, NamePolicy::Evidence)
                    .run(sets, pos, room);
                probe.pos += run;
                self.set.found.work += run;
                if run > 0 {
                    continue;
                }
            }
            if let Some(turn) = self.turn(program, text, &mut probe, value, byte, view)
                && let Some(turn) = probe.turned(turn)
            {
                return self.settle(turn, value, probe);
            }
        }
    }

    /// One byte of the three sets.
    fn turn(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        byte: u8,
        view: View<'_>,
    ) -> Option<Signal> {
        let mut found = core::mem::take(&mut self.set.found);
        let mut next = core::mem::take(&mut self.set.next);
        let turn = self.three_sets(
            program, text, probe, value, byte, view, &mut next, &mut found,
        );
        (self.set.found, self.set.next) = (found, next);
        turn
    }

    #[expect(clippy::too_many_arguments, reason = "two of them are scratch space")]
    fn three_sets(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        byte: u8,
        view: View<'_>,
        next: &mut Vec<Thread>,
        found: &mut StepResult,
    ) -> Option<Signal> {
        let pos = probe.pos;

        // The tag of a next value is no closer.
        let closes =
            |found: &StepResult| !found.ended.is_some_and(|literal| program.opens(literal));

        // What follows.
        let begun = probe.closer && begun(program, &probe.follow, byte);
        self.stepper(program, view, NamePolicy::Evidence).step(
            &probe.follow,
            byte,
            pos,
            next,
            found,
        );
        probe.damaged |= begun && next.is_empty() && value.nest == 0;
        let unknown = found.unknown_key;
        let is_broken_off = probe.closer && next.is_empty() && value.nest == 0;
        let may_bend = is_broken_off && !probe.is_bent && probe.forgotten.is_none();
        let bent = may_bend.then(|| self.bend(program, &probe.follow, pos));
        let shorn = is_broken_off.then(|| self.shear(program, &probe.follow));
        core::mem::swap(&mut probe.follow, next);
        if let Some(shorn) = shorn.filter(|shorn| !shorn.is_empty()) {
            probe.shorn = shorn;
        }
        if found.literal_ended {
            if !probe.closer {
                probe.closer = true;
                probe.closer_end = Some(pos + 1);
            }
            if closes(found) {
                probe.last = Some(pos + 1);
            }
        }
        let follow_ends = probe.follow.iter().any(|thread| {
            self.set
                .log
                .any(Log::ROOT, thread.log, |act| leaves_call(program, act))
        });
        let follow_opens = probe
            .follow
            .iter()
            .any(|thread| program.node(thread.node).is_body());
        // What was read over has to be read, and so has a tag that may be a tool's where no tool is known.
        let is_tag = |thread: &Thread| matches!(program.node(thread.node), Node::Text(text) if text.own_needs_same_key);
        let tool = self.emitter.call.as_ref().and_then(|call| call.tool);
        let is_known = tool.is_some();
        let is_sure =
            probe.n_overs == 0 && !probe.was_gap && (is_known || !probe.follow.iter().any(is_tag));
        let read = (found.literal_ended && is_sure).then_some(pos + 1);

        // The value's own opener.
        if !probe.own.is_empty() {
            let same_key = text.own_needs_same_key.then_some(value.key.as_str());
            self.stepper(program, view, NamePolicy::Own { same_key })
                .step(&probe.own, byte, pos, next, found);
            core::mem::swap(&mut probe.own, next);
            if let Some(log) = probe
                .own
                .iter()
                .find_map(|thread| (thread.node == value.node).then_some(thread.log))
            {
                let forgets = value.nest == 0
                    && !value.passed_closer
                    && self.opens_another(program, value, log, view);
                probe.pos = pos + 1;
                return Some(if forgets {
                    Signal::Another
                } else {
                    Signal::Nested
                });
            }
        }

        // What may follow it, short of a byte.
        if !probe.shorn.is_empty() {
            let mut rest = StepResult::default();
            self.stepper(program, view, NamePolicy::Evidence).step(
                &probe.shorn,
                byte,
                pos,
                next,
                &mut rest,
            );
            self.set.found.work += rest.work;
            core::mem::swap(&mut probe.shorn, next);
            if rest.literal_ended {
                probe.damaged = true;
                probe.shorn.clear();
            }
        }

        // What encloses it.
        let mut enclosing_left = false;
        let mut enclosing_names = false;
        if !probe.enclosing.is_empty() {
            self.stepper(program, view, NamePolicy::Evidence).step(
                &probe.enclosing,
                byte,
                pos,
                next,
                found,
            );
            core::mem::swap(&mut probe.enclosing, next);
            if found.literal_ended && closes(found) {
                probe.last = Some(pos + 1);
            }
            let from = pos + 1 - found.literal_length;
            for thread in &probe.enclosing {
                if self
                    .set
                    .log
                    .any(Log::ROOT, thread.log, |act| leaves_call(program, act))
                {
                    enclosing_left = true;
                    probe.leaves |= found.literal_ended
                        && begins_line(view.bytes(probe.at, from), value.line_blank);
                    enclosing_names |= self.set.log.any(Log::ROOT, thread.log, |act| {
                        Parser::names_known(program, view, act)
                    });
                }
            }
        }
        probe.pos = pos + 1;
        if probe.closer {
            probe.unknown_key |= unknown.is_some();
            probe.unknown_at = unknown.or(probe.unknown_at);
        }

        if follow_opens {
            probe.read = read;
            return Some(if value.nest == 0 {
                Signal::Ends {
                    recovered: false,
                    enclosing: false,
                }
            } else {
                Signal::Unnested
            });
        }
        if follow_ends && value.nest == 0 && value.is_in_string() {
            // All closers are there, but the JSON has a string open: text after them is more of it.
            return self.look_beyond(program, text, probe, view);
        }
        if follow_ends && value.nest == 0 {
            probe.left_call = true;
            probe.read = read;
            return Some(Signal::Ends {
                recovered: false,
                enclosing: false,
            });
        }
        if enclosing_left && enclosing_names {
            return Some(Signal::Ends {
                recovered: true,
                enclosing: !probe.closer,
            });
        }
        let alive = |set: &[Thread]| {
            set.iter()
                .any(|thread| !matches!(program.node(thread.node), Node::Match))
        };
        let sets = [&probe.follow, &probe.enclosing, &probe.own, &probe.shorn];
        if sets.into_iter().any(|set| alive(set)) {
            return None;
        }
        if let Some(bent) = bent.flatten() {
            probe.bent = Some(bent);
            return None;
        }
        self.nothing_left(program, text, probe, value, view)
    }

    /// No set goes on.
    fn nothing_left(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut CloserLookahead,
        value: &Value,
        view: View<'_>,
    ) -> Option<Signal> {
        if let Some(key) = probe.unknown_at.take()
            && probe.n_overs < OVERS
        {
            self.read_over(program, probe, key, view);
            return None;
        }
        if value.nest == 0 && self.begin_gap(program, text, probe, view) {
            return None;
        }
        self.look_beyond(program, text, probe, view)
    }

    /// The literals that `follow` stands before, each short of its first byte.
    fn shear(&self, program: &Program, follow: &[Thread]) -> Vec<Thread> {
        let is_long = |thread: &&Thread| {
            let length = match program.node(thread.node) {
                Node::Literal { bytes, .. } => bytes.len(),
                Node::Template { .. } => self.set.instances.get(thread.instance).len(),
                _ => 0,
            };
            thread.off == 0 && length > SHORN_MIN
        };
        let short = |thread: &Thread| Thread { off: 1, ..*thread };
        follow.iter().filter(is_long).map(short).collect()
    }
}

/// Shortest rest of a literal that is still told from text.
const SHORN_MIN: usize = 4;

/// Whether one of them has begun to read what follows a value, a tag say, and `byte` may spoil it: after the first byte
/// of a literal only what looks like the rest of a tag counts.
fn begun(program: &Program, follow: &[Thread], byte: u8) -> bool {
    follow.iter().any(|thread| match program.node(thread.node) {
        Node::Literal { .. } | Node::Template { .. } => {
            thread.off > 1 || (thread.off == 1 && (byte == b'/' || byte.is_ascii_alphabetic()))
        }
        Node::Attrs(_) | Node::Capture(_) => true,
        _ => false,
    })
}

/// Whether what stands after `bytes` begins a line; `is_begin`: they do, but for blanks.
fn begins_line(bytes: &[u8], is_begin: bool) -> bool {
    match bytes
        .iter()
        .rposition(|&byte| byte == b'\n' || !is_blank(byte))
    {
        Some(at) => bytes[at] == b'\n',
        None => is_begin,
    }
}

fn leaves_call(program: &Program, act: Act) -> bool {
    matches!(act, Act::Exit(node) if matches!(program.node(node), Node::Exit { role: RuleRole::Call, .. }))
}
