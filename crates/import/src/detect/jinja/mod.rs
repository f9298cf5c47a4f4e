//! The text that a Jinja template writes: the text outside its tags and the strings inside them, joined as the template
//! does.
//!
//! Code is not text: strings that it compares, looks up or splits by are not written. Constants (`{% set x = '..' %}`)
//! are put in their places, and macros are written where they are called. Control flow is ignored: all branches are
//! written, one after the other.

pub(super) mod bounds;
mod tags;
mod tokens;

use std::collections::BTreeMap;

use tags::{Tag, end_of, end_of_loop, next_tag};
use tokens::{Kind, Token, compares, is_keyword, is_test, method_of, tokens};

/// The placeholder for an unknown value.
pub(super) const VALUE: char = '\u{fffc}';

/// Most constants of a template.
const CONSTANTS: usize = 1 << 10;
/// Longest constant, in bytes: constants may hold constants.
const LONGEST: usize = 1 << 12;
/// Longest text of strings in bytes: constants and macros may be written many times.
const WRITTEN: usize = 1 << 22;

/// Limits on macros that are written where they are called: their bytes in all, and the depth of their calls.
const CALLED: usize = 1 << 20;
const DEPTH: usize = 3;

/// The text that a template writes.
#[derive(Debug, Default)]
pub(super) struct TemplateText {
    pub(super) text: String,
    /// The template offset of each byte of the text, and of its end.
    pub(super) places: Vec<usize>,
}

impl TemplateText {
    /// Reads a template. A text without tags stays as it is.
    pub(super) fn of(template: &str) -> TemplateText {
        let mut reader = Reader {
            template,
            written: TemplateText::default(),
            constants: BTreeMap::new(),
            empty: Vec::new(),
            macros: BTreeMap::new(),
            macros_left: CONSTANTS,
            called_left: CALLED,
            depth: 0,
        };
        reader.read();
        reader.written.places.push(template.len());
        reader.written
    }

    fn push(&mut self, text: &str, at: usize) {
        if self.text.len() > WRITTEN {
            return;
        }
        self.text.push_str(text);
        self.places.extend(std::iter::repeat_n(at, text.len()));
    }

    /// Adds text of the template verbatim.
    fn push_verbatim(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.places.extend(at..at + text.len());
    }

    /// Adds an unknown value; adjacent ones are one.
    fn push_value(&mut self, at: usize) {
        if !self.text.ends_with(VALUE) {
            self.push(VALUE.encode_utf8(&mut [0; 4]), at);
        }
    }
}

struct Reader<'t> {
    template: &'t str,
    written: TemplateText,
    /// `None` if the name has other values as well.
    constants: BTreeMap<String, Option<String>>,
    /// Parameters of a macro whose call gives no list.
    empty: Vec<String>,
    macros: BTreeMap<String, Macro<'t>>,
    /// How many more macros may be defined, and how many more bytes their calls may write.
    macros_left: usize,
    called_left: usize,
    depth: usize,
}

