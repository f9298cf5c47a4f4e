//! The text after a string that may have ended at the end of its line, or before a closer.
//!
//! ```text
//!   {"path": "app.js}}          brackets that close all, and a line break or a closer: the quote is missing
//!
//!   I wait.                     held until the input ends or another document starts: no quote follows
//! ```
//!
//! If a quote follows, or the cap is reached, the held text is data of the string, and is read as such.

use super::piece::Piece;
use super::quote_lookahead::LookaheadState;
use super::state::{Quote, State};
use super::{HELD, Output, Transducer};
use crate::repair::Repair;

impl Transducer {
    /// Whether `run`, brackets and blanks inside a string of one line, ends that line and closes all that is open.
    /// Closing a part is enough, if the string did not open the brackets itself.
    pub(super) fn may_be_over(&self, run: &[u8]) -> bool {
        let mut following = run.iter().rev().take_while(|&&byte| byte <= b' ');
        following.any(|&byte| byte == b'\n') && self.closes_open(run)
    }

    /// Does the same check, but `run` need not end the line.
    pub(super) fn closes_open(&self, run: &[u8]) -> bool {
        // Without an open container, a bracket closes nothing.
        if !matches!(self.string.quote, Quote::Double | Quote::Single)
            || self.string.is_multiline
            || self.context.python
            || self.stack.is_empty()
        {
            return false;
        }
        let mut brackets = run.iter().filter(|byte| matches!(byte, b'}' | b']'));
        let open = self.stack.iter().rev().map(|frame| frame.closer());
        let fits = |(bracket, closer): (&u8, u8)| *bracket == closer;
        let n_brackets = brackets.clone().count();
        !run.contains(&b',')
            // Brackets beyond the open containers are superfluous.
            && brackets.by_ref().zip(open).all(fits)
            && (n_brackets >= self.stack.len() || n_brackets > 0 && self.string.balance.is_even())
    }

    /// Reads a character after the possible end of the string.
    pub(super) fn after_line_end(&mut self, byte: u8, piece: &mut Piece<'_>) {
        if self.string.quote.may_end(byte) || byte == b'\\' || self.held.len() >= HELD {
            return self.line_end_was_data(piece.here(), piece.out);
        }
        let is_line_started = self.tail.line_at < self.held.len();
        self.hold(piece);
        if byte == b'\n' || byte <= b' ' && !is_line_started {
            self.tail.line_at = self.held.len();
        }
        let line = &self.held[self.tail.line_at..];
        if self.context.openers.iter().any(|opener| opener == line) {
            self.end_before_line_end(piece.here(), piece.out);
        }
    }

    /// The input ends in or right after a string that may have ended: the string ends, and the text after its end is
    /// read again. Returns whether there is something to read.
    pub fn settle_string(&mut self, at: u64, out: &mut Output) -> bool {
        // Nothing but blanks and perhaps a comma follows the quote.
        let is_due = matches!(
            self.lookahead.state,
            LookaheadState::Quote | LookaheadState::Comma
        );
        match self.state {
            State::LineEnd => self.end_before_line_end(at, out),
            State::Quoted if self.forks() => self.end_fork(at, out),
            State::Quoted if !self.in_key && is_due => {
                self.end_before_line_end(at, out);
                self.is_over = false;
            }
            State::Apostrophe if !self.in_key => self.end_quoted(at, out),
            // `"a: 1}`: the key's quote is missing.
            State::Str if self.in_key && self.string.quote == Quote::Double => {
                match self.key_without_quote() {
                    Some(colon) => self.split_key(colon, "", at, out),
                    None => return false,
                }
            }
            State::Tail if self.held.contains(['}', ']']) && !self.closes_its_own() => {
                if self.context.is_whole {
                    let n_text = out.text.trim_end_matches(' ').len();
                    out.text.truncate(n_text);
                }
                self.end_before_line_end(at, out);
            }
            _ => return false,
        }
        true
    }

    /// Whether the string itself has opened the held brackets, in a complete text.
    pub(super) fn closes_its_own(&self) -> bool {
        self.context.is_whole && self.string.balance.is_open()
    }

    /// Ends the string where it may have ended, before the held bytes; these end at `at`.
    fn end_before_line_end(&mut self, at: u64, out: &mut Output) {
        let pending = core::mem::take(&mut self.held);
        let start = at - pending.len() as u64;
        let is_quoted = pending.starts_with(['"', '\'']);
        if !is_quoted {
            self.note(Repair::MissingQuote, start, start, out);
        }
        self.end_quoted(at, out);
        self.is_over = true;
        self.push_back(&pending[usize::from(is_quoted)..], at);
        self.string.has_inner = false;
    }

    /// The held bytes, which end at `at`, are data of the string.
    fn line_end_was_data(&mut self, at: u64, out: &mut Output) {
        let pending = core::mem::take(&mut self.held);
        let start = at - pending.len() as u64;
        let (before, rest) = pending.split_at(self.tail.rest_at);
        self.write_held(before, start, out);
        (self.string.is_multiline, self.string.after_letter) = (true, false);
        self.push_back(rest, at);
        self.state = State::Str;
    }

    /// Whether `word` and the byte after it are an opener of another document.
    pub(super) fn starts_another(&self, word: &str, byte: u8) -> bool {
        let mut openers = self.context.openers.iter();
        openers.any(|opener| opener.strip_prefix(word).map(str::as_bytes) == Some(&[byte]))
    }
}
