//! Lark as llguidance reads it: <https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md>.
//!
//! What is regular becomes one terminal, since the lexer takes the longest match: a value and its closer must not be apart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Message;
use crate::Grammar;
use crate::grammar::{CharClass, Node, RuleId, Rules};

/// The grammar of a message; free text holds none of the openers.
pub(super) fn message(message: Message, rules: &Rules) -> Grammar {
    let text = message.free_text();
    let before = message.reasoning.unwrap_or(Node::empty());
    let root = match message.calls {
        None => Node::sequence([before, text]),
        Some(calls) if message.has_text => {
            let marked = Node::sequence([text.clone(), calls]);
            Node::sequence([before, Node::choice([marked, text])])
        }
        Some(calls) => Node::sequence([before, calls]),
    };
    let mut printer = Printer {
        rules,
        terminals: BTreeMap::new(),
        is_regular: BTreeMap::new(),
    };
    let mut out = String::new();
    let reached = rules.reached(&root);
    for &id in reached.iter().rev() {
        let is_regular = printer.regular(rules.node(id));
        printer.is_regular.insert(id, is_regular);
    }
    let _ = writeln!(out, "start: {}", printer.rule_text(&root));
    let mut n_rules = 1;
    for &id in &reached {
        if !printer.is_regular[&id] {
            n_rules += 1;
            let text = printer.rule_text(rules.node(id));
            let _ = writeln!(out, "{}: {text}", rule_name(rules.name(id)));
        }
    }
    n_rules += printer.terminals.len();
    let mut terminals: Vec<(&String, &usize)> = printer.terminals.iter().collect();
    terminals.sort_by_key(|(_, n)| **n);
    for (text, n) in terminals {
        let _ = writeln!(out, "T{n}: {text}");
    }
    Grammar {
        text: out,
        triggers: Vec::new(),
        n_rules,
        notes: Vec::new(),
    }
}

struct Printer<'r> {
    rules: &'r Rules,
    /// Terminals by their text.
    terminals: BTreeMap<String, usize>,
    /// Whether a rule is written out in terminals; a rule that was not met yet is not.
    is_regular: BTreeMap<RuleId, bool>,
}

/// Largest rule that is written out where it is used, in parts.
const INLINE: usize = 24;

