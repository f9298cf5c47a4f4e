//! What a model writes, as it comes, as the deltas of OpenAI's chat API: what a server streams to its clients.
//! `cargo run -p toolglot-toolset --example openai_deltas`

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use toolglot_engine::{End, Event, Finish, Input, Limits, Parser, Program, Sink, Span, ToolSet};
use toolglot_toolset::Toolbox;

/// The deltas of one choice.
#[derive(Default)]
struct Deltas {
    /// Those that were not sent yet.
    waiting: Vec<Value>,
    n_calls: u32,
    is_cut_off: bool,
}

impl Sink for Deltas {
    fn event(&mut self, _: Span, event: Event<'_>) {
        let delta = match event {
            Event::Text(text) => json!({"content": text}),
            Event::Reasoning(text) => json!({"reasoning_content": text}),
            Event::CallStart(head) => {
                self.n_calls += 1;
                let index = head.call.0;
                // A real server makes an id that no other message has.
                let id = head
                    .id
                    .map_or_else(|| format!("call_{index}"), str::to_owned);
                let function = json!({"name": head.name, "arguments": ""});
                json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
            }
            Event::Args { call, json } => {
                json!({"tool_calls": [{"index": call.0, "function": {"arguments": json}}]})
            }
            // Clients take a call that has begun for one that may run. What stopped in it is told by `finish_reason`;
            // who runs calls himself looks at `End::Recovered` as well.
            Event::CallEnd { end, .. } => {
                self.is_cut_off |= end == End::Truncated;
                return;
            }
            // Tags and blanks between them; remarks, for a log.
            _ => return,
        };
        self.waiting.push(delta);
    }
}

impl Deltas {
    fn finish_reason(&self, why: Finish) -> &'static str {
        match why {
            _ if self.is_cut_off => "length",
            Finish::Length => "length",
            _ if self.n_calls > 0 => "tool_calls",
            _ => "stop",
        }
    }
}

/// A program for the model's dialect: once, when the server starts.
fn program_of(model: &str) -> Result<Program, toolglot_engine::GrammarError> {
    match toolglot_dialects::get(model) {
        Some(dialect) => Program::compile([dialect], &ToolSet::default(), Limits::default()),
        None => Ok(toolglot_dialects::auto().for_tools(&ToolSet::default())),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = program_of("qwen3_coder")?;

    // For each request: its tools, and a parser for each choice. The prompt may end inside reasoning.
    let tools = json!([{"type": "function", "function": {"name": "get_weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]);
    let tools = Toolbox::from_json(&tools)?.tool_set();
    let mut parser = Parser::primed(Arc::new(program.for_tools(&tools)), "<think>\n");

    let mut deltas = Deltas::default();
    let mut sent = Vec::new();
    for token in [
        "It is",
        " cold.",
        "</think>",
        "Let me",
        " see.",
        "<tool",
        "_call>\n<function=",
        "get_weather>\n",
        "<parameter=city>\n",
        "4",
        "2\n</parameter>\n<parameter=days>\n3\n",
        "</parameter>\n</function>\n</tool_call>",
    ] {
        parser.push(Input::Text(token), &mut deltas);
        sent.append(&mut deltas.waiting);
    }
    parser.finish(Finish::Stop, &mut deltas);
    sent.append(&mut deltas.waiting);

    let reason = deltas.finish_reason(Finish::Stop);
    let mut out = std::io::stdout().lock();
    for delta in &sent {
        let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
        writeln!(out, "data: {chunk}")?;
    }
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    writeln!(out, "data: {last}")?;

    let all = |key: &str| -> String {
        sent.iter()
            .filter_map(|delta| delta[key].as_str())
            .collect()
    };
    let arguments = sent
        .iter()
        .filter_map(|delta| delta["tool_calls"][0]["function"]["arguments"].as_str());
    assert_eq!(all("reasoning_content"), "It is cold.");
    assert_eq!(all("content"), "Let me see.");
    assert_eq!(arguments.collect::<String>(), r#"{"city":"42","days":3}"#);
    assert_eq!(reason, "tool_calls");
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the call comes through");
}
