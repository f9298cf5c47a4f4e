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

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::escape::{escape_byte_into, escape_into, unescape};
use crate::keys::Keys;
use crate::repair::{Mended, Repair};
use crate::scan::plain;
use crate::word;

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

    /// Reads `text`, whose first byte is the `at`th of the input. Returns how many bytes were consumed, and why it
    /// stopped. Linear.
    pub fn feed(&mut self, text: &str, at: u64, out: &mut Output) -> (usize, Step) {
        let bytes = text.as_bytes();
        let mut i = 0;
        // Bytes [run, i) go out as they stand; nothing is kept undecided while a run is open.
        let mut run = 0;
        let step = loop {
            if self.value_ended {
                self.value_ended = false;
                break if self.state == State::Done {
                    Step::Done
                } else {
                    Step::Value
                };
            }
            let Some(&byte) = bytes.get(i) else {
                break Step::More;
            };
            match self.state {
                State::After => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                    b',' if !self.comma => {
                        let next = i + 1 + blanks(&bytes[i + 1..]);
                        let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                        match bytes.get(next) {
                            // The run goes on over a comma that is none too many.
                            Some(b'"' | b'0'..=b'9' | b'a'..=b'z') if next - i <= HELD => i = next,
                            Some(b'{' | b'[' | b'-') if !in_keys && next - i <= HELD => i = next,
                            _ => {
                                out.text.push_str(&text[run..i]);
                                self.comma = true;
                                self.comma_at = at + i as u64;
                                self.owed.push(',');
                                i += 1;
                                run = i;
                            }
                        }
                        self.expect_next();
                    }
                    b'}' | b']' | b')' => {
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    _ if self.can_follow_a_missing_comma(byte) => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push(',');
                        self.mend(out, Repair::MissingComma, at + i as u64, at + i as u64);
                        self.expect_next();
                    }
                    _ => break Step::Stuck,
                },
                State::Key => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, &mut i, &mut run),
                    b'"' => {
                        self.settle_comma(out);
                        self.empty = false;
                        let inside = &bytes[i + 1..];
                        let length = plain(inside);
                        if inside.get(length) == Some(&b'"')
                            && inside.get(length + 1) == Some(&b':')
                        {
                            // The whole key is here and plain: it stays in the run.
                            if !self.keys.insert(&inside[..length]) {
                                self.mend(
                                    out,
                                    Repair::DoubleKey,
                                    at + i as u64,
                                    at + (i + length + 2) as u64,
                                );
                            }
                            if self.stack.len() <= self.watch {
                                self.key.clear();
                                self.key.push_str(&text[i + 1..i + 1 + length]);
                            }
                            i += length + 3;
                            self.state = State::Value;
                            if self.stack.len() <= self.watch {
                                break Step::Member;
                            }
                        } else {
                            out.text.push_str(&text[run..i]);
                            self.begin_key(Quote::Double, at + i as u64);
                            i += 1;
                            run = i;
                        }
                    }
                    b'\'' | b'`' => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 1);
                        self.begin_key(
                            if byte == b'`' {
                                Quote::Backtick
                            } else {
                                Quote::Single
                            },
                            at + i as u64,
                        );
                        i += 1;
                        run = i;
                    }
                    b',' => {
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::ExtraComma, at + i as u64, at + i as u64 + 1);
                        i += 1;
                        run = i;
                    }
                    b'}' | b']' | b')' => {
                        if self.fits(byte) {
                            self.drop_comma(out);
                        }
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    0xe2 if text[i..].starts_with(['\u{201c}', '\u{201d}']) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 3);
                        self.begin_key(Quote::Curly, at + i as u64);
                        i += 3;
                        run = i;
                    }
                    _ if is_word_byte(byte) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.in_key = true;
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    _ => break Step::Stuck,
                },
                State::Colon => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                    b':' => {
                        i += 1;
                        self.state = State::Value;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                    b'=' => {
                        out.text.push_str(&text[run..i]);
                        out.text.push(':');
                        // In a Python call `=` is the spelling.
                        if self.stack.last() != Some(&Frame::Keywords) {
                            self.mend(out, Repair::MissingColon, at + i as u64, at + i as u64 + 1);
                        }
                        i += 1;
                        run = i;
                        self.state = State::Arrow;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                    b'}' | b']' | b')' | b',' => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push_str(":null");
                        self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                        self.state = State::After;
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    _ => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        out.text.push(':');
                        self.mend(out, Repair::MissingColon, at + i as u64, at + i as u64);
                        self.state = State::Value;
                        if self.stack.len() <= self.watch {
                            break Step::Member;
                        }
                    }
                },
                State::Root => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => {
                        i += 1;
                        run = i;
                    }
                    b'{' => self.state = State::Value,
                    _ => break Step::Stuck,
                },
                State::Arrow => {
                    if byte == b'>' {
                        i += 1;
                        run = i;
                    }
                    self.state = State::Value;
                }
                State::Value => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => self.blank(text, &mut i, &mut run),
                    b'"' => {
                        self.settle_comma(out);
                        self.empty = false;
                        self.token_at = at + i as u64;
                        i += 1;
                        self.state = State::Str(Quote::Double);
                    }
                    b'{' | b'[' | b'(' => {
                        self.settle_comma(out);
                        let frame = match byte {
                            b'{' => Frame::Object,
                            b'[' => Frame::Array,
                            _ => Frame::Tuple,
                        };
                        if frame == Frame::Tuple {
                            out.text.push_str(&text[run..i]);
                            out.text.push('[');
                            self.mend(out, Repair::PythonLiteral, at + i as u64, at + i as u64 + 1);
                            run = i + 1;
                        }
                        i += 1;
                        self.open(frame);
                    }
                    b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                        self.settle_comma(out);
                        self.empty = false;
                        let length = word_length(&bytes[i..]);
                        let ends = bytes.get(i + length).is_some_and(|b| {
                            matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
                        });
                        if ends && word::is_scalar(&text[i..i + length]) {
                            i += length;
                            self.end_value();
                        } else {
                            out.text.push_str(&text[run..i]);
                            self.begin_word(at + i as u64);
                            run = i;
                        }
                    }
                    b'}' | b']' | b')' => {
                        let in_keys = self.stack.last().is_some_and(|frame| frame.has_keys());
                        if in_keys && !self.comma {
                            out.text.push_str(&text[run..i]);
                            run = i;
                            out.text.push_str("null");
                            self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                            self.end_value();
                            continue;
                        }
                        if self.fits(byte) {
                            self.drop_comma(out);
                        }
                        if let Some(step) = self.close(byte, text, at, &mut i, &mut run, out) {
                            break step;
                        }
                    }
                    b',' => {
                        out.text.push_str(&text[run..i]);
                        run = i;
                        if self.stack.last().is_some_and(|frame| frame.has_keys()) {
                            out.text.push_str("null");
                            self.mend(out, Repair::MissingValue, at + i as u64, at + i as u64);
                            self.end_value();
                        } else if self.stack.is_empty() {
                            break Step::Stuck;
                        } else {
                            self.mend(out, Repair::ExtraComma, at + i as u64, at + i as u64 + 1);
                            i += 1;
                            run = i;
                        }
                    }
                    b'\'' | b'`' => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        out.text.push('"');
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 1);
                        self.token_at = at + i as u64;
                        self.after_letter = false;
                        i += 1;
                        run = i;
                        self.state = State::Str(if byte == b'`' {
                            Quote::Backtick
                        } else {
                            Quote::Single
                        });
                    }
                    b'/' | b'#' => self.comment(byte, text, at, &mut i, &mut run, out),
                    b'<' if self.token_quote.is_some() => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    0xe2 if text[i..].starts_with(['\u{201c}', '\u{201d}']) => {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        out.text.push('"');
                        self.mend(out, Repair::OtherQuote, at + i as u64, at + i as u64 + 3);
                        i += 3;
                        run = i;
                        self.state = State::Str(Quote::Curly);
                    }
                    _ if is_word_byte(byte)
                        || matches!(byte, b'.' | b'+' | b'$' | b'*' | b'@' | b'~') =>
                    {
                        self.settle_comma(out);
                        self.empty = false;
                        out.text.push_str(&text[run..i]);
                        self.begin_word(at + i as u64);
                        run = i;
                    }
                    _ => break Step::Stuck,
                },
                State::Str(Quote::Double) => {
                    let length = plain(&bytes[i..]);
                    if self.in_key {
                        self.key.push_str(&text[i..i + length]);
                        run = i + length;
                    } else if let Some(begin) =
                        self.tail_begin(&bytes[i..i + length], bytes.get(i + length))
                    {
                        i += begin;
                        out.text.push_str(&text[run..i]);
                        self.owed.push(char::from(bytes[i]));
                        (self.tail_next, self.tail_closer) = (0, 1);
                        self.state = State::Tail;
                        i += 1;
                        run = i;
                        continue;
                    }
                    i += length;
                    match bytes.get(i) {
                        None => {}
                        Some(b'"') => self.quote_in_string(text, &mut i, &mut run, out),
                        Some(b'\\') => {
                            if !self.in_key
                                && matches!(
                                    bytes.get(i + 1),
                                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
                                )
                            {
                                i += 2;
                            } else {
                                self.begin_escape(Quote::Double, text, at, &mut i, &mut run, out);
                            }
                        }
                        Some(&control) => {
                            self.copy(&text[run..i], out);
                            self.mend(out, Repair::RawControl, at + i as u64, at + i as u64 + 1);
                            escape_byte_into(
                                if self.in_key {
                                    &mut self.key
                                } else {
                                    &mut out.text
                                },
                                control,
                            );
                            i += 1;
                            run = i;
                        }
                    }
                }
                State::Str(quote) => self.odd_string(quote, text, at, &mut i, &mut run, out),
                State::Esc(quote) => self.escape(quote, text, at, &mut i, &mut run, out),
                State::Quoted => self.after_quote(text, at, &mut i, &mut run, out),
                State::Apostrophe => self.after_apostrophe(text, at, &mut i, &mut run, out),
                State::Tail => self.tail(text, at, &mut i, &mut run, out),
                State::Word => {
                    if let Some(step) = self.word(text, at, &mut i, &mut run, out) {
                        break step;
                    }
                }
                State::Slash => {
                    let slash = at + i as u64 - 1;
                    match byte {
                        b'/' => self.state = State::LineComment,
                        b'*' => self.state = State::BlockComment { star: false },
                        _ if self.resume == State::Value => {
                            // A path: `{dir: /tmp}`.
                            self.settle_comma(out);
                            self.empty = false;
                            self.begin_word(slash);
                            self.token.push('/');
                            run = i;
                            continue;
                        }
                        _ => {
                            self.mend(out, Repair::Comment, slash, slash + 1);
                            self.state = self.resume;
                            run = i;
                            continue;
                        }
                    }
                    self.mend(out, Repair::Comment, slash, slash + 1);
                    i += 1;
                    run = i;
                }
                State::LineComment => {
                    i += memchr::memchr(b'\n', &bytes[i..]).unwrap_or(bytes.len() - i);
                    run = i;
                    if i < bytes.len() {
                        self.state = self.resume;
                    }
                }
                State::BlockComment { star } => {
                    if star && byte == b'/' {
                        self.state = self.resume;
                    } else {
                        self.state = State::BlockComment { star: byte == b'*' };
                    }
                    i += 1;
                    run = i;
                }
                State::Done => break Step::Done,
            }
        };
        if run < i {
            self.copy(&text[run..i], out);
        }
        (i, step)
    }

    /// The input ends. Writes what is certain; closes the document if `close` and only brackets are missing.
    pub fn finish(&mut self, close: bool, at: u64, out: &mut Output) -> Rest {
        let rest = match self.state {
            State::Done => return Rest::Whole,
            State::After => Rest::Brackets,
            State::Quoted if !self.in_key => {
                out.text.push('"');
                Rest::Brackets
            }
            State::Apostrophe if !self.in_key => {
                self.end_odd(at, out);
                if self.state == State::Done {
                    Rest::Whole
                } else {
                    Rest::Brackets
                }
            }
            State::Tail if close => {
                // The brackets prove that the string had ended: only its quotation mark is missing.
                let start = at - self.owed.len() as u64;
                out.text.push('"');
                self.mend(out, Repair::MissingQuote, start, start);
                for bracket in core::mem::take(&mut self.owed)
                    .bytes()
                    .take_while(|b| !b"<[".contains(b))
                {
                    if self
                        .stack
                        .last()
                        .is_some_and(|frame| frame.closer() == bracket)
                    {
                        out.text.extend(self.stack.pop().map(Frame::json_closer));
                    }
                }
                if self.stack.is_empty() {
                    self.state = State::Done;
                    return Rest::Brackets;
                }
                Rest::Brackets
            }
            State::Word if !self.in_key && self.stack.is_empty() => {
                self.end_word(at, out);
                return Rest::Whole;
            }
            _ => Rest::Broken,
        };
        if rest == Rest::Brackets && close {
            self.owed.clear();
            for frame in core::mem::take(&mut self.stack).into_iter().rev() {
                out.text.push(frame.json_closer());
            }
            self.mend(out, Repair::MissingBracket, at, at);
            self.state = State::Done;
        }
        rest
    }

    /// Ends the document whatever is missing: what was begun is closed, a key without a value gets `null`. For a caller
    /// that knows the extent of the document.
    pub fn complete(&mut self, at: u64, out: &mut Output) {
        if let State::Slash | State::LineComment | State::BlockComment { .. } = self.state {
            self.state = self.resume;
        }
        match self.state {
            State::Esc(_) => {
                let half = core::mem::take(&mut self.token);
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_into(target, &half);
                self.end_string(at, out);
            }
            State::Str(_) | State::Quoted | State::Apostrophe if self.in_key => {
                self.end_string(at, out)
            }
            State::Str(_) => self.end_string(at, out),
            State::Word if self.in_key => {
                let key = core::mem::take(&mut self.token);
                self.key.clear();
                escape_into(&mut self.key, key.trim_end());
                self.end_key(at, out);
            }
            State::Word => self.end_word(at, out),
            _ => {}
        }
        let missing = match self.state {
            State::Root => Some("{}"),
            State::Colon => Some(":null"),
            State::Arrow | State::Value if !self.comma => {
                let in_keys = self.stack.last().is_none_or(|frame| frame.has_keys());
                in_keys.then_some("null")
            }
            _ => None,
        };
        if let Some(json) = missing {
            out.text.push_str(json);
            self.mend(out, Repair::MissingValue, at, at);
        }
        self.drop_comma(out);
        if matches!(
            self.state,
            State::Colon | State::Arrow | State::Value | State::Root | State::Key
        ) {
            self.state = if self.stack.is_empty() {
                State::Done
            } else {
                State::After
            };
        }
        self.finish(true, at, out);
    }

    /// Ends a string, or a key, whose quotation mark is missing.
    fn end_string(&mut self, at: u64, out: &mut Output) {
        self.owed.clear();
        self.mend(out, Repair::MissingQuote, at, at);
        self.end_odd(at, out);
        self.value_ended = false;
    }

    /// Ends the document at a place where `feed` was stuck: only brackets may be missing.
    pub fn abandon(&mut self, at: u64, out: &mut Output) -> Rest {
        self.finish(true, at, out)
    }

    // ---------------------------------------------------------------------------------------------- structure

    fn open(&mut self, frame: Frame) {
        self.stack.push(frame);
        self.empty = true;
        if frame.has_keys() {
            self.keys.open();
            self.state = State::Key;
        } else {
            self.state = State::Value;
        }
    }

    fn expect_next(&mut self) {
        self.state = match self.stack.last() {
            Some(frame) if frame.has_keys() => State::Key,
            _ => State::Value,
        };
    }

    #[inline]
    fn end_value(&mut self) {
        if self.stack.is_empty() {
            self.state = State::Done;
            self.value_ended = true;
        } else {
            self.state = State::After;
            self.value_ended = self.stack.len() <= self.watch;
        }
    }

    /// A closing bracket in the input. It may fit the innermost container, an outer one, or none.
    fn close(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let here = at + *i as u64;
        if self
            .stack
            .last()
            .is_some_and(|frame| frame.closer() == byte && frame.json_closer() == char::from(byte))
        {
            *i += 1;
            self.pop();
            return None;
        }
        out.text.push_str(&text[*run..*i]);
        *run = *i;
        let Some(fit) = self.stack.iter().rposition(|frame| frame.closer() == byte) else {
            if self.stack.is_empty() {
                return Some(Step::Stuck);
            }
            self.mend(out, Repair::WrongBracket, here, here + 1);
            *i += 1;
            *run = *i;
            return None;
        };
        while self.stack.len() > fit + 1 {
            if let Some(frame) = self.stack.last() {
                out.text.push(frame.json_closer());
            }
            self.mend(out, Repair::MissingBracket, here, here);
            self.pop();
            if self.value_ended {
                // The caller hears of this end first; the same byte closes the next container then.
                return None;
            }
        }
        if let Some(frame) = self.stack.last() {
            out.text.push(frame.json_closer());
        }
        *i += 1;
        *run = *i;
        self.pop();
        None
    }

    /// Whether a closing bracket fits an open container.
    fn fits(&self, byte: u8) -> bool {
        self.stack.iter().any(|frame| frame.closer() == byte)
    }

    fn pop(&mut self) {
        if self.stack.pop().is_some_and(|frame| frame.has_keys()) {
            self.keys.close();
        }
        self.empty = false;
        self.end_value();
    }

    fn can_follow_a_missing_comma(&self, byte: u8) -> bool {
        match self.stack.last() {
            Some(Frame::Object | Frame::Keywords) => {
                matches!(byte, b'"' | b'\'') || is_word_byte(byte)
            }
            Some(Frame::Array | Frame::Tuple) => {
                matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-') || is_word_byte(byte)
            }
            None => false,
        }
    }

    /// A blank where a key or a value is due. Behind an owed comma it is owed too.
    fn blank(&mut self, text: &str, i: &mut usize, run: &mut usize) {
        if self.comma {
            if self.owed.len() < HELD {
                self.owed.push_str(&text[*i..=*i]);
            }
            *run = *i + 1;
        }
        *i += 1;
    }

    /// The element behind an owed comma came: the comma is one.
    #[inline]
    fn settle_comma(&mut self, out: &mut Output) {
        if self.comma {
            self.comma = false;
            out.text.push_str(&self.owed);
            self.owed.clear();
        }
    }

    /// A closer came behind an owed comma: it goes, its blanks stay.
    fn drop_comma(&mut self, out: &mut Output) {
        if self.comma {
            self.comma = false;
            self.mend(out, Repair::TrailingComma, self.comma_at, self.comma_at + 1);
            out.text.push_str(&self.owed[1..]);
            self.owed.clear();
        }
    }

    fn comment(
        &mut self,
        byte: u8,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        out.text.push_str(&text[*run..*i]);
        self.resume = self.state;
        if byte == b'#' {
            self.state = State::LineComment;
            self.mend(out, Repair::Comment, at + *i as u64, at + *i as u64 + 1);
        } else {
            self.state = State::Slash;
        }
        *i += 1;
        *run = *i;
    }

    // ------------------------------------------------------------------------------------------------ strings

    fn begin_key(&mut self, quote: Quote, at: u64) {
        self.key.clear();
        self.in_key = true;
        self.token_at = at;
        self.state = State::Str(quote);
    }

    fn copy(&mut self, piece: &str, out: &mut Output) {
        if self.in_key {
            self.key.push_str(piece)
        } else {
            out.text.push_str(piece)
        }
    }

    /// A key's last quotation mark was read.
    fn end_key(&mut self, at: u64, out: &mut Output) {
        self.in_key = false;
        out.text.push('"');
        out.text.push_str(&self.key);
        out.text.push('"');
        let new = if self.key.contains('\\') {
            self.keys.insert(unescape(&self.key).as_bytes())
        } else {
            self.keys.insert(self.key.as_bytes())
        };
        if !new {
            self.mend(out, Repair::DoubleKey, self.token_at, at);
        }
        self.state = State::Colon;
    }

    /// A `"` in a string that began with `"`: its end, or a mark inside it. What follows decides.
    fn quote_in_string(&mut self, text: &str, i: &mut usize, run: &mut usize, out: &mut Output) {
        let bytes = text.as_bytes();
        if !self.in_key
            && bytes
                .get(*i + 1)
                .is_some_and(|b| matches!(b, b',' | b'}' | b']'))
        {
            *i += 1;
            self.end_value();
            return;
        }
        self.copy(&text[*run..*i], out);
        *run = *i;
        if self.stack.is_empty() {
            // Nothing can follow a string that is the document.
            out.text.push('"');
            *i += 1;
            *run = *i;
            self.end_value();
            return;
        }
        self.owed.push('"');
        self.state = State::Quoted;
        *i += 1;
        *run = *i;
    }

    fn after_quote(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let byte = text.as_bytes()[*i];
        let here = at + *i as u64;
        *run = *i;
        if byte == b'"' && self.owed.len() == 1 && !self.in_key && self.token_at + 2 == here {
            // `"""` of Python: the empty string was its begin.
            self.mend(out, Repair::OtherQuote, here - 2, here + 1);
            self.owed.clear();
            self.state = State::Str(Quote::Triple(b'"'));
            *i += 1;
            *run = *i;
            return;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') && self.owed.len() < HELD {
            self.owed.push_str(&text[*i..=*i]);
            *i += 1;
            *run = *i;
            return;
        }
        let ends = match byte {
            b',' | b'}' | b']' | b':' | b')' | b'"' | b'\'' | b'<' | b'/' | b'#' => true,
            b'=' | b'{' | b'[' | b'0'..=b'9' | b'-' => self.in_key,
            _ => false,
        };
        let owed = core::mem::take(&mut self.owed);
        if !ends {
            let inside = at + *i as u64 - owed.len() as u64;
            self.mend(out, Repair::InnerQuote, inside, inside + 1);
            let target = if self.in_key {
                &mut self.key
            } else {
                &mut out.text
            };
            escape_into(target, &owed);
            self.state = State::Str(Quote::Double);
        } else if self.in_key {
            self.end_key(here, out);
            out.text.push_str(&owed[1..]);
        } else {
            out.text.push_str(&owed);
            self.end_value();
        }
        self.owed = owed;
        self.owed.clear();
    }

    /// A string in other quotation marks: byte by byte, written with JSON's.
    fn odd_string(
        &mut self,
        quote: Quote,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let bytes = text.as_bytes();
        let byte = bytes[*i];
        let closes = match quote {
            Quote::Double => false,
            Quote::Single => byte == b'\'',
            Quote::Backtick => byte == b'`',
            Quote::Curly => byte == b'"' || text[*i..].starts_with(['\u{201c}', '\u{201d}']),
            Quote::Triple(mark) => byte == mark,
            Quote::Token => self
                .token_quote
                .as_ref()
                .is_some_and(|q| q.as_bytes()[usize::from(self.matched)] == byte),
        };
        if let Quote::Triple(mark) = quote {
            if closes {
                self.matched += 1;
                *i += 1;
                *run = *i;
                if self.matched == 3 {
                    self.matched = 0;
                    self.end_odd(at + *i as u64, out);
                }
                return;
            }
            for _ in 0..core::mem::take(&mut self.matched) {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                if mark == b'"' {
                    target.push_str("\\\"")
                } else {
                    target.push('\'')
                }
            }
        }
        if quote == Quote::Token {
            let token = self.token_quote.clone().unwrap_or_default();
            if closes {
                self.matched += 1;
                *i += 1;
                *run = *i;
                if usize::from(self.matched) == token.len() {
                    self.matched = 0;
                    self.end_odd(at + *i as u64, out);
                }
                return;
            }
            let matched = usize::from(core::mem::take(&mut self.matched));
            if matched > 0 {
                escape_into(&mut out.text, &token[..matched]);
                return;
            }
        }
        if closes && quote == Quote::Single {
            *i += 1;
            *run = *i;
            self.state = State::Apostrophe;
            return;
        }
        if closes {
            *i += if quote == Quote::Curly && byte != b'"' {
                3
            } else {
                1
            };
            *run = *i;
            self.end_odd(at + *i as u64, out);
            return;
        }
        match byte {
            b'\\' if quote != Quote::Token => self.begin_escape(quote, text, at, i, run, out),
            b'"' | b'\\' => {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_byte_into(target, byte);
                *i += 1;
                *run = *i;
            }
            0..=0x1f => {
                let target = if self.in_key {
                    &mut self.key
                } else {
                    &mut out.text
                };
                escape_byte_into(target, byte);
                *i += 1;
                *run = *i;
            }
            _ => {
                let end = (*i..bytes.len())
                    .find(|&at| {
                        matches!(bytes[at], b'\\' | b'"' | b'\'' | b'`' | b'<' | 0..=0x1f)
                            || bytes[at] == 0xe2
                    })
                    .filter(|&end| end > *i)
                    .unwrap_or_else(|| {
                        if matches!(byte, b'\'' | b'`' | b'<') {
                            *i + 1
                        } else if byte == 0xe2 {
                            (*i + 3).min(bytes.len())
                        } else {
                            bytes.len()
                        }
                    });
                self.copy(&text[*i..end], out);
                self.after_letter = bytes[end - 1].is_ascii_alphabetic();
                *i = end;
                *run = end;
                return;
            }
        }
        self.after_letter = false;
    }

    /// An apostrophe between two letters (`don't`) ends no string; two at the begin and a third open a long one.
    fn after_apostrophe(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let byte = text.as_bytes()[*i];
        let here = at + *i as u64;
        *run = *i;
        if byte == b'\'' && !self.in_key && self.token_at + 2 == here {
            self.state = State::Str(Quote::Triple(b'\''));
            *i += 1;
            *run = *i;
        } else if byte.is_ascii_alphabetic() && self.after_letter {
            self.copy("'", out);
            self.after_letter = false;
            self.state = State::Str(Quote::Single);
        } else {
            self.end_odd(here, out);
        }
    }

    fn end_odd(&mut self, at: u64, out: &mut Output) {
        if self.in_key {
            self.end_key(at, out);
        } else {
            out.text.push('"');
            self.end_value();
        }
    }

    fn begin_escape(
        &mut self,
        quote: Quote,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        self.copy(&text[*run..*i], out);
        self.token.clear();
        self.token.push('\\');
        if !self.in_key {
            self.token_at = at + *i as u64;
        }
        self.state = State::Esc(quote);
        *i += 1;
        *run = *i;
    }

    /// An escape that is not one of the simple ones, or is cut by the end of the input so far.
    fn escape(
        &mut self,
        quote: Quote,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) {
        let byte = text.as_bytes()[*i];
        let here = at + *i as u64;
        *run = *i;
        let mut done: Option<String> = None;
        let mut consumed = true;
        let mut bad = false;
        match (self.token.len(), byte) {
            (1, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.token.push(char::from(byte));
                done = Some(core::mem::take(&mut self.token));
            }
            (1, b'u') => self.token.push('u'),
            (1, b'\'' | b'`') => {
                bad = quote == Quote::Double;
                done = Some(String::from(char::from(byte)));
            }
            (1, b'\n') => {
                bad = true;
                done = Some(String::from("\\n"));
            }
            (
                1,
                b'_' | b'*' | b'#' | b'[' | b']' | b'(' | b')' | b'-' | b'!' | b'>' | b'&' | b'~',
            ) => {
                // Markdown escapes.
                bad = true;
                done = Some(String::from(char::from(byte)));
            }
            (1, _) => {
                bad = true;
                consumed = false;
                done = Some(String::from("\\\\"));
            }
            (2..=5 | 8..=11, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                self.token.push(char::from(byte));
                let code = u32::from_str_radix(
                    &self.token[self.token.len() - self.token.len().saturating_sub(2) % 6..],
                    16,
                )
                .unwrap_or(0);
                match self.token.len() {
                    6 if !(0xd800..=0xdfff).contains(&code) => {
                        done = Some(core::mem::take(&mut self.token))
                    }
                    6 if code >= 0xdc00 => {
                        bad = true;
                        done = Some(String::from("\\ufffd"));
                    }
                    12 if (0xdc00..=0xdfff).contains(&code) => {
                        done = Some(core::mem::take(&mut self.token))
                    }
                    12 => {
                        bad = true;
                        let mut text = String::from("\\ufffd");
                        text.push_str(if (0xd800..=0xdbff).contains(&code) {
                            "\\ufffd"
                        } else {
                            &self.token[6..]
                        });
                        done = Some(text);
                    }
                    _ => {}
                }
            }
            (6, b'\\') | (7, b'u') => self.token.push(char::from(byte)),
            (6, _) => {
                bad = true;
                consumed = false;
                done = Some(String::from("\\ufffd"));
            }
            (7, _) => {
                // A lone surrogate before another escape: that one begins again.
                self.mend(out, Repair::BadEscape, self.token_at, here - 1);
                self.copy("\\ufffd", out);
                self.token.clear();
                self.token.push('\\');
                return;
            }
            (8.., _) => {
                bad = true;
                consumed = false;
                let mut text = String::from("\\ufffd\\\\");
                text.push_str(&self.token[7..]);
                done = Some(text);
            }
            _ => {
                bad = true;
                consumed = false;
                let mut text = String::from("\\\\");
                text.push_str(&self.token[1..]);
                done = Some(text);
            }
        }
        if consumed {
            *i += 1;
            *run = *i;
        }
        if let Some(text) = done {
            if bad {
                self.mend(out, Repair::BadEscape, self.token_at.min(here), here);
            }
            self.copy(&text, out);
            self.token.clear();
            self.state = State::Str(quote);
        }
    }

    /// Where brackets stand in plain text of a string that may be structure: closing brackets, and the caller's closers
    /// behind them, are if the input ends there. `following` is the first byte behind the text.
    fn tail_begin(&self, plain: &[u8], following: Option<&u8>) -> Option<usize> {
        let mut from = 0;
        while let Some(step) = memchr::memchr2(b'}', b']', &plain[from..]) {
            let at = from + step;
            let goes_on = match plain.get(at + 1).or(following) {
                None => true,
                Some(&byte) => {
                    is_blank_or_bracket(byte)
                        || self
                            .closers
                            .iter()
                            .any(|closer| closer.as_bytes()[0] == byte)
                }
            };
            if goes_on {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }

    /// A byte behind closing brackets in a string. What waits is `owed`; it goes on while only brackets, blanks, and the
    /// caller's closers in their order come.
    fn tail(&mut self, text: &str, at: u64, i: &mut usize, run: &mut usize, out: &mut Output) {
        let length = text[*i..].chars().next().map_or(1, char::len_utf8);
        *run = *i;
        if self.owed.len() < HELD && self.tail_takes(&text[*i..*i + length]) {
            self.owed.push_str(&text[*i..*i + length]);
            *i += length;
            *run = *i;
            return;
        }
        // It was data.
        let owed = core::mem::take(&mut self.owed);
        let begin = at + *i as u64 - owed.len() as u64;
        for (n, byte) in owed.bytes().enumerate().filter(|&(_, byte)| byte < 0x20) {
            debug_assert!(byte != b'"', "a quotation mark ends the tail");
            self.mend(
                out,
                Repair::RawControl,
                begin + n as u64,
                begin + n as u64 + 1,
            );
        }
        escape_into(&mut out.text, &owed);
        self.owed = owed;
        self.owed.clear();
        self.state = State::Str(Quote::Double);
    }

    fn tail_takes(&mut self, piece: &str) -> bool {
        let byte = piece.as_bytes()[0];
        if matches!(byte, b'"' | b'\\') {
            return false;
        }
        if self.tail_closer == self.owed.len() {
            // Not inside a closer.
            if (self.tail_next == 0 && is_blank_or_bracket(byte))
                || matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
            {
                self.tail_closer += 1;
                return true;
            }
        }
        let so_far = &self.owed[self.tail_closer..];
        let fits = |closer: &String| {
            closer
                .strip_prefix(so_far)
                .and_then(|rest| rest.strip_prefix(piece))
                .map(str::is_empty)
        };
        let Some((n, whole)) = self
            .closers
            .iter()
            .enumerate()
            .skip(self.tail_next)
            .find_map(|(n, closer)| fits(closer).map(|whole| (n, whole)))
        else {
            return false;
        };
        if whole {
            self.tail_next = n + 1;
            self.tail_closer = self.owed.len() + piece.len();
        }
        true
    }

    // -------------------------------------------------------------------------------------------------- words

    fn begin_word(&mut self, at: u64) {
        self.token.clear();
        self.token_at = at;
        self.state = State::Word;
    }

    fn word(
        &mut self,
        text: &str,
        at: u64,
        i: &mut usize,
        run: &mut usize,
        out: &mut Output,
    ) -> Option<Step> {
        let bytes = text.as_bytes();
        let byte = bytes[*i];
        *run = *i;
        if let (Some(quote), false) = (&self.token_quote, self.in_key) {
            if quote.starts_with(self.token.as_str())
                && quote.as_bytes().get(self.token.len()) == Some(&byte)
            {
                self.token.push(char::from(byte));
                *i += 1;
                *run = *i;
                if self.token.len() == quote.len() {
                    self.token.clear();
                    out.text.push('"');
                    self.state = State::Str(Quote::Token);
                }
                return None;
            }
        }
        let ends = match byte {
            b',' | b'}' | b']' | b'\n' | b'<' => true,
            b':' | b'=' => self.in_key,
            b' ' | b'\t' | b'\r' => self.in_key || is_literal(&self.token),
            b')' => matches!(self.stack.last(), Some(Frame::Tuple | Frame::Keywords)),
            b'"' | b'\'' if !self.in_key && is_string_prefix(&self.token) => {
                // r'..', b'..', u"..", f'..' of Python.
                out.text.push('"');
                self.mend(out, Repair::OtherQuote, self.token_at, at + *i as u64 + 1);
                self.token.clear();
                self.state = State::Str(if byte == b'"' {
                    Quote::Double
                } else {
                    Quote::Single
                });
                *i += 1;
                *run = *i;
                return None;
            }
            b'"' => self.in_key,
            _ => self.token.len() >= HELD,
        };
        if ends {
            if self.in_key {
                let key = core::mem::take(&mut self.token);
                self.key.clear();
                escape_into(&mut self.key, key.trim_end());
                if self.stack.last() != Some(&Frame::Keywords) {
                    self.mend(out, Repair::BareKey, self.token_at, at + *i as u64);
                }
                self.end_key(at + *i as u64, out);
                if byte == b'"' {
                    *i += 1;
                    *run = *i;
                }
                return None;
            }
            if self.token.is_empty() {
                return Some(Step::Stuck);
            }
            self.end_word(at + *i as u64, out);
            return None;
        }
        // At least one character, and no more than the cap has room for: a word ends at the same byte in every cut.
        let room = HELD
            .saturating_sub(self.token.len())
            .clamp(1, bytes.len() - *i);
        let rest = &bytes[*i..*i + room];
        let run_length = rest.iter().position(|b| {
            matches!(
                b,
                b',' | b'}'
                    | b']'
                    | b'\n'
                    | b'<'
                    | b':'
                    | b'='
                    | b' '
                    | b'\t'
                    | b'\r'
                    | b')'
                    | b'"'
                    | b'\''
            )
        });
        let end = *i + run_length.unwrap_or(rest.len()).max(1);
        let end = (end..=bytes.len())
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(bytes.len());
        self.token.push_str(&text[*i..end]);
        *i = end;
        *run = end;
        None
    }

    fn end_word(&mut self, at: u64, out: &mut Output) {
        let token = core::mem::take(&mut self.token);
        let (json, repair) = word::value(token.trim_end());
        out.text.push_str(&json);
        if let Some(repair) = repair {
            self.mend(out, repair, self.token_at, at);
        }
        drop(json);
        self.token = token;
        self.token.clear();
        self.end_value();
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

fn is_blank_or_bracket(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}

fn blanks(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
        .count()
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Bytes of a number or literal at the begin.
fn word_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
        .count()
}

fn is_literal(word: &str) -> bool {
    word::is_scalar(word) || matches!(word, "True" | "False" | "None")
}

fn is_string_prefix(word: &str) -> bool {
    matches!(
        word,
        "r" | "b" | "u" | "f" | "R" | "B" | "U" | "F" | "rb" | "br" | "fr" | "rf"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// Feeds `text` in pieces of `size` bytes (whole characters), closes it, and returns what came out.
    fn mend(root: Root, text: &str, size: usize) -> (String, Rest, Vec<Repair>) {
        let mut out = Output::default();
        let mut machine = Transducer::new(root);
        let mut at = 0;
        let mut step = Step::More;
        while at < text.len() && step != Step::Done && step != Step::Stuck {
            let end = (at + size.max(1)..=text.len())
                .find(|&end| text.is_char_boundary(end))
                .unwrap_or(text.len());
            let (used, now) = machine.feed(&text[at..end], at as u64, &mut out);
            step = now;
            at += used;
        }
        let rest = machine.finish(true, at as u64, &mut out);
        (
            out.text,
            rest,
            out.repairs.iter().map(|m| m.repair).collect(),
        )
    }

    /// Input and what it becomes; in every chunk size.
    const CASES: &[(&str, &str)] = &[
        ("{}", "{}"),
        (
            r#"{"a": 1, "b":[true,null , -1.5e3], "c" : "x\ny\u00e9"}"#,
            r#"{"a": 1, "b":[true,null , -1.5e3], "c" : "x\ny\u00e9"}"#,
        ),
        (r#"{"a":1,}"#, r#"{"a":1}"#),
        (r#"{"a":[1,2, ],}"#, r#"{"a":[1,2 ]}"#),
        (
            r#"{'a': 'b', "c": 'don't "quote"'}"#,
            r#"{"a": "b", "c": "don't \"quote\""}"#,
        ),
        (
            "{a: True, b: None, c: hello world}",
            r#"{"a": true, "b": null, "c": "hello world"}"#,
        ),
        (r#"{"a": "x" "b": 2}"#, r#"{"a": "x" ,"b": 2}"#),
        (r#"{"a" "x"}"#, r#"{"a" :"x"}"#),
        (
            "{\"a\": \"line\nnext\tcol\"}",
            r#"{"a": "line\nnext\tcol"}"#,
        ),
        (r#"{"a": "say "hi" now"}"#, r#"{"a": "say \"hi\" now"}"#),
        (r#"{"a": "\d+\_b\'"}"#, r#"{"a": "\\d+_b'"}"#),
        (
            r#"{"a": "\ud83e!", "b": "\udd80", "c": "\ud83e\udd80"}"#,
            r#"{"a": "\ufffd!", "b": "\ufffd", "c": "\ud83e\udd80"}"#,
        ),
        (
            "{\"a\": 1 // one\n, /* two */ \"b\": 2 # three\n}",
            "{\"a\": 1 \n,  \"b\": 2 \n}",
        ),
        (
            r#"{"a": (1, 'x'), "b": """it"s"""}"#,
            r#"{"a": [1, "x"], "b": "it\"s"}"#,
        ),
        (r#"{"path": "app.js"#, r#"{"path": "app.js"#),
        (r#"{"path": "app.js""#, r#"{"path": "app.js"}"#),
        (r#"{"path": "app.js}"#, r#"{"path": "app.js"}"#),
        (r#"{"a": {"path": "app.js}"#, r#"{"a": {"path": "app.js"}}"#),
        (
            r#"{"a": "x } y", "b": "]}" }"#,
            r#"{"a": "x } y", "b": "]}" }"#,
        ),
        (r#"{"a": [1, 2}"#, r#"{"a": [1, 2]}"#),
        (r#"{"a": , "b": }"#, r#"{"a": null, "b": null}"#),
        (
            r#"{"a": .5, "b": 1_000, "c": 007}"#,
            r#"{"a": 0.5, "b": 1000, "c": "007"}"#,
        ),
        ("{“a”: “b”}", r#"{"a": "b"}"#),
        (
            r#"{"dir": /tmp/x, "u": http://h/p}"#,
            r#"{"dir": "/tmp/x", "u": "http://h/p"}"#,
        ),
    ];

    #[test]
    fn repairs_are_the_same_in_every_chunk_size() {
        for (text, want) in CASES {
            for size in [1000, 1, 2, 3, 7] {
                assert_eq!(mend(Root::Object, text, size).0, *want, "{text} by {size}");
            }
        }
    }

    #[test]
    fn keywords_of_a_python_call_become_an_object() {
        for (text, want) in [
            (
                "a=1, b='x', c=[True, None])",
                r#"1, "b":"x", "c":[true, null]}"#,
            ),
            (")", "}"),
            ("q={'k': (1,)},)", "}"),
        ] {
            let (got, rest, _) = mend(Root::Keywords, text, 3);
            assert_eq!(rest, Rest::Whole);
            assert!(got.ends_with(want), "{got}");
        }
    }

    #[test]
    fn valid_documents_pass_byte_for_byte() {
        let text = r#"{"k": [ {"a" : 1 , "b":"\\\"\/"} , [] , {} , "" , 0 ],"é":"日本"}"#;
        for size in 1..20 {
            assert_eq!(
                mend(Root::Object, text, size),
                (text.to_string(), Rest::Whole, Vec::new())
            );
        }
    }

    #[test]
    fn double_keys_are_told_by_what_they_mean() {
        let (_, _, repairs) = mend(Root::Object, r#"{"a": 1, "\u0061": 2, "b": {"a": 3}}"#, 1);
        assert_eq!(repairs, [Repair::DoubleKey]);
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
        assert_eq!(mend(Root::Object, &text, 4096).0, text);
    }
}
