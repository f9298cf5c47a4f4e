//! The tools of a program by name.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;

use crate::body::space;
use crate::{Tool, ToolSet};

/// Tools by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolIndex {
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
    /// Tools by their names with every separator spelt `_`; `None` if several share that spelling.
    by_words: BTreeMap<String, Option<usize>>,
    pub(crate) names: Arc<[String]>,
    /// The names of each tool's parameters.
    keys: Vec<Arc<[String]>>,
}

impl ToolIndex {
    pub(super) fn new(tools: &ToolSet) -> ToolIndex {
        let (mut by_words, mut by_name) = (BTreeMap::new(), BTreeMap::new());
        for (n, tool) in tools.iter().enumerate() {
            let same_words = by_words.entry(words(&tool.name));
            same_words
                .and_modify(|tool| *tool = None)
                .or_insert(Some(n));
            by_name.insert(tool.name.clone(), n);
        }
        let keys = |tool: &Tool| {
            let properties = tool.parameters.properties.iter();
            properties.map(|(name, _)| name.clone()).collect()
        };
        ToolIndex {
            by_words,
            by_name,
            names: tools.iter().map(|tool| tool.name.clone()).collect(),
            tools: tools.iter().cloned().collect(),
            keys: tools.iter().map(keys).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// The names, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The spelling without dots of names with dots, for APIs that forbid them.
    pub(super) fn dotless(&self) -> impl Iterator<Item = &str> {
        let is_other = |spelt: &&str| self.find(spelt).is_none();
        let dotted = |tool: &Option<usize>| tool.is_some_and(|n| self.names[n].contains('.'));
        let all = self.by_words.iter();
        all.filter(move |(_, tool)| dotted(tool))
            .map(|(spelt, _)| spelt.as_str())
            .filter(is_other)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The tool that a model's spelling of a name means, and the length in bytes of a name space before its name. That
    /// is one from instructions (`functions.f`), or the tool's own name again (`f.f`). If no other tool has that
    /// spelling, separators do not matter (`math_sqrt` for `math.sqrt`): OpenAI's API forbids dots.
    pub(crate) fn meant(&self, name: &str) -> Option<(usize, usize)> {
        let n_doubled = name
            .split_once('.')
            .filter(|(space, own)| space == own)
            .map_or(0, |(space, _)| space.len() + 1);
        let spaces = [space(name), n_doubled].into_iter();
        let mut spaces = once(0).chain(spaces.filter(|&n_space| n_space > 0));
        let exact = { spaces.clone() }.find_map(|n| Some((self.find(&name[n..])?, n)));
        exact.or_else(|| spaces.find_map(|n| Some((self.near(&name[n..])?, n))))
    }

    fn near(&self, name: &str) -> Option<usize> {
        if self.by_words.is_empty() {
            return None;
        }
        let is_plain = |c: char| c.is_alphanumeric() || joins(c);
        let is_name = !name.is_empty() && name.chars().all(is_plain);
        *self.by_words.get(&words(name)).filter(|_| is_name)?
    }

    pub(crate) fn tool(&self, index: usize) -> &Tool {
        &self.tools[index]
    }

    /// The names of the tool's parameters.
    pub(crate) fn keys(&self, index: usize) -> &Arc<[String]> {
        &self.keys[index]
    }
}

/// Whether `c` separates the words of a name.
fn joins(c: char) -> bool {
    matches!(c, '.' | '_' | '-')
}

fn words(name: &str) -> String {
    name.replace(joins, "_")
}
