//! The channel of plain text (the answer, reasoning, junk inside a broken call) and the literals that may end it.

use alloc::vec::Vec;

use super::emitter::Channel;
use super::log::{Act, Log, LogId};
use super::thread::Thread;
use super::view::View;
use super::{Mode, Parser};
use crate::grammar::Capture;
use crate::program::{ByteSet, Finder, Node, NodeId, Program, RuleRole};

/// The channel of plain text, and what may end that channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub(super) channel: Channel,
    /// The synchronization points: positions that wait for their literal.
    pub(super) sync_points: Vec<SyncPoint>,
    /// Finds the first bytes of those literals.
    pub(super) waits: Finder,
    /// The dialect names what may replace the channel's end: no other entry is read in the channel.
    pub(super) is_strict: bool,
    /// Error recovery entered the context: an entry ends it.
    pub(super) sync: bool,
    /// The context has no end of its own: an entry ends it.
    pub(super) open_ended: bool,
}

/// A synchronization point, with what must outlive the candidates in between. The position's log does not.
#[derive(Clone, Debug)]
pub(super) struct SyncPoint {
    pub(super) thread: Thread,
    /// The rules that the position enters and leaves once its literal comes. Its captures were emitted or are dropped.
    pub(super) acts: Vec<Act>,
    /// The literal that the position waits for, if it was filled from captures.
    pub(super) literal: Option<Vec<u8>>,
}

impl Parser {
    /// Enters the channel of a `think` or `say` rule, whose text starts at `pos`. Where several dialects share the
    /// opener, the context waits for the ends of all of them.
    pub(super) fn enter_channel(&mut self, texts: &[Thread], view: View<'_>) {
        let program = view.program;
        let text_of = |thread: &Thread| program.text(thread.node);
        let Some(first) = texts.first().and_then(text_of) else {
            return;
        };
        let channel = match first.role {
            RuleRole::Think => Channel::Reasoning,
            _ => Channel::Text,
        };
        let at = self.pos;
        let mut sync_points: Vec<SyncPoint> = Vec::new();
        let mut open_ended = true;
        for body in texts {
            let Some(text) = text_of(body).filter(|text| text.role == first.role) else {
                continue;
            };
            open_ended &= text.open_ended;
            for end in self.closure(view, Thread::at(text.next, body.log, at)) {
                // A position at the entry's end waits for no literal: an entry that commits ends an open-ended channel.
                let is_known = |have: &SyncPoint| program.ends_alike(have.thread.node, end.node);
                if !program.is_end(end.node) && !sync_points.iter().any(is_known) {
                    sync_points.push(self.wait(program, end, body.log));
                }
            }
        }
        (self.emitter.has_reasoning, self.emitter.at_line) = (false, true);
        let is_other = |waiting: &SyncPoint| !ends_channel(program, waiting.thread.node);
        let is_strict = channel == Channel::Reasoning && sync_points.iter().any(is_other);
        self.context = Context {
            channel,
            waits: first_bytes(program, &sync_points),
            sync_points,
            is_strict,
            open_ended,
            ..Context::default()
        };
        self.reasoning.end = None;
        self.mode = Mode::Text;
        self.forget();
    }

    /// Recovers from a broken call: text belongs to `channel` up to the next entry, or to the synchronization point
    /// that one of `threads` waits for.
    pub(super) fn synchronize(
        &mut self,
        channel: Channel,
        threads: impl IntoIterator<Item = Thread>,
        program: &Program,
    ) {
        let wait = |thread| self.wait(program, thread, self.set.flushed);
        let sync_points: Vec<SyncPoint> = threads.into_iter().map(wait).collect();
        self.context = Context {
            channel,
            waits: first_bytes(program, &sync_points),
            sync_points,
            sync: true,
            ..Context::default()
        };
        self.mode = Mode::Text;
    }

    /// Makes a synchronization point of a thread. The thread's acts after `flushed` are kept.
    fn wait(&self, program: &Program, thread: Thread, flushed: LogId) -> SyncPoint {
        let mut acts = Vec::new();
        self.set.log.acts(flushed, thread.log, &mut acts);
        let acts = acts.into_iter().map(|(act, _)| act);
        let acts = acts.filter(|act| matches!(act, Act::Enter(_) | Act::Exit(_)));
        let template = matches!(program.node(thread.node), Node::Template { .. });
        let literal = template.then(|| self.set.instances.get(thread.instance).to_vec());
        let (acts, mut thread) = (acts.collect(), thread);
        (thread.extra, thread.off, thread.log) = (true, 0, Log::ROOT);
        SyncPoint {
            thread,
            acts,
            literal,
        }
    }

    /// No entry is being read: clears the log, the filled literals and the text between values.
    pub(super) fn forget(&mut self) {
        self.set.forget_log();
        self.set.gap = None;
    }
}

/// Whether the literal at `node` ends the channel, and starts no call in place of the channel's end.
pub(super) fn ends_channel(program: &Program, node: NodeId) -> bool {
    program.ends_past(node, |node| match node {
        Node::Literal { .. } | Node::Template { .. } | Node::Exit { .. } => true,
        Node::Capture(capture) => capture.what == Capture::Any,
        _ => node.is_blank(),
    })
}

/// Finds the first bytes of the literals that `waiting` waits for.
fn first_bytes(program: &Program, waiting: &[SyncPoint]) -> Finder {
    let mut set = ByteSet::default();
    for waiting in waiting {
        if let Some(first) = waiting.literal.as_ref().and_then(|literal| literal.first()) {
            set.insert(*first);
        } else if let Node::Literal { bytes, fold, .. } = program.node(waiting.thread.node) {
            set.insert_folded(bytes[0], *fold);
        }
    }
    Finder::new(set)
}
