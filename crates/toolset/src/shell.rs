//! Splits a block of shell text into its commands, as a person would paste them one by one.
//!
//! This is not a shell: it finds the end of each command and nothing else. It makes one pass over the bytes, with a
//! stack of open constructs. In doubt lines stay together: a command that is too long fails as a whole, a half runs as
//! something else.

use std::ops::Range;

/// An open construct, which keeps the next lines in the same command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// `'..'`
    Single,
    /// `$'..'`
    Ansi,
    /// `".."`
    Double,
    /// `` `..` ``
    Backtick,
    /// `${..}`
    Expansion,
    /// One of the parentheses of `((..))` and `$((..))`, or one inside them.
    Arithmetic,
    /// `(..)`, `$(..)`, `<(..)`
    Paren,
    /// `{ ..; }`
    Brace,
    /// `if .. fi`
    If,
    /// `for .. done`, `while .. done`, `until .. done`, `select .. done`
    Loop,
    /// `case .. in`
    CaseHead,
    /// `.. esac`
    Case,
}

/// The role of the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A command or a keyword.
    Command,
    /// The word after a command: only this word may be followed by `()`.
    AfterCommand,
    /// An argument.
    Argument,
    /// A pattern of `case`, or `esac`.
    Pattern,
    /// The name after `function`.
    FunctionName,
}

/// The commands of a block, as ranges of its bytes, without the white space around them.
///
/// Every line is a command, except blank lines, comments, and lines that belong together: a line that ends in `\`, `|`,
/// `&&` or `||`, an open quote, `(..)`, `{ ..; }`, a loop, an `if`, a `case`, a function. A block with a here-document
/// is one command as a whole, comments included; `<<<` and shifts (`$((1 << 2))`) are not here-documents.
pub fn split_shell(block: &str) -> Vec<Range<usize>> {
    let mut scanner = Scanner::new(block);
    let mut commands = Vec::new();
    while let Some(command) = scanner.command() {
        if scanner.heredoc.is_some() {
            let whole = trimmed(block, 0..block.len());
            return vec![whole];
        }
        commands.push(trimmed(block, command));
    }
    commands
}

/// Whether a block ends inside a quotation or a here-document, so that it may be truncated.
pub(crate) fn ends_open(block: &str) -> bool {
    let mut scanner = Scanner::new(block);
    while scanner.command().is_some() {
        if let Some(word) = scanner.heredoc.take() {
            let word: String = block[word].replace(['\\', '\'', '"'], "");
            let mut lines = block[scanner.at..].split_inclusive('\n');
            let passed: Option<usize> = {
                let mut passed = 0;
                lines.find_map(|line| {
                    passed += line.len();
                    (line.trim() == word).then_some(passed)
                })
            };
            match passed {
                Some(passed) => scanner.at += passed,
                None => return true,
            }
        } else if scanner.open.iter().any(|open| {
            matches!(
                open,
                Open::Single | Open::Ansi | Open::Double | Open::Backtick
            )
        }) {
            return true;
        }
    }
    false
}

fn trimmed(block: &str, range: Range<usize>) -> Range<usize> {
    let text = &block[range.clone()];
    let end = range.start + text.trim_ascii_end().len();
    let start = end - text[..end - range.start].trim_ascii_start().len();
    start..end
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
    place: Place,
    /// Whether a word at `at` would be a new word: it is after a blank or an operator.
    fresh: bool,
    /// Whether the line cannot end the command: its last token is `|`, `&&`, `||` or a function's head.
    continues: bool,
    /// The word that ends a here-document.
    heredoc: Option<Range<usize>>,
}

impl<'a> Scanner<'a> {
    fn new(block: &'a str) -> Scanner<'a> {
        Scanner {
            bytes: block.as_bytes(),
            at: 0,
            open: Vec::new(),
            place: Place::Command,
            fresh: true,
            continues: false,
            heredoc: None,
        }
    }

    /// The next command; an unclosed one reaches to the end of the block.
    fn command(&mut self) -> Option<Range<usize>> {
        self.skip_blank_and_comments();
        self.peek(0)?;
        let start = self.at;
        self.open.clear();
        self.place = Place::Command;
        self.fresh = true;
        self.continues = false;
        while let Some(byte) = self.peek(0) {
            if byte == b'\n' && self.open.is_empty() && !self.continues {
                break;
            }
            match self.open.last() {
                Some(Open::Single) => self.single(byte),
                Some(Open::Ansi) => self.ansi(byte),
                Some(Open::Double | Open::Expansion | Open::Arithmetic) => self.inside(byte),
                _ => self.token(byte),
            }
        }
        self.at = self.at.min(self.bytes.len());
        Some(start..self.at)
    }

    fn skip_blank_and_comments(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'#' => self.skip_line(),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }

    /// Skips to the line break, and not over it.
    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
    }

