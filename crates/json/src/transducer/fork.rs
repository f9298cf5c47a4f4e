//! A quote that may end its string forks the machine: the readings run side by side, and the cheapest wins.
//!
//! ```text
//!                        .-- inside:          it is text                                  costs once a string
//!   "text, "  a quote ---+-- ends:            the string ends here                        costs nothing
//!                        +-- ended before:    a quote before the comma is missing         costs MissingQuote
//!                        `-- joins:           the next string continues this one          costs Concatenation
//! ```
//!
//! A reading is a copy of the machine that reads the held bytes. Repairs cost ([`TABLE`](super::costs::TABLE)). At most
//! four readings are alive; the most expensive goes. The quote is decided when all readings left agree on it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::costs::{
    BUDGET, Charge, DEPTH, DOUBT, MARGIN, MAX_LIVE, NEAR, PER_BYTE, PER_QUOTE, STREAM, cost,
};
use super::piece::Piece;
use super::state::{Frame, Quote, State};
use super::{HELD, Output, Step, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;
use crate::scan::odd_blank;

/// How a quote is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Label {
    #[default]
    Inside,
    Ends,
    /// The string ended before all held bytes; the quote is the last of them.
    EndedBefore,
    /// The string ended before the last held comma, and the brackets before that comma are text.
    EndedAtComma,
    /// The next string continues this one.
    Joins,
    /// The string ends, and the next quote is superfluous.
    Doubled,
    /// The quote at the string's start is written twice.
    Again,
}

/// What a reading read last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Other,
    /// The quote that ends a string.
    End,
    /// A quote inside a string, and blanks after the quote.
    Inner,
}

/// The readings of an undecided quote.
#[derive(Clone, Debug, Default)]
pub(super) struct Fork {
    readings: Vec<Reading>,
    /// This machine is itself a reading: the code that feeds it forks it.
    pub(super) is_reading: bool,
    /// Costs of this reading other than repairs, not yet charged.
    cost: u32,
    /// Bytes that readings have read, for all values of a text; a quote counts as [`PER_QUOTE`].
    pub(super) spent: u64,
    /// Bit set of the kinds of repairs made so far.
    pub(super) paid: u64,
}

#[derive(Clone, Debug, Default)]
struct Reading {
    machine: Box<Transducer>,
    label: Label,
    cost: u32,
    seen: Seen,
    /// Bit set of the kinds of repairs charged so far: spelling costs once.
    paid: u64,
    /// The string has swallowed what may be a key.
    is_swallowing: bool,
    /// The undecided quote is the last byte that this reading read.
    is_first: bool,
    /// The document ended.
    is_done: bool,
    /// The document is a string, which nothing follows.
    is_root: bool,
    /// The text after the document is charged already.
    rest_paid: bool,
    /// A line ended after the string.
    is_new_line: bool,
    /// The document ended at the end of a line, and only its brackets may follow.
    is_over: bool,
}

impl Transducer {
    /// Whether quotes in this string fork.
    pub(super) fn forks(&self) -> bool {
        !self.in_key && !self.context.python
    }

    /// Decides by the byte after a quote, in a stream, if the string has no quote inside. `true`: the string ends;
    /// `false`: more bytes are needed; `None`: the readings decide.
    fn ends_plainly(&self, byte: u8) -> Option<bool> {
        let after = &self.held.as_bytes()[self.lookahead.quote_at + 1..];
        let is_after_comma = after.contains(&b',');
        match byte {
            _ if self.context.is_whole || self.string.has_inner || self.held.len() >= HELD => None,
            b' ' | b'\t' | b'\n' | b'\r' => Some(false),
            b'}' | b']' if !is_after_comma => Some(true),
            b',' if !is_after_comma => {
                Some(self.stack.last().is_none_or(|frame| !frame.has_keys()))
            }
            b'"' if is_after_comma => Some(true),
            _ => None,
        }
    }

    /// Starts the readings of the held quote.
    fn start_fork(&mut self) {
        let first = Reading {
            machine: Box::new(self.reading()),
            paid: self.fork.paid,
            is_first: true,
            is_root: self.stack.first() == Some(&Frame::Root),
            ..Reading::default()
        };
        first.branch(&mut self.fork.readings);
    }

