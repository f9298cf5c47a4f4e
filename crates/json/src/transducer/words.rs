//! Words without quotes.

use super::piece::Piece;
use super::state::{Frame, Quote, State};
use super::{HELD, Output, Step, Transducer};
use crate::escape::escape_into;
use crate::repair::Repair;
use crate::scan::boundary;
use crate::word;

/// What is known about the bare word being read. Brackets are counted in values of a Python call or a complete text.
#[derive(Clone, Debug, Default)]
pub(super) struct WordFacts {
    /// Index of the word's last comma, if this comma may end the value.
    pub(super) comma: Option<usize>,
    /// How many brackets the word has open: `x=data['sales']`, `y=f(1, 2)`.
    pub(super) nest: u16,
    /// How many angle brackets the word has open: `new HashMap<String, Integer>()`.
    pub(super) angles: u16,
    /// The word continues a string that is already written: `'a' * 3`.
    pub(super) is_open: bool,
}

impl Transducer {
    pub(super) fn start_word(&mut self, at: u64) {
        self.token.clear();
        self.token_at = at;
        self.word = WordFacts::default();
        self.string.is_raw = false;
        self.state = State::Word;
    }

    pub(super) fn word(&mut self, byte: u8, piece: &mut Piece<'_>) -> Option<Step> {
        let bytes = piece.bytes();
        let here = piece.here();
        if !self.context.other_quotes.is_empty() {
            self.choose_quote(&piece.text[piece.i..]);
        }
        if let Some(quote) = &self.context.token_quote
            && let Some(wanted) = quote.strip_prefix(self.token.as_str())
            && let Some(c) = piece.text[piece.i..].chars().next()
            && wanted.starts_with(c)
        {
            self.token.push(c);
            piece.skip(c.len_utf8());
            if self.token.len() == quote.len() {
                self.token.clear();
                if self.in_key {
                    self.key.text.clear();
                } else {
                    piece.out.text.push('"');
                }
                (self.state, self.string.quote) = (State::Str, Quote::Token);
            }
            return None;
        }
        let is_python = self.context.python && !self.in_key;
        if is_python
            && self.word.nest == 0
            && let Some(end) = self.argument_before(byte)
        {
            self.end_before_argument(end, piece);
            return None;
        }
        if is_python && self.word.nest == 0 && !compares(byte) && self.token.ends_with(" <") {
            // A tag, which is not part of the word.
            self.end_before_argument(self.token.len() - 1, piece);
            return None;
        }
        let after_literal =
            is_python && self.token.ends_with([' ', '\t']) && is_literal(self.token.trim_end());
        // After a number, an argument may continue with words; in a list a comma is missing.
        let frame = self.stack.last().copied();
        let is_word = byte.is_ascii_alphabetic() && frame == Some(Frame::Keywords);
        let in_whole = self.ends_in_whole(piece);
        let ends = match byte {
            _ if in_whole.is_some() => in_whole == Some(true),
            // `1 + 2` continues after its blank; `1 b=2` has lost its comma.
            b' ' | b'\t' if is_python => false,
            _ if after_literal && !is_word && !is_operator(byte) => true,
            b',' if is_python
                && self.word.nest == 0
                && self.word.angles == 0
                && self.may_continue() =>
            {
                self.word.comma = Some(self.token.len());
                self.is_full()
            }
            b'\n' | b'\r' if is_python && self.is_after_comma() => self.is_full(),
            // An expression's own brackets and their content.
            b',' | b'}' | b']' | b')' | b'<' | b' ' | b'\n' if self.word.nest > 0 => self.is_full(),
            b',' | b' ' if self.word.angles > 0 => self.is_full(),
            // A type's parameters, or perhaps a comparison.
            b'<' if is_python && (names_a_type(&self.token) || self.token.ends_with(' ')) => false,
            b',' | b'}' | b']' | b'\n' | b'<' => true,
            b':' | b'=' => self.in_key,
            b';' => !self.context.python && !self.in_key && is_literal(&self.token),
            b' ' | b'\t' | b'\r' => self.in_key || is_literal(&self.token),
            b')' => matches!(frame, Some(Frame::Tuple | Frame::Keywords | Frame::Call)),
            b'(' if !self.context.python && !self.in_key && self.starts_call() => {
                self.note(Repair::Wrapper, self.token_at, here + 1, piece.out);
                piece.skip(1);
                self.open(Frame::Call);
                return None;
            }
            // `b"` starts a string, or is the end of `b` that has lost its first quote: the byte after it decides.
            _ if !self.context.python && self.is_after_prefix() => {
                let quote = Quote::of(self.token.as_bytes()[self.token.len() - 1]);
                self.token.clear();
                piece.out.text.push('"');
                // A prefix of Python, or the first letter and the quote are swapped.
                for repair in [Repair::NonstandardQuote, Repair::AmbiguousString] {
                    self.note(repair, self.token_at, here, piece.out);
                }
                self.start_string(quote, here);
                return None;
            }
            b'"' | b'\'' if is_python && word::is_string_prefix(&self.token) => {
                // r'..', b'..', u"..", f'..' of Python.
                piece.out.text.push('"');
                self.note(Repair::NonstandardQuote, self.token_at, here + 1, piece.out);
                self.string.is_raw = self.token.contains(['r', 'R']);
                self.token.clear();
                piece.skip(1);
                self.start_string(Quote::of(byte), piece.here());
                return None;
            }
            b'"' => self.in_key,
            _ => self.is_full(),
        };
        if ends {
            if self.in_key && matches!(byte, b',' | b')') && self.expects_positions() {
                self.in_key = false;
                self.name_position(self.token_at, piece.out);
                self.end_word(here, piece.out);
                return None;
            }
            if self.in_key && self.is_before_key(piece) {
                self.note(Repair::Junk, self.token_at, here, piece.out);
                self.token.clear();
                self.in_key = false;
                self.state = State::Key;
                return None;
            }
            if self.in_key {
                let mut key = core::mem::take(&mut self.token);
                if self.context.python && key.contains("\\_") {
                    // Markdown writers escape underscores.
                    key = key.replace("\\_", "_");
                    self.note(Repair::InvalidEscape, self.token_at, here, piece.out);
                }
                self.key.text.clear();
                let name = match key.trim_end() {
                    name if self.context.python => name,
                    name => name_of(name),
                };
                escape_into(&mut self.key.text, name);
                self.key.is_bare = true;
                if self.stack.last() != Some(&Frame::Keywords) {
                    self.note(Repair::UnquotedKey, self.token_at, here, piece.out);
                }
                self.end_key(here, piece.out);
                if byte == b'"' {
                    piece.skip(1);
                }
                return None;
            }
            if self.token.is_empty() {
                return Some(Step::Stuck);
            }
            self.end_word(here, piece.out);
            return None;
        }
        // At least one character, and no more than the cap allows: a word ends at the same byte in every cut.
        // Words of a complete text have no cap.
        let n_held = self.token.len() * usize::from(!self.context.is_whole);
        let room = HELD.saturating_sub(n_held).clamp(1, bytes.len() - piece.i);
        let rest = &bytes[piece.i..piece.i + room];
        let stops_more = self.context.is_whole;
        let may_end = |&byte: &u8| match byte {
            b',' | b'}' | b']' | b'<' | b':' | b'=' | b'(' | b')' | b';' | b'"' | b'\'' => true,
            b'/' | b'{' | b'[' => stops_more,
            byte => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        };
        let run_length = rest.iter().position(may_end);
        let end = piece.i + run_length.unwrap_or(rest.len()).max(1);
        let end = boundary(piece.text, end);
        let is_apart = self.token.ends_with(' ');
        self.token.push_str(&piece.text[piece.i..end]);
        if (self.context.python || self.context.is_whole) && !self.in_key {
            for byte in &bytes[piece.i..end] {
                match byte {
                    b'[' | b'(' | b'{' => self.word.nest = self.word.nest.saturating_add(1),
                    b']' | b')' | b'}' => self.word.nest = self.word.nest.saturating_sub(1),
                    b'<' if self.word.nest == 0 && !is_apart => {
                        self.word.angles = self.word.angles.saturating_add(1);
                    }
                    b'>' => self.word.angles = self.word.angles.saturating_sub(1),
                    _ => {}
                }
            }
        }
        piece.skip(end - piece.i);
        None
    }

