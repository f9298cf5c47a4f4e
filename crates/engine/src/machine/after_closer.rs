//! Reads what follows the last whole closer of a lookahead: an entry, a stop, another closer, or a parameter that the
//! tool does not have. The value of such a parameter is skipped.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use toolglot_json::internal::value_end;

use super::Parser;
use super::closer_decision::Signal;
use super::closer_lookahead::{CloserLookahead, Stage};
use super::damaged_literal::{DamagedLiteral, is_literal};
use super::intervening_text::value_at;
use super::line_tail::byte_before;
use super::log::{Act, Log, LogId};
use super::thread::{NamePolicy, Thread, UnknownKey, any_ends};
use super::value::find_closer;
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Fits, Node, NodeId, RuleRole, TextNode, is_blank};
use crate::thresholds::MARKER_MIN;

/// Skips an unknown parameter: first the bytes up to its value, then the value.
#[derive(Debug, Default)]
pub(super) struct SkippedParameter {
    /// The positions up to the value.
    threads: Vec<Thread>,
    /// Where the value starts.
    from: u64,
    /// The node and the log after the value, once the value may start. An optional literal may still precede the value.
    value: Option<(NodeId, LogId)>,
    /// Between these quotes, or in JSON's quotes and brackets, the value's closers do not count.
    quotes: Option<Box<[String]>>,
    /// The closers of the value, once the value has started.
    closers: Vec<Thread>,
}

/// The end of the quoted or bracketed value that `text` starts with: 0 without such a value, `None` without its end.
fn quoted_end(text: &str, quotes: &[String]) -> Option<usize> {
    let start = text.len() - text.trim_start().len();
    let mut quotes = quotes.iter();
    let own = quotes.find(|quote| text[start..].starts_with(quote.as_str()));
    match (own, text.as_bytes().get(start)) {
        (Some(quote), _) => {
            let from = start + quote.len();
            Some(from + text[from..].find(quote)? + quote.len())
        }
        (None, Some(b'"' | b'[' | b'{')) => value_end(text, start),
        (None, None) => None,
        _ => Some(0),
    }
}

/// After the last closer: blanks, then an entry, a stop, or another enclosing closer.
#[derive(Debug, Default)]
pub(super) struct AfterCloser {
    /// Where the blanks start; after them, where the next text starts.
    from: u64,
    blank: bool,
    /// A line break is among the blanks or right before them.
    bol: bool,
    /// What was read of closers is too long to occur in a value by chance.
    leaves: bool,
    entries: Vec<Thread>,
    enclosing: Vec<Thread>,
    /// The state in prose, whose lines are read up to an entry.
    prose: Option<Line>,
}

/// Where the lookahead is in a line of prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// In the blanks at the start of the line.
    Begin,
    /// After those blanks, where an entry may start: its positions are stepped first.
    Entry,
    /// In the rest of a line that no entry starts.
    Rest,
}

impl Parser {
    /// All sets are dead: the text after the last whole closer decides.
    pub(super) fn look_after_closer(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
    ) -> Option<Signal> {
        let Some(last) = probe.last else {
            return Some(Signal::Data);
        };
        let mut enclosing = Vec::new();
        if !text.enclosing.is_empty() {
            enclosing = self.after_closers(text, last, view);
        }
        probe.stage = Stage::After(AfterCloser {
            from: last,
            blank: true,
            bol: byte_before(view, last) == Some(b'\n'),
            leaves: last - probe.at >= MARKER_MIN as u64,
            enclosing,
            ..AfterCloser::default()
        });
        probe.pos = last;
        None
    }

