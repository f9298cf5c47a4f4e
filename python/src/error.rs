//! Errors of the package: classes of `toolglot._errors`, with a place and a help.

use pyo3::prelude::*;
use pyo3::types::PyType;

/// An error that is about to be raised.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The name of its class in `toolglot._errors`.
    class: &'static str,
    message: String,
    /// Where it is: a JSON pointer, a line of a file, a place in the source.
    place: Option<String>,
    help: Option<String>,
}

impl Fault {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Fault {
        Fault {
            class,
            message: message.into(),
            place: None,
            help: None,
        }
    }

    pub(crate) fn at(mut self, place: impl Into<String>) -> Fault {
        self.place = Some(place.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        let class = || {
            let module = py.import("toolglot._errors")?;
            Ok(module.getattr(self.class)?.cast_into::<PyType>()?)
        };
        let made = class().and_then(|class: Bound<'_, PyType>| {
            class.call1((self.message, self.place, self.help))
        });
        match made {
            Ok(exception) => PyErr::from_value(exception),
            // The package is broken, or memory is out: that is the error then.
            Err(error) => error,
        }
    }
}
