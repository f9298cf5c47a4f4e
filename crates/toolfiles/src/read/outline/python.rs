//! Python's tokens and the literals of its fields.
//! Source: <https://docs.python.org/3/reference/lexical_analysis.html>, read 2026-11.

use std::ops::Range;

use super::super::literals::put;
use super::super::python::{decode, python_number};
use super::super::{Field, Reading};
use super::cursor::{Cursor, Open, is_field, is_word};
use crate::fields;
use crate::literal::{Content, Literal, Member};

/// What the statement of the module is that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// One that has no lines of its own.
    Statement,
    /// A block: `if`, `for`, `try`. What it changes is changed for the module.
    Block,
    /// A function or a class: what it names is its own.
    Definition,
}

pub(super) fn read(source: &str) -> Option<Reading> {
    let mut text = Cursor::new(source)?;
    let mut reading = Reading::default();
    let mut inside = Inside::Statement;
    // Whether a block was begun and has no line yet.
    let mut is_due = false;
    while text.peek().is_some() {
        let from = text.at;
        text.blanks();
        let is_indented = text.at > from;
        match text.peek() {
            None => break,
            Some(b'\n' | b'\r') => {
                text.newline();
                continue;
            }
            Some(b'#') => {
                text.line();
                continue;
            }
            _ => {}
        }
        if is_indented {
            if inside == Inside::Statement {
                return None;
            }
            is_due = logical_line(&mut text, inside == Inside::Definition)?;
            continue;
        }
        if is_due {
            return None;
        }
        let from = text.at;
        let word = text.take(is_word);
        text.blanks();
        let is_definition = matches!(word, "def" | "class") || (word == "async" && text.eat("def"));
        if is_field(word) {
            let field = assignment(&mut text, word, from..from + word.len())?;
            reading.set(field);
            inside = Inside::Statement;
            continue;
        }
        text.at = from;
        is_due = logical_line(&mut text, false)?;
        inside = match (is_definition, is_due) {
            (true, _) => Inside::Definition,
            (_, true) => Inside::Block,
            _ => Inside::Statement,
        };
    }
    (!is_due).then_some(reading)
}

/// `FIELD = literal`, behind the name and the blanks there.
fn assignment(text: &mut Cursor<'_>, variable: &str, name_span: Range<usize>) -> Option<Field> {
    if !text.eat("=") {
        return None;
    }
    text.blanks();
    let value = value(text, 0)?;
    text.blanks();
    if text.peek() == Some(b'#') {
        text.line();
    }
    if text.peek().is_some() && !text.newline() {
        return None;
    }
    Some(Field {
        name: fields::of_variable(variable)?,
        name_span,
        value,
    })
}

/// Goes over a line with all that its brackets and strings hold. Whether it begins a block.
fn logical_line(text: &mut Cursor<'_>, may_name_fields: bool) -> Option<bool> {
    let mut open = Open::default();
    let mut ends_with_colon = false;
    loop {
        let Some(byte) = text.peek() else {
            return open.is_none().then_some(ends_with_colon);
        };
        match byte {
            b' ' | b'\t' => text.blanks(),
            b'#' => text.line(),
            b'\n' | b'\r' => {
                text.newline();
                if open.is_none() {
                    return Some(ends_with_colon);
                }
            }
            b'\\' => {
                text.at += 1;
                if !text.newline() {
                    return None;
                }
            }
            _ => {
                ends_with_colon = byte == b':';
                match byte {
                    b'"' | b'\'' => string(text, "")?,
                    b'(' | b'[' | b'{' | b')' | b']' | b'}' => {
                        text.at += 1;
                        open.note(byte)?;
                    }
                    b'0'..=b'9' => {
                        text.take(is_word);
                    }
                    _ if is_word(byte) => {
                        let word = text.take(is_word);
                        if matches!(text.peek(), Some(b'"' | b'\'')) {
                            string(text, word)?;
                        } else if !may_name_fields && is_field(word) {
                            return None;
                        }
                    }
                    _ if b"+-*/%@&|^~<>=!,:.;".contains(&byte) => text.at += 1,
                    _ => return None,
                }
            }
        }
    }
}

/// Goes over a string that begins here, behind its prefix.
fn string(text: &mut Cursor<'_>, prefix: &str) -> Option<()> {
    let is_prefix = prefix.len() <= 2
        && prefix
            .bytes()
            .all(|byte| b"rbuft".contains(&byte.to_ascii_lowercase()));
    if !is_prefix {
        return None;
    }
    let is_format = prefix.contains(['f', 'F', 't', 'T']);
    let quote = text.peek()?;
    let three = if quote == b'"' { "\"\"\"" } else { "'''" };
    let is_long = text.eat(three);
    if !is_long {
        text.at += 1;
    }
    loop {
        // A string on one line ends on it.
        let other = match (is_format, is_long) {
            (true, _) => b'{',
            (false, true) => quote,
            (false, false) => b'\n',
        };
        let from = text.at;
        let byte = text.behind([quote, b'\\', other])?;
        let is_broken =
            |at: usize| memchr::memchr(b'\n', &text.source.as_bytes()[from..at]).is_some();
        if !is_long && (byte == b'\n' || (is_format && is_broken(text.at))) {
            return None;
        }
        match byte {
            b'\\' => text.escaped()?,
            b'{' if text.eat("{") => {}
            b'{' => replacement(text, quote)?,
            _ if !is_long => return Some(()),
            _ => {
                text.at -= 1;
                if text.eat(three) {
                    return Some(());
                }
                text.at += 1;
            }
        }
    }
}

