//! How a server handles tools, from a request to the text of a tool result: see `docs/embed-in-a-server.md`.
//! `cargo run -p toolglot-toolset --example openai_deltas`

use std::io::Write;
use std::sync::Arc;

use toolglot_engine::{
    CallText, Dialect, End, Event, Finish, GrammarError, Input, Limits, Parser, Program,
    ResultText, ResultWriter, Sink, Span, ToolSet,
};
use toolglot_toolset::{ToolError, Toolbox};
use toolglot_value::{Value, json};

/// A model that the server has loaded.
struct Model {
    dialect: &'static Dialect,
    program: Program,
}

impl Model {
    fn new(dialect: &str) -> Result<Model, GrammarError> {
        let dialect = toolglot_dialects::get(dialect).expect("the configuration names a dialect");
        let program = Program::compile([dialect], &ToolSet::default(), Limits::default())?;
        Ok(Model { dialect, program })
    }

    /// A parser for one choice of a request.
    fn parser(&self, tools: &Value, prompt_tail: &str) -> Result<Parser, ToolError> {
        let tools = Toolbox::from_json(tools)?.tool_set();
        let program = Arc::new(self.program.for_tools(&tools));
        Ok(Parser::after_prompt(program, prompt_tail))
    }

    /// The text of the tool messages that answer the assistant's calls.
    fn results(&self, calls: &[Value], answers: &[Value]) -> String {
        let results = answers.iter().filter_map(|answer| {
            let id = &answer["tool_call_id"];
            let call = calls.iter().find(|call| call["id"] == *id)?;
            let call = CallText {
                name: call["function"]["name"].as_str()?,
                arguments: call["function"]["arguments"].as_str()?,
                server: None,
                id: call["id"].as_str(),
            };
            Some(ResultText {
                call,
                text: answer["content"].as_str()?,
                failed: false,
                is_json: false,
            })
        });
        let results: Vec<_> = results.collect();
        ResultWriter::new(self.dialect).results(&results).text
    }
}

/// The deltas of one choice.
#[derive(Default)]
struct Deltas {
    /// The deltas that are not sent yet.
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
            Event::CallEnd { end, .. } => {
                self.is_cut_off |= end == End::Truncated;
                return;
            }
            // Tags and blanks between calls; notes, for a log.
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

/// Reads the model's text, and sends it as it comes.
fn stream<'t>(
    mut parser: Parser,
    tokens: impl IntoIterator<Item = &'t str>,
    why: Finish,
    mut send: impl FnMut(Value),
) {
    let mut deltas = Deltas::default();
    for token in tokens {
        parser.push(Input::Text(token), &mut deltas);
        deltas.waiting.drain(..).for_each(&mut send);
    }
    parser.finish(why, &mut deltas);
    deltas.waiting.drain(..).for_each(&mut send);
    send(json!({"finish_reason": deltas.finish_reason(why)}));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::new("qwen3_coder")?;
    let tools = json!([{"type": "function", "function": {"name": "get_weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]);
    // The prompt of this model ends inside its reasoning.
    let parser = model.parser(&tools, "<think>\n")?;
    let tokens = [
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
    ];
    let mut sent = Vec::new();
    stream(parser, tokens, Finish::Stop, |delta| sent.push(delta));
    let mut out = std::io::stdout().lock();
    for delta in &sent {
        writeln!(out, "data: {delta}")?;
    }

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
    assert_eq!(all("finish_reason"), "tool_calls");

    // The next request brings the call back, and its result.
    let function = json!({"name": "get_weather", "arguments": r#"{"city":"42","days":3}"#});
    let calls = [json!({"id": "call_0", "type": "function", "function": function})];
    let answers =
        [json!({"role": "tool", "tool_call_id": "call_0", "content": "sun </tool_response>"})];
    let text = model.results(&calls, &answers);
    writeln!(out, "{text}")?;
    // A closer inside the result is escaped.
    assert_eq!(
        text,
        "<tool_response>\nsun <\\/tool_response>\n</tool_response>"
    );
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the call comes through");
}
