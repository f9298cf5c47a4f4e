//! Looks at the rest of a line after a call: a fact of the call, and of the bare calls before it on the line.
//!
//! ```text
//!   f(x=1), g(x=2) are equal.
//!         ^ the first call ends, and waits for the words after the last call
//!                 ^ the entry ends: the rest of the line is a fact of the last call
//!   [f(x=1)], g(x=2)]
//!           ^ a bracket too many: the list continues
//! ```
//!
//! Calls in brackets do not wait: a list of calls is more often an answer than not, and streams.

use super::thread::Thread;
use super::view::View;
use super::{Mode, Parser};
use crate::body::Brackets;
use crate::program::NodeId;
use crate::vocabulary::{CONJUNCTIONS, SENTENCE_SIGNS, WIDE_STOPS};
use crate::{Recovery, Sink, Span, Tail};

/// The state of the lookahead.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTail {
    /// After a bare call that other calls may follow on the line.
    Call(CallLine),
    /// After an entry that ends at `body`: all bytes before `pos` were read.
    Entry { body: Thread, pos: u64 },
}

/// The rest of the line after the call whose body is at `node`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallLine {
    node: NodeId,
    /// All bytes before `pos` were read.
    pos: u64,
    place: Place,
    /// Where the last call ends.
    end: u64,
    /// A semicolon precedes the next word, which starts a statement of its own.
    is_statement: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Between calls.
    Joint,
    /// In a word that starts at `from`, or in the blanks after its end, `to`.
    Word { from: u64, to: Option<u64> },
    /// In the brackets of a call.
    Inside(Brackets),
}

/// What a character decides.
enum Step {
    More,
    /// Read the character again: the place has changed.
    Again,
    /// The calls have ended; whether words follow them.
    Over(bool),
}

impl CallLine {
    fn step(&mut self, c: char, view: View<'_>) -> Step {
        let is_same_statement = !self.is_statement;
        match &mut self.place {
            Place::Joint => match c {
                ' ' | '\t' | ',' | '+' | '&' => {}
                ';' => self.is_statement = true,
                c if c.is_alphanumeric() || c == '_' => {
                    let from = self.pos;
                    self.place = Place::Word { from, to: None };
                }
                c => return Step::Over(continues_sentence(c) && is_same_statement),
            },
            Place::Word { from, to } => match c {
                '(' => self.place = Place::Inside(Brackets::new()),
                ' ' => *to = to.or(Some(self.pos)),
                c if to.is_none() && (c.is_alphanumeric() || "_.-\\".contains(c)) => {}
                _ => {
                    let word = view.slice(*from, to.unwrap_or(self.pos));
                    if !CONJUNCTIONS.contains(&word) {
                        return Step::Over(is_same_statement);
                    }
                    self.place = Place::Joint;
                    return Step::Again;
                }
            },
            // Only this line decides, and the lookahead reads each line once.
            Place::Inside(_) if c == '\n' => return Step::Over(false),
            Place::Inside(brackets) => {
                let byte = u8::try_from(c).unwrap_or(u8::MAX);
                if brackets.step(byte) {
                    self.end = self.pos + 1;
                    (self.place, self.is_statement) = (Place::Joint, false);
                }
            }
        }
        Step::More
    }
}

impl Parser {
    /// Whether the rest of the line is a fact of the open call that was not measured yet.
    pub(super) fn awaits_tail(&self) -> bool {
        let call = self.emitter.call.as_ref();
        call.is_some_and(|call| call.awaits_tail)
    }

    /// Whether the bare call that ends here waits for the rest of its line, which the lookahead reads once.
    pub(super) fn waits_for_line(&self, view: View<'_>) -> bool {
        let is_last = view.eof && self.pos >= view.end();
        let is_read = self.pos < self.candidate.entry.read_to;
        self.awaits_tail() && !is_read && !self.candidate.entry.is_bracketed && !is_last
    }

    /// Starts the lookahead along the line after a call, which ends at `pos`.
    pub(super) fn start_tail(&mut self, node: NodeId) {
        let at = self.pos;
        self.mode = Mode::LineTail(LineTail::Call(CallLine {
            node,
            pos: at,
            place: Place::Joint,
            end: at,
            is_statement: false,
        }));
    }

    /// Whether the text after the entry, which ends at `at`, is a fact of the entry's last call.
    pub(super) fn may_continue(&self, at: u64) -> bool {
        let call = self.emitter.call.as_ref();
        self.candidate.entry.bare_body.is_some()
            || call.is_some_and(|call| call.json_end == Some(at))
    }