    fn peek(&self, offset: usize) -> Option<u8> {
        self.bytes.get(self.at + offset).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn push(&mut self, open: Open, n_bytes: usize) {
        self.open.push(open);
        self.at += n_bytes;
    }

    fn single(&mut self, byte: u8) {
        if byte == b'\'' {
            self.open.pop();
        }
        self.at += 1;
    }

    fn ansi(&mut self, byte: u8) {
        match byte {
            b'\\' => self.at += 1,
            b'\'' => drop(self.open.pop()),
            _ => {}
        }
        self.at += 1;
    }

    /// Inside double quotes, `${..}` and arithmetic, where there are no words.
    fn inside(&mut self, byte: u8) {
        let top = self.open.last().copied();
        let below = self.open.len().checked_sub(2).map(|below| self.open[below]);
        match (byte, top) {
            (b'\\', _) => self.at += 2,
            (b'$', _) => self.dollar(),
            (b'`', _) => self.backtick(),
            (b'"', Some(Open::Double)) | (b'}', Some(Open::Expansion)) => {
                self.open.pop();
                self.at += 1;
            }
            (b'"', _) => self.push(Open::Double, 1),
            // In `"${x:-it's}"` the apostrophe is a plain character.
            (b'\'', Some(Open::Expansion)) if below != Some(Open::Double) => {
                self.push(Open::Single, 1);
            }
            (b'(', Some(Open::Arithmetic)) => self.push(Open::Arithmetic, 1),
            (b')', Some(Open::Arithmetic)) => {
                self.open.pop();
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// Reads the next token of a command.
    fn token(&mut self, byte: u8) {
        let fresh = std::mem::replace(&mut self.fresh, true);
        match byte {
            b'\n' => {
                self.at += 1;
                if !matches!(self.place, Place::Pattern) {
                    self.place = Place::Command;
                }
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'#' if fresh => self.skip_line(),
            b'\\' if self.starts_with("\\\n") => self.at += 2,
            b'\\' if self.starts_with("\\\r\n") => self.at += 3,
            b';' | b'&' | b'|' => self.operator(byte),
            b'<' | b'>' => self.redirection(byte),
            b'(' | b')' => self.parenthesis(byte, fresh),
            _ => {
                self.continues = false;
                self.part_of_word(byte, fresh);
            }
        }
    }

    fn part_of_word(&mut self, byte: u8, fresh: bool) {
        let before = self.place;
        self.fresh = false;
        match byte {
            b'\'' => self.push(Open::Single, 1),
            b'"' => self.push(Open::Double, 1),
            b'`' => return self.backtick(),
            b'$' => self.dollar(),
            b'\\' => self.at += 2,
            _ => return self.plain_word(fresh),
        }
        // A substitution sets the place of its own first word.
        if self.place == before && matches!(before, Place::Command | Place::AfterCommand) {
            self.place = Place::Argument;
        }
    }

    fn operator(&mut self, byte: u8) {
        let redirects = byte == b'&'
            && (self.peek(1) == Some(b'>')
                || self.at > 0 && b"<>".contains(&self.bytes[self.at - 1]));
        if redirects {
            self.at += 1;
            return;
        }
        if self.place == Place::Pattern {
            self.at += 1;
            return;
        }
        let double = self.peek(1) == Some(byte);
        self.at += if double { 2 } else { 1 };
        self.continues = byte == b'|' || (byte == b'&' && double);
        let ends_branch = byte == b';' && (double || self.peek(0) == Some(b'&'));
        self.place = match self.open.last() {
            Some(Open::Case) if ends_branch => {
                if self.peek(0) == Some(b'&') {
                    self.at += 1;
                }
                Place::Pattern
            }
            _ => Place::Command,
        };
    }

    fn redirection(&mut self, byte: u8) {
        self.continues = false;
        if self.peek(1) == Some(b'(') {
            self.push(Open::Paren, 2);
            self.place = Place::Command;
        } else if self.starts_with("<<<") {
            self.at += 3;
        } else if self.starts_with("<<") {
            self.at += 2;
            self.heredoc = self.delimiter().or(self.heredoc.take());
        } else if byte == b'>' && self.peek(1) == Some(b'|') {
            self.at += 2;
        } else {
            self.at += 1;
        }
    }

    /// The word that ends a here-document, after `<<`. A number is the right side of a shift.
    fn delimiter(&self) -> Option<Range<usize>> {
        let rest = &self.bytes[self.at..];
        let rest = rest.strip_prefix(b"-").unwrap_or(rest).trim_ascii_start();
        let start = self.bytes.len() - rest.len();
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && !b"_-.\\'\"".contains(byte))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        (!word.is_empty() && !word.iter().all(u8::is_ascii_digit)).then_some(start..start + length)
    }

    fn parenthesis(&mut self, byte: u8, fresh: bool) {
        self.continues = false;
        if byte == b')' {
            self.at += 1;
            match (self.open.last(), self.place) {
                (Some(Open::Case), Place::Pattern) => self.place = Place::Command,
                (Some(Open::Paren), _) => {
                    self.open.pop();
                    self.place = Place::Argument;
                    // Text after a substitution belongs to the same word.
                    self.fresh = false;
                }
                _ => {}
            }
        } else if self.place == Place::Pattern {
            self.at += 1;
        } else if fresh && self.starts_with("((") {
            self.open.push(Open::Arithmetic);
            self.push(Open::Arithmetic, 2);
            self.place = Place::Argument;
        } else if self.place == Place::AfterCommand && self.closes_at_once() {
            self.continues = true;
            self.place = Place::Command;
        } else {
            self.push(Open::Paren, 1);
            self.place = Place::Command;
        }
    }

    /// Skips the `()` of a function's head; `false` if it is not there.
    fn closes_at_once(&mut self) -> bool {
        let inside = &self.bytes[self.at + 1..];
        let blanks = inside
            .iter()
            .take_while(|byte| b" \t".contains(byte))
            .count();
        let closes = inside.get(blanks) == Some(&b')');
        if closes {
            self.at += blanks + 2;
        }
        closes
    }

    fn backtick(&mut self) {
        if self.open.last() == Some(&Open::Backtick) {
            self.open.pop();
            self.at += 1;
            self.place = Place::Argument;
        } else {
            self.push(Open::Backtick, 1);
            self.place = Place::Command;
            self.fresh = true;
        }
    }

    fn dollar(&mut self) {
        let quoted = self.open.last() == Some(&Open::Double);
        match self.peek(1) {
            Some(b'(') if self.peek(2) == Some(b'(') => {
                self.open.push(Open::Arithmetic);
                self.push(Open::Arithmetic, 3);
            }
            Some(b'(') => {
                self.push(Open::Paren, 2);
                self.place = Place::Command;
                self.fresh = true;
            }
            Some(b'{') => self.push(Open::Expansion, 2),
            Some(b'\'') if !quoted => self.push(Open::Ansi, 2),
            // `$$` is the id of the shell's process, so a quote after it does not start `$'..'`.
            Some(b'$') => self.at += 2,
            _ => self.at += 1,
        }
    }

    fn plain_word(&mut self, fresh: bool) {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|byte| b" \t\r\n;&|<>()'\"`$\\".contains(byte))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        let is_whole = fresh
            && self
                .peek(0)
                .is_none_or(|next| b" \t\r\n;&|<>()".contains(&next));
        match self.place {
            Place::Command => self.first_word(if is_whole { word } else { b"" }, word),
            Place::Pattern if is_whole && word == b"esac" => self.close(Open::Case),
            Place::Pattern => {}
            Place::FunctionName => {
                self.continues = true;
                self.place = Place::Command;
                if self.peek(0) == Some(b'(') {
                    self.closes_at_once();
                }
            }
            Place::AfterCommand | Place::Argument => {
                self.place = Place::Argument;
                if is_whole && word == b"in" && self.open.last() == Some(&Open::CaseHead) {
                    self.open.pop();
                    self.open.push(Open::Case);
                    self.place = Place::Pattern;
                }
            }
        }
    }

    /// `keyword` is empty if the word is only a part of a word.
    fn first_word(&mut self, keyword: &[u8], word: &[u8]) {
        let (open, place) = match keyword {
            b"if" => (Some(Open::If), Place::Command),
            b"while" | b"until" => (Some(Open::Loop), Place::Command),
            b"for" | b"select" => (Some(Open::Loop), Place::Argument),
            b"case" => (Some(Open::CaseHead), Place::Argument),
            b"{" => (Some(Open::Brace), Place::Command),
            b"then" | b"else" | b"elif" | b"do" | b"!" | b"time" => (None, Place::Command),
            b"function" => (None, Place::FunctionName),
            b"fi" => return self.close(Open::If),
            b"done" => return self.close(Open::Loop),
            b"esac" => return self.close(Open::Case),
            b"}" => return self.close(Open::Brace),
            _ if is_assignment(word) => (None, Place::Command),
            _ => (None, Place::AfterCommand),
        };
        self.open.extend(open);
        self.place = place;
    }

    /// A keyword that closes nothing is an ordinary word.
    fn close(&mut self, open: Open) {
        if self.open.last() == Some(&open) {
            self.open.pop();
        }
        self.place = Place::Argument;
    }
}

/// `NAME=..`, before a command.
fn is_assignment(word: &[u8]) -> bool {
    let name = word.split(|&byte| byte == b'=').next().unwrap_or_default();
    name.len() < word.len()
        && !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
