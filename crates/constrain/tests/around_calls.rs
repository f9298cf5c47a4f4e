//! Tokens named in grammars, and tools with a grammar of their own.

use toolglot_constrain::{Grammar, InputGrammar, Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_value::json;

fn made(dialect: &str, change: impl Fn(&mut Options<'_>), target: Target) -> Grammar {
    let schema = json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]});
    let tools = [ToolSchema {
        name: "apply_patch",
        parameters: &schema,
    }];
    let mut options = Options::new(target);
    change(&mut options);
    let dialect = toolglot_dialects::get(dialect).expect("a dialect");
    grammar(dialect, &tools, &options).expect("a grammar")
}

fn notes(grammar: &Grammar) -> Vec<String> {
    grammar.notes.iter().map(ToString::to_string).collect()
}

#[test]
fn markers_that_are_tokens_are_named_as_tokens() {
    const TOKENS: &[&str] = &["<tool_call>", "</tool_call>"];
    let with_tokens = |options: &mut Options<'_>| {
        options.tokens = TOKENS;
        options.tool_choice = ToolChoice::Required;
    };
    let lark = made("hermes", with_tokens, Target::Lark);
    let call = lark
        .text
        .lines()
        .find(|line| line.starts_with("r_apply_patch:"));
    let call = call.expect("a rule of the tool");
    assert!(call.starts_with("r_apply_patch: <tool_call> T"), "{call}");
    assert!(call.ends_with(" </tool_call>"), "{call}");
    assert_eq!(notes(&lark), [] as [String; 0]);
    let gbnf = made("hermes", with_tokens, Target::Gbnf);
    assert!(
        gbnf.text.contains("::= <tool_call> \"\\n{\""),
        "{}",
        gbnf.text
    );
    let tag = made(
        "hermes",
        |options| options.tokens = TOKENS,
        Target::StructuralTag,
    );
    let tag = toolglot_value::from_str(&tag.text).expect("JSON");
    assert_eq!(tag["format"]["type"], "token_triggered_tags");
    assert_eq!(tag["format"]["trigger_tokens"], json!(["<tool_call>"]));
    let begin = &tag["format"]["tags"][0]["begin"];
    assert_eq!(*begin, json!({"type": "token", "token": "<tool_call>"}));
}

#[test]
fn what_has_no_name_as_a_token_stays_a_text_and_is_noted() {
    let grammar = made(
        "mistral",
        |options| options.tokens = &["[TOOL_CALLS]", "<|call|>"],
        Target::Lark,
    );
    assert_eq!(
        notes(&grammar),
        [
            "`[TOOL_CALLS]` is a text in the grammar: only tokens between `<` and `>` have a name",
            "the dialect writes no `<|call|>`"
        ]
    );
}

#[test]
fn the_grammar_of_an_input_is_nested_where_it_can_be() {
    const LARK: &[InputGrammar<'_>] = &[InputGrammar {
        tool: "apply_patch",
        syntax: "lark",
        definition: "start: \"*** Begin Patch\\n\" LINE+\nLINE: /[-+ ][^\\n]*\\n/",
    }];
    let with_lark = |options: &mut Options<'_>| options.inputs = LARK;
    let nested = made("qwen3_coder", with_lark, Target::Lark);
    assert!(
        nested.text.contains("%lark {\nstart: \"*** Begin Patch"),
        "{}",
        nested.text
    );
    assert_eq!(notes(&nested), [] as [String; 0]);
    let gbnf = made("qwen3_coder", with_lark, Target::Gbnf);
    assert_eq!(
        notes(&gbnf),
        [
            "tool `apply_patch`, schema `/properties/input`: the input's grammar (lark) is not in the grammar"
        ]
    );
    let json = made("hermes", with_lark, Target::Lark);
    assert_eq!(
        notes(&json),
        [
            "tool `apply_patch`, schema root: the input's grammar is not in the grammar, as its text is not raw"
        ]
    );
}

#[test]
fn the_pattern_of_an_input_holds_in_each_language() {
    const REGEX: &[InputGrammar<'_>] = &[InputGrammar {
        tool: "apply_patch",
        syntax: "regex",
        definition: "^[0-9]{2}$",
    }];
    let with_regex = |options: &mut Options<'_>| {
        options.inputs = REGEX;
        options.tool_choice = ToolChoice::Required;
    };
    let grammar = made("qwen3_coder", with_regex, Target::Gbnf);
    assert_eq!(notes(&grammar), [] as [String; 0]);
    let grammar = crate::gbnf::Grammar::read(&grammar.text);
    let call = |input: &str| {
        format!(
            "<tool_call>\n<function=apply_patch>\n<parameter=input>\n{input}\n</parameter>\n</function>\n</tool_call>"
        )
    };
    assert!(grammar.accepts(&call("42")));
    assert!(!grammar.accepts(&call("4x")));
}
