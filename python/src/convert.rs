//! `convert` and `detect`: conversations from one form into another, and the dialect of a chat template.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolglot_chat::{default_server, dialects_named, tool_set};
use toolglot_import::{Detection as Found, ImportError};
use toolglot_value::Value;
use toolglot_wire::{
    ConversionReport, ConvertedMessage, Converter, SourceForm, TargetForm, is_conversation,
};

use crate::error::Fault;
use crate::from_python::value;
use crate::panic::caught;
use crate::reading_options::dialect_fault;
use crate::render::{dialect, tools};
use crate::to_python::object;

/// A converted conversation, and what became of its parts.
#[pyclass(frozen, get_all, module = "toolglot")]
pub(crate) struct Conversion {
    document: Py<PyAny>,
    calls: usize,
    results: usize,
    /// Messages that stayed as they were: the place of each, and why.
    left: Vec<String>,
    /// What was carried and is in doubt.
    doubtful: Vec<String>,
    /// How many messages the target would read otherwise; they stayed as they were.
    differ: usize,
}

/// Converts a conversation, or the text of one message.
#[pyfunction]
#[pyo3(signature = (document, to, *, source="auto", tools=None, check=false))]
pub(crate) fn convert(
    document: &Bound<'_, PyAny>,
    to: &str,
    source: &str,
    tools: Option<&Bound<'_, PyAny>>,
    check: bool,
) -> PyResult<Conversion> {
    let py = document.py();
    let toolbox = self::tools(py, tools)?;
    let target = match to {
        "openai" => TargetForm::Chat,
        "responses" => TargetForm::Responses,
        name => {
            let dialect = dialect(py, name)?;
            TargetForm::Text {
                dialect,
                tools: tool_set(std::slice::from_ref(dialect), toolbox.as_ref()),
                server: default_server(dialect.name()),
            }
        }
    };
    let is_structured = ["openai", "responses"].contains(&source);
    let dialects = if is_structured {
        Vec::new()
    } else {
        dialects_named(source, toolbox.as_ref()).map_err(|error| dialect_fault(py, &error))?
    };
    let from = if is_structured {
        SourceForm::Structured
    } else {
        SourceForm::Text {
            dialects: &dialects,
            tools: tool_set(&dialects, toolbox.as_ref()),
            toolbox: toolbox.as_ref(),
        }
    };
    let input = Input::of(document)?;
    let mut report = ConversionReport::default();
    let fault = |error: String| Fault::new("ConvertError", error).raised(py);
    let converted = caught(py, || {
        py.detach(|| {
            let converter = Converter::new(from, target, check)?;
            match input {
                Input::Text(text) => Ok(converter.message(&text, &mut report)),
                Input::Conversation(document) => converter
                    .conversation(document, &mut report)
                    .map(ConvertedMessage::Json),
            }
        })
    })?
    .map_err(|error: toolglot_wire::WireError| fault(error.to_string()))?;
    let document = match converted {
        ConvertedMessage::Text(text) => PyString::new(py, &text).into_any(),
        ConvertedMessage::Json(value) => object(py, &value)?,
    };
    Ok(Conversion {
        document: document.unbind(),
        calls: report.calls,
        results: report.results,
        left: report.left,
        doubtful: report.doubtful,
        differ: report.differ,
    })
}

enum Input {
    /// What one model wrote.
    Text(String),
    Conversation(Value),
}

impl Input {
    /// A text that is a conversation in JSON is one, and any other text is a message.
    fn of(document: &Bound<'_, PyAny>) -> PyResult<Input> {
        let Ok(text) = document.cast::<PyString>() else {
            return Ok(Input::Conversation(value(document, "ConvertError")?));
        };
        let text = text.to_string_lossy().into_owned();
        if !is_conversation(&text) {
            return Ok(Input::Text(text));
        }
        let value = toolglot_value::from_str(&text).map_err(|error| {
            Fault::new(
                "ConvertError",
                format!("the conversation is not JSON: {error}"),
            )
            .at(format!("{}:{}", error.line(), error.column()))
            .raised(document.py())
        });
        Ok(Input::Conversation(value?))
    }
}

#[pymethods]
impl Conversion {
    fn __repr__(&self) -> String {
        format!(
            "<Conversion {} calls and {} results carried, {} messages not carried>",
            self.calls,
            self.results,
            self.left.len()
        )
    }
}

/// The dialects that a chat template teaches, the best first.
#[pyclass(frozen, get_all, module = "toolglot")]
pub(crate) struct Detection {
    /// The best; `None` where the template has the literals of no dialect.
    dialect: Option<&'static str>,
    /// All that share literals with the template, the best first.
    candidates: Vec<&'static str>,
    /// The literals of the best, `(text, line, column)` in the template.
    literals: Vec<(String, usize, usize)>,
    /// The call that the template writes, where it could be run.
    call: Option<String>,
}

/// Which dialect a chat template teaches: Jinja, or the text of a `tokenizer_config.json`.
#[pyfunction]
pub(crate) fn detect(py: Python<'_>, template: &str) -> PyResult<Detection> {
    let found: Found =
        caught(py, || py.detach(|| toolglot_import::detect(template)))?.map_err(|error| {
            let fault = Fault::new("DialectError", error.to_string());
            match error {
                ImportError::ChatTemplate { line, column, .. } => {
                    fault.at(format!("{line}:{column}"))
                }
                _ => fault,
            }
            .raised(py)
        })?;
    let best = found.candidates.first();
    let literals = best
        .map(|best| best.literals.as_slice())
        .unwrap_or_default();
    let literals = literals.iter();
    Ok(Detection {
        dialect: best.map(|best| best.dialect.name()),
        candidates: found
            .candidates
            .iter()
            .map(|one| one.dialect.name())
            .collect(),
        literals: literals
            .map(|one| (one.text.clone(), one.line, one.column))
            .collect(),
        call: found.call.clone(),
    })
}

#[pymethods]
impl Detection {
    fn __repr__(&self) -> String {
        format!("<Detection {}>", self.candidates.join(", "))
    }
}
