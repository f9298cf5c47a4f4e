//! A quote inside a string or a key: a fast check for common ends, and the lookahead where that check does not decide.
//! Also the repair of keys that lost a quote.

use alloc::string::String;
use alloc::sync::Arc;

use super::piece::Piece;
use super::quote_lookahead::{Decision, LookaheadState};
use super::state::{Quote, State};
use super::words::name_of;
use super::{HELD, Output, Step, Transducer};
use crate::escape::{escape_into, unescape};
use crate::repair::Repair;
use crate::scan::{blanks_end, is_name_byte, odd_blank};
use crate::thresholds::KEY;

impl Transducer {
    /// Names the keys of containers at `depth` (the root has depth 1). One of these keys, in quotes and with its colon,
    /// ends a string that lost its own quote.
    pub fn add_keys(&mut self, depth: usize, keys: Arc<[String]>) {
        self.context.known.retain(|(known, _)| *known != depth);
        self.context.known.push((depth, keys));
    }

    /// Reads a `"` in a string that started with `"`.
    pub(super) fn quote_in_string(&mut self, piece: &mut Piece<'_>) {
        let bytes = piece.bytes();
        if !self.in_key && !self.string.has_inner && self.ends_at_once(bytes, piece.i + 1, 1) {
            piece.i += 1;
            return self.end_value();
        }
        if !self.in_key && self.pause(&bytes[piece.run..piece.i]) > 0 {
            return self.start_tail(piece);
        }
        self.copy(&piece.text[piece.run..piece.i], piece.out);
        piece.run = piece.i;
        if self.context.python {
            self.count_brackets(piece.here(), piece);
        }
        if self.stack.is_empty() && !self.context.is_whole {
            // Nothing can follow a string that is the document.
            piece.skip(1);
            return self.end_quoted(piece.here(), piece.out);
        }
        self.start_lookahead(piece.here());
        piece.skip(1);
    }

    /// Starts the lookahead after a quote at `here` that may end its string, or open a key after the string. Bytes that
    /// are held already come before the quote.
    pub(super) fn start_lookahead(&mut self, here: u64) {
        (self.lookahead.quote_at, self.lookahead.n_closed) = (self.held.len(), 0);
        if self.lookahead.quote_at == 0 {
            self.held_at = here;
        }
        self.held.push(self.string.quote.closers()[0]);
        self.lookahead.state = LookaheadState::Quote;
        self.state = State::Quoted;
    }

    /// Whether the available bytes after a quote prove that the quote ends its string. The lookahead would hold
    /// `n_held` bytes before them, and decides the same.
    #[inline]
    pub(super) fn ends_at_once(&self, bytes: &[u8], at: usize, n_held: usize) -> bool {
        match bytes.get(at) {
            _ if n_held + KEY > HELD => false,
            Some(b'}' | b']' | b')') if self.context.is_whole => self.is_before_the_end(bytes, at),
            Some(b'}' | b']') => true,
            Some(b',') if self.stack.last().is_none_or(|frame| !frame.has_keys()) => true,
            Some(b',') => {
                let next = blanks_end(bytes, at + 1);
                bytes.get(next) == Some(&b'"') && n_held + next - at < HELD
            }
            _ => false,
        }
    }

