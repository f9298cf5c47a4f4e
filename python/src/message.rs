//! A message that was read.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use toolglot_chat::{Piece, message_document};
use toolglot_engine::{Calls, Finish, Span};
use toolglot_wire::Document;

use crate::call::Call;
use crate::note::Note;
use crate::source_text::SourceText;
use crate::to_python::object;

/// What was read, shared by the message and its calls.
#[derive(Debug)]
pub(crate) struct MessageData {
    pub(crate) text: SourceText,
    pub(crate) original: Original,
    /// What each byte was read as.
    pub(crate) pieces: Vec<Piece>,
    /// Where names of tools stand.
    pub(crate) names: Vec<Span>,
    pub(crate) message: Calls,
    pub(crate) document: OnceLock<Document>,
    pub(crate) is_faulty: bool,
    pub(crate) finish: Finish,
}

/// What was pushed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Original {
    /// The bytes, where they are not those of the text.
    pub(crate) bytes: Option<Vec<u8>>,
    /// Whether bytes were pushed, and not `str`.
    pub(crate) is_bytes: bool,
}

impl MessageData {
    /// The document that the command line writes.
    pub(crate) fn document(&self) -> &Document {
        self.document
            .get_or_init(|| message_document(&self.message))
    }
}

/// A message that was read: its calls, its text and its notes.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Message {
    pub(crate) data: Arc<MessageData>,
    calls: PyOnceLock<Py<PyTuple>>,
    notes: PyOnceLock<Py<PyTuple>>,
}

impl Message {
    pub(crate) fn new(data: MessageData) -> Message {
        Message {
            data: Arc::new(data),
            calls: PyOnceLock::new(),
            notes: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl Message {
    #[getter]
    fn calls(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let calls = self.calls.get_or_try_init(py, || {
            let calls = (0..self.data.message.calls.len())
                .map(|index| Py::new(py, Call::new(&self.data, index)));
            let calls = calls.collect::<PyResult<Vec<_>>>()?;
            Ok::<_, PyErr>(PyTuple::new(py, calls)?.unbind())
        })?;
        Ok(calls.clone_ref(py))
    }

    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let notes = self.notes.get_or_try_init(py, || {
            let notes = self.data.message.notes.iter();
            let notes = notes.map(|note| Py::new(py, Note::new(note, &self.data.text)));
            let notes = notes.collect::<PyResult<Vec<_>>>()?;
            Ok::<_, PyErr>(PyTuple::new(py, notes)?.unbind())
        })?;
        Ok(notes.clone_ref(py))
    }

    #[getter]
    fn content(&self) -> &str {
        &self.data.message.content
    }

    #[getter]
    fn reasoning(&self) -> &str {
        &self.data.message.reasoning
    }

    /// The dialect of all calls; `None` where there is no call or they differ.
    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.data.document().dialect.as_deref()
    }

    /// The text that spans point into.
    #[getter]
    fn text(&self) -> &str {
        self.data.text.as_str()
    }

    /// What was pushed: `bytes` if any piece was, and `str` otherwise.
    #[getter]
    fn source<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let original = &self.data.original;
        let bytes = original.bytes.as_deref();
        if original.is_bytes {
            let bytes = bytes.unwrap_or(self.data.text.as_str().as_bytes());
            return Ok(PyBytes::new(py, bytes).into_any());
        }
        match bytes {
            None => Ok(self.text().into_pyobject(py)?.into_any()),
            Some(bytes) => {
                PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogatepass"))
            }
        }
    }

    /// Whether nothing was repaired, nothing is wrong and nothing is in doubt: there is no note, and all calls are closed.
    #[getter]
    fn is_clean(&self) -> bool {
        !self.data.is_faulty && self.data.message.notes.is_empty()
    }

    /// Whether a call is truncated, unknown or invalid.
    #[getter]
    fn is_faulty(&self) -> bool {
        self.data.is_faulty
    }

    /// How often each note was given, by its name.
    #[getter]
    fn note_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for note in &self.data.message.notes {
            let name = note.code.name();
            let before = counts.get_item(name)?;
            let before = before.map_or(Ok(0), |count| count.extract::<usize>())?;
            counts.set_item(name, before + 1)?;
        }
        Ok(counts)
    }

    /// The document that `toolglot parse --format json` writes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let document = toolglot_value::to_value(self.data.document());
        let document = document
            .map_err(|error| crate::error::Fault::new("Error", error.to_string()).raised(py))?;
        object(py, &document)
    }

    /// The same as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(self.data.document())
            .map_err(|error| crate::error::Fault::new("Error", error.to_string()).raised(py))
    }

    fn __repr__(&self) -> String {
        let message = &self.data.message;
        let names: Vec<&str> = message.calls.iter().map(|call| &*call.name).collect();
        format!(
            "<Message calls=[{}] content={} bytes, {} notes>",
            names.join(", "),
            message.content.len(),
            message.notes.len()
        )
    }
}
