//! The three readings of a dialect agree: what is rendered is a text of its grammar, and a text of its grammar is parsed as
//! closed calls with arguments that fit.

use std::fmt::Write as _;
use std::sync::Arc;

use toolglot_constrain::{GrammarError, Options, Target, ToolChoice, ToolSchema, grammar};
use toolglot_engine::{
    CallText, Calls, Dialect, End, Finish, Input, Limits, Parser, Program, Renderer, ToolSet,
};
use toolglot_schema::Validator;
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, from_str};

use crate::gbnf;
use crate::random::Random;

struct Tool {
    name: String,
    parameters: Value,
    validator: Validator,
}

fn tools() -> Vec<Tool> {
    let list = from_str(include_str!("data/tools.json")).expect("JSON");
    let tools = list.as_array().expect("a list").iter().map(|tool| {
        let parameters = tool["parameters"].clone();
        Tool {
            name: tool["name"].as_str().expect("a name").to_owned(),
            validator: Validator::new(&parameters).expect("a schema"),
            parameters,
        }
    });
    tools.collect()
}

fn tool_set() -> ToolSet {
    let list = from_str(include_str!("data/tools.json")).expect("JSON");
    Toolbox::from_json(&list).expect("tools").tool_set()
}

/// The dialects that have a grammar for these tools, each with it.
fn grammars(tools: &[Tool]) -> Vec<(&'static Dialect, gbnf::Grammar)> {
    let schemas: Vec<ToolSchema<'_>> = tools
        .iter()
        .map(|tool| ToolSchema {
            name: &tool.name,
            parameters: &tool.parameters,
        })
        .collect();
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Required;
    let mut grammars = Vec::new();
    for dialect in toolglot_dialects::all() {
        match grammar(dialect, &schemas, &options) {
            Ok(grammar) => grammars.push((dialect, gbnf::Grammar::read(&grammar.text))),
            Err(GrammarError::Dialect { .. }) => {}
            Err(error) => panic!("{}: {error}", dialect.name()),
        }
    }
    grammars
}

