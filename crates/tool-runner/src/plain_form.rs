//! Converts results of builtin tools to the form of tools that are files.

use toolglot_builtins::Outcome;
use toolglot_tool_files::ReturnValue;
use toolglot_value::{Map, Value};

/// The outcome of a builtin tool as a tool's return value.
pub(crate) fn returned(outcome: Outcome) -> ReturnValue {
    let mut value = Map::new();
    value.insert("success".to_owned(), Value::Bool(outcome.ok));
    if outcome.ok {
        value.insert("output".to_owned(), Value::String(outcome.text));
        value.insert("data".to_owned(), outcome.output);
    } else {
        value.insert("error".to_owned(), Value::String(outcome.text));
    }
    ReturnValue {
        success: outcome.ok,
        value,
        breaches: Vec::new(),
    }
}
