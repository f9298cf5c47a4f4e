//! Regular expressions of a schema (`pattern`) as nodes.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::grammar::{CharClass, Node};
use crate::text::Notation;

/// The maximum number of nodes of one pattern.
const MAX_NODES: usize = 2_000;

/// The strings that contain a match of `pattern`, in this notation.
///
/// # Errors
/// The part of the pattern that is not a regular expression, or that a grammar cannot express.
pub(crate) fn pattern(pattern: &str, notation: &Notation) -> Result<Node, String> {
    let hir = ParserBuilder::new()
        .nest_limit(64)
        .build()
        .parse(&ascii_classes(pattern))
        .map_err(|error| first_line(&error.to_string()))?;
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts.iter().collect(),
        _ => vec![&hir],
    };
    let is =
        |part: Option<&&Hir>, look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
    let from_start = is(parts.first(), Look::Start);
    let to_end = parts.len() > usize::from(from_start) && is(parts.last(), Look::End);
    let inner = &parts[usize::from(from_start)..parts.len() - usize::from(to_end)];
    let mut budget = MAX_NODES;
    let mut nodes = Vec::new();
    if !from_start {
        nodes.push(notation.any_content());
    }
    for part in inner {
        nodes.push(node(part, notation, &mut budget)?);
    }
    if !to_end {
        nodes.push(notation.any_content());
    }
    Ok(Node::sequence(nodes))
}

fn node(hir: &Hir, notation: &Notation, budget: &mut usize) -> Result<Node, String> {
    *budget = budget
        .checked_sub(1)
        .ok_or_else(|| format!("more than {MAX_NODES} parts"))?;
    Ok(match hir.kind() {
        HirKind::Empty => Node::empty(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0)
                .map_err(|_| "bytes that are not text".to_owned())?;
            let one = |c| notation.one_of(&CharClass::new(vec![(c, c)]));
            Node::sequence(text.chars().map(one))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.iter().map(|range| (range.start(), range.end()));
            notation.one_of(&CharClass::new(ranges.collect()))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class
                .iter()
                .map(|range| (char::from(range.start()), char::from(range.end())));
            notation.one_of(&CharClass::new(ranges.collect()))
        }
        HirKind::Look(_) => return Err("an anchor or boundary inside".to_owned()),
        HirKind::Repetition(repetition) => {
            node(&repetition.sub, notation, budget)?.repeat(repetition.min, repetition.max)
        }
        HirKind::Capture(capture) => node(&capture.sub, notation, budget)?,
        HirKind::Concat(parts) => {
            let nodes: Result<Vec<Node>, String> = parts
                .iter()
                .map(|part| node(part, notation, budget))
                .collect();
            Node::sequence(nodes?)
        }
        HirKind::Alternation(parts) => {
            let nodes: Result<Vec<Node>, String> = parts
                .iter()
                .map(|part| node(part, notation, budget))
                .collect();
            Node::choice(nodes?)
        }
    })
}

/// `\d`, `\w` and `\s` as ECMA-262 defines them: ASCII only.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(class @ ('d' | 'w' | 's')) if in_class => out.push_str(inside(class)),
                Some(class @ ('d' | 'w' | 's')) => {
                    out.push('[');
                    out.push_str(inside(class));
                    out.push(']');
                }
                Some(class @ ('D' | 'W' | 'S')) if !in_class => {
                    out.push_str("[^");
                    out.push_str(inside(class.to_ascii_lowercase()));
                    out.push(']');
                }
                // ECMA-262 reads `\/` as a slash.
                Some('/') => out.push('/'),
                Some(escaped) => {
                    out.push('\\');
                    out.push(escaped);
                }
                None => out.push('\\'),
            },
            c => {
                match c {
                    '[' => in_class = true,
                    ']' => in_class = false,
                    _ => {}
                }
                out.push(c);
            }
        }
    }
    out
}

fn inside(class: char) -> &'static str {
    match class {
        'd' => "0-9",
        'w' => "A-Za-z0-9_",
        _ => r" \t\n\r\x0b\x0c",
    }
}

/// The last line of an error that quotes the pattern is its message.
fn first_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or(error).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
