//! The one step: a byte maps a set of positions to a set.
//!
//! It runs openers, optional parts, alternatives, loops, separators and closers, and the lookahead for evidence.

use alloc::vec::Vec;

use super::Candidate;
use super::emitter::OpenCall;
use super::filled::Filled;
use super::log::{Act, Log, LogId};
use super::thread::{NamePolicy, Registers, StepResult, Thread};
use super::tokens::Tokens;
use super::view::View;
use crate::Shape;
use crate::grammar::{Capture, Piece};
use crate::program::{ByteSet, Node, NodeId, is_blank};
use crate::tools::ValueKind;

/// Everything that a step reads, and what it writes besides the set: the log, the filled literals and the result.
pub(crate) struct Stepper<'a> {
    pub(crate) view: View<'a>,
    pub(crate) log: &'a mut Log,
    pub(crate) flushed: LogId,
    pub(crate) instances: &'a mut Filled,
    pub(crate) registers: &'a Registers,
    /// The result of the steps.
    pub(crate) found: &'a mut StepResult,
    pub(crate) tokens: &'a Tokens,
    pub(crate) names: NamePolicy<'a>,
    /// The open call.
    pub(crate) call: Option<&'a OpenCall>,
    /// The candidate: where the trie's opener started, and facts of that place.
    pub(super) candidate: &'a Candidate,
    /// The low bytes of the nodes in the new set, and perhaps of others. A node whose low byte is absent is not in the
    /// set, which saves most searches.
    pub(crate) nodes: ByteSet,
}

