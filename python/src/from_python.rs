//! Objects of Python as JSON values.

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple,
};
use toolglot_value::{Map, Number, Value};

use crate::error::Fault;

/// How deep an object may nest.
const DEPTH: usize = 127;

/// A text or bytes, as a model's server gives them.
pub(crate) enum Pushed<'a> {
    Text(&'a str),
    /// A `str` with lone surrogates, as UTF-8 in which these stand like other code points.
    Surrogates(Vec<u8>),
    Bytes(&'a [u8]),
}

impl<'a> Pushed<'a> {
    /// What `text` holds.
    ///
    /// # Errors
    /// `TypeError` for what is neither `str`, `bytes` nor `bytearray`.
    pub(crate) fn of(text: &'a Bound<'_, PyAny>) -> PyResult<Pushed<'a>> {
        if let Ok(text) = text.cast::<PyString>() {
            if let Ok(text) = text.to_str() {
                return Ok(Pushed::Text(text));
            }
            let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
            return Ok(Pushed::Surrogates(bytes.extract()?));
        }
        if let Ok(bytes) = text.cast::<PyBytes>() {
            return Ok(Pushed::Bytes(bytes.as_bytes()));
        }
        let kind = text.get_type().name()?;
        let help = if text.is_instance_of::<PyByteArray>() {
            "; write `bytes(..)` around it"
        } else {
            ""
        };
        Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "a model's text is `str` or `bytes`, not `{kind}`{help}"
        )))
    }
}

impl Pushed<'_> {
    /// The text, where it is whole: a special token is.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Pushed::Text(text) => Some(text),
            Pushed::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Pushed::Surrogates(_) => None,
        }
    }

    pub(crate) fn n_bytes(&self) -> usize {
        match self {
            Pushed::Text(text) => text.len(),
            Pushed::Surrogates(bytes) => bytes.len(),
            Pushed::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The JSON value of an object: of dicts, lists, tuples, strings, numbers, booleans and `None`. A lone surrogate in a string
/// becomes U+FFFD.
///
/// # Errors
/// `class`, with the JSON pointer of what has no JSON.
pub(crate) fn value(object: &Bound<'_, PyAny>, class: &'static str) -> PyResult<Value> {
    let reader = ValueReader { class };
    reader.value(object, &mut Vec::new())
}

struct ValueReader {
    class: &'static str,
}

impl ValueReader {
    fn value(&self, object: &Bound<'_, PyAny>, path: &mut Vec<String>) -> PyResult<Value> {
        if path.len() > DEPTH {
            return Err(self.fault(
                path,
                &format!("it nests deeper than {DEPTH} levels"),
                object,
            ));
        }
        if object.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Value::String(text.to_string_lossy().into_owned()));
        }
        if let Ok(value) = object.cast::<PyBool>() {
            return Ok(Value::Bool(value.is_true()));
        }
        if object.is_instance_of::<PyInt>() {
            // An enumeration's member is written as its number.
            let digits = object
                .py()
                .get_type::<PyInt>()
                .call_method1("__repr__", (object,))?;
            let digits: String = digits.extract()?;
            return toolglot_value::from_str(&digits)
                .map_err(|_| self.fault(path, "its number has no JSON", object));
        }
        if let Ok(float) = object.cast::<PyFloat>() {
            return Number::from_f64(float.value())
                .map(Value::Number)
                .ok_or_else(|| self.fault(path, "JSON has no such number", object));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return self.array(list.iter(), path);
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return self.array(tuple.iter(), path);
        }
        if let Ok(dict) = object.cast::<PyDict>() {
            return self.object(dict.iter().map(Ok), path);
        }
        if let Ok(mapping) = object.cast::<PyMapping>() {
            let items = mapping.items()?;
            return self.object(items.iter().map(|item| item.extract()), path);
        }
        let kind = object.get_type().name()?.to_string();
        Err(self.fault(path, &format!("`{kind}` has no JSON"), object))
    }

    fn array<'py>(
        &self,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        path: &mut Vec<String>,
    ) -> PyResult<Value> {
        let mut values = Vec::new();
        for (index, item) in items.enumerate() {
            path.push(index.to_string());
            values.push(self.value(&item, path)?);
            path.pop();
        }
        Ok(Value::Array(values))
    }

    fn object<'py>(
        &self,
        items: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        path: &mut Vec<String>,
    ) -> PyResult<Value> {
        let mut fields = Map::new();
        for item in items {
            let (key, item) = item?;
            let Ok(key) = key.cast::<PyString>() else {
                return Err(self.fault(path, "a key of a JSON object is a string", &key));
            };
            let key = key.to_string_lossy().into_owned();
            path.push(key.clone());
            fields.insert(key, self.value(&item, path)?);
            path.pop();
        }
        Ok(Value::Object(fields))
    }

    fn fault(&self, path: &[String], why: &str, object: &Bound<'_, PyAny>) -> PyErr {
        let pointer = pointer(path);
        if path.len() > DEPTH && self.class.is_empty() {
            return PyRecursionError::new_err(why.to_owned());
        }
        Fault::new(self.class, format!("{why}, at `{pointer}`"))
            .at(pointer)
            .raised(object.py())
    }
}

/// The JSON pointer of a path.
pub(crate) fn pointer<S: AsRef<str>>(path: &[S]) -> String {
    let steps = path
        .iter()
        .map(|step| step.as_ref().replace('~', "~0").replace('/', "~1"));
    steps.fold(String::new(), |whole, step| whole + "/" + &step)
}