impl Printer<'_> {
    /// Whether a node is written as part of a terminal.
    fn regular(&self, node: &Node) -> bool {
        match node {
            Node::Literal(_) | Node::Class(_) | Node::Without(..) => true,
            Node::Rule(id) => {
                self.is_regular.get(id) == Some(&true) && size(self.rules.node(*id)) <= INLINE
            }
            Node::Sequence(nodes) | Node::Choice(nodes) => {
                nodes.iter().all(|node| self.regular(node))
            }
            Node::Repeat(inner, ..) => self.regular(inner),
        }
    }

    /// A node as the right side of a rule.
    fn rule_text(&mut self, node: &Node) -> String {
        if self.regular(node) {
            return self.terminal(std::slice::from_ref(node));
        }
        match node {
            Node::Rule(id) => rule_name(self.rules.name(*id)),
            Node::Sequence(nodes) => {
                let mut parts = Vec::new();
                let mut run: Vec<Node> = Vec::new();
                for node in nodes {
                    if self.regular(node) {
                        run.push(node.clone());
                        continue;
                    }
                    if !run.is_empty() {
                        parts.push(self.terminal(&std::mem::take(&mut run)));
                    }
                    parts.push(self.grouped(node));
                }
                if !run.is_empty() {
                    parts.push(self.terminal(&run));
                }
                parts.join(" ")
            }
            Node::Choice(nodes) => {
                let ways: Vec<String> = nodes.iter().map(|node| self.rule_text(node)).collect();
                let ways: Vec<String> = ways
                    .into_iter()
                    .map(|way| {
                        if way.is_empty() {
                            "\"\"".to_owned()
                        } else {
                            way
                        }
                    })
                    .collect();
                ways.join(" | ")
            }
            Node::Repeat(inner, min, max) => {
                let inner = self.grouped(inner);
                format!("{inner}{}", suffix(*min, *max))
            }
            Node::Literal(_) | Node::Class(_) | Node::Without(..) => {
                self.terminal(std::slice::from_ref(node))
            }
        }
    }

    fn grouped(&mut self, node: &Node) -> String {
        let text = self.rule_text(node);
        match node {
            Node::Rule(_) => text,
            _ => format!("({text})"),
        }
    }

    /// The name of the terminal of these nodes, one after the other; one that may be empty is optional.
    fn terminal(&mut self, nodes: &[Node]) -> String {
        let node = Node::sequence(nodes.iter().cloned());
        if node == Node::empty() {
            return "\"\"".to_owned();
        }
        let text = self.terminal_text(&node);
        let n = self.terminals.len();
        let n = *self.terminals.entry(text).or_insert(n);
        format!("T{n}")
    }

    fn terminal_text(&self, node: &Node) -> String {
        match node {
            Node::Literal(text) => format!("/{}/", escaped(text)),
            Node::Class(class) => format!("/{}/", char_class(class)),
            Node::Without(strings, is_filled) => {
                let any = if *is_filled {
                    r"/(?s:.*)\S(?s:.*)/"
                } else {
                    "/(?s:.*)/"
                };
                let strings: Vec<String> = strings
                    .iter()
                    .filter(|text| !text.is_empty())
                    .map(|text| escaped(text))
                    .collect();
                if strings.is_empty() {
                    return any.to_owned();
                }
                format!("({any} & ~/(?s:.*)({})(?s:.*)/)", strings.join("|"))
            }
            Node::Rule(id) => self.terminal_text(self.rules.node(*id)),
            Node::Sequence(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Sequence(nodes) => {
                let parts: Vec<String> = nodes.iter().map(|node| self.part(node)).collect();
                parts.join(" ")
            }
            Node::Choice(nodes) => {
                let ways: Vec<String> = nodes.iter().map(|node| self.terminal_text(node)).collect();
                format!("({})", ways.join(" | "))
            }
            Node::Repeat(inner, min, max) => {
                format!("({}){}", self.terminal_text(inner), suffix(*min, *max))
            }
        }
    }

    fn part(&self, node: &Node) -> String {
        self.terminal_text(node)
    }
}

/// How many parts a node has.
fn size(node: &Node) -> usize {
    match node {
        Node::Sequence(nodes) | Node::Choice(nodes) => 1 + nodes.iter().map(size).sum::<usize>(),
        Node::Repeat(inner, ..) => 1 + size(inner),
        _ => 1,
    }
}

fn suffix(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn rule_name(name: &str) -> String {
    format!("r_{}", name.replace('-', "_"))
}

/// A text in a regular expression between slashes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        regex_char(&mut out, c, r"\.+*?()|[]{}^$/");
    }
    out
}

fn char_class(class: &CharClass) -> String {
    let is_negated = class.contains(char::MAX);
    let negated = class.negated();
    let ranges = if is_negated {
        &negated.ranges
    } else {
        &class.ranges
    };
    if is_negated && ranges.is_empty() {
        return "(?s:.)".to_owned();
    }
    let mut out = String::from(if is_negated { "[^" } else { "[" });
    for &(first, last) in ranges {
        regex_char(&mut out, first, r"\]^-[/&~");
        if last != first {
            out.push('-');
            regex_char(&mut out, last, r"\]^-[/&~");
        }
    }
    out.push(']');
    out
}

fn regex_char(out: &mut String, c: char, special: &str) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control()
            || matches!(c, '\u{d7ff}' | '\u{e000}'..='\u{ffff}')
            || u32::from(c) > 0x1_0000 =>
        {
            let _ = write!(out, "\\x{{{:X}}}", u32::from(c));
        }
        c => {
            if special.contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
    }
}