    /// Whether the word names a call that wraps the value in its brackets.
    #[cold]
    fn starts_call(&self) -> bool {
        let name = self.token.trim_end();
        self.context.token_quote.is_none()
            && word::is_wrapper(name.strip_prefix("new ").unwrap_or(name).trim_start())
    }

    /// Whether the word is a string prefix of Python and a quote.
    fn is_after_prefix(&self) -> bool {
        let prefix = self.token.strip_suffix(['"', '\'']);
        !self.in_key && prefix.is_some_and(word::is_string_prefix)
    }

    /// Whether the word is as long as the cap allows.
    fn is_full(&self) -> bool {
        !self.context.is_whole && self.token.len() >= HELD
    }

    /// Switches to another quote token if the word and `rest` start that token instead of the current one.
    fn choose_quote(&mut self, rest: &str) {
        let Some((quote, c)) = self.context.token_quote.as_mut().zip(rest.chars().next()) else {
            return;
        };
        let started = self.token.as_str();
        let continues =
            |quote: &str| (quote.strip_prefix(started)).is_some_and(|rest| rest.starts_with(c));
        if continues(quote) {
            return;
        }
        let mut others = self.context.other_quotes.iter_mut();
        if let Some(other) = others.find(|other| continues(other)) {
            core::mem::swap(quote, other);
        }
    }

