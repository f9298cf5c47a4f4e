//! All openers of a program, as one trie over classes of bytes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::analyze;
use super::bytes::ByteSet;
use super::node::{Node, NodeId};
use super::openers::Openers;
use crate::grammar::{Capture, Piece};

/// A state of the trie; 0 is the root.
pub(crate) type State = u16;

/// No edge. The root is never a target.
const DEAD: State = 0;

#[derive(Clone, Debug)]
pub(crate) struct Trie {
    classes: Box<[u8; 256]>,
    width: usize,
    edges: Vec<State>,
    complete: Vec<Vec<Opener>>,
}

/// A way into an entry: the acts passed on the way, and where a thread goes on behind the opener.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) fold: bool,
    /// `Enter` nodes on the way.
    pub(crate) enters: Vec<NodeId>,
    /// Where a thread stands then. For a name in the trie this is the capture, with `name` bytes of it read.
    pub(crate) target: NodeId,
    pub(crate) name: usize,
    pub(crate) bol: bool,
    pub(crate) start: bool,
    pub(crate) mark: bool,
}

impl Opener {
    /// Adds its first two bytes. Behind an opener of one byte stands what its target begins with.
    pub(super) fn begin(&self, nodes: &[Node], begins: &mut Openers) {
        let cases = |byte: u8| {
            if self.fold {
                ByteSet::of(&[byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
            } else {
                ByteSet::of(&[byte])
            }
        };
        let seconds = match self.bytes.get(1) {
            Some(&second) => cases(second),
            None => match analyze::first(nodes, self.target) {
                (first, false) => first,
                (_, true) => ByteSet::ALL,
            },
        };
        for first in cases(self.bytes[0]).iter() {
            begins.add(first, &seconds);
        }
    }
}

impl Trie {
    pub(super) fn new(openers: Vec<Opener>) -> Trie {
        // Bytes that no opener holds share class 0. If one opener ignores case, letters share a class in both cases,
        // and whoever completes an opener asks `Opener::fits`.
        let fold = openers.iter().any(|opener| opener.fold);
        let folded = |byte: u8| {
            if fold {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        let mut used = ByteSet::default();
        for opener in &openers {
            opener
                .bytes
                .iter()
                .for_each(|&byte| used.insert(folded(byte)));
        }
        let mut classes = Box::new([0u8; 256]);
        for (n, byte) in used.iter().enumerate() {
            classes[usize::from(byte)] = n as u8 + 1;
        }
        if fold {
            (b'A'..=b'Z').for_each(|byte| {
                classes[usize::from(byte)] = classes[usize::from(byte.to_ascii_lowercase())];
            });
        }
        let width = used.iter().count() + 1;
        let mut trie = Trie {
            classes,
            width,
            edges: alloc::vec![DEAD; width],
            complete: alloc::vec![Vec::new()],
        };
        for opener in openers {
            trie.insert(opener);
        }
        trie
    }

    fn insert(&mut self, opener: Opener) {
        let mut state = 0;
        for &byte in &opener.bytes {
            state = self.edge(state, byte);
        }
        self.complete[usize::from(state)].push(opener);
    }

    fn edge(&mut self, state: State, byte: u8) -> State {
        let at = usize::from(state) * self.width + usize::from(self.classes[usize::from(byte)]);
        if self.edges[at] == DEAD {
            self.edges[at] = self.complete.len() as State;
            self.complete.push(Vec::new());
            self.edges.resize(self.edges.len() + self.width, DEAD);
        }
        self.edges[at]
    }

    #[inline]
    pub(crate) fn step(&self, state: State, byte: u8) -> Option<State> {
        let to = self.edges
            [usize::from(state) * self.width + usize::from(self.classes[usize::from(byte)])];
        (to != DEAD).then_some(to)
    }

    /// The openers that end in `state`, in order of priority.
    #[inline]
    pub(crate) fn complete(&self, state: State) -> &[Opener] {
        &self.complete[usize::from(state)]
    }

    pub(crate) fn has_children(&self, state: State) -> bool {
        let from = usize::from(state) * self.width;
        self.edges[from..from + self.width]
            .iter()
            .any(|&to| to != DEAD)
    }
}

impl Opener {
    /// Whether `text` spells the opener in the letter case that it asks for.
    pub(crate) fn fits(&self, text: &[u8]) -> bool {
        if self.fold {
            text.eq_ignore_ascii_case(&self.bytes)
        } else {
            *text == *self.bytes
        }
    }
}

/// The ways into an entry, and the bodies that begin with a byte of their own.
pub(super) struct Ways {
    pub(super) openers: Vec<Opener>,
    pub(super) bodies: Vec<Opener>,
    /// The entry can begin with something that no scan can find.
    pub(super) unbounded: bool,
}

/// Walks into an entry up to its first literals. `names` are the known tools of the node's dialect, if its world is closed.
pub(super) fn ways(nodes: &[Node], entry: NodeId, names: &[String]) -> Ways {
    let mut ways = Ways {
        openers: Vec::new(),
        bodies: Vec::new(),
        unbounded: false,
    };
    let plain = Opener {
        bytes: Box::default(),
        fold: false,
        enters: Vec::new(),
        target: entry,
        name: 0,
        bol: false,
        start: false,
        mark: false,
    };
    walk(nodes, entry, plain, names, &mut ways, 0);
    ways
}

fn walk(
    nodes: &[Node],
    at: NodeId,
    mut way: Opener,
    names: &[String],
    ways: &mut Ways,
    depth: usize,
) {
    if depth > 64 {
        ways.unbounded = true;
        return;
    }
    let mut on = |next: NodeId, way: Opener| walk(nodes, next, way, names, ways, depth + 1);
    match &nodes[at as usize] {
        Node::Split(all) => all.iter().for_each(|&next| on(next, way.clone())),
        Node::Enter { next, .. } => {
            way.enters.push(at);
            on(*next, way);
        }
        Node::Exit { next, .. } | Node::Ws { next } | Node::Nl { next } => on(*next, way),
        Node::Bol { next } => {
            way.bol = true;
            on(*next, way);
        }
        Node::Start { next } => {
            way.start = true;
            on(*next, way);
        }
        Node::Literal {
            bytes,
            fold,
            mark,
            next,
        } => {
            way.bytes.clone_from(bytes);
            (way.fold, way.mark, way.target) = (*fold, *mark, *next);
            match name_behind(nodes, *next) {
                Some((enters, capture)) if !*mark && !names.is_empty() => {
                    for name in names {
                        let mut longer = bytes.to_vec();
                        longer.extend(name.as_bytes());
                        let mut way = way.clone();
                        way.bytes = longer.into();
                        way.enters.extend(&enters);
                        (way.target, way.name) = (capture, name.len());
                        ways.openers.push(way);
                    }
                }
                _ => ways.openers.push(way),
            }
        }
        Node::Template { pieces, fold, .. } => match pieces.first() {
            Some(Piece::Bytes(_)) => {
                // It begins at its own first byte: the whole literal is tried from there.
                way.target = at;
                way.fold = *fold;
                ways.bodies.push(way);
            }
            _ => ways.unbounded = true,
        },
        Node::Json { .. } | Node::Object(_) => {
            way.target = at;
            ways.bodies.push(way);
        }
        // Where a line begins, a known name opens an entry by itself. Without tools nothing does.
        Node::Py { .. } if way.bol || way.start => {
            let mut stems: Vec<&str> = Vec::new();
            for name in names {
                // Markdown writers escape what stands between words (`get\\_weather`): the call is told by its first word on.
                let stem = name.find('_').map_or("", |at| &name[..at]);
                stems.extend([name.as_str(), stem]);
            }
            stems.retain(|stem| !stem.is_empty());
            stems.sort_unstable();
            stems.dedup();
            for stem in stems {
                let mut way = way.clone();
                way.bytes = stem.as_bytes().into();
                (way.target, way.name) = (at, stem.len());
                ways.openers.push(way);
            }
        }
        Node::Capture(capture) if capture.what == Capture::Name && (way.bol || way.start) => {
            for name in names {
                let mut way = way.clone();
                way.bytes = name.as_bytes().into();
                (way.target, way.name) = (at, name.len());
                ways.openers.push(way);
            }
        }
        _ => ways.unbounded = true,
    }
}

/// A name right behind a literal, with the acts between.
fn name_behind(nodes: &[Node], mut at: NodeId) -> Option<(Vec<NodeId>, NodeId)> {
    let mut enters = Vec::new();
    loop {
        match &nodes[at as usize] {
            Node::Enter { next, .. } => {
                enters.push(at);
                at = *next;
            }
            Node::Capture(capture) if capture.what == Capture::Name => return Some((enters, at)),
            _ => return None,
        }
    }
}