    /// Starts to skip an unknown parameter. It must be well-formed: text without a tag, up to its own closer.
    pub(super) fn start_skip(
        &mut self,
        probe: &mut CloserLookahead,
        key: UnknownKey,
        view: View<'_>,
    ) {
        let mut thread = key.thread;
        let threads = if matches!(view.program.node(thread.node), Node::Attrs(_)) {
            alloc::vec![thread]
        } else {
            (thread.off, thread.since) = (0, key.at);
            self.closure(view, thread)
        };
        probe.n_skips += 1;
        probe.pos = key.at;
        probe.stage = Stage::Skipped(SkippedParameter {
            threads,
            from: key.at,
            ..SkippedParameter::default()
        });
    }

    /// Skips the unknown parameter. Returns whether the parameter is closed; `None`: more bytes are needed.
    pub(super) fn run_skip(
        &mut self,
        probe: &mut CloserLookahead,
        skipped: &mut SkippedParameter,
        view: View<'_>,
    ) -> Option<bool> {
        let program = view.program;
        while skipped.closers.is_empty() {
            let Some(byte) = view.byte(probe.pos) else {
                return view.eof.then_some(false);
            };
            let cx = (view, NamePolicy::Reading);
            self.step_set(cx, &mut skipped.threads, byte, probe.pos);
            probe.pos += 1;
            if let Some((thread, text)) = value_at(program, &skipped.threads) {
                (skipped.from, skipped.value) = (probe.pos, Some((text.follow, thread.log)));
                skipped.quotes.clone_from(&text.quotes);
            }
            // A literal that can still take the next byte has priority over the value, as in `Mode::Matching`.
            let waits = |thread: &Thread| is_literal(program, thread);
            match skipped.value {
                _ if skipped.threads.iter().any(waits) => {}
                Some((follow, log)) => {
                    probe.pos = skipped.from;
                    if let Some(quotes) = &skipped.quotes {
                        let end = view.boundary(skipped.from + program.limits.blanks as u64);
                        self.set.found.work += end - skipped.from;
                        match quoted_end(view.slice(skipped.from, end), quotes) {
                            None if end == view.end() && !view.eof => return None,
                            end => probe.pos += end.unwrap_or(0) as u64,
                        }
                    }
                    skipped.closers = self.closers_at(follow, log, view);
                }
                None if skipped.threads.is_empty() => return Some(false),
                None => {}
            }
        }
        loop {
            let rest = view.from(probe.pos);
            let literal = |closer| self.set.instances.literal(program, closer);
            let literals = skipped.closers.iter().filter_map(literal);
            let firsts = literals.map(|literal| literal.bytes[0]);
            let has_tags = firsts.clone().all(|first| first == b'<');
            let at = firsts.filter_map(|first| {
                memchr::memchr2(first.to_ascii_lowercase(), first.to_ascii_uppercase(), rest)
            });
            let step = at.min().unwrap_or(rest.len());
            self.set.found.work += step as u64 + 1;
            probe.pos += step as u64;
            if probe.pos - skipped.from > program.limits.blanks as u64 {
                return Some(false);
            }
            let found = view.from(probe.pos);
            match self.closer_fits(&skipped.closers, found) {
                (Fits::Whole, ..) => {
                    probe.follow = core::mem::take(&mut skipped.closers);
                    return Some(true);
                }
                (Fits::SoFar, ..) if view.eof && !self.ending.is_cut_off => {
                    self.pass_end(&mut skipped.closers, view, NamePolicy::Evidence);
                    probe.follow = core::mem::take(&mut skipped.closers);
                    return Some(self.any_leaves_call(&probe.follow));
                }
                (Fits::SoFar, ..) => return view.eof.then_some(false),
                (Fits::Not, ..) => {}
            }
            // A bracket that starts no tag is text.
            match found {
                [b'<', b'/' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] if has_tags => {
                    return Some(false);
                }
                [_, _, ..] => probe.pos += 1,
                _ => return view.eof.then_some(false),
            }
        }
    }

    /// The positions at the literals after a value: the epsilon closure of `follow`, with the captures of `log`.
    pub(super) fn closers_at(&mut self, follow: NodeId, log: LogId, view: View<'_>) -> Vec<Thread> {
        self.closure(view, Thread::at(follow, log, 0))
    }

