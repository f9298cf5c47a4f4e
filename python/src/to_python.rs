//! JSON values as objects of Python.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use toolglot_engine::{End, Place, Span};
use toolglot_value::{Map, Number, Value};

/// A span of bytes.
pub(crate) fn pair(span: Span) -> (u64, u64) {
    (span.start, span.end)
}

/// The word for an end.
pub(crate) fn end_word(end: End) -> &'static str {
    match end {
        End::Closed => "closed",
        End::Recovered => "recovered",
        End::Truncated => "truncated",
    }
}

/// The word for a place.
pub(crate) fn place_word(place: Place) -> &'static str {
    match place {
        Place::Answer => "answer",
        Place::Reasoning => "reasoning",
        Place::Code => "code",
    }
}

/// A value; it nests no deeper than whoever read it allowed.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(value) => number(py, value)?,
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(object(py, value)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => dict(py, fields)?.into_any(),
    })
}

/// An object, its keys in order.
pub(crate) fn dict<'py>(py: Python<'py>, fields: &Map) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in fields {
        dict.set_item(key, object(py, value)?)?;
    }
    Ok(dict)
}

/// An `int` where the text is that of an integer. One with more digits than Python converts is a `decimal.Decimal`.
fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    if let Some(value) = number.as_i64() {
        return Ok(PyInt::new(py, value).into_any());
    }
    let text = number.as_str();
    if !text.contains(['.', 'e', 'E']) {
        return py.get_type::<PyInt>().call1((text,)).or_else(|_| {
            let decimal = py.import("decimal")?.getattr("Decimal")?;
            decimal.call1((text,))
        });
    }
    match number.as_f64() {
        Some(value) => Ok(PyFloat::new(py, value).into_any()),
        None => py.get_type::<PyFloat>().call1((text,)),
    }
}
