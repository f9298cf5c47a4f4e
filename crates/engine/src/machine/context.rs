//! What plain text belongs to - the answer, reasoning, junk inside a broken call - and the literals that may end that.

use alloc::vec::Vec;

use super::emitter::Channel;
use super::log::{Act, Log, LogId};
use super::thread::Thread;
use super::view::View;
use super::{Mode, Parser};
use crate::grammar::Capture;
use crate::program::{ByteSet, Finder, Node, NodeId, Program, RuleRole};

/// What plain text belongs to, and what may end that.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub(super) channel: Channel,
    /// Positions that wait for their literal.
    pub(super) sync_points: Vec<SyncPoint>,
    /// The first bytes of those literals.
    pub(super) waits: Finder,
    /// What may stand in place of its end is named: nothing else is read in it.
    pub(super) is_choosy: bool,
    /// It was entered by a recovery: an entry ends it.
    pub(super) sync: bool,
    /// It has no end of its own: an entry ends it.
    pub(super) open_ended: bool,
}

/// A position that waits in a context, and all that outlives the candidates between: its log does not.
#[derive(Clone, Debug)]
pub(super) struct SyncPoint {
    pub(super) thread: Thread,
    /// What it enters and leaves once its literal comes. What it captured is told or given up.
    pub(super) acts: Vec<Act>,
    /// The literal that it waits for, if that was made from captures.
    pub(super) literal: Option<Vec<u8>>,
}

impl Parser {
    /// Text of a `think` or `say` begins at `pos`: plain text from here is its speech. Where several dialects open theirs
    /// alike, the ends of all are waited for.
    pub(super) fn enter_channel(&mut self, texts: &[Thread], view: View<'_>) {
        let program = view.program;
        let of = |thread: &Thread| program.text(thread.node);
        let Some(first) = texts.first().and_then(of) else {
            return;
        };
        let channel = if first.role == RuleRole::Think {
            Channel::Reasoning
        } else {
            Channel::Text
        };
        let at = self.pos;
        let mut sync_points: Vec<SyncPoint> = Vec::new();
        let mut open_ended = true;
        for body in texts {
            let Some(text) = of(body).filter(|text| text.role == first.role) else {
                continue;
            };
            open_ended &= text.open_ended;
            for end in self.closure(view, Thread::at(text.next, body.log, at)) {
                // The end of the entry waits for no literal: an entry that commits ends what is open-ended.
                let is_there = |have: &SyncPoint| program.ends_alike(have.thread.node, end.node);
                if !program.is_end(end.node) && !sync_points.iter().any(is_there) {
                    sync_points.push(self.wait(program, end, body.log));
                }
            }
        }
        (self.emitter.thought, self.emitter.at_line) = (false, true);
        let names_more = |waiting: &SyncPoint| !ends_channel(program, waiting.thread.node);
        let is_choosy = channel == Channel::Reasoning && sync_points.iter().any(names_more);
        self.context = Context {
            channel,
            waits: first_bytes(program, &sync_points),
            sync_points,
            is_choosy,
            open_ended,
            ..Context::default()
        };
        self.thought.end = None;
        self.mode = Mode::Text;
        self.forget();
    }

    /// A call was broken off: the parser looks for a synchronization point, what one of `threads` expects or the next
    /// entry. Text before that is `speech`.
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

    /// What is left of a thread that waits; its acts after `flushed` are kept.
    fn wait(&self, program: &Program, thread: Thread, flushed: LogId) -> SyncPoint {
        let mut acts = Vec::new();
        self.set.log.acts(flushed, thread.log, &mut acts);
        let acts = acts.into_iter().map(|(act, _)| act);
        let acts = acts.filter(|act| matches!(act, Act::Enter(_) | Act::Exit(_)));
        let template = matches!(program.node(thread.node), Node::Template { .. });
        let literal = template.then(|| self.set.instances.get(thread.instance).to_vec());
        SyncPoint {
            thread: Thread {
                extra: true,
                off: 0,
                log: Log::ROOT,
                ..thread
            },
            acts: acts.collect(),
            literal,
        }
    }

    /// Nothing is being read: the log and the filled literals begin anew.
    pub(super) fn forget(&mut self) {
        self.set.forget_log();
        self.set.gap = None;
    }
}

/// Whether the literal at `node` ends what is spoken, and begins no call in place of that.
pub(super) fn ends_channel(program: &Program, node: NodeId) -> bool {
    program.ends_past(node, |node| match node {
        Node::Literal { .. } | Node::Template { .. } | Node::Exit { .. } => true,
        Node::Ws { .. } | Node::Nl { .. } => true,
        Node::Capture(capture) => capture.what == Capture::Any,
        _ => false,
    })
}

/// The first bytes of what `waiting` waits for.
fn first_bytes(program: &Program, waiting: &[SyncPoint]) -> Finder {
    let mut set = ByteSet::default();
    for waiting in waiting {
        if let Some(first) = waiting.literal.as_ref().and_then(|literal| literal.first()) {
            set.insert(*first);
        } else if let Node::Literal { bytes, fold, .. } = program.node(waiting.thread.node) {
            set.insert(bytes[0]);
            if *fold {
                set.insert(bytes[0].to_ascii_uppercase());
                set.insert(bytes[0].to_ascii_lowercase());
            }
        }
    }
    Finder::new(set)
}
