//! The tokens of a rule.

use alloc::format;
use alloc::string::String;
use core::ops::Range;

use super::GrammarError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The text between quotes, with escapes decoded. Holes are still part of the text.
    Literal(String),
    Word(String),
    /// One of `( ) | ? * , : =`.
    Mark(char),
}

/// Reads the tokens of one line. `at` is the offset of the line in the file.
pub(super) struct Lexer<'a> {
    line: &'a str,
    at: usize,
    pos: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(line: &'a str, at: usize) -> Lexer<'a> {
        Lexer { line, at, pos: 0 }
    }

    /// The next token and its place in the file; `None` at the end or at a comment.
    pub(super) fn next(&mut self) -> Result<Option<(Token, Range<usize>)>, GrammarError> {
        let rest = &self.line[self.pos..];
        self.pos += rest.len() - rest.trim_start().len();
        let start = self.pos;
        let rest = &self.line[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let token = match first {
            '#' => return Ok(None),
            '"' => self.literal()?,
            '(' | ')' | '|' | '?' | '*' | ',' | ':' | '=' => {
                self.pos += 1;
                Token::Mark(first)
            }
            c if c.is_alphanumeric() || c == '_' => {
                let length = rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')))
                    .unwrap_or(rest.len());
                self.pos += length;
                Token::Word(rest[..length].into())
            }
            c => {
                let help = match c {
                    '+' => "`*` is any number, also none: write the term, then the term with `*`",
                    '/' | '[' | '^' | '.' | '\\' => {
                        "the notation has no patterns: write literals in quotes, and words such as `name` or `ws`"
                    }
                    '{' => {
                        "`{name}` is written inside a literal: \"</{name}>\"; a group is in round brackets"
                    }
                    '\'' => "literals are in double quotes: \"<tool>\"",
                    _ => "literals are written in quotes: \"<tool>\"",
                };
                return Err(GrammarError::new(
                    self.place(start, start + c.len_utf8()),
                    format!("`{c}` is not part of the notation"),
                )
                .help(help));
            }
        };
        Ok(Some((token, self.place(start, self.pos))))
    }

    fn literal(&mut self) -> Result<Token, GrammarError> {
        let start = self.pos;
        let mut text = String::new();
        let mut chars = self.line[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.pos = start + 1 + offset + 1;
                    return Ok(Token::Literal(text));
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(c @ ('"' | '\\')) => text.push(c),
                    other => {
                        let at = start + 1 + offset;
                        let found = other.map_or(String::from("nothing"), |c| format!("`{c}`"));
                        return Err(GrammarError::new(
                            self.place(at, at + 1),
                            format!("a backslash before {found}"),
                        )
                        .help(r#"a literal knows \n \t \r \" and \\"#));
                    }
                },
                c => text.push(c),
            }
        }
        Err(GrammarError::new(
            self.place(start, self.line.len()),
            "a literal without its closing quote",
        )
        .help(r#"end it on its line; a quote inside is \" and a line break \n"#))
    }

    fn place(&self, start: usize, end: usize) -> Range<usize> {
        self.at + start..self.at + end
    }

    /// The text at a place of the file, as written.
    pub(super) fn text(&self, place: &Range<usize>) -> &'a str {
        &self.line[place.start - self.at..place.end - self.at]
    }

    /// The empty place after the last token.
    pub(super) fn here(&self) -> Range<usize> {
        self.place(self.pos, self.pos)
    }
}
