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

#[test]
fn scalars_are_written_in_the_form_without_quotes() {
    let forms = [
        // One key before both forms.
        ("(\" \" key \"=\" (\"'\" raw \"'\" | raw))*", ""),
        // A key in each form.
        (
            "(\" T \" key \"='\" raw \"'\" | \" N \" key \"=\" raw)*",
            "N ",
        ),
    ];
    for (parameters, letter) in forms {
        let file = format!("dialect a\ncall = \"<c \" name {parameters} \" />\"\n");
        let dialects = toolglot_dialects::parse(&file).expect("a dialect");
        for schema in [r#"{"type": "integer"}"#, r#"{"type": ["number", "null"]}"#] {
            let parameters: Value = from_str(&format!(
                r#"{{"type": "object", "properties": {{"v": {schema}}}, "required": ["v"]}}"#
            ))
            .expect("JSON");
            let tools = [ToolSchema {
                name: "f",
                parameters: &parameters,
            }];
            let mut options = Options::new(Target::Gbnf);
            options.tool_choice = ToolChoice::Required;
            let grammar = grammar(&dialects[0], &tools, &options).expect("a grammar");
            let grammar = gbnf::Grammar::read(&grammar.text);
            assert!(grammar.accepts(&format!("<c f {letter}v=7 />")), "{file}");
            assert!(!grammar.accepts("<c f v='7' />"), "{file}");
            assert!(!grammar.accepts("<c f T v='7' />"), "{file}");
        }
    }
}
