//! Events of a stream.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::note::Note;
use crate::source_text::SourceText;
use crate::stream::{EventKind, OwnedEvent};
use crate::to_python::{end_word, pair, place_word};

/// One step of a message, in order. Attributes that its type does not have are `None`.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Event {
    event: OwnedEvent,
    #[pyo3(get)]
    span: (usize, usize),
    #[pyo3(get)]
    note: Option<Note>,
    name_span: Option<(usize, usize)>,
}

impl Event {
    pub(crate) fn new(event: OwnedEvent, text: &SourceText) -> Event {
        Event {
            span: text.span(event.span),
            note: event.note.as_ref().map(|note| Note::new(note, text)),
            name_span: event.head.as_ref().map(|head| text.span(head.name_span)),
            event,
        }
    }

    fn text_of(&self, kinds: &[EventKind]) -> Option<&str> {
        kinds
            .contains(&self.event.kind)
            .then_some(&*self.event.text)
    }
}

#[pymethods]
impl Event {
    #[getter]
    fn r#type(&self) -> &'static str {
        match self.event.kind {
            EventKind::Text => "text",
            EventKind::Reasoning => "reasoning",
            EventKind::Markup => "markup",
            EventKind::CallStart => "call_start",
            EventKind::Arguments => "args",
            EventKind::LateId => "late_id",
            EventKind::CallEnd => "call_end",
            EventKind::Note => "note",
        }
    }

    #[getter]
    fn byte_span(&self) -> (u64, u64) {
        pair(self.event.span)
    }

    #[getter]
    fn text(&self) -> Option<&str> {
        self.text_of(&[EventKind::Text, EventKind::Reasoning, EventKind::Markup])
    }

    #[getter]
    fn json(&self) -> Option<&str> {
        self.text_of(&[EventKind::Arguments])
    }

    #[getter]
    fn call(&self) -> Option<u32> {
        self.event.call
    }

    #[getter]
    fn id(&self) -> Option<&str> {
        match &self.event.head {
            Some(head) => head.id.as_deref(),
            None => self.text_of(&[EventKind::LateId]),
        }
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.event.head.as_ref().map(|head| &*head.name)
    }

    #[getter]
    fn name_span(&self) -> Option<(usize, usize)> {
        self.name_span
    }

    #[getter]
    fn server(&self) -> Option<&str> {
        self.event.head.as_ref()?.server.as_deref()
    }

    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.event.head.as_ref().map(|head| &*head.dialect)
    }

    #[getter]
    fn place(&self) -> Option<&'static str> {
        self.event.head.as_ref().map(|head| place_word(head.place))
    }

    #[getter]
    fn end(&self) -> Option<&'static str> {
        self.event.end.map(end_word)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let fields = PyDict::new(py);
        let event = &self.event;
        match event.kind {
            EventKind::Text | EventKind::Reasoning | EventKind::Markup => {
                fields.set_item("text", &event.text)?;
            }
            EventKind::CallStart => fields.set_item("name", self.name())?,
            EventKind::Arguments => fields.set_item("json", &event.text)?,
            EventKind::LateId => fields.set_item("id", &event.text)?,
            EventKind::CallEnd => fields.set_item("end", self.end())?,
            EventKind::Note => {
                fields.set_item("code", self.note.as_ref().map(Note::code))?;
            }
        }
        let mut text = format!("<Event {}", self.r#type());
        for (key, value) in &fields {
            text += &format!(" {}={}", key, value.repr()?);
        }
        Ok(text + ">")
    }
}
