//! Prose speaks of calls: what shows that it does is looked for before the call is believed.
//!
//! - A tag that by itself makes a call of one tool (`<bash>`), in the midst of a line: it is none, unless its closer follows
//!   before it opens again.
//! - A name alone, in JSON in the midst of a line; a subscript (`rows[f()]`); an item of a list without arguments (`- f()`).
//! - A call that nothing but its name says to be one (`write_file(..) would overwrite it`): where its line goes on with
//!   words, it is `recovered`. So is one whose JSON goes on behind its last bracket (`{"name": "f", "arguments": {}}, "n": 5}`).

use alloc::string::String;

use super::log::Act;
use super::thread::Thread;
use super::value::find_closer;
use super::view::View;
use super::{Mode, Parser};
use crate::body::Envelope;
use crate::program::{Node, NodeId, Program, RuleRole, TextNode};
use crate::{Code, End, Sink, Span};

/// What is found out before the body at `Parser::pos` is read, or the entry ends there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    pub(super) body: Thread,
    /// All bytes before it were looked at.
    pub(super) pos: u64,
}

const GOES_ON: &str = "text follows the call on the same line; the model may only be mentioning it";

/// Whether a line that goes on so behind a call speaks of it. A sentence may end there; signs of other scripts that are no
/// letters are arrows, dashes, dots.
pub(super) fn goes_on(c: char) -> bool {
    c.is_alphanumeric()
        || "(:=+-*/%&|!>~^?".contains(c)
        || !c.is_ascii() && !"\u{3002}\u{ff1b}".contains(c)
}

/// Why calls that only their names tell may not be meant as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// They stand in a block of code, or in a long string.
    Nested,
    /// Their list begins with the call of a tool that there is not, or ended before them. That was noted.
    Broken,
}

/// What the begin of an entry, and its list so far, say of the Python calls in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints {
    /// Its bracket stands right behind a word: `a[f()]` is a subscript.
    is_subscript: bool,
    /// It is an item of a list: `- f()` may say which functions there are.
    is_item: bool,
    /// Its first call has nothing but its name to say that it is one, and so have the others.
    is_bare: bool,
    /// It begins with a bracket, in which the calls stand.
    pub(super) is_bracketed: bool,
    /// What the line of its bare calls was found to say.
    pub(super) line: SaidOfLine,
    pub(super) doubt: Option<Doubt>,
    /// The body of the last call, if only its name tells that it is one.
    pub(super) bare_body: Option<NodeId>,
    /// A name without arguments, in the midst of a line, is all that its first call is.
    is_name: bool,
}

/// How far the line of bare calls was looked along, and before which place they are spoken of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SaidOfLine {
    pub(super) looked_to: u64,
    pub(super) spoken_to: u64,
}

impl Hints {
    /// Those of a candidate that begins with `first` behind the byte `last`, which is 0 where no text stands before it.
    pub(super) fn behind(last: u8, first: u8) -> Hints {
        let is_word = last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']');
        Hints {
            is_subscript: first == b'[' && is_word,
            is_bracketed: matches!(first, b'[' | b'('),
            ..Hints::default()
        }
    }

    /// What the entry's begin up to its first call says.
    pub(super) fn read(&mut self, begin: &str) {
        let behind_number = begin.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks = if behind_number.len() < begin.len() {
            &[". ", ") "][..]
        } else {
            &["- ", "* ", "+ ", "\u{2022} "]
        };
        self.is_item = marks.iter().any(|mark| behind_number.starts_with(mark));
    }
}

impl Parser {
    /// A Python call ends: what the begin of its entry says of it.
    pub(super) fn heed_hints(&mut self, sink: &mut dyn Sink) {
        let at = self.pos;
        let Some(call) = &mut self.teller.call else {
            return;
        };
        call.bare |= self.hints.is_bare;
        self.hints.is_bare = call.bare;
        // The last of them hears of it where the entry ends.
        if at < self.hints.line.spoken_to {
            return self.speak_of(Span::empty(at), GOES_ON, sink);
        }
        let name_at = call.name_at;
        let is_empty = at == name_at.end + 2;
        let message = if self.hints.is_subscript {
            "the bracket follows a word: it may be a subscript"
        } else if self.hints.is_item && is_empty {
            "an item of a list that gives no arguments: it may say which tools there are"
        } else {
            return;
        };
        self.speak_of(name_at, message, sink);
    }

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
        if self.commit(program, view, None, sink) {
            self.win(program, view, sink);
        }
        true
    }

    /// The open call may be one that is spoken of: it is told, and does not run by itself.
    pub(super) fn speak_of(&mut self, at: Span, message: &str, sink: &mut dyn Sink) {
        self.teller
            .note(Code::MentionedCall, at, String::from(message), None, sink);
        if let Some(call) = &mut self.teller.call {
            call.worsen(End::Recovered);
        }
    }

    /// An envelope ends that held no arguments. `{"tools": [{"name": "f"}]}` says which there are.
    pub(super) fn heed_name(&mut self, envelope: &Envelope, sink: &mut dyn Sink) {
        self.hints.is_name |= !envelope.is_marked() && !self.bol;
        if self.hints.is_name {
            let (start, end) = envelope.name_at;
            let message =
                "a name within a line, without arguments: the model may only be mentioning it";
            self.speak_of(Span::new(start.min(end), end), message, sink);
        }
    }

    /// The entry ends here: whether what follows may say that its call is not what it seems.
    pub(super) fn may_go_on(&self, at: u64) -> bool {
        let call = self.teller.call.as_ref();
        self.hints.bare_body.is_some() || call.is_some_and(|call| call.json_end == Some(at))
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
        if let Some(node) = self.hints.bare_body.filter(|_| !is_long) {
            match Parser::list_goes_on(program, (at, spoken.pos), view, eof) {
                Some(true) => {
                    self.reopen_list(program, node, view, sink);
                    return true;
                }
                Some(false) => {}
                None => {
                    self.mode = Mode::Spoken(spoken);
                    return false;
                }
            }
        }
        self.hints.bare_body = None;
        let is_in_json = self
            .teller
            .call
            .as_ref()
            .is_some_and(|call| call.json_end == Some(at));
        let doubt = if is_long || !(self.is_bare() || is_in_json) {
            None
        } else if self.is_bare() {
            let is_statement = at > view.base && view.byte(at - 1) == Some(b';');
            (said.starts_with(goes_on) && !is_statement).then_some((Code::MentionedCall, GOES_ON))
        } else {
            let is_member = said.starts_with('"') && view.slice(at, spoken.pos).contains(',');
            let message = "members follow the arguments' bracket: it may be one too many";
            is_member.then_some((Code::MismatchedBracket, message))
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
