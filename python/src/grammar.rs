//! `grammar`: grammars for constrained decoding.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toolglot_constrain::{InputGrammar, Options, Reasoning, Target, ToolChoice, ToolSchema};

use crate::error::Fault;
use crate::panic::caught;
use crate::reading_options::{tool_list, toolbox};
use crate::render::dialect;

/// Writes a grammar under which a model can write only calls that fit.
#[pyfunction]
#[pyo3(signature = (dialect, tools, format, *, tool_choice="auto", parallel=true, reasoning="none", tokens=Vec::new(), strict=false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
#[expect(clippy::needless_pass_by_value, reason = "a list of Python is copied")]
pub(crate) fn grammar<'py>(
    py: Python<'py>,
    dialect: &str,
    tools: &Bound<'py, PyAny>,
    format: &str,
    tool_choice: &str,
    parallel: bool,
    reasoning: &str,
    tokens: Vec<String>,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let dialect = self::dialect(py, dialect)?;
    let toolbox = toolbox(py, &tool_list(tools)?)?;
    let target: Target = format.parse().map_err(PyValueError::new_err)?;
    let mut options = Options::new(target);
    options.tool_choice = ToolChoice::from(tool_choice);
    options.parallel = parallel;
    options.reasoning = reasoning
        .parse::<Reasoning>()
        .map_err(PyValueError::new_err)?;
    options.strict = strict;
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    options.tokens = &tokens;
    let inputs: Vec<InputGrammar<'_>> = toolbox.input_grammars().map(InputGrammar::from).collect();
    options.inputs = &inputs;
    let write = || {
        let tools: Vec<ToolSchema<'_>> = toolbox
            .iter()
            .map(|tool| ToolSchema {
                name: &tool.name,
                parameters: &tool.parameters,
            })
            .collect();
        toolglot_constrain::grammar(dialect, &tools, &options)
    };
    let grammar = caught(py, || py.detach(write))?
        .map_err(|error| Fault::new("GrammarError", error.to_string()).raised(py))?;
    let notes = PyTuple::new(py, grammar.notes.iter().map(ToString::to_string))?;
    let triggers = PyTuple::new(py, grammar.triggers)?;
    let class = py.import("toolglot._text")?.getattr("Grammar")?;
    class.call1((grammar.text, triggers, notes, grammar.n_rules))
}
