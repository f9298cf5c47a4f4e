//! All openers of a program, as one trie over classes of bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::bytes::ByteSet;
use super::ways::Opener;

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
    /// For each state, whether an edge leaves it.
    continues: Vec<bool>,
}

impl Trie {
    pub(super) fn new(openers: Vec<Opener>) -> Trie {
        // Bytes that no opener holds share class 0. If one opener ignores case, letters share a class in both cases,
        // and a complete opener is checked by `Opener::fits`.
        let fold = openers.iter().any(|opener| opener.fold);
        let folded = |byte: u8| {
            if fold {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        let mut used = ByteSet::default();
        let bytes = openers.iter().flat_map(|opener| &opener.bytes);
        bytes.for_each(|&byte| used.insert(folded(byte)));
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
            continues: alloc::vec![false],
        };
        for opener in openers {
            let bytes = opener.bytes.iter();
            let state = bytes.fold(0, |state, &byte| trie.edge(state, byte));
            trie.complete[usize::from(state)].push(opener);
        }
        trie
    }

    fn edge(&mut self, state: State, byte: u8) -> State {
        let at = usize::from(state) * self.width + usize::from(self.classes[usize::from(byte)]);
        if self.edges[at] == DEAD {
            self.edges[at] = self.complete.len() as State;
            self.complete.push(Vec::new());
            self.continues.push(false);
            self.continues[usize::from(state)] = true;
            self.edges.resize(self.edges.len() + self.width, DEAD);
        }
        self.edges[at]
    }

    pub(crate) fn step(&self, state: State, byte: u8) -> Option<State> {
        let to = self.edges
            [usize::from(state) * self.width + usize::from(self.classes[usize::from(byte)])];
        (to != DEAD).then_some(to)
    }

    /// Walks over `bytes` as far as an opener continues. Returns where it stopped, and the openers complete there, if
    /// one of them `counts`. If it stops before the end without openers, no opener starts so.
    pub(crate) fn walk(
        &self,
        bytes: &[u8],
        counts: impl Fn(&Opener) -> bool,
    ) -> (usize, &[Opener]) {
        let mut state = 0;
        for (n, &byte) in bytes.iter().enumerate() {
            let Some(next) = self.step(state, byte) else {
                return (n, &[]);
            };
            state = next;
            let openers = self.complete(state);
            if !openers.is_empty() && openers.iter().any(&counts) {
                return (n + 1, openers);
            }
        }
        (bytes.len(), &[])
    }

    /// The openers that end in `state`, in order of priority.
    pub(crate) fn complete(&self, state: State) -> &[Opener] {
        &self.complete[usize::from(state)]
    }

    pub(crate) fn has_children(&self, state: State) -> bool {
        self.continues[usize::from(state)]
    }
}
