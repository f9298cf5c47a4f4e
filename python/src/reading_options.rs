//! How a message is read: the arguments that `parse` and `Parser` share.

use std::sync::{Arc, LazyLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolglot_chat::{ChatError, CompiledDialects, ProgramCache, Reader, dialects_named};
use toolglot_engine::{Finish, InCode, InReasoning};
use toolglot_toolset::Toolbox;
use toolglot_value::Value;
use toolglot_wire::ToolChoice;

use crate::error::Fault;
use crate::from_python::value;
use crate::panic::caught;

/// The arguments as Python has them.
pub(crate) struct ReadingArguments<'py> {
    pub(crate) dialect: String,
    pub(crate) tools: Option<Bound<'py, PyAny>>,
    pub(crate) tool_choice: Option<Bound<'py, PyAny>>,
    pub(crate) prompt_tail: Option<String>,
    pub(crate) reasoning_open: bool,
    pub(crate) in_code: String,
    pub(crate) in_reasoning: String,
}

/// The same, read.
pub(crate) struct ReadingOptions {
    pub(crate) compiled: CompiledDialects,
    pub(crate) reader: Reader,
    pub(crate) choice: ToolChoice,
}

/// What was compiled for earlier messages. It is used only while the thread is attached to the interpreter: so no lock of it is
/// held where another thread forks.
static PROGRAMS: LazyLock<ProgramCache> = LazyLock::new(ProgramCache::default);

impl ReadingOptions {
    pub(crate) fn read(
        py: Python<'_>,
        arguments: ReadingArguments<'_>,
    ) -> PyResult<ReadingOptions> {
        let choice = match &arguments.tool_choice {
            None => ToolChoice::Auto,
            Some(choice) => ToolChoice::read(&value(choice, "Error")?)
                .map_err(|error| Fault::new("Error", error.to_string()).raised(py))?,
        };
        let compiled = compiled(py, &arguments.dialect, arguments.tools.as_ref())?;
        let reader = Reader {
            in_code: in_code(&arguments.in_code)?,
            in_reasoning: in_reasoning(&arguments.in_reasoning)?,
            reasoning_open: arguments.reasoning_open,
            prompt_suffix: arguments.prompt_tail,
            ..Reader::new(Arc::clone(&compiled.program))
        };
        Ok(ReadingOptions {
            compiled,
            reader,
            choice,
        })
    }
}

/// The dialects of a list of names, compiled for tools.
pub(crate) fn compiled(
    py: Python<'_>,
    list: &str,
    tools: Option<&Bound<'_, PyAny>>,
) -> PyResult<CompiledDialects> {
    let tools = tools.map(tool_list).transpose()?;
    let text = tools.as_ref().map(Value::to_string).unwrap_or_default();
    caught(py, || {
        PROGRAMS.get(list, &text, || {
            let toolbox = tools.as_ref().map(|tools| toolbox(py, tools)).transpose()?;
            let toolbox = toolbox.filter(|toolbox| !toolbox.is_empty()).map(Arc::new);
            let dialects = dialects_named(list, toolbox.as_deref());
            Ok((dialects.map_err(FoundError::Dialects)?, toolbox))
        })
    })?
    .map_err(|error| match error {
        FoundError::Dialects(error) => dialect_fault(py, &error),
        FoundError::Raised(error) => error,
    })
}

/// Why dialects and tools were not found.
enum FoundError {
    Dialects(ChatError),
    Raised(PyErr),
}

impl From<ChatError> for FoundError {
    fn from(error: ChatError) -> FoundError {
        FoundError::Dialects(error)
    }
}

impl From<PyErr> for FoundError {
    fn from(error: PyErr) -> FoundError {
        FoundError::Raised(error)
    }
}

/// The error for a dialect that is not known, or not usable.
pub(crate) fn dialect_fault(py: Python<'_>, error: &ChatError) -> PyErr {
    let fault = Fault::new("DialectError", error.to_string());
    match error {
        ChatError::UnknownDialect { .. } | ChatError::NoDialect => {
            fault.help("`toolglot dialects list` has the names; `auto` reads all at once")
        }
        _ => fault,
    }
    .raised(py)
}

/// A tool list as JSON: a list or dict of any usual shape, JSON text, or the name of a builtin set. A Python function in a list
/// is described by its type hints and docstring.
pub(crate) fn tool_list(tools: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = tools.py();
    if let Ok(text) = tools.cast::<PyString>() {
        let text = text.to_string_lossy();
        if !text.trim_start().starts_with(['[', '{']) {
            let name = text.strip_prefix("builtin:").unwrap_or(&text);
            return Ok(Value::String(name.to_owned()));
        }
        return toolglot_value::from_str(&text).map_err(|error| {
            let place = format!("{}:{}", error.line(), error.column());
            Fault::new("ToolsError", format!("the tool list is not JSON: {error}"))
                .at(place)
                .raised(py)
        });
    }
    let is_function =
        |item: Bound<'_, PyAny>| !item.is_instance_of::<PyDict>() && item.is_callable();
    let has_function = if let Ok(list) = tools.cast::<PyList>() {
        list.iter().any(is_function)
    } else if let Ok(tuple) = tools.cast::<PyTuple>() {
        tuple.iter().any(is_function)
    } else {
        false
    };
    if has_function {
        let describe = py.import("toolglot._tools")?.getattr("described")?;
        return value(&describe.call1((tools,))?, "ToolsError");
    }
    value(tools, "ToolsError")
}

/// The tools of a list.
pub(crate) fn toolbox(py: Python<'_>, tools: &Value) -> PyResult<Toolbox> {
    if let Value::String(name) = tools {
        return Toolbox::builtin(name).ok_or_else(|| {
            Fault::new(
                "ToolsError",
                format!("no builtin tool set is called `{name}`"),
            )
            .at("")
            .help("a tool list is a list or dict, its JSON text, or the name of a builtin set")
            .raised(py)
        });
    }
    Toolbox::from_json(tools).map_err(|error| {
        Fault::new("ToolsError", error.to_string())
            .at(error.pointer(tools))
            .raised(py)
    })
}

/// Why the model stopped.
pub(crate) fn finish(word: &str) -> PyResult<Finish> {
    // The words of chat APIs as well: a stop for tool calls is one that the model chose.
    match word {
        "stop" | "tool_calls" | "tool_use" | "end_turn" | "eos" => Ok(Finish::Stop),
        "length" | "max_tokens" => Ok(Finish::Length),
        "unknown" | "abort" => Ok(Finish::Unknown),
        other => Err(unknown("finish", other, "`stop`, `length` or `unknown`")),
    }
}

fn in_code(word: &str) -> PyResult<InCode> {
    match word {
        "auto" => Ok(InCode::Auto),
        "ignore" => Ok(InCode::Ignore),
        "accept" => Ok(InCode::Accept),
        other => Err(unknown("in_code", other, "`auto`, `ignore` or `accept`")),
    }
}

fn in_reasoning(word: &str) -> PyResult<InReasoning> {
    match word {
        "ignore" => Ok(InReasoning::Ignore),
        "accept" => Ok(InReasoning::Accept),
        other => Err(unknown("in_reasoning", other, "`ignore` or `accept`")),
    }
}

fn unknown(what: &str, word: &str, words: &str) -> PyErr {
    PyValueError::new_err(format!("unknown `{what}`: `{word}`; it is {words}"))
}
