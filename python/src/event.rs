//! Events of a stream.

use pyo3::prelude::*;

use crate::note::Note;
use crate::source_text::SourceText;
use crate::stream::{EventKind, OwnedEvent};
use crate::to_python::{end_word, pair, place_word};

/// One step of a message, in order. Attributes that its type does not have are `None`.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Event {
    inner: OwnedEvent,
    #[pyo3(get)]
    span: (usize, usize),
    #[pyo3(get)]
    note: Option<Note>,
    name_span: Option<(usize, usize)>,
}

impl Event {
    /// `cursor` is the place of the last event, for [`SourceText::next_span`].
    pub(crate) fn new(event: OwnedEvent, text: &SourceText, cursor: &mut (usize, usize)) -> Event {
        Event {
            span: text.next_span(event.span, cursor),
            note: event.note.as_ref().map(|note| Note::new(note, text)),
            name_span: event.head.as_ref().map(|head| text.span(head.name_span)),
            inner: event,
        }
    }

    fn text_of(&self, kinds: &[EventKind]) -> Option<&str> {
        kinds
            .contains(&self.inner.kind)
            .then_some(&*self.inner.text)
    }
}

#[pymethods]
impl Event {
    #[getter]
    fn r#type(&self) -> &'static str {
        match self.inner.kind {
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
        pair(self.inner.span)
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
        self.inner.call
    }

    #[getter]
    fn id(&self) -> Option<&str> {
        match &self.inner.head {
            Some(head) => head.id.as_deref(),
            None => self.text_of(&[EventKind::LateId]),
        }
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.inner.head.as_ref().map(|head| &*head.name)
    }

    #[getter]
    fn name_span(&self) -> Option<(usize, usize)> {
        self.name_span
    }

    #[getter]
    fn server(&self) -> Option<&str> {
        self.inner.head.as_ref()?.server.as_deref()
    }

    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.inner.head.as_ref().map(|head| &*head.dialect)
    }

    #[getter]
    fn place(&self) -> Option<&'static str> {
        self.inner.head.as_ref().map(|head| place_word(head.place))
    }

    /// Whether a chat API has one raw text for the call.
    #[getter]
    fn is_freeform(&self) -> Option<bool> {
        self.inner.head.as_ref().map(|head| head.is_freeform)
    }

    #[getter]
    fn end(&self) -> Option<&'static str> {
        self.inner.end.map(end_word)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let event = &self.inner;
        let (key, value) = match event.kind {
            EventKind::Text | EventKind::Reasoning | EventKind::Markup => {
                ("text", Some(&*event.text))
            }
            EventKind::CallStart => ("name", self.name()),
            EventKind::Arguments => ("json", Some(&*event.text)),
            EventKind::LateId => ("id", Some(&*event.text)),
            EventKind::CallEnd => ("end", self.end()),
            EventKind::Note => ("note", self.note.as_ref().map(Note::name)),
        };
        let value = value.into_pyobject(py)?.repr()?;
        Ok(format!("<Event {} {key}={value}>", self.r#type()))
    }
}
