//! Targets made from schemas: JSON Schema, and structural tags in their older form.

use toolglot_constrain::{
    GrammarError, Options, Reasoning, Target, ToolChoice, ToolSchema, grammar,
};
use toolglot_schema::Validator;
use toolglot_value::{Value, from_str, json};

fn schemas() -> [(&'static str, Value); 2] {
    let path =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tree = json!({
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "required": ["root"],
        "$defs": {"node": {"type": "object", "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        }, "required": ["name"]}},
    });
    [("read_file", path), ("tree", tree)]
}

fn made(dialect: &str, options: &Options<'_>) -> Result<(Value, usize), GrammarError> {
    let schemas = schemas();
    let tools = schemas
        .each_ref()
        .map(|(name, parameters)| ToolSchema { name, parameters });
    let dialect = toolglot_dialects::get(dialect).expect("a dialect");
    let grammar = grammar(dialect, &tools, options)?;
    Ok((from_str(&grammar.text).expect("JSON"), grammar.notes.len()))
}

fn required(target: Target) -> Options<'static> {
    let mut options = Options::new(target);
    options.tool_choice = ToolChoice::Required;
    options.parallel = false;
    options
}

#[test]
fn a_json_schema_takes_the_calls_that_fit_and_no_others() {
    let (schema, n_notes) = made("json", &required(Target::JsonSchema)).expect("a schema");
    assert_eq!(n_notes, 0);
    let validator = Validator::new(&schema).expect("a schema");
    let node = json!({"name": "a", "children": [{"name": "b"}]});
    let call = |name: &str, arguments: &Value| json!({"name": name, "arguments": arguments});
    for (call, is_valid) in [
        (call("read_file", &json!({"path": "a"})), true),
        (call("tree", &json!({"root": node})), true),
        (call("tree", &json!({"root": {"children": []}})), false),
        (call("tree", &json!({"path": "a"})), false),
        (call("other", &json!({"path": "a"})), false),
        (call("read_file", &json!({})), false),
        (json!({"name": "read_file"}), false),
    ] {
        assert_eq!(validator.validate(&call).is_empty(), is_valid, "{call}");
    }
}

#[test]
fn each_schema_of_a_call_is_read_as_that_call() {
    // For a dialect whose calls are objects, the rendered text is valid under its schema.
    let mut names = Vec::new();
    for dialect in toolglot_dialects::all() {
        if let Ok((schema, _)) = made(dialect.name(), &required(Target::JsonSchema)) {
            let first = &schema["anyOf"][0]["properties"];
            assert!(first.is_object(), "{}: {schema}", dialect.name());
            names.push(dialect.name());
        }
    }
    assert!(names.contains(&"json"), "{names:?}");
    assert!(!names.contains(&"hermes"), "{names:?}");
    assert!(!names.contains(&"qwen3_coder"), "{names:?}");
}

#[test]
fn what_a_json_schema_cannot_say_is_refused() {
    let mut options = required(Target::JsonSchema);
    options.tool_choice = ToolChoice::Auto;
    let error = made("json", &options).expect_err("free text is no JSON");
    assert!(
        error.to_string().contains("--tool-choice required"),
        "{error}"
    );
    let mut options = required(Target::JsonSchema);
    options.reasoning = Reasoning::Open;
    assert!(made("json", &options).is_err());
    let error = made("hermes", &required(Target::JsonSchema)).expect_err("tags are no JSON");
    assert!(error.to_string().contains("`hermes`"), "{error}");
    let mut options = required(Target::JsonSchema);
    options.parallel = true;
    assert_eq!(made("json", &options).expect("a schema").1, 1, "a note");
}

#[test]
fn older_tags_have_a_schema_between_two_texts() {
    let (tags, n_notes) = made("hermes", &Options::new(Target::LegacyStructuralTag)).expect("tags");
    assert_eq!(n_notes, 0);
    assert_eq!(tags["triggers"], json!(["<tool_call>"]));
    assert_eq!(tags["type"], "structural_tag");
    let first = &tags["structures"][0];
    assert_eq!(first["begin"], "<tool_call>\n");
    assert_eq!(first["end"], "\n</tool_call>");
    assert_eq!(
        first["schema"]["properties"]["name"],
        json!({"const": "read_file"})
    );
    let (tags, _) = made(
        "functionary_v31",
        &Options::new(Target::LegacyStructuralTag),
    )
    .expect("tags");
    let second = &tags["structures"][1];
    assert_eq!(second["begin"], "<function=tree>");
    assert_eq!(
        second["schema"]["properties"]["root"]["$ref"],
        "#/$defs/node"
    );
    assert_eq!(tags["triggers"], json!(["<function="]));
}

#[test]
fn what_older_tags_cannot_say_is_refused() {
    let error = made("qwen3_coder", &Options::new(Target::LegacyStructuralTag))
        .expect_err("its values are no JSON");
    assert!(error.to_string().contains("structural-tag"), "{error}");
    let error = made("hermes", &required(Target::LegacyStructuralTag))
        .expect_err("tags are only triggered");
    assert!(error.to_string().contains("cannot require"), "{error}");
}

#[test]
fn calls_without_a_marker_are_the_message_or_a_text_is() {
    // An empty list of triggers is an error in xgrammar, and no constraint elsewhere.
    for dialect in ["llama3_json", "json", "xlam"] {
        let (tag, n_notes) = made(dialect, &Options::new(Target::StructuralTag)).expect("a tag");
        assert_eq!(tag["format"]["type"], "grammar", "{dialect}");
        assert_eq!(n_notes, 1, "{dialect}");
        let schemas = schemas();
        let tools = schemas
            .each_ref()
            .map(|(name, parameters)| ToolSchema { name, parameters });
        let dialect = toolglot_dialects::get(dialect).expect("a dialect");
        let gbnf = grammar(dialect, &tools, &Options::new(Target::Gbnf)).expect("a grammar");
        assert!(gbnf.triggers.is_empty());
        let gbnf = crate::gbnf::Grammar::read(&gbnf.text);
        assert!(gbnf.accepts("It is sunny: {ok}."));
        assert!(!gbnf.accepts("{\"name\": \"other\", \"arguments\": {}}"));
    }
}

#[test]
fn each_trigger_starts_a_call() {
    let schemas = schemas();
    let tools = schemas
        .each_ref()
        .map(|(name, parameters)| ToolSchema { name, parameters });
    for dialect in toolglot_dialects::all() {
        let made = |target, choice| {
            let mut options = Options::new(target);
            options.tool_choice = choice;
            grammar(dialect, &tools, &options)
        };
        let Ok(auto) = made(Target::Gbnf, ToolChoice::Auto) else {
            continue;
        };
        // Lark computes the rest after each trigger, and refuses a trigger that starts no call.
        if let Err(error) = made(Target::Lark, ToolChoice::Auto) {
            panic!("{}: {:?}: {error}", dialect.name(), auto.triggers);
        }
    }
}

#[test]
fn the_first_call_may_stand_after_the_head_of_the_turn() {
    let schemas = schemas();
    let tools = schemas
        .each_ref()
        .map(|(name, parameters)| ToolSchema { name, parameters });
    let dialect = toolglot_dialects::get("harmony").expect("a dialect");
    let made = |options: &Options<'_>| grammar(dialect, &tools, options).expect("a grammar");
    let gbnf = crate::gbnf::Grammar::read(&made(&required(Target::Gbnf)).text);
    let call = "<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{\"path\": \"a\"}<|call|>";
    assert!(gbnf.accepts(call));
    assert!(gbnf.accepts(&format!("<|start|>assistant{call}")));
    // The model never writes the head that the prompt already has.
    let triggers = made(&Options::new(Target::Gbnf)).triggers;
    assert!(
        triggers
            .iter()
            .any(|trigger| call.starts_with(trigger.as_str())),
        "{triggers:?}"
    );
}
