//! The push machine: model-written JSON in, JSON text out, nothing retracted.
//!
//! ```text
//!           '{' ','            ':'             value ends            ','
//!   Value ---------> Key -----------> Value ---------------> After -------> Key | Value
//!     ^                                                        |
//!     `-- Str, Word, Comment: inside a token                   `-- '}' ']' : the enclosing container's After, or Done
//! ```
//!
//! Every byte fed is consumed at once: what is undecided (a comma that may be a trailing one, a quote that
//! may stand inside the string, a word, half an escape) is kept in the machine, under a cap, and comes out or not when
//! the next bytes decide. The valid path copies runs of the input.

mod balance;
mod costs;
mod dense;
mod escapes;
mod finish;
mod fork;
mod groups;
mod keywords;
mod line_end;
mod members;
mod openings;
mod piece;
mod positions;
mod python_escapes;
mod quote_lookahead;
mod quotes;
mod state;
mod string_runs;
mod strings;
mod structure;
mod tail;
#[cfg(test)]
mod tests;
mod tokens;
mod values;
mod whole;
mod words;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::escape::unescape;
use crate::keys::Keys;
use crate::repair::{Repair, RepairSpan};
use crate::scan::odd_blank;
use fork::Fork;
pub(crate) use groups::is_made;
use keywords::CallFacts;
use piece::Piece;
use quote_lookahead::QuoteLookahead;
pub(crate) use state::Frame;
use state::{Quote, State};
use strings::StringFacts;
use tail::{Tail, TailBytes};
use words::WordFacts;

/// What the text starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A JSON object, from its `{` on.
    Object,
    /// Any value.
    Value,
    /// The arguments of a Python call, from after its `(` on: `a=1, b='x')`.
    Keywords,
}

/// Where JSON text and repairs go.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// JSON text: all of it together is a prefix of a valid document.
    pub text: String,
    /// The repairs, in order.
    pub repairs: Vec<RepairSpan>,
}

/// Why `feed` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All bytes were consumed.
    More,
    /// A key at the watched depth was read, and its colon: see [`Transducer::take_key`].
    Member,
    /// A value at the watched depth ended.
    Value,
    /// A string of a value started, and more of it is here: see [`Transducer::stop_at_strings`].
    String,
    /// The root ended.
    Done,
    /// The next byte can be no part of the document. Nothing was lost; feeding it again gives the same answer.
    Stuck,
}

/// How much of the document is there when the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Whole,
    /// All but closing brackets (or quotes that brackets prove missing).
    Brackets,
    /// It ends inside a key or a value, or before one.
    Broken,
}

/// How a text goes on in the string that is open: see [`Transducer::stretch`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StringRun {
    /// So many bytes are its inside: [`feed`](Transducer::feed) would only write them and change nothing else.
    pub length: usize,
    /// They are to be escaped where they are written. Otherwise they are JSON already.
    pub is_raw: bool,
}

/// Longest word, escape tail or run of blanks kept undecided, in bytes.
const HELD: usize = 4096;

/// So much has to be here for the caller to be told of a string's start, in bytes: what is shorter is copied as fast.
const LONG: usize = 2048;

/// The machine. One document each.
#[derive(Clone, Debug, Default)]
pub struct Transducer {
    state: State,
    stack: Vec<Frame>,
    /// The innermost container has no element yet.
    empty: bool,
    /// A comma that is written only if an element follows: where it stands.
    comma: Option<u64>,
    /// Bytes that wait for the one that decides: that comma and the blanks after it, or what a state looks ahead at.
    held: String,
    /// Where the first byte stands that may be no part of the string: of a tail, or its quote.
    held_at: u64,
    /// A bare word, or half an escape.
    token: String,
    token_at: u64,
    /// The string being read is a key.
    in_key: bool,
    key: Key,
    keys: Keys,
    /// The state after a comment or dots.
    resume: State,
    string: StringFacts,
    word: WordFacts,
    lookahead: QuoteLookahead,
    fork: Fork,
    tail: Tail,
    call: CallFacts,
    /// Bytes that were read ahead and are to be read again.
    unread: Unread,
    context: Context,
    /// A value at the watched depth ended, and the caller has not heard of it.
    value_ended: bool,
    /// A repair was more than spelling.
    structural: bool,
    /// A string was ended by what stands on the lines after it: only brackets may follow.
    is_over: bool,
    /// The bytes that were read ahead are no part of the document.
    is_stuck: bool,
}