    /// Reads a byte after a quote that may end a string.
    pub(super) fn after_quote(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let here = piece.here();
        let is_same = self.string.quote.may_end(byte);
        let is_third = is_same && self.held.len() == 1 && self.token_at + 2 == here;
        if is_third && !self.in_key && !self.fork.is_reading {
            // `"""` of Python: the apparent empty string is its start.
            if byte == b'"' {
                self.note(Repair::NonstandardQuote, here - 2, here + 1, piece.out);
            }
            self.held.clear();
            (self.state, self.string.quote) = (State::Str, Quote::Triple(byte));
            return piece.skip(1);
        }
        if self.forks() {
            return self.step_fork(byte, piece);
        }
        let decision = if self.held.len() < HELD {
            let rest = &piece.bytes()[piece.i..];
            let is_odd = byte >= 0xc2 && odd_blank(rest, 0).is_some();
            self.decide(if is_odd { b' ' } else { byte })
        } else {
            Decision::Inside
        };
        if let Decision::Look(_) = decision {
            return self.hold(piece);
        }
        let ahead = core::mem::take(&mut self.held);
        let quote = here - ahead.len() as u64;
        let split = match decision {
            Decision::Inside | Decision::Ends if self.in_key && byte != b':' => {
                self.key_without_quote()
            }
            _ => None,
        };
        // How many bytes of the lookahead are consumed.
        let mut n_read = ahead.len();
        match (decision, split) {
            (_, Some(colon)) => {
                // `"path: "a.js"`: the key's own quote is missing, and this quote opens the value.
                self.split_key(colon, &ahead, here, piece.out);
            }
            (Decision::Inside | Decision::Look(_), _) => {
                self.note(Repair::UnescapedQuote, quote, quote + 1, piece.out);
                escape_into(self.inside(piece.out), &ahead);
                self.string.after_letter = false;
                self.string.is_multiline |= ahead.contains('\n');
                if !self.in_key {
                    let is_at_edge = ahead.len() == 1 && is_same || quote == self.token_at + 1;
                    let is_alone = !core::mem::replace(&mut self.string.has_inner, true);
                    // The quote may be superfluous, or open the value of a keyword.
                    if is_alone && is_at_edge || self.is_after_keyword() {
                        self.note(Repair::AmbiguousString, quote, quote + 1, piece.out);
                    }
                    // The current piece is counted at its end; a lookahead from an earlier piece is counted here.
                    if quote < piece.at {
                        self.count_brackets(quote, piece);
                        self.count(ahead.as_bytes(), quote);
                    }
                }
                self.state = State::Str;
            }
            (Decision::Joins, _) => {
                self.note(Repair::Concatenation, quote, here + 1, piece.out);
                self.string.is_raw = false;
                (self.state, self.string.quote) = (State::Str, Quote::of(byte));
                piece.skip(1);
            }
            (Decision::Again, _) => {
                self.note(Repair::NonstandardQuote, quote, quote + 1, piece.out);
                self.state = State::Str;
                n_read = 1;
            }
            (Decision::Doubled, _) => {
                self.note(Repair::NonstandardQuote, quote + 1, quote + 2, piece.out);
                self.end_quoted(here, piece.out);
                n_read = 2;
            }
            (Decision::Expression, _) => {
                self.start_word(quote);
                self.token.push_str(&ahead);
                self.word.is_open = true;
            }
            (Decision::Ends, _) => {
                if !self.in_key && byte == b'=' && self.string.last.ends_in_comma() {
                    // `a='x,' b='y'`
                    self.note(Repair::AmbiguousString, quote - 1, quote + 1, piece.out);
                }
                self.end_quoted(here, piece.out);
                n_read = 1;
            }
        }
        self.push_back(&ahead[n_read..], here);
        if matches!(decision, Decision::Ends | Decision::Doubled) {
            self.string.has_inner = false;
        }
        self.held = ahead;
        self.held.clear();
    }

    /// Ends the key before its colon. The rest of the key and then `ahead`, which ends at `here`, are read again.
    pub(super) fn split_key(&mut self, colon: usize, ahead: &str, here: u64, out: &mut Output) {
        let rest = unescape(&self.key.text.split_off(colon)).into_owned();
        let start = here - (rest.len() + ahead.len()) as u64;
        self.key
            .text
            .truncate(name_of(self.key.text.trim_end()).len());
        self.note(Repair::MissingQuote, start, start, out);
        self.end_key(here, out);
        self.push_back(&(rest + ahead), here);
    }

