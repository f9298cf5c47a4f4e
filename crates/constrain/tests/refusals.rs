//! Schemas, tools and dialects without a grammar: each error names the cause and the place.

use toolglot_constrain::{Options, Reasoning, Target, ToolChoice, ToolSchema, grammar};
use toolglot_engine::Dialect;
use toolglot_value::{Value, json};

fn refused(dialect: &str, parameters: &Value, options: &Options<'_>) -> String {
    let dialect = toolglot_dialects::get(dialect).expect("a dialect");
    let tools = [ToolSchema {
        name: "f",
        parameters,
    }];
    match grammar(dialect, &tools, options) {
        Ok(grammar) => grammar.text,
        Err(error) => error.to_string(),
    }
}

#[test]
fn schemas_that_allow_nothing_are_named_with_their_pointer() {
    let cases = [
        (
            json!({"type": "string", "minLength": 3, "maxLength": 2}),
            "`/properties/v/minLength`: `minLength` is above `maxLength`, so no value fits",
        ),
        (
            json!({"enum": []}),
            "`/properties/v/enum`: it lists no value, so no value fits",
        ),
        (
            json!({"type": "integer", "minimum": 2, "maximum": 1}),
            "`/properties/v/minimum`: `minimum` is above `maximum`, so no value fits",
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "null"}], "items": false, "minItems": 2}),
            "`/properties/v/minItems`: there are fewer items than `minItems`, so no value fits",
        ),
        (
            json!(false),
            "`/properties/v`: a required value is `false`, so no value fits",
        ),
        (
            json!({"$ref": "#/$defs/none"}),
            "`/properties/v/$ref`: no `#/$defs/none` in this schema; write `#/$defs/NAME` for a definition of it",
        ),
        (
            json!({"$ref": "https://example.org/a.json"}),
            "`/properties/v/$ref`: no `https://example.org/a.json` in this schema; write `#/$defs/NAME` for a definition of it",
        ),
    ];
    for (schema, expected) in cases {
        let parameters = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
        let said = refused("hermes", &parameters, &Options::new(Target::Gbnf));
        assert_eq!(said, format!("tool `f`, schema {expected}"));
    }
}

#[test]
fn schemas_beyond_the_limits_are_refused() {
    let mut deep = json!({"type": "string"});
    for _ in 0..200 {
        deep = json!({"type": "array", "items": deep});
    }
    let parameters = json!({"type": "object", "properties": {"v": deep}});
    let said = refused("hermes", &parameters, &Options::new(Target::Gbnf));
    assert!(
        said.contains("more than 64 levels; shorten the schema"),
        "{said}"
    );

    let wide: Value = (0..20_000)
        .map(|n| (format!("p{n}"), json!({"type": "integer", "minimum": n})))
        .collect();
    let parameters = json!({"type": "object", "properties": wide});
    let said = refused("hermes", &parameters, &Options::new(Target::Gbnf));
    assert_eq!(
        said,
        "tool `f`: the grammar has more than 10000 rules; leave tools out, or shorten their schemas"
    );
}

#[test]
fn a_choice_without_a_tool_and_a_dialect_without_calls_are_refused() {
    let parameters = json!({"type": "object", "properties": {}});
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Named("g");
    assert_eq!(
        refused("hermes", &parameters, &options),
        "the tool choice names `g`, which is not in the tool set"
    );
    let options = Options::new(Target::Gbnf);
    assert_eq!(
        refused("chat", &parameters, &options),
        "dialect `chat` has no grammar for calls of `f`: it has no calls"
    );
}

#[test]
fn reasoning_that_a_dialect_does_not_have_cannot_be_open() {
    let file = "dialect plain\ncall = \"<call>\" name \" \" json \"</call>\"\n";
    let dialects = Dialect::parse(file, &[]).expect("a dialect");
    let parameters = json!({"type": "object", "properties": {}});
    let tools = [ToolSchema {
        name: "f",
        parameters: &parameters,
    }];
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Required;
    options.reasoning = Reasoning::Open;
    let error = grammar(&dialects[0], &tools, &options).expect_err("no reasoning");
    assert_eq!(
        error.to_string(),
        "dialect `plain` has no reasoning; leave `--reasoning open` out"
    );
    options.reasoning = Reasoning::Optional;
    let grammar = grammar(&dialects[0], &tools, &options).expect("a grammar");
    assert_eq!(
        grammar.notes[0].to_string(),
        "dialect `plain` has no reasoning"
    );
}

/// The grammar of `call` for a tool `f` with the text `v`, or the error.
fn of_rule(call: &str) -> String {
    of_rule_and(call, &json!({"type": "string"}))
}

/// The same with this schema of `v`.
fn of_rule_and(call: &str, schema: &Value) -> String {
    let dialects = Dialect::parse(&format!("dialect plain\n{call}\n"), &[]);
    let schema = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
    let tools = [ToolSchema {
        name: "f",
        parameters: &schema,
    }];
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Required;
    match grammar(&dialects.expect("a dialect")[0], &tools, &options) {
        Ok(grammar) => grammar.text,
        Err(error) => error.to_string(),
    }
}

#[test]
fn no_grammar_counts_the_bytes_of_a_value() {
    assert_eq!(
        of_rule("call = \"CALL \" name \"\\n\" (key \" \" length \"\\n\" bytes \"\\n\")* \"END\""),
        "dialect `plain` has no grammar for calls of `f`: it has the number of bytes of a value, which no grammar counts"
    );
}

#[test]
fn a_value_on_one_line_has_no_line_break_and_no_sign_that_may_end_it() {
    let text = of_rule("call f = \"f \" any(v) \" <<\\n\"");
    assert!(
        text.contains(r"text-0-1 ::= ([^\n\r <] text-0-1)?"),
        "{text}"
    );
}

#[test]
fn of_listed_texts_those_are_allowed_whose_meaning_fits_the_schema() {
    let rule = "values: schema, words(\"ON\" = true, \"OFF\" = false)\ncall f = \"f \" any(v, \"ON\"|\"OFF\"|\"auto\") \";\"";
    let allowed = |schema: &Value| {
        let text = of_rule_and(rule, schema);
        ["ON", "OFF", "auto"].map(|one| text.contains(one))
    };
    assert_eq!(allowed(&json!({"type": "boolean"})), [true, true, false]);
    assert_eq!(allowed(&json!({"type": "string"})), [false, false, true]);
    assert_eq!(
        allowed(&json!({"enum": [false, "auto"]})),
        [false, true, true]
    );
    let refused = of_rule_and(rule, &json!({"type": "integer"}));
    let why = "no text of `any(v, ..)` fits the schema";
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn a_note_is_an_error_where_it_is_asked_for() {
    let parameters =
        json!({"type": "object", "properties": {"v": {"type": "array", "uniqueItems": true}}});
    let mut options = Options::new(Target::Gbnf);
    options.strict = true;
    assert_eq!(
        refused("hermes", &parameters, &options),
        "tool `f`, schema `/properties/v/uniqueItems`: `uniqueItems` is not in the grammar"
    );
}
