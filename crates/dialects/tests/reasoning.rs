//! The reading of a call in reasoning does not depend on the dialect.

use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, Finish, InReasoning, Input, Limits, Parser, Place, Program, Renderer,
};
use toolglot_toolset::Toolbox;
use toolglot_value::json;

/// The opener and closer of reasoning, where they are not `<think>` and `</think>`.
const MARKS: &[(&str, &str, &str)] = &[
    ("anthropic", "<thinking>", "</thinking>"),
    ("apertus", "<|inner_prefix|>", "<|inner_suffix|>"),
    (
        "apriel",
        "Here are my reasoning steps:",
        "[BEGIN FINAL RESPONSE]",
    ),
    ("cohere", "<|START_THINKING|>", "<|END_THINKING|>"),
    ("gemma4", "<|channel>thought\n", "<channel|>"),
    (
        "granite",
        "Here is my thought process:",
        "Here is my response:",
    ),
    ("hy_v4", "<think:x>", "</think:x>"),
    ("k2_horizon", "<ifm|think>", "</ifm|think>"),
    ("kimi_k3", "<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("longcat", "<longcat_think>", "</longcat_think>"),
    ("minimax_m3", "<mm:think>", "</mm:think>"),
    ("mistral", "[THINK]", "[/THINK]"),
    ("mistral_args", "[THINK]", "[/THINK]"),
    (
        "plamo3",
        "<|plamo:begin_think:plamo|>",
        "<|plamo:end_think:plamo|>",
    ),
    ("seed_oss", "<seed:think>", "</seed:think>"),
    ("solar2", "<|think:start|>", "<|think:end|>"),
];

/// Dialects whose reasoning is a message of its own: the next message header ends it.
const FRAMED: &[&str] = &["beam", "harmony", "inkling", "llm_jp", "muse", "solar"];

struct Subject {
    dialect: &'static Dialect,
    begin: &'static str,
    end: &'static str,
    call: String,
}

/// All dialects that write a call of a known tool and read reasoning around it.
fn subjects(tools: &toolglot_engine::ToolSet) -> Vec<Subject> {
    let writes = |dialect: &'static Dialect| {
        let renderer = Renderer::new(dialect, tools).expect("it compiles");
        let call = CallText {
            name: "read_file",
            arguments: r#"{"path":"a.rs"}"#,
            server: None,
            id: None,
        };
        let call = renderer.calls(&[call]).ok()?;
        let markers = MARKS.iter().find(|(name, ..)| *name == dialect.name());
        let (_, begin, end) = markers.copied().unwrap_or(("", "<think>", "</think>"));
        let subject = Subject {
            dialect,
            begin,
            end,
            call: String::from(call.trim_end()),
        };
        let calls = read(
            &subject,
            tools,
            &format!("{begin}so{end}"),
            InReasoning::Ignore,
        );
        (calls.reasoning == "so").then_some(subject)
    };
    toolglot_dialects::all()
        .iter()
        .filter(|dialect| !FRAMED.contains(&dialect.name()))
        .filter_map(writes)
        .collect()
}

fn read(
    subject: &Subject,
    tools: &toolglot_engine::ToolSet,
    text: &str,
    policy: InReasoning,
) -> Calls {
    let dialects = std::slice::from_ref(subject.dialect);
    let program = Program::compile(dialects, tools, Limits::default()).expect("it compiles");
    let mut parser = Parser::new(Arc::new(program)).in_reasoning(policy);
    let mut calls = Calls::default();
    parser.push(Input::Text(text), &mut calls);
    parser.finish(Finish::Stop, &mut calls);
    calls
}

#[test]
fn a_call_in_reasoning_counts_where_that_never_ends_or_where_it_is_accepted() {
    let tools =
        json!({"read_file": {"type": "object", "properties": {"path": {"type": "string"}}}});
    let tools = Toolbox::from_json(&tools).expect("a tool").tool_set();
    let subjects = subjects(&tools);
    assert!(subjects.len() > 70, "{} dialects", subjects.len());
    for subject in &subjects {
        let Subject {
            begin, end, call, ..
        } = subject;
        let name = subject.dialect.name();
        let closed = format!("{begin}one\n{call}\nmore{end}Answer.");
        let open = format!("{begin}one\n{call}");

        let ignored = read(subject, &tools, &closed, InReasoning::Ignore);
        assert_eq!(
            (ignored.calls.len(), ignored.content.trim()),
            (0, "Answer."),
            "{name}"
        );
        assert!(ignored.reasoning.contains("read_file"), "{name}");
        let notes = ignored.notes.iter().map(|note| note.code.name());
        assert_eq!(notes.collect::<Vec<_>>(), ["reasoning-call"], "{name}");

        let accepted = read(subject, &tools, &closed, InReasoning::Accept);
        assert_eq!(accepted.content.trim(), "Answer.", "{name}");
        for calls in [accepted, read(subject, &tools, &open, InReasoning::Ignore)] {
            let places: Vec<Place> = calls.calls.iter().map(|call| call.place).collect();
            assert_eq!(places, [Place::Reasoning], "{name}");
            assert!(calls.reasoning.starts_with("one"), "{name}");
        }
    }
}

#[test]
fn the_end_of_reasoning_that_was_left_empty_is_markup() {
    let tools = toolglot_engine::ToolSet::default();
    for subject in subjects(&tools) {
        let text = format!("{}Answer.", subject.end);
        let calls = read(&subject, &tools, &text, InReasoning::Ignore);
        assert_eq!(calls.content, "Answer.", "{}", subject.dialect.name());
    }
}

#[test]
fn the_begin_of_reasoning_that_the_prompt_has_opened_is_markup() {
    let tools = toolglot_engine::ToolSet::default();
    for subject in subjects(&tools) {
        let name = subject.dialect.name();
        let dialects = std::slice::from_ref(subject.dialect);
        let program = Program::compile(dialects, &tools, Limits::default()).expect("it compiles");
        let mut parser = Parser::new(Arc::new(program)).reasoning_open();
        let mut calls = Calls::default();
        let text = format!("{}I think.{}Answer.", subject.begin, subject.end);
        parser.push(Input::Text(&text), &mut calls);
        parser.finish(Finish::Stop, &mut calls);
        assert_eq!(
            (calls.reasoning.as_str(), calls.content.as_str()),
            ("I think.", "Answer."),
            "{name}"
        );
    }
}

#[test]
fn calls_in_reasoning_cost_what_they_are_long() {
    let tools = json!({"read_file": {"type": "object"}});
    let tools = Toolbox::from_json(&tools).expect("a tool").tool_set();
    let hermes = toolglot_dialects::get("hermes").expect("it is embedded");
    let program = Program::compile(std::slice::from_ref(hermes), &tools, Limits::default());
    let program = Arc::new(program.expect("it compiles"));
    let call = r#"<tool_call>{"name": "read_file", "arguments": {}}</tool_call>"#;
    for (part, end) in [
        (format!("<think>\n{call} "), ""),
        (format!("<think>\n{call}\nso "), ""),
        (format!("{call} or "), ""),
        (format!("{call} or "), "</think>"),
    ] {
        let text = format!("<think>{}{end}", part.repeat(3000));
        let mut parser = Parser::new(Arc::clone(&program));
        let mut calls = Calls::default();
        parser.push(Input::Text(&text), &mut calls);
        let work = parser.work();
        parser.finish(Finish::Stop, &mut calls);
        let per_byte = work / text.len() as u64;
        assert!(
            per_byte < 60,
            "{per_byte} steps for each byte of {part:?} .. {end:?}"
        );
    }
}
