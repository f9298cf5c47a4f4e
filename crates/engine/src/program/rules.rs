//! The part of a program that does not depend on the tools.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::ways::{Opener, Way, ways};
use super::{ByteSet, Node, NodeId, RuleRole, analyze, build};
use crate::grammar::check::arguments::has_flags;
use crate::grammar::{Capture, Dialect, GrammarError, Values};

/// The languages of fences that wrap calls; such a fence may also have no language. (`json`, `xml`: tool calls of many
/// models; `python`, `tool_code`: gemma and llama; `plaintext`: seen in the Berkeley function-calling answers.)
pub(crate) const WRAPPERS: [&str; 7] = [
    "json",
    "python",
    "py",
    "xml",
    "tool_code",
    "plaintext",
    "text",
];

/// The wrapper that starts a message: an entry of every program, after all others. Its line is markup.
fn wrap() -> String {
    let languages = WRAPPERS
        .map(|language| format!("\"{language}\""))
        .join(" | ");
    format!(
        "dialect wrap\nstop = message_start (\"```\" \"`\"* | \"~~~\" \"~\"*) ({languages})? \" \"* (\"\\n\" | \"\\r\\n\")\n"
    )
}

/// Dialects as one graph, and the ways into it. Programs for different tools share it.
pub(crate) struct Rules {
    pub(crate) nodes: Vec<Node>,
    pub(super) node_dialect: Vec<u16>,
    pub(super) dialects: Vec<CompiledDialect>,
    /// Ways into entries that start with a literal or a known name, in order.
    pub(super) ways: Vec<Way>,
    /// Ways into entries that start with a body, in order.
    pub(crate) bodies: Vec<Opener>,
    /// The bytes that those bodies start with.
    pub(crate) bodies_first: ByteSet,
    /// The dialect of the wrapper fence.
    pub(super) wrap: u16,
    /// The node of all openers.
    pub(crate) trie_node: NodeId,
    /// For each dialect, the literals that its entries start with and ordinary text does not.
    pub(crate) starts: Vec<Arc<[String]>>,
    /// The texts of all `think` rules: after a prompt that ends inside reasoning, a message starts in any of them.
    pub(crate) reasoning: Vec<NodeId>,
}

/// The part of a dialect that is needed after its rules are compiled.
#[derive(Clone, Debug)]
pub(crate) struct CompiledDialect {
    pub(crate) name: Arc<str>,
    pub(crate) values: Values,
    /// Names that the dialect teaches: known if there are no tools.
    pub(crate) taught: BTreeSet<String>,
    /// Names that occur in instructions, not in calls.
    pub(crate) refuse: Vec<String>,
    /// Words in place of a name that mean that no tool is called.
    none: Vec<String>,
    /// `TOOL.ARGUMENT`: the argument is empty if a call of a rule for this tool lacks it.
    pub(crate) empty: Vec<String>,
    /// How an id is spelt from its capture.
    pub(crate) id: Option<String>,
    /// An id or a name space may come between a name and the arguments.
    pub(crate) late_head: bool,
    /// A line may start with a Python call, without a literal before it.
    pub(crate) reads_lines: bool,
    /// A `key` may have no value; its value is `true` then.
    pub(crate) has_flags: bool,
}

impl CompiledDialect {
    /// Whether `name` is a word in place of a name that means that no tool is called.
    pub(crate) fn is_no_tool(&self, name: &str) -> bool {
        self.none.iter().any(|none| none == name)
    }
}

impl core::fmt::Debug for Rules {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Rules {{ nodes: {} }}", self.nodes.len())
    }
}

impl Rules {
    pub(super) fn new(mut all: Vec<Dialect>) -> Result<Rules, GrammarError> {
        let is_union = all.len() > 1;
        all.extend(Dialect::parse(&wrap(), &[])?);
        let mut graph = build::build(&all)?;
        analyze::analyze(&mut graph, &all)?;
        let build::Graph {
            mut nodes,
            dialect: mut node_dialect,
            span,
            entries,
        } = graph;
        let mut compiled: Vec<CompiledDialect> = all
            .iter()
            .map(|dialect| CompiledDialect {
                name: dialect.name().into(),
                values: dialect.values.clone(),
                taught: dialect.list("tools").into_iter().collect(),
                refuse: dialect.list("not_tools"),
                none: dialect.list("no_tool"),
                empty: dialect.list("empty_if_absent"),
                id: dialect.id_spelling().map(String::from),
                late_head: false,
                reads_lines: false,
                has_flags: has_flags(dialect),
            })
            .collect();
        for (node, &dialect) in nodes.iter().zip(&node_dialect) {
            if let Node::Capture(capture) = node
                && capture.what == Capture::Name
            {
                let has_late_head = analyze::has_late_head(&nodes, capture.next);
                compiled[usize::from(dialect)].late_head |= has_late_head;
            }
        }
        let mut seen = BTreeSet::new();
        let (mut start, mut bodies) = (Vec::new(), Vec::new());
        let mut reasoning = Vec::new();
        let mut starts = alloc::vec![Vec::new(); all.len()];
        for entry in entries {
            // In a union, an entry that may start like any text is text.
            let is_say =
                |node: &Node| matches!(node, Node::Enter { role, .. } if *role == RuleRole::Say);
            let dialect = &all[usize::from(entry.dialect)];
            let is_alone = is_union && dialect.setting("auto_without").is_some();
            if is_alone && is_say(&nodes[entry.node as usize]) || !seen.insert(entry.signature) {
                continue;
            }
            starts[usize::from(entry.dialect)].extend(analyze::starts(&nodes, entry.node));
            let found = ways(&nodes, entry.node, entry.dialect);
            let refused = |message: &str, help: &str| {
                let place = span[entry.node as usize].clone();
                Err(GrammarError::new(place, message)
                    .help(help)
                    .of(dialect.name()))
            };
            if found.is_many {
                let why = "too many ways into an entry: too many optional parts at its start";
                return refused(why, "start the rule with a literal");
            }
            if found.unbounded {
                let help = "start the rule with a literal, `{` of json or object(..), or let another rule refer to it";
                return refused("an entry that starts with no literal", help);
            }
            compiled[usize::from(entry.dialect)].reads_lines |= found.reads_lines;
            start.extend(found.start);
            bodies.extend(found.bodies);
            reasoning.extend(analyze::reasoning(&nodes, entry.node));
        }
        let mut bodies_first = ByteSet::default();
        for body in &bodies {
            let (first, _) = analyze::first(&nodes, body.target);
            bodies_first.add(&first);
        }
        let wrap = (all.len() - 1) as u16;
        let trie_node = nodes.len() as NodeId;
        nodes.push(Node::Trie);
        node_dialect.push(0);
        Ok(Rules {
            nodes,
            node_dialect,
            dialects: compiled,
            ways: start,
            bodies,
            bodies_first,
            wrap,
            trie_node,
            starts: starts.into_iter().map(Arc::from).collect(),
            reasoning,
        })
    }
}