fn n_texts() -> usize {
    let n = std::env::var("TOOLGLOT_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    n.unwrap_or(12)
}

#[test]
fn what_is_rendered_is_a_text_of_the_grammar() {
    let tools = tools();
    let set = tool_set();
    let mut faults = String::new();
    for (dialect, grammar) in grammars(&tools) {
        let renderer = Renderer::new(dialect, &set).expect("a dialect of ours");
        let mut random = Random::new(7);
        let mut n_accepted = 0;
        for _ in 0..n_texts() {
            let n = 1 + random.below(3);
            let calls: Vec<(String, String)> = (0..n)
                .map(|_| {
                    let tool = &tools[random.below(tools.len())];
                    let arguments = value(&tool.parameters, &tool.parameters, &mut random, 0);
                    (tool.name.clone(), arguments.to_string())
                })
                .collect();
            let calls: Vec<CallText<'_>> = calls
                .iter()
                .map(|(name, arguments)| CallText {
                    name,
                    arguments,
                    server: None,
                    id: None,
                })
                .collect();
            // What a dialect cannot carry is no text of its grammar either.
            let Ok(text) = renderer.calls(&calls) else {
                continue;
            };
            if grammar.accepts(&text) {
                n_accepted += 1;
            } else {
                let _ = writeln!(faults, "{}: {text:?}", dialect.name());
                break;
            }
        }
        if n_accepted == 0 {
            let _ = writeln!(faults, "{}: nothing was accepted", dialect.name());
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn what_the_grammar_writes_is_parsed_as_closed_calls_that_fit() {
    let tools = tools();
    let set = tool_set();
    let mut faults = String::new();
    for (dialect, grammar) in grammars(&tools) {
        let program = Program::compile(std::slice::from_ref(dialect), &set, Limits::default());
        let program = Arc::new(program.expect("a dialect of ours"));
        let mut random = Random::new(11);
        for _ in 0..n_texts() {
            let text = grammar.sample(&mut random);
            assert!(grammar.accepts(&text), "{}: {text:?}", dialect.name());
            if let Err(fault) = fits(&text, &program, &tools) {
                let _ = writeln!(faults, "{}: {fault} in {text:?}", dialect.name());
                break;
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn a_damaged_text_is_in_the_grammar_only_where_it_is_read_as_calls_that_fit() {
    let tools = tools();
    let set = tool_set();
    let mut faults = String::new();
    let mut n_rejected = 0;
    for (dialect, grammar) in grammars(&tools) {
        let program = Program::compile(std::slice::from_ref(dialect), &set, Limits::default());
        let program = Arc::new(program.expect("a dialect of ours"));
        let mut random = Random::new(13);
        for _ in 0..n_texts().div_ceil(4) {
            let text = grammar.sample(&mut random);
            for _ in 0..4 {
                let damaged = damaged(&text, &tools, &mut random);
                if !grammar.accepts(&damaged) {
                    n_rejected += 1;
                } else if let Err(fault) = fits(&damaged, &program, &tools) {
                    let _ = writeln!(faults, "{}: {fault} in {damaged:?}", dialect.name());
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
    let n_least = 25 * n_texts();
    assert!(n_rejected > n_least, "only {n_rejected} were rejected");
}

/// A text with one damage: a character is lost, doubled or another, a piece is lost, or a tool has another name.
fn damaged(text: &str, tools: &[Tool], random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = random.below(chars.len());
    match random.below(5) {
        0 => {
            chars.remove(at);
        }
        1 => chars.insert(at, chars[at]),
        2 => chars[at] = chars[random.below(chars.len())],
        3 => {
            let end = (at + 2 + random.below(12)).min(chars.len());
            chars.drain(at..end);
        }
        _ => {
            let name = &tools[random.below(tools.len())].name;
            return text.replacen(name.as_str(), "no_such_tool", 1);
        }
    }
    chars.into_iter().collect()
}

/// Whether a text is calls of these tools and nothing else, read whole and byte by byte.
fn fits(text: &str, program: &Arc<Program>, tools: &[Tool]) -> Result<(), String> {
    let whole = read(text, text.len(), program);
    let cut = read(text, 1, program);
    if whole != cut {
        return Err("a cut changes the calls".to_owned());
    }
    if whole.calls.is_empty() {
        return Err("no call".to_owned());
    }
    for call in &whole.calls {
        if call.end != End::Closed {
            return Err(format!("`{}` is {:?}", call.name, call.end));
        }
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let tool = tool.ok_or_else(|| format!("unknown `{}`", call.name))?;
        let arguments = from_str(&call.arguments).map_err(|error| error.to_string())?;
        if let Some(violation) = tool.validator.validate(&arguments).first() {
            return Err(format!("{} of {}", violation.message, call.arguments));
        }
    }
    if !whole.content.trim().is_empty() {
        return Err(format!("text {:?}", whole.content));
    }
    Ok(())
}

fn read(text: &str, piece: usize, program: &Arc<Program>) -> Calls {
    let mut calls = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = piece.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (now, later) = rest.split_at(at);
        parser.push(Input::Text(now), &mut calls);
        rest = later;
    }
    parser.finish(Finish::Stop, &mut calls);
    calls
}

/// A value that fits a schema of the tools.
fn value(schema: &Value, root: &Value, random: &mut Random, depth: usize) -> Value {
    const STRINGS: &[&str] = &[
        "a.rs",
        "",
        "two words",
        "a line\nand another",
        "naïve 中",
        "if a < b && c { d }",
        "\"quoted\"",
        "{\"k\": 1}",
        "7",
        "C:\\temp",
    ];
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&reference[1..]).expect("a definition");
        return value(target, root, random, depth + 1);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values[random.below(values.len())].clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(several) = schema.get("anyOf").and_then(Value::as_array) {
        return value(&several[random.below(several.len())], root, random, depth);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[random.below(kinds.len())].clone(),
        kind => kind.clone(),
    };
    match kind.as_str().expect("a type") {
        "string" => match (
            schema.get("pattern"),
            schema.get("format").and_then(Value::as_str),
        ) {
            (Some(_), _) => Value::from("e4"),
            (_, Some("date")) => Value::from("2026-02-28"),
            (_, Some("email")) => Value::from("ann@example.org"),
            (_, Some("uuid")) => Value::from("0b5a9c3e-7f10-4e8b-9a54-2f6d1c8e3b70"),
            _ => {
                let strings: Vec<&&str> = STRINGS
                    .iter()
                    .filter(|text| schema.get("minLength").is_none() || !text.is_empty())
                    .collect();
                Value::from(*strings[random.below(strings.len())])
            }
        },
        "integer" => {
            let min = schema.get("minimum").and_then(Value::as_i64).unwrap_or(-30);
            let max = schema
                .get("maximum")
                .and_then(Value::as_i64)
                .unwrap_or(min + 3_000);
            let n = usize::try_from(max - min + 1).expect("a range");
            Value::from(min + i64::try_from(random.below(n)).expect("a number"))
        }
        "number" => Value::from([0.5, 3.25, 100.0, 12.0][random.below(4)]),
        "boolean" => Value::from(random.is_one_in(2)),
        "null" => Value::Null,
        "array" => {
            let min = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let min = usize::try_from(min).expect("a count");
            let n = if depth > 3 {
                min
            } else {
                min + random.below(3)
            };
            (0..n)
                .map(|_| value(&schema["items"], root, random, depth + 1))
                .collect()
        }
        "object" => {
            let mut members = Map::new();
            let required = schema.get("required").and_then(Value::as_array);
            for (name, schema) in schema["properties"].as_object().expect("properties") {
                let is_required =
                    required.is_some_and(|names| names.iter().any(|one| one == name.as_str()));
                if is_required || (depth < 3 && random.is_one_in(2)) {
                    members.insert(name.clone(), value(schema, root, random, depth + 1));
                }
            }
            Value::Object(members)
        }
        kind => panic!("no values of {kind}"),
    }
}
