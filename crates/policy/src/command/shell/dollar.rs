//! Expansions that a `$` or a backtick starts.

use super::list::Kind;
use super::reader::{Frame, Reader};
use super::word::Word;
use super::{arithmetic, escape};

impl Reader {
    /// Reads an expansion after its `$`.
    pub(super) fn dollar(&mut self, is_quoted: bool) {
        let Some(c) = self.peek(0) else {
            self.word().plain('$');
            return;
        };
        if !matches!(c, '\'' | '"') {
            self.script.needs_shell = true;
        }
        match c {
            '(' if self.peek(1) == Some('(') => {
                let variables = &mut self.script.variables;
                if let Some(end) = arithmetic::skip(&self.chars, self.at + 2, false, variables) {
                    self.at = end;
                    self.word().number();
                } else {
                    self.script
                        .doubt("`$((` that may be arithmetic or commands");
                    self.substitution(is_quoted);
                }
            }
            '(' => self.substitution(is_quoted),
            '{' => {
                self.at += 1;
                self.parameter(is_quoted);
            }
            '[' => {
                self.script.doubt("arithmetic in `$[`");
                self.word().unknown(is_quoted);
            }
            '\'' if !is_quoted => {
                if let Some((text, end)) = escape::ansi(&self.chars, self.at + 1) {
                    self.at = end;
                    self.word().quote();
                    for c in text.chars() {
                        self.word().quoted(c);
                    }
                } else {
                    self.script
                        .doubt("`$'..'` with an escape that shells read differently");
                    self.word().unknown(is_quoted);
                }
            }
            '\\' if self.peek(1) == Some('\n') => {
                self.script
                    .doubt("a sign of the shell that is broken over two lines");
                self.word().unknown(is_quoted);
            }
            // Double quotes with a `$` are read like those without it.
            '"' if !is_quoted => {}
            c if c.is_ascii_alphabetic() || c == '_' => {
                let start = self.at;
                while self
                    .peek(0)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                {
                    self.at += 1;
                }
                let name: String = self.chars[start..self.at].iter().collect();
                self.variable(&name, is_quoted);
            }
            '0'..='9' | '@' | '*' | '#' | '?' | '-' | '$' | '!' => {
                self.at += 1;
                self.word().unknown(is_quoted);
            }
            _ => self.word().quoted('$'),
        }
    }

    /// Adds the value of a variable. A `$HOME/` at the start of a word becomes `~/`.
    pub(super) fn variable(&mut self, name: &str, is_quoted: bool) {
        let is_first = self.list().word.as_ref().is_none_or(Word::is_empty);
        if name == "HOME" && is_first && self.after_variable() == Some('/') {
            self.word().quoted('~');
        } else {
            self.word().unknown(is_quoted);
        }
    }

    /// The letter after a variable, or after the quote that ends directly after the variable.
    pub(super) fn after_variable(&self) -> Option<char> {
        let is_quoted = matches!(self.frames.last(), Some(Frame::Double { is_data: false }));
        match self.peek(0) {
            Some('"') if is_quoted => self.peek(1),
            next => next,
        }
    }

    pub(super) fn substitution(&mut self, is_quoted: bool) {
        self.at += 1;
        self.word().unknown(is_quoted);
        self.push(Kind::Substitution);
    }

    pub(super) fn backtick(&mut self, is_quoted: bool) {
        self.script.needs_shell = true;
        self.word().unknown(is_quoted);
        let mut inside = String::new();
        loop {
            let Some(c) = self.peek(0) else {
                self.script.doubt("a backtick that is never closed");
                break;
            };
            self.at += 1;
            match (c, self.peek(0)) {
                ('`', _) => break,
                ('\\', Some(next)) => {
                    self.at += 1;
                    if !(matches!(next, '`' | '\\' | '$') || (is_quoted && next == '"')) {
                        inside.push('\\');
                    }
                    inside.push(next);
                }
                _ => inside.push(c),
            }
        }
        self.script.scripts.push(inside);
    }

    /// Reads a parameter expansion after its `${`.
    pub(super) fn parameter(&mut self, is_quoted: bool) {
        let start = self.at;
        let is_indirect = self.peek(0) == Some('!') && self.peek(1).is_some_and(|c| c != '}');
        if is_indirect {
            self.script
                .doubt("`${!`, which names a variable that is not literal");
            self.at += 1;
        }
        if self.peek(0) == Some('#') && self.peek(1).is_some_and(|c| c != '}') {
            self.at += 1;
        }
        let from = self.at;
        while self
            .peek(0)
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            self.at += 1;
        }
        let name: String = self.chars[from..self.at].iter().collect();
        if name.is_empty() && self.peek(0).is_some_and(|c| "@*#?-$!".contains(c)) {
            self.at += 1;
        }
        if self.peek(0) == Some('}') && from == start {
            self.at += 1;
            self.variable(&name, is_quoted);
            return;
        }
        self.word().unknown(is_quoted);
        self.operator(&name);
        self.frames.push(Frame::Parameter { is_quoted });
    }

    /// Reads the operator of a parameter expansion, up to the operator's word.
    pub(super) fn operator(&mut self, name: &str) {
        if self.peek(0) == Some('[') {
            let rest = self.chars[self.at + 1..].iter();
            let index: String = rest.take(32).take_while(|c| **c != ']').collect();
            let is_safe = index == "@"
                || index == "*"
                || (!index.is_empty() && index.chars().all(|c| c.is_ascii_digit()));
            if is_safe {
                self.at += index.len() + 2;
            } else {
                self.script.doubt("an index that is computed");
            }
        }
        match (self.peek(0), self.peek(1)) {
            (Some(':'), Some('-' | '?' | '+')) => self.at += 2,
            (Some('='), _) | (Some(':'), Some('=')) => {
                self.script.variables.texts.insert(name.to_owned());
            }
            (Some(':'), _) => {
                let rest = self.chars[self.at..].iter().take(64);
                let is_number = rest
                    .take_while(|c| **c != '}')
                    .all(|c| c.is_ascii_digit() || matches!(c, ':' | ' ' | '-'));
                if !is_number {
                    self.script
                        .doubt("a part of a variable whose place is computed");
                }
            }
            (Some('@'), Some('P')) => self.script.doubt("`@P`, which runs what a variable holds"),
            _ => {}
        }
    }

    pub(super) fn in_parameter(&mut self, c: char, is_quoted: bool) {
        match c {
            '}' => {
                self.frames.pop();
            }
            '\'' if is_quoted => self.script.doubt("a quote inside of `\"${..}\"`"),
            '\'' => self.single(),
            '"' => self.frames.push(Frame::Double { is_data: false }),
            '\\' if self.peek(0) == Some('\n') => {
                self.at += 1;
                self.script
                    .doubt("a parameter that is broken over two lines");
            }
            '\\' => self.at += 1,
            '$' => self.dollar(is_quoted),
            '`' => self.backtick(is_quoted),
            _ => {}
        }
    }
}