    /// A copy of the machine that serves as a reading, of bounded size.
    fn reading(&self) -> Transducer {
        Transducer {
            state: self.state,
            stack: self.stack[self.stack.len().saturating_sub(DEPTH)..].to_vec(),
            empty: self.empty,
            held: self.held[..=self.lookahead.quote_at].into(),
            held_at: self.held_at,
            token_at: self.token_at,
            string: self.string.clone(),
            lookahead: self.lookahead.clone(),
            context: super::Context {
                watch: 0,
                stops: false,
                ..self.context.clone()
            },
            keys: self.keys.innermost(),
            fork: Fork {
                is_reading: true,
                ..Fork::default()
            },
            ..Transducer::default()
        }
    }

    /// All readings read a byte after the quote.
    pub(super) fn step_fork(&mut self, byte: u8, piece: &mut Piece<'_>) {
        let here = piece.here();
        // A quote that a reading meets in bytes read ahead is decided at once too.
        if self.fork.is_reading || self.fork.spent > BUDGET + PER_BYTE * here {
            return self.decide_at_once(byte, piece);
        }
        if self.fork.readings.is_empty() {
            match self.ends_plainly(byte) {
                Some(true) => return self.take(Label::Ends, here, piece.out),
                Some(false) => return self.hold(piece),
                None => {}
            }
            self.count_brackets(here - self.held.len() as u64, piece);
            self.start_fork();
            self.step_readings_over_held(here);
        }
        self.hold(piece);
        let held = core::mem::take(&mut self.held);
        self.step_readings(&held, here);
        self.held = held;
        let n_ahead = self.held.len() - self.lookahead.quote_at;
        if self.is_decided() || self.context.is_whole && self.held.len() >= HELD {
            self.decide_fork(piece.here(), piece.out);
        } else if self.is_before_another() {
            self.fork.readings.retain(|reading| reading.is_done);
            self.decide_fork(piece.here(), piece.out);
        } else if !self.context.is_whole && (n_ahead >= STREAM || self.held.len() >= HELD) {
            // The string continues, in doubt.
            self.fork.readings.clear();
            let quote = piece.here() - n_ahead as u64;
            self.take(Label::Inside, piece.here(), piece.out);
            self.note(Repair::AmbiguousString, quote, quote + 1, piece.out);
        }
    }

    /// Whether a reading has ended the document and the last bytes read are a closer, or another document's opener at
    /// the start of a line.
    fn is_before_another(&self) -> bool {
        if self.context.is_whole || !self.fork.readings.iter().any(|reading| reading.is_done) {
            return false;
        }
        let ahead = &self.held[self.lookahead.quote_at + 1..];
        let line = ahead.rfind('\n').map(|at| ahead[at..].trim_start());
        let closes = |closer: &String| !closer.is_empty() && ahead.ends_with(closer.as_str());
        self.context.closers.iter().any(closes)
            || line.is_some_and(|line| self.context.openers.iter().any(|opener| opener == line))
    }

    /// Whether `held` ends with the start of a closer.
    fn starts_closer(&self, held: &str) -> bool {
        let starts = |closer: &String| {
            let mut ends = closer.char_indices().map(|(n, c)| n + c.len_utf8());
            ends.any(|end| held.ends_with(&closer[..end]))
        };
        !self.context.is_whole && self.context.closers.iter().any(starts)
    }

    /// All readings read the last character of `held`, which is at offset `at`.
    fn step_readings(&mut self, held: &str, at: u64) {
        let n_before = held.char_indices().next_back().map_or(0, |(n, _)| n);
        let (before, c) = held.split_at(n_before);
        let is_known = c == ":" && word_before(before).is_some_and(|word| self.is_new_key(word));
        let colon = if is_known {
            Charge::KnownColon
        } else {
            Charge::InnerColon
        };
        let after = &before.as_bytes()[self.lookahead.quote_at + 1..];
        let is_blank = after.iter().all(|&byte| byte <= b' ');
        let mut next = Vec::with_capacity(MAX_LIVE);
        for reading in self.fork.readings.drain(..) {
            reading.step(c, at, (colon, is_blank), &mut next);
        }
        let weight = if c == "\"" { PER_QUOTE } else { 1 };
        self.fork.spent += weight * next.len() as u64;
        self.fork.readings = next;
        // Without a quote inside the string, a smaller margin drops a reading. Inside a closer, no margin does.
        let margin = if self.string.has_inner { MARGIN } else { NEAR };
        let is_closer = self.starts_closer(held);
        self.prune(if is_closer { u32::MAX / 2 } else { margin });
    }

