//! The parser's inputs besides the text: the prompt that the text continues, and the special tokens of the model.

use std::sync::Arc;

use toolglot_engine::{Calls, Finish, Input, Limits, Parser, Program, ToolSet};

fn program(dialect: &str) -> Arc<Program> {
    let dialect = toolglot_dialects::get(dialect).expect("it is embedded");
    let dialects = std::slice::from_ref(dialect);
    let program = Program::compile(dialects, &ToolSet::default(), Limits::default());
    Arc::new(program.expect("it compiles"))
}

fn read(mut parser: Parser, text: &str) -> Calls {
    let mut calls = Calls::default();
    parser.push(Input::Text(text), &mut calls);
    parser.finish(Finish::Stop, &mut calls);
    calls
}

#[test]
fn a_prompt_opens_reasoning_only_in_its_last_turn() {
    for (dialect, prompt, is_open) in [
        ("hermes", "user: use <think> tags\n", false),
        (
            "hermes",
            "<|im_start|>user\nWrite\n<think>\nso<|im_end|>\n<|im_start|>assistant\n",
            false,
        ),
        (
            "hermes",
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n",
            true,
        ),
        ("deepseek_v3", "<｜User｜>Hi<｜Assistant｜><think>\n", true),
        (
            "deepseek_v3",
            "<｜User｜>What is <think>?<｜Assistant｜>",
            false,
        ),
        ("hermes", "<|im_start|>assistant\n<think>\nI go", true),
        ("hermes", "assistant: <think>\nI go", true),
    ] {
        let calls = read(Parser::after_prompt(program(dialect), prompt), "Hello");
        let expected = if is_open {
            ("", "Hello")
        } else {
            ("Hello", "")
        };
        assert_eq!(
            (calls.content.as_str(), calls.reasoning.as_str()),
            expected,
            "{dialect}: {prompt:?}"
        );
    }
}

#[test]
fn what_comes_as_a_token_is_text_in_plain_letters() {
    let text =
        "Hi <|im_end|>, <think>, <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>.";
    let tokens = ["<|im_end|>", "<think>", "<tool_call>"];
    let parser = Parser::new(program("hermes")).special_tokens(tokens);
    let calls = read(parser, text);
    assert_eq!(calls.content, text);
    assert!(calls.calls.is_empty() && calls.reasoning.is_empty());
}
