//! `repair`: a document that should be JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyTupleMethods};
use toolglot_engine::{Note as EngineNote, Span};
use toolglot_repair::{Preset, RepairError, RepairedDocument, SchemaTarget};
use toolglot_value::ReadOptions;

use crate::error::Fault;
use crate::from_python::{Pushed, value};
use crate::note::Note;
use crate::panic::caught;
use crate::source_text::SourceText;
use crate::to_python::object;

/// How deep a document may nest that is made of objects of Python.
const DEPTH: usize = 512;

/// A repaired document.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Repaired {
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    notes: Py<PyTuple>,
    #[pyo3(get)]
    is_faulty: bool,
}

/// Repairs a document that should be JSON, and brings it to a schema.
#[pyfunction]
#[pyo3(signature = (text, schema=None, *, preset="llm"))]
pub(crate) fn repair(
    text: &Bound<'_, PyAny>,
    schema: Option<&Bound<'_, PyAny>>,
    preset: &str,
) -> PyResult<Repaired> {
    let py = text.py();
    let preset = match preset {
        "llm" => Preset::Llm,
        "jsonrepair" => Preset::Jsonrepair,
        "json_repair" => Preset::JsonRepair,
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown `preset`: `{other}`; it is `llm`, `jsonrepair` or `json_repair`"
            )));
        }
    };
    let text = match Pushed::of(text)? {
        Pushed::Text(text) => text.to_owned(),
        Pushed::Surrogates(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Pushed::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    };
    let fault = |error: String| Fault::new("RepairError", error).raised(py);
    let target = schema
        .map(|schema| value(schema, "RepairError"))
        .transpose()?;
    let target = target.map(SchemaTarget::new).transpose();
    let target = target.map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        fault(cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}")))
    })?;
    let document = caught(py, || {
        py.detach(|| toolglot_repair::repair(&text, preset, target.as_ref()))
    })?
    .map_err(|error| {
        let fault = Fault::new("RepairError", error.to_string());
        match error {
            RepairError::Text(failure) => fault.at(format!("byte {}", failure.at)),
            _ => fault,
        }
        .raised(py)
    })?;
    let source = SourceText::of(text);
    let notes = notes(&document, &source).into_iter();
    let notes: Vec<Py<Note>> = notes
        .map(|note| Py::new(py, note))
        .collect::<PyResult<_>>()?;
    Ok(Repaired {
        is_faulty: document.is_faulty(),
        text: document.text,
        notes: PyTuple::new(py, notes)?.unbind(),
    })
}

/// The notes. One without a place points at the whole text.
fn notes(document: &RepairedDocument, source: &SourceText) -> Vec<Note> {
    let length = source.as_str().len();
    let notes = document.notes.iter().map(|note| {
        let (start, end) = if note.is_placed {
            (note.start, note.end)
        } else {
            (0, length)
        };
        let note = EngineNote {
            code: note.code,
            span: Span::new(start as u64, end as u64),
            message: note.message.clone(),
            help: None,
        };
        Note::new(&note, source)
    });
    notes.collect()
}

#[pymethods]
impl Repaired {
    /// The document as objects of Python.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let options = ReadOptions {
            max_depth: DEPTH,
            ..ReadOptions::default()
        };
        let value = options.read(self.text.as_bytes()).map_err(|error| {
            Fault::new(
                "RepairError",
                format!("the document cannot be made objects: {error}"),
            )
            .help("`text` has it as JSON text")
            .raised(py)
        })?;
        object(py, &value)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<Repaired {} notes: {}>",
            self.notes.bind(py).len(),
            self.text
        )
    }
}
