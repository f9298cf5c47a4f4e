//! The effect of each schema keyword: JSON that fits is accepted, other JSON is not.

use toolglot_constrain::{Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_value::{Value, from_str};

use crate::gbnf;

#[test]
fn words_of_schemas_are_held_by_the_grammar() {
    let dialect = toolglot_dialects::get("hermes").expect("a dialect");
    let rows = from_str(include_str!("data/schemas.json")).expect("JSON");
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Required;
    let mut faults = Vec::new();
    for row in rows.as_array().expect("rows") {
        let about = row["about"].as_str().expect("a name");
        let parameters: Value = from_str(&format!(
            r#"{{"type": "object", "properties": {{"v": {}}}, "required": ["v"], "$defs": {}}}"#,
            row["schema"],
            row.get("$defs").map_or("{}".to_owned(), Value::to_string),
        ))
        .expect("JSON");
        let tools = [ToolSchema {
            name: "f",
            parameters: &parameters,
        }];
        let grammar = match grammar(dialect, &tools, &options) {
            Ok(grammar) => grammar,
            Err(error) => {
                faults.push(format!("{about}: {error}"));
                continue;
            }
        };
        let notes: Vec<String> = grammar.notes.iter().map(ToString::to_string).collect();
        let expected = row.get("notes").and_then(Value::as_array);
        let expected: Vec<&str> = expected
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if notes != expected {
            faults.push(format!("{about}: notes {notes:?}"));
        }
        let grammar = gbnf::Grammar::read(&grammar.text);
        for (word, is_right) in [("fits", true), ("refused", false)] {
            for text in row[word].as_array().expect("texts") {
                let text = text.as_str().expect("a text");
                let call = format!(
                    "<tool_call>\n{{\"name\": \"f\", \"arguments\": {{\"v\": {text}}}}}\n</tool_call>"
                );
                if grammar.accepts(&call) != is_right {
                    faults.push(format!(
                        "{about}: {text} is not among those that are {word}"
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
