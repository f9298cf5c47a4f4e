//! Whether what runs a tool can run it, as far as the file alone tells.

use serde_json::Value;

use crate::diagnostic::Severity;
use crate::{Executor, Language, ToolFile, executor_id, system};

/// Where the runtimes and primitives of the system are.
const SYSTEM: &str = "rye/core/";
const PYTHON: &str = "rye/core/runtimes/python/";
const NODE: &str = "rye/core/runtimes/node/node";
const SUBPROCESS: &str = "rye/core/primitives/subprocess";

/// Why a tool could never run, with what to do; runtimes of a project are not known here.
///
/// A configuration that a runtime of Python is to run and that names no program is a warning: the format's own example is one.
pub(crate) fn unrunnable(tool: &ToolFile) -> Option<(Severity, String, String)> {
    let Executor::Id(executor) = &tool.metadata.executor else {
        return None;
    };
    if !tool.is_callable() {
        return None;
    }
    let id = executor_id(executor);
    if !is_known(id) {
        return Some((
            Severity::Error,
            format!("there is no executor `{executor}`"),
            "the executors are python/function, python/script, node, bash, subprocess, http_client, mcp/stdio and mcp/http, or a runtime of the project"
                .to_owned(),
        ));
    }
    let config = tool.metadata.config.as_ref();
    let has = |key: &str| {
        config
            .and_then(|config| config.get(key))
            .is_some_and(|value| *value != Value::Null)
    };
    let is_script = matches!(tool.language, Language::JavaScript | Language::TypeScript);
    let language = match tool.language {
        Language::Python => None,
        _ if id.starts_with(PYTHON) && !has("command") => Some("Python"),
        _ if id == NODE && !is_script => Some("JavaScript and TypeScript"),
        _ => None,
    };
    let language = match tool.language {
        Language::Python if id == NODE => Some("JavaScript and TypeScript"),
        _ => language,
    };
    if let Some(language) = language {
        let is_example = tool.language.is_configuration() && id.starts_with(PYTHON);
        return Some((
            if is_example {
                Severity::Warning
            } else {
                Severity::Error
            },
            format!(
                "`{executor}` runs {language}, and this is {}",
                tool.language.name()
            ),
            "name the runtime of its own language, or `subprocess`".to_owned(),
        ));
    }
    if id == SUBPROCESS && tool.language.is_configuration() && !has("command") && !has("image") {
        return Some((
            Severity::Error,
            "`config.command` is missing, which `subprocess` runs".to_owned(),
            "write `command` and `args` under `config`".to_owned(),
        ));
    }
    if tool.language.is_configuration()
        && let Some(missing) = unnamed(id, tool, &has)
    {
        // The format asks for no `config`, and says what a type is without one.
        return Some((
            Severity::Warning,
            format!("{missing}, without which `{executor}` has nothing to do"),
            "write it under `config`".to_owned(),
        ));
    }
    None
}

/// What a configuration has to name for what runs it, and does not.
fn unnamed(id: &str, tool: &ToolFile, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let parameters = tool.schema.input.get("properties");
    let takes = |name: &str| parameters.is_some_and(|all| all.get(name).is_some());
    match id.strip_prefix(SYSTEM)? {
        "runtimes/bash/bash" if !has("command") && !has("command_parameter") => {
            Some("`config.command` is missing")
        }
        "primitives/http_client" if !has("url") && !takes("url") => Some("`config.url` is missing"),
        "runtimes/mcp/http" | "runtimes/mcp/stdio" if !has("server") => {
            Some("`config.server` is missing")
        }
        "runtimes/mcp/http" | "runtimes/mcp/stdio" if !has("tool_name") => {
            Some("`config.tool_name` is missing")
        }
        "primitives/filesystem" if !has("operation") => Some("`config.operation` is missing"),
        _ => None,
    }
}

/// Whether an id may be an executor: what is below the system's directory is the system's, the rest may be the project's.
fn is_known(id: &str) -> bool {
    let is_system = id.starts_with(SYSTEM);
    !is_system || system::entries().any(|entry| entry.id.as_str() == id)
}
