//! toolglot: one dialect, or all dialects together.

use std::sync::Arc;

use toolglot_engine::{Calls, Dialect, End, Event, Finish, Input, Limits, Parser, Program, Span, ToolSet};

use super::{Out, Reader};
use crate::pushes::Pushes;
use crate::reading::{Ending, Told};
use crate::tools::Tool;

/// A program, and how messages start and end.
pub struct Ours {
    name: &'static str,
    program: Arc<Program>,
    pub finish: Finish,
    pub reasoning_open: bool,
    pub prompt_suffix: Option<String>,
}

impl Ours {
    /// The dialect alone.
    ///
    /// # Panics
    /// If there is no dialect of that name.
    pub fn one(dialect: &str, tools: &[Tool]) -> Ours {
        let dialect = toolglot_dialects::get(dialect).expect("a dialect that ships");
        let program = Program::compile(
            std::slice::from_ref(dialect),
            &tool_set(tools),
            Limits::default(),
        )
        .expect("a dialect that ships compiles");
        Ours::new("toolglot", Arc::new(program))
    }

    /// All dialects, as in `--dialect auto`.
    ///
    /// # Panics
    /// Never: a test of the dialects compiles them together.
    pub fn all(tools: &[Tool]) -> Ours {
        let dialects: Vec<Dialect> = toolglot_dialects::union()
            .into_iter()
            .filter(|dialect| dialect.split().is_none())
            .cloned()
            .collect();
        let program = Program::compile(&dialects, &tool_set(tools), Limits::default())
            .expect("the union compiles");
        Ours::new("toolglot, all", Arc::new(program))
    }

    fn new(name: &'static str, program: Arc<Program>) -> Ours {
        Ours {
            name,
            program,
            finish: Finish::Stop,
            reasoning_open: false,
            prompt_suffix: None,
        }
    }

    /// A copy of the reader.
    pub fn again(&self) -> Ours {
        Ours::new(self.name, Arc::clone(&self.program))
    }

    /// The same rules with other tools.
    pub fn with_tools(&self, tools: &[Tool]) -> Ours {
        Ours::new(
            self.name,
            Arc::new(self.program.for_tools(&tool_set(tools))),
        )
    }

    /// The same reader with another name and another finish reason.
    pub fn told(self, name: &'static str, finish: Finish) -> Ours {
        Ours {
            name,
            finish,
            ..self
        }
    }

    fn parser(&self) -> Parser {
        let program = Arc::clone(&self.program);
        let parser = match &self.prompt_suffix {
            Some(suffix) => Parser::after_prompt(program, suffix),
            None => Parser::new(program),
        };
        if self.reasoning_open {
            parser.reasoning_open()
        } else {
            parser
        }
    }
}

impl Reader for Ours {
    fn name(&self) -> &str {
        self.name
    }

    fn whole(&self, text: &str, out: Out<'_>) {
        // Collected into calls, since the other parsers return complete calls too.
        let mut message = Calls::default();
        let mut parser = self.parser();
        parser.push(Input::Text(text), &mut message);
        parser.finish(self.finish, &mut message);
        out(Told::Text(&message.content));
        for (number, call) in message.calls.iter().enumerate() {
            out(Told::Begin {
                call: number,
                name: &call.name,
            });
            out(Told::Args {
                call: number,
                json: &call.arguments,
            });
            out(Told::End {
                call: number,
                ending: ending(call.end),
            });
        }
    }

    fn pushed(&self, pushes: &Pushes, out: Out<'_>) {
        let mut sink = |_: Span, event: Event<'_>| match event {
            Event::Text(text) => out(Told::Text(text)),
            Event::CallStart(head) => out(Told::Begin {
                call: head.call.0 as usize,
                name: head.name,
            }),
            Event::Args { call, json } => out(Told::Args {
                call: call.0 as usize,
                json,
            }),
            Event::CallEnd { call, end } => out(Told::End {
                call: call.0 as usize,
                ending: ending(end),
            }),
            _ => {}
        };
        let mut parser = self.parser();
        for piece in pushes.iter() {
            parser.push(Input::Text(piece), &mut sink);
        }
        parser.finish(self.finish, &mut sink);
    }
}

fn ending(end: End) -> Ending {
    match end {
        End::Closed => Ending::Runs,
        End::Recovered => Ending::Asks,
        End::Truncated => Ending::Never,
    }
}

fn tool_set(tools: &[Tool]) -> ToolSet {
    ToolSet::new(tools.iter().map(|tool| toolglot_engine::Tool {
        name: tool.name.clone(),
        parameters: toolglot_schema::fields(&toolglot_value::Value::from(&tool.parameters)),
    }))
}