/// The key that was read last, or is being read.
#[derive(Clone, Debug, Default)]
struct Key {
    /// Its JSON text.
    text: String,
    /// It had no quotes.
    is_bare: bool,
    /// The value has a name: it is no positional argument.
    is_named: bool,
}

/// Bytes that were read ahead and are to be read again, and where they stand.
#[derive(Clone, Debug, Default)]
struct Unread {
    text: String,
    at: u64,
}

/// What the caller says of the document.
#[derive(Clone, Debug, Default)]
struct Context {
    /// Members and values are reported down to this depth.
    watch: usize,
    /// Long strings of values are reported.
    stops: bool,
    /// The document is all here, and nothing is fed after it.
    is_whole: bool,
    /// Which brackets were supplied to one that is whole.
    brackets: Vec<&'static str>,
    /// The document is the arguments of a Python call.
    python: bool,
    /// The Python call stands in brackets.
    bracketed: bool,
    /// Names of a Python call's parameters, for arguments without one.
    positions: Arc<[String]>,
    /// Strings stand between two of these tokens.
    token_quote: Option<String>,
    /// Others that count as well. The one that was written last takes its place.
    other_quotes: Vec<String>,
    /// What is read is plain letters: none of them are the token that ends a string.
    is_plain: bool,
    /// Literals that may follow the document, in order.
    closers: Arc<[String]>,
    /// The bytes that may stand after a bracket which ends a string.
    tail_bytes: TailBytes,
    /// Texts that start another document, at the start of a line.
    openers: Arc<[String]>,
    /// Keys that containers at a depth have.
    known: Vec<(usize, Arc<[String]>)>,
}

impl Context {
    /// Forgets what was said of the last document, but what may follow each.
    fn forget(&mut self) {
        self.watch = 0;
        (self.bracketed, self.is_plain) = (false, false);
        self.token_quote = None;
        self.other_quotes.clear();
        self.known.clear();
        self.positions = Arc::default();
    }
}

impl Transducer {
    /// A machine for a document that starts with `root`.
    pub fn new(root: Root) -> Transducer {
        let mut machine = Transducer::default();
        machine.start(root);
        machine
    }

    /// Starts another document. What the machine was told of the last one is forgotten, but the closers; its
    /// memory is kept.
    pub fn restart(&mut self, root: Root) {
        let mut last = core::mem::take(self);
        let mut texts = [last.held, last.token, last.key.text, last.unread.text];
        texts.iter_mut().for_each(String::clear);
        [self.held, self.token, self.key.text, self.unread.text] = texts;
        last.stack.clear();
        last.keys.clear();
        last.context.forget();
        (self.stack, self.keys, self.context) = (last.stack, last.keys, last.context);
        if self.context.is_whole {
            // Of all values of a text.
            self.fork.spent = last.fork.spent;
        }
        self.start(root);
    }

    fn start(&mut self, root: Root) {
        self.context.python = root == Root::Keywords;
        match root {
            Root::Value => {}
            Root::Object => self.state = State::Root,
            Root::Keywords => self.open(Frame::Keywords),
        }
    }

    /// Reads strings between two `quote` tokens as they stand (gemma4's `<|"|>`).
    #[must_use]
    pub fn with_quote(mut self, quote: Option<&str>) -> Transducer {
        self.context.token_quote = quote.filter(|quote| !quote.is_empty()).map(String::from);
        self
    }