    /// Index of the colon in the key being read, if a name precedes the colon and the text after it cannot continue
    /// that name.
    pub(super) fn key_without_quote(&self) -> Option<usize> {
        // The key is searched at each quote, so its length is capped.
        let key = Some(&self.key.text).filter(|key| key.len() <= KEY)?;
        let colon = key.find(':')?;
        let (name, value) = (key[..colon].trim_end(), unescape(&key[colon + 1..]));
        // `"path': "a"`: the key's last quote is of the other kind.
        let name = name.strip_suffix('\'').unwrap_or(name);
        let is_name = !name.is_empty() && name.bytes().all(is_name_byte);
        let is_start = |byte| matches!(byte, b'{' | b'[' | b' ' | b'\n' | b'\r' | b'\t');
        // `"n: 1, "path": "a"`: the quote after the comma opens the next key.
        (is_name && (value.bytes().all(is_start) || is_value_before_structure(&value)))
            .then_some(colon)
    }

    /// The input ends: bytes that are held or read ahead are read as what they seem to be.
    pub(super) fn catch_up(&mut self, at: u64, out: &mut Output) {
        loop {
            while self.has_read_ahead() {
                // After the document nothing is read.
                if matches!(self.read_again(out), Step::Stuck | Step::Done) {
                    self.unread.text.clear();
                }
            }
            match self.state {
                State::Opening(opening) => self.end_opening(opening, 0, at, out),
                // Without a bracket as proof, the held bytes are data.
                State::Tail if !self.held.contains(['}', ']']) || self.closes_its_own() => {
                    self.tail_was_data(at, out);
                }
                _ => {
                    if !self.settle_quote(at, out) {
                        break;
                    }
                }
            }
        }
        self.value_ended = false;
    }

    /// Decides the held quote at the end of the input. Returns whether [`feed`](Transducer::feed) must read bytes
    /// again.
    pub fn settle_quote(&mut self, at: u64, out: &mut Output) -> bool {
        if self.state != State::Quoted {
            return false;
        }
        if self.forks() {
            self.end_fork(at, out);
            return true;
        }
        // A quote that only blanks follow, and a quote of a key, stay undecided.
        if self.lookahead.state == LookaheadState::Quote || self.in_key {
            return false;
        }
        self.end_quoted(at, out);
        self.read_held_again(1, at);
        true
    }

    /// Holds the next character.
    pub(super) fn hold(&mut self, piece: &mut Piece<'_>) {
        let c = piece.character();
        self.held.push_str(c);
        piece.skip(c.len());
    }

    /// Queues the held bytes, which end at `here`, to be read again from index `from` on.
    pub(super) fn read_held_again(&mut self, from: usize, here: u64) {
        let held = core::mem::take(&mut self.held);
        self.push_back(&held[from..], here);
        self.held = held;
        self.held.clear();
    }

    /// Queues `text`, which ends at `to`, to be read again before the bytes already queued.
    pub(super) fn push_back(&mut self, text: &str, to: u64) {
        if !text.is_empty() {
            self.unread.text.insert_str(0, text);
            self.unread.at = to - text.len() as u64;
        }
    }

    pub(super) fn keys_at(&self, depth: usize) -> Option<&Arc<[String]>> {
        let known = self.context.known.iter().find(|(known, _)| *known == depth);
        known.map(|(_, keys)| keys)
    }

    /// Whether the innermost object may have this key, as far as its keys are known.
    pub(super) fn may_have_key(&self, key: &str) -> bool {
        self.keys_at(self.stack.len())
            .is_none_or(|keys| keys.iter().any(|known| known == key))
    }
}

/// Whether `text`, read as part of a key after its colon, is a value and its comma, or a literal and a closing bracket.
fn is_value_before_structure(text: &str) -> bool {
    let text = text.trim();
    let is_end = |c: char| matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace();
    let (word, following) = text.split_at(text.find(is_end).unwrap_or(text.len()));
    super::words::is_literal(word) && following.trim_start().starts_with([',', '}', ']'])
        || text.starts_with(['[', '{']) && text.ends_with(',')
}
