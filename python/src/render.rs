//! `render` and `prompt`: what models are taught to write and to read.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use toolglot_chat::{RenderTarget, instructions, rendered_message, tool_set};
use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value};
use toolglot_wire::{Arguments, Message as WireMessage, MessageCall};

use crate::error::Fault;
use crate::from_python::value;
use crate::message::{Message, MessageData};
use crate::note::Note;
use crate::panic::caught;
use crate::reading_options::{dialect_fault, tool_list, toolbox};
use crate::source_text::SourceText;

/// The tools that an argument names, where it names any.
pub(crate) fn tools(py: Python<'_>, tools: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Toolbox>> {
    let Some(tools) = tools else { return Ok(None) };
    let found = toolbox(py, &tool_list(tools)?)?;
    Ok(Some(found).filter(|found| !found.is_empty()))
}

/// The one dialect of that name.
pub(crate) fn dialect(py: Python<'_>, name: &str) -> PyResult<&'static Dialect> {
    toolglot_chat::dialect_named(name).map_err(|error| dialect_fault(py, &error))
}

/// Writes calls or results in a dialect.
#[pyfunction]
#[pyo3(signature = (message, dialect, tools=None))]
pub(crate) fn render<'py>(
    message: &Bound<'py, PyAny>,
    dialect: &str,
    tools: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = message.py();
    let dialect = self::dialect(py, dialect)?;
    let toolbox = self::tools(py, tools)?;
    let message = wire_message(message)?;
    let names = tool_set(std::slice::from_ref(dialect), toolbox.as_ref());
    let target = RenderTarget {
        dialect,
        tools: &names,
        toolbox: toolbox.as_ref(),
    };
    let rendered = caught(py, || py.detach(|| rendered_message(&message, target)))?
        .map_err(|error| Fault::new("RenderError", error.to_string()).raised(py))?;
    let notes = PyList::empty(py);
    for note in &rendered.notes {
        let text = match &message {
            WireMessage::Results(results) => results.get(note.result).map(|result| &*result.text),
            WireMessage::Calls { .. } => None,
        };
        let source = SourceText::of(text.unwrap_or_default().to_owned());
        notes.append((note.result, Note::new(&note.note, &source)))?;
    }
    let class = py.import("toolglot._text")?.getattr("Rendered")?;
    let recovered = PyTuple::new(py, rendered.recovered)?;
    class.call1((rendered.text, notes.to_tuple(), recovered))
}

fn wire_message(message: &Bound<'_, PyAny>) -> PyResult<WireMessage> {
    let py = message.py();
    let fault = |error: String| Fault::new("RenderError", error).raised(py);
    if let Ok(message) = message.cast::<Message>() {
        return of_message(&message.get().data).map_err(fault);
    }
    let document = match value(message, "RenderError")? {
        // Calls by themselves.
        Value::Array(calls) => {
            let mut fields = Map::new();
            fields.insert("calls".to_owned(), Value::Array(calls));
            Value::Object(fields)
        }
        document => document,
    };
    WireMessage::of(document).map_err(|error| fault(error.to_string()))
}

/// A message that was read, to be written again. What is not whole cannot be.
fn of_message(data: &MessageData) -> Result<WireMessage, String> {
    let mut calls = Vec::new();
    for call in &data.message.calls {
        if !Arguments::is_object(call) || call.end == toolglot_engine::End::Truncated {
            return Err(format!(
                "the call of `{}` is not whole: its arguments are {}",
                call.name, call.arguments
            ));
        }
        calls.push(MessageCall {
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            id: call.written_id.clone(),
            server: call.server.clone(),
        });
    }
    Ok(WireMessage::Calls {
        calls,
        content: data.message.content.clone(),
    })
}

/// Writes the instructions that teach a model a dialect.
#[pyfunction]
pub(crate) fn prompt<'py>(
    dialect: &Bound<'py, PyString>,
    tools: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = dialect.py();
    let dialect = self::dialect(py, dialect.to_str()?)?;
    let toolbox = toolbox(py, &tool_list(tools)?)?;
    let written = caught(py, || instructions(dialect, &toolbox))?
        .map_err(|error| Fault::new("RenderError", error.to_string()).raised(py))?;
    let left_out = pyo3::types::PyTuple::new(py, written.left_out)?;
    let class = py.import("toolglot._text")?.getattr("Instructions")?;
    class.call1((written.text, left_out))
}