    /// The same of strings between two of `quotes`, where a quote is given.
    #[must_use]
    pub fn with_other_quotes(mut self, quotes: Vec<String>) -> Transducer {
        self.context.other_quotes = quotes;
        self
    }

    /// Names the literals that may follow the document, in order. A string whose quote is missing ends before
    /// brackets and these, if the input ends there.
    #[must_use]
    pub fn with_closers(mut self, closers: Arc<[String]>) -> Transducer {
        self.context.tail_bytes = TailBytes::of(&closers);
        self.context.closers = closers;
        self
    }

    /// The same for a machine that exists.
    pub fn expect_closers(&mut self, closers: &Arc<[String]>) {
        if !Arc::ptr_eq(&self.context.closers, closers) {
            self.context.tail_bytes = TailBytes::of(closers);
            self.context.closers = Arc::clone(closers);
        }
    }

    /// Names texts that start another document at the start of a line: this one is over before them.
    pub fn expect_openers(&mut self, openers: &Arc<[String]>) {
        self.context.openers = Arc::clone(openers);
    }

    /// Names the parameters of the Python call, in order: an argument without a name is that of the first one that was not
    /// named yet.
    #[must_use]
    pub fn with_positions(mut self, names: Arc<[String]>) -> Transducer {
        self.context.positions = names;
        self
    }

    /// Says that the Python call stands in brackets: `print(f('x'))`. Two brackets after a quote end its string then.
    #[must_use]
    pub fn within_brackets(mut self, is_within: bool) -> Transducer {
        self.context.bracketed = is_within;
        self
    }

    /// Reports members and values of containers down to this depth; the root's members have depth 1. 0 reports nothing.
    pub fn watch(&mut self, depth: usize) {
        self.context.watch = depth;
    }

