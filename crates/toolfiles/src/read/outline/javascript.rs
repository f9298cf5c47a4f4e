//! JavaScript's and TypeScript's tokens, and the literals of their fields.
//! Source: ECMA-262, chapter 12, read 2026-11.

use super::super::javascript::{decode, javascript_number};
use super::super::literals::put;
use super::super::{Field, Reading};
use super::cursor::{Cursor, Open, is_field};
use crate::fields;
use crate::literal::{Content, Literal, Member};

/// What stands before a token: it tells what a `/` or a `<` begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing, or what a value has to follow.
    Operator,
    /// The end of a value: `/` divides.
    Value,
    /// Either.
    Unsure,
    /// What makes any word behind it a name: `.return`.
    Dot,
    /// `if`, `for`: behind the bracket that follows comes a statement.
    Condition,
}

/// Words behind which a value begins.
const OPERATORS: &[&str] = &[
    "return",
    "typeof",
    "case",
    "in",
    "instanceof",
    "new",
    "delete",
    "void",
    "throw",
    "do",
    "else",
    "default",
    "extends",
];
/// Words behind which one may begin.
const UNSURE: &[&str] = &[
    "of",
    "await",
    "yield",
    "as",
    "satisfies",
    "break",
    "continue",
    "debugger",
];
const CONDITIONS: &[&str] = &["if", "for", "while", "with"];

/// Words with which a line begins that cannot go on with the value of the line before.
const BEGINS: &[&str] = &[
    "export", "const", "let", "var", "function", "async", "class", "import",
];

/// What is open between `${` and `}`.
const TEMPLATE: u8 = b'$';
/// What is open behind `if (`.
const CONDITION: u8 = b'?';

pub(super) fn read(source: &str, is_typed: bool) -> Option<Reading> {
    let mut module = Module {
        text: Cursor::new(source)?,
        open: Open::default(),
        is_typed,
        reading: Reading::default(),
    };
    if module.text.eat("#!") {
        module.text.line();
    }
    let mut before = Before::Operator;
    loop {
        trivia(&mut module.text)?;
        if module.text.peek().is_none() {
            return module.open.is_none().then_some(module.reading);
        }
        before = module.token(before)?;
    }
}

struct Module<'a> {
    text: Cursor<'a>,
    open: Open,
    is_typed: bool,
    reading: Reading,
}

