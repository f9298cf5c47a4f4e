//! A value whose closer was forgotten: another value of the call opens inside it, and the closers after that opener are
//! one too few for all that is open. `<a>x<b>y</b></call>` is two values, `<a>x <b>y</b> z</a></call>` is one.

use alloc::vec::Vec;

use super::Parser;
use super::capture::takes_key;
use super::closer_decision::Signal;
use super::closer_lookahead::CloserLookahead;
use super::log::{Log, LogId};
use super::thread::{NamePolicy, Thread};
use super::value::Value;
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Node, NodeId, Program, TextNode, is_blank};

/// Whether a value's closer was forgotten, told by the closers after the opener that stands inside it: up to the call's
/// end they are one too few.
#[derive(Clone, Copy, Debug)]
pub(super) struct MissingCloser {
    /// Openers that were passed.
    n_openers: u8,
    /// Those of them that were not closed.
    n_open: i8,
    pub(super) step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the next byte that can begin a closer or an opener.
    Search,
    /// The three sets run from there.
    Look,
    /// The call is left, and nothing is open: the value's own closer must not follow.
    Confirm,
}

/// Openers in a row that are looked after for a forgotten closer.
const OPENERS: u8 = 8;

impl CloserLookahead {
    /// What a turn means while the closers after another value's opener are counted; `None`: count on.
    pub(super) fn turned(&mut self, turn: Signal) -> Option<Signal> {
        let Some(mut forgotten) = self.forgotten else {
            if matches!(turn, Signal::Another) {
                self.count_on(MissingCloser {
                    n_openers: 1,
                    n_open: 1,
                    step: Step::Search,
                });
                return None;
            }
            return Some(turn);
        };
        match turn {
            Signal::MissingCloser => return Some(turn),
            Signal::Another | Signal::Nested => {
                forgotten.n_openers += 1;
                forgotten.n_open += 1;
                if forgotten.n_openers > OPENERS {
                    return Some(Signal::Nested);
                }
            }
            Signal::Ends {
                enclosing: true, ..
            } => return Some(Signal::MissingCloser),
            Signal::Ends { .. } | Signal::Unnested | Signal::Data | Signal::Cut if self.closer => {
                forgotten.n_open -= 1;
                if forgotten.n_open < 0 {
                    return Some(Signal::Nested);
                }
                if forgotten.n_open == 0 && self.left_call {
                    forgotten.step = Step::Confirm;
                    self.forgotten = Some(forgotten);
                    return None;
                }
                self.pos = self.closer_end.unwrap_or(self.looked + 1);
            }
            // A byte that began no closer.
            Signal::Ends { .. } | Signal::Unnested | Signal::Data | Signal::Cut => {
                self.pos = self.looked + 1;
            }
        }
        self.count_on(MissingCloser {
            step: Step::Search,
            ..forgotten
        });
        None
    }

    fn count_on(&mut self, forgotten: MissingCloser) {
        self.may_leave = false;
        self.forgotten = Some(forgotten);
        self.follow.clear();
        self.enclosing.clear();
        self.own.clear();
        self.shorn.clear();
        (self.beyond, self.over, self.closer, self.last) = (None, None, false, None);
        (self.unknown_key, self.unknown_at) = (false, None);
        (self.closer_end, self.left_call) = (None, false);
    }
}

impl Parser {
    /// The call is left, and of the openers after this value's all are closed. Were they part of the value, its own
    /// closer came next, perhaps after further closers. `None`: more bytes are needed.
    pub(super) fn confirm(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut CloserLookahead,
        view: View<'_>,
        eof: bool,
    ) -> Option<Signal> {
        let literals = |parser: &mut Parser, nodes: &[NodeId]| {
            let mut set = Vec::new();
            for &node in nodes {
                parser
                    .stepper(program, view, NamePolicy::Reading)
                    .add_closure(Thread::at(node, Log::ROOT, 0), 0, &mut set);
            }
            let bytes = |thread: &Thread| match program.node(thread.node) {
                Node::Literal { bytes, .. } => Some(bytes.to_vec()),
                Node::Template { .. } => Some(parser.set.instances.get(thread.instance).to_vec()),
                _ => None,
            };
            set.iter().filter_map(bytes).collect::<Vec<Vec<u8>>>()
        };
        let own = literals(self, &[text.follow]);
        let enclosing = literals(self, &text.enclosing);
        loop {
            let rest = view.from(probe.pos);
            let n_blank = rest.iter().take_while(|&&byte| is_blank(byte)).count();
            self.set.found.work += n_blank as u64 + 1;
            probe.pos += n_blank as u64;
            let rest = &rest[n_blank..];
            if probe.pos - probe.at > program.limits.undecided as u64 {
                return Some(Signal::Nested);
            }
            let stands = |closer: &Vec<u8>| rest.starts_with(closer);
            if own.iter().any(stands) {
                return Some(Signal::Nested);
            }
            if let Some(closer) = enclosing.iter().find(|closer| stands(closer)) {
                probe.pos += closer.len() as u64;
                continue;
            }
            let may_come = |closer: &Vec<u8>| closer.starts_with(rest);
            if !eof && own.iter().chain(&enclosing).any(may_come) {
                return None;
            }
            return Some(Signal::MissingCloser);
        }
    }

    /// Whether the opener whose acts are in `log` has a key that the call has not had, and that its tool has.
    pub(super) fn opens_another(
        &self,
        program: &Program,
        value: &Value,
        log: LogId,
        view: View<'_>,
    ) -> bool {
        let (Some((start, end)), Some(call)) = (
            self.set.log.newest(log, Log::ROOT, Capture::Key),
            &self.emitter.call,
        ) else {
            return false;
        };
        let key = view.slice(start, end).trim();
        let is_of_tool = call.tool.is_none_or(|tool| {
            let parameters = &program.tools.tool(tool).parameters;
            takes_key(parameters, key) || parameters.nearest(key).is_some()
        });
        is_of_tool && key != value.key && !call.has_key(key)
    }
}
