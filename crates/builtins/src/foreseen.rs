//! The predicted state of the root after an undo, without the undo.
//!
//! ```text
//!   Directory ── a ── There(b)     `a` will be the present entry at `b`
//!             ── b ── Back(..)     `b` will be a file from the backups
//! ```
//!
//! A directory is read from the root when a lookup first enters it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Root;
use crate::journal::{State, state};
use crate::place::split;

/// The predicted state of the root.
#[derive(Debug)]
pub(crate) struct Foreseen<'a> {
    root: &'a Root,
    top: Node,
}

#[derive(Debug)]
enum Node {
    /// The present entry at this path of the root.
    There(PathBuf),
    /// A directory with its predicted entries.
    Directory(BTreeMap<OsString, Node>),
    /// A file that is restored.
    Back(State),
}

impl<'a> Foreseen<'a> {
    /// Starts from the present root.
    pub(crate) fn new(root: &'a Root) -> Foreseen<'a> {
        let top = Node::There(PathBuf::new());
        Foreseen { root, top }
    }

    /// The predicted state of a path.
    pub(crate) fn state(&self, path: &Path) -> State {
        let mut node = &self.top;
        let mut names = path.iter();
        loop {
            match node {
                Node::There(real) => {
                    let real: PathBuf = real.iter().chain(names).collect();
                    return state(self.root, &real).unwrap_or(State::Other);
                }
                Node::Directory(entries) => match names.next() {
                    None => return State::Directory,
                    Some(name) => match entries.get(name) {
                        None => return State::Missing,
                        Some(next) => node = next,
                    },
                },
                Node::Back(state) => match names.next() {
                    None => return state.clone(),
                    Some(_) => return State::Missing,
                },
            }
        }
    }

    /// Restores or removes a file. Returns whether that is possible.
    pub(crate) fn put(&mut self, path: &Path, state: State) -> bool {
        match state {
            State::Missing => self.take(path).is_some(),
            state => self.set(path, Node::Back(state)),
        }
    }

    /// Renames the entry at `from`. Returns whether that is possible.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path) -> bool {
        match self.take(from) {
            Some(node) => self.set(to, node),
            None => false,
        }
    }

    /// Removes a directory if it is empty. Returns whether it was removed.
    pub(crate) fn remove_empty(&mut self, path: &Path) -> bool {
        let is_empty = self
            .open(path, false)
            .is_some_and(|entries| entries.is_empty());
        is_empty && self.take(path).is_some()
    }

    fn take(&mut self, path: &Path) -> Option<Node> {
        let (parent, name) = split(path)?;
        self.open(parent, false)?.remove(name)
    }

    fn set(&mut self, path: &Path, node: Node) -> bool {
        let Some((parent, name)) = split(path) else {
            return false;
        };
        let entries = self.open(parent, true);
        entries.is_some_and(|entries| {
            entries.insert(name.to_owned(), node);
            true
        })
    }

    /// The entries of a directory; `makes` creates missing directories of the path.
    fn open(&mut self, path: &Path, makes: bool) -> Option<&mut BTreeMap<OsString, Node>> {
        let root = self.root;
        let mut entries = entries(&mut self.top, root)?;
        for name in path {
            if makes && !entries.contains_key(name) {
                entries.insert(name.to_owned(), Node::Directory(BTreeMap::new()));
            }
            entries = self::entries(entries.get_mut(name)?, root)?;
        }
        Some(entries)
    }
}

/// The entries of a directory; `None` for other nodes.
fn entries<'n>(node: &'n mut Node, root: &Root) -> Option<&'n mut BTreeMap<OsString, Node>> {
    if let Node::There(real) = node {
        let there = root.directory(real).ok()?.entries().ok()?;
        let there = there.flatten().map(|entry| entry.file_name());
        let there = there.map(|name| (name.clone(), Node::There(real.join(name))));
        *node = Node::Directory(there.collect());
    }
    match node {
        Node::Directory(entries) => Some(entries),
        Node::There(_) | Node::Back(_) => None,
    }
}
