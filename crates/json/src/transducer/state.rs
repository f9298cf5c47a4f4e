//! What the machine stands in.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Object,
    Array,
    Tuple,
    /// `{1, 2}` of Python.
    Set,
    Keywords,
    /// `ObjectId(..)`: only the value inside is written.
    Call,
    /// A text that is one string, or several that are joined.
    Root,
}

impl Frame {
    pub(super) fn closer(self) -> u8 {
        match self {
            Frame::Object | Frame::Set => b'}',
            Frame::Array => b']',
            Frame::Tuple | Frame::Keywords | Frame::Call => b')',
            // Nothing closes it.
            Frame::Root => 0,
        }
    }

    /// The closer in JSON.
    pub(super) fn json_closer(self) -> &'static str {
        match self {
            Frame::Object | Frame::Keywords => "}",
            Frame::Array | Frame::Tuple | Frame::Set => "]",
            Frame::Call | Frame::Root => "",
        }
    }

    /// Whether the byte closes it, here as in JSON.
    pub(super) fn is_json_closer(self, byte: u8) -> bool {
        self.closer() == byte && self.json_closer().as_bytes() == [byte]
    }

    pub(super) fn has_keys(self) -> bool {
        matches!(self, Frame::Object | Frame::Keywords)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Before the `{` of a document that must be an object.
    Root,
    #[default]
    Value,
    Key,
    Colon,
    /// After `=` for a colon: `=>` is one too.
    Arrow,
    After,
    /// A bare word after a value waits for its colon: a key whose comma is missing, or no part of the document.
    Next,
    Str,
    Esc,
    /// A closing quote, and perhaps blanks, wait for the byte that decides.
    Quoted,
    /// A string ended that goes on in the one after it.
    Joining,
    /// An apostrophe in a string in single quotes waits for the next byte.
    Apostrophe,
    /// Closing brackets at the end of a string that may have lost its quote.
    Tail,
    /// What stands on the lines after a place where a string may have ended is held: a quote of the string after it, and
    /// it had not.
    LineEnd,
    Word,
    /// Dots where a member or an element is due: three of them are left out.
    Dots,
    /// After them: so is a comma.
    Dotted,
    /// What a brace, a bracket or a quote of Python opens is not known yet.
    Opening(Opening),
    Slash,
    LineComment,
    BlockComment {
        star: bool,
    },
    Done,
}

/// How far what a brace, a bracket or a quote of Python opens was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// `{`, and blanks: an object, or a set if no colon follows its first value.
    Brace,
    BraceString {
        mark: u8,
        escaped: bool,
    },
    BraceWord,
    /// After the first value.
    BraceValue,
    /// `(` or `[`: a container, or an expression if an operator follows.
    Group,
    /// After the closing bracket, and blanks.
    GroupEnd,
    /// After `=`: the first byte of `=>`.
    Arrow,
    /// After a dot.
    Dot,
    /// In a word after blanks.
    Word,
    /// A quote where an argument is due, and a word: a key if a colon follows.
    Name,
    /// After the second quote, and blanks.
    NameEnd,
}

impl Quote {
    /// The quotes of a string that starts with this byte.
    pub(super) fn of(mark: u8) -> Quote {
        match mark {
            b'\'' => Quote::Single,
            _ => Quote::Double,
        }
    }

    /// The quote other than `"` that `text` starts with, and its length.
    pub(super) fn odd(text: &str) -> Option<(Quote, usize)> {
        match text.chars().next()? {
            '\'' => Some((Quote::Single, 1)),
            '`' => Some((Quote::Backtick, 1)),
            '\u{201c}' | '\u{201d}' => Some((Quote::Curly, 3)),
            '\u{2018}' | '\u{2019}' => Some((Quote::CurlySingle, 3)),
            _ => None,
        }
    }

    /// The quotes that end such a string.
    pub(super) fn closers(self) -> &'static [char] {
        match self {
            Quote::Double | Quote::Triple(b'"') => &['"'],
            Quote::Single | Quote::Triple(_) => &['\''],
            Quote::Backtick => &['`', '\u{b4}'],
            Quote::Curly => &['"', '\u{201c}', '\u{201d}'],
            Quote::CurlySingle => &['\u{2018}', '\u{2019}'],
            Quote::Token => &[],
        }
    }

    /// Whether `byte` may be the quote, or its first byte, that ends such a string.
    pub(super) fn may_end(self, byte: u8) -> bool {
        let mut closers = self.closers().iter();
        closers.any(|closer| closer.encode_utf8(&mut [0; 4]).as_bytes()[0] == byte)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quote {
    #[default]
    Double,
    Single,
    Backtick,
    /// `“..”`
    Curly,
    /// `‘..’`
    CurlySingle,
    /// Three of the same byte.
    Triple(u8),
    /// The dialect's own quotation token, verbatim inside.
    Token,
}