/// A macro: its parameters, each with whether its default is an empty list, and its body.
#[derive(Clone, Debug)]
struct Macro<'t> {
    parameters: Vec<(String, bool)>,
    body: &'t str,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut at = 0;
        // Whether the last tag strips the blanks after it, or only the line break.
        let (mut strips, mut after_block) = (false, false);
        while at <= self.template.len() {
            let rest = &self.template[at..];
            let next = next_tag(rest);
            let raw = &rest[..next.map_or(rest.len(), |(start, _)| start)];
            let inside = next.and_then(|(start, tag)| {
                let from = at + start + 2;
                Some((from, end_of(&self.template[from..], tag)?, tag))
            });
            let mut text = raw;
            if strips {
                text = text.trim_start();
            } else if after_block {
                text = text.strip_prefix('\n').unwrap_or(text);
            }
            let start = at + raw.len() - text.len();
            if let Some((from, _, tag)) = inside {
                if self.template[from..].starts_with('-') {
                    text = text.trim_end();
                } else if tag != Tag::Output {
                    // The blanks before a block's tag on its line are not written.
                    let line = text.trim_end_matches([' ', '\t']);
                    if line.ends_with('\n') || line.is_empty() {
                        text = line;
                    }
                }
            }
            self.written.push_verbatim(text, start);
            let Some((from, length, tag)) = inside else {
                if let Some((opener, _)) = next {
                    // An unclosed tag is text.
                    let after = &rest[opener..];
                    self.written.push_verbatim(after, at + opener);
                }
                return;
            };
            let code = &self.template[from..from + length];
            match tag {
                Tag::Output => self.written(code.trim_matches('-'), from, true),
                Tag::Statement => self.statement(code, from),
                Tag::Comment => {}
            }
            strips = code.ends_with('-');
            after_block = tag != Tag::Output;
            at = from + length + tag.closer().len();
            if tag == Tag::Statement {
                self.define(code, at);
                if self.is_over_nothing(code) {
                    at += end_of_loop(&self.template[at..]);
                }
            }
        }
    }

    /// Records a `macro`, whose body follows the tag at `at`.
    fn define(&mut self, code: &str, at: usize) {
        let Some(rest) = code.trim_matches(['-', '+']).trim().strip_prefix("macro ") else {
            return;
        };
        let Some((name, parameters)) = rest.split_once('(') else {
            return;
        };
        if self.macros_left == 0 {
            return;
        }
        self.macros_left -= 1;
        let after = &self.template[at..];
        let body = after
            .find("endmacro")
            .and_then(|end| Some(&after[..after[..end].rfind("{%")?]));
        let parameters = parameters.trim_end().trim_end_matches(')').split(',');
        let parameters = parameters.map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name.trim().to_owned(), value.trim() == "[]"),
            None => (parameter.trim().to_owned(), false),
        });
        if let Some(body) = body {
            let parameters = parameters.collect();
            let made = Macro { parameters, body };
            self.macros.insert(name.trim().to_owned(), made);
        }
    }

    /// Whether the code starts a loop over a list that is empty here.
    fn is_over_nothing(&self, code: &str) -> bool {
        let code = code.trim_matches(['-', '+']).trim();
        let list = code
            .strip_prefix("for ")
            .and_then(|rest| rest.rsplit_once(" in "));
        list.is_some_and(|(_, list)| self.empty.iter().any(|name| name == list.trim()))
    }

    /// The text of a macro that is called with `arguments`, which end at their bracket.
    fn called(&mut self, name: &str, arguments: &[Token]) -> Option<String> {
        let called = self.macros.get(name)?.clone();
        // Every call has a cost, even one with an empty body.
        let cost = called.body.len() + CALLED / (1 << 10);
        if self.depth == DEPTH || self.called_left < cost {
            return None;
        }
        self.called_left -= cost;
        let mut given: Vec<&[Token]> = Vec::new();
        let (mut depth, mut start) = (0_usize, 0);
        for (n, token) in arguments.iter().enumerate() {
            match token.kind {
                Kind::Mark('(' | '[' | '{') => depth += 1,
                Kind::Mark(')') if depth == 0 => {
                    given.push(&arguments[start..n]);
                    break;
                }
                Kind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Kind::Mark(',') if depth == 0 => {
                    given.push(&arguments[start..n]);
                    start = n + 1;
                }
                _ => {}
            }
        }
        let mut inner = Reader {
            template: called.body,
            written: TemplateText::default(),
            constants: self.constants.clone(),
            empty: Vec::new(),
            macros: std::mem::take(&mut self.macros),
            macros_left: 0,
            called_left: self.called_left,
            depth: self.depth + 1,
        };
        for (n, (parameter, is_list)) in called.parameters.into_iter().enumerate() {
            let value = match given.get(n) {
                Some([one]) => match &one.kind {
                    Kind::Text(text) => Some(text.clone()),
                    Kind::Word(word) => self.constants.get(word).cloned().flatten(),
                    _ => None,
                },
                None if is_list => {
                    inner.empty.push(parameter.clone());
                    None
                }
                _ => None,
            };
            inner.constants.insert(parameter, value);
        }
        inner.read();
        self.macros = std::mem::take(&mut inner.macros);
        self.called_left = inner.called_left;
        Some(inner.written.text)
    }

    /// Handles the statements `set` and `do`; all others write nothing.
    fn statement(&mut self, code: &str, from: usize) {
        let bare = code.trim_matches(['-', '+']).trim();
        let word = bare.split_whitespace().next().unwrap_or("");
        if let Some(("set", rest)) = bare.split_once(char::is_whitespace)
            && let Some((name, value)) = rest.split_once('=')
        {
            let name = name.trim();
            let constant = self.constant(value);
            // A value with strings in it is written at some later place.
            if tokens(value)
                .iter()
                .any(|token| matches!(token.kind, Kind::Text(_)))
            {
                let at = from + code.find('=').map_or(0, |at| at + 1);
                self.written.push_value(at);
                self.written(&self.template[at..from + code.len()], at, true);
                self.written.push_value(at);
            }
            self.attributes(name, value);
            let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if is_name && self.constants.len() < CONSTANTS {
                self.constants
                    .entry(name.to_owned())
                    .and_modify(|known| *known = None)
                    .or_insert(constant);
            }
        } else if word == "do" {
            self.written.push_value(from);
            self.written(code, from, true);
            self.written.push_value(from);
        }
    }

    /// Records the strings of a namespace: `{% set tokens = namespace(end='..') %}`.
    fn attributes(&mut self, name: &str, value: &str) {
        for three in tokens(value).windows(3) {
            if let [key, equals, text] = three
                && let (Kind::Word(key), Kind::Mark('='), Kind::Text(text)) =
                    (&key.kind, &equals.kind, &text.kind)
                && self.constants.len() < CONSTANTS
            {
                let text = Some(text.clone()).filter(|text| text.len() <= LONGEST);
                self.constants.insert(format!("{name}.{key}"), text);
            }
        }
    }

    /// The value of an expression that has only strings and constants.
    fn constant(&mut self, code: &str) -> Option<String> {
        let mut alone = Reader {
            template: code,
            written: TemplateText::default(),
            constants: std::mem::take(&mut self.constants),
            empty: Vec::new(),
            macros: BTreeMap::new(),
            macros_left: 0,
            called_left: 0,
            depth: DEPTH,
        };
        let has_text = tokens(code)
            .iter()
            .any(|token| matches!(token.kind, Kind::Text(_)));
        alone.written(code, 0, false);
        self.constants = alone.constants;
        let text = alone.written.text;
        (has_text && !text.contains(VALUE) && text.len() <= LONGEST).then_some(text)
    }

    /// Writes the strings of an expression, which starts at `from`. Sums are joined, and an unknown operand is a value.
    fn written(&mut self, code: &str, from: usize, is_output: bool) {
        let tokens = tokens(code);
        // The open brackets, each with whether its content is code.
        let mut open: Vec<bool> = Vec::new();
        let mut n = 0;
        while n < tokens.len() {
            let (at, token) = (from + tokens[n].at, &tokens[n].kind);
            let last = n.checked_sub(1).map(|n| &tokens[n].kind);
            let next = tokens.get(n + 1).map(|token| &token.kind);
            let in_code = open.iter().any(|code| *code);
            match token {
                Kind::Mark(c @ ('(' | '[' | '{')) => {
                    let follows = matches!(last, Some(Kind::Word(word)) if !is_keyword(word))
                        || matches!(last, Some(Kind::Mark(')' | ']') | Kind::Text(_)));
                    let method = method_of(&tokens[..n]);
                    open.push(match c {
                        '(' => method.is_some_and(is_test),
                        '[' => follows,
                        _ => false,
                    });
                }
                Kind::Mark(')' | ']' | '}') => {
                    open.pop();
                }
                Kind::Mark('+' | '~' | '|' | '.' | '-') => {}
                Kind::Mark(',' | ':') if in_code => {}
                Kind::Mark(_) | Kind::Compare => {
                    if !in_code {
                        self.written.push_value(at);
                    }
                }
                Kind::Text(text) => {
                    if compares(last) || compares(next) {
                        self.written.push_value(at);
                    } else if in_code {
                        // The string is searched for, not written.
                    } else if matches!(next, Some(Kind::Mark(':'))) && is_output {
                        // A key of an object that is written as JSON.
                        self.written.push(&format!("\"{text}\": "), at);
                        n += 1;
                    } else if let Some((filled, after)) = self.formatted(text, &tokens[n + 1..]) {
                        self.written.push(&filled, at);
                        n += after;
                    } else {
                        self.written.push(text, at);
                    }
                }
                Kind::Word(word) => {
                    let is_filter = matches!(last, Some(Kind::Mark('|' | '.')));
                    let is_name = matches!(next, Some(Kind::Mark('=')));
                    let attribute = match &tokens[n + 1..] {
                        [dot, name, ..] if dot.kind == Kind::Mark('.') => match &name.kind {
                            Kind::Word(name) => Some(format!("{word}.{name}")),
                            _ => None,
                        },
                        _ => None,
                    };
                    if let Some(Kind::Mark('(')) = next
                        && !is_filter
                        && !in_code
                        && let Some(text) = self.called(word, &tokens[n + 2..])
                    {
                        self.written.push(&text, at);
                    }
                    let known = match next {
                        Some(Kind::Mark('.')) => {
                            attribute.and_then(|name| self.constants.get(&name).cloned().flatten())
                        }
                        Some(Kind::Mark('(' | '[')) => None,
                        _ => self.constants.get(word).cloned().flatten(),
                    };
                    match known {
                        _ if is_filter || is_name || in_code => {}
                        Some(text) if !compares(last) && !compares(next) => {
                            self.written.push(&text, at);
                        }
                        _ => self.written.push_value(at),
                    }
                }
            }
            n += 1;
        }
    }

    /// A string with a `.format(..)` after it, filled in, and the number of tokens of the call.
    fn formatted(&self, text: &str, after: &[Token]) -> Option<(String, usize)> {
        let [dot, format, open, rest @ ..] = after else {
            return None;
        };
        let is_format = dot.kind == Kind::Mark('.')
            && format.kind == Kind::Word("format".to_owned())
            && open.kind == Kind::Mark('(');
        if !is_format {
            return None;
        }
        let end = rest
            .iter()
            .position(|token| token.kind == Kind::Mark(')'))?;
        let value = |kind: &[Token]| match kind {
            [one] => match &one.kind {
                Kind::Text(text) => text.clone(),
                Kind::Word(word) => {
                    let known = self.constants.get(word).cloned().flatten();
                    known.unwrap_or_else(|| VALUE.to_string())
                }
                Kind::Mark(_) | Kind::Compare => VALUE.to_string(),
            },
            _ => VALUE.to_string(),
        };
        let mut arguments = rest[..end].split(|token| token.kind == Kind::Mark(','));
        let mut filled = String::new();
        let mut left = text;
        while let Some((before, rest)) = left.split_once('{') {
            filled.push_str(before);
            let Some((_, after)) = rest.split_once('}') else {
                filled.push('{');
                left = rest;
                continue;
            };
            filled.push_str(&arguments.next().map_or_else(|| VALUE.to_string(), value));
            left = after;
        }
        filled.push_str(left);
        Some((filled, 3 + end + 1))
    }
}