/// Goes over a replacement field of a string, behind its bracket, if Python has always read it alike: without the string's
/// own quotation mark.
fn replacement(text: &mut Cursor<'_>, quote: u8) -> Option<()> {
    let mut depth = 1;
    let mut before = b'{';
    loop {
        let byte = text.peek()?;
        text.at += 1;
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(()),
            b'}' => depth -= 1,
            b'\\' | b'\n' | b'#' => return None,
            b'"' | b'\'' if byte == quote || is_word(before) => return None,
            b'"' | b'\'' => {
                text.take(|other| {
                    other.is_ascii() && ![byte, quote, b'\\', b'\n'].contains(&other)
                });
                if text.peek()? != byte {
                    return None;
                }
                text.at += 1;
            }
            _ => {}
        }
        before = byte;
    }
}

/// What may stand between two tokens in brackets.
fn trivia(text: &mut Cursor<'_>) {
    loop {
        text.blanks();
        if text.peek() == Some(b'#') {
            text.line();
        }
        if !text.newline() {
            return;
        }
    }
}

fn value(text: &mut Cursor<'_>, depth: usize) -> Option<Literal> {
    text.count(depth)?;
    let from = text.at;
    let content = match text.peek()? {
        b'"' | b'\'' => return texts(text, depth),
        b'0'..=b'9' | b'-' | b'+' => return text.number(python_number),
        b'{' => dictionary(text, depth)?,
        b'[' => {
            text.at += 1;
            items(text, Vec::new(), b']', depth)?
        }
        b'(' => {
            text.at += 1;
            trivia(text);
            if text.eat(")") {
                return Some(Literal::new(text.since(from), Content::List(Vec::new())));
            }
            let first = value(text, depth + 1)?;
            trivia(text);
            // Brackets around one value are no tuple.
            if text.eat(")") {
                return Some(first);
            }
            if !text.eat(",") {
                return None;
            }
            items(text, vec![first], b')', depth)?
        }
        byte if is_word(byte) => {
            let word = text.take(is_word);
            match word {
                "True" => Content::Bool(true),
                "False" => Content::Bool(false),
                "None" => Content::Null,
                _ if matches!(text.peek(), Some(b'"' | b'\'')) => {
                    text.at = from;
                    return texts(text, depth);
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Literal::new(text.since(from), content))
}

/// A string, or several side by side, which are one. On a line of its own only those of the same line.
fn texts(text: &mut Cursor<'_>, depth: usize) -> Option<Literal> {
    let from = text.at;
    let mut joined = String::new();
    let mut end;
    loop {
        text.count(depth)?;
        let start = text.at;
        let prefix = text.take(is_word);
        if prefix.contains(['f', 'F', 't', 'T']) {
            return None;
        }
        string(text, prefix)?;
        let part = decode(&text.source[start..text.at]).ok()?;
        end = text.at;
        if joined.is_empty() {
            joined = part;
        } else {
            joined.push_str(&part);
        }
        if depth == 0 {
            text.blanks();
        } else {
            trivia(text);
        }
        let behind = text.at;
        let prefix = text.take(is_word);
        let is_string = matches!(text.peek(), Some(b'"' | b'\''));
        text.at = behind;
        if !is_string {
            if !prefix.is_empty() {
                return None;
            }
            text.at = end;
            return Some(Literal::new(from..end, Content::Text(joined)));
        }
    }
}

/// The items of a list behind its bracket, or behind the comma of its first.
fn items(text: &mut Cursor<'_>, mut items: Vec<Literal>, end: u8, depth: usize) -> Option<Content> {
    loop {
        trivia(text);
        if text.peek()? == end {
            text.at += 1;
            return Some(Content::List(items));
        }
        items.push(value(text, depth + 1)?);
        trivia(text);
        if !text.eat(",") && text.peek()? != end {
            return None;
        }
    }
}

fn dictionary(text: &mut Cursor<'_>, depth: usize) -> Option<Content> {
    let mut members = Vec::new();
    text.at += 1;
    loop {
        trivia(text);
        if text.eat("}") {
            return Some(Content::Map(members));
        }
        let key = value(text, depth + 1)?;
        let Content::Text(name) = key.content else {
            return None;
        };
        trivia(text);
        if !text.eat(":") {
            return None;
        }
        trivia(text);
        let value = value(text, depth + 1)?;
        let member = Member {
            key: name,
            key_span: key.span,
            value,
        };
        put(&mut members, member);
        trivia(text);
        if !text.eat(",") && text.peek()? != b'}' {
            return None;
        }
    }
}
