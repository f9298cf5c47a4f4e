//! `toolglot render`: writes calls or results in a dialect.

use std::io::Write;

use serde::Serialize;
use toolglot_chat::{RenderTarget, RenderedMessage, rendered_message, tool_set};
use toolglot_value::Value;
use toolglot_wire::{BadLine, Message, NoteLine};

use crate::cli::args::RenderArguments;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;
use crate::cli::{batch, select, source, toolboxes};

/// Renders one document, or one per line.
pub(crate) fn render(arguments: &RenderArguments, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let dialect = select::one(&arguments.dialect)?;
    let toolbox = toolboxes::known(arguments.tools.as_deref())?;
    let target = RenderTarget {
        dialect: &dialect,
        tools: &tool_set(std::slice::from_ref(&dialect), toolbox.as_ref()),
        toolbox: toolbox.as_ref(),
    };
    if arguments.jsonl {
        return lines(arguments, target, out);
    }
    let message = Message::read(&source::document(&arguments.file)?)?;
    let written = rendered_message(&message, target)?;
    for index in written.recovered {
        let _ = writeln!(
            screen::stderr(),
            "warning: call {index} reads back as `recovered`: a value holds what could end it in `{}`",
            dialect.name()
        );
    }
    for note in written.notes {
        // The text is written even if standard error is closed.
        let (code, words) = (note.note.code.number(), note.note.message);
        let _ = writeln!(
            screen::stderr(),
            "note[N{code:03}]: result {}: {words}",
            note.result
        );
    }
    let text = written.text;
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    write!(out, "{text}{newline}").map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// A rendered document, exact to the byte.
#[derive(Serialize)]
struct Rendered {
    id: Value,
    text: String,
    /// What was changed in results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<RenderedNote>,
    /// The calls, counted from 0, that read back with the same arguments but as `recovered`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered: Vec<usize>,
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
    target: RenderTarget<'_>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    batch::answer(&arguments.file, out, |line, out| {
        match rendered(line, target) {
            Ok(rendered) => write_line(out, &rendered).map(|()| false),
            Err(BadLine { id, error }) => batch::bad(out, id, error),
        }
    })
}

fn rendered(line: &str, target: RenderTarget<'_>) -> Result<Rendered, BadLine> {
    let value: Value = toolglot_value::from_str(line).map_err(|error| BadLine {
        id: Value::Null,
        error: format!("not JSON: {error}"),
    })?;
    let id = value.get("id").cloned().unwrap_or_default();
    let written = Message::of(value)
        .map_err(Failure::from)
        .and_then(|message| rendered_message(&message, target).map_err(Failure::from));
    match written {
        Ok(RenderedMessage {
            text,
            notes,
            recovered,
        }) => {
            let notes = notes.into_iter().map(|note| RenderedNote {
                result: note.result,
                note: NoteLine::from(&note.note),
            });
            let notes = notes.collect();
            Ok(Rendered {
                id,
                text,
                notes,
                recovered,
            })
        }
        Err(failure) => Err(BadLine {
            id,
            error: failure.told(),
        }),
    }
}
