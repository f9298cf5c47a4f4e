//! Dialects compiled for a tool set.
//!
//! Each dialect becomes a graph of nodes. All graphs together are the rules of a program; entries that read the same
//! are one. For a tool set the openers of all entries become a trie, which the machine runs as one position.

mod analyze;
mod build;
mod bytes;
mod node;
mod openers;
mod rules;
mod tool_index;
mod trie;
mod ways;

pub(crate) use analyze::{may_be_empty, takes};
pub(crate) use bytes::{ByteSet, Finder, QUOTING, is_blank};
pub(crate) use node::{
    AttrsNode, CaptureNode, Fits, Lead, LeadRole, Literal, Node, NodeId, RuleRole, TextNode, Trim,
    fits, near,
};
pub(crate) use openers::Openers;
pub(crate) use rules::CompiledDialect;
use rules::Rules;
pub(crate) use rules::WRAPPERS;
pub(crate) use tool_index::ToolIndex;
pub(crate) use trie::Trie;
pub(crate) use ways::Opener;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;

use crate::grammar::{Dialect, GrammarError};
use crate::{Limits, ToolSet};

/// A set of dialects compiled for a tool set: immutable, shared between parsers.
pub struct Program {
    pub(crate) rules: Arc<Rules>,
    pub(crate) trie: Trie,
    /// Finds where an entry can start.
    pub(crate) openers: Openers,
    pub(crate) tools: ToolIndex,
    pub(crate) limits: Limits,
}

impl core::fmt::Debug for Program {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Program")
            .field("rules", &self.rules)
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Compiles `dialects` (a slice, or any other iterable of dialects or references to them) for `tools`; earlier
    /// dialects have priority where the bytes do not decide.
    ///
    /// # Errors
    /// If rules are ambiguous or never end: the error has the dialect's name and says what to write instead.
    ///
    /// # Examples
    /// ```
    /// use toolglot_engine::{Limits, Program, ToolSet};
    ///
    /// let names = ["hermes", "qwen3_coder"];
    /// let dialects = names.into_iter().filter_map(toolglot_dialects::get);
    /// let program = Program::compile(dialects, &ToolSet::default(), Limits::default())?;
    /// # Ok::<(), toolglot_engine::GrammarError>(())
    /// ```
    pub fn compile(
        dialects: impl IntoIterator<Item: Borrow<Dialect>>,
        tools: &ToolSet,
        limits: Limits,
    ) -> Result<Program, GrammarError> {
        let dialects = dialects.into_iter();
        let dialects = dialects.map(|dialect| dialect.borrow().clone()).collect();
        Ok(Program::new(Arc::new(Rules::new(dialects)?), tools, limits))
    }

    /// The same dialects for other tools. The rules are shared and not compiled again: for a union this takes a small
    /// part of the time of [`Program::compile`]. So a server can read each request with that request's tools.
    #[must_use]
    pub fn for_tools(&self, tools: &ToolSet) -> Program {
        Program::new(Arc::clone(&self.rules), tools, self.limits.clone())
    }

    fn new(rules: Arc<Rules>, tools: &ToolSet, limits: Limits) -> Program {
        let tools = ToolIndex::new(tools);
        let mut openers = Vec::new();
        for way in &rules.ways {
            let dialect = &rules.dialects[usize::from(way.dialect)];
            way.expand(dialect, &tools, &mut openers);
        }
        yield_to_fixed(&rules, &tools, &mut openers);
        Program {
            openers: Openers::new(&rules.nodes, openers.iter(), &rules.bodies_first),
            trie: Trie::new(openers),
            rules,
            tools,
            limits,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.rules.nodes[id as usize]
    }

    /// Whether the entry ends at `id`.
    pub(crate) fn is_end(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Match)
    }

    /// The role of the rule that starts at `id`, and the tool that it fixes.
    pub(crate) fn entered(&self, id: NodeId) -> Option<(RuleRole, Option<&str>)> {
        match self.node(id) {
            Node::Enter { role, tool, .. } => Some((*role, tool.as_deref())),
            _ => None,
        }
    }

