//! The ways into entries: their openers as the rules give them, also followed by the names of known tools.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::analyze;
use super::bytes::ByteSet;
use super::node::{Node, NodeId};
use super::rules::CompiledDialect;
use super::tool_index::ToolIndex;
use crate::grammar::Capture;

/// A way into an entry: the acts on the way, and where a thread continues after the opener.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opener {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) fold: bool,
    /// `Enter` nodes on the way.
    pub(crate) enters: Vec<NodeId>,
    /// The thread's node after the opener. For a name in the trie this is the capture, with `name` bytes of it read.
    pub(crate) target: NodeId,
    pub(crate) name: usize,
    pub(crate) bol: bool,
    pub(crate) start: bool,
    pub(crate) mark: bool,
    /// A Python call may come after `x =` on its line.
    pub(crate) may_be_assigned: bool,
}

impl Opener {
    /// The bytes that may be at `n`.
    pub(super) fn cases(&self, n: usize) -> [u8; 2] {
        let byte = self.bytes[n];
        if self.fold {
            [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
        } else {
            [byte; 2]
        }
    }

    /// The bytes that may be second. After an opener of one byte these are the first bytes of its target.
    pub(super) fn seconds(&self, nodes: &[Node]) -> ByteSet {
        if self.bytes.len() > 1 {
            return ByteSet::of(&self.cases(1));
        }
        // After a name of one byte comes any byte that ends the name.
        if self.name > 0 {
            return ByteSet::ALL;
        }
        analyze::first_after(nodes, self.target)
    }

    /// Whether `text` spells the opener in the letter case that it asks for.
    pub(crate) fn fits(&self, text: &[u8]) -> bool {
        *text == *self.bytes || self.fold && text.eq_ignore_ascii_case(&self.bytes)
    }
}

/// How a tool's name ends an opener.
#[derive(Clone, Copy, Debug)]
enum Spelling {
    /// As it is.
    Name,
    /// Also its first word: Markdown writers escape the sign between words (`get\\_weather`).
    Stem,
}

/// One way into an entry.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) dialect: u16,
    /// The opener where no name is known, if the entry has one then.
    plain: Option<Opener>,
    /// The opener before a name.
    named: Option<(Opener, Spelling)>,
}

impl Way {
    /// Adds its openers for these tools.
    pub(super) fn expand<'a>(
        &self,
        dialect: &'a CompiledDialect,
        tools: &'a ToolIndex,
        out: &mut Vec<Opener>,
    ) {
        let is_closed = !(tools.is_empty() && dialect.taught.is_empty());
        let Some((opener, spelling)) = self.named.as_ref().filter(|_| is_closed) else {
            out.extend(self.plain.clone());
            return;
        };
        let taught = dialect.taught.iter().map(String::as_str);
        let taught = taught.filter(|_| tools.is_empty());
        let refused = dialect.refuse.iter().map(String::as_str);
        let names = tools.names().chain(tools.dotless());
        let names = names.chain(taught).chain(refused);
        let mut add = |name: &str| {
            let mut opener = opener.clone();
            opener.bytes = [&*opener.bytes, name.as_bytes()].concat().into();
            opener.name = name.len();
            out.push(opener);
        };
        match spelling {
            Spelling::Name => names.for_each(add),
            Spelling::Stem => {
                let first_word = |name: &'a str| name.find('_').map_or("", |at| &name[..at]);
                let stems = names.flat_map(|name| [name, first_word(name)]);
                let mut stems: BTreeSet<&str> = stems.collect();
                stems.remove("");
                stems.into_iter().for_each(&mut add);
            }
        }
    }
}

/// The ways into an entry, and the bodies that it can start with.
#[derive(Default)]
pub(super) struct Ways {
    dialect: u16,
    pub(super) start: Vec<Way>,
    pub(super) bodies: Vec<Opener>,
    /// The entry can start with something that no scan can find.
    pub(super) unbounded: bool,
    /// The walk was stopped: too many ways lead into the entry.
    pub(super) is_many: bool,
    /// Visited nodes, each with the conditions and acts on the way there.
    seen: BTreeSet<(NodeId, bool, bool, Vec<NodeId>)>,
    /// The entry can be a Python call at the start of a line, without a literal before it.
    pub(super) reads_lines: bool,
}

impl Ways {
    fn add(&mut self, plain: Option<Opener>, named: Option<(Opener, Spelling)>) {
        self.start.push(Way {
            dialect: self.dialect,
            plain,
            named,
        });
    }
}

