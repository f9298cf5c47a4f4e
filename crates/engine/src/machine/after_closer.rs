//! What stands after the last closer that a probe read whole: an entry, a stop, another closer, or a parameter that the
//! tool does not have and whose value is read over.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use toolglot_json::internal::value_end;

use super::Parser;
use super::closer_decision::Signal;
use super::closer_lookahead::{CloserLookahead, Stage};
use super::damaged_literal::is_literal;
use super::intervening_text::value_at;
use super::line_tail::byte_before;
use super::log::{Act, Log, LogId};
use super::thread::{NamePolicy, Thread, UnknownKey, any_ends};
use super::value::find_closer;
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Fits, Node, NodeId, RuleRole, TextNode, is_blank};

/// Reading over an unknown parameter: to its value, then over that.
#[derive(Debug, Default)]
pub(super) struct SkippedParameter {
    /// Up to its value.
    threads: Vec<Thread>,
    /// Where its value begins.
    from: u64,
    /// What follows the value, where a literal that may be left out can still stand before it.
    value: Option<(NodeId, LogId)>,
    /// Between these quotes, or in JSON's quotes and brackets, stands none of its closers.
    quotes: Option<Box<[String]>>,
    /// The closers of its value, once that has begun.
    closers: Vec<Thread>,
}

/// After the value in quotes or brackets that `text` starts with: 0 where it starts with none, `None` where that has no end.
fn quoted_end(text: &str, quotes: &[String]) -> Option<usize> {
    let start = text.len() - text.trim_start().len();
    let own = quotes
        .iter()
        .find(|quote| text[start..].starts_with(quote.as_str()));
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
    /// Where it began, blanks passed.
    from: u64,
    blank: bool,
    /// A line break was among them.
    bol: bool,
    /// The last closer ends the call, and begins its line.
    leaves: bool,
    entries: Vec<Thread>,
    enclosing: Vec<Thread>,
    /// Text stands there: its lines are read, up to an entry.
    prose: Option<Line>,
}

/// Where in a line of prose the lookahead stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// In the blanks that it begins with.
    Begin,
    /// An entry may begin there: that is found out first.
    Entry,
    /// No entry begins it.
    Rest,
}

impl Parser {
    /// All sets are dead: what stands after the last whole closer decides.
    pub(super) fn look_after_closer(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
    ) -> Option<Signal> {
        let Some(last) = probe.last else {
            return Some(Signal::Data);
        };
        let from = Thread::at(text.follow, Log::ROOT, last);
        let mut enclosing = Vec::new();
        self.add_positions(view, from, &text.enclosing, &mut enclosing);
        probe.stage = Stage::After(AfterCloser {
            from: last,
            blank: true,
            bol: byte_before(view, last) == Some(b'\n'),
            leaves: probe.leaves,
            enclosing,
            ..AfterCloser::default()
        });
        probe.pos = last;
        None
    }

    /// An unknown parameter is read over if it is well-formed: text without a tag, up to its own closer.
    pub(super) fn read_over(
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
        probe.n_overs += 1;
        probe.pos = key.at;
        probe.stage = Stage::Skipped(SkippedParameter {
            threads,
            from: key.at,
            ..SkippedParameter::default()
        });
    }