impl Stepper<'_> {
    /// Steps `set` over `byte` at `pos` into `next`.
    pub(crate) fn step(&mut self, set: &[Thread], byte: u8, pos: u64, next: &mut Vec<Thread>) {
        next.clear();
        // Few sets grow, so this is one allocation, not one for each doubling.
        next.reserve(set.len());
        self.found.clear();
        self.found.many = set.len() > 1;
        self.nodes = ByteSet::default();
        for thread in set {
            self.thread(thread, byte, pos, next);
        }
    }

    /// Moves all of `sets` over up to `most` bytes in which every thread only continues: within a literal, a capture or
    /// a tag. Returns the number of bytes. Steps over these bytes would have the same effect.
    pub(crate) fn run(&self, sets: &mut [&mut Vec<Thread>], pos: u64, most: u64) -> u64 {
        let mut bytes = self.view.from(pos);
        bytes = &bytes[..bytes.len().min(most as usize)];
        if let [set] = sets
            && let [thread] = set.as_mut_slice()
        {
            return self.continues(thread, bytes, pos) as u64;
        }
        if sets.iter().all(|set| set.is_empty()) {
            return 0;
        }
        for thread in sets.iter().flat_map(|set| set.iter()) {
            bytes = &bytes[..self.continues(&mut thread.clone(), bytes, pos)];
            if bytes.is_empty() {
                return 0;
            }
        }
        for thread in sets.iter_mut().flat_map(|set| set.iter_mut()) {
            self.continues(thread, bytes, pos);
        }
        bytes.len() as u64
    }

    /// Moves the thread over the leading part of `bytes`, at `pos`, in which the thread only continues.
    fn continues(&self, thread: &mut Thread, bytes: &[u8], pos: u64) -> usize {
        match self.view.program.node(thread.node) {
            Node::Capture(capture) => return self.capture_continues(thread, capture, bytes, pos),
            Node::Attrs(attrs) => return self.continue_attrs(thread, attrs, bytes, pos),
            _ => {}
        }
        let literal = match self.instances.literal(self.view.program, thread) {
            Some(literal) if !literal.fold => literal.bytes,
            _ => return 0,
        };
        let rest = &literal[usize::from(thread.off)..literal.len() - 1];
        let length = rest.len().min(bytes.len());
        let length = if rest[..length] == bytes[..length] {
            length
        } else {
            let both = rest.iter().zip(bytes);
            both.take_while(|(a, b)| a == b).count()
        };
        thread.off += length as u16;
        length
    }

    /// Adds the epsilon closure of `thread` to the set: passes acts and optional blanks, and takes all alternatives.
    pub(crate) fn add_closure(&mut self, thread: &Thread, pos: u64, set: &mut Vec<Thread>) {
        for other in &*set {
            self.nodes.insert(other.node as u8);
        }
        self.close_on(thread, (thread.node, thread.log), pos, set);
    }

    /// Does what [`add_closure`](Stepper::add_closure) does, from `node`, for a set that this step started.
    pub(super) fn close_on(
        &mut self,
        thread: &Thread,
        (mut node, mut log): (NodeId, LogId),
        pos: u64,
        set: &mut Vec<Thread>,
    ) {
        loop {
            let (act, next) = match self.view.program.node(node) {
                Node::Split(all) => {
                    for &node in all {
                        self.close_on(thread, (node, log), pos, set);
                    }
                    return;
                }
                Node::Enter { next, .. } => (Some(Act::Enter(node)), *next),
                Node::Exit { next, .. } => (Some(Act::Exit(node)), *next),
                Node::Flag { value, next } => (Some(Act::Flag(value)), *next),
                Node::Forms(forms) => {
                    let kind = self.shape(log).map_or(ValueKind::Other, ValueKind::of);
                    (None, forms[kind as usize])
                }
                Node::Bol { next } if thread.starts_line => (None, *next),
                Node::Start { next } if self.candidate.start => (None, *next),
                Node::Bol { .. } | Node::Start { .. } => return,
                Node::Ws { next } | Node::Nl { next } => {
                    if !self.add_start(thread, (node, log), pos, set) {
                        return;
                    }
                    (None, *next)
                }
                Node::Template { pieces, .. } => {
                    if let Some(instance) = self.fill(pieces, log) {
                        let filled = Thread {
                            instance,
                            ..*thread
                        };
                        self.add_start(&filled, (node, log), pos, set);
                    }
                    return;
                }
                _ => {
                    self.add_start(thread, (node, log), pos, set);
                    return;
                }
            };
            if let Some(act) = act {
                log = self.log.push(log, act, pos);
            }
            node = next;
        }
    }

    /// Adds `thread` at the start of `node`. Returns whether the set had no such position.
    // Out of line, as three functions below: inlined, they would copy the thread field by field at each position.
    #[inline(never)]
    fn add_start(
        &mut self,
        thread: &Thread,
        (node, log): (NodeId, LogId),
        since: u64,
        set: &mut Vec<Thread>,
    ) -> bool {
        let mut start = *thread;
        (start.node, start.log, start.since) = (node, log, since);
        (start.off, start.quote, start.seen) = (0, 0, 0);
        self.add(set, &start)
    }

    pub(super) fn thread(&mut self, place: &Thread, byte: u8, pos: u64, next: &mut Vec<Thread>) {
        self.found.work += 1;
        match self.instances.literal(self.view.program, place) {
            // Most threads end here.
            Some(literal) if !literal.takes(place.off, byte) => {}
            Some(literal) if usize::from(place.off) + 1 < literal.bytes.len() => {
                self.found.literal_took = true;
                let mut thread = *place;
                thread.off += 1;
                self.add(next, &thread);
            }
            Some(_) => self.end_literal(*place, pos, next),
            None => self.step_other(*place, byte, pos, next),
        }
    }

    /// The last byte of the literal at `thread` was read.
    #[inline(never)]
    fn end_literal(&mut self, mut thread: Thread, pos: u64, next: &mut Vec<Thread>) {
        self.found.literal_took = true;
        let Some(literal) = self.instances.literal(self.view.program, &thread) else {
            return;
        };
        let (bytes, to) = (literal.bytes, literal.next);
        let from = pos + 1 - bytes.len() as u64;
        if self.tokens.is_spelled(bytes, from) {
            self.found.spelled = true;
            return;
        }
        thread.marked |= literal.mark;
        thread.pass(bytes);
        if literal.mark && self.found.many {
            let is_word = bytes.iter().all(u8::is_ascii_alphanumeric);
            let dialect = self.view.program.dialect_index(thread.node);
            self.found.markers.push((from, dialect, is_word));
        }
        self.found.literal_ended = true;
        self.found.ended = Some(thread.node);
        self.found.literal_length = self.found.literal_length.max(bytes.len() as u64);
        thread.broke = false;
        self.close_on(&thread, (to, thread.log), pos + 1, next);
    }

    /// Steps a thread at anything but a literal.
    #[inline(never)]
    fn step_other(&mut self, mut thread: Thread, byte: u8, pos: u64, next: &mut Vec<Thread>) {
        match self.view.program.node(thread.node) {
            Node::Trie => self.trie(thread, byte, pos, next),
            Node::Ws { next: to }
                if is_blank(byte)
                    && pos - thread.since < self.view.program.limits.blanks as u64 =>
            {
                thread.pass(&[byte]);
                self.add(next, &thread);
                thread.broke = false;
                self.close_on(&thread, (*to, thread.log), pos + 1, next);
            }
            Node::Nl { next: to } => match (thread.off, byte) {
                (0, b'\r') => {
                    thread.off = 1;
                    self.add(next, &thread);
                }
                (_, b'\n') => {
                    thread.pass(b"\n");
                    thread.broke = true;
                    self.close_on(&thread, (*to, thread.log), pos + 1, next);
                }
                _ => {}
            },
            Node::Capture(capture) => self.capture(thread, capture, byte, pos, next),
            Node::Attrs(attrs) => self.attrs(thread, attrs, byte, pos, next),
            Node::Json { .. } if byte != b'{' => {}
            // After a marker the object may lack its brace.
            Node::Object(_) if byte != b'{' && !(byte == b'"' && thread.marked) => {}
            Node::Json { .. } | Node::Object(_) => self.found.body(thread, next),
            Node::Py { .. } => {
                // The start of a known name opened the call; the name continues.
                let within = thread.since < pos
                    && (byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'/' | b'\\' | b'('));
                if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 || within {
                    self.found.body(thread, next);
                }
            }
            Node::Xml(xml) => {
                let tag = xml.prefix.as_deref().unwrap_or("<").as_bytes()[0];
                // After a marker words may come before the first tag.
                let is_word = thread.marked && tag == b'<' && byte.is_ascii_alphabetic();
                if byte == tag || is_blank(byte) || is_word {
                    self.found.body(thread, next);
                }
            }
            Node::Text(text) if text.delimiter.starts_otherwise(byte) => {}
            Node::Text(_) | Node::Match => self.found.body(thread, next),
            // Literals were read before, and epsilon edges read nothing.
            _ => {}
        }
    }

    fn trie(&mut self, mut thread: Thread, byte: u8, pos: u64, next: &mut Vec<Thread>) {
        let Some(state) = self.view.program.trie.step(thread.off, byte) else {
            return;
        };
        thread.off = state;
        let before = next.len();
        if self.view.program.trie.has_children(state) {
            self.add(next, &thread);
        }
        let (start, bol) = (self.candidate.at, self.candidate.bol);
        let read = self.view.bytes(start, pos + 1);
        let openers = self.view.program.trie.complete(state);
        // Most openers lead to blanks, and to what follows the blanks.
        next.reserve(2 * openers.len());
        for opener in openers {
            let is_at_line = bol || opener.may_be_assigned && self.candidate.is_kept;
            if (opener.bol && !is_at_line)
                || (opener.start && !self.candidate.start)
                || !opener.fits(read)
            {
                continue;
            }
            if self.tokens.is_spelled(read, start) {
                self.found.spelled = true;
                continue;
            }
            self.found.opened = true;
            self.found.literal_ended = true;
            self.found.literal_length = self.found.literal_length.max(pos + 1 - start);
            let mut path = Thread {
                node: opener.target,
                off: 0,
                marked: opener.mark,
                starts_line: bol,
                ..thread
            };
            path.pass(read);
            for &enter in &opener.enters {
                path.log = self.log.push(path.log, Act::Enter(enter), start);
            }
            if opener.name > 0 {
                path.since = pos + 1 - opener.name as u64;
                self.add(next, &path);
            } else {
                self.close_on(&path, (path.node, path.log), pos + 1, next);
            }
        }
        // An opener that is not allowed here takes no byte; a body that starts with that byte may.
        self.found.literal_took |= next.len() > before;
    }

    /// Adds a thread unless the set has one at the same position: the first has priority, whenever it started.
    #[inline(never)]
    pub(super) fn add(&mut self, set: &mut Vec<Thread>, thread: &Thread) -> bool {
        let node = thread.node as u8;
        let is_present = self.nodes.has(node)
            && set.iter().any(|other| {
                other.node == thread.node
                    && other.off == thread.off
                    && other.instance == thread.instance
            });
        if !is_present {
            self.nodes.insert(node);
            set.push(*thread);
        }
        !is_present
    }

    /// What the schema says of the value of the key in `log`.
    fn shape(&self, log: LogId) -> Option<&Shape> {
        let named = self.log.newest(log, self.flushed, Capture::Key);
        let key = named.map_or(self.registers.get(Capture::Key), |at| self.view.at(at));
        // Before the first parameter of a short opener the call is not committed.
        let name = self.log.newest(log, self.flushed, Capture::Name);
        let open = self.call.and_then(|call| call.tool);
        let tools = &self.view.program.tools;
        let tool = name.map_or(open, |at| tools.find(self.view.at(at).trim()))?;
        tools.tool(tool).parameters.get(key.trim())
    }

    /// A literal with its holes filled from the thread's own captures, else from the flushed ones.
    fn fill(&mut self, pieces: &[Piece], log: LogId) -> Option<u32> {
        let (view, registers) = (self.view, self.registers);
        let (known, flushed) = (&*self.log, self.flushed);
        self.instances.add(pieces.iter().map(|piece| match piece {
            Piece::Bytes(text) => text.as_bytes(),
            Piece::Hole(what) => match known.newest(log, flushed, *what) {
                Some(at) => view.bytes(at.start, at.end),
                None => registers.get(*what).as_bytes(),
            },
        }))
    }
}
