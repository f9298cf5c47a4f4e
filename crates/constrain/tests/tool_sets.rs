//! Sets of tools: the ones of this crate, the builtin ones, and the ones of recorded rows.

use std::collections::HashSet;
use std::path::Path;

use toolglot_constrain::ToolSchema;
use toolglot_engine::ToolSet;
use toolglot_schema::Validator;
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, from_str};

pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) parameters: Value,
    pub(crate) validator: Validator,
}

/// The tools of one message.
pub(crate) struct Tools {
    /// The source of the set.
    pub(crate) name: String,
    pub(crate) list: Vec<Tool>,
    pub(crate) set: ToolSet,
    pub(crate) toolbox: Toolbox,
}

impl Tools {
    /// `None` if one of the schemas is invalid.
    fn new(name: String, toolbox: Toolbox) -> Option<Tools> {
        let tool = |tool: &toolglot_toolset::ToolSpec| {
            Some(Tool {
                name: tool.name.clone(),
                parameters: tool.parameters.clone(),
                validator: Validator::new(&tool.parameters).ok()?,
            })
        };
        Some(Tools {
            name,
            list: toolbox.iter().map(tool).collect::<Option<_>>()?,
            set: toolbox.tool_set(),
            toolbox,
        })
    }

    pub(crate) fn schemas(&self) -> Vec<ToolSchema<'_>> {
        let tools = self.list.iter();
        let schemas = tools.map(|tool| ToolSchema {
            name: &tool.name,
            parameters: &tool.parameters,
        });
        schemas.collect()
    }
}

/// The tools of this crate's tests, and the builtin sets.
pub(crate) fn own() -> Vec<Tools> {
    let list = from_str(include_str!("data/tools.json")).expect("JSON");
    let tests = Toolbox::from_json(&list).expect("tools");
    let mut sets = vec![Tools::new("tests".to_owned(), tests).expect("schemas")];
    for name in Toolbox::BUILTIN {
        let toolbox = Toolbox::builtin(name).expect("a set");
        sets.push(Tools::new((*name).to_owned(), toolbox).expect("schemas"));
    }
    sets
}

/// Each distinct set of tools of the recorded rows. Invalid lists are left out.
pub(crate) fn recorded() -> Vec<Tools> {
    let shared = std::env::var_os("TOOLGLOT_SHARED").unwrap_or_else(|| "../shared".into());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = workspace.join(shared).join("cases");
    let mut seen = HashSet::new();
    let mut sets = Vec::new();
    for file in ["bfcl-dev.jsonl", "models.jsonl", "rust-peers.jsonl"] {
        let text = std::fs::read_to_string(cases.join(file)).expect("recorded cases");
        for line in text.lines() {
            // Rows with half a surrogate are not valid JSON.
            let Ok(row) = from_str(line) else { continue };
            let list = &row["tools"];
            if !seen.insert(list.to_string()) {
                continue;
            }
            let Ok(toolbox) = Toolbox::from_json(list) else {
                continue;
            };
            let name = row["id"].as_str().expect("an id").to_owned();
            sets.extend(Tools::new(name, toolbox).filter(|tools| !tools.list.is_empty()));
        }
    }
    sets
}