    /// Reads over it: whether it is closed, once that is known.
    pub(super) fn run_over(
        &mut self,
        probe: &mut CloserLookahead,
        over: &mut SkippedParameter,
        view: View<'_>,
    ) -> Option<bool> {
        let program = view.program;
        while over.closers.is_empty() {
            let Some(byte) = view.byte(probe.pos) else {
                return view.eof.then_some(false);
            };
            let cx = (view, NamePolicy::Reading);
            self.step_set(cx, &mut over.threads, byte, probe.pos);
            probe.pos += 1;
            if let Some((thread, text)) = value_at(program, &over.threads) {
                (over.from, over.value) = (probe.pos, Some((text.follow, thread.log)));
                over.quotes.clone_from(&text.quotes);
            }
            // A literal that can still take the next byte comes first, as in the reading.
            let waits = |thread: &Thread| is_literal(program, thread);
            match over.value {
                _ if over.threads.iter().any(waits) => {}
                Some((follow, log)) => {
                    probe.pos = over.from;
                    if let Some(quotes) = &over.quotes {
                        let end = view.boundary(over.from + program.limits.blanks as u64);
                        self.set.found.work += end - over.from;
                        match quoted_end(view.slice(over.from, end), quotes) {
                            None if end == view.end() && !view.eof => return None,
                            end => probe.pos += end.unwrap_or(0) as u64,
                        }
                    }
                    over.closers = self.closers_at(follow, log, view);
                    if over.closers.is_empty() {
                        return Some(false);
                    }
                }
                None if over.threads.is_empty() => return Some(false),
                None => {}
            }
        }
        loop {
            let rest = view.from(probe.pos);
            let literal = |closer| self.set.instances.literal(program, closer);
            let firsts = over
                .closers
                .iter()
                .filter_map(literal)
                .map(|literal| literal.bytes[0]);
            let has_tags = firsts.clone().all(|first| first == b'<');
            let at = firsts.filter_map(|first| {
                memchr::memchr2(first.to_ascii_lowercase(), first.to_ascii_uppercase(), rest)
            });
            let step = at.min().unwrap_or(rest.len());
            self.set.found.work += step as u64 + 1;
            probe.pos += step as u64;
            if probe.pos - over.from > program.limits.blanks as u64 {
                return Some(false);
            }
            let found = view.from(probe.pos);
            match self.closer_fits(&over.closers, found) {
                (Fits::Whole, ..) => {
                    probe.follow = core::mem::take(&mut over.closers);
                    return Some(true);
                }
                (Fits::SoFar, ..) if view.eof && !self.ending.is_cut_off => {
                    self.pass_end(&mut over.closers, view, NamePolicy::Evidence);
                    probe.follow = core::mem::take(&mut over.closers);
                    return Some(self.any_leaves_call(&probe.follow));
                }
                (Fits::SoFar, ..) => return view.eof.then_some(false),
                (Fits::Not, ..) => {}
            }
            // A bracket that begins no tag is text.
            match found {
                [b'<', b'/' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] if has_tags => {
                    return Some(false);
                }
                [_, _, ..] => probe.pos += 1,
                _ => return view.eof.then_some(false),
            }
        }
    }

    /// The literals after a value, at `follow`, with what was captured in `log`.
    pub(super) fn closers_at(&mut self, follow: NodeId, log: LogId, view: View<'_>) -> Vec<Thread> {
        self.closure(view, Thread::at(follow, log, 0))
    }

    /// How `bytes` fit the first of the literals before which `closers` stand that they fit; its length, and what follows.
    pub(super) fn closer_fits(&self, closers: &[Thread], bytes: &[u8]) -> (Fits, u64, NodeId) {
        let literals = closers
            .iter()
            .filter_map(|closer| self.set.instances.literal(&self.program, closer));
        let mut found = literals
            .map(|literal| {
                let length = literal.bytes.len() as u64;
                (literal.fits(bytes), length, literal.next)
            })
            .filter(|(fits, ..)| *fits != Fits::Not);
        found.next().unwrap_or((Fits::Not, 0, 0))
    }

