//! Renders a message or results in a dialect, from a document.

use std::sync::Arc;

use toolglot_engine::{
    CallText, Calls, Dialect, End, Finish, Input, Parser, RenderedResults, Renderer, ResultNote,
    ResultText, ResultWriter, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;
use toolglot_wire::{Message, MessageCall, types_hint};

use crate::error::ChatError;
use crate::example_call::writes_rows;
use crate::server_name::default_server;
use crate::spaced_json::spaced_json;

/// The target of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct RenderTarget<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// The names and parameter shapes that the reader will know: the result of [`tool_set`](crate::tool_set).
    pub tools: &'a ToolSet,
    /// The tools, if the caller named any.
    pub toolbox: Option<&'a Toolbox>,
}

/// The text of a message or of results.
#[derive(Clone, Debug, Default)]
pub struct RenderedMessage {
    /// The text, exact to the byte.
    pub text: String,
    /// The changes to results.
    pub notes: Vec<ResultNote>,
    /// The indexes of calls, from 0, that a parser reads back with the same arguments but with a value in doubt.
    pub recovered: Vec<usize>,
}

/// Writes a message or results.
///
/// # Errors
/// [`ChatError::Unrenderable`] for calls that the dialect cannot express, [`ChatError::Program`] for a dialect that
/// does not compile.
pub fn rendered_message(
    message: &Message,
    target: RenderTarget<'_>,
) -> Result<RenderedMessage, ChatError> {
    let RenderTarget { dialect, tools, .. } = target;
    match message {
        Message::Calls { calls, content } => {
            if let Some(call) = calls.iter().find(|call| asks_nothing(call, dialect)) {
                return Err(ChatError::Unrenderable {
                    dialect: dialect.name().to_owned(),
                    why: format!("`{}` without a command asks for nothing", call.name),
                    text: None,
                    start: None,
                });
            }
            let calls: Vec<MessageCall> =
                calls.iter().map(|call| with_rows(call, target)).collect();
            let server = default_server(dialect.name());
            let calls: Vec<CallText<'_>> = calls
                .iter()
                .map(call_text)
                .map(|call| CallText {
                    server: call.server.or(server),
                    ..call
                })
                .collect();
            let renderer = Renderer::new(dialect, tools)
                .map_err(|error| ChatError::Program(Box::new(error)))?;
            let text =
                renderer
                    .message(content, &calls)
                    .map_err(|error| ChatError::Unrenderable {
                        dialect: dialect.name().to_owned(),
                        why: error.reason + &types_hint(dialect, &calls),
                        text: error.text,
                        start: error.start,
                    })?;
            Ok(RenderedMessage {
                recovered: recovered(&renderer, &text),
                text,
                notes: Vec::new(),
            })
        }
        Message::Results(results) => {
            let results: Vec<ResultText<'_>> = results
                .iter()
                .map(|result| ResultText {
                    call: call_text(&result.call),
                    text: &result.text,
                    failed: result.failed,
                    is_json: result.is_json,
                })
                .collect();
            let RenderedResults { text, notes } = ResultWriter::new(dialect).results(&results);
            Ok(RenderedMessage {
                text,
                notes,
                recovered: Vec::new(),
            })
        }
    }
}

/// The indexes of calls in `text` that end `recovered`, from 0.
fn recovered(renderer: &Renderer<'_>, text: &str) -> Vec<usize> {
    let mut parser = Parser::new(Arc::clone(renderer.program()));
    let mut read = Calls::default();
    parser.push(Input::Text(text), &mut read);
    parser.finish(Finish::Unknown, &mut read);
    let calls = read.calls.iter().enumerate();
    let recovered = calls.filter(|(_, call)| call.end == End::Recovered);
    recovered.map(|(index, _)| index).collect()
}

/// The call with rows, as the dialect's models write it.
fn with_rows(call: &MessageCall, target: RenderTarget<'_>) -> MessageCall {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
    let written = target
        .toolbox
        .filter(|_| writes_rows(target.dialect))
        .map(|toolbox| toolbox.with_rows(&call.name, arguments));
    MessageCall {
        arguments: written.map_or_else(|| call.arguments.clone(), |map| spaced_json(&map)),
        ..call.clone()
    }
}

/// Whether the dialect reads shell blocks, and would drop this call because its command is empty.
fn asks_nothing(call: &MessageCall, dialect: &Dialect) -> bool {
    let Some((block, command)) = dialect.split() else {
        return false;
    };
    let arguments: Value = toolglot_value::from_str(&call.arguments).unwrap_or_default();
    let text = arguments[block].as_str().or(arguments[command].as_str());
    text.is_some_and(|text| text.trim().is_empty())
}

fn call_text(call: &MessageCall) -> CallText<'_> {
    CallText {
        name: &call.name,
        arguments: &call.arguments,
        // In documents, `local` means that there is no server.
        server: call.server.as_deref().filter(|server| *server != "local"),
        id: call.id.as_deref(),
    }
}
