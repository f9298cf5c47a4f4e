//! The instructions that teach a model a dialect.
//!
//! The words are data, one file per dialect in `prompts/`. The tool list comes from the schemas, and the renderer
//! writes the examples, so that a model learns exactly what is read.

mod examples;
mod template;
mod tool_list;

pub use examples::NotCarried;

use std::borrow::Cow;

use toolglot_engine::Dialect;
use toolglot_toolset::{ToolSpec, Toolbox};

use self::examples::{Examples, SEVERAL_CALLS, SEVERAL_LINES};
use crate::error::ChatError;
use crate::example_call::counts_calls;

/// The dialect that is taught if none is named: it needs no special token of any model.
pub const DEFAULT_DIALECT: &str = "tool_call";

/// The templates, by name of dialect.
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

/// The template for any other dialect.
const GENERIC: &str = include_str!("../../prompts/generic.md");

/// The instructions that teach a model a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instructions {
    /// The text for the system prompt.
    pub text: String,
    /// The tools that are left out because the dialect has no call for them.
    pub left_out: Vec<String>,
    /// Kinds of values that these tools accept and the dialect cannot express, so that no example shows them.
    pub not_carried: Vec<NotCarried>,
}

/// The tools that the dialect has calls for, if it has only specific calls: no other tool can be taught.
fn writable<'t>(dialect: &Dialect, toolbox: &'t Toolbox) -> Result<Cow<'t, Toolbox>, ChatError> {
    let Some(only) = dialect.only_calls() else {
        return Ok(Cow::Borrowed(toolbox));
    };
    if only.is_empty() {
        let dialect = dialect.name().to_owned();
        return Err(ChatError::NoCalls { dialect });
    }
    let has_call = |spec: &ToolSpec| {
        only.iter().any(|(name, arguments)| {
            let mut arguments = arguments.iter();
            *name == spec.name
                && arguments.all(|one| !spec.parameters["properties"][one.name].is_null())
        })
    };
    let known = toolbox.clone().only(has_call);
    if known.is_empty() {
        let only = only.iter().map(|(name, arguments)| {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|one| format!("`{}`", one.name))
                .collect();
            format!("`{name}` with {}", arguments.join(" and "))
        });
        return Err(ChatError::NoToolOfDialect {
            dialect: dialect.name().to_owned(),
            calls: only.collect::<Vec<String>>().join(", "),
        });
    }
    Ok(Cow::Owned(known))
}

/// The instructions that teach a model to call these tools in a dialect.
pub fn instructions(dialect: &Dialect, toolbox: &Toolbox) -> Result<Instructions, ChatError> {
    if toolbox.iter().next().is_none() {
        return Err(ChatError::NothingToTeach);
    }
    let taught = &*writable(dialect, toolbox)?;
    let left_out = toolbox
        .iter()
        .filter(|spec| taught.get(&spec.name).is_none());
    let left_out = left_out.map(|spec| spec.name.clone()).collect();
    let toolbox = taught;
    let template = TEMPLATES
        .iter()
        .find(|(name, _)| *name == dialect.name())
        .map_or(GENERIC, |(_, words)| words);
    let mut values: Vec<(&str, String)> = Vec::new();
    let Examples { shown, not_carried } = examples::examples(dialect, toolbox)?;
    let form = shown.iter().find(|example| example.hole == "call");
    let is_fenced = form.is_some_and(|example| {
        let mut lines = example.text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with("```") || line.starts_with("~~~"))
    });
    let fence = if is_fenced {
        "The code fence is part of the form."
    } else {
        "Do not put a call in a code fence."
    };
    let is_missing = |what: &str| not_carried.iter().any(|one| one.what == what);
    for (hole, what) in [("one_line", SEVERAL_LINES), ("one_call", SEVERAL_CALLS)] {
        if is_missing(what) {
            values.push((hole, String::new()));
        }
    }
    let mut names_of = toolbox.iter().map(|spec| spec.name.as_str());
    if names_of
        .next()
        .is_some_and(|name| counts_calls(dialect, name))
    {
        values.push(("ids", String::new()));
    }
    for example in shown {
        match values.iter_mut().find(|(hole, _)| *hole == example.hole) {
            Some((_, text)) => *text = format!("{}\n\n{}", text.trim_end(), example.text),
            None => values.push((example.hole, example.text)),
        }
    }
    values.extend(short_forms(toolbox));
    values.push(("tools", tool_list::tool_list(toolbox)));
    values.push(("names", names(toolbox)));
    values.push(("fence", fence.to_owned()));
    Ok(Instructions {
        text: template::fill(template, &values),
        left_out,
        not_carried,
    })
}

/// The sections of short forms for tools of the set: each is for one tool and its parameters.
fn short_forms(toolbox: &Toolbox) -> Vec<(&'static str, String)> {
    const FORMS: &[(&str, &str, &[&str])] = &[
        ("read", "read_file", &["path"]),
        ("write", "write_file", &["path", "content"]),
        ("execute", "execute_command", &["command"]),
    ];
    let reaches = |(_, tool, parameters): &&(&str, &str, &[&str])| {
        let schema = toolbox
            .canonical(tool)
            .map(|(spec, _)| &spec.parameters["properties"]);
        schema.is_some_and(|all| parameters.iter().all(|name| !all[*name].is_null()))
    };
    let holes: Vec<&str> = FORMS
        .iter()
        .filter(reaches)
        .map(|(hole, ..)| *hole)
        .collect();
    let any = holes.first().map(|_| "short");
    let holes = holes.iter().copied().chain(any);
    holes.map(|hole| (hole, String::new())).collect()
}

fn names(toolbox: &Toolbox) -> String {
    toolbox
        .iter()
        .map(|spec| format!("`{}`", spec.name))
        .collect::<Vec<_>>()
        .join(", ")
}
