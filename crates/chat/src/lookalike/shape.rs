//! A table of call forms that no dialect reads.
//!
//! Each word that is the name of a known tool is compared with the rows: the text before it, the text after it, and the
//! proof that a call is meant and not only mentioned.

use std::collections::HashMap;

use toolglot_engine::{Code, Note, Span};
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::Value;

use super::outside::Outside;
use super::words::{names, words};

/// A form of calls.
#[derive(Debug)]
struct Shape {
    /// The text right before the tool's name.
    before: &'static [Part],
    /// The text right after the tool's name.
    after: &'static [Part],
    proof: Proof,
}

/// A part of the text around a name.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// This text, in any case.
    Literal(&'static str),
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// At most that many bytes, without these characters.
    Any(&'static str, usize),
    /// A quote of any kind.
    Quote,
    /// Whitespace, or nothing.
    Blanks,
    /// Markdown punctuation and blanks, or nothing.
    Signs,
    /// The start of a line.
    Line,
}

use Part::{Any, Blanks, Line, Literal, Quote, Signs, Word};

/// The proof that a call is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The form itself.
    Form,
    /// A parameter of the tool, in quotes, followed by a colon.
    Member,
    /// A parameter of the tool as an attribute of the tag.
    Attribute,
    /// A parameter of the tool in either of these ways, or as a tag.
    Parameter,
}

const MARKER: Part = Word(&[
    "tool",
    "tools",
    "tool_call",
    "tool_use",
    "use_tool",
    "call_tool",
    "function",
    "function_call",
    "func",
    "invoke",
]);
const WEAK_MARKER: Part = Word(&["call", "action", "command", "execute", "run", "op", "step"]);
const NAMER: Part = Word(&["name", "tool", "tool_name", "function", "function_name"]);
const LABEL: Part = Word(&[
    "tool",
    "function",
    "action",
    "call",
    "calling",
    "tool call",
    "function call",
    "tool name",
    "function name",
    "tool_call",
    "tool_name",
    "tool_use",
    "calling tool",
    "using tool",
    "use tool",
    "calling function",
    "name",
]);
const HELP: &str = "no dialect reads this form; write the call as its dialect writes calls";

/// The forms, the plainest first: if several fit, the first counts.
const SHAPES: &[Shape] = &[
    // <tool name="f">, <function_call id="1" name='f'>
    Shape {
        before: &[
            Literal("<"),
            MARKER,
            Any("<>", 64),
            NAMER,
            Blanks,
            Literal("="),
            Blanks,
            Quote,
        ],
        after: &[Quote],
        proof: Proof::Form,
    },
    Shape {
        before: &[
            Literal("<"),
            WEAK_MARKER,
            Any("<>", 64),
            NAMER,
            Blanks,
            Literal("="),
            Blanks,
            Quote,
        ],
        after: &[Quote],
        proof: Proof::Parameter,
    },
    // <tool=f>, <function="f">
    Shape {
        before: &[Literal("<"), MARKER, Blanks, Literal("="), Blanks],
        after: &[Any("<>", 64), Literal(">")],
        proof: Proof::Form,
    },
    Shape {
        before: &[Literal("<"), MARKER, Blanks, Literal("="), Blanks, Quote],
        after: &[Quote, Any("<>", 64), Literal(">")],
        proof: Proof::Form,
    },
    // <tool:f>, <call:f>
    Shape {
        before: &[Literal("<"), MARKER, Literal(":")],
        after: &[Any("<>", 64), Literal(">")],
        proof: Proof::Form,
    },
    // <tool_use><name>f</name><input>{..}</input></tool_use>
    Shape {
        before: &[Literal("<"), NAMER, Literal(">"), Blanks],
        after: &[Blanks, Literal("</")],
        proof: Proof::Parameter,
    },
    // <f path="a"/>
    Shape {
        before: &[Literal("<")],
        after: &[Any("<>", 0)],
        proof: Proof::Attribute,
    },
    // <f>{"path": "a"}</f>
    Shape {
        before: &[Literal("<")],
        after: &[Literal(">"), Blanks, Literal("{")],
        proof: Proof::Member,
    },
    // {"tool_to_use": "f", "with": {"path": "a"}}
    Shape {
        before: &[
            Quote,
            Any("\"'{}\n", 40),
            Quote,
            Blanks,
            Literal(":"),
            Blanks,
            Quote,
        ],
        after: &[Quote],
        proof: Proof::Member,
    },
    // {"f": {"path": "a"}}
    Shape {
        before: &[Literal("{"), Blanks, Quote],
        after: &[Quote, Blanks, Literal(":"), Blanks, Literal("{")],
        proof: Proof::Member,
    },
    // Tool: f, **Tool:** `f`, [Calling tool: f with arguments: {..}]
    Shape {
        before: &[Line, Signs, LABEL, Signs, Literal(":"), Signs],
        after: &[Any("{", 120), Literal("{")],
        proof: Proof::Member,
    },
    // f: {"path": "a"}, f({"path": "a"})
    Shape {
        before: &[Line, Signs],
        after: &[Any("{\n,.;", 8), Literal("{")],
        proof: Proof::Member,
    },
    Shape {
        before: &[Line, Signs],
        after: &[Signs, Literal("\n"), Blanks, Literal("{")],
        proof: Proof::Member,
    },
];