    /// The readings read the bytes held after the quote before the fork; these bytes end at `here`.
    fn step_readings_over_held(&mut self, here: u64) {
        let held = core::mem::take(&mut self.held);
        let start = self.lookahead.quote_at + 1;
        for (n, c) in held[start..].char_indices() {
            let (n, end) = (start + n, start + n + c.len_utf8());
            self.step_readings(&held[..end], here - (held.len() - n) as u64);
        }
        self.held = held;
    }

    /// The budget of the readings is spent, or this is a reading: the next byte decides.
    fn decide_at_once(&mut self, byte: u8, piece: &mut Piece<'_>) {
        if byte <= b' ' && self.held.len() < HELD {
            return self.hold(piece);
        }
        self.fork.readings.clear();
        // A decision inside the string counts its quote: the bytes before the quote are counted first.
        self.count_brackets(piece.here() - self.held.len() as u64, piece);
        let is_end = matches!(byte, b',' | b'}' | b']' | b')');
        let label = if is_end { Label::Ends } else { Label::Inside };
        self.take(label, piece.here(), piece.out);
    }

    /// The text ends at the quote, or in the lookahead after it.
    pub(super) fn end_fork(&mut self, at: u64, out: &mut Output) {
        if self.fork.is_reading {
            // A reading does not fork at the end of the text.
            return self.take(Label::Ends, at, out);
        }
        if self.fork.readings.is_empty() {
            self.start_fork();
            self.step_readings_over_held(at);
        }
        let readings = self.fork.readings.iter_mut();
        readings.for_each(|reading| reading.end(at));
        self.decide_fork(at, out);
    }

    /// Whether `key` is a known key of the innermost object, and did not occur in the object yet.
    fn is_new_key(&self, key: &str) -> bool {
        let known = self.keys_at(self.stack.len());
        known.is_some() && self.may_have_key(key) && !self.keys.has(key.as_bytes())
    }

    /// Drops the readings that cost at least `margin` more than the cheapest, and all but the cheapest [`MAX_LIVE`].
    fn prune(&mut self, margin: u32) {
        let readings = &mut self.fork.readings;
        readings.sort_by_key(Reading::rank);
        let least = readings.first().map_or(0, |reading| reading.cost);
        readings.retain(|reading| reading.cost < least + margin);
        readings.truncate(MAX_LIVE);
    }

    fn is_decided(&self) -> bool {
        let readings = &self.fork.readings;
        let first = readings.first().map(|reading| reading.label);
        let ahead = &self.held[self.lookahead.quote_at + 1..];
        let is_open = first == Some(Label::Inside) && self.swallows_key(ahead) == Some(false);
        // In a stream, the machine does not wait for bytes after the end of the document.
        let is_whole = readings.first().is_some_and(Reading::is_whole);
        is_whole || !is_open && readings.iter().all(|reading| Some(reading.label) == first)
    }

    /// Whether the string seems to swallow a key, if `ahead` follows a quote inside the string. Either no open bracket
    /// of the string explains the colon, or the key is known. `Some(false)`: a known key may still follow.
    fn swallows_key(&self, ahead: &str) -> Option<bool> {
        if ahead.trim_ascii_start().starts_with(':') && !self.string.balance.is_open() {
            return Some(true);
        }
        let keys = self.keys_at(self.stack.len())?;
        let Some((word, after)) = ahead.split_once('"') else {
            let may_be_one =
                !self.context.is_whole && keys.iter().any(|key| key.starts_with(ahead));
            return may_be_one.then_some(false);
        };
        let after = after.trim_ascii_start();
        let is_known = keys.iter().any(|key| key == word);
        (is_known && (after.is_empty() || after.starts_with(':'))).then_some(!after.is_empty())
    }