/// Walks into an entry of a dialect up to its first literals.
pub(super) fn ways(nodes: &[Node], entry: NodeId, dialect: u16) -> Ways {
    let mut ways = Ways {
        dialect,
        ..Ways::default()
    };
    let plain = Opener {
        target: entry,
        ..Opener::default()
    };
    walk(nodes, entry, plain, &mut ways, 0);
    ways
}

/// Most nodes in a row before the first literal of an entry.
const DEPTH: usize = 64;
/// Most visited nodes before the first literal in all, each counted once for each way there.
const WAYS: usize = 4096;

fn walk(nodes: &[Node], at: NodeId, mut way: Opener, ways: &mut Ways, depth: usize) {
    if depth > DEPTH || ways.seen.len() > WAYS {
        ways.is_many = true;
        return;
    }
    // Ways that lead to the same state are one.
    if !(ways.seen).insert((at, way.bol, way.start, way.enters.clone())) {
        return;
    }
    let mut follow = |next: NodeId, way: Opener| walk(nodes, next, way, ways, depth + 1);
    match &nodes[at as usize] {
        Node::Split(all) => all.iter().for_each(|&next| follow(next, way.clone())),
        Node::Enter { next, .. } => {
            way.enters.push(at);
            follow(*next, way);
        }
        Node::Exit { next, .. } | Node::Ws { next } | Node::Nl { next } => follow(*next, way),
        Node::Bol { next } => {
            way.bol = true;
            follow(*next, way);
        }
        Node::Start { next } => {
            way.start = true;
            follow(*next, way);
        }
        Node::Literal {
            bytes,
            fold,
            mark,
            next,
        } => {
            way.bytes.clone_from(bytes);
            (way.fold, way.mark, way.target) = (*fold, *mark, *next);
            let mut search = NameSearch::default();
            let name = name_after(nodes, *next, &mut search);
            let named = |target: NodeId| Opener {
                enters: [&*way.enters, &*search.enters].concat(),
                target,
                ..way.clone()
            };
            match name {
                // The marker opens more than a name, so it is also an opener without a name.
                Some(name) if is_python(nodes, name) && *mark => {
                    let named = named(name);
                    ways.add(Some(way), None);
                    ways.add(None, Some((named, Spelling::Name)));
                }
                // Like a Python call without a literal before it.
                Some(name) if is_python(nodes, name) && (way.bol || way.start) => {
                    ways.add(None, Some((named(name), Spelling::Stem)));
                }
                Some(name) if !is_python(nodes, name) && !*mark => {
                    let named = named(name);
                    ways.add(Some(way), Some((named, Spelling::Name)));
                }
                _ => ways.add(Some(way), None),
            }
        }
        Node::Json { .. } | Node::Object(_) => {
            way.target = at;
            ways.bodies.push(way);
        }
        // At the start of a line a known name alone opens an entry. Without known names nothing does.
        Node::Py { .. } if way.bol || way.start => {
            (way.target, way.may_be_assigned) = (at, way.bol);
            ways.reads_lines |= way.bol;
            ways.add(None, Some((way, Spelling::Stem)));
        }
        Node::Capture(capture) if capture.what == Capture::Name && (way.bol || way.start) => {
            way.target = at;
            ways.add(None, Some((way, Spelling::Name)));
        }
        _ => ways.unbounded = true,
    }
}

/// Whether a Python call may be at a node.
pub(super) fn leads_to_python(nodes: &[Node], at: NodeId) -> bool {
    let name = name_after(nodes, at, &mut NameSearch::default());
    name.is_some_and(|name| is_python(nodes, name))
}

fn is_python(nodes: &[Node], at: NodeId) -> bool {
    matches!(nodes[at as usize], Node::Py { .. })
}

/// The search for a name: the acts on the way, and the visited choices.
#[derive(Default)]
struct NameSearch {
    enters: Vec<NodeId>,
    seen: BTreeSet<NodeId>,
}

/// The name or the Python call right after a literal, by the first way that leads to one. The acts between are in
/// `search`.
fn name_after(nodes: &[Node], mut at: NodeId, search: &mut NameSearch) -> Option<NodeId> {
    let depth = search.enters.len();
    while let Node::Enter { next, .. } = &nodes[at as usize] {
        search.enters.push(at);
        at = *next;
    }
    let found = match &nodes[at as usize] {
        Node::Split(all) if search.seen.insert(at) && search.enters.len() < 16 => {
            let mut ways = all.iter();
            ways.find_map(|&next| name_after(nodes, next, search))
        }
        Node::Capture(capture) if capture.what == Capture::Name => Some(at),
        Node::Py { .. } => Some(at),
        _ => None,
    };
    if found.is_none() {
        search.enters.truncate(depth);
    }
    found
}
