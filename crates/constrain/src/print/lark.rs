//! Lark as llguidance reads it: <https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md>.
//!
//! A regular part becomes one terminal, since the lexer takes the longest match: a value and its closer must not be
//! apart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Message, Piece, pieces, rest_after};
use crate::Grammar;
use crate::error::GrammarError;
use crate::grammar::{CharClass, Node, RawText, Rules};

/// The grammar of a message; free text contains none of the openers.
pub(super) fn message(message: Message, rules: &Rules) -> Result<Grammar, GrammarError> {
    let text = message.free_text();
    let before = message.reasoning.unwrap_or(Node::empty());
    let root = match message.calls {
        None => Node::sequence([before, text]),
        Some(calls) if message.has_text => {
            // The text up to and including the opener is one terminal.
            let mut ways = Vec::new();
            for opener in &message.openers {
                let rest = rest_after(&calls, opener, rules)?;
                ways.push(Node::sequence([
                    text.clone(),
                    Node::literal(opener.as_str()),
                    rest,
                ]));
            }
            ways.push(text);
            Node::sequence([before, Node::choice(ways)])
        }
        Some(calls) => Node::sequence([before, calls]),
    };
    let mut printer = Printer {
        rules,
        tokens: &message.tokens,
        terminals: BTreeMap::new(),
    };
    let mut out = String::new();
    let reached = rules.reached(&root);
    let _ = writeln!(out, "start: {}", printer.rule_text(&root));
    for &id in &reached {
        let text = printer.rule_text(rules.node(id));
        let _ = writeln!(out, "{}: {text}", rule_name(rules.name(id)));
    }
    let mut n_rules = 1 + reached.len();
    n_rules += printer.terminals.len();
    let mut terminals: Vec<(&String, &usize)> = printer.terminals.iter().collect();
    terminals.sort_by_key(|(_, n)| **n);
    for (text, n) in terminals {
        let _ = writeln!(out, "T{n}: {text}");
    }
    Ok(Grammar {
        text: out,
        triggers: Vec::new(),
        n_rules,
        notes: Vec::new(),
    })
}

struct Printer<'r> {
    rules: &'r Rules,
    /// The markers that are one token each.
    tokens: &'r [String],
    /// Terminals by their text.
    terminals: BTreeMap<String, usize>,
}

/// Whether a node is written as part of a terminal. A rule is not: the text between two rules would be one terminal
/// with a regular second rule, and two terminals otherwise. The longer terminal would win before the lexer knows which
/// rule follows. A token is not part of a terminal either.
fn is_regular(node: &Node, tokens: &[String]) -> bool {
    match node {
        Node::Literal(text) => !tokens.iter().any(|token| text.contains(token.as_str())),
        Node::Class(_) | Node::Text(_) => true,
        Node::Rule(_) | Node::Lark(_) => false,
        Node::Sequence(nodes) | Node::Choice(nodes) => {
            nodes.iter().all(|node| is_regular(node, tokens))
        }
        Node::Repeat(inner, ..) => is_regular(inner, tokens),
    }
}

/// Whether a text of a regular node can no longer grow where it may end: no optional part is at its end. The lexer
/// takes the longest match, so an optional end is not part of a terminal.
fn is_closed(node: &Node) -> bool {
    match node {
        Node::Literal(text) => !text.is_empty(),
        Node::Class(_) | Node::Text(_) => true,
        Node::Rule(_) | Node::Lark(_) => false,
        Node::Sequence(nodes) => nodes.last().is_some_and(is_closed),
        Node::Choice(nodes) => nodes.iter().all(is_closed),
        // A run of the same characters, such as digits: the text after it starts with other characters.
        Node::Repeat(inner, min, _) => {
            matches!(**inner, Node::Class(_)) || (*min > 0 && is_closed(inner))
        }
    }
}

