//! Calls that show a dialect, written by the renderer.

use serde_json::{Map, Value};
use toolglot::Dialect;
use toolglot_tools::{Effect, ToolSpec, Toolbox};

use crate::failure::Failure;
use crate::form;
use crate::sample::sample_arguments;

/// Text that every quoting has to survive: several lines, quotation marks, the letters of XML.
const CODE: &str =
    "fn main() {\n    if 1 < 2 && 3 > 2 {\n        println!(\"it's fine\");\n    }\n}\n";

/// Parameters that hold a text of many lines.
const TEXTS: &[&str] = &["content", "contents", "code", "text", "body", "diff"];

/// The examples that a template may use; those that these tools or this dialect cannot give are absent.
///
/// `call`: one call. `code`: a call whose argument is a text of several lines. `list`: a call with a list.
/// `several`: two calls in one message.
pub(crate) fn examples(
    dialect: &Dialect,
    toolbox: &Toolbox,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let tools = toolbox.tool_set();
    let example = |spec: &ToolSpec| (spec.name.clone(), sample_arguments(&spec.parameters));
    let plain = || toolbox.iter().filter(|spec| spec.effect != Effect::Ask);
    let first = plain()
        .next()
        .or_else(|| toolbox.iter().next())
        .map(example);
    let code = toolbox.iter().find_map(with_code);
    let list = plain().find(|spec| has_list(spec)).map(example);
    let second = code.clone().or_else(|| plain().nth(1).map(example));

    let mut examples = Vec::new();
    if let Some(first) = &first {
        let call = form::calls(dialect, &tools, std::slice::from_ref(first)).map_err(|error| {
            Failure::Unrenderable {
                dialect: dialect.name().to_owned(),
                why: error.why,
            }
        })?;
        examples.push(("call", call));
    }
    let written = |call: &Call| form::calls(dialect, &tools, std::slice::from_ref(call)).ok();
    let code_text = code
        .as_ref()
        .and_then(|code| written(code).or_else(|| written(&without_last_break(code))));
    examples.extend(code_text.map(|text| ("code", text)));
    let list_text = list.as_ref().and_then(written);
    examples.extend(list_text.map(|text| ("list", text)));
    if let (Some(first), Some(second)) = (first, second) {
        examples.extend(
            form::calls(dialect, &tools, &[first, second])
                .ok()
                .map(|text| ("several", text)),
        );
    }
    Ok(examples)
}

type Call = (String, Map<String, Value>);

/// A call of `spec` that carries [`CODE`], if it takes a text of many lines.
fn with_code(spec: &ToolSpec) -> Option<Call> {
    let properties = spec.parameters["properties"].as_object()?;
    let name = TEXTS.iter().find(|name| {
        properties
            .get(**name)
            .is_some_and(|schema| schema["type"] == "string")
    })?;
    let mut arguments = sample_arguments(&spec.parameters);
    arguments.insert((*name).to_owned(), CODE.into());
    Some((spec.name.clone(), arguments))
}

/// The same call for dialects that trim values, and can carry no text that ends with a line break.
fn without_last_break((name, arguments): &Call) -> Call {
    let trimmed = |value: &Value| match value {
        Value::String(text) => text.trim_end().into(),
        other => other.clone(),
    };
    let arguments = arguments
        .iter()
        .map(|(key, value)| (key.clone(), trimmed(value)));
    (name.clone(), arguments.collect())
}

fn has_list(spec: &ToolSpec) -> bool {
    sample_arguments(&spec.parameters)
        .values()
        .any(Value::is_array)
}
