//! The tool sets that come with toolglot: the files in `data/`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toolglot_engine::{Fields, Shape, Tool, ToolSet};
use toolglot_value::Value;

use crate::toolbox::{Effect, Entry, Habits, ToolSpec, Toolbox};

const WORKSPACE: &str = include_str!("../data/workspace.json");
const VOCABULARY: &str = include_str!("../data/vocabulary.json");
const ROO: &str = include_str!("../data/roo.json");
const FORGE: &str = include_str!("../data/forge.json");
const AXE: &str = include_str!("../data/axe.json");
const TOOL_CALL: &str = include_str!("../data/tool_call.json");

/// A file of `data/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalog {
    /// Where the set comes from, for people.
    #[serde(rename = "about")]
    _about: String,
    /// Whether letter case of tools' names does not count.
    #[serde(default)]
    ignore_case: bool,
    /// Parameters that may are in a call of any tool.
    #[serde(default)]
    parameters_of_all: Vec<String>,
    tools: Vec<CatalogTool>,
}

/// A tool's habits stand beside its specification, each field under its own name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogTool {
    name: String,
    description: String,
    effect: Effect,
    parameters: Value,
    aliases: Vec<String>,
    parameter_aliases: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    file_lists: Vec<String>,
    #[serde(default)]
    element_lists: BTreeMap<String, String>,
    #[serde(default)]
    needless: Vec<String>,
}

impl Toolbox {
    /// The names of the sets that are built in.
    pub const BUILTIN: &'static [&'static str] = &[
        "workspace",
        "vocabulary",
        "roo",
        "forge",
        "axe",
        "tool_call",
    ];

    /// A set that is built in:
    ///
    /// - `workspace`: what `toolglot run` can do, under the names that all others are brought to.
    /// - `vocabulary`: the same, and all else that models of the known systems ask for. Calls that are to be judged are
    ///   normalized against it, so that a command is refused as a command and not as a name that nobody knows.
    /// - `roo`, `forge`, `axe`, `tool_call`: what those systems teach, under their names.
    pub fn builtin(name: &str) -> Option<Toolbox> {
        let files: &[&str] = match name {
            "workspace" => &[WORKSPACE],
            "vocabulary" => &[WORKSPACE, VOCABULARY],
            "roo" => &[ROO],
            "forge" => &[FORGE],
            "axe" => &[AXE],
            "tool_call" => &[TOOL_CALL],
            _ => return None,
        };
        let catalogs: Vec<Catalog> = files.iter().map(|file| catalog(file)).collect();
        let ignore_case = catalogs.iter().all(|catalog| catalog.ignore_case);
        let tools = catalogs.into_iter().flat_map(|catalog| catalog.tools);
        Some(Toolbox::new(
            tools.map(CatalogTool::into_entry),
            ignore_case,
        ))
    }

    /// The set that models were taught with a dialect, if the dialect is that of one system.
    pub fn taught(dialect: &str) -> Option<Toolbox> {
        let name = match dialect {
            "roo" => "roo",
            "forge" | "forge_hybrid" => "forge",
            "axe" => "axe",
            "tool_call" | "tool_call_xml" => "tool_call",
            _ => return None,
        };
        Toolbox::builtin(name)
    }
}

/// What the parsers of Roo's versions know: the names of their tools, and the parameters that they take as text in a call of any
/// of them.
pub fn roo_names() -> ToolSet {
    let roo = catalog(ROO);
    let text = |name: &String| (name.clone(), Shape::Text);
    let parameters = Fields {
        properties: roo.parameters_of_all.iter().map(text).collect(),
        others: None,
    };
    // Roo's parser takes this one for `write_to_file`.
    let alias = core::iter::once(String::from("write_file"));
    let tools = roo.tools.into_iter().map(|tool| tool.name).chain(alias);
    ToolSet::new(tools.map(|name| Tool {
        name,
        parameters: parameters.clone(),
    }))
}

fn catalog(file: &str) -> Catalog {
    serde_json::from_str(file).expect("each file of data/ is read by a test")
}

impl CatalogTool {
    fn into_entry(self) -> Entry {
        let CatalogTool {
            name,
            description,
            effect,
            parameters,
            ..
        } = self;
        let habits = Habits {
            aliases: self.aliases,
            parameter_aliases: self.parameter_aliases,
            file_lists: self.file_lists,
            element_lists: self.element_lists,
            needless: self.needless,
            is_freeform: false,
        };
        Entry::new(
            ToolSpec {
                name,
                description,
                parameters,
                effect,
            },
            habits,
        )
    }
}