    /// The positions after the closers of a value of `text`.
    pub(super) fn past_closers(&mut self, text: &TextNode, view: View<'_>) -> Vec<NodeId> {
        let closers = self.closers_at(text.follow, Log::ROOT, view);
        let next = |closer| Some(self.set.instances.literal(view.program, closer)?.next);
        closers.iter().filter_map(next).collect()
    }

    /// The synchronization points after those closers.
    pub(super) fn after_closers(
        &mut self,
        text: &TextNode,
        at: u64,
        view: View<'_>,
    ) -> Vec<Thread> {
        let (past, mut after) = (self.past_closers(text, view), Vec::new());
        let from = Thread::at(text.follow, Log::ROOT, at);
        self.add_positions(view, from, &past, &mut after);
        self.anchors(after, at, view)
    }

    /// The first literal of `closers` that `bytes` fit: how they fit it, its length, and the node after it.
    pub(super) fn closer_fits(&self, closers: &[Thread], bytes: &[u8]) -> (Fits, u64, NodeId) {
        let literal = |closer| self.set.instances.literal(&self.program, closer);
        let literals = closers.iter().filter_map(literal);
        let mut found = literals
            .map(|literal| {
                let length = literal.bytes.len() as u64;
                (literal.fits(bytes), length, literal.next)
            })
            .filter(|(fits, ..)| *fits != Fits::Not);
        found.next().unwrap_or((Fits::Not, 0, 0))
    }

    /// Reads the text after the last closer. `None`: more bytes are needed.
    pub(super) fn run_after_closer(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        after: &mut AfterCloser,
        view: View<'_>,
    ) -> Option<Signal> {
        let program = view.program;
        loop {
            let Some(byte) = view.byte(probe.pos) else {
                let cut_off = self.ending.is_cut_off.then_some(Signal::Cut);
                return view.eof.then(|| cut_off.unwrap_or(Signal::Recovered));
            };
            if after.blank {
                if is_blank(byte) {
                    after.bol |= byte == b'\n';
                    if probe.pos - after.from > program.limits.blanks as u64 {
                        return Some(Signal::Data);
                    }
                    probe.pos += 1;
                    continue;
                }
                after.blank = false;
                after.from = probe.pos;
                after
                    .entries
                    .push(Thread::at(program.rules.trie_node, Log::ROOT, probe.pos));
            }
            if probe.pos - probe.at > program.limits.undecided as u64 {
                probe.prose_to = after.prose.map(|_| probe.pos);
                return Some(Signal::Data);
            }
            if after.prose.is_some() {
                match self.run_prose(text, probe, after, view) {
                    ControlFlow::Break(signal) => return signal,
                    ControlFlow::Continue(()) => continue,
                }
            }
            let names = NamePolicy::Entry {
                plausible: probe.has_closer(),
            };
            let entered = self.step_entries((names, after.bol), after, byte, probe.pos, view);
            let stops = any_ends(program, &after.entries);
            self.step_set((view, names), &mut after.enclosing, byte, probe.pos);
            probe.pos += 1;
            // The opener of the block's next call counts as well.
            let calls = |thread: &Thread| {
                self.leaves(thread) && self.set.log.any(Log::ROOT, thread.log, Act::is_name)
            };
            if entered || after.enclosing.iter().any(calls) {
                return Some(Signal::Recovered);
            }
            let inner_ended = self.set.found.literal_ended;
            if stops || inner_ended && any_ends(program, &after.enclosing) {
                // After a stop or another enclosing closer the lookahead continues. A text that mentions stops has
                // prose there.
                *after = AfterCloser {
                    from: probe.pos,
                    blank: true,
                    leaves: !stops || after.leaves,
                    ..AfterCloser::default()
                };
                continue;
            }
            if after.entries.is_empty() && after.enclosing.is_empty() {
                // What is no entry may be a closer that has lost its slash.
                if probe.may_leave && probe.has_closer() && !probe.is_damaged {
                    let (from, literals) = (after.from, None);
                    let damaged = DamagedLiteral { from, literals };
                    match self.read_damaged(text, probe, &damaged, view) {
                        Some(true) if probe.left_call => return Some(Signal::Ends),
                        None => return None,
                        Some(_) => {}
                    }
                }
                if !(after.leaves && after.bol && probe.may_leave) {
                    return Some(Signal::Data);
                }
                after.prose = Some(Line::Rest);
                probe.pos = after.from;
            }
        }
    }

