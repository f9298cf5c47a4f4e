//! Whether an executor can run a tool, as far as the file alone shows.

use super::config_rules;
use crate::Severity;
use crate::diagnostic::Diagnostic;
use crate::executors::{PYTHON, SYSTEM};
use crate::literal::{Content, Literal};
use crate::rule::RUNNABLE;
use crate::{Executor, Language, ToolFile, executor_id, executors, template};

const NODE: &str = "rye/core/runtimes/node/node";

/// Why a tool could never run, and how to repair it. Runtimes of a project are not known here.
///
/// A configuration for a Python runtime that names no program is a warning: the format's own example is one.
pub(crate) fn unrunnable(tool: &ToolFile) -> Vec<Diagnostic> {
    if tool.metadata.tool_type.as_deref() == Some("mcp_server") {
        return config_rules::server(tool);
    }
    let Executor::Id(executor) = &tool.metadata.executor else {
        return Vec::new();
    };
    if !tool.is_callable() {
        return Vec::new();
    }
    let id = executor_id(executor);
    let fault = |severity, message, help: &str| {
        vec![Diagnostic {
            rule: RUNNABLE,
            severity,
            span: tool.place("executor_id", None),
            message,
            help: Some(help.to_owned()),
        }]
    };
    if !is_known(id) {
        let message = format!("there is no executor `{executor}`");
        let nearest = executors::nearest_executor(executor, std::iter::empty());
        let help = nearest.map_or_else(
            || {
                format!(
                    "the executors are {}, or a runtime of the project",
                    executors::EXECUTORS
                )
            },
            |nearest| format!("did you mean `{nearest}`?"),
        );
        return fault(Severity::Error, message, &help);
    }
    let has = |key: &str| tool.configured(key).is_some();
    let is_script = matches!(tool.language, Language::JavaScript | Language::TypeScript);
    let language = match tool.language {
        Language::Python if id == NODE => Some("JavaScript and TypeScript"),
        Language::Python => None,
        _ if id.starts_with(PYTHON) && !has("command") => Some("Python"),
        _ if id == NODE && !is_script => Some("JavaScript and TypeScript"),
        _ => None,
    };
    if let Some(language) = language {
        let is_example = tool.language.is_configuration() && id.starts_with(PYTHON);
        return fault(
            if is_example {
                Severity::Warning
            } else {
                Severity::Error
            },
            format!(
                "`{executor}` runs {language}, and this is {}",
                tool.language.name()
            ),
            "name the runtime of its own language, or `subprocess`",
        );
    }
    config_rules::tool(tool, id)
}

impl ToolFile {
    /// The value of a key of `config`, if it is not null.
    pub(super) fn configured(&self, key: &str) -> Option<&Literal> {
        let value = self.field("config")?.get(key)?;
        (!value.is_null()).then_some(value)
    }

    /// The first `{name}` of a request that is not a parameter, if the tool declares its parameters.
    ///
    /// In a body only a text that is exactly `{name}` counts: braces are part of many texts.
    pub fn unknown_placeholder(&self) -> Option<String> {
        self.lost_placeholder().map(|(name, _)| name)
    }

    /// The same, with the text that holds the name.
    pub(super) fn lost_placeholder(&self) -> Option<(String, &Literal)> {
        let inputs = std::iter::once(&self.schema.input)
            .chain(self.actions.iter().map(|action| &action.input));
        let properties: Vec<_> = inputs
            .filter_map(|input| input.get("properties")?.as_object())
            .collect();
        if properties.is_empty() {
            return None;
        }
        let is_known = |name: &str| {
            name == "action" && !self.actions.is_empty()
                || properties.iter().any(|all| all.contains_key(name))
        };
        let is_whole = |text: &str| text.starts_with('{') && text.find('}') == Some(text.len() - 1);
        for key in ["url", "headers", "query", "body"] {
            let Some(value) = self.configured(key) else {
                continue;
            };
            for literal in texts(value) {
                let text = literal.as_text().unwrap_or_default();
                if key == "body" && !is_whole(text) {
                    continue;
                }
                if let Some(name) = template::placeholders(text).find(|name| !is_known(name)) {
                    return Some((name.to_owned(), literal));
                }
            }
        }
        None
    }
}

/// All texts in a value.
fn texts(value: &Literal) -> Vec<&Literal> {
    match &value.content {
        Content::Text(_) => vec![value],
        Content::List(items) => items.iter().flat_map(texts).collect(),
        Content::Map(members) => members
            .iter()
            .flat_map(|member| texts(&member.value))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether an id may be an executor: the system's ids are known, any other may be the project's.
fn is_known(id: &str) -> bool {
    let is_system = id.starts_with(SYSTEM);
    !is_system || executors::SYSTEM_EXECUTORS.contains(&id)
}
