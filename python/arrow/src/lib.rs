//! The extension module `toolglot_arrow._toolglot_arrow`: tables in, tables with columns about their tool calls out.
//!
//! Tables come and go by Arrow's PyCapsule interface, without a copy. What becomes of a row is the work of `toolglot-corpus`:
//! its report is that of `toolglot corpus check`. This crate deliberately holds no rule of its own.

#![forbid(unsafe_code)]

mod batch_parser;
mod reader;
mod report;

use pyo3::prelude::*;

#[pymodule]
mod _toolglot_arrow {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch_parser::BatchParser;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// An error of the package `toolglot`, by the name of its class.
fn raised(py: Python<'_>, class: &str, message: String, place: Option<String>) -> PyErr {
    let made = || {
        py.import("toolglot")?
            .getattr(class)?
            .call1((message, place))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        // The package is broken, or memory is out: that is the error then.
        Err(error) => error,
    }
}
