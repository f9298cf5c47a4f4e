//! `parse` and `Parser`.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::event::Event;
use crate::from_python::Pushed;
use crate::message::{Message, MessageData};
use crate::panic::caught;
use crate::reading_options::{ReadingArguments, ReadingOptions, finish};
use crate::source_text::SourceText;
use crate::stream::{OwnedEvent, Stream};

/// Pushes of so many bytes are read while other threads run. For shorter ones letting go of the interpreter costs more than
/// reading.
const LONG: usize = 4 << 10;

/// Reads a whole message.
#[pyfunction]
#[pyo3(signature = (text, dialect="auto", tools=None, *, tool_choice=None, prompt_tail=None, reasoning_open=false, finish="stop", in_code="auto", in_reasoning="ignore"))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
pub(crate) fn parse(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    dialect: &str,
    tools: Option<Bound<'_, PyAny>>,
    tool_choice: Option<Bound<'_, PyAny>>,
    prompt_tail: Option<String>,
    reasoning_open: bool,
    finish: &str,
    in_code: &str,
    in_reasoning: &str,
) -> PyResult<Message> {
    let why = crate::reading_options::finish(finish)?;
    let arguments = ReadingArguments {
        dialect: dialect.to_owned(),
        tools,
        tool_choice,
        prompt_tail,
        reasoning_open,
        in_code: in_code.to_owned(),
        in_reasoning: in_reasoning.to_owned(),
    };
    let text = Pushed::of(text)?;
    let options = ReadingOptions::read(py, arguments)?;
    let data = caught(py, || {
        py.detach(|| {
            let mut stream = Stream::new(options, false);
            stream.push(&text);
            stream.finish(why).0
        })
    })?;
    Ok(Message::new(data))
}

/// Reads one message as it streams.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Parser {
    state: Mutex<State>,
}

enum State {
    Open(Box<Stream>),
    Finished(Vec<Py<Event>>),
    /// A panic took the stream away.
    Failed,
}

impl Parser {
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this Parser is being used by another thread; a Parser reads one message for one thread at a time",
            )),
        }
    }

    /// Reads with `read`, and gives the events that came of it.
    fn read(
        &self,
        py: Python<'_>,
        n_bytes: usize,
        read: impl FnOnce(&mut Stream) + Send,
    ) -> PyResult<Vec<Event>> {
        let mut state = self.state()?;
        let State::Open(stream) = &mut *state else {
            return Err(state.closed());
        };
        let result = if n_bytes < LONG {
            caught(py, || read(stream))
        } else {
            caught(py, || py.detach(|| read(stream)))
        };
        if let Err(error) = result {
            *state = State::Failed;
            return Err(error);
        }
        let events = stream.take_events();
        Ok(shown(events, stream.text()))
    }
}

fn shown(events: Vec<OwnedEvent>, text: &SourceText) -> Vec<Event> {
    let mut cursor = (0, 0);
    let events = events.into_iter();
    events
        .map(|event| Event::new(event, text, &mut cursor))
        .collect()
}

impl State {
    fn closed(&self) -> PyErr {
        PyRuntimeError::new_err(match self {
            State::Failed => "this Parser failed earlier; make a new one for the next message",
            State::Open(_) | State::Finished(_) => {
                "this Parser is finished; make a new one for the next message"
            }
        })
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (dialect="auto", tools=None, *, tool_choice=None, prompt_tail=None, reasoning_open=false, in_code="auto", in_reasoning="ignore", special_tokens=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn new(
        py: Python<'_>,
        dialect: &str,
        tools: Option<Bound<'_, PyAny>>,
        tool_choice: Option<Bound<'_, PyAny>>,
        prompt_tail: Option<String>,
        reasoning_open: bool,
        in_code: &str,
        in_reasoning: &str,
        special_tokens: Option<Vec<String>>,
    ) -> PyResult<Parser> {
        let arguments = ReadingArguments {
            dialect: dialect.to_owned(),
            tools,
            tool_choice,
            prompt_tail,
            reasoning_open,
            in_code: in_code.to_owned(),
            in_reasoning: in_reasoning.to_owned(),
        };
        let options = ReadingOptions::read(py, arguments)?;
        let stream = caught(py, || {
            Stream::new(options, true).special_tokens(&special_tokens.unwrap_or_default())
        })?;
        Ok(Parser {
            state: Mutex::new(State::Open(Box::new(stream))),
        })
    }

    /// Reads more of the message, and gives the events that are certain now.
    fn push(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<Event>> {
        let text = Pushed::of(text)?;
        self.read(py, text.n_bytes(), move |stream| stream.push(&text))
    }

    /// Reads one token. One that is special outranks text that looks the same.
    #[pyo3(signature = (text, id=None, *, special=false))]
    fn push_token(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        id: Option<u32>,
        special: bool,
    ) -> PyResult<Vec<Event>> {
        let text = Pushed::of(text)?;
        self.read(py, text.n_bytes(), move |stream| match text.token() {
            Some(token) if special => stream.push_special(token, id, &text),
            _ => stream.push(&text),
        })
    }

    /// Ends the message. The events that came of its end are in `last_events`.
    #[pyo3(signature = (reason="stop"))]
    fn finish(&self, py: Python<'_>, reason: &str) -> PyResult<Message> {
        let why = finish(reason)?;
        let mut state = self.state()?;
        if !matches!(*state, State::Open(_)) {
            return Err(state.closed());
        }
        let State::Open(stream) = std::mem::replace(&mut *state, State::Failed) else {
            return Err(state.closed());
        };
        let (data, events): (MessageData, Vec<OwnedEvent>) =
            caught(py, || py.detach(|| stream.finish(why)))?;
        let events = shown(events, &data.text).into_iter();
        let events = events.map(|event| Py::new(py, event));
        *state = State::Finished(events.collect::<PyResult<_>>()?);
        Ok(Message::new(data))
    }

    /// The events that came of the message's end; empty before it.
    #[getter]
    fn last_events(&self, py: Python<'_>) -> PyResult<Vec<Py<Event>>> {
        Ok(match &*self.state()? {
            State::Finished(events) => events.iter().map(|event| event.clone_ref(py)).collect(),
            State::Open(_) | State::Failed => Vec::new(),
        })
    }

    /// The text that no event accounts for yet.
    #[getter]
    fn held(&self) -> PyResult<String> {
        Ok(match &*self.state()? {
            State::Open(stream) => stream.held().to_owned(),
            State::Finished(_) | State::Failed => String::new(),
        })
    }

    /// Whether the message has ended.
    #[getter]
    fn is_finished(&self) -> PyResult<bool> {
        Ok(!matches!(*self.state()?, State::Open(_)))
    }
}
