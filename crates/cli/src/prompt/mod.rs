//! `toolglot prompt`: the instructions that teach a model a dialect.
//!
//! The words are data, one file per dialect in `prompts/`; the list of tools is made from their schemas, and the examples
//! are written by the renderer, so that what is taught is what is read.

mod examples;
mod template;
mod tool_list;

use std::io::Write;

use toolglot::Dialect;
use toolglot_tools::Toolbox;

use crate::args::PromptArguments;
use crate::failure::Failure;
use crate::human::screen;
use crate::{Outcome, select, toolboxes};

/// The dialect that is taught where none is named: it needs no special token of any model.
pub(crate) const DEFAULT: &str = "tool_call";

/// The words, by name of dialect.
const TEMPLATES: &[(&str, &str)] = &[
    ("axe", include_str!("../../prompts/axe.md")),
    ("forge", include_str!("../../prompts/forge.md")),
    (
        "forge_hybrid",
        include_str!("../../prompts/forge_hybrid.md"),
    ),
    ("roo", include_str!("../../prompts/roo.md")),
    ("tool_call", include_str!("../../prompts/tool_call.md")),
    (
        "tool_call_xml",
        include_str!("../../prompts/tool_call_xml.md"),
    ),
];

/// The words for any other dialect.
const GENERIC: &str = include_str!("../../prompts/generic.md");

/// Writes the instructions.
pub(crate) fn prompt(arguments: &PromptArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let name = arguments.dialect.as_deref().unwrap_or_else(|| {
        // A hint only; standard error may be closed.
        let _ = writeln!(
            screen::stderr(),
            "no --dialect: `{DEFAULT}`, which needs no special token of any model"
        );
        DEFAULT
    });
    let dialect = select::one(name)?;
    let toolbox = match &arguments.tools {
        Some(tools) => toolboxes::to_teach(tools)?,
        None => toolboxes::taught(&dialect)?,
    };
    let text = instructions(&dialect, &toolbox)?;
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// The instructions that teach a model to call these tools in a dialect.
pub(crate) fn instructions(dialect: &Dialect, toolbox: &Toolbox) -> Result<String, Failure> {
    if toolbox.iter().next().is_none() {
        return Err(Failure::NothingToTeach);
    }
    let template = TEMPLATES
        .iter()
        .find(|(name, _)| *name == dialect.name())
        .map_or(GENERIC, |(_, words)| words);
    let mut values = examples::examples(dialect, toolbox)?;
    values.push(("tools", tool_list::tool_list(toolbox)));
    values.push(("names", names(toolbox)));
    Ok(template::fill(template, &values))
}

fn names(toolbox: &Toolbox) -> String {
    toolbox
        .iter()
        .map(|spec| format!("`{}`", spec.name))
        .collect::<Vec<_>>()
        .join(", ")
}
