//! The text of a new tool.

use crate::rules::kebab;
use crate::{ItemId, Language};

/// The text of a new tool: it greets, and follows every rule and best practice.
pub fn new_tool(id: &ItemId, language: Language) -> String {
    let text = match language {
        Language::Python => include_str!("../new/python"),
        Language::JavaScript => include_str!("../new/javascript"),
        Language::TypeScript => include_str!("../new/typescript"),
        Language::Yaml => include_str!("../new/yaml"),
        Language::Toml => include_str!("../new/toml"),
        Language::Bash => include_str!("../new/bash"),
    };
    text.replace("CATEGORY", id.category())
        .replace("ITEM", &kebab(id.name(), id.name()))
        .replace("NAME", id.name())
}
