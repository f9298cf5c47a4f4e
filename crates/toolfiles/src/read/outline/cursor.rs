//! A place in a text, and what moves it on.

use std::ops::Range;

use serde_json::Number;

use super::MAX_DEPTH;
use crate::fields;
use crate::literal::{Content, Literal, MAX_VALUES, negated};

/// More brackets are not followed.
const MAX_OPEN: usize = 256;

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) source: &'a str,
    pub(super) at: usize,
    /// How many values may follow: half of what a file may have, since the grammars' readers count some twice.
    values_left: usize,
}

impl<'a> Cursor<'a> {
    /// The begin of a text; `None` if it has line breaks or blanks of which languages think differently.
    pub(super) fn new(source: &'a str) -> Option<Cursor<'a>> {
        let bytes = source.as_bytes();
        let is_lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
        let is_plain = !source.starts_with(crate::sign::BOM)
            && memchr::memchr(0, bytes).is_none()
            && !memchr::memchr_iter(b'\r', bytes).any(is_lone)
            // The line and paragraph separators.
            && !memchr::memchr_iter(0xE2, bytes)
                .any(|at| matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])));
        is_plain.then_some(Cursor {
            source,
            at: 0,
            values_left: MAX_VALUES / 2,
        })
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.ahead(0)
    }

    /// The byte so many behind the next one.
    pub(super) fn ahead(&self, n: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + n).copied()
    }

    /// Goes over `word` if it stands here.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let stands = self.source.as_bytes()[self.at..].starts_with(word.as_bytes());
        if stands {
            self.at += word.len();
        }
        stands
    }

    /// Goes over the bytes that fit, and gives them; they have to be ASCII.
    pub(super) fn take(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let from = self.at;
        let rest = &self.source.as_bytes()[from..];
        self.at += rest
            .iter()
            .position(|byte| !fits(*byte))
            .unwrap_or(rest.len());
        &self.source[from..self.at]
    }

    pub(super) fn blanks(&mut self) {
        self.take(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Goes to the end of the line, and not over it.
    pub(super) fn line(&mut self) {
        let rest = &self.source.as_bytes()[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Goes over a line break.
    pub(super) fn newline(&mut self) -> bool {
        self.eat("\n") || self.eat("\r\n")
    }

    /// Goes behind the next of the bytes, or says that there is none.
    pub(super) fn behind(&mut self, bytes: [u8; 3]) -> Option<u8> {
        let [a, b, c] = bytes;
        let rest = &self.source.as_bytes()[self.at..];
        let found = memchr::memchr3(a, b, c, rest)?;
        self.at += found + 1;
        Some(rest[found])
    }

    /// Goes over what a backslash of a string takes its meaning from.
    pub(super) fn escaped(&mut self) -> Option<()> {
        if !self.newline() {
            let rest = self.source.get(self.at..)?;
            self.at += rest.chars().next()?.len_utf8();
        }
        Some(())
    }

    /// A number with or without a sign; `of_text` says which.
    pub(super) fn number(&mut self, of_text: fn(&str) -> Option<Number>) -> Option<Literal> {
        let from = self.at;
        let is_negative = self.eat("-");
        if !is_negative {
            self.eat("+");
        }
        let digits = self.at;
        if !self.peek()?.is_ascii_digit() {
            return None;
        }
        loop {
            self.take(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
            let text = &self.source[digits..self.at];
            let is_hex = text.starts_with("0x") || text.starts_with("0X");
            // The sign of an exponent.
            if is_hex || !text.ends_with(['e', 'E']) || !matches!(self.peek(), Some(b'+' | b'-')) {
                break;
            }
            self.at += 1;
        }
        let number = of_text(&self.source[digits..self.at])?;
        let number = if is_negative {
            negated(&number)?
        } else {
            number
        };
        Some(Literal::new(from..self.at, Content::Number(number)))
    }

    /// Counts a value that stands here, so deep in others; `None` if that is more than is read without a grammar.
    pub(super) fn count(&mut self, depth: usize) -> Option<()> {
        self.values_left = self.values_left.checked_sub(1)?;
        (depth <= MAX_DEPTH).then_some(())
    }

    pub(super) fn since(&self, from: usize) -> Range<usize> {
        from..self.at
    }
}

/// Whether a word names a field of a tool.
pub(super) fn is_field(word: &str) -> bool {
    // Of all words of a program few begin as these do.
    word.starts_with(['_', 'C', 'I', 'O', 'E']) && fields::of_variable(word).is_some()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The brackets that are open.
#[derive(Debug, Default)]
pub(super) struct Open(Vec<u8>);

impl Open {
    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn last(&self) -> Option<u8> {
        self.0.last().copied()
    }

    /// Notes an opening or a closing bracket; `None` if it closes nothing.
    pub(super) fn note(&mut self, bracket: u8) -> Option<()> {
        let opening = match bracket {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            opening => {
                self.0.push(opening);
                return (self.0.len() <= MAX_OPEN).then_some(());
            }
        };
        (self.0.pop()? == opening).then_some(())
    }

    pub(super) fn close(&mut self) {
        self.0.pop();
    }
}
