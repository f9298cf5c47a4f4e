//! Whether what runs a tool can run it, as far as the file alone tells.

use serde_json::Value;

use crate::diagnostic::Severity;
use crate::{Executor, Language, ToolFile, executor_id, system, template};

/// Where the runtimes and primitives of the system are.
const SYSTEM: &str = "rye/core/";
const PYTHON: &str = "rye/core/runtimes/python/";
const NODE: &str = "rye/core/runtimes/node/node";
const HTTP: &str = "rye/core/primitives/http_client";
/// What `http_client` asks by.
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
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
    if tool.language.is_configuration()
        && let Some((message, help)) = config.and_then(|config| misconfigured(id, config))
    {
        return Some((Severity::Error, message, help));
    }
    if id == HTTP
        && let Some(name) = tool.unknown_placeholder()
    {
        return Some((
            Severity::Error,
            format!("`{{{name}}}` stands in `config`, and there is no parameter `{name}`"),
            "name a parameter of the tool, or declare this one".to_owned(),
        ));
    }
    None
}

/// What a configuration says that can never be run or asked, with what to do. What variables stand in is told when it runs.
fn misconfigured(id: &str, config: &Value) -> Option<(String, String)> {
    let get = |key: &str| config.get(key).filter(|value| !value.is_null());
    let text = |key: &str| get(key).and_then(Value::as_str);
    let is_plain = |text: &&str| !text.contains(['{', '$']);
    if id == SUBPROCESS {
        let is_container = get("image").is_some();
        if get("command").is_some_and(|command| !command.is_string()) && !is_container {
            return Some((
                "`config.command` is no text".to_owned(),
                "write the program there, and its words under `config.args`".to_owned(),
            ));
        }
        for key in ["command", "args", "entrypoint"] {
            let is_word = |word: &Value| word.is_string() || word.is_number() || word.is_boolean();
            let fits = match get(key) {
                None => true,
                Some(Value::Array(words)) => words.iter().all(is_word),
                Some(other) => other.is_string(),
            };
            if !fits {
                return Some((
                    format!("`config.{key}` is no list of words"),
                    "write texts and numbers in it, and no list, map or null".to_owned(),
                ));
            }
        }
        let image = get("image")?;
        if image
            .as_str()
            .is_none_or(|image| image.is_empty() || image.starts_with('-'))
        {
            return Some((
                format!("`config.image` is {image}, which is no image"),
                "write its name, as in `python:3.11`".to_owned(),
            ));
        }
    }
    if id == HTTP {
        if let Some(method) = text("method").filter(is_plain)
            && !METHODS.contains(&method.to_ascii_uppercase().as_str())
        {
            return Some((
                format!("`config.method` is `{method}`, which is no method"),
                format!("write one of {}", METHODS.join(", ")),
            ));
        }
        let url = text("url")?;
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        if !["http", "https"].contains(&scheme) && !scheme.contains(['{', '$']) && is_plain(&url) {
            return Some((
                format!("`config.url` is `{url}`, which is no address that can be asked"),
                "begin it with `https://` or `http://`".to_owned(),
            ));
        }
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if !scheme.is_empty() && template::placeholders(host).next().is_some() {
            return Some((
                "a parameter cannot say which host is asked".to_owned(),
                "write the host, or leave `config.url` out and name a parameter `url`".to_owned(),
            ));
        }
    }
    None
}

impl ToolFile {
    /// The first `{name}` of a request that no parameter has, of a tool that says which it takes.
    ///
    /// In a body only a text that is nothing else: braces are part of many texts.
    pub fn unknown_placeholder(&self) -> Option<String> {
        let config = self.metadata.config.as_ref()?;
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
        let texts = |key: &str| config.get(key).into_iter().flat_map(texts);
        let is_whole =
            |text: &&str| text.starts_with('{') && text.find('}') == Some(text.len() - 1);
        texts("url")
            .chain(texts("headers"))
            .chain(texts("query"))
            .chain(texts("body").filter(is_whole))
            .flat_map(template::placeholders)
            .find(|name| !is_known(name))
            .map(str::to_owned)
    }
}

/// The texts of a value, wherever in it.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
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
