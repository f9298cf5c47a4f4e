//! Functions as tools: which calls run, and the messages for the rest.

use serde::Deserialize;
use toolglot_toolset::{Effect, FunctionError, Functions};
use toolglot_value::{Value, json};

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

fn functions() -> Functions {
    let schema = || {
        json!({"type": "object", "description": "Adds", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2, "maximum": 9}}})
    };
    let add = |Add { a, b }: Add| a + b;
    Functions::default()
        .with("add", schema(), Effect::Read, add)
        .and_then(|functions| functions.with("store", schema(), Effect::Write, add))
        .expect("the schema is one")
}

fn answer(message: &str) -> Vec<Result<Value, FunctionError>> {
    let dialects: Vec<_> = toolglot_dialects::all()
        .iter()
        .filter(|dialect| dialect.name() == "hermes")
        .cloned()
        .collect();
    functions()
        .answer(message, &dialects)
        .expect("it is a dialect")
}

#[test]
fn calls_are_run_in_order_with_defaults() {
    let message = "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>\n<tool_call>{\"name\": \"store\", \"arguments\": {\"a\": 1, \"b\": 5}}</tool_call>";
    assert_eq!(answer(message), [Ok(json!(3)), Ok(json!(6))]);
}

#[test]
fn what_does_not_fit_is_not_run() {
    for (message, expected) in [
        (
            "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 10}}</tool_call>",
            FunctionError::Arguments("write 9 or less for `b`; you wrote 10".to_owned()),
        ),
        (
            "<tool_call>{\"name\": \"subtract\", \"arguments\": {\"a\": 1}}</tool_call>",
            FunctionError::Unknown("subtract".to_owned()),
        ),
        (
            "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b",
            FunctionError::Truncated("add".to_owned()),
        ),
        (
            "<tool_call>{\"name\": \"store\", \"arguments\": {\"a\": 1, \"a\": 2}}</tool_call>",
            FunctionError::Recovered("store".to_owned()),
        ),
    ] {
        assert_eq!(answer(message), [Err(expected)], "{message}");
    }
}

#[test]
fn a_function_describes_itself() {
    let functions = functions();
    let spec = functions.toolbox().get("add").expect("it was added");
    assert_eq!(
        (spec.description.as_str(), spec.effect),
        ("Adds", Effect::Read)
    );
}