    /// Reads the quote as the cheapest reading does. The bytes after the quote are read again.
    fn decide_fork(&mut self, here: u64, out: &mut Output) {
        let mut readings = core::mem::take(&mut self.fork.readings);
        readings.sort_by_key(Reading::rank);
        let quote = here - (self.held.len() - self.lookahead.quote_at) as u64;
        let Some(first) = readings.first() else {
            return self.take(Label::Inside, here, out);
        };
        let is_rival =
            |other: &Reading| other.label != first.label && other.cost <= first.cost + DOUBT;
        self.take(first.label, here, out);
        if !self.context.is_whole && !first.is_whole() && readings.iter().any(is_rival) {
            self.note(Repair::AmbiguousString, quote, quote + 1, out);
        }
        self.is_over |= first.is_over && first.label == Label::Ends;
    }

    /// Reads the quote as `label` says. The bytes held after the quote are read again.
    fn take(&mut self, label: Label, here: u64, out: &mut Output) {
        let ahead = self.held.split_off(self.lookahead.quote_at + 1);
        let quote = here - ahead.len() as u64;
        // `"a,""b"` and `"a"",b"`: a comma and a quote may be swapped.
        let next = ahead.trim_ascii_start().strip_prefix('"');
        let is_comma = |next: &str| self.held.contains(',') || next.starts_with(',');
        let is_comma_swapped = next.is_some_and(is_comma);
        self.push_back(&ahead[usize::from(label == Label::Doubled)..], here);
        self.read_quote(label, quote, out);
        let is_doubt = label == Label::Inside && !self.context.is_whole && !self.fork.is_reading;
        if is_doubt && self.swallows_key(&ahead) == Some(true) {
            let n_key = ahead.find(':').map_or(0, |colon| colon + 1);
            let end = quote + n_key as u64;
            self.note(Repair::AmbiguousString, quote - 1, end, out);
        }
        if label == Label::Ends && is_comma_swapped {
            self.note(Repair::AmbiguousString, quote - 1, quote + 1, out);
        }
    }

    /// Reads the held quote and the bytes held before it; the quote ends at `here`.
    fn read_quote(&mut self, label: Label, here: u64, out: &mut Output) {
        let mut held = core::mem::take(&mut self.held);
        let quote_at = self.lookahead.quote_at;
        let start = here - held.len() as u64;
        if matches!(label, Label::EndedBefore | Label::EndedAtComma) {
            let n_text = match label {
                Label::EndedAtComma => held[..quote_at].rfind(',').unwrap_or(0),
                _ => 0,
            };
            escape_into(&mut out.text, &held[..n_text]);
            let start = start + n_text as u64;
            if self.context.is_whole {
                let n_text = out.text.trim_ascii_end().len();
                out.text.truncate(n_text);
            }
            self.note(Repair::MissingQuote, start, start, out);
            self.end_string_at(out);
            self.push_back(&held[n_text..], here);
        } else {
            self.write_held(&held[..quote_at], start, out);
        }
        match label {
            Label::Inside => {
                if !self.string.has_inner || !self.fork.is_reading {
                    self.note(Repair::UnescapedQuote, here - 1, here, out);
                }
                out.text.push_str("\\\"");
                let is_alone = !self.string.has_inner && !self.context.is_whole;
                let is_edge = is_alone && self.string.balance.is_near_start(here);
                self.string.edge_quote = is_edge.then_some(here - 1);
                self.string.has_inner = true;
                self.count(b"\"", here - 1);
                self.state = State::Str;
            }
            Label::Ends => self.end_string_at(out),
            Label::Doubled => {
                self.note(Repair::NonstandardQuote, here, here + 1, out);
                self.end_string_at(out);
            }
            Label::Joins => {
                self.string.balance.give_up();
                self.token_at = here - 1;
                self.state = State::Joining;
            }
            Label::Again => {
                self.note(Repair::NonstandardQuote, here - 1, here, out);
                self.state = State::Str;
            }
            Label::EndedBefore | Label::EndedAtComma => {}
        }
        held.clear();
        self.held = held;
    }

