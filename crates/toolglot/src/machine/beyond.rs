//! What stands behind the last closer that a probe read whole: an entry, a stop, another closer, or a parameter that the
//! tool does not have and whose value is read over.

use alloc::vec::Vec;

use super::Parser;
use super::log::{Act, Log};
use super::probe::{Probe, Turn};
use super::thread::{Found, Judge, Thread, UnknownKey};
use super::view::View;
use crate::grammar::Capture;
use crate::program::{Node, NodeId, Program, RuleRole, TextNode, is_blank};

/// Reading over the value of an unknown parameter.
#[derive(Debug)]
pub(super) struct Over {
    from: u64,
    closer: Vec<u8>,
    /// Behind the closer.
    next: NodeId,
}

/// Behind the last closer: blanks, then an entry, a stop, or another enclosing closer.
#[derive(Debug)]
pub(super) struct Beyond {
    /// Where it began, blanks passed.
    from: u64,
    blank: bool,
    /// A line break was among them.
    bol: bool,
    entries: Vec<Thread>,
    enclosing: Vec<Thread>,
}

impl Parser {
    /// All sets are dead: what stands behind the last whole closer decides.
    pub(super) fn look_beyond(
        &mut self,
        program: &Program,
        text: &TextNode,
        probe: &mut Probe,
        view: View<'_>,
    ) -> Option<Turn> {
        match probe.last {
            Some(last) => {
                let enclosing = self.enclosing_threads(program, text, last, view);
                probe.beyond = Some(Beyond {
                    from: last,
                    blank: true,
                    bol: false,
                    entries: Vec::new(),
                    enclosing,
                });
                probe.pos = last;
                None
            }
            None => Some(Turn::Data),
        }
    }

    /// Where the key is the tag, an unknown parameter can be read over: text without a tag, up to its own closer.
    pub(super) fn read_over(
        &mut self,
        program: &Program,
        key: UnknownKey,
        view: View<'_>,
    ) -> Option<Over> {
        let text = program
            .value_behind(key.node)
            .filter(|text| text.own_needs_same_key)?;
        let UnknownKey { start, end, .. } = key;
        let key_log = self.log.push(
            Log::ROOT,
            Act::Captured {
                what: Capture::Key,
                start,
                end,
            },
            end,
        );
        let judge = self.evidence();
        let mut set = Vec::new();
        self.stepper(program, view, judge).close(
            Thread::at(text.follow, key_log, end),
            end,
            &mut set,
        );
        let thread = set.first()?;
        let Node::Template { next, .. } = program.node(thread.node) else {
            return None;
        };
        let closer = self.instances.get(thread.instance).to_vec();
        Some(Over {
            from: end + 1,
            closer,
            next: *next,
        })
    }

    /// Reads over it: whether it is closed, once that is known.
    pub(super) fn run_over(
        &mut self,
        program: &Program,
        probe: &mut Probe,
        over: &Over,
        view: View<'_>,
        eof: bool,
    ) -> Option<bool> {
        let rest = view.from(probe.pos);
        let tag = memchr::memchr(b'<', rest);
        self.work += tag.unwrap_or(rest.len()) as u64 + 1;
        probe.pos += tag.unwrap_or(rest.len()) as u64;
        if probe.pos - over.from > program.limits.blanks as u64 {
            return Some(false);
        }
        let found = view.from(probe.pos);
        if found.starts_with(&over.closer) {
            probe.pos += over.closer.len() as u64;
            let judge = self.evidence();
            let thread = Thread::at(over.next, Log::ROOT, probe.pos);
            probe.follow.clear();
            self.stepper(program, view, judge)
                .close(thread, probe.pos, &mut probe.follow);
            return Some(true);
        }
        if !eof && over.closer.starts_with(found) {
            None
        } else {
            Some(false)
        }
    }

    pub(super) fn enclosing_threads(
        &mut self,
        program: &Program,
        text: &TextNode,
        at: u64,
        view: View<'_>,
    ) -> Vec<Thread> {
        let mut set = Vec::new();
        let judge = self.evidence();
        for &node in &text.enclosing {
            let thread = Thread::at(node, Log::ROOT, at);
            self.stepper(program, view, judge)
                .close(thread, at, &mut set);
        }
        set
    }

    /// Behind the last closer. `None`: more bytes are needed.
    pub(super) fn run_beyond(
        &mut self,
        program: &Program,
        probe: &mut Probe,
        mut beyond: Beyond,
        view: View<'_>,
        eof: bool,
    ) -> Option<Turn> {
        let ends = Turn::Ends {
            recovered: true,
            enclosing: !probe.closer,
        };
        loop {
            let Some(byte) = view.byte(probe.pos) else {
                if eof {
                    return Some(if self.cut_off { Turn::Data } else { ends });
                }
                probe.beyond = Some(beyond);
                return None;
            };
            if beyond.blank {
                if is_blank(byte) {
                    beyond.bol |= byte == b'\n';
                    if probe.pos - beyond.from > program.limits.blanks as u64 {
                        return Some(Turn::Data);
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
                return Some(Turn::Data);
            }
            let mut next = Vec::new();
            let mut found = Found::default();
            // An entry there would begin a line or not, and never the message.
            let place = (self.candidate, self.bol, self.start);
            (self.candidate, self.bol, self.start) = (beyond.from, beyond.bol, false);
            let judge = Judge::Entry {
                plausible: probe.closer,
            };
            self.stepper(program, view, judge).step(
                &beyond.entries,
                byte,
                probe.pos,
                &mut next,
                &mut found,
            );
            (self.candidate, self.bol, self.start) = place;
            core::mem::swap(&mut beyond.entries, &mut next);
            let is_over = |thread: &Thread| matches!(program.node(thread.node), Node::Match);
            let entered = beyond.entries.iter().any(|thread| {
                let named = found.literal_ended
                    && self.log.any(Log::ROOT, thread.log, |act| {
                        matches!(
                            act,
                            Act::Captured {
                                what: Capture::Name,
                                ..
                            }
                        )
                    });
                let fixed = program.node(thread.node).is_body()
                    && self
                        .log
                        .any(Log::ROOT, thread.log, |act| enters_tool(program, act));
                named || fixed
            });
            let stops = beyond.entries.iter().any(is_over);
            let mut inner = Found::default();
            let judge = self.evidence();
            self.stepper(program, view, judge).step(
                &beyond.enclosing,
                byte,
                probe.pos,
                &mut next,
                &mut inner,
            );
            core::mem::swap(&mut beyond.enclosing, &mut next);
            self.work += found.work + inner.work;
            probe.pos += 1;
            if entered {
                return Some(ends);
            }
            if stops || inner.literal_ended && beyond.enclosing.iter().any(is_over) {
                // A stop, or one more enclosing closer: look behind that one. A text that speaks of stops goes on there.
                beyond = Beyond {
                    from: probe.pos,
                    blank: true,
                    bol: false,
                    entries: Vec::new(),
                    enclosing: Vec::new(),
                };
                continue;
            }
            if beyond.entries.is_empty() && beyond.enclosing.is_empty() {
                return Some(Turn::Data);
            }
        }
    }

    pub(super) fn names_known(program: &Program, view: View<'_>, act: Act) -> bool {
        match act {
            Act::Captured {
                what: Capture::Name,
                start,
                end,
            } => program.tools.find(view.slice(start, end)).is_some(),
            _ => false,
        }
    }
}

fn enters_tool(program: &Program, act: Act) -> bool {
    matches!(act, Act::Enter(node) if matches!(program.node(node), Node::Enter { role: RuleRole::Call, tool: Some(_), .. }))
}
