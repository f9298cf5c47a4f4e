//! Grammars in the languages of those who sample under them.

mod automaton;
mod gbnf;
mod lark;
mod structural_tag;

use crate::error::GrammarError;
use crate::grammar::{Node, RawText, Rules};
use crate::{Grammar, Target};

/// The parts of a message.
pub(crate) struct Message {
    pub(crate) reasoning: Option<Node>,
    /// The calls; `None` where there may be none.
    pub(crate) calls: Option<Node>,
    /// The texts that start a call.
    pub(crate) openers: Vec<String>,
    /// Whether free text may replace calls and precede them.
    pub(crate) has_text: bool,
    /// Whether a message may contain several calls.
    pub(crate) is_parallel: bool,
    /// The markers that are one token each.
    pub(crate) tokens: Vec<String>,
}

/// A piece of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    /// One token, `<` and `>` included.
    Token(&'t str),
}

/// A literal, taken apart at the tokens in it.
fn pieces<'t>(mut text: &'t str, tokens: &[String]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    loop {
        let found = tokens
            .iter()
            .filter_map(|token| Some((text.find(token.as_str())?, token.len())));
        // The first token, and of several there the longest.
        let Some((at, length)) = found.min_by_key(|&(at, length)| (at, usize::MAX - length)) else {
            break;
        };
        if at > 0 {
            pieces.push(Piece::Text(&text[..at]));
        }
        pieces.push(Piece::Token(&text[at..at + length]));
        text = &text[at + length..];
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

impl Message {
    /// Text that starts no call.
    pub(crate) fn free_text(&self) -> Node {
        Node::Text(RawText::without(&self.openers))
    }
}

pub(crate) fn print(
    target: Target,
    message: Message,
    rules: &mut Rules,
) -> Result<Grammar, GrammarError> {
    match target {
        Target::Gbnf => Ok(gbnf::message(message, rules)),
        Target::Lark => lark::message(message, rules),
        Target::StructuralTag => structural_tag::message(&message, rules),
        Target::JsonSchema | Target::LegacyStructuralTag => Err(GrammarError::Target(
            "this format is made of schemas, not of rules".to_owned(),
        )),
    }
}

/// The rest after `opener` of calls that start with it.
fn rest_after(calls: &Node, opener: &str, rules: &Rules) -> Result<Node, GrammarError> {
    after(calls, opener, rules)
        .ok_or_else(|| GrammarError::Target(format!("no call starts with `{opener}`")))
}

/// The rest after `opener` of a node that may start with it.
pub(crate) fn after(node: &Node, opener: &str, rules: &Rules) -> Option<Node> {
    match node {
        Node::Literal(text) => text.strip_prefix(opener).map(Node::literal),
        Node::Rule(id) => after(rules.node(*id), opener, rules),
        Node::Choice(nodes) => {
            let ways: Vec<Node> = nodes
                .iter()
                .filter_map(|node| after(node, opener, rules))
                .collect();
            (!ways.is_empty()).then(|| Node::choice(ways))
        }
        Node::Sequence(nodes) => {
            let (first, rest) = nodes.split_first()?;
            let rest = rest.iter().cloned();
            match first {
                // The opener continues in the next nodes.
                Node::Literal(text) if opener.len() > text.len() => {
                    let opener = opener.strip_prefix(text.as_str())?;
                    after(&Node::sequence(rest), opener, rules)
                }
                first => {
                    let first = after(first, opener, rules)?;
                    Some(Node::sequence([first].into_iter().chain(rest)))
                }
            }
        }
        Node::Repeat(inner, min, max) => {
            let first = after(inner, opener, rules)?;
            let more = inner
                .as_ref()
                .clone()
                .repeat(min.saturating_sub(1), max.map(|max| max.saturating_sub(1)));
            Some(Node::sequence([first, more]))
        }
        Node::Class(_) | Node::Text(_) | Node::Lark(_) => None,
    }
}
