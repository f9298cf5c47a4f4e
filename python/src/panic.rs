//! Panics of ours, as errors of Python.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::error::Fault;

thread_local! {
    /// Whether a panic of this thread is caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// What the last panic said, and where it was.
    static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Keeps what a caught panic says for its error. The hook is that of this library alone: other extension modules have their own
/// standard library.
pub(crate) fn install_hook() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !IS_CAUGHT.get() {
            return usual(info);
        }
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let words = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("no message").to_owned();
        let place = info.location().map(ToString::to_string);
        LAST.set(Some((words, place.unwrap_or_default())));
    }));
}

/// Runs `work`. A panic becomes a `toolglot.InternalError`.
pub(crate) fn caught<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    let was_caught = IS_CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(was_caught);
    result.map_err(|_| {
        let (words, place) = LAST.take().unwrap_or_default();
        Fault::new("InternalError", format!("toolglot failed: {words}"))
            .at(place)
            .help("this is a bug in toolglot: please report it with the text that was read")
            .raised(py)
    })
}

/// Panics inside, so that a test can see what becomes of it. Builds without debug assertions do nothing.
#[pyfunction]
#[pyo3(name = "_panic_for_tests")]
pub(crate) fn panic_for_tests(py: Python<'_>) -> PyResult<bool> {
    caught(py, || {
        py.detach(|| {
            debug_assert!(false, "a test asked for a panic");
            false
        })
    })
}