/// The distance in bytes after the name within which a parameter belongs to the call.
const REACH: usize = 1 << 10;

/// The distance in bytes before the name within which the members of an object count.
const BACK: usize = 256;

/// The forms of calls in a text, each as a note.
pub(super) struct Shapes<'a> {
    outside: &'a Outside<'a>,
    names: HashMap<&'a str, &'a ToolSpec>,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(outside: &'a Outside<'a>, tools: &'a Toolbox) -> Shapes<'a> {
        Shapes {
            outside,
            names: names(tools),
        }
    }

    /// The notes in order of position, including notes on forms in quoted code.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let runs = self.outside.runs.iter().zip(self.outside.texts());
        runs.flat_map(move |(run, text)| {
            let named = words(text).filter_map(|(at, word)| {
                let (at, name) = self.name(at, word)?;
                Some((at, name, *self.names.get(name)?))
            });
            named.filter_map(move |(at, name, spec)| {
                let from = SHAPES
                    .iter()
                    .find_map(|shape| shape.fits(text, at, name, spec))?;
                let opener = run.range().start + from;
                let end = run.range().start + at + name.len();
                let span = Span::new(opener as u64, end as u64);
                (!self.outside.is_noted(span)).then(|| note(name, span))
            })
        })
    }

    /// The name of a tool in a word, which may start with a namespace.
    fn name<'t>(&self, at: usize, word: &'t str) -> Option<(usize, &'t str)> {
        if self.names.contains_key(word) {
            return Some((at, word));
        }
        let (space, name) = word.rsplit_once('.')?;
        self.names
            .contains_key(name)
            .then_some((at + space.len() + 1, name))
    }
}

impl Shape {
    /// The start of the form, if the name at `at` is in it.
    fn fits(&self, text: &str, at: usize, name: &str, spec: &ToolSpec) -> Option<usize> {
        let from = before(self.before, &text[..at])?;
        let rest = &text[at + name.len()..];
        after(self.after, rest)?;
        let near = &rest[..floor(rest, REACH)];
        let is_proven = match self.proof {
            Proof::Form => true,
            Proof::Attribute => {
                let tag = near.split(['<', '>']).next().unwrap_or_default();
                tag.starts_with(char::is_whitespace)
                    && has(tag, spec, |before, after| {
                        before.ends_with(char::is_whitespace) && after.starts_with('=')
                    })
            }
            Proof::Member => {
                is_arguments(near, spec)
                    || is_arguments(&text[ceil(text, from.saturating_sub(BACK))..from], spec)
            }
            Proof::Parameter => {
                is_arguments(near, spec)
                    || has(near, spec, |before, after| {
                        before.ends_with('<') && after.starts_with('>')
                            || before.ends_with(['"', '\'']) && after.starts_with(['"', '\''])
                    })
            }
        };
        is_proven.then_some(from)
    }
}

