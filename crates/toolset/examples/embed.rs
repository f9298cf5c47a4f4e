//! A Rust function as a tool, with the schema of a struct, in any dialect.
//! `cargo run -p toolglot-toolset --example embed`

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use toolglot_toolset::{Effect, Functions};

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
    let schema = schema_for!(Replace).to_value();
    let functions = Functions::default().with("replace", schema, Effect::Read, replace)?;
    let message = "<tool><tool_name>replace</tool_name><arguments><text>a b</text><edits><edit>\
        <search>a</search><replace>x &amp; y</replace></edit></edits></arguments></tool>";
    let results = functions.answer(message, toolglot_dialects::all())?;
    assert_eq!(results, [Ok("x & y b".into())]);
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the call fits");
}
