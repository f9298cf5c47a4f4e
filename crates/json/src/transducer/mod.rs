//! The push machine: it reads JSON as models write it, writes JSON text, and retracts nothing.
//!
//! ```text
//!           '{' ','            ':'             value ends            ','
//!   Value ---------> Key -----------> Value ---------------> After -------> Key | Value
//!     ^                                                        |
//!     `-- Str, Word, Comment: inside a token                   `-- '}' ']' : the enclosing container's After, or Done
//! ```
//!
//! Every byte fed is consumed at once. The machine holds undecided bytes, under a cap, until the next bytes decide.
//! Such bytes are a comma that may be trailing, a quote that may be inside its string, a word, or half an escape. Valid
//! JSON is copied in runs of the input.

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
use crate::thresholds::HELD;
use fork::Fork;
pub(crate) use groups::computes;
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
    /// A JSON object, starting at its `{`.
    Object,
    /// Any value.
    Value,
    /// The arguments of a Python call, starting after its `(`: `a=1, b='x')`.
    Keywords,
}

/// The JSON text and the repairs that the machine emits.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// JSON text: all text emitted for a document is a prefix of a valid document.
    pub text: String,
    /// The repairs, in order.
    pub repairs: Vec<RepairSpan>,
}

/// Why `feed` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All bytes were consumed.
    More,
    /// A key at a watched depth and its colon were read: see [`Transducer::take_key`].
    Member,
    /// A value at a watched depth ended.
    Value,
    /// A string value that may be long started: see [`Transducer::stop_at_strings`].
    String,
    /// The root ended.
    Done,
    /// The next byte cannot be part of the document. No byte is lost; feeding the byte again returns `Stuck` again.
    Stuck,
}

/// How complete the document is when the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Whole,
    /// Only closing brackets are missing, or quotes that brackets prove missing.
    Brackets,
    /// The input ends inside a key or a value, or before one.
    Broken,
}

/// How far a text continues the open string: see [`Transducer::string_run`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StringRun {
    /// The number of bytes inside the string: [`feed`](Transducer::feed) would only write them and change nothing else.
    pub length: usize,
    /// Whether these bytes must be escaped when they are written. Otherwise they are JSON already.
    pub is_raw: bool,
}

/// The caller gets [`Step::String`] only if so many bytes follow: shorter strings are copied as fast.
const LONG: usize = 2048;

/// The machine. It reads one document at a time; the default one, an object.
#[derive(Clone, Debug, Default)]
pub struct Transducer {
    state: State,
    stack: Vec<Frame>,
    /// The innermost container has no element yet.
    empty: bool,
    /// Offset of the pending comma, which is written only if an element follows.
    comma: Option<u64>,
    /// Bytes held undecided: the pending comma and the blanks after it, or the lookahead of a state.
    held: String,
    /// Offset of the first byte of `held` in a tail, a lookahead or an opening.
    held_at: u64,
    /// The bare word, the dots or the partial escape being read.
    token: String,
    token_at: u64,
    /// The string or word being read is a key.
    in_key: bool,
    key: Key,
    keys: Keys,
    /// The state to resume after a comment or dots.
    resume: State,
    string: StringFacts,
    word: WordFacts,
    lookahead: QuoteLookahead,
    fork: Fork,
    tail: Tail,
    call: CallFacts,
    /// Bytes that were read ahead and will be read again.
    unread: Unread,
    context: Context,
    /// A value at a watched depth ended, and the end is not reported yet.
    value_ended: bool,
    /// A repair changed more than spelling.
    structural: bool,
    /// The lines after a string show that the string ended: only brackets may follow.
    is_over: bool,
    /// The bytes that were read ahead are not part of the document.
    is_stuck: bool,
}

/// The key that was read last, or is being read.
#[derive(Clone, Debug, Default)]
struct Key {
    /// The JSON text of the key.
    text: String,
    /// The key had no quotes.
    is_bare: bool,
    /// The value has a name, so it is not a positional argument.
    is_named: bool,
}

/// Bytes that were read ahead and will be read again, and their offset.
#[derive(Clone, Debug, Default)]
struct Unread {
    text: String,
    at: u64,
}

