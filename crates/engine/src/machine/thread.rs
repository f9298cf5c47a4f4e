//! The machine's state between bodies: an ordered set of positions in the graph, the flushed captures, and the result
//! of a step.

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
    /// Where this run of blanks, capture or attribute started.
    pub(crate) since: u64,
    /// A marker was passed: more than the name identifies the call.
    pub(crate) marked: bool,
    /// A line break was left out right before (`nl text nl`).
    pub(crate) broke: bool,
    /// Only blanks precede the position on its line.
    pub(crate) starts_line: bool,
    /// No line break was read since the entry's start.
    pub(crate) one_line: bool,
    /// The position waits in a context (`think`, an open block).
    pub(crate) extra: bool,
    pub(crate) quote: u8,
    /// Attributes seen, a bit each.
    pub(crate) seen: u16,
    /// Where the attribute's name ends, which starts at `since`; during the value, the attribute's index.
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

    /// The thread after a literal, or blanks, that it has read.
    pub(super) fn after(self, node: NodeId) -> Thread {
        Thread {
            node,
            off: 0,
            broke: false,
            ..self
        }
    }

    /// Updates the line flags for `bytes` that were read.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.starts_line = starts_line(bytes, self.starts_line);
        self.one_line &= !bytes.contains(&b'\n');
    }
}

/// Whether the entry ends at one of the threads.
pub(super) fn any_ends(program: &Program, threads: &[Thread]) -> bool {
    threads.iter().any(|thread| program.is_end(thread.node))
}

/// The newest flushed capture of each kind.
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

    /// Replaces the text of a kind by `text`, in the same allocation.
    pub(super) fn set(&mut self, what: Capture, text: &str) {
        let place = &mut self.texts[what as usize];
        place.clear();
        place.push_str(text);
    }
}

/// Which keys and names a thread may capture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamePolicy<'a> {
    /// The reading itself: any plausible key, and names that the dialect allows.
    Reading,
    /// Lookahead for evidence: a key must be declared by the call's tool, and new to the call. Where no tool is known,
    /// any plausible key will do.
    Evidence,
    /// Lookahead for the value's own opener inside it: any plausible key, because a call there may be another tool's.
    /// Where the closer contains the key, only `same_key`.
    Own { same_key: Option<&'a str> },
    /// Lookahead for an entry after a closer: only known names, or plausible ones, too.
    Entry { plausible: bool },
}

/// A plausible key that the tool does not have: the thread after the key, and where the key ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownKey {
    pub(crate) thread: Thread,
    pub(crate) at: u64,
}

/// What one step found, beside the new set.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepResult {
    /// Bodies and ends that can start with the byte, in order of priority.
    pub(crate) bodies: Vec<Thread>,
    /// A body has priority over every thread that took the byte.
    pub(crate) body_first: bool,
    /// A literal (or the trie) took the byte.
    pub(crate) literal_took: bool,
    /// A literal ended with the byte.
    pub(crate) literal_ended: bool,
    /// A literal did not end, because it is a token's spelling in plain letters.
    pub(crate) spelled: bool,
    /// The literal that ended; of several the last.
    pub(crate) ended: Option<NodeId>,
    /// Length of the longest literal that ended, in bytes.
    pub(crate) literal_length: u64,
    /// The set has more than one thread.
    pub(crate) many: bool,
    /// Markers that ended with the byte: where they started, their dialects, and whether they are words. A marker
    /// outranks what other threads captured of its bytes.
    pub(crate) markers: Vec<(u64, u16, bool)>,
    /// A plausible key whose thread died because the tool has no such parameter.
    pub(crate) unknown_key: Option<UnknownKey>,
    /// The extent of a placeholder in place of a name.
    pub(crate) placeholder: Option<Span>,
    /// Where the name starts in a tag of another tool that is in place of a parameter's.
    pub(crate) another_tool: Option<u64>,
    /// A complete opener of the candidate was read, or something other than an opener may start there.
    pub(crate) opened: bool,
    /// Thread steps made.
    pub(crate) work: u64,
    /// Scratch set for new positions that read the byte within the same step.
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

    /// Records a body, or the end, that starts with the byte; the threads in `next` have priority over it.
    pub(super) fn body(&mut self, thread: Thread, next: &[Thread]) {
        if self.bodies.is_empty() {
            self.body_first = next.is_empty();
        }
        self.bodies.push(thread);
    }
}
