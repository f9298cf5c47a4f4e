//! A message that was read.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use toolglot_chat::{Piece, message_document};
use toolglot_engine::{Calls, Finish, Span};
use toolglot_wire::{Api, Document};

use crate::call::Call;
use crate::chat_form;
use crate::error::Fault;
use crate::mask::{Segment, mask, segments};
use crate::note::Note;
use crate::panic::caught;
use crate::pickled::PickledMessage;
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
    /// The freeform tools that it calls: a chat API has one raw text for such a call.
    pub(crate) freeform: Vec<String>,
    pub(crate) document: OnceLock<Document>,
    pub(crate) segments: OnceLock<Vec<Segment>>,
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

    /// What each byte is, for training.
    pub(crate) fn segments(&self) -> &[Segment] {
        self.segments
            .get_or_init(|| segments(&self.pieces, &self.names))
    }
}

/// A message that was read: its calls, its text and its notes.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Message {
    pub(crate) data: Arc<MessageData>,
    /// What ids are made of where the caller gives none.
    seed: OnceLock<[u8; 8]>,
    calls: PyOnceLock<Py<PyTuple>>,
    notes: PyOnceLock<Py<PyTuple>>,
}

impl Message {
    pub(crate) fn new(data: MessageData) -> Message {
        Message {
            data: Arc::new(data),
            seed: OnceLock::new(),
            calls: PyOnceLock::new(),
            notes: PyOnceLock::new(),
        }
    }

    fn form<'py>(
        &self,
        py: Python<'py>,
        api: Api,
        recovered: bool,
        seed: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Random, and the same each time: a result names the id that the call had.
        let own = self
            .seed
            .get_or_init(|| RandomState::new().hash_one(0).to_le_bytes());
        let seed = seed.map_or(own.as_slice(), str::as_bytes);
        let message = caught(py, || chat_form::message(&self.data, api, seed, recovered))?
            .map_err(|error| Fault::new("ConvertError", error.to_string()).raised(py))?;
        object(py, &message)
    }
}

/// A message from its pickle.
#[pyfunction]
#[pyo3(name = "_restore_message")]
pub(crate) fn restore_message(py: Python<'_>, text: &str) -> PyResult<Message> {
    let pickled: Option<PickledMessage> = serde_json::from_str(text).ok();
    let data = pickled.and_then(PickledMessage::data).ok_or_else(|| {
        Fault::new(
            "Error",
            "the pickle is not that of a message of this version of toolglot",
        )
        .help("keep `message.source` and read it again")
        .raised(py)
    })?;
    Ok(Message::new(data))
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
        let document =
            document.map_err(|error| Fault::new("Error", error.to_string()).raised(py))?;
        object(py, &document)
    }

    /// The same as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(self.data.document())
            .map_err(|error| Fault::new("Error", error.to_string()).raised(py))
    }

    /// The runs of bytes of one class, `(start, end, class)` in code points. They tile the text.
    #[getter]
    fn segments(&self) -> Vec<(usize, usize, &'static str)> {
        let segments = self.data.segments().iter();
        let placed = |segment: &Segment| {
            let (start, end) = self.data.text.span(segment.span);
            (start, end, segment.class.word())
        };
        segments.map(placed).collect()
    }

    /// The class of each token by the places where tokens start and end.
    #[pyo3(signature = (offsets, *, unit="code_points"))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        offsets: &Bound<'py, PyAny>,
        unit: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let in_bytes = match unit {
            "code_points" => false,
            "bytes" => true,
            other => {
                let words = format!("unknown `unit`: `{other}`; it is `code_points` or `bytes`");
                return Err(PyValueError::new_err(words));
            }
        };
        // Arrays and tensors have their rows as lists.
        let offsets = match offsets.getattr_opt("tolist")? {
            Some(to_list) => to_list.call0()?,
            None => offsets.clone(),
        };
        let mut places = Vec::new();
        for row in offsets.try_iter()? {
            let row = row?;
            let (start, end) = (row.get_item(0)?, row.get_item(1)?);
            places.push((start.extract()?, end.extract()?));
        }
        mask(py, &self.data, &places, in_bytes)
    }

    /// The message of OpenAI's chat API, for the next turn.
    #[pyo3(signature = (*, recovered=false, seed=None))]
    fn to_openai<'py>(
        &self,
        py: Python<'py>,
        recovered: bool,
        seed: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.form(py, Api::Chat, recovered, seed)
    }

    /// The items of OpenAI's Responses API, for the next turn.
    #[pyo3(signature = (*, recovered=false, seed=None))]
    fn to_responses<'py>(
        &self,
        py: Python<'py>,
        recovered: bool,
        seed: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.form(py, Api::Responses, recovered, seed)
    }

    /// The message of Anthropic's API, for the next turn.
    #[pyo3(signature = (*, recovered=false, seed=None))]
    fn to_anthropic<'py>(
        &self,
        py: Python<'py>,
        recovered: bool,
        seed: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.form(py, Api::Messages, recovered, seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = py
            .import("toolglot._toolglot")?
            .getattr("_restore_message")?;
        let text = serde_json::to_string(&PickledMessage::of(&self.data))
            .map_err(|error| Fault::new("Error", error.to_string()).raised(py))?;
        Ok((restore, (text,)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Message>() else {
            return false;
        };
        let other = &other.get().data;
        let data = &self.data;
        Arc::ptr_eq(data, other)
            || data.text.as_str() == other.text.as_str()
                && data.pieces == other.pieces
                && data.document() == other.document()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.data.text.as_str().hash(&mut hasher);
        hasher.finish()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Message>) -> PyResult<Bound<'py, PyAny>> {
        let page = slf.py().import("toolglot._html")?.getattr("message_html")?;
        page.call1((slf,))
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
