//! `tool-parser` 1.10.0.

use std::sync::OnceLock;

use futures::executor::block_on;
use tool_parser::{ParserFactory, ToolParser};

use super::{Out, Reader};
use crate::pushes::Pushes;
use crate::reading::{Ending, Told};
use crate::tools::Tool;

/// One of its parsers.
pub struct Smg {
    parser: &'static str,
    tools: Vec<openai_protocol::common::Tool>,
}

fn factory() -> &'static ParserFactory {
    static FACTORY: OnceLock<ParserFactory> = OnceLock::new();
    FACTORY.get_or_init(ParserFactory::new)
}

impl Smg {
    /// The parser of that name.
    ///
    /// # Panics
    /// If there is no parser of that name, or it accepts no tool of that shape.
    pub fn new(parser: &'static str, tools: &[Tool]) -> Smg {
        assert!(
            factory().registry().has_parser(parser),
            "tool-parser has no {parser:?}"
        );
        let tools = tools
            .iter()
            .map(|tool| {
                serde_json::from_value(serde_json::json!({
                    "type": "function",
                    "function": {"name": tool.name, "parameters": tool.parameters},
                }))
                .expect("a tool of chat completions")
            })
            .collect();
        Smg { parser, tools }
    }

    fn make(&self) -> Box<dyn ToolParser> {
        factory()
            .registry()
            .create_parser(self.parser)
            .expect("it was there")
    }
}

impl Reader for Smg {
    fn name(&self) -> &str {
        "tool-parser"
    }

    fn whole(&self, text: &str, out: Out<'_>) {
        let parser = self.make();
        let answer = block_on(async {
            if self.tools.is_empty() {
                parser.parse_complete(text).await
            } else {
                parser.parse_complete_with_tools(text, &self.tools).await
            }
        });
        let Ok((content, calls)) = answer else {
            return;
        };
        out(Told::Text(&content));
        for (number, call) in calls.iter().enumerate() {
            out(Told::Begin {
                call: number,
                name: &call.function.name,
            });
            out(Told::Args {
                call: number,
                json: &call.function.arguments,
            });
            out(Told::End {
                call: number,
                ending: Ending::Runs,
            });
        }
    }

    fn pushed(&self, pushes: &Pushes, out: Out<'_>) {
        let mut parser = self.make();
        let mut started: Vec<usize> = Vec::new();
        let mut emit = |items: &[tool_parser::types::ToolCallItem], out: Out<'_>| {
            for item in items {
                let call = item.tool_index;
                if let Some(name) = &item.name {
                    started.push(call);
                    out(Told::Begin { call, name });
                }
                if !item.parameters.is_empty() {
                    out(Told::Args {
                        call,
                        json: &item.parameters,
                    });
                }
            }
        };
        block_on(async {
            for piece in pushes.iter() {
                if let Ok(result) = parser.parse_incremental(piece, &self.tools).await {
                    out(Told::Text(&result.normal_text));
                    emit(&result.calls, out);
                }
            }
        });
        // Its documentation requires a server to fetch these at the end.
        let rest = parser.get_unstreamed_tool_args().unwrap_or_default();
        emit(&rest, out);
        out(Told::Text(&parser.take_unstreamed_normal_text()));
        for call in started {
            // It has no state for an incomplete call.
            out(Told::End {
                call,
                ending: Ending::Runs,
            });
        }
    }
}
