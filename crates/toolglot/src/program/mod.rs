//! Dialects compiled for a tool set.
//!
//! A dialect becomes a graph of nodes, a program is all graphs side by side; entries that read the same are one. The
//! openers of all entries are a trie, which the machine runs as one position of its state.

mod analyze;
mod build;
mod bytes;
mod check;
mod node;
mod openers;
mod trie;

pub(crate) use analyze::{may_be_empty, takes};
pub(crate) use bytes::{ByteSet, is_blank};
pub(crate) use node::{AttrsNode, CaptureNode, Node, NodeId, RuleRole, TextNode, Trim};
use openers::Openers;
pub(crate) use trie::{Opener, Trie};

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::grammar::{Dialect, GrammarError, Values};
use crate::{Limits, Tool, ToolSet};

/// The wrapper fence: an entry of every program, behind all others. A fence that opens a message and names a data
/// format, or nothing, wraps calls; its line is markup. (`json`, `xml`: tool calls of many models; `python`,
/// `tool_code`: gemma and llama; `plaintext`: seen in the Berkeley function-calling answers.)
const WRAP: &str = r#"dialect wrap
stop = start "```" ("json" | "python" | "py" | "xml" | "tool_code" | "plaintext" | "text")? " "* ("\n" | "\r\n")
"#;

/// A set of dialects compiled for a tool set: immutable, shared between parsers.
pub struct Program {
    pub(crate) nodes: Vec<Node>,
    pub(crate) node_dialect: Vec<u16>,
    pub(crate) dialects: Vec<CompiledDialect>,
    pub(crate) trie: Trie,
    /// Ways into entries that begin with a body, in order.
    pub(crate) bodies: Vec<Opener>,
    /// Finds what can begin an entry.
    pub(crate) openers: Openers,
    /// The bytes that those begin with.
    pub(crate) bodies_first: ByteSet,
    /// The dialect of the wrapper fence.
    pub(crate) wrap: u16,
    /// The position of all openers.
    pub(crate) trie_node: NodeId,
    /// The texts of all `think` rules: a prompt that ends inside reasoning begins in any of them.
    pub(crate) reasoning: Vec<NodeId>,
    pub(crate) tools: ToolIndex,
    pub(crate) limits: Limits,
}

/// What is left of a dialect behind its rules.
#[derive(Clone, Debug)]
pub(crate) struct CompiledDialect {
    pub(crate) name: Arc<str>,
    pub(crate) values: Values,
    /// Known names, where only the name marks a call. Empty: any plausible one.
    pub(crate) names: BTreeSet<String>,
    /// Names that stand in instructions, not in calls.
    pub(crate) refuse: Vec<String>,
    /// How an id is spelt from what is captured.
    pub(crate) id: Option<String>,
}

/// Tools by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolIndex {
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
    /// The names of each tool's parameters.
    keys: Vec<Arc<[String]>>,
}

impl ToolIndex {
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn tool(&self, index: usize) -> &Tool {
        &self.tools[index]
    }

    /// The names of the tool's parameters.
    pub(crate) fn keys(&self, index: usize) -> &Arc<[String]> {
        &self.keys[index]
    }
}