    /// After the last closer. `None`: more bytes are needed.
    pub(super) fn run_after_closer(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        beyond: &mut AfterCloser,
        view: View<'_>,
    ) -> Option<Signal> {
        let program = view.program;
        loop {
            let Some(byte) = view.byte(probe.pos) else {
                let is_cut_off = self.ending.is_cut_off;
                let end = if is_cut_off {
                    Signal::Cut
                } else {
                    Signal::Recovered
                };
                return view.eof.then_some(end);
            };
            if beyond.blank {
                if is_blank(byte) {
                    beyond.bol |= byte == b'\n';
                    if probe.pos - beyond.from > program.limits.blanks as u64 {
                        return Some(Signal::Data);
                    }
                    probe.pos += 1;
                    continue;
                }
                beyond.blank = false;
                beyond.from = probe.pos;
                beyond
                    .entries
                    .push(Thread::at(program.rules.trie_node, Log::ROOT, probe.pos));
            }
            if probe.pos - probe.at > program.limits.undecided as u64 {
                probe.prose_to = beyond.prose.map(|_| probe.pos);
                return Some(Signal::Data);
            }
            if beyond.prose.is_some() {
                match self.run_prose(text, probe, beyond, view) {
                    ControlFlow::Break(turn) => return turn,
                    ControlFlow::Continue(()) => continue,
                }
            }
            let names = NamePolicy::Entry {
                plausible: probe.has_closer(),
            };
            let entered = self.step_entries((names, beyond.bol), beyond, byte, probe.pos, view);
            let stops = any_ends(program, &beyond.entries);
            let cx = (view, NamePolicy::Evidence);
            self.step_set(cx, &mut beyond.enclosing, byte, probe.pos);
            probe.pos += 1;
            if entered {
                return Some(Signal::Recovered);
            }
            let inner_ended = self.set.found.literal_ended;
            if stops || inner_ended && any_ends(program, &beyond.enclosing) {
                // A stop, or one more enclosing closer: look after that one. A text that speaks of stops goes on there.
                *beyond = AfterCloser {
                    from: probe.pos,
                    blank: true,
                    leaves: if stops { beyond.leaves } else { beyond.bol },
                    ..AfterCloser::default()
                };
                continue;
            }
            if beyond.entries.is_empty() && beyond.enclosing.is_empty() {
                if !(beyond.leaves && beyond.bol && probe.may_leave) {
                    return Some(Signal::Data);
                }
                beyond.prose = Some(Line::Rest);
                probe.pos = beyond.from;
            }
        }
    }

    /// One byte of the entries that may begin at `beyond.from`: whether one did.
    fn step_entries(
        &mut self,
        (policy, bol): (NamePolicy<'_>, bool),
        beyond: &mut AfterCloser,
        byte: u8,
        pos: u64,
        view: View<'_>,
    ) -> bool {
        // An entry there would begin a line or not, and never the message.
        let place = (self.candidate.at, self.candidate.bol, self.candidate.start);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = (beyond.from, bol, false);
        self.step_set((view, policy), &mut beyond.entries, byte, pos);
        (self.candidate.at, self.candidate.bol, self.candidate.start) = place;
        beyond.entries.iter().any(|thread| {
            let named = self.set.found.literal_ended
                && self.set.log.any(Log::ROOT, thread.log, Act::is_name);
            let enters =
                |act: Act| matches!(act.entered(view.program), Some((RuleRole::Call, Some(_))));
            let fixed = view.program.node(thread.node).is_body()
                && self.set.log.any(Log::ROOT, thread.log, enters);
            named || fixed
        })
    }

    /// Reads on in prose after closers that end the call on a line of their own: up to a line that begins with an entry of
    /// a known name: the value ends before the closers. Another closer, or opener, of the value on the way leaves all of it
    /// in the value.
    fn run_prose(
        &mut self,
        text: &TextNode,
        probe: &mut CloserLookahead,
        beyond: &mut AfterCloser,
        view: View<'_>,
    ) -> ControlFlow<Option<Signal>> {
        let rest = view.from(probe.pos);
        match beyond.prose {
            Some(Line::Begin) => {
                let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count() as u64;
                self.set.found.work += n_blank + 1;
                probe.pos += n_blank;
                beyond.from = probe.pos;
                if n_blank < rest.len() as u64 {
                    let thread = Thread::at(view.program.rules.trie_node, Log::ROOT, probe.pos);
                    beyond.entries.push(thread);
                    beyond.prose = Some(Line::Entry);
                }
            }
            Some(Line::Entry) => {
                let names = NamePolicy::Entry { plausible: false };
                probe.pos += 1;
                if self.step_entries((names, true), beyond, rest[0], probe.pos - 1, view) {
                    return ControlFlow::Break(Some(Signal::Recovered));
                }
                if beyond.entries.is_empty() {
                    beyond.prose = Some(Line::Rest);
                    probe.pos = beyond.from;
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
                            beyond.prose = Some(Line::Begin);
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a tool has the name that was captured.
pub(super) fn names_known(view: View<'_>, act: Act) -> bool {
    matches!(act, Act::Captured { what: Capture::Name, at } if view.program.tools.find(view.at(at)).is_some())
}