    /// Steps the entries that may start at `after.from` over one byte. Returns whether one of them has its tool.
    fn step_entries(
        &mut self,
        (policy, bol): (NamePolicy<'_>, bool),
        after: &mut AfterCloser,
        byte: u8,
        pos: u64,
        view: View<'_>,
    ) -> bool {
        // The entry may start a line, but never the message.
        let saved = (self.candidate.at, self.candidate.bol, self.candidate.start);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = (after.from, bol, false);
        self.step_set((view, policy), &mut after.entries, byte, pos);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = saved;
        after.entries.iter().any(|thread| {
            let named = self.set.found.literal_ended
                && self.set.log.any(Log::ROOT, thread.log, Act::is_name);
            let enters =
                |act: Act| matches!(act.entered(view.program), Some((RuleRole::Call, Some(_))));
            let fixed = view.program.node(thread.node).is_body()
                && self.set.log.any(Log::ROOT, thread.log, enters);
            named || fixed
        })
    }

    /// Reads prose after closers that end the call on their own line, up to a line that starts with an entry of a known
    /// name. The value then ends before those closers. If another closer or opener of the value comes first, everything
    /// before it belongs to the value.
    fn run_prose(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        after: &mut AfterCloser,
        view: View<'_>,
    ) -> ControlFlow<Option<Signal>> {
        let rest = view.from(probe.pos);
        match after.prose {
            Some(Line::Begin) => {
                let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count() as u64;
                self.set.found.work += n_blank + 1;
                probe.pos += n_blank;
                after.from = probe.pos;
                if n_blank < rest.len() as u64 {
                    let thread = Thread::at(view.program.rules.trie_node, Log::ROOT, probe.pos);
                    after.entries.push(thread);
                    after.prose = Some(Line::Entry);
                }
            }
            Some(Line::Entry) => {
                let names = NamePolicy::Entry { plausible: false };
                probe.pos += 1;
                if self.step_entries((names, true), after, rest[0], probe.pos - 1, view) {
                    return ControlFlow::Break(Some(Signal::Recovered));
                }
                if after.entries.is_empty() {
                    after.prose = Some(Line::Rest);
                    probe.pos = after.from;
                }
            }
            Some(Line::Rest) | None => {
                let line = memchr::memchr(b'\n', rest);
                let line = line.map_or(rest, |end| &rest[..=end]);
                self.set.found.work += line.len() as u64;
                match find_closer(text, &self.set.registers, line) {
                    Some(closer) if closer.is_whole || line.len() < rest.len() => {
                        probe.pos += closer.at as u64 + 1;
                        probe.prose_to = Some(probe.pos);
                        return ControlFlow::Break(Some(Signal::Data));
                    }
                    Some(closer) if !view.eof => {
                        probe.pos += closer.at as u64;
                        return ControlFlow::Break(None);
                    }
                    _ => {
                        probe.pos += line.len() as u64;
                        if line.ends_with(b"\n") {
                            after.prose = Some(Line::Begin);
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether the act captures the name of a known tool.
pub(super) fn names_known(view: View<'_>, act: Act) -> bool {
    matches!(act, Act::Captured { what: Capture::Name, at } if view.program.tools.find(view.at(at)).is_some())
}
