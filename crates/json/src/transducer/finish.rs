//! The end of the input: writes what is certain, and closes the document if only brackets are missing.

use super::state::{Frame, State};
use super::words::is_literal;
use super::{Completeness, Output, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;

impl Transducer {
    /// The input ends. Writes what is certain; closes the document if `close` and only brackets are missing.
    pub fn finish(&mut self, close: bool, at: u64, out: &mut Output) -> Completeness {
        if core::mem::take(&mut self.is_stuck) {
            self.unread.text.clear();
        }
        if close {
            self.settle_string(at, out);
        }
        self.catch_up(at, out);
        match self.state {
            State::Next => {
                // Without a colon the word is not part of the document.
                self.held.clear();
                self.state = State::After;
            }
            State::Apostrophe if !self.in_key => self.end_quoted(at, out),
            State::Word if !self.in_key && self.stack.is_empty() => self.end_word(at, out),
            State::Dots | State::Dotted if self.resume == State::After => self.settle_dots(at, out),
            _ => {}
        }
        let rest = match self.state {
            State::Done => return Completeness::Whole,
            State::After => Completeness::Brackets,
            State::Quoted if !self.in_key => {
                out.text.push('"');
                Completeness::Brackets
            }
            _ => Completeness::Broken,
        };
        if rest == Completeness::Brackets && close {
            self.held.clear();
            while let Some(&frame) = self.stack.last() {
                out.text.push_str(frame.json_closer());
                if self.context.is_whole && frame != Frame::Root {
                    self.note(Repair::MissingBracket, at, at, out);
                }
                self.stack.pop();
            }
            if !self.context.is_whole {
                self.note(Repair::MissingBracket, at, at, out);
            }
            self.state = State::Done;
        }
        rest
    }

    /// The input ends and is not cut off: a number, `true`, `false` or `null` at its end is complete. Returns whether
    /// the machine ended such a word.
    pub fn settle_word(&mut self, at: u64, out: &mut Output) -> bool {
        let is_value = self.state == State::Word && !self.in_key && !self.stack.is_empty();
        let is_settled = is_value && is_literal(&self.token);
        if is_settled {
            self.end_word(at, out);
        }
        is_settled
    }

    /// Ends the document whatever is missing: closes what was started, and gives a key without a value `null`. For a
    /// caller that knows the extent of the document.
    pub fn complete(&mut self, at: u64, out: &mut Output) {
        self.settle(false, at, out);
        self.settle_dots(at, out);
        match self.state {
            State::Esc => {
                let half = core::mem::take(&mut self.token);
                escape_into(self.inside(out), &half);
                self.end_string(at, out);
            }
            State::Str | State::Joining => self.end_string(at, out),
            State::Quoted | State::Apostrophe if self.in_key => self.end_string(at, out),
            State::Word if self.in_key => {
                let key = core::mem::take(&mut self.token);
                self.key.text.clear();
                escape_into(&mut self.key.text, key.trim_end());
                self.end_key(at, out);
            }
            State::Word => self.end_word(at, out),
            _ => {}
        }
        let missing = match self.state {
            State::Root => Some("{}"),
            State::Colon => Some(":null"),
            State::Arrow | State::Value if self.must_have_value() => Some("null"),
            _ => None,
        };
        if let Some(json) = missing {
            out.text.push_str(json);
            self.note(Repair::MissingValue, at, at, out);
        }
        self.drop_comma(out);
        if let State::Colon | State::Arrow | State::Value | State::Root | State::Key = self.state {
            self.end_value();
        }
        self.finish(true, at, out);
    }

    /// Reads held bytes at the end of the input as what they seem to be, and ends a comment. If `is_cut`, a note
    /// reports a single slash as a comment.
    pub(super) fn settle(&mut self, is_cut: bool, at: u64, out: &mut Output) {
        self.settle_string(at, out);
        self.catch_up(at, out);
        if is_cut && self.state == State::Slash {
            self.note(Repair::Comment, at - 1, at, out);
        }
        if let State::Slash | State::LineComment | State::BlockComment { .. } = self.state {
            self.state = self.resume;
        }
    }

    /// Dots at the end of the input are left out, however many.
    fn settle_dots(&mut self, at: u64, out: &mut Output) {
        if self.state == State::Dots {
            self.note(Repair::Ellipsis, self.token_at, at, out);
            self.token.clear();
        }
        if matches!(self.state, State::Dots | State::Dotted) {
            self.state = self.resume;
        }
    }

    /// Ends a string, or a key, whose quote is missing.
    pub(super) fn end_string(&mut self, at: u64, out: &mut Output) {
        self.held.clear();
        self.note(Repair::MissingQuote, at, at, out);
        self.end_quoted(at, out);
        self.value_ended = false;
    }
}
