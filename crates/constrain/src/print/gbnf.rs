//! GBNF, the grammar language of llama.cpp: <https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md>.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::automaton::{self, State};
use super::{Message, Piece, pieces};
use crate::Grammar;
use crate::grammar::{CharClass, Node, RawText, Rules};

/// The grammar of a message. With free text the grammar applies from a trigger on, as in llama.cpp's lazy grammars.
pub(super) fn message(message: Message, rules: &Rules) -> Grammar {
    let is_lazy = message.has_text && message.calls.is_some();
    let free_text = message.free_text();
    let root = match message.calls {
        Some(calls) if is_lazy => calls,
        Some(calls) => Node::sequence([message.reasoning.unwrap_or(Node::empty()), calls]),
        None => Node::sequence([message.reasoning.unwrap_or(Node::empty()), free_text]),
    };
    let (text, n_rules) = rules_text(&root, rules, &message.tokens);
    Grammar {
        text,
        triggers: if is_lazy { message.openers } else { Vec::new() },
        n_rules,
        notes: Vec::new(),
    }
}

/// `root` and the rules reachable from it, and the number of these rules.
pub(super) fn rules_text(root: &Node, rules: &Rules, tokens: &[String]) -> (String, usize) {
    let mut printer = Printer {
        rules,
        tokens,
        automata: BTreeMap::new(),
    };
    let mut out = String::new();
    printer.rule(&mut out, "root", root);
    let reached = rules.reached(root);
    for &id in &reached {
        printer.rule(&mut out, rules.name(id), rules.node(id));
    }
    let mut n_rules = 1 + reached.len();
    for (text, n) in &printer.automata {
        let states = automaton::states(text);
        n_rules += states.len();
        for (s, state) in states.iter().enumerate() {
            let _ = writeln!(out, "{} ::= {}", state_name(*n, s), state_text(*n, state));
        }
    }
    (out, n_rules)
}

struct Printer<'r> {
    rules: &'r Rules,
    /// The markers that are one token each.
    tokens: &'r [String],
    /// The texts that contain none of some strings, each with its number.
    automata: BTreeMap<RawText, usize>,
}

impl Printer<'_> {
    fn rule(&mut self, out: &mut String, name: &str, node: &Node) {
        let _ = write!(out, "{name} ::= ");
        self.node(out, node, Place::Rule);
        out.push('\n');
    }

    fn literal(&self, out: &mut String, text: &str, place: Place) {
        let pieces = pieces(text, self.tokens);
        let is_grouped = place == Place::Item && pieces.len() > 1;
        out.push_str(if is_grouped { "(" } else { "" });
        for (n, piece) in pieces.iter().enumerate() {
            out.push_str(if n > 0 { " " } else { "" });
            match piece {
                Piece::Text(text) => literal(out, text),
                Piece::Token(token) => out.push_str(token),
            }
        }
        if pieces.is_empty() {
            out.push_str("\"\"");
        }
        out.push_str(if is_grouped { ")" } else { "" });
    }

    fn node(&mut self, out: &mut String, node: &Node, place: Place) {
        match node {
            Node::Literal(text) => self.literal(out, text, place),
            // A Lark node occurs only if the target is Lark.
            Node::Lark(_) => out.push_str("\"\""),
            Node::Class(class) => char_class(out, class),
            Node::Rule(id) => out.push_str(self.rules.name(*id)),
            Node::Text(text) => {
                let n = self.automata.len();
                let n = *self.automata.entry(text.clone()).or_insert(n);
                out.push_str(&state_name(n, 0));
            }
            Node::Sequence(nodes) if nodes.is_empty() => out.push_str("\"\""),
            Node::Sequence(nodes) => {
                let is_grouped = place == Place::Item;
                out.push_str(if is_grouped { "(" } else { "" });
                for (n, node) in nodes.iter().enumerate() {
                    out.push_str(if n > 0 { " " } else { "" });
                    self.node(out, node, Place::Part);
                }
                out.push_str(if is_grouped { ")" } else { "" });
            }
            Node::Choice(nodes) => {
                let is_grouped = place != Place::Rule;
                out.push_str(if is_grouped { "(" } else { "" });
                for (n, node) in nodes.iter().enumerate() {
                    out.push_str(if n > 0 { " | " } else { "" });
                    self.node(out, node, Place::Alternative);
                }
                out.push_str(if is_grouped { ")" } else { "" });
            }
            Node::Repeat(inner, min, max) => {
                let suffix = match (min, max) {
                    (1, Some(1)) => return self.node(out, inner, place),
                    (_, Some(0)) => return out.push_str("\"\""),
                    (0, Some(1)) => "?".to_owned(),
                    (0, None) => "*".to_owned(),
                    (1, None) => "+".to_owned(),
                    (min, Some(max)) if min == max => format!("{{{min}}}"),
                    (min, Some(max)) => format!("{{{min},{max}}}"),
                    (min, None) => format!("{{{min},}}"),
                };
                // A repetition of a repetition needs its own parentheses.
                if matches!(**inner, Node::Repeat(..)) {
                    out.push('(');
                    self.node(out, inner, Place::Rule);
                    out.push(')');
                } else {
                    self.node(out, inner, Place::Item);
                }
                out.push_str(&suffix);
            }
        }
    }
}