impl Printer<'_> {
    /// A node as the right side of a rule.
    fn rule_text(&mut self, node: &Node) -> String {
        if self.is_regular(node) && is_closed(node) {
            return self.terminal(std::slice::from_ref(node));
        }
        match node {
            Node::Rule(id) => rule_name(self.rules.name(*id)),
            Node::Sequence(nodes) => {
                let mut parts = Vec::new();
                let mut run: Vec<Node> = Vec::new();
                for node in nodes {
                    if let (Node::Literal(text), false) = (node, self.is_regular(node)) {
                        for piece in pieces(text, self.tokens) {
                            match piece {
                                Piece::Text(text) => run.push(Node::literal(text)),
                                Piece::Token(token) => {
                                    self.run(&mut parts, &std::mem::take(&mut run));
                                    parts.push(token.to_owned());
                                }
                            }
                        }
                    } else if self.is_regular(node) {
                        run.push(node.clone());
                    } else {
                        self.run(&mut parts, &std::mem::take(&mut run));
                        parts.push(self.grouped(node));
                    }
                }
                self.run(&mut parts, &run);
                if parts.is_empty() {
                    "\"\"".to_owned()
                } else {
                    parts.join(" ")
                }
            }
            Node::Choice(nodes) => {
                let ways: Vec<String> = nodes.iter().map(|node| self.rule_text(node)).collect();
                ways.join(" | ")
            }
            Node::Repeat(inner, min, max) => {
                let inner = self.grouped(inner);
                format!("{inner}{}", suffix(*min, *max))
            }
            Node::Literal(_) if !self.is_regular(node) => {
                self.rule_text(&Node::Sequence(vec![node.clone()]))
            }
            Node::Lark(definition) => format!("%lark {{\n{definition}\n}}"),
            Node::Literal(_) | Node::Class(_) | Node::Text(_) => {
                self.terminal(std::slice::from_ref(node))
            }
        }
    }

    fn is_regular(&self, node: &Node) -> bool {
        is_regular(node, self.tokens)
    }

    /// A run of regular nodes: one terminal up to the last closed node, and each later node apart.
    fn run(&mut self, parts: &mut Vec<String>, run: &[Node]) {
        let n = run.iter().rposition(is_closed).map_or(0, |last| last + 1);
        if n > 0 {
            parts.push(self.terminal(&run[..n]));
        }
        for node in &run[n..] {
            parts.push(self.grouped(node));
        }
    }

    fn grouped(&mut self, node: &Node) -> String {
        let text = self.rule_text(node);
        match node {
            Node::Rule(_) => text,
            _ => format!("({text})"),
        }
    }

    /// The name of the terminal of these concatenated nodes; a terminal that may be empty is optional.
    fn terminal(&mut self, nodes: &[Node]) -> String {
        let node = Node::sequence(nodes.iter().cloned());
        if node == Node::empty() {
            return "\"\"".to_owned();
        }
        let text = terminal_text(&node);
        let n = self.terminals.len();
        let n = *self.terminals.entry(text).or_insert(n);
        format!("T{n}")
    }
}

/// A regular node in a terminal.
fn terminal_text(node: &Node) -> String {
    match node {
        Node::Literal(text) => format!("/{}/", escaped(text)),
        Node::Class(class) => format!("/{}/", char_class(class)),
        Node::Text(text) => raw_text(text),
        Node::Rule(_) | Node::Lark(_) => unreachable!("a terminal holds no rule"),
        Node::Sequence(nodes) if nodes.is_empty() => "\"\"".to_owned(),
        Node::Sequence(nodes) => {
            let parts: Vec<String> = nodes.iter().map(terminal_text).collect();
            parts.join(" ")
        }
        Node::Choice(nodes) => {
            let ways: Vec<String> = nodes.iter().map(terminal_text).collect();
            format!("({})", ways.join(" | "))
        }
        Node::Repeat(inner, min, max) => {
            format!("({}){}", terminal_text(inner), suffix(*min, *max))
        }
    }
}

/// A text that contains none of some strings: the conjunction of all its conditions.
fn raw_text(text: &RawText) -> String {
    let mut all = Vec::new();
    all.push(match text.length {
        Some((min, max)) => format!("/(?s:.){}/", suffix(min, max)),
        None => "/(?s:.*)/".to_owned(),
    });
    if text.is_filled {
        all.push(r"/(?s:.*)\S(?s:.*)/".to_owned());
    }
    if text.is_plain {
        all.push(r"/\s*([^\s\[{](?s:.*))?/".to_owned());
    }
    let strings = text.without.iter().filter(|string| !string.is_empty());
    let strings: Vec<String> = strings.map(|string| escaped(string)).collect();
    if !strings.is_empty() {
        all.push(format!("~/(?s:.*)({})(?s:.*)/", strings.join("|")));
    }
    match all.as_slice() {
        [one] => one.clone(),
        several => format!("({})", several.join(" & ")),
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
