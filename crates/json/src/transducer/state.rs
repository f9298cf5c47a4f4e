//! The states of the machine, the containers that it opens, and the kinds of quotes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Object,
    Array,
    Tuple,
    /// A Python set: `{1, 2}`.
    Set,
    Keywords,
    /// `ObjectId(..)`: only the value inside is written.
    Call,
    /// A document that is one string, or several strings that are joined.
    Root,
}

impl Frame {
    pub(super) fn closer(self) -> u8 {
        match self {
            Frame::Object | Frame::Set => b'}',
            Frame::Array => b']',
            Frame::Tuple | Frame::Keywords | Frame::Call => b')',
            // Nothing closes the root.
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

    /// Whether `byte` closes the container, and is its closer in JSON too.
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
    #[default]
    Root,
    Value,
    Key,
    Colon,
    /// After `=` in place of a colon: `=>` counts as a colon too.
    Arrow,
    After,
    /// A bare word after a value is held: a key without its comma if a colon follows, else not part of the document.
    Next,
    Str,
    Esc,
    /// A quote, and perhaps bytes after it, are held until a byte decides whether the quote ends its string.
    Quoted,
    /// A string ended that the next string continues.
    Joining,
    /// An apostrophe in a single-quoted string is held until the next byte.
    Apostrophe,
    /// Brackets, commas and blanks are held: the string before them may have lost its quote.
    Tail,
    /// The lines after a possible end of a string are held. If a quote of the string follows, the string did not end.
    LineEnd,
    Word,
    /// Dots where a member or an element is due, or after a value: three dots are left out.
    Dots,
    /// After dots that were left out: a comma where an element is due is left out too.
    Dotted,
    /// A brace, a bracket or a quote of Python is held until it is clear what it opens.
    Opening(Opening),
    Slash,
    LineComment,
    BlockComment {
        star: bool,
    },
    Done,
}

/// How far the lookahead after a brace, a bracket or a quote of Python was read.
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
    pub(super) fn of(byte: u8) -> Quote {
        match byte {
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

    /// The quotes that end a string with this opening quote.
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

    /// Whether `byte` may be the quote that ends a string with this opening quote, or that quote's first byte.
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
    /// The dialect's own quote token; the content is verbatim.
    Token,
}