fn note(name: &str, span: Span) -> Note {
    Note {
        code: Code::UnrecognizedCall,
        span,
        message: format!("the tool `{name}` is named in a form of calls that is not read"),
        help: Some(HELP.to_owned()),
    }
}

/// Whether `near` contains an object with a parameter of the tool, and not the tool's definition.
fn is_arguments(near: &str, spec: &ToolSpec) -> bool {
    let is_definition = [
        "\"properties\"",
        "\"description\"",
        "\"parameters\": {\"type\"",
    ]
    .iter()
    .any(|key| near.contains(key));
    !is_definition
        && has(near, spec, |before, after| {
            before.ends_with(['"', '\''])
                && after.starts_with(['"', '\''])
                && after[1..].trim_start().starts_with(':')
        })
}

/// Whether `near` contains one of the tool's parameters with fitting text around it.
fn has(near: &str, spec: &ToolSpec, fits: impl Fn(&str, &str) -> bool) -> bool {
    let Some(Value::Object(properties)) = spec.parameters.get("properties") else {
        return false;
    };
    let mut found = properties
        .keys()
        .flat_map(|key| near.match_indices(key.as_str()));
    found.any(|(at, key)| fits(&near[..at], &near[at + key.len()..]))
}

/// The start of `parts`, if they end at the end of `text`.
fn before(parts: &[Part], text: &str) -> Option<usize> {
    let Some((last, parts)) = parts.split_last() else {
        return Some(text.len());
    };
    let cut = |n: usize| before(parts, &text[..text.len() - n]);
    match last {
        Literal(literal) => has_end(text, literal).then(|| cut(literal.len()))?,
        Word(words) => words
            .iter()
            .filter(|word| has_end(text, word))
            .filter(|word| {
                !text[..text.len() - word.len()]
                    .ends_with(|one: char| one.is_alphanumeric() || one == '_')
            })
            .find_map(|word| cut(word.len())),
        Any(none_of, most) => {
            let lengths = text
                .char_indices()
                .rev()
                .map(|(at, one)| (text.len() - at, one));
            let lengths = lengths
                .take_while(|(n, one)| n <= most && !none_of.contains(*one))
                .map(|(n, _)| n);
            std::iter::once(0).chain(lengths).find_map(cut)
        }
        Quote => text.ends_with(['"', '\'']).then(|| cut(1))?,
        Blanks => cut(text.len() - text.trim_end().len()),
        Signs => cut(text.len() - text.trim_end_matches(is_sign).len()),
        Line => (text.is_empty() || text.ends_with('\n')).then_some(text.len()),
    }
}

/// The end of `parts`, if they start at the start of `text`.
fn after(parts: &[Part], text: &str) -> Option<usize> {
    let Some((first, parts)) = parts.split_first() else {
        return Some(0);
    };
    let cut = |n: usize| after(parts, &text[n..]);
    match first {
        Literal(literal) => has_start(text, literal).then(|| cut(literal.len()))?,
        Word(words) => words
            .iter()
            .filter(|word| has_start(text, word))
            .find_map(|word| cut(word.len())),
        Any(none_of, most) => {
            let lengths = text
                .char_indices()
                .map(|(at, one)| (at + one.len_utf8(), one));
            let lengths = lengths
                .take_while(|(n, one)| n <= most && !none_of.contains(*one))
                .map(|(n, _)| n);
            std::iter::once(0).chain(lengths).find_map(cut)
        }
        Quote => text.starts_with(['"', '\'']).then(|| cut(1))?,
        Blanks => cut(text.len() - text.trim_start().len()),
        Signs => cut(text.len() - text.trim_start_matches(is_sign).len()),
        Line => None,
    }
}

fn is_sign(one: char) -> bool {
    matches!(
        one,
        ' ' | '\t' | '*' | '_' | '`' | '#' | '[' | '(' | '"' | '\''
    )
}

fn has_end(text: &str, end: &str) -> bool {
    let from = text.len().checked_sub(end.len());
    let tail = from.and_then(|from| text.get(from..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

fn has_start(text: &str, start: &str) -> bool {
    let head = text.get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The first character boundary at or after `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}
