//! Prose speaks of calls: what shows that it does is looked for before the call is believed.
//!
//! - A tag that by itself makes a call of one tool (`<bash>`), in the midst of a line: it is none, unless its closer follows
//!   before it opens again.
//! - A call that nothing but its name says to be one (`write_file(..) would overwrite it`): where its line goes on with
//!   words, it is `recovered`. So is one whose JSON goes on behind its last bracket (`{"name": "f", "arguments": {}}, "n": 5}`).

use alloc::string::String;

use super::log::Act;
use super::thread::Thread;
use super::value::find_closer;
use super::view::View;
use super::{Mode, Parser};
use crate::program::{Node, Program, RuleRole, TextNode};
use crate::{Code, End, Sink, Span};

/// What is found out before the body at `Parser::pos` is read, or the entry ends there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    pub(super) body: Thread,
    /// All bytes before it were looked at.
    pub(super) pos: u64,
}

impl Parser {
    /// Whether the value of `body` is all of a call that a bare tag opens, and does not begin its line.
    pub(super) fn may_be_spoken_of(&self, program: &Program, body: &Thread) -> bool {
        let Node::Text(text) = program.node(body.node) else {
            return false;
        };
        let fixes = |act| matches!(act, Act::Enter(node) if matches!(program.node(node), Node::Enter { role: RuleRole::Call, tool: Some(_), .. }));
        let has_more = |act| matches!(act, Act::Argument { .. } | Act::Captured { .. });
        !self.committed
            && !self.bol
            && !self.start
            && text.argument.is_some()
            && text.own.is_some()
            && !text.fence
            && self.log.any(self.flushed, body.log, fixes)
            && !self.log.any(self.flushed, body.log, has_more)
    }

    /// Whether the open call has nothing but its name to say that it is one.
    pub(super) fn is_bare(&self) -> bool {
        self.teller.call.as_ref().is_some_and(|call| call.bare)
    }

    /// Returns whether the mode changed.
    pub(super) fn spoken(
        &mut self,
        program: &Program,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let Mode::Spoken(spoken) = core::mem::take(&mut self.mode) else {
            return false;
        };
        match program.node(spoken.body.node) {
            Node::Text(text) => self.spoken_tag(program, text, spoken, view, eof, sink),
            _ => self.spoken_call(program, spoken, view, eof, sink),
        }
    }

    fn spoken_tag(
        &mut self,
        program: &Program,
        text: &TextNode,
        mut spoken: Spoken,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let at = self.pos;
        let closer = find_closer(text, &self.registers, view.from(spoken.pos));
        let found = closer.map_or(view.end(), |closer| spoken.pos + closer.at as u64);
        self.work += found - spoken.pos + 1;
        spoken.pos = found;
        let is_long = found - at > program.limits.undecided as u64;
        let is_whole = closer.is_some_and(|closer| closer.is_whole);
        if !is_whole && !is_long {
            if eof {
                self.reject(at);
                return true;
            }
            self.mode = Mode::Spoken(spoken);
            return false;
        }
        if !is_long && view.byte(found + 1) != Some(b'/') {
            self.reject(at);
            return true;
        }
        self.found.bodies.clear();
        self.found.bodies.push(spoken.body);
        self.threads.clear();
        self.threads.push(spoken.body);
        if self.commit(program, view, sink) {
            self.win(program, view, sink);
        }
        true
    }

    /// The entry ends here: whether what follows may say that its call is not what it seems.
    pub(super) fn may_go_on(&self, at: u64) -> bool {
        let call = self.teller.call.as_ref();
        call.is_some_and(|call| call.bare || call.json_end == Some(at))
    }

    fn spoken_call(
        &mut self,
        program: &Program,
        mut spoken: Spoken,
        view: View<'_>,
        eof: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let at = self.pos;
        let behind = view.slice(spoken.pos, view.end());
        let said = behind.trim_start_matches([' ', '\t', ',']);
        self.work += (behind.len() - said.len()) as u64 + 1;
        spoken.pos += (behind.len() - said.len()) as u64;
        let is_long = spoken.pos - at >= program.limits.undecided as u64;
        if said.is_empty() && !eof && !is_long {
            self.mode = Mode::Spoken(spoken);
            return false;
        }
        let doubt = if is_long {
            None
        } else if self.is_bare() {
            let goes_on = |c: char| c.is_alphanumeric() || "(:=+-*/%&|\u{2013}\u{2014}".contains(c);
            let is_statement = at > view.base && view.byte(at - 1) == Some(b';');
            let message = "the line goes on behind the call: it may be spoken of";
            (said.starts_with(goes_on) && !is_statement).then_some((Code::SpokenCall, message))
        } else {
            let is_member = said.starts_with('"') && view.slice(at, spoken.pos).contains(',');
            let message = "members follow behind the arguments' bracket: it may be one too many";
            is_member.then_some((Code::WrongBracket, message))
        };
        if let Some((code, message)) = doubt {
            self.teller.flush_args(at, sink);
            self.teller
                .note(code, Span::empty(at), String::from(message), None, sink);
        }
        if let Some(call) = &mut self.teller.call {
            if doubt.is_some() {
                call.worsen(End::Recovered);
            }
            (call.bare, call.json_end) = (false, None);
        }
        self.found.bodies.clear();
        self.found.bodies.push(spoken.body);
        self.win(program, view, sink);
        true
    }
}
