//! Programs under test: toolglot itself, toolglot with one fault, and programs without a valid answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use toolglot_conform::{AskError, Program, Reply};
use toolglot_engine::{Calls, Finish, Input, Limits, Parser};
use toolglot_toolset::Toolbox;
use toolglot_value::{Value, from_str, json};

/// An answer before it is sent.
pub(crate) struct Draft {
    pub(crate) n_chunks: usize,
    pub(crate) n_bytes: usize,
    /// Name and arguments of each call.
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) content: String,
    pub(crate) sends_twice: bool,
    pub(crate) has_calls_only: bool,
    pub(crate) micros: u32,
}

/// Toolglot's parser, with an optional change of its answers.
#[derive(Default)]
pub(crate) struct Right {
    change: Option<fn(&mut Draft)>,
    programs: HashMap<String, Arc<toolglot_engine::Program>>,
}

impl Right {
    pub(crate) fn with(change: fn(&mut Draft)) -> Right {
        Right {
            change: Some(change),
            ..Right::default()
        }
    }

    fn program(&mut self, question: &Value) -> Arc<toolglot_engine::Program> {
        let key = format!("{}{}", question["dialect"], question["tools"]);
        let made = self.programs.entry(key).or_insert_with(|| {
            let name = question["dialect"].as_str().expect("a name");
            let dialect = toolglot_dialects::get(name).expect("a dialect");
            let tools = Toolbox::from_json(&question["tools"])
                .expect("tools")
                .tool_set();
            let dialects = std::slice::from_ref(dialect);
            let program = toolglot_engine::Program::compile(dialects, &tools, Limits::default());
            Arc::new(program.expect("a program"))
        });
        Arc::clone(made)
    }
}

impl Program for Right {
    fn ask(&mut self, line: &str) -> Result<Reply, AskError> {
        let question = from_str(line).expect("a question is JSON");
        let mut parser = Parser::new(self.program(&question));
        let mut read = Calls::default();
        let chunks = question["chunks"].as_array().expect("chunks");
        let mut input = String::new();
        for chunk in chunks {
            let chunk = chunk.as_str().expect("a text");
            input.push_str(chunk);
            parser.push(Input::Text(chunk), &mut read);
        }
        parser.finish(Finish::Stop, &mut read);
        assert_eq!(question["input"], input.as_str());
        let mut draft = Draft {
            n_chunks: chunks.len(),
            n_bytes: input.len(),
            calls: read
                .calls
                .into_iter()
                .map(|call| (call.name, call.arguments))
                .collect(),
            content: read.content,
            sends_twice: false,
            has_calls_only: false,
            micros: 1,
        };
        if let Some(change) = self.change {
            change(&mut draft);
        }
        Ok(Reply {
            line: draft.answer(&question["id"]).to_string(),
            elapsed: Duration::from_micros(draft.micros.into()),
        })
    }
}

impl Draft {
    fn answer(&self, id: &Value) -> Value {
        if self.has_calls_only {
            let calls = self
                .calls
                .iter()
                .map(|(name, arguments)| json!({"name": name, "arguments": arguments}));
            return json!({"id": id, "calls": Value::Array(calls.collect())});
        }
        let mut events = vec![json!({"type": "text", "text": self.content})];
        for (number, (name, arguments)) in self.calls.iter().enumerate() {
            events.push(json!({"type": "call_start", "call": number, "name": name}));
            let middle = arguments.len() / 2;
            let middle = (0..=middle)
                .rev()
                .find(|at| arguments.is_char_boundary(*at))
                .expect("0 is one");
            let (start, rest) = arguments.split_at(middle);
            events.push(json!({"type": "args", "call": number, "json": start}));
            let rest = if self.sends_twice { arguments } else { rest };
            events.push(json!({"type": "args", "call": number, "json": rest}));
            events.push(json!({"type": "call_end", "call": number, "end": "closed"}));
        }
        json!({"id": id, "events": Value::Array(events)})
    }
}

/// Answers each line with a function of its id as JSON.
pub(crate) struct Answers<F: Fn(&str) -> String>(pub(crate) F);

impl<F: Fn(&str) -> String> Program for Answers<F> {
    fn ask(&mut self, line: &str) -> Result<Reply, AskError> {
        let question = from_str(line).expect("a question is JSON");
        Ok(Reply {
            line: self.0(&question["id"].to_string()),
            elapsed: Duration::from_micros(1),
        })
    }
}

/// A program that never answers.
pub(crate) struct Silent {
    pub(crate) n_asked: usize,
}

impl Program for Silent {
    fn ask(&mut self, _line: &str) -> Result<Reply, AskError> {
        self.n_asked += 1;
        Err(AskError::Timeout(Duration::from_secs(1)))
    }
}
