//! The tools of a program by name.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::body::space;
use crate::{Tool, ToolSet};

/// Tools by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolIndex {
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
    /// The names of each tool's parameters.
    keys: Vec<Arc<[String]>>,
}

impl ToolIndex {
    pub(super) fn new(tools: &ToolSet) -> ToolIndex {
        ToolIndex {
            tools: tools.iter().cloned().collect(),
            by_name: tools
                .iter()
                .enumerate()
                .map(|(n, tool)| (tool.name.clone(), n))
                .collect(),
            keys: tools
                .iter()
                .map(|tool| {
                    let properties = tool.parameters.properties.iter();
                    properties.map(|(name, _)| name.clone()).collect()
                })
                .collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// The names, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The tool that a model's spelling of a name means, and how many bytes before its name are a name space that no tool
    /// has: one that instructions give (`functions.f`), or the tool's own name once more (`f.f`).
    pub(crate) fn meant(&self, name: &str) -> Option<(usize, usize)> {
        if let Some(tool) = self.find(name) {
            return Some((tool, 0));
        }
        let n_doubled = name
            .split_once('.')
            .filter(|(space, own)| space == own)
            .map_or(0, |(space, _)| space.len() + 1);
        [space(name), n_doubled]
            .into_iter()
            .filter(|&n_space| n_space > 0)
            .find_map(|n_space| Some((self.find(&name[n_space..])?, n_space)))
    }

    pub(crate) fn tool(&self, index: usize) -> &Tool {
        &self.tools[index]
    }

    /// The names of the tool's parameters.
    pub(crate) fn keys(&self, index: usize) -> &Arc<[String]> {
        &self.keys[index]
    }
}