    pub(super) fn call_line(
        &mut self,
        mut line: CallLine,
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let at = self.pos;
        let cap = view.program.limits.undecided as u64;
        let has_words = loop {
            let Some(c) = view.slice(line.pos, view.end()).chars().next() else {
                if !view.eof {
                    return self.wait_in(Mode::LineTail(LineTail::Call(line)));
                }
                break matches!(line.place, Place::Word { .. }) && !line.is_statement;
            };
            self.set.found.work += c.len_utf8() as u64;
            match line.step(c, view) {
                Step::More => line.pos += c.len_utf8() as u64,
                Step::Again => {}
                Step::Over(has_words) => break has_words,
            }
            if line.pos - at > cap {
                break false;
            }
        };
        self.candidate.entry.read_to = line.end.max(at + 1);
        self.candidate.entry.words_before = if has_words { line.end } else { 0 };
        self.end_body(view, line.node, sink);
        true
    }

    pub(super) fn entry_line(
        &mut self,
        (body, read_to): (Thread, u64),
        view: View<'_>,
        sink: &mut dyn Sink,
    ) -> bool {
        let at = self.pos;
        let rest = view.slice(read_to, view.end());
        let text = rest.trim_start_matches([' ', '\t', ',']);
        let n_blank = (rest.len() - text.len()) as u64;
        self.set.found.work += n_blank + 1;
        let pos = read_to + n_blank;
        let is_long = pos - at >= view.program.limits.undecided as u64;
        let undecided = Mode::LineTail(LineTail::Entry { body, pos });
        if text.is_empty() && !view.eof && !is_long {
            return self.wait_in(undecided);
        }
        if let Some(node) = self.candidate.entry.bare_body.filter(|_| !is_long) {
            match list_continues((at, pos), view) {
                Some(true) => {
                    self.reopen_list(node, view, sink);
                    return true;
                }
                Some(false) => {}
                None => return self.wait_in(undecided),
            }
        }
        self.candidate.entry.bare_body = None;
        if let Some(call) = &mut self.emitter.call {
            let is_statement = byte_before(view, at) == Some(b';');
            let is_member = call.json_end == Some(at)
                && text.starts_with('"')
                && view.slice(at, pos).contains(',');
            let has_words = text.starts_with(continues_sentence) && !is_statement;
            let (is_fact, tail) = if call.awaits_tail {
                (has_words, Tail::Words)
            } else {
                (is_member, Tail::Member)
            };
            if is_fact && !is_long {
                (call.facts.tail, call.text_end) = (tail, at);
            }
            (call.awaits_tail, call.json_end) = (false, None);
        }
        self.enter_only(body, view, sink);
        true
    }

    /// The bracket before `Parser::pos` ended a list of calls, but is one too many: the list continues.
    fn reopen_list(&mut self, node: NodeId, view: View<'_>, sink: &mut dyn Sink) {
        let at = self.pos;
        self.emitter.markup(view, at, sink);
        self.recovered(Recovery::ListBracket, Span::new(at - 1, at), "", sink);
        if let Some(call) = &mut self.emitter.call {
            call.facts.is_in_broken_list = true;
        }
        self.candidate.entry.is_in_broken_list = true;
        self.continue_after(view, node, sink);
    }
}

/// The byte right before `at`, if the view has it.
pub(super) fn byte_before(view: View<'_>, at: u64) -> Option<u8> {
    (at > view.base).then(|| view.byte(at - 1)).flatten()
}

/// Whether `c` after a call continues a sentence that mentions the call. Other scripts' signs do, unless they end a
/// sentence.
fn continues_sentence(c: char) -> bool {
    c.is_alphanumeric() || SENTENCE_SIGNS.contains(c) || !c.is_ascii() && !WIDE_STOPS.contains(c)
}

/// Whether the list of calls that ended at `at` continues: a comma follows its bracket, and then, at `next`, the call
/// of a known tool. `None`: more bytes are needed.
fn list_continues((at, next): (u64, u64), view: View<'_>) -> Option<bool> {
    let program = view.program;
    let is_list = byte_before(view, at) == Some(b']');
    if !is_list || view.slice(at, next).matches(',').count() != 1 {
        return Some(false);
    }
    let rest = view.from(next);
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let length = rest.iter().take_while(in_name).count();
    if length == rest.len() && !view.eof && length <= program.limits.capture {
        return None;
    }
    let name = view.slice(next, next + length as u64);
    Some(rest.get(length) == Some(&b'(') && program.tools.meant(name).is_some())
}
