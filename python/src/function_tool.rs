//! Functions of Python as tools of a session.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolglot_session::{Cancel, Effect, Tool};
use toolglot_value::{Map, Value};

use crate::error::Fault;
use crate::from_python::value;
use crate::to_python::dict;

/// Exceptions that end a program, such as `KeyboardInterrupt`: they are raised once the session has ended what it did.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<Mutex<Option<PyErr>>>);

impl Interrupts {
    pub(crate) fn keep(&self, error: PyErr) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A function, as `toolglot._tools` described it.
pub(crate) struct FunctionTool {
    name: String,
    description: String,
    parameters: Value,
    effect: DeclaredEffect,
    /// Calls the function with a dict of arguments.
    call: Py<PyAny>,
    interrupts: Interrupts,
}

/// What a function says that it does.
enum DeclaredEffect {
    Always(Effect),
    /// A function of the arguments.
    Of(Py<PyAny>),
}

impl FunctionTool {
    /// Describes a function by its type hints and docstring.
    pub(crate) fn of(function: &Bound<'_, PyAny>) -> PyResult<FunctionTool> {
        let py = function.py();
        let tool = py
            .import("toolglot._tools")?
            .getattr("as_tool")?
            .call1((function,))?;
        let effect = tool.getattr("effect")?;
        let effect = if effect.is_none() {
            DeclaredEffect::Always(Effect::Unknown)
        } else if let Ok(word) = effect.cast::<PyString>() {
            DeclaredEffect::Always(effect_of(py, word.to_str()?)?)
        } else {
            DeclaredEffect::Of(effect.unbind())
        };
        Ok(FunctionTool {
            name: tool.getattr("name")?.extract()?,
            description: tool.getattr("description")?.extract()?,
            parameters: value(&tool.getattr("parameters")?, "ToolsError")?,
            effect,
            call: tool.getattr("call")?.unbind(),
            interrupts: Interrupts::default(),
        })
    }

    pub(crate) fn with_interrupts(mut self, interrupts: Interrupts) -> FunctionTool {
        self.interrupts = interrupts;
        self
    }
}

fn effect_of(py: Python<'_>, word: &str) -> PyResult<Effect> {
    Ok(match word {
        "read" => Effect::Read,
        "write" => Effect::Write,
        "delete" => Effect::Delete,
        "exec" => Effect::Execute,
        "network" => Effect::Network,
        "ask" => Effect::Ask,
        other => {
            let words = format!("unknown effect `{other}`");
            return Err(Fault::new("ToolsError", words)
                .help("an effect is `read`, `write`, `delete`, `exec`, `network` or `ask`")
                .raised(py));
        }
    })
}

impl Tool for FunctionTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn effect(&self, arguments: &Map) -> Effect {
        match &self.effect {
            DeclaredEffect::Always(effect) => *effect,
            DeclaredEffect::Of(function) => Python::attach(|py| {
                let asked = || -> PyResult<Effect> {
                    let word = function.bind(py).call1((dict(py, arguments)?,))?;
                    effect_of(py, word.cast::<PyString>()?.to_str()?)
                };
                // Without an answer it is asked about.
                asked().unwrap_or_else(|error| {
                    error.write_unraisable(py, Some(function.bind(py)));
                    Effect::Unknown
                })
            }),
        }
    }

    fn call(&self, arguments: &Map, _: &Cancel) -> Result<Value, String> {
        Python::attach(|py| {
            let called = || -> PyResult<Value> {
                let result = self.call.bind(py).call1((dict(py, arguments)?,))?;
                value(&result, "Error")
            };
            called().map_err(|error| {
                let name = error.get_type(py).name().map(|name| name.to_string());
                let words = format!("{}: {}", name.unwrap_or_default(), error.value(py));
                if !error.is_instance_of::<PyException>(py) {
                    self.interrupts.keep(error);
                }
                words
            })
        })
    }
}
