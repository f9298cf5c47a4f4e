//! How a line of text starts so far, and what encloses the line. Only past bytes decide.
//!
//! ```text
//!   - 1.              list markers: a fence or a quotation may start after them
//!   let r = await     words that keep or return a call's result: the call may start after them
//!   def run():        the indented lines below run elsewhere or not at all
//!   """               so does the content of a long Python string
//! ```

use crate::program::is_blank;
use crate::vocabulary::{BLOCK_KEYWORDS, LONGEST_KEYWORD, RESULT_KEYWORDS};

/// What the line starts with so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lead {
    /// Only blanks.
    #[default]
    Blank,
    /// A list marker and blanks.
    Listed,
    /// A list marker, if a blank follows.
    Marker,
    /// Digits: a list marker, if `.` or `)` and a blank follow.
    Number,
    /// The first word.
    Word,
    /// A word after `=` or after a keyword that takes a result.
    Later,
    /// A word and spaces: `=` may follow.
    Gap,
    /// What takes a call's result, and spaces: `=` after a word, `return`.
    Keeps,
    /// Quotes: three in a row start a long string.
    Marks,
    /// Anything else.
    Over,
}

/// A word, up to the length of the longest keyword.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bytes: [u8; LONGEST_KEYWORD],
    length: usize,
}

impl Word {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length = (self.length + 1).min(LONGEST_KEYWORD + 1);
    }

    fn is_one_of(&self, words: &[&[u8]]) -> bool {
        let word = self.bytes.get(..self.length);
        word.is_some_and(|word| words.contains(&word))
    }
}

/// The quotes of a long string.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    byte: u8,
    /// How many of them are in a row.
    count: u8,
    /// The string has started.
    is_open: bool,
}

/// The state of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    lead: Lead,
    word: Word,
    /// How many blanks the line starts with.
    indent: u16,
    /// The line starts like a block's header; the byte is its last one that is not blank.
    header: Option<u8>,
    /// The indentation of the outermost block's header.
    block: Option<u16>,
    marks: Marks,
}

impl Line {
    pub(super) fn byte(&mut self, byte: u8) {
        if self.marks.is_open {
            let is_mark = byte == self.marks.byte;
            self.marks.count = if is_mark { self.marks.count + 1 } else { 0 };
            if self.marks.count == 3 {
                self.marks = Marks::default();
                self.lead = Lead::Over;
                return;
            }
        }
        if byte == b'\n' {
            return self.end();
        }
        if self.header.is_some() && !is_blank(byte) {
            self.header = Some(byte);
        }
        let lead = self.lead_after(byte);
        if self.lead == Lead::Blank {
            if lead == Lead::Blank {
                self.indent = self.indent.saturating_add(1);
            } else {
                self.leave_block();
            }
        }
        if !matches!(lead, Lead::Word | Lead::Later) {
            self.word = Word::default();
        }
        self.lead = lead;
    }