    /// Whether a quote token of the dialect starts with the byte.
    pub(super) fn starts_token(&self, byte: u8) -> bool {
        let quotes = self.context.token_quote.iter();
        let mut quotes = quotes.chain(&self.context.other_quotes);
        quotes.any(|quote| quote.as_bytes().first() == Some(&byte))
    }

    pub(super) fn end_word(&mut self, at: u64, out: &mut Output) {
        let token = core::mem::take(&mut self.token);
        let word = token.trim_end();
        // Trailing blanks that JSON does not have are left out with a note.
        let is_odd = |c: char| !matches!(c, ' ' | '\t' | '\n' | '\r');
        if token[word.len()..].contains(is_odd) {
            self.note(Repair::OddBlank, self.token_at + word.len() as u64, at, out);
        }
        match word.strip_suffix(['"', '\'']) {
            _ if core::mem::take(&mut self.word.is_open) => {
                escape_into(&mut out.text, word);
                out.text.push('"');
                self.note(Repair::Expression, self.token_at, at, out);
            }
            // `"path": a.js"`: only the first quote is missing.
            Some(inside) if !inside.contains(['"', '\'']) => {
                out.text.push('"');
                escape_into(&mut out.text, inside);
                out.text.push('"');
                self.note(Repair::MissingQuote, self.token_at, self.token_at, out);
            }
            _ => {
                let (json, repair) = word::value(word, self.context.python);
                out.text.push_str(&json);
                if let Some(mut repair) = repair {
                    if self.context.python && repair == Repair::UnquotedString {
                        repair = Repair::Expression;
                    }
                    self.note(repair, self.token_at, at, out);
                    if repair == Repair::UnquotedString && word.contains(['"', '\\', '{']) {
                        self.note(Repair::AmbiguousString, self.token_at, at, out);
                    }
                }
            }
        }
        self.token = token;
        self.token.clear();
        self.end_value();
    }
}

