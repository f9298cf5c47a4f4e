//! The result of a builtin tool as tools that are files say it.

use toolglot_builtins::Outcome;
use toolglot_tool_files::ReturnValue;
use toolglot_value::{Map, Value};

/// What came of it, as tools say it.
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