    fn lead_after(&mut self, byte: u8) -> Lead {
        match (self.lead, byte) {
            (Lead::Marker, byte) if is_blank(byte) => Lead::Listed,
            (Lead::Blank | Lead::Listed, byte) if is_blank(byte) => self.lead,
            // A byte order mark is not text.
            (Lead::Blank, 0xEF | 0xBB | 0xBF) => self.lead,
            (Lead::Blank | Lead::Listed, b'-' | b'*' | b'+') => Lead::Marker,
            (Lead::Blank | Lead::Listed | Lead::Number, b'0'..=b'9') => Lead::Number,
            (Lead::Number, b'.' | b')') => Lead::Marker,
            (Lead::Blank, b'"' | b'\'') if !self.marks.is_open => {
                (self.marks.byte, self.marks.count) = (byte, 1);
                Lead::Marks
            }
            (Lead::Marks, byte) if byte == self.marks.byte => {
                self.marks.count += 1;
                if self.marks.count < 3 {
                    return Lead::Marks;
                }
                (self.marks.count, self.marks.is_open) = (0, true);
                Lead::Over
            }
            (Lead::Marks, _) => {
                self.marks = Marks::default();
                Lead::Over
            }
            (Lead::Blank, byte) if starts_word(byte) => self.in_word(Lead::Word, byte),
            (Lead::Keeps, byte) if starts_word(byte) => self.in_word(Lead::Later, byte),
            (Lead::Word | Lead::Later, byte) if is_word(byte) => self.in_word(self.lead, byte),
            (Lead::Word, _) if self.word.is_one_of(BLOCK_KEYWORDS) => {
                self.header = Some(byte);
                Lead::Over
            }
            (Lead::Word | Lead::Later, b' ') if self.word.is_one_of(RESULT_KEYWORDS) => Lead::Keeps,
            (Lead::Word | Lead::Later | Lead::Gap, b' ') => Lead::Gap,
            (Lead::Word | Lead::Later | Lead::Gap, b'=') | (Lead::Keeps, b' ') => Lead::Keeps,
            _ => Lead::Over,
        }
    }

    fn in_word(&mut self, lead: Lead, byte: u8) -> Lead {
        self.word.push(byte);
        lead
    }

    /// Ends the line.
    pub(super) fn end(&mut self) {
        if matches!(self.header, Some(b':' | b'{')) {
            let outermost = self.block.map_or(self.indent, |have| have.min(self.indent));
            self.block = Some(outermost);
        }
        self.header = None;
        self.start();
    }

    fn start(&mut self) {
        (self.lead, self.word, self.indent) = (Lead::Blank, Word::default(), 0);
        if !self.marks.is_open {
            self.marks = Marks::default();
        }
    }

    /// A byte that is not blank starts the line. The block ends unless the line is indented further than its header.
    fn leave_block(&mut self) {
        self.block = self.block.filter(|&block| self.indent > block);
    }

    /// A fence starts or ends: no code continues across it.
    pub(super) fn leave_code(&mut self) {
        (self.block, self.header, self.marks) = (None, None, Marks::default());
    }

    /// The line contains something that is read elsewhere.
    pub(super) fn go_over(&mut self) {
        if self.lead == Lead::Blank {
            self.leave_block();
        }
        (self.lead, self.word) = (Lead::Over, Word::default());
        if !self.marks.is_open {
            self.marks = Marks::default();
        }
    }

    /// Passes bytes that are not text.
    pub(super) fn skip(&mut self, text: &[u8]) {
        self.go_over();
        self.header = None;
        if text.contains(&b'\n') {
            self.start();
        }
        if !text.ends_with(b"\n") {
            self.go_over();
        }
    }

    /// Passes the start of the line, if it is complete and plain prose. Returns how many bytes were passed, and whether
    /// the line's lead is decided. The state becomes the same as with [`byte`](Line::byte).
    pub(super) fn pass(&mut self, text: &[u8]) -> (usize, bool) {
        let blanks = text.iter().take_while(|byte| b" \t\r".contains(byte));
        let n_blank = blanks.count();
        if self.lead == Lead::Blank {
            let all = usize::from(self.indent) + n_blank;
            self.indent = u16::try_from(all).unwrap_or(u16::MAX);
        }
        let rest = &text[n_blank..];
        match rest.first() {
            None | Some(b'`' | b'~' | b'>') => return (n_blank, false),
            Some(b'\n') => {}
            Some(&byte) if self.lead == Lead::Blank && starts_word(byte) => {
                if !is_prose(rest) {
                    return (n_blank, false);
                }
                self.leave_block();
            }
            Some(b'"' | b'\'' | b'-' | b'*' | b'+' | b'0'..=b'9' | 0xEF | 0xBB | 0xBF) => {
                return (n_blank, false);
            }
            Some(_) if self.lead == Lead::Blank => self.leave_block(),
            Some(_) => {}
        }
        self.lead = Lead::Over;
        (n_blank, true)
    }