impl Module<'_> {
    /// Goes over a token, or over the declaration of a field.
    fn token(&mut self, before: Before) -> Option<Before> {
        let byte = self.text.peek()?;
        if is_word(byte) {
            return self.word(before);
        }
        self.text.at += 1;
        Some(match byte {
            b'"' | b'\'' => {
                string(&mut self.text, byte)?;
                Before::Value
            }
            b'`' => self.template()?,
            b'}' if self.open.last() == Some(TEMPLATE) => {
                self.open.close();
                self.template()?
            }
            b'(' if before == Before::Condition => {
                self.open.note(CONDITION)?;
                Before::Operator
            }
            b')' if self.open.last() == Some(CONDITION) => {
                self.open.close();
                Before::Operator
            }
            b'(' | b'[' | b'{' | b')' | b']' | b'}' => {
                self.open.note(byte)?;
                match byte {
                    b')' | b']' => Before::Value,
                    // It may end a block as well as an object.
                    b'}' => Before::Unsure,
                    _ => Before::Operator,
                }
            }
            b'/' => match before {
                Before::Value => Before::Operator,
                Before::Operator => {
                    regular_expression(&mut self.text)?;
                    Before::Value
                }
                Before::Unsure | Before::Dot | Before::Condition => return None,
            },
            b'<' => {
                let next = self.text.peek()?;
                let may_be_element = is_word(next) || next == b'>';
                // An element of JSX has text that is no tokens, and `<!--` is a comment.
                if next == b'!' || (may_be_element && before != Before::Value) {
                    return None;
                }
                Before::Operator
            }
            b'+' | b'-' if self.text.peek() == Some(byte) => {
                self.text.at += 1;
                // `-->` begins a comment, where nothing stands before it.
                if self.text.peek() == Some(b'>') {
                    return None;
                }
                Before::Unsure
            }
            b'.' if self.text.eat("..") => Before::Operator,
            b'.' | b'#' => Before::Dot,
            // In TypeScript it may stand behind a value.
            b'!' if before != Before::Operator => Before::Unsure,
            _ if b"!+-*%&|^~>=,:;?@".contains(&byte) => Before::Operator,
            _ => return None,
        })
    }

    fn word(&mut self, before: Before) -> Option<Before> {
        if self.text.peek()?.is_ascii_digit() {
            self.text.take(|byte| is_word(byte) || byte == b'.');
            return Some(Before::Value);
        }
        let word = self.text.take(is_word);
        if is_field(word) || word == "exports" {
            return None;
        }
        if before == Before::Dot {
            return Some(Before::Value);
        }
        if word == "const" && self.open.is_none() {
            trivia(&mut self.text)?;
            let from = self.text.at;
            let variable = self.text.take(is_word);
            if is_field(variable) {
                let name_span = self.text.since(from);
                let value = self.declared()?;
                self.reading.set(Field {
                    name: fields::of_variable(variable)?,
                    name_span,
                    value,
                });
                return Some(Before::Operator);
            }
            self.text.at = from;
        }
        Some(match word {
            _ if OPERATORS.contains(&word) => Before::Operator,
            _ if UNSURE.contains(&word) => Before::Unsure,
            _ if CONDITIONS.contains(&word) => Before::Condition,
            _ => Before::Value,
        })
    }

    /// Goes over the text of a template, to its end or into a substitution.
    fn template(&mut self) -> Option<Before> {
        loop {
            match self.text.behind([b'`', b'\\', b'$'])? {
                b'\\' => self.text.escaped()?,
                b'$' if self.text.eat("{") => {
                    self.open.note(TEMPLATE)?;
                    return Some(Before::Operator);
                }
                b'$' => {}
                _ => return Some(Before::Value),
            }
        }
    }

    /// What stands behind the name of a constant: `= literal`, in TypeScript with its type or `as const`.
    fn declared(&mut self) -> Option<Literal> {
        trivia(&mut self.text)?;
        if self.is_typed && self.text.eat(":") {
            self.text
                .take(|byte| is_word(byte) || b" \t.,<>[]|".contains(&byte));
        }
        if !self.text.eat("=") {
            return None;
        }
        trivia(&mut self.text)?;
        let value = self.value(0)?;
        let behind = self.text.at;
        self.text.blanks();
        if !(self.is_typed && self.text.eat("as const")) {
            self.text.at = behind;
        }
        let is_next_line = trivia(&mut self.text)?;
        if self.text.peek().is_none() || self.text.eat(";") {
            return Some(value);
        }
        let behind = self.text.at;
        let word = self.text.take(is_word);
        self.text.at = behind;
        (is_next_line && BEGINS.contains(&word)).then_some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        self.text.count(depth)?;
        let from = self.text.at;
        let content = match self.text.peek()? {
            b'"' | b'\'' => Content::Text(self.quoted()?),
            b'`' => {
                self.text.at += 1;
                if self.template()? != Before::Value {
                    return None;
                }
                Content::Text(decode(&self.text.source[from..self.text.at]).ok()?)
            }
            b'0'..=b'9' | b'-' | b'+' => return self.text.number(javascript_number),
            b'{' => self.object(depth)?,
            b'[' => self.items(depth)?,
            _ => match self.text.take(is_word) {
                "true" => Content::Bool(true),
                "false" => Content::Bool(false),
                "null" => Content::Null,
                _ => return None,
            },
        };
        Some(Literal::new(self.text.since(from), content))
    }

    fn quoted(&mut self) -> Option<String> {
        let from = self.text.at;
        let quote = self.text.peek()?;
        self.text.at += 1;
        string(&mut self.text, quote)?;
        decode(&self.text.source[from..self.text.at]).ok()
    }

    fn items(&mut self, depth: usize) -> Option<Content> {
        let mut items = Vec::new();
        self.text.at += 1;
        loop {
            trivia(&mut self.text)?;
            if self.text.eat("]") {
                return Some(Content::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.separator(b']')?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Content> {
        let mut members = Vec::new();
        self.text.at += 1;
        loop {
            trivia(&mut self.text)?;
            if self.text.eat("}") {
                return Some(Content::Map(members));
            }
            let from = self.text.at;
            let key = match self.text.peek()? {
                b'"' | b'\'' => self.quoted()?,
                b'0'..=b'9' => return None,
                _ => self.text.take(is_word).to_owned(),
            };
            let key_span = self.text.since(from);
            trivia(&mut self.text)?;
            // `__proto__` says what an object inherits, and is no key.
            if key == "__proto__" || key_span.is_empty() || !self.text.eat(":") {
                return None;
            }
            trivia(&mut self.text)?;
            let value = self.value(depth + 1)?;
            let member = Member {
                key,
                key_span,
                value,
            };
            put(&mut members, member);
            self.separator(b'}')?;
        }
    }

    /// A comma, or nothing before the end.
    fn separator(&mut self, end: u8) -> Option<()> {
        trivia(&mut self.text)?;
        (self.text.eat(",") || self.text.peek()? == end).then_some(())
    }
}

fn is_word(byte: u8) -> bool {
    super::cursor::is_word(byte) || byte == b'$'
}

/// Goes over blanks, line breaks and comments. Whether there was a line break; `None` if a comment has no end.
fn trivia(text: &mut Cursor<'_>) -> Option<bool> {
    let mut is_next_line = false;
    loop {
        text.blanks();
        if text.newline() {
            is_next_line = true;
        } else if text.eat("//") {
            text.line();
        } else if text.eat("/*") {
            let rest = &text.source[text.at..];
            let end = rest.find("*/")?;
            is_next_line |= rest[..end].contains('\n');
            text.at += end + 2;
        } else {
            return Some(is_next_line);
        }
    }
}

/// Goes over a string behind its mark, on one line.
fn string(text: &mut Cursor<'_>, quote: u8) -> Option<()> {
    loop {
        match text.behind([quote, b'\\', b'\n'])? {
            b'\\' => text.escaped()?,
            b'\n' => return None,
            _ => return Some(()),
        }
    }
}

/// Goes over a regular expression behind its first `/`.
fn regular_expression(text: &mut Cursor<'_>) -> Option<()> {
    let mut is_in_class = false;
    loop {
        let byte = text.peek()?;
        text.at += 1;
        match byte {
            b'\n' => return None,
            b'\\' if text.peek()? == b'\n' => return None,
            b'\\' => text.escaped()?,
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'/' if !is_in_class => {
                text.take(is_word);
                return Some(());
            }
            _ => {}
        }
    }
}
