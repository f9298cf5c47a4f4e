//! Grammars in the languages of those who sample under them.

mod automaton;
mod gbnf;
mod lark;
mod structural_tag;

use crate::error::GrammarError;
use crate::grammar::{Node, Rules};
use crate::{Grammar, Target};

/// The parts of a message.
pub(crate) struct Message {
    pub(crate) reasoning: Option<Node>,
    /// The calls; `None` where there may be none.
    pub(crate) calls: Option<Node>,
    /// The texts that start a call.
    pub(crate) openers: Vec<String>,
    /// Free text may stand instead of calls, and before them.
    pub(crate) has_text: bool,
    /// Several calls may stand in a message.
    pub(crate) is_parallel: bool,
}

impl Message {
    /// Text that starts no call.
    pub(crate) fn free_text(&self) -> Node {
        Node::Without(self.openers.clone(), false)
    }
}

pub(crate) fn print(
    target: Target,
    message: Message,
    rules: &mut Rules,
) -> Result<Grammar, GrammarError> {
    match target {
        Target::Gbnf => Ok(gbnf::message(message, rules)),
        Target::Lark => Ok(lark::message(message, rules)),
        Target::StructuralTag => structural_tag::message(&message, rules),
    }
}
