//! The tools a program is compiled for: names, and the shapes of their arguments.

use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::{Fields, Shape};

/// One tool, as far as reading needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Fields,
}

/// The tools of a conversation. An empty set knows no name, and accepts any name after a marker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSet {
    tools: Vec<Tool>,
}

impl ToolSet {
    /// The set of these tools; of two with one name the later is dropped.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> ToolSet {
        let mut set = ToolSet::default();
        for tool in tools {
            if set.get(&tool.name).is_none() {
                set.tools.push(tool);
            }
        }
        set
    }

    /// The tool of that name. Linear in the number of tools; the compiler makes its own index.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The tools, in order.
    pub fn iter(&self) -> core::slice::Iter<'_, Tool> {
        self.tools.iter()
    }

    /// Whether the set has no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The shape of `tool`'s parameter `key`, if declared.
    pub fn shape(&self, tool: &str, key: &str) -> Option<&Shape> {
        self.get(tool)?.parameters.get(key)
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a Tool;
    type IntoIter = core::slice::Iter<'a, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