/// Where a bare word of a Python call ends: `=` after a name shows that the name starts the next argument.
///
/// ```text
///   price=$1,000,000, n=3        a comma is part of the value if no name and `=` follow
///   n=1 unit=2                   the comma is missing
///   n=1 if x else 2              an operator: no comma is missing
///   key=lambda a, b: a + b       a function's parameters
/// ```
impl Transducer {
    /// Whether a comma may belong to the value that starts, because its argument has a name.
    pub(super) fn may_hold_commas(&self) -> bool {
        self.key.is_named && self.is_among_arguments()
    }

    /// Whether the word may continue after a comma.
    fn may_continue(&self) -> bool {
        let is_function = self.token.starts_with("lambda ") && !self.token.contains(':');
        is_function || self.may_hold_commas()
    }

    /// Whether nothing but blanks follows the last comma.
    fn is_after_comma(&self) -> bool {
        let comma = self.word.comma;
        comma.is_some_and(|comma| is_blank(&self.token[comma + 1..]))
    }

    /// Index in the word where another argument may start. If one does, the bytes from there on are read again.
    pub(super) fn next_argument(&self) -> Option<usize> {
        let name = Some(last_word(&self.token)).filter(|&name| name > 0);
        self.word.comma.or(name)
    }

    /// Index in the word where another argument starts, if `byte` after the word proves one.
    fn argument_before(&self, byte: u8) -> Option<usize> {
        let is_function = self.token.starts_with("lambda ");
        let is_sign = byte == b'=' || byte == b':' && !is_function;
        if let Some(comma) = self.word.comma {
            let following = &self.token[comma + 1..];
            let starts = is_word_byte(byte) || matches!(byte, b'-' | b'+' | b'.' | b'$' | b'\\');
            let ends = if is_blank(following) {
                !starts && byte > b' '
            } else {
                is_sign && is_name(following.trim())
            };
            return ends.then_some(comma);
        }
        if !is_sign {
            return None;
        }
        let before = self.token.trim_end();
        let name = last_word(before);
        let (value, word) = before.split_at(name);
        let is_known = || self.context.positions.iter().any(|known| known == word);
        let is_other = is_name(word) && name > 0 && (is_literal(value.trim_end()) || is_known());
        is_other.then_some(name)
    }

    /// Ends the word at `end`, before the argument in it; this argument is read again.
    fn end_before_argument(&mut self, end: usize, piece: &mut Piece<'_>) {
        let here = piece.here();
        let rest = self.token.split_off(end);
        self.end_word(here - rest.len() as u64, piece.out);
        self.push_back(&rest, here);
    }
}

/// Index where the last word of an expression starts.
pub(super) fn last_word(expression: &str) -> usize {
    let blank = expression.trim_end().rfind([' ', '\t', '\n', '\r']);
    blank.map_or(0, |at| at + 1)
}

/// Whether `following` is only blanks that end a run of the word; other blanks are part of a run.
fn is_blank(following: &str) -> bool {
    let is_stop = |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    following.bytes().all(is_stop)
}

/// Whether `word` could be the name of a parameter.
fn is_name(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\\');
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(is_part)
}

/// Whether an expression ends with the name of a type: `new HashMap` before `<`.
fn names_a_type(expression: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = expression.trim_end_matches(is_name).len();
    expression[start..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// The name in a bare key: `path': 1` has lost its first quote.
pub(super) fn name_of(key: &str) -> &str {
    let name = key.strip_suffix('\'');
    name.filter(|name| !name.contains('\'')).unwrap_or(key)
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether the byte continues an expression after a literal.
fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'>' | b' ' | b'\t'
    )
}

/// Whether the byte after `<` shows a comparison: `a <= b`, `a < b`, `a << 2`.
fn compares(byte: u8) -> bool {
    matches!(byte, b'=' | b' ' | b'<' | b'-' | b'0'..=b'9')
}

/// Whether the word joins two operands of an expression.
pub(super) fn joins_operands(word: &str) -> bool {
    matches!(
        word,
        "if" | "else" | "and" | "or" | "in" | "is" | "not" | "for"
    )
}

pub(super) fn is_literal(word: &str) -> bool {
    word::is_scalar(word) || matches!(word, "True" | "False" | "None")
}