/// What the caller declares about the document.
#[derive(Clone, Debug, Default)]
struct Context {
    /// Members and values are reported down to this depth.
    watch: usize,
    /// Long string values are reported.
    stops: bool,
    /// The text is complete: nothing is fed after it.
    is_whole: bool,
    /// The brackets that were supplied to a complete text.
    brackets: Vec<&'static str>,
    /// The document is the arguments of a Python call.
    python: bool,
    /// The Python call is inside brackets.
    bracketed: bool,
    /// Parameter names of the Python call, for its positional arguments.
    positions: Arc<[String]>,
    /// The token before and after each string.
    token_quote: Option<String>,
    /// Other tokens that quote strings. The one written last is swapped into `token_quote`.
    other_quotes: Vec<String>,
    /// The text is plain letters: no part of it is the token that ends a string.
    is_plain: bool,
    /// Literals that may follow the document, in order.
    closers: Arc<[String]>,
    /// The bytes that may follow a bracket that ends a string.
    tail_bytes: TailBytes,
    /// Texts that start another document, at the start of a line.
    openers: Arc<[String]>,
    /// The keys that the containers at a depth are known to have.
    known: Vec<(usize, Arc<[String]>)>,
}

impl Context {
    /// Forgets what belongs to the last document only.
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

    /// Starts another document. Forgets the watched depth, quotes, known keys and parameter names of the last one;
    /// reuses its memory.
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
            // The work counts for all values of a text.
            self.fork.spent = last.fork.spent;
        }
        self.start(root);
    }

    fn start(&mut self, root: Root) {
        self.context.python = root == Root::Keywords;
        match root {
            Root::Value => self.state = State::Value,
            Root::Object => {}
            Root::Keywords => self.open(Frame::Keywords),
        }
    }

    /// Reads strings between two `quote` tokens verbatim (gemma4's `<|"|>`).
    #[must_use]
    pub fn with_quote(mut self, quote: Option<&str>) -> Transducer {
        self.context.token_quote = quote.filter(|quote| !quote.is_empty()).map(String::from);
        self
    }

    /// Also reads strings between two of `quotes` verbatim, if [`with_quote`](Transducer::with_quote) gives a quote.
    #[must_use]
    pub fn with_other_quotes(mut self, quotes: Vec<String>) -> Transducer {
        self.context.other_quotes = quotes;
        self
    }

    /// Names the literals that may follow the document, in order. If the input ends there, a string whose quote is
    /// missing ends before brackets and these literals.
    #[must_use]
    pub fn with_closers(mut self, closers: Arc<[String]>) -> Transducer {
        self.context.tail_bytes = TailBytes::of(&closers);
        self.context.closers = closers;
        self
    }

    /// Names the same literals for an existing machine.
    pub fn expect_closers(&mut self, closers: &Arc<[String]>) {
        if !Arc::ptr_eq(&self.context.closers, closers) {
            self.context.tail_bytes = TailBytes::of(closers);
            self.context.closers = Arc::clone(closers);
        }
    }

    /// Names texts that start another document at the start of a line: the current document ends before them.
    pub fn expect_openers(&mut self, openers: &Arc<[String]>) {
        self.context.openers = Arc::clone(openers);
    }

    /// Names the parameters of the Python call, in order: an argument without a name gets the first name not yet used.
    #[must_use]
    pub fn with_positions(mut self, names: Arc<[String]>) -> Transducer {
        self.context.positions = names;
        self
    }

    /// Sets whether the Python call is inside brackets: `print(f('x'))`. Then two brackets after a quote end its
    /// string.
    #[must_use]
    pub fn within_brackets(mut self, is_within: bool) -> Transducer {
        self.context.bracketed = is_within;
        self
    }

    /// Reports members and values of containers down to this depth; the root's members have depth 1. 0 reports nothing.
    pub fn watch(&mut self, depth: usize) {
        self.context.watch = depth;
    }

    /// Reports the start of each string value that may be long, so that the caller can write the string's content
    /// itself: see [`string_run`](Transducer::string_run).
    pub fn stop_at_strings(&mut self) {
        self.context.stops = true;
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Replaces `key` with the last key read, decoded. The machine reuses the memory of the old `key`.
    pub fn take_key(&mut self, key: &mut String) {
        core::mem::swap(key, &mut self.key.text);
        if let alloc::borrow::Cow::Owned(decoded) = unescape(key) {
            *key = decoded;
        }
    }

    /// The offset of the first consumed byte that [`feed`](Transducer::feed) may read again, if there is one. The
    /// offset never decreases: a state that may read bytes again reports their start from the first of them on.
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
            // A key may be split at its colon, and the rest is read again.
            _ => self.in_key.then_some(self.token_at),
        }
    }

    /// Whether the machine is between tokens, where blanks are written.
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

    /// Whether [`feed`](Transducer::feed) has something to report without more text.
    pub fn has_reports(&self) -> bool {
        self.has_read_ahead() || self.value_ended
    }

    /// Whether a word after a value is held, which is a key only if a colon follows.
    pub fn waits_for_colon(&self) -> bool {
        self.state == State::Next
    }

    /// Whether the opening bracket of an object or a list was read, and no member or element after it.
    pub fn is_before_members(&self) -> bool {
        let is_due = match self.state {
            State::Key => true,
            State::Value => self.stack.last() == Some(&Frame::Array),
            _ => false,
        };
        is_due && self.empty && self.comma.is_none()
    }

    /// Whether a repair so far changed more than spelling.
    pub fn is_structural(&self) -> bool {
        self.structural
    }

    /// Whether the machine is inside a string that started with a quote.
    pub fn in_string(&self) -> bool {
        matches!(
            self.state,
            State::Str | State::Esc | State::Quoted | State::Tail | State::LineEnd
        )
    }

    /// Whether a string is open and no quote after its start may have ended it.
    pub fn has_open_string(&self) -> bool {
        matches!(self.state, State::Str | State::Esc)
            || self.state == State::Tail && self.stack.is_empty()
    }

    /// How many bytes at the start of `text` are inside the open string.
    #[inline]
    pub fn string_run(&self, text: &str) -> StringRun {
        let (length, is_raw) = match (self.state, self.string.quote) {
            (State::Str, _) if self.in_key => (0, false),
            (State::Str, Quote::Double) => (self.plain_run(text.as_bytes()), false),
            (State::Str, Quote::Token) => (self.token_run_length(text.as_bytes()), true),
            _ => (0, false),
        };
        StringRun { length, is_raw }
    }

    /// Passes `text` at offset `at`, a [`string_run`](Transducer::string_run) that the caller wrote.
    #[inline]
    pub fn pass(&mut self, text: &str, at: u64) {
        self.count(text.as_bytes(), at);
    }

    /// Sets whether the next text is plain letters, in which a token that quotes strings is text.
    pub fn set_plain(&mut self, is_plain: bool) {
        self.context.is_plain = is_plain;
    }

    /// Reads `text`, which starts at offset `at` of the input. Returns how many bytes were consumed, and why the
    /// machine stopped. Linear.
    pub fn feed(&mut self, text: &str, at: u64, out: &mut Output) -> (usize, Step) {
        if self.is_stuck {
            return (0, Step::Stuck);
        }
        let mut i = 0;
        // The output is about as long as `text`: one allocation replaces one for each doubling.
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

    /// Reads the bytes that were read ahead.
    fn read_again(&mut self, out: &mut Output) -> Step {
        let (mut unread, at) = (core::mem::take(&mut self.unread.text), self.unread.at);
        let stops = core::mem::take(&mut self.context.stops);
        let (used, step) = self.read(&unread, at, out);
        (self.context.stops, self.string.starts) = (stops, false);
        unread.drain(..used);
        if self.unread.text.is_empty() {
            self.unread.at = at + used as u64;
        }
        // The bytes that this call read ahead come before the rest.
        self.unread.text.push_str(&unread);
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
                    quote => self.other_string(quote, byte, piece),
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
        // Bytes that are read again are counted then, and held bytes when they are data.
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
        // In a Python call these are the regular spelling.
        if self.context.python && matches!(repair, Repair::PythonLiteral | Repair::NonstandardQuote)
        {
            return;
        }
        // If tokens quote the strings, bare keys are the regular spelling.
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