impl core::fmt::Debug for Program {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let names: Vec<&str> = self.dialects.iter().map(|dialect| &*dialect.name).collect();
        f.debug_struct("Program")
            .field("dialects", &names)
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Compiles `dialects` for `tools`; earlier dialects have priority where the bytes cannot tell.
    ///
    /// # Errors
    /// What the rules leave undecided or unending, with the dialect's name and what to write instead.
    pub fn compile(
        dialects: &[Dialect],
        tools: &ToolSet,
        limits: Limits,
    ) -> Result<Program, GrammarError> {
        let mut all = dialects.to_vec();
        all.extend(Dialect::parse(WRAP, &[])?);
        let mut graph = build::build(&all)?;
        analyze::analyze(&mut graph, &all)?;
        let build::Graph {
            mut nodes,
            dialect: mut node_dialect,
            span,
            entries,
        } = graph;
        let tools = ToolIndex {
            tools: tools.iter().cloned().collect(),
            by_name: tools
                .iter()
                .enumerate()
                .map(|(n, tool)| (tool.name.clone(), n))
                .collect(),
            keys: tools
                .iter()
                .map(|tool| {
                    let names = tool
                        .parameters
                        .properties
                        .iter()
                        .map(|(name, _)| name.clone());
                    names.collect()
                })
                .collect(),
        };
        let compiled: Vec<CompiledDialect> = all
            .iter()
            .map(|dialect| CompiledDialect {
                name: dialect.name().into(),
                values: dialect.values.clone(),
                names: if tools.is_empty() {
                    dialect.list("tools").into_iter().collect()
                } else {
                    tools.by_name.keys().cloned().collect()
                },
                refuse: dialect.list("refuse"),
                id: dialect.id_spelling().map(String::from),
            })
            .collect();
        let mut seen = BTreeSet::new();
        let (mut openers, mut bodies) = (Vec::new(), Vec::new());
        let mut reasoning = Vec::new();
        for entry in entries {
            if !seen.insert(entry.signature.clone()) {
                continue;
            }
            let dialect = &compiled[usize::from(entry.dialect)];
            let names: Vec<String> = dialect
                .names
                .iter()
                .chain(&dialect.refuse)
                .cloned()
                .collect();
            let ways = trie::ways(
                &nodes,
                entry.node,
                if dialect.names.is_empty() {
                    &[]
                } else {
                    &names
                },
            );
            if ways.unbounded {
                return Err(GrammarError::new(span[entry.node as usize].clone(), "an entry that begins with no literal")
                    .help("begin the rule with a literal, `{` of json or object(..), or let another rule refer to it")
                    .of(&dialect.name));
            }
            openers.extend(ways.openers);
            bodies.extend(ways.bodies);
            reasoning.extend(analyze::reasoning(&nodes, entry.node));
        }
        let mut begins = Openers::new();
        for opener in &openers {
            opener.begin(&nodes, &mut begins);
        }
        let trie = Trie::new(openers);
        let mut bodies_first = ByteSet::default();
        for body in &bodies {
            let (first, _) = analyze::first(&nodes, body.target);
            first
                .iter()
                .for_each(|byte| begins.add(byte, &ByteSet::ALL));
            bodies_first.add(&first);
        }
        begins.seal();
        let wrap = (all.len() - 1) as u16;
        let trie_node = nodes.len() as NodeId;
        nodes.push(Node::Trie);
        node_dialect.push(0);
        Ok(Program {
            nodes,
            node_dialect,
            dialects: compiled,
            openers: begins,
            trie,
            bodies,
            bodies_first,
            wrap,
            trie_node,
            reasoning,
            tools,
            limits,
        })
    }

    /// Whether something that is read can begin with `bytes`: a whole opener, or what a body begins with.
    pub(crate) fn can_open(&self, bytes: &[u8]) -> bool {
        let mut state = 0;
        for &byte in bytes {
            match self.trie.step(state, byte) {
                None => break,
                Some(next) if self.trie.complete(next).is_empty() => state = next,
                Some(_) => return true,
            }
        }
        bytes
            .first()
            .is_some_and(|&byte| self.bodies_first.has(byte))
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Whether the literal at `id` opens something: a capture, attributes or a body stands behind it.
    pub(crate) fn opens(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Literal { .. } | Node::Template { .. })
            && analyze::is_opener(&self.nodes, id)
    }

    /// What is left of the dialect of that name.
    pub(crate) fn dialect_named(&self, name: &Arc<str>) -> Option<&CompiledDialect> {
        self.dialects
            .iter()
            .find(|dialect| Arc::ptr_eq(&dialect.name, name))
    }

    /// Whether the message's end may stand at `id`.
    pub(crate) fn ends_message(&self, id: NodeId) -> bool {
        analyze::reaches_end(&self.nodes, id)
    }

    /// Whether two literals are the same and end their entry.
    pub(crate) fn ends_alike(&self, one: NodeId, other: NodeId) -> bool {
        let (
            Node::Literal { bytes: a, next, .. },
            Node::Literal {
                bytes: b,
                next: other_next,
                ..
            },
        ) = (self.node(one), self.node(other))
        else {
            return one == other;
        };
        let ends = |next: NodeId| match self.node(next) {
            Node::Exit { next, .. } => matches!(self.node(*next), Node::Match),
            _ => false,
        };
        one == other || a == b && ends(*next) && ends(*other_next)
    }

    /// The raw value whose key the capture at `id` reads.
    pub(crate) fn value_behind(&self, id: NodeId) -> Option<&TextNode> {
        let Node::Capture(capture) = self.node(id) else {
            return None;
        };
        let mut at = capture.next;
        loop {
            match self.node(at) {
                Node::Literal { next, .. } | Node::Ws { next } | Node::Nl { next } => at = *next,
                Node::Text(text) => return Some(text),
                _ => return None,
            }
        }
    }

    pub(crate) fn dialect_of(&self, id: NodeId) -> &CompiledDialect {
        &self.dialects[usize::from(self.node_dialect[id as usize])]
    }
}