/// The position of a node, which decides whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alone in a rule.
    Rule,
    /// One of several alternatives.
    Alternative,
    /// In a sequence.
    Part,
    /// Before `*`, `+`, `?` or a count.
    Item,
}

fn state_name(automaton: usize, state: usize) -> String {
    format!("text-{automaton}-{state}")
}

fn state_text(automaton: usize, state: &State) -> String {
    let mut out = String::from("(");
    for (n, (class, target)) in state.next.iter().enumerate() {
        out.push_str(if n > 0 { " | " } else { "" });
        char_class(&mut out, class);
        out.push(' ');
        out.push_str(&state_name(automaton, *target));
    }
    out.push_str(if state.is_end { ")?" } else { ")" });
    out
}

pub(super) fn literal(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => plain_or_escaped(out, c),
        }
    }
    out.push('"');
}

fn char_class(out: &mut String, class: &CharClass) {
    let is_negated = class.contains(char::MAX);
    let negated = class.negated();
    let ranges = if is_negated {
        &negated.ranges
    } else {
        &class.ranges
    };
    if is_negated && ranges.is_empty() {
        // Any character; older readers have classes but no `.`.
        out.push_str("[\\x00-\\U0010FFFF]");
        return;
    }
    out.push_str(if is_negated { "[^" } else { "[" });
    for &(first, last) in ranges {
        class_char(out, first);
        if last != first {
            out.push('-');
            class_char(out, last);
        }
    }
    out.push(']');
}

fn class_char(out: &mut String, c: char) {
    match c {
        ']' | '[' | '\\' => {
            out.push('\\');
            out.push(c);
        }
        // Not all versions have a short escape for these. xgrammar reads `\x` with all hexadecimal digits that follow.
        '^' | '-' | '"' => {
            let _ = write!(out, "\\u{:04X}", u32::from(c));
        }
        c => plain_or_escaped(out, c),
    }
}

fn plain_or_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_ascii_control() => {
            let _ = write!(out, "\\u{:04X}", u32::from(c));
        }
        c if u32::from(c) > 0xffff => {
            let _ = write!(out, "\\U{:08X}", u32::from(c));
        }
        c if !c.is_ascii() && !c.is_alphanumeric() && u32::from(c) > 0x7f && c.is_control() => {
            let _ = write!(out, "\\u{:04X}", u32::from(c));
        }
        c if matches!(c, '\u{d7ff}' | '\u{e000}'..='\u{ffff}') => {
            let _ = write!(out, "\\u{:04X}", u32::from(c));
        }
        c => out.push(c),
    }
}