    /// Charges the key just read, if its object is not known to have the key, or if the key has a backslash.
    pub(super) fn charge_key(&mut self) {
        if self.fork.is_reading {
            let is_odd = self.key.text.contains('\\') || !self.may_have_key(&self.key.text);
            self.fork.cost += if is_odd { cost(Charge::OddKey) } else { 0 };
        }
    }

    /// Ends the string.
    fn end_string_at(&mut self, out: &mut Output) {
        out.text.push('"');
        if self.fork.is_reading && self.string.balance.has_odd_quote() {
            self.fork.cost += cost(Charge::OddQuote);
        }
        if let Some(at) = self.string.edge_quote.take() {
            // `" "a.js"`: the one quote inside may be one too many.
            self.note(Repair::AmbiguousString, at, at + 1, out);
        }
        self.string.has_inner = false;
        self.end_value();
    }

    /// Reads a byte after a quote whose string the next string continues.
    pub(super) fn joining(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => piece.skip(1),
            b'+' => {
                self.empty = true;
                piece.skip(1);
            }
            b'/' | b'#' => self.comment(byte, piece),
            b'"' | b'\''
                if self.empty
                    || self.stack.last() != Some(&Frame::Array)
                        && piece.here() > self.token_at + 1 =>
            {
                self.empty = false;
                let (at, here) = (self.token_at, piece.here() + 1);
                self.note(Repair::Concatenation, at, here, piece.out);
                (self.state, self.string.quote) = (State::Str, Quote::of(byte));
                piece.skip(1);
            }
            _ => return Some(Step::Stuck),
        }
        None
    }
}

/// The word between the last two quotes of `text`, if nothing but blanks follows these quotes.
fn word_before(text: &str) -> Option<&str> {
    let word = text.trim_ascii_end().strip_suffix('"')?;
    Some(word.rsplit('"').next().unwrap_or(word))
}

impl Reading {
    /// Whether the document ended with its own brackets.
    fn is_whole(&self) -> bool {
        !self.machine.context.is_whole
            && self.is_done
            && !self.rest_paid
            && self.machine.stack.is_empty()
    }

    /// The sort key of the reading: the lowest is the best.
    fn rank(&self) -> (u32, bool) {
        (self.cost, !self.is_whole())
    }

    /// Adds a reading for each way to read the quote that the machine holds.
    fn branch(self, next: &mut Vec<Reading>) {
        let machine = &self.machine;
        let here = machine.held_at + machine.held.len() as u64;
        let is_opening = machine.held_at == machine.token_at + 1 && machine.lookahead.quote_at == 0;
        let is_listed = matches!(machine.stack.last(), Some(Frame::Object | Frame::Array));
        let mut branch = |label: Label| {
            let mut reading = self.clone();
            if self.is_first {
                reading.label = label;
            }
            let mut out = Output::default();
            reading.machine.read_quote(label, here, &mut out);
            reading.is_first = self.is_first && label == Label::Ends;
            reading.is_new_line &= label != Label::Ends;
            reading.is_swallowing &= label == Label::Inside;
            reading.seen = match label {
                Label::Inside => Seen::Inner,
                Label::Ends => Seen::End,
                _ => Seen::Other,
            };
            reading.charge(&out);
            reading.feed("", here, next);
        };
        branch(Label::Inside);
        branch(Label::Ends);
        if is_listed && !is_opening {
            branch(Label::EndedBefore);
            let before = &machine.held[..machine.lookahead.quote_at];
            if before.starts_with(['}', ']']) && before.contains(',') {
                branch(Label::EndedAtComma);
            }
        }
        if !machine.string.has_inner {
            branch(Label::Joins);
        }
        if is_opening {
            branch(Label::Again);
        }
    }

