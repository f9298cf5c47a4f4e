//! `dynamo-parsers-v2` 0.9.6: its tool-call parsers, and its unified parsers for families without one.

use dynamo_parsers_v2::{
    REGISTERED_FAMILIES, REGISTERED_UNIFIED_FAMILIES, ToolCallDelta, ToolParser, UnifiedParser,
    UnifiedParserEvent, UnifiedParserOutput, create_tool_parser_for_family,
    create_unified_parser_for_family,
};

use super::{Out, Reader};
use crate::pushes::Pushes;
use crate::reading::{Ending, Told};
use crate::tools::Tool;

/// One of its families.
pub struct Second {
    family: &'static str,
    tools: Vec<dynamo_parsers_v2::Tool>,
}

enum Parser {
    Tools(Box<dyn ToolParser>),
    Unified(Box<dyn UnifiedParser>),
}

impl Second {
    /// The family of that name.
    ///
    /// # Panics
    /// If there is no family of that name.
    pub fn new(family: &'static str, tools: &[Tool]) -> Second {
        assert!(
            REGISTERED_FAMILIES.contains(&family) || REGISTERED_UNIFIED_FAMILIES.contains(&family),
            "dynamo-parsers-v2 has no {family:?}"
        );
        let tools = tools
            .iter()
            .map(|tool| dynamo_parsers_v2::Tool {
                name: tool.name.clone(),
                description: None,
                parameters: tool.parameters.clone(),
                strict: None,
            })
            .collect();
        Second { family, tools }
    }

    fn make(&self) -> Parser {
        if REGISTERED_FAMILIES.contains(&self.family) {
            Parser::Tools(
                create_tool_parser_for_family(self.family, &self.tools).expect("it was there"),
            )
        } else {
            Parser::Unified(
                create_unified_parser_for_family(self.family, &self.tools).expect("it was there"),
            )
        }
    }
}

impl Reader for Second {
    fn name(&self) -> &str {
        "dynamo-parsers-v2"
    }

    fn whole(&self, text: &str, out: Out<'_>) {
        // Its complete parse is one push and the end; incomplete calls are dropped.
        match self.make() {
            Parser::Tools(mut parser) => {
                if let Ok(result) = parser.parse_complete(text) {
                    out(Told::Text(&result.normal_text));
                    for call in &result.calls {
                        tell(call, out);
                    }
                }
            }
            Parser::Unified(parser) => unified(parser, std::iter::once(text), out),
        }
    }

    fn pushed(&self, pushes: &Pushes, out: Out<'_>) {
        match self.make() {
            Parser::Tools(mut parser) => {
                for piece in pushes.iter() {
                    let Ok(result) = parser.push(piece) else {
                        return;
                    };
                    out(Told::Text(&result.normal_text));
                    for call in &result.calls {
                        tell(call, out);
                    }
                }
                if let Ok(result) = parser.finish() {
                    out(Told::Text(&result.normal_text));
                    for call in &result.calls {
                        tell(call, out);
                    }
                }
            }
            Parser::Unified(parser) => unified(parser, pushes.iter(), out),
        }
    }
}

fn unified<'a>(
    mut parser: Box<dyn UnifiedParser>,
    pieces: impl Iterator<Item = &'a str>,
    out: Out<'_>,
) {
    if parser.initialize(&[]).is_err() {
        return;
    }
    let mut output = UnifiedParserOutput::default();
    for piece in pieces {
        let is_over = parser.parse_into(piece, &mut output).is_err();
        tell_events(&output.events, out);
        output.events.clear();
        if is_over {
            return;
        }
    }
    if let Ok(output) = parser.finish() {
        tell_events(&output.events, out);
    }
}

fn tell_events(events: &[UnifiedParserEvent], out: Out<'_>) {
    for event in events {
        match event {
            UnifiedParserEvent::Text(text) => out(Told::Text(text)),
            UnifiedParserEvent::ToolCall(delta) => tell(delta, out),
            _ => {}
        }
    }
}

fn tell(delta: &ToolCallDelta, out: Out<'_>) {
    let call = delta.tool_index;
    if let Some(name) = &delta.name {
        out(Told::Begin { call, name });
    }
    if !delta.arguments.is_empty() {
        out(Told::Args {
            call,
            json: &delta.arguments,
        });
    }
    if delta.complete {
        out(Told::End {
            call,
            ending: Ending::Runs,
        });
    }
}