    /// Whether nothing but the end of the line matters.
    pub(super) fn is_over(&self) -> bool {
        self.lead == Lead::Over && self.is_calm()
    }

    /// Whether the line contains anything that cannot lead a fence or a call.
    pub(super) fn is_led(&self) -> bool {
        self.lead == Lead::Over
    }

    /// Whether the line is neither a header nor part of a long string.
    pub(super) fn is_calm(&self) -> bool {
        self.header.is_none() && !self.marks.is_open
    }

    /// Whether the line may still start with a fence or `>`.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.lead, Lead::Blank | Lead::Listed)
    }

    /// Whether the line has only blanks so far.
    pub(super) fn is_blank(&self) -> bool {
        self.lead == Lead::Blank
    }

    /// Whether the line has only what takes a call's result: `r =`, `return`.
    pub(super) fn keeps(&self) -> bool {
        self.lead == Lead::Keeps
    }

    /// Whether the line may still satisfy [`is_open`](Line::is_open) or [`is_blank`](Line::is_blank).
    pub(super) fn may_lead(&self) -> bool {
        self.is_open() || matches!(self.lead, Lead::Marker | Lead::Number)
    }

    /// Whether code here is nested, so that it does not run as a statement at this place.
    pub(super) fn is_nested(&self) -> bool {
        self.marks.is_open || self.block.is_some_and(|block| self.indent > block)
    }
}

/// Whether a line that starts with a word is prose, as far as the line is here.
fn is_prose(line: &[u8]) -> bool {
    let length = line.iter().take_while(|&&byte| is_word(byte)).count();
    let (word, after) = line.split_at(length);
    if BLOCK_KEYWORDS.contains(&word) || RESULT_KEYWORDS.contains(&word) {
        return false;
    }
    match after {
        [] | [b' '] | [b'=', ..] | [b' ', b' ' | b'=', ..] => false,
        [_, ..] => true,
    }
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'.'
}

#[cfg(test)]
mod tests {
    use super::Line;

    /// `^` is where the line is examined: what starts it, and what encloses it.
    #[test]
    fn a_line_says_what_a_call_on_it_is() {
        const PLAIN: (bool, bool, bool) = (false, false, false);
        const BLANK: (bool, bool, bool) = (true, false, false);
        const KEPT: (bool, bool, bool) = (false, true, false);
        const NESTED: (bool, bool, bool) = (true, false, true);
        for (text, expected) in [
            ("^", BLANK),
            ("  ^", BLANK),
            ("a ^", PLAIN),
            ("r = ^", KEPT),
            ("r=^", KEPT),
            ("r == ^", PLAIN),
            ("let r = await ^", KEPT),
            ("return ^", KEPT),
            ("return a ^", PLAIN),
            ("I return ^", PLAIN),
            ("this.r = ^", KEPT),
            ("r = a + ^", PLAIN),
            ("def run():\n    ^", NESTED),
            ("def run():\n^", BLANK),
            ("def run():\n    a\n\n    ^", NESTED),
            ("def run():\n    a\nb\n    ^", BLANK),
            ("if a:\n    if b:\n        c\n    ^", NESTED),
            ("  if a:\n  ^", BLANK),
            ("if a == b: # so\n    ^", BLANK),
            ("for example,\n    ^", BLANK),
            ("function run() {\n  ^", NESTED),
            ("So:\n    ^", BLANK),
            ("\"\"\"\n^", NESTED),
            ("\"\"\"a\"\"\"\n^", BLANK),
            ("'''\na\n'''\n^", BLANK),
            ("\"\"\n^", BLANK),
            ("a \"\"\"\n^", BLANK),
        ] {
            let (before, _) = text.split_once('^').unwrap();
            let mut line = Line::default();
            before.bytes().for_each(|byte| line.byte(byte));
            let found = (line.is_blank(), line.keeps(), line.is_nested());
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
