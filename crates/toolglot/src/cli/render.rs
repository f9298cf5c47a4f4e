//! `toolglot render`: calls or results written in a dialect.

use std::io::Write;

use serde::Serialize;
use toolglot_engine::{
    CallText, Dialect, RenderedResults, Renderer, ResultText, ResultWriter, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;
use toolglot_wire::{BadLine, Message, MessageCall, NoteLine, types_hint};

use crate::cli::args::RenderArguments;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select, source, toolboxes};
use toolglot_chat::{default_server, spaced_json, tool_set, writes_rows};

/// Renders one document, or one per line.
pub(crate) fn render(arguments: &RenderArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let dialect = select::one(&arguments.dialect)?;
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let target = Target {
        dialect: &dialect,
        tools: &tool_set(std::slice::from_ref(&dialect), toolbox.as_ref()),
        toolbox: toolbox.as_ref(),
    };
    if arguments.jsonl {
        return lines(arguments, target, out);
    }
    let message = Message::read(&source::document(&arguments.file)?)?;
    let RenderedResults { text, notes } = written(&message, target)?;
    for note in notes {
        // The text must come, also where nobody reads the notes.
        let (code, said) = (note.note.code.number(), note.note.message);
        let _ = writeln!(
            screen::stderr(),
            "note[N{code:03}]: result {}: {said}",
            note.result
        );
    }
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    write!(out, "{text}{newline}").map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// What documents are written in.
#[derive(Clone, Copy)]
struct Target<'a> {
    dialect: &'a Dialect,
    tools: &'a ToolSet,
    toolbox: Option<&'a Toolbox>,
}

/// A rendered document, exact to the byte.
#[derive(Serialize)]
struct Rendered {
    id: Value,
    text: String,
    /// What was changed in results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<RenderedNote>,
}

/// A note on one of several results; its span is in the result's own text.
#[derive(Serialize)]
struct RenderedNote {
    result: usize,
    #[serde(flatten)]
    note: NoteLine,
}

fn lines(
    arguments: &RenderArguments,
    target: Target<'_>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    batch::answer(&arguments.file, out, |line, out| {
        match rendered(line, target) {
            Ok(rendered) => write_line(out, &rendered).map(|()| false),
            Err(BadLine { id, error }) => batch::bad(out, id, error),
        }
    })
}

fn rendered(line: &str, target: Target<'_>) -> Result<Rendered, BadLine> {
    let value: Value = toolglot_value::from_str(line).map_err(|error| BadLine {
        id: Value::Null,
        error: format!("not JSON: {error}"),
    })?;
    let id = value.get("id").cloned().unwrap_or_default();
    let written = Message::of(value)
        .map_err(Failure::from)
        .and_then(|message| written(&message, target));
    match written {
        Ok(RenderedResults { text, notes }) => {
            let notes = notes.into_iter().map(|note| RenderedNote {
                result: note.result,
                note: NoteLine::from(&note.note),
            });
            let notes = notes.collect();
            Ok(Rendered { id, text, notes })
        }
        Err(failure) => Err(BadLine {
            id,
            error: failure.told(),
        }),
    }
}

fn written(message: &Message, target: Target<'_>) -> Result<RenderedResults, Failure> {
    let Target { dialect, tools, .. } = target;
    match message {
        Message::Calls { calls, content } => {
            if let Some(call) = calls.iter().find(|call| asks_nothing(call, dialect)) {
                return Err(Failure::Unrenderable {
                    dialect: dialect.name().to_owned(),
                    why: format!("`{}` without a command asks for nothing", call.name),
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
            let renderer =
                Renderer::new(dialect, tools).map_err(|error| Failure::Program(Box::new(error)))?;
            let text =
                renderer
                    .message(content, &calls)
                    .map_err(|error| Failure::Unrenderable {
                        dialect: dialect.name().to_owned(),
                        why: error.reason + &types_hint(dialect, &calls),
                    })?;
            Ok(RenderedResults {
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
            Ok(ResultWriter::new(dialect).results(&results))
        }
    }
}

/// The call as the dialect's models write it.
fn with_rows(call: &MessageCall, target: Target<'_>) -> MessageCall {
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

/// Whether the dialect reads shell blocks, and would drop the call as one without a command.
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
        // `local` is how documents say that there is no server.
        server: call.server.as_deref().filter(|server| *server != "local"),
        id: call.id.as_deref(),
    }
}
