//! The tools of a program by name.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

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

    pub(crate) fn tool(&self, index: usize) -> &Tool {
        &self.tools[index]
    }

    /// The names of the tool's parameters.
    pub(crate) fn keys(&self, index: usize) -> &Arc<[String]> {
        &self.keys[index]
    }
}