    /// Reports where a string of a value starts that may be long, so that the caller can write its inside itself: see
    /// [`stretch`](Transducer::stretch).
    pub fn stop_at_strings(&mut self) {
        self.context.stops = true;
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Puts the last key read, decoded, in the place of `key`, whose memory the next one gets.
    pub fn take_key(&mut self, key: &mut String) {
        core::mem::swap(key, &mut self.key.text);
        if let alloc::borrow::Cow::Owned(decoded) = unescape(key) {
            *key = decoded;
        }
    }

    /// Where the machine stands, if that is before the bytes it consumed: those after wait for the byte that decides, or
    /// are read again by the next call of [`feed`](Transducer::feed). It never goes back: what reads bytes again names the
    /// place where they start here, from the first of them on.
    pub fn held_from(&self) -> Option<u64> {
        match self.state {
            State::Next | State::Dots => Some(self.token_at),
            State::Quoted | State::Tail | State::Opening(_) | State::LineEnd if !self.in_key => {
                Some(self.held_at)
            }
            State::Word if !self.in_key && self.context.python => self
                .next_argument()
                .map(|name| self.token_at + name as u64)
                .or_else(|| self.has_read_ahead().then_some(self.unread.at)),
            _ if self.has_read_ahead() => Some(self.unread.at),
            // A key may end before its quote.
            _ => self.in_key.then_some(self.token_at),
        }
    }

    /// Whether blanks may stand here that are written.
    fn is_between_tokens(&self) -> bool {
        matches!(
            self.state,
            State::After | State::Key | State::Colon | State::Value | State::Root
        )
    }

    /// Whether [`feed`](Transducer::feed) has something to read without more text.
    pub fn has_read_ahead(&self) -> bool {
        !self.unread.text.is_empty()
    }

    /// Whether [`feed`](Transducer::feed) has something to say without more text.
    pub fn has_more_to_say(&self) -> bool {
        self.has_read_ahead() || self.value_ended
    }

    /// Whether a word waits, after a value, that is a key only if a colon follows.
    pub fn waits_for_colon(&self) -> bool {
        self.state == State::Next
    }

    /// Whether the bracket of an object or a list was read, and nothing of what it holds.
    pub fn is_before_members(&self) -> bool {
        let is_due = match self.state {
            State::Key => true,
            State::Value => self.stack.last() == Some(&Frame::Array),
            _ => false,
        };
        is_due && self.empty && self.comma.is_none()
    }

    /// Whether a repair so far was more than spelling.
    pub fn is_structural(&self) -> bool {
        self.structural
    }

    /// Whether the machine stands inside a string that started with a quote.
    pub fn in_string(&self) -> bool {
        matches!(
            self.state,
            State::Str | State::Esc | State::Quoted | State::Tail | State::LineEnd
        )
    }

    /// Whether a string is open that no quote may have ended yet.
    pub fn has_open_string(&self) -> bool {
        matches!(self.state, State::Str | State::Esc)
            || self.state == State::Tail && self.stack.is_empty()
    }

    /// How much of `text` stands inside the string that is open, from its first byte on.
    #[inline]
    pub fn stretch(&self, text: &str) -> StringRun {
        let (length, is_raw) = match (self.state, self.string.quote) {
            (State::Str, _) if self.in_key => (0, false),
            (State::Str, Quote::Double) => (self.plain_stretch(text.as_bytes()), false),
            (State::Str, Quote::Token) => (self.token_stretch(text.as_bytes()), true),
            _ => (0, false),
        };
        StringRun { length, is_raw }
    }

    /// `text`, which stands at `at`, was a [`stretch`](Transducer::stretch) that the caller wrote.
    #[inline]
    pub fn pass(&mut self, text: &str, at: u64) {
        self.count(text.as_bytes(), at);
    }

    /// Whether what is read next is plain letters, in which a token that quotes strings is text.
    pub fn set_plain(&mut self, is_plain: bool) {
        self.context.is_plain = is_plain;
    }

    /// Reads `text`, whose first byte is the `at`th of the input. Returns how many bytes were consumed, and why it
    /// stopped. Linear.
    pub fn feed(&mut self, text: &str, at: u64, out: &mut Output) -> (usize, Step) {
        if self.is_stuck {
            return (0, Step::Stuck);
        }
        let mut i = 0;
        // What comes out is about as long: one allocation, not one for each doubling.
        out.text.reserve(text.len());
        loop {
            while self.has_read_ahead() {
                let step = self.read_again(out);
                if step != Step::More {
                    return (i, step);
                }
            }
            let (used, step) = self.read(&text[i..], at + i as u64, out);
            i += used;
            if step != Step::More || !self.has_read_ahead() {
                return (i, step);
            }
        }
    }

    /// Reads what was read ahead.
    fn read_again(&mut self, out: &mut Output) -> Step {
        let (mut replay, at) = (core::mem::take(&mut self.unread.text), self.unread.at);
        let stops = core::mem::take(&mut self.context.stops);
        let (used, step) = self.read(&replay, at, out);
        (self.context.stops, self.string.starts) = (stops, false);
        replay.drain(..used);
        if self.unread.text.is_empty() {
            self.unread.at = at + used as u64;
        }
        // What was read ahead again comes before the rest.
        self.unread.text.push_str(&replay);
        step
    }

    fn read(&mut self, text: &str, at: u64, out: &mut Output) -> (usize, Step) {
        let bytes = text.as_bytes();
        let mut piece = Piece {
            text,
            at,
            i: 0,
            run: 0,
            settled: 0,
            out,
        };
        let piece = &mut piece;
        let step = loop {
            if self.has_read_ahead() {
                break Step::More;
            }
            if self.value_ended {
                self.value_ended = false;
                let is_done = self.state == State::Done;
                break if is_done { Step::Done } else { Step::Value };
            }
            if core::mem::take(&mut self.string.starts)
                && bytes.len() - piece.i >= LONG
                && !string_runs::ends_soon(&bytes[piece.i..])
            {
                break Step::String;
            }
            if self.is_dense() {
                piece.i = self.dense(text, piece.i);
            }
            let Some(&byte) = bytes.get(piece.i) else {
                break Step::More;
            };
            if byte >= 0xc2
                && self.is_between_tokens()
                && let Some(length) = odd_blank(bytes, piece.i)
            {
                self.odd_blank(length, piece);
                continue;
            }
            if byte == b'<' && self.skips_markup(piece) {
                continue;
            }
            let mut step = None;
            match self.state {
                State::After => step = self.after_value(byte, piece),
                State::Next => step = self.next_key(byte, piece),
                State::Key => step = self.start_member(byte, piece),
                State::Colon => step = self.colon(byte, piece),
                State::Arrow => {
                    if byte == b'>' {
                        piece.skip(1);
                    }
                    self.state = State::Value;
                }
                State::Root => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => piece.skip(1),
                    b'{' => self.state = State::Value,
                    b'"' => {
                        // `"tool": ..}`: the members of an object that lost its brace.
                        self.supply("{", Repair::MissingBracket, piece);
                        self.open(Frame::Object);
                    }
                    _ => step = Some(Step::Stuck),
                },
                State::Value => step = self.start_value(byte, piece),
                State::Str => match self.string.quote {
                    Quote::Double if self.in_key => self.double_key(piece),
                    Quote::Double => self.double_string(piece),
                    Quote::Token => self.token_string(piece),
                    quote => self.odd_string(quote, byte, piece),
                },
                State::Esc => self.escape(byte, piece),
                State::Quoted => self.after_quote(byte, piece),
                State::Joining => step = self.joining(byte, piece),
                State::Opening(opening) => self.opening(opening, byte, piece),
                State::Apostrophe => self.after_apostrophe(byte, piece),
                State::Tail => self.tail(byte, piece),
                State::LineEnd => self.after_line_end(byte, piece),
                State::Word => step = self.word(byte, piece),
                State::Dots => step = self.dots(byte, piece),
                State::Dotted => self.after_dots(byte, piece),
                State::Slash | State::LineComment | State::BlockComment { .. } => {
                    self.in_comment(byte, piece);
                }
                State::Done => step = Some(Step::Done),
            }
            if let Some(step) = step {
                break step;
            }
        };
        if piece.run < piece.i {
            self.copy(&piece.text[piece.run..piece.i], piece.out);
        }
        // What is read again is counted then, and what waits when it is data.
        let n_waiting = match self.state {
            _ if self.in_key || self.has_read_ahead() => piece.i,
            State::Str | State::Esc | State::Apostrophe => 0,
            State::Quoted if self.lookahead.quote_at == 0 => self.held.len(),
            _ => piece.i,
        };
        let n_inside = piece.i.saturating_sub(n_waiting);
        self.count(&bytes[..n_inside], at);
        (piece.i, step)
    }

    /// Notes a repair of the next `length` bytes.
    #[cold]
    fn note_here(&mut self, repair: Repair, length: usize, piece: &mut Piece<'_>) {
        let here = piece.here();
        self.note(repair, here, here + length as u64, piece.out);
    }

    #[cold]
    fn note(&mut self, repair: Repair, start: u64, end: u64, out: &mut Output) {
        // In a Python call these are the spelling.
        if self.context.python && matches!(repair, Repair::PythonLiteral | Repair::NonstandardQuote)
        {
            return;
        }
        // Where strings stand between tokens, keys are bare.
        if self.context.token_quote.is_some() && repair == Repair::UnquotedKey {
            return;
        }
        if self.context.is_whole && repair == Repair::MissingBracket {
            self.context.brackets.push(self.json_closer());
        }
        self.structural |= repair.is_structural();
        self.fork.paid |= 1 << (repair as u32);
        out.repairs.push(RepairSpan { repair, start, end });
    }
}
