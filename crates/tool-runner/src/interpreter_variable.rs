//! `env_config.interpreter`: the variable that a runtime's file expects an interpreter's path in.
//!
//! The origin searches the project first, or runs a command that prints the path. This crate does neither: a file of
//! the project is the project's code. A runtime would start it under the name of a system interpreter.

use toolglot_tool_files::template;
use toolglot_value::Value;

use crate::interpreter::Interpreter;
use crate::resolve::Chain;
use crate::runner::ToolRunner;

/// A variable that holds the path of an interpreter.
#[derive(Clone, Debug)]
pub(crate) struct InterpreterVariable {
    /// Its name, `RYE_PYTHON`.
    pub(crate) name: String,
    /// The interpreter, if the machine has it.
    pub(crate) interpreter: Option<Interpreter>,
    /// Entries of the file that are not used.
    passed_over: Vec<String>,
    /// The file.
    file: String,
}

impl InterpreterVariable {
    /// The note about unused entries.
    pub(crate) fn note(&self) -> Option<String> {
        let (file, name) = (&self.file, &self.name);
        let value = match &self.interpreter {
            Some(found) => format!("is `{}`", found.program.display()),
            None => "gets no value".to_owned(),
        };
        (!self.passed_over.is_empty()).then(|| {
            format!(
                "`{file}` names `{}` for {name}, which is passed over: no interpreter comes from the project or a command; {name} {value}",
                self.passed_over.join("`, `")
            )
        })
    }
}

/// The interpreters that the files of a chain name; a later one wins.
pub(crate) fn interpreter_variables(
    runner: &ToolRunner,
    chain: &Chain,
) -> Vec<InterpreterVariable> {
    let variable = |link: &toolglot_tool_registry::ToolSource| {
        let config = link.tool().metadata.env.as_ref()?.get("interpreter")?;
        let text = |key: &str| config.get(key).and_then(Value::as_str);
        let name = text("var").filter(|name| template::is_variable(name))?;
        let of_system = text("binary").filter(|_| text("type") == Some("system_binary"));
        let is_path = |name: &&str| name.contains('/');
        let outside = |name| runner.interpreters.outside(name, &runner.project);
        let named = || of_system.into_iter().chain(text("fallback"));
        let interpreter = named().find_map(outside);
        let folders = config.get("search_paths").and_then(Value::as_array);
        let folders = folders.into_iter().flatten().filter_map(Value::as_str);
        // A missing folder gets no note: most projects have no virtual environment.
        let mut passed_over: Vec<String> = folders
            .chain(text("venv_path"))
            .filter(|folder| runner.project.join(folder).exists())
            .chain(
                named()
                    .filter(is_path)
                    .filter(|path| outside(path).is_none()),
            )
            .map(str::to_owned)
            .collect();
        if let Some(command) = config.get("resolve_cmd").and_then(Value::as_array) {
            let words = command.iter().filter_map(Value::as_str);
            passed_over.push(words.collect::<Vec<_>>().join(" "));
        }
        Some(InterpreterVariable {
            name: name.to_owned(),
            interpreter,
            passed_over,
            file: link.name(),
        })
    };
    chain.links.iter().rev().filter_map(variable).collect()
}
