//! The words that select options, on the command line and in other languages.

use std::str::FromStr;

use crate::{Reasoning, Target, ToolChoice};

impl FromStr for Target {
    type Err = String;

    fn from_str(word: &str) -> Result<Target, String> {
        Ok(match word {
            "gbnf" => Target::Gbnf,
            "lark" => Target::Lark,
            "structural-tag" => Target::StructuralTag,
            "legacy-structural-tag" => Target::LegacyStructuralTag,
            "json-schema" => Target::JsonSchema,
            _ => {
                return Err(format!(
                    "unknown format `{word}`; write `gbnf`, `lark`, `structural-tag`, `legacy-structural-tag` or `json-schema`"
                ));
            }
        })
    }
}

impl FromStr for Reasoning {
    type Err = String;

    fn from_str(word: &str) -> Result<Reasoning, String> {
        Ok(match word {
            "none" => Reasoning::None,
            "open" => Reasoning::Open,
            "optional" => Reasoning::Optional,
            _ => {
                return Err(format!(
                    "unknown reasoning `{word}`; write `none`, `open` or `optional`"
                ));
            }
        })
    }
}

/// `auto`, `required`, `none`, or the name of a tool.
impl<'a> From<&'a str> for ToolChoice<'a> {
    fn from(word: &'a str) -> ToolChoice<'a> {
        match word {
            "auto" => ToolChoice::Auto,
            "required" => ToolChoice::Required,
            "none" => ToolChoice::None,
            tool => ToolChoice::Named(tool),
        }
    }
}
