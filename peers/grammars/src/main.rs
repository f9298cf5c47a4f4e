//! Checks the Lark grammars of all dialects with llguidance and a tokenizer of single bytes: which grammars compile,
//! and which accept the rendered calls. `cargo run --release`

use std::sync::Arc;
use std::time::Instant;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use toolglot_constrain::{GrammarError, Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_engine::{CallText, Renderer};
use toolglot_toolset::Toolbox;
use toolglot_value::from_str;

/// Calls of the tools; every dialect must carry them.
const CALLS: &[(&str, &str)] = &[
    ("read_file", r#"{"path": "src/a.rs", "start_line": 3}"#),
    ("write_file", r#"{"path": "a.html", "content": "<b>if a < b && c { d }</b>\n\"quoted\"\n"}"#),
    ("get_weather", r#"{"city": "Zürich", "unit": "celsius", "days": null}"#),
    ("list_windows", "{}"),
    ("search", r#"{"query": "two words", "tags": ["a", "b"], "limit": 7}"#),
    ("move_piece", r#"{"from": "e2", "to": "e4"}"#),
    ("save_tree", r#"{"tree": {"label": "a", "children": [{"label": "b"}]}}"#),
];

fn main() {
    let list = from_str(include_str!("../../../crates/constrain/tests/data/tools.json")).expect("JSON");
    let toolbox = Toolbox::from_json(&list).expect("tools");
    let tools: Vec<ToolSchema<'_>> = toolbox
        .iter()
        .map(|tool| ToolSchema {
            name: &tool.name,
            parameters: &tool.parameters,
        })
        .collect();
    let set = toolbox.tool_set();
    let factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).expect("a factory");
    let factory = Arc::new(factory);
    let (mut n_grammars, mut n_compiled, mut n_calls, mut n_taken) = (0, 0, 0, 0);
    for dialect in toolglot_dialects::all() {
        for (choice, before) in [(ToolChoice::Required, ""), (ToolChoice::Auto, "Let me look < here.\n")] {
            let mut options = Options::new(Target::Lark);
            options.tool_choice = choice;
            let start = Instant::now();
            let lark = match grammar(dialect, &tools, &options) {
                Ok(grammar) => grammar.text,
                Err(GrammarError::Dialect { .. }) => continue,
                Err(error) => {
                    println!("{:24} {error}", dialect.name());
                    continue;
                }
            };
            let ours = start.elapsed();
            n_grammars += 1;
            let start = Instant::now();
            let parser = factory.create_parser(TopLevelGrammar::from_lark(lark.clone()));
            let theirs = start.elapsed();
            if let Err(error) = parser {
                println!("{:24} {choice:?} {}", dialect.name(), error.to_string().lines().next().unwrap_or(""));
                continue;
            }
            n_compiled += 1;
            let renderer = Renderer::new(dialect, &set).expect("a dialect");
            let mut refused = Vec::new();
            for (name, arguments) in CALLS {
                let call = CallText { name, arguments, server: None, id: None };
                let Ok(text) = renderer.calls(&[call]) else { continue };
                let text = format!("{before}{text}");
                n_calls += 1;
                let parser = factory.create_parser(TopLevelGrammar::from_lark(lark.clone()));
                let mut matcher = Matcher::new(parser);
                let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
                let n = matcher.try_consume_tokens(&tokens).unwrap_or(0);
                if n == tokens.len() && matcher.is_accepting().unwrap_or(false) {
                    n_taken += 1;
                } else {
                    let cut = text.as_bytes()[..n].iter().rev().take(24).rev().copied().collect::<Vec<_>>();
                    refused.push(format!("{name} at byte {n} of {}: ..{:?}", tokens.len(), String::from_utf8_lossy(&cut)));
                }
            }
            let state = if refused.is_empty() { "all taken".to_owned() } else { refused.join("; ") };
            println!("{:24} {choice:?} {} bytes, made in {ours:?}, compiled in {theirs:?}: {state}", dialect.name(), lark.len());
        }
    }
    println!("{n_compiled} of {n_grammars} grammars compile, {n_taken} of {n_calls} rendered calls are taken");
}
