//! A call of a message.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use toolglot_chat::is_fault;
use toolglot_engine::{Call as EngineCall, End};
use toolglot_wire::{Arguments, CallDocument};

use crate::message::MessageData;
use crate::note::Note;
use crate::to_python::{dict, end_word, pair, place_word};

/// One call of a message. Only one that is `runnable` may run.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Call {
    data: Arc<MessageData>,
    index: usize,
    arguments: PyOnceLock<Option<Py<PyDict>>>,
    notes: PyOnceLock<Py<PyTuple>>,
}

impl Call {
    pub(crate) fn new(data: &Arc<MessageData>, index: usize) -> Call {
        Call {
            data: Arc::clone(data),
            index,
            arguments: PyOnceLock::new(),
            notes: PyOnceLock::new(),
        }
    }

    fn call(&self) -> &EngineCall {
        &self.data.message.calls[self.index]
    }

    fn document(&self) -> &CallDocument {
        &self.data.document().calls[self.index]
    }
}

#[pymethods]
impl Call {
    #[getter]
    fn index(&self) -> usize {
        self.index
    }

    /// The id that the model wrote.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.call().written_id.as_deref()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.call().name
    }

    #[getter]
    fn server(&self) -> Option<&str> {
        self.document().server.as_deref()
    }

    /// The arguments, made a dict when they are first asked for; `None` where the text never became an object.
    #[getter]
    fn arguments(&self, py: Python<'_>) -> PyResult<Option<Py<PyDict>>> {
        let arguments = self.arguments.get_or_try_init(py, || {
            let fields = self.document().arguments.as_ref();
            let fields = fields.map(|fields| dict(py, fields).map(Bound::unbind));
            fields.transpose()
        })?;
        Ok(arguments.as_ref().map(|arguments| arguments.clone_ref(py)))
    }

    /// The arguments as JSON text; a prefix of it where the call is truncated.
    #[getter]
    fn arguments_json(&self) -> &str {
        &self.call().arguments
    }

    #[getter]
    fn span(&self) -> (usize, usize) {
        self.data.text.span(self.call().span)
    }

    #[getter]
    fn byte_span(&self) -> (u64, u64) {
        pair(self.call().span)
    }

    #[getter]
    fn name_span(&self) -> (usize, usize) {
        self.data.text.span(self.call().name_span)
    }

    #[getter]
    fn dialect(&self) -> &str {
        &self.call().dialect
    }

    #[getter]
    fn place(&self) -> &'static str {
        place_word(self.call().place)
    }

    #[getter]
    fn end(&self) -> &'static str {
        end_word(self.call().end)
    }

    /// Whether a chat API has one raw text for the call, which is its argument `input`.
    #[getter]
    fn is_freeform(&self) -> bool {
        self.data.freeform.contains(&self.call().name)
    }

    /// Whether it may run: it is closed, its arguments are an object, and no note says that it is unknown or invalid.
    #[getter]
    fn runnable(&self) -> bool {
        let call = self.call();
        let is_fault = |note| is_fault(note, std::slice::from_ref(call));
        call.end == End::Closed && Arguments::is_object(call) && !call.notes.iter().any(is_fault)
    }

    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let notes = self.notes.get_or_try_init(py, || {
            let notes = self.call().notes.iter();
            let notes = notes.map(|note| Py::new(py, Note::new(note, &self.data.text)));
            let notes = notes.collect::<PyResult<Vec<_>>>()?;
            Ok::<_, PyErr>(PyTuple::new(py, notes)?.unbind())
        })?;
        Ok(notes.clone_ref(py))
    }

    fn __repr__(&self) -> String {
        let call = self.call();
        format!(
            "<Call {} {} {}>",
            call.name,
            end_word(call.end),
            call.arguments
        )
    }
}
