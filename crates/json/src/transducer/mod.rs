//! The push machine: model-written JSON in, JSON text out, nothing retracted.
//!
//! ```text
//!           '{' ','            ':'             value ends            ','
//!   Value ---------> Key -----------> Value ---------------> After -------> Key | Value
//!     ^                                                        |
//!     `-- Str, Word, Comment: inside a token                   `-- '}' ']' : the enclosing container's After, or Done
//! ```
//!
//! Every byte fed is consumed at once: what is undecided (a comma that may be a trailing one, a quotation mark that
//! may stand inside the string, a word, half an escape) is kept in the machine, under a cap, and comes out or not when
//! the next bytes decide. The valid path copies runs of the input.

mod end;
mod escapes;
mod feed;
mod strings;
mod structure;
mod tail;
mod words;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::escape::unescape;
use crate::keys::Keys;
use crate::repair::{Mended, Repair};

/// What the text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A JSON object, from its `{` on.
    Object,
    /// Any value.
    Value,
    /// The arguments of a Python call, from behind its `(` on: `a=1, b='x')`.
    Keywords,
}

/// Where JSON text and repairs go.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// JSON text: all of it together is a prefix of a valid document.
    pub text: String,
    /// The repairs, in order.
    pub repairs: Vec<Mended>,
}

/// Why `feed` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All bytes were consumed.
    More,
    /// A key at the watched depth was read, and its colon: see [`Transducer::key`].
    Member,
    /// A value at the watched depth ended.
    Value,
    /// The root ended.
    Done,
    /// The next byte can be no part of the document. Nothing was lost; feeding it again gives the same answer.
    Stuck,
}

/// How much of the document is there when the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// All of it.
    Whole,
    /// All but closing brackets (or quotation marks that brackets prove missing).
    Brackets,
    /// It ends inside a key or a value, or before one.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Object,
    Array,
    Tuple,
    Keywords,
}

impl Frame {
    fn closer(self) -> u8 {
        match self {
            Frame::Object => b'}',
            Frame::Array => b']',
            Frame::Tuple | Frame::Keywords => b')',
        }
    }

    /// The closer in JSON.
    fn json_closer(self) -> char {
        match self {
            Frame::Object | Frame::Keywords => '}',
            Frame::Array | Frame::Tuple => ']',
        }
    }

    fn has_keys(self) -> bool {
        matches!(self, Frame::Object | Frame::Keywords)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the `{` of a document that must be an object.
    Root,
    Value,
    Key,
    Colon,
    /// Behind `=` for a colon: `=>` is one too.
    Arrow,
    After,
    Str(Quote),
    Esc(Quote),
    /// A closing quotation mark, and perhaps blanks, wait for the byte that decides.
    Quoted,
    /// An apostrophe in a string in single quotation marks waits for the next byte.
    Apostrophe,
    /// Closing brackets at the end of a string that may have lost its quotation mark.
    Tail,
    Word,
    Slash,
    LineComment,
    BlockComment {
        star: bool,
    },
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    Backtick,
    /// `“..”`
    Curly,
    /// Three of the same byte.
    Triple(u8),
    /// The dialect's own quotation token, verbatim inside.
    Token,
}

/// Longest word, escape tail or run of blanks kept undecided, in bytes.
const HELD: usize = 4096;

/// The machine. One document each.
#[derive(Clone, Debug)]
pub struct Transducer {
    state: State,
    stack: Vec<Frame>,
    /// The innermost container has no element yet.
    empty: bool,
    /// A comma and the blanks behind it, or the undecided bytes of `Quoted` and `Tail`.
    owed: String,
    comma: bool,
    comma_at: u64,
    /// A bare word, or half an escape.
    token: String,
    token_at: u64,
    /// The string being read is a key; its JSON text gathers in `key`.
    in_key: bool,
    key: String,
    /// The state behind a comment.
    resume: State,
    /// Matched bytes of a closing `Token` or `Triple`.
    matched: u8,
    /// In a tail: which of the closers come next, and where in `owed` the one being read begins.
    tail_next: usize,
    tail_closer: usize,
    watch: usize,
    value_ended: bool,
    structural: bool,
    /// The document is the arguments of a Python call.
    python: bool,
    /// The last byte of a string in odd quotation marks was a letter.
    after_letter: bool,
    keys: Keys,
    token_quote: Option<String>,
    /// Literals of the caller that may follow the document, in order.
    closers: Arc<[String]>,
}

impl Transducer {
    /// A machine for a document that begins with `root`.
    pub fn new(root: Root) -> Transducer {
        let mut machine = Transducer {
            state: State::Value,
            stack: Vec::new(),
            empty: false,
            owed: String::new(),
            comma: false,
            comma_at: 0,
            token: String::new(),
            token_at: 0,
            in_key: false,
            key: String::new(),
            resume: State::Value,
            matched: 0,
            tail_next: 0,
            tail_closer: 0,
            watch: 0,
            value_ended: false,
            structural: false,
            python: root == Root::Keywords,
            after_letter: false,
            keys: Keys::default(),
            token_quote: None,
            closers: Arc::default(),
        };
        machine.restart(root);
        machine
    }

    /// Begins another document, keeping the allocations.
    pub fn restart(&mut self, root: Root) {
        self.state = State::Value;
        self.stack.clear();
        self.keys.clear();
        self.owed.clear();
        self.token.clear();
        self.key.clear();
        (
            self.empty,
            self.comma,
            self.in_key,
            self.value_ended,
            self.structural,
        ) = (false, false, false, false, false);
        (self.matched, self.watch) = (0, 0);
        self.resume = State::Value;
        match root {
            Root::Value => {}
            Root::Object => self.state = State::Root,
            Root::Keywords => {
                self.stack.push(Frame::Keywords);
                self.keys.open();
                self.state = State::Key;
                self.empty = true;
            }
        }
    }

    /// Reads strings between two `quote` tokens as they stand (gemma4's `<|"|>`).
    #[must_use]
    pub fn with_quote(mut self, quote: Option<&str>) -> Transducer {
        self.token_quote = quote.map(String::from);
        self
    }

    /// Names the literals that may follow the document, in order. A string whose quotation mark is missing ends before
    /// brackets and these, if the input ends there.
    #[must_use]
    pub fn with_closers(mut self, closers: Arc<[String]>) -> Transducer {
        self.closers = closers;
        self
    }

    /// Reports members and values of containers down to this depth; the root's members have depth 1. 0 reports nothing.
    pub fn watch(&mut self, depth: usize) {
        self.watch = depth;
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The last key read, decoded.
    pub fn key(&self) -> alloc::borrow::Cow<'_, str> {
        unescape(&self.key)
    }

    /// Whether a repair so far was more than spelling.
    pub fn is_structural(&self) -> bool {
        self.structural
    }

    /// Whether the machine stands inside a string that began with a quotation mark.
    pub fn in_string(&self) -> bool {
        matches!(
            self.state,
            State::Str(_) | State::Esc(_) | State::Quoted | State::Tail
        )
    }

    #[cold]
    fn mend(&mut self, out: &mut Output, repair: Repair, start: u64, end: u64) {
        // In a Python call these are the spelling.
        if self.python && matches!(repair, Repair::PythonLiteral | Repair::OtherQuote) {
            return;
        }
        self.structural |= repair.is_structural();
        out.repairs.push(Mended { repair, start, end });
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests;
