//! `env_config.interpreter`: the variable that a runtime's file wants an interpreter in.
//!
//! The origin looks below the project first, or runs a command that names the interpreter. Neither is done here: what a project
//! holds is code of the project, and a runtime would start it by a name that the user takes for the system's.

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
    /// What the file names and is not used.
    passed_over: Vec<String>,
    /// The file.
    file: String,
}

impl InterpreterVariable {
    /// The note about what was passed over.
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
        // A folder that is not there is not worth a note: most projects have no environment of their own.
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
