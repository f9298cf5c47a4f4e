//! The machine's state between bodies: an ordered set of positions in the graph, and what is known beside it.

use alloc::string::String;
use alloc::vec::Vec;

use super::closer_lookahead::starts_line;
use super::log::LogId;
use crate::Span;
use crate::grammar::Capture;
use crate::program::{NodeId, Program};

/// One position. Order in the set is priority.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) node: NodeId,
    /// Bytes of a literal read; the state of the trie; the state of attributes.
    pub(crate) off: u16,
    pub(crate) log: LogId,
    /// Where this run of blanks, capture or attribute began.
    pub(crate) since: u64,
    /// A marker was passed: something but the name marks the call.
    pub(crate) marked: bool,
    /// A line break was left out right before (`nl text nl`).
    pub(crate) broke: bool,
    /// Only blanks are before it on its line.
    pub(crate) starts_line: bool,
    /// No line break was read since the entry's begin.
    pub(crate) one_line: bool,
    /// It waits in a context (`think`, an open block).
    pub(crate) extra: bool,
    pub(crate) quote: u8,
    /// Attributes seen, a bit each.
    pub(crate) seen: u16,
    /// Length of the attribute's name; it begins at `since` then.
    pub(crate) name_end: u64,
    /// Which instance of a template.
    pub(crate) instance: u32,
}

impl Thread {
    pub(crate) fn at(node: NodeId, log: LogId, pos: u64) -> Thread {
        Thread {
            node,
            log,
            since: pos,
            starts_line: true,
            one_line: true,
            ..Thread::default()
        }
    }

    /// What stands after a literal, or blanks, that the thread has read.
    pub(super) fn after(self, node: NodeId) -> Thread {
        Thread {
            node,
            off: 0,
            broke: false,
            ..self
        }
    }

    /// Reads text that is no line's whole, or ends one.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.starts_line = starts_line(bytes, self.starts_line);
        self.one_line &= !bytes.contains(&b'\n');
    }
}

/// Whether the entry ends where one of the threads stands.
pub(super) fn any_ends(program: &Program, threads: &[Thread]) -> bool {
    threads.iter().any(|thread| program.is_end(thread.node))
}

/// What was captured and flushed: newest of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    /// A text for each kind.
    texts: [String; 7],
    /// Where the key was read.
    pub(crate) key_at: Span,
    /// Where the type was read, if nothing was captured since.
    pub(crate) type_at: Option<Span>,
}

impl Registers {
    pub(super) fn get(&self, what: Capture) -> &str {
        &self.texts[what as usize]
    }

    /// Puts `text` in the place and the memory of another.
    pub(super) fn set(&mut self, what: Capture, text: &str) {
        let place = &mut self.texts[what as usize];
        place.clear();
        place.push_str(text);
    }
}

/// Which keys and names a thread may capture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamePolicy<'a> {
    /// The reading itself: any plausible key, and names as the dialect says.
    Reading,
    /// Looking for evidence: a key must be one that the call does not have yet, and declared by its tool. Where no tool is
    /// known, any plausible one will do.
    Evidence,
    /// Looking for the value's own opener inside it: any plausible key, for the call that stands there is that of another
    /// tool perhaps; where the closer holds the key, this one.
    Own { same_key: Option<&'a str> },
    /// Looking for an entry after a closer: only known names, or plausible ones too.
    Entry { plausible: bool },
}

/// A plausible key that the tool does not have: the thread as it would have gone on, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownKey {
    pub(crate) thread: Thread,
    pub(crate) at: u64,
}

/// What one step found, beside the new set.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepResult {
    /// Bodies and ends that can begin with the byte, in order, and whether a thread before them took it.
    pub(crate) bodies: Vec<Thread>,
    /// A body stands before every thread that took the byte.
    pub(crate) body_first: bool,
    /// A literal (or the trie) took the byte.
    pub(crate) literal_took: bool,
    /// A literal ended with the byte.
    pub(crate) literal_ended: bool,
    /// One would have, were it not a token's in plain letters.
    pub(crate) spelled: bool,
    /// Which one, of several the last.
    pub(crate) ended: Option<NodeId>,
    /// Bytes of the longest one that did.
    pub(crate) literal_length: u64,
    /// There is more than one thread.
    pub(crate) many: bool,
    /// Markers that ended with the byte: where they began, their dialects, and whether they are words. They outrank what other threads captured of
    /// their bytes.
    pub(crate) markers: Vec<(u64, u16, bool)>,
    /// A plausible key died because the tool has no such parameter.
    pub(crate) unknown_key: Option<UnknownKey>,
    /// A placeholder stood where a name belongs: its extent.
    pub(crate) placeholder: Option<Span>,
    /// The tag of another tool stood where a parameter's may: where its name begins.
    pub(crate) another_tool: Option<u64>,
    /// An opener of the candidate that may stand there was read whole, or something that is no opener may begin there.
    pub(crate) opened: bool,
    /// Thread steps made.
    pub(crate) work: u64,
    /// Room for places that a byte is shown to within a step.
    pub(crate) here: Vec<Thread>,
}

impl StepResult {
    pub(super) fn clear(&mut self) {
        self.bodies.clear();
        (self.body_first, self.literal_took, self.literal_ended) = (false, false, false);
        (self.placeholder, self.unknown_key) = (None, None);
        (self.another_tool, self.ended, self.spelled) = (None, None, false);
        self.literal_length = 0;
        self.markers.clear();
    }

    /// A body, or the end, begins with the byte; `next` has taken it by then.
    pub(super) fn body(&mut self, thread: Thread, next: &[Thread]) {
        if self.bodies.is_empty() {
            self.body_first = next.is_empty();
        }
        self.bodies.push(thread);
    }
}
