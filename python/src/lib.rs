//! The extension module `toolglot._toolglot`: the Python face of the workspace.
//!
//! It translates between Python and the libraries. It deliberately holds no grammar, no conversion and no rule of its own:
//! those are in the crates, and the documents that it gives are those of the command line.
//!
//! ```text
//!  str, bytes ─▶ Stream (parser + text) ─▶ MessageData ─▶ Message, Call, Note
//!                   └─▶ Event                  └─▶ documents of crates/wire, Mask
//! ```
//!
//! What runs long is detached from the interpreter; a panic inside becomes a `toolglot.InternalError`.

#![forbid(unsafe_code)]

mod call;
mod chat_form;
mod convert;
mod error;
mod event;
mod from_python;
mod function_tool;
mod grammar;
mod mask;
mod message;
mod note;
mod panic;
mod parser;
mod pickled;
mod reading_options;
mod render;
mod repair;
mod session;
mod source_text;
mod stream;
mod to_python;

use std::ffi::OsString;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _toolglot {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::call::Call;
    #[pymodule_export]
    use super::command_line;
    #[pymodule_export]
    use super::convert::{Conversion, Detection, convert, detect};
    #[pymodule_export]
    use super::event::Event;
    #[pymodule_export]
    use super::grammar::grammar;
    #[pymodule_export]
    use super::message::{Message, restore_message};
    #[pymodule_export]
    use super::note::Note;
    #[pymodule_export]
    use super::panic::panic_for_tests;
    #[pymodule_export]
    use super::parser::{Parser, parse};
    #[pymodule_export]
    use super::render::{prompt, render};
    #[pymodule_export]
    use super::repair::{Repaired, repair};
    #[pymodule_export]
    use super::session::{ApprovalRequest, Run, Session, Step};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::panic::install_hook();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Carries out one command of the command line; the first argument is the program's name. Gives its exit code.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    panic::caught(py, || py.detach(|| toolglot::command_line(arguments)))
}