    /// Reads a character at offset `at`.
    fn step(
        mut self,
        c: &str,
        at: u64,
        (colon, is_blank): (Charge, bool),
        next: &mut Vec<Reading>,
    ) {
        let byte = c.as_bytes()[0];
        if self.seen == Seen::End && byte == b'"' && !self.is_root {
            let mut doubled = self.clone();
            if doubled.is_first {
                doubled.label = Label::Doubled;
            }
            doubled.is_first = false;
            doubled.seen = Seen::Other;
            next.push(doubled);
        }
        self.is_first = false;
        if self.seen == Seen::Inner
            && matches!(byte, b':' | b',')
            && !self.is_swallowing
            && !self.machine.string.balance.is_open()
        {
            self.is_swallowing = byte == b':';
            let comma = Charge::InnerComma;
            self.cost += cost(if self.is_swallowing { colon } else { comma });
        }
        if self.seen == Seen::End && byte.is_ascii_alphanumeric() {
            self.cost += cost(Charge::GluedLetter);
        }
        if byte > b' ' || self.seen == Seen::End {
            self.seen = Seen::Other;
        }
        if byte == b'\\' && self.machine.state == State::After {
            self.cost += cost(Charge::Repair(Repair::Junk));
        }
        // A word on a line after the string is a key whose comma is missing, or text after the document.
        if self.is_new_line
            && is_blank
            && !self.is_done
            && !self.machine.context.is_whole
            && self.machine.state == State::After
            && super::words::is_word_byte(byte)
            && odd_blank(c.as_bytes(), 0).is_none()
        {
            let mut ended = self.clone();
            ended.end_outside();
            ended.is_over = true;
            next.push(ended);
        }
        self.is_new_line |= byte == b'\n';
        if byte == b'`' && self.machine.state == State::After {
            self.end_outside();
        }
        if self.is_done {
            self.charge_rest(byte);
            next.push(self);
            return;
        }
        self.feed(c, at, next);
    }

    /// The machine reads `c`, and the bytes that it has read ahead.
    fn feed(mut self, c: &str, at: u64, next: &mut Vec<Reading>) {
        let mut out = Output::default();
        let (mut used, mut step) = self.machine.feed(c, at, &mut out);
        while step == Step::Stuck && used < c.len() && !self.machine.is_unrepairable() {
            used += self.machine.skip(c.len(), at, &mut out);
            if used == c.len() {
                step = Step::More;
            } else {
                (used, step) = self.machine.feed(c, at, &mut out);
            }
        }
        self.charge(&out);
        match step {
            Step::Done => {
                if used < c.len() {
                    self.charge_rest(c.as_bytes()[0]);
                }
                self.is_done = true;
            }
            Step::Stuck if self.machine.state == State::Joining => return,
            Step::Stuck => {
                self.end_outside();
                if !self.is_new_line {
                    self.cost += cost(Charge::OuterText);
                }
            }
            _ => {}
        }
        if self.machine.state == State::Quoted && self.machine.forks() {
            self.branch(next);
        } else {
            next.push(self);
        }
    }

    /// The document ended without its bracket, and other text follows.
    fn end_outside(&mut self) {
        (self.is_done, self.rest_paid) = (true, true);
        self.cost += cost(Charge::Repair(Repair::MissingBracket));
    }

    /// Charges a byte after the document.
    fn charge_rest(&mut self, byte: u8) {
        let (charge, is_end) = match byte {
            0..=b' ' | b',' | b';' | b'}' | b']' => (None, false),
            b'`' | b'{' | b'[' | b'<' => (None, true),
            _ if self.is_root || byte == b'\\' => (Some(Charge::RootText), true),
            _ if self.is_new_line => (None, byte == b'"'),
            _ => (Some(Charge::OuterText), true),
        };
        if let Some(charge) = charge.filter(|_| !self.rest_paid) {
            self.cost += cost(charge);
        }
        self.rest_paid |= is_end;
    }

    /// The text ends.
    fn end(&mut self, at: u64) {
        if !self.is_done {
            let mut out = Output::default();
            if self.machine.state == State::Joining && self.label == Label::Joins {
                self.label = Label::Ends;
            }
            self.machine.cut(at, &mut out);
            self.charge(&out);
        }
    }

    /// Charges the repairs in `out`.
    fn charge(&mut self, out: &Output) {
        for span in &out.repairs {
            let kind = 1_u64 << (span.repair as u32);
            let is_spelling = matches!(span.repair, Repair::UnescapedQuote | Repair::UnquotedKey);
            let is_paid = is_spelling && self.paid & kind != 0;
            if !is_paid {
                self.cost += cost(Charge::Repair(span.repair));
            }
            self.paid |= kind;
        }
        self.cost += core::mem::take(&mut self.machine.fork.cost);
    }
}
