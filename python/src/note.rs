//! A note on the model's text.

use pyo3::prelude::*;
use toolglot_engine::Note as EngineNote;

use crate::source_text::SourceText;
use crate::to_python::pair;

/// A remark on the model's text: its stable code, its place, and what was done.
#[pyclass(frozen, eq, hash, module = "toolglot")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Note {
    number: u16,
    #[pyo3(get)]
    name: &'static str,
    #[pyo3(get)]
    span: (usize, usize),
    #[pyo3(get)]
    byte_span: (u64, u64),
    #[pyo3(get)]
    message: String,
    #[pyo3(get)]
    help: Option<String>,
}

impl Note {
    pub(crate) fn new(note: &EngineNote, text: &SourceText) -> Note {
        Note {
            number: note.code.number(),
            name: note.code.name(),
            span: text.span(note.span),
            byte_span: pair(note.span),
            message: note.message.clone(),
            help: note.help.clone(),
        }
    }
}

impl Note {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

#[pymethods]
impl Note {
    #[getter]
    fn code(&self) -> String {
        format!("N{:03}", self.number)
    }

    fn __repr__(&self) -> String {
        let (start, end) = self.span;
        format!(
            "<Note {} {} {start}..{end}: {}>",
            self.code(),
            self.name,
            self.message
        )
    }
}
