//! The correct form of a call in a dialect, written by the renderer.

use toolglot_engine::{CallText, Dialect, Fields, RenderError, Tool, ToolSet};
use toolglot_toolset::{ToolSpec, Toolbox};
use toolglot_value::{Map, Value};

use crate::sample::sample_arguments;
use crate::server_name::default_server;
use crate::spaced_json::spaced_json;

/// A call of `name`, or of the tool that was probably meant, or of any tool, in `dialect`.
///
/// `None` if the dialect cannot express the call.
pub fn example_call(
    dialect: &Dialect,
    toolbox: Option<&Toolbox>,
    name: Option<&str>,
) -> Option<String> {
    let taught = || Toolbox::taught(dialect.name()).cloned();
    let known = || taught().or_else(|| Toolbox::builtin("workspace"));
    let toolbox = &toolbox.cloned().or_else(known)?;
    let spec = match name {
        Some(name) => toolbox.canonical(name).map(|(spec, _)| spec).or_else(|| {
            let names = toolbox.iter().map(|spec| spec.name.as_str());
            toolbox.get(toolglot_toolset::nearest(name, names)?)
        }),
        None => None,
    };
    let spec = spec.or_else(|| toolbox.iter().next())?;
    example_of_tool(dialect, toolbox, spec)
}

/// A call of `spec` with simple values for the required parameters.
pub fn example_of_tool(dialect: &Dialect, toolbox: &Toolbox, spec: &ToolSpec) -> Option<String> {
    let call = (spec.name.clone(), sample_arguments(&spec.parameters));
    let text = render_calls(dialect, toolbox, &[call]).ok()?;
    Some(text.trim_end().to_owned())
}

/// Whether models of the dialect write some lists as rows of elements, according to the tools that they were trained
/// on.
pub fn writes_rows(dialect: &Dialect) -> bool {
    Toolbox::taught(dialect.name()).is_some_and(Toolbox::has_rows)
}

/// Whether a call without an id is written with one, because models of the dialect number their calls.
pub(crate) fn counts_calls(dialect: &Dialect, name: &str) -> bool {
    let tool = Tool {
        name: name.to_owned(),
        parameters: Fields::default(),
    };
    let tools = &ToolSet::new([tool]);
    let written = |id: Option<&str>| {
        let call = CallText {
            name,
            arguments: "{}",
            server: None,
            id,
        };
        toolglot_engine::render(dialect, tools, &[call]).ok()
    };
    let [first, second] = [0, 1].map(|number| written(Some(&dialect.counted_id(name, number))));
    first.is_some() && first != second && first == written(None)
}

/// Calls by name and arguments, with the server of the dialect's system if the dialect can write one.
pub(crate) fn render_calls(
    dialect: &Dialect,
    toolbox: &Toolbox,
    calls: &[(String, Map<String, Value>)],
) -> Result<String, RenderError> {
    let tools = &toolbox.tool_set();
    let has_rows = writes_rows(dialect);
    let texts: Vec<String> = calls
        .iter()
        .map(|(name, arguments)| {
            if has_rows {
                spaced_json(&toolbox.with_rows(name, arguments.clone()))
            } else {
                spaced_json(arguments)
            }
        })
        .collect();
    let written = |ns| {
        let calls: Vec<CallText<'_>> = calls
            .iter()
            .zip(&texts)
            .map(|((name, _), args)| CallText {
                name,
                arguments: args,
                server: ns,
                id: None,
            })
            .collect();
        toolglot_engine::render(dialect, tools, &calls)
    };
    let server = default_server(dialect.name());
    written(server).or_else(|refused| server.map_or(Err(refused), |_| written(None)))
}
