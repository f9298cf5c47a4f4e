//! A Rust function as a tool: its parameters are a struct, the schema comes from the struct, and a model calls it in
//! whatever dialect it speaks. `cargo run -p toolglot-tools --example embed`

use std::sync::Arc;

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use toolglot::{Calls, Finish, Input, Limits, Parser, Program};
use toolglot_tools::{Effect, ToolSpec, Toolbox, normalize};

/// Replaces words in a text
#[derive(Deserialize, JsonSchema)]
struct Replace {
    /// The text
    text: String,
    /// What to replace, in order
    edits: Vec<Edit>,
}

#[derive(Deserialize, JsonSchema)]
struct Edit {
    search: String,
    replace: String,
}

fn replace(Replace { text, edits }: Replace) -> String {
    let each = |text: String, edit: &Edit| text.replace(&edit.search, &edit.replace);
    edits.iter().fold(text, each)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let message = "<tool><tool_name>replace</tool_name><arguments><text>a b</text><edits><edit>\
        <search>a</search><replace>x &amp; y</replace></edit></edits></arguments></tool>";
    let spec = ToolSpec {
        name: "replace".into(),
        description: "Replaces words in a text".into(),
        parameters: schema_for!(Replace).to_value(),
        effect: Effect::Read,
    };
    let toolbox: Toolbox = [spec].into_iter().collect();
    let program = Program::compile(
        toolglot_dialects::all(),
        &toolbox.tool_set(),
        Limits::default(),
    )?;
    let (mut parser, mut calls) = (Parser::new(Arc::new(program)), Calls::default());
    parser.push(Input::Text(message), &mut calls);
    parser.finish(Finish::Stop, &mut calls);
    for call in normalize(&calls.calls, &toolbox) {
        let arguments = serde_json::Value::Object(call.arguments);
        let wrong = toolglot_schema::Validator::new(
            &toolbox.get(&call.tool).ok_or("no such tool")?.parameters,
        )?
        .validate(&arguments);
        assert_eq!(
            (wrong.len(), replace(serde_json::from_value(arguments)?)),
            (0, "x & y b".into())
        );
    }
    assert_eq!(calls.calls.len(), 1);
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the call fits");
}
