//! Prose speaks of calls: what shows that it does is looked for before the call is believed.
//!
//! - A tag that by itself makes a call of one tool (`<bash>`), in the midst of a line: it is none, unless its closer follows
//!   before it opens again.
//! - A call that nothing but its name says to be one (`write_file(..) would overwrite it`): where its line goes on with
//!   words, it is `recovered`.

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
        self.commit(program, view, sink);
        self.win(program, view, sink);
        true
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
        if said.is_empty() && !eof {
            self.mode = Mode::Spoken(spoken);
            return false;
        }
        let goes_on = |c: char| c.is_alphanumeric() || "(:=+-*/%&|\u{2013}\u{2014}".contains(c);
        let is_statement = at > view.base && view.byte(at - 1) == Some(b';');
        if said.starts_with(goes_on) && !is_statement {
            self.teller.flush_args(at, sink);
            let message = String::from("the line goes on behind the call: it may be spoken of");
            self.teller
                .note(Code::SpokenCall, Span::empty(at), message, None, sink);
            if let Some(call) = &mut self.teller.call {
                call.worsen(End::Recovered);
            }
        }
        if let Some(call) = &mut self.teller.call {
            call.bare = false;
        }
        self.found.bodies.clear();
        self.found.bodies.push(spoken.body);
        self.win(program, view, sink);
        true
    }
}
