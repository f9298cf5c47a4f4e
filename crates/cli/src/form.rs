//! The right form of a call in a dialect, written by the renderer.

use serde_json::{Map, Value};
use toolglot::{CallText, Dialect, ToolSet, Unrenderable};
use toolglot_tools::{ToolSpec, Toolbox};

use crate::sample::sample_arguments;
use crate::{server, spaced};

/// A call of `name`, or of the tool that was probably meant, or of any tool, in `dialect`.
///
/// `None` where the dialect cannot carry it.
pub(crate) fn of_call(
    dialect: &Dialect,
    toolbox: Option<&Toolbox>,
    name: Option<&str>,
) -> Option<String> {
    let known = || Toolbox::taught(dialect.name()).or_else(|| Toolbox::builtin("workspace"));
    let toolbox = &toolbox.cloned().or_else(known)?;
    let spec = match name {
        Some(name) => toolbox.canonical(name).map(|(spec, _)| spec).or_else(|| {
            let names = toolbox.iter().map(|spec| spec.name.as_str());
            toolbox.get(toolglot_tools::nearest(name, names)?)
        }),
        None => None,
    };
    let spec = spec.or_else(|| toolbox.iter().next())?;
    of_tool(dialect, &toolbox.tool_set(), spec)
}

/// A call of `spec` with simple values for what it requires.
pub(crate) fn of_tool(dialect: &Dialect, tools: &ToolSet, spec: &ToolSpec) -> Option<String> {
    with(
        dialect,
        tools,
        &spec.name,
        &sample_arguments(&spec.parameters),
    )
}

/// A call of `name` with these arguments.
fn with(
    dialect: &Dialect,
    tools: &ToolSet,
    name: &str,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let call = (name.to_owned(), arguments.clone());
    let text = calls(dialect, tools, &[call]).ok()?;
    Some(text.trim_end().to_owned())
}

/// Calls by name and arguments, with the server of the dialect's system where there is a place for one.
pub(crate) fn calls(
    dialect: &Dialect,
    tools: &ToolSet,
    calls: &[(String, Map<String, Value>)],
) -> Result<String, Unrenderable> {
    let texts: Vec<String> = calls
        .iter()
        .map(|(_, arguments)| spaced::text(arguments))
        .collect();
    let written = |ns| {
        let calls: Vec<CallText<'_>> = calls
            .iter()
            .zip(&texts)
            .map(|((name, _), args)| CallText {
                name,
                args,
                ns,
                id: None,
            })
            .collect();
        toolglot::render(dialect, tools, &calls)
    };
    let server = server::default_of(dialect.name());
    written(server).or_else(|refused| server.map_or(Err(refused), |_| written(None)))
}