    /// The raw value at `id`.
    pub(crate) fn text(&self, id: NodeId) -> Option<&TextNode> {
        match self.node(id) {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The node after the body at `id`.
    pub(crate) fn after_body(&self, id: NodeId) -> NodeId {
        analyze::nexts(self.node(id))[0]
    }

    /// Whether the literal at `id` opens something: a capture, attributes or a body follows it.
    pub(crate) fn opens(&self, id: NodeId) -> bool {
        analyze::is_opener(&self.rules.nodes, id)
    }

    /// Whether an id or a name space may be read from `id` on, before the arguments.
    pub(crate) fn awaits_head(&self, id: NodeId) -> bool {
        self.dialect_of(id).late_head && analyze::has_late_head(&self.rules.nodes, id)
    }

    /// The compiled dialect of that name.
    pub(crate) fn dialect_named(&self, name: &Arc<str>) -> Option<&CompiledDialect> {
        let mut dialects = self.rules.dialects.iter();
        dialects.find(|dialect| Arc::ptr_eq(&dialect.name, name))
    }

    /// Whether only closers are missing from `id` to the end of the call.
    pub(crate) fn closes(&self, id: NodeId) -> bool {
        analyze::to_call_end(&self.rules.nodes, id).0
    }

    /// Whether a key or a body may come between `id` and the end of the call.
    pub(crate) fn leads_to_values(&self, id: NodeId) -> bool {
        analyze::to_call_end(&self.rules.nodes, id).1
    }

    /// Whether the message may end at `id`.
    pub(crate) fn ends_message(&self, id: NodeId) -> bool {
        analyze::reaches_end(&self.rules.nodes, id)
    }

    /// Whether two literals are the same and end their entry.
    pub(crate) fn ends_alike(&self, one: NodeId, other: NodeId) -> bool {
        let ends = |next: NodeId| match self.node(next) {
            Node::Exit { next, .. } => self.is_end(*next),
            _ => false,
        };
        let last_literal = |id: NodeId| match self.node(id) {
            Node::Literal { bytes, next, .. } if ends(*next) => Some(bytes),
            _ => None,
        };
        let literal = last_literal(one);
        one == other || literal.is_some() && literal == last_literal(other)
    }

    /// The raw value whose key the capture at `id` reads.
    pub(crate) fn value_after(&self, id: NodeId) -> Option<&TextNode> {
        let leads = |node: &Node| matches!(node, Node::Literal { .. }) || node.is_blank();
        self.text(analyze::past(&self.rules.nodes, id, leads))
    }

    /// Whether only nodes that `passes` accepts come between `id` and the end of the entry.
    pub(crate) fn ends_past(&self, id: NodeId, passes: impl Fn(&Node) -> bool) -> bool {
        self.is_end(analyze::past(&self.rules.nodes, id, passes))
    }

    pub(crate) fn dialect_of(&self, id: NodeId) -> &CompiledDialect {
        &self.rules.dialects[usize::from(self.dialect_index(id))]
    }

    /// The literals that entries of the node's dialect start with.
    pub(crate) fn starts(&self, id: NodeId) -> &Arc<[alloc::string::String]> {
        &self.rules.starts[usize::from(self.dialect_index(id))]
    }

    /// Which dialect the node belongs to, in the order of the program.
    pub(crate) fn dialect_index(&self, id: NodeId) -> u16 {
        self.rules.node_dialect[id as usize]
    }

    /// Whether the node belongs to the wrapper fence.
    pub(crate) fn wraps(&self, id: NodeId) -> bool {
        self.dialect_index(id) == self.rules.wrap
    }

    /// Whether a model's spelling of a name means a tool that the dialect knows.
    pub(crate) fn means(&self, dialect: &CompiledDialect, name: &str) -> bool {
        self.knows(dialect, name) || self.tools.meant(name).is_some()
    }

    /// Whether the dialect knows a tool of that name.
    pub(crate) fn knows(&self, dialect: &CompiledDialect, name: &str) -> bool {
        if self.tools.is_empty() {
            dialect.taught.contains(name)
        } else {
            self.tools.find(name).is_some()
        }
    }
}

/// After the marker of a rule for one tool (`call python = "<|python_tag|>" ..`) only a known name opens a Python call.
/// If that tool is known, no name does: all text after the marker is for it.
fn yield_to_fixed(rules: &Rules, tools: &ToolIndex, openers: &mut Vec<Opener>) {
    let tool_of = |&enter: &NodeId| match &rules.nodes[enter as usize] {
        Node::Enter { tool, .. } => tool.as_deref(),
        _ => None,
    };
    let fixed: Vec<(Box<[u8]>, bool)> = openers
        .iter()
        .filter_map(|opener| {
            let tool = opener.enters.iter().find_map(tool_of)?;
            Some((opener.bytes.clone(), tools.find(tool).is_some()))
        })
        .collect();
    openers.retain(|opener| {
        let is_py = ways::leads_to_python(&rules.nodes, opener.target);
        let (marker, name) = opener.bytes.split_at(opener.bytes.len() - opener.name);
        let yields = |(bytes, is_known): &(Box<[u8]>, bool)| {
            **bytes == *marker && (*is_known || name.is_empty())
        };
        !(is_py && opener.mark && fixed.iter().any(yields))
    });
}
