//! Rule F08 for `config`: values that can never be run, sent or requested. Rule F04: keys that nothing reads.

use toolglot_policy::{METHODS, is_own_header};

use crate::Severity;
use crate::diagnostic::Diagnostic;
use crate::executors::{PYTHON, SYSTEM};
use crate::literal::{Content, Literal, Member};
use crate::rule::{RUNNABLE, Rule, UNKNOWN_FIELD};
use crate::{ToolFile, template};

/// The operations of `filesystem`.
const OPERATIONS: &[&str] = &[
    "read_file",
    "write_file",
    "list_files",
    "search_files",
    "edit_lines",
];

/// Keys that every executor reads.
const OF_ALL: &[&str] = &["timeout", "timeout_parameter"];
const OF_PROGRAMS: &[&str] = &["command", "args", "env", "image", "entrypoint"];
const OF_SHELLS: &[&str] = &["command", "command_parameter", "directory_parameter", "env"];
const OF_REQUESTS: &[&str] = &["url", "method", "headers", "query", "body"];
const OF_SERVERS_TOOLS: &[&str] = &["server", "tool_name"];
const OF_FILES: &[&str] = &["operation"];
const OF_SERVERS: &[&str] = &[
    "transport",
    "command",
    "args",
    "env",
    "url",
    "headers",
    "oauth",
    "timeout",
];

/// Keys of other programs that nothing here reads, and what to write instead.
const INSTEAD: &[(&[&str], &str)] = &[
    (
        &["auth", "authorization", "bearer", "token", "api_key"],
        "write it under `headers`, as in `Authorization: \"Bearer ${TOKEN}\"`",
    ),
    (
        &["cwd", "workdir", "working_dir", "working_directory", "dir"],
        "a program starts in the directory of the project",
    ),
    (
        &["volumes", "mounts", "binds"],
        "a container has the project at `/workspace`, and nothing else",
    ),
    (
        &["network", "network_mode", "ports"],
        "a tool has the network where `net.http` is granted to it: write that under `requires`",
    ),
    (&["params", "querystring"], "write it under `query`"),
    (&["json", "data", "payload"], "write it under `body`"),
    (&["cmd", "exec", "program"], "write it as `command`"),
    (
        &["shell", "script"],
        "write `executor_id: bash`, and the line as `command`",
    ),
    (&["environment"], "write it as `env`"),
    (
        &["retries", "retry"],
        "write `retry_policy` beside `config`",
    ),
];

/// The faults in the configuration of a tool whose executor is `id`, one of the system's.
pub(super) fn tool(tool: &ToolFile, id: &str) -> Vec<Diagnostic> {
    let mut faults = Faults::of(tool);
    let Some(name) = id.strip_prefix(SYSTEM) else {
        return faults.found;
    };
    if !tool.language.is_configuration() {
        faults.placeholders(name);
        return faults.found;
    }
    let is_program = name == "primitives/subprocess" || id.starts_with(PYTHON);
    faults.missing(name);
    let known = match name {
        _ if is_program => OF_PROGRAMS,
        "runtimes/bash/bash" => OF_SHELLS,
        "primitives/http_client" => OF_REQUESTS,
        "runtimes/mcp/http" | "runtimes/mcp/stdio" => OF_SERVERS_TOOLS,
        "primitives/filesystem" => OF_FILES,
        _ => return faults.found,
    };
    let known = [known, OF_ALL].concat();
    let executor = id.rsplit('/').next().unwrap_or(id);
    faults.unknown(&known, &format!("`{executor}`"));
    faults.seconds("timeout");
    if is_program {
        faults.program();
    }
    if name == "runtimes/bash/bash" {
        faults.texts(OF_SHELLS);
        faults.environment();
    }
    if name.starts_with("runtimes/mcp/") {
        faults.texts(OF_SERVERS_TOOLS);
    }
    if name == "primitives/http_client" {
        faults.request();
        faults.placeholders(name);
    }
    if name == "primitives/filesystem"
        && let Some(value) = tool.configured("operation")
        && !value
            .as_text()
            .is_some_and(|name| OPERATIONS.contains(&name))
    {
        faults.add(
            value.span.clone(),
            "unknown `config.operation`".to_owned(),
            &format!("write one of {}", OPERATIONS.join(", ")),
        );
    }
    faults.found
}

/// The faults in the definition of a server.
pub(super) fn server(tool: &ToolFile) -> Vec<Diagnostic> {
    let mut faults = Faults::of(tool);
    if tool.configured("command").is_none() && tool.configured("url").is_none() {
        faults.push(
            (RUNNABLE, Severity::Warning),
            tool.place("config", None),
            "neither `config.command` nor `config.url` says what the server is".to_owned(),
            "write `command` and `args` of the program, or `url` of the server",
        );
    }
    faults.unknown(OF_SERVERS, "a server");
    faults.seconds("timeout");
    faults.texts(&["command", "url", "transport"]);
    faults.words("args");
    faults.environment();
    faults.address();
    faults.headers();
    faults.found
}

struct Faults<'a> {
    tool: &'a ToolFile,
    found: Vec<Diagnostic>,
}

impl<'a> Faults<'a> {
    fn of(tool: &'a ToolFile) -> Faults<'a> {
        Faults {
            tool,
            found: Vec::new(),
        }
    }

    fn push(
        &mut self,
        (rule, severity): (&'static Rule, Severity),
        span: std::ops::Range<usize>,
        message: String,
        help: &str,
    ) {
        self.found.push(Diagnostic {
            rule,
            severity,
            span,
            message,
            help: Some(help.to_owned()),
        });
    }

    fn add(&mut self, span: std::ops::Range<usize>, message: String, help: &str) {
        self.push((RUNNABLE, Severity::Error), span, message, help);
    }

    /// A value of `config`, if it is a literal.
    fn get(&self, key: &str) -> Option<&'a Literal> {
        let value = self.tool.configured(key);
        value.filter(|value| !value.is_computed())
    }

    /// Reports a `{name}` of a request that is not a parameter, unless its place is reported already.
    fn placeholders(&mut self, executor: &str) {
        if executor == "primitives/http_client"
            && let Some((name, at)) = self.tool.lost_placeholder()
            && self.found.iter().all(|known| known.span != at.span)
        {
            self.add(
                at.span.clone(),
                format!("`config` uses `{{{name}}}`, and there is no parameter `{name}`"),
                "name a parameter of the tool, or declare this one",
            );
        }
    }

    /// Reports a key that the executor needs and the file lacks.
    fn missing(&mut self, name: &str) {
        let tool = self.tool;
        let has = |key: &str| tool.configured(key).is_some();
        let parameters = tool.schema.input.get("properties");
        let takes = |name: &str| parameters.is_some_and(|all| all.get(name).is_some());
        let key = match name {
            "primitives/subprocess" if !has("command") && !has("image") => {
                // Without a program nothing can run. The format's own example, which leaves it to a runtime, is not
                // this case.
                self.add(
                    tool.place("config", None),
                    "`config.command` is missing, which `subprocess` runs".to_owned(),
                    "write `command` and `args` under `config`",
                );
                return;
            }
            "runtimes/bash/bash" if !has("command") && !has("command_parameter") => "command",
            "primitives/http_client" if !has("url") && !takes("url") => "url",
            "runtimes/mcp/http" | "runtimes/mcp/stdio" if !has("server") => "server",
            "runtimes/mcp/http" | "runtimes/mcp/stdio" if !has("tool_name") => "tool_name",
            "primitives/filesystem" if !has("operation") => "operation",
            _ => return,
        };
        let executor = match &tool.metadata.executor {
            crate::Executor::Id(executor) => executor.as_str(),
            _ => name,
        };
        // The format does not require `config`, and describes each type without one.
        self.push(
            (RUNNABLE, Severity::Warning),
            tool.place("config", None),
            format!("`config.{key}` is missing, without which `{executor}` has nothing to do"),
            "write it under `config`",
        );
    }

    /// Reports keys that nothing reads; a `{key}` in a text may read any.
    fn unknown(&mut self, known: &[&str], reader: &str) {
        let Some(config) = self.tool.field("config") else {
            return;
        };
        let named = named(config);
        for member in config.as_map().unwrap_or_default() {
            let key = member.key.as_str();
            if known.contains(&key) || named.contains(&key) {
                continue;
            }
            let lower = key.to_ascii_lowercase();
            let instead = INSTEAD
                .iter()
                .find(|(words, _)| words.contains(&lower.as_str()));
            let nearest = toolglot_toolset::nearest(key, known.iter().copied());
            let help = match (nearest, instead) {
                (Some(nearest), _) => format!("did you mean `{nearest}`?"),
                (None, Some((_, instead))) => (*instead).to_owned(),
                (None, None) => format!("it reads {}", known.join(", ")),
            };
            self.push(
                (UNKNOWN_FIELD, Severity::Warning),
                member.key_span.clone(),
                format!("`config.{key}` says nothing to {reader}"),
                &help,
            );
        }
    }

    fn seconds(&mut self, key: &str) {
        if let Some(value) = self.get(key)
            && !is_expanded(value)
            && value.as_f64().is_none_or(|seconds| seconds <= 0.0)
        {
            self.add(
                value.span.clone(),
                format!(
                    "`config.{key}` is {}, and no time that a call may take",
                    value.kind()
                ),
                "write a number of seconds",
            );
        }
    }

    fn texts(&mut self, keys: &[&str]) {
        for key in keys.iter().filter(|key| **key != "env") {
            if let Some(value) = self.get(key)
                && value.as_text().is_none()
            {
                self.add(
                    value.span.clone(),
                    format!("`config.{key}` is {}, where a text belongs", value.kind()),
                    "write it as one text",
                );
            }
        }
    }

    /// A word, or a list of words.
    fn words(&mut self, key: &str) {
        let is_word = |word: &Literal| {
            matches!(
                word.content,
                Content::Text(_) | Content::Number(_) | Content::Bool(_) | Content::Computed
            )
        };
        let Some(value) = self.get(key) else { return };
        let misfit = match value.as_list() {
            Some(words) => words.iter().find(|word| !is_word(word)),
            None => Some(value).filter(|value| value.as_text().is_none()),
        };
        if let Some(misfit) = misfit {
            self.add(
                misfit.span.clone(),
                format!(
                    "`config.{key}` is not a list of words: this is {}",
                    misfit.kind()
                ),
                "write texts and numbers in it, and no list, map or null",
            );
        }
    }

    /// Names with values, or names alone.
    fn environment(&mut self) {
        let Some(value) = self.get("env") else { return };
        let (span, kind) = match &value.content {
            Content::Map(_) => return,
            Content::List(names) => {
                let is_name = |name: &&Literal| name.as_text().is_some() || name.is_computed();
                let Some(misfit) = names.iter().find(|name| !is_name(name)) else {
                    return;
                };
                (misfit.span.clone(), misfit.kind())
            }
            _ => (value.span.clone(), value.kind()),
        };
        self.add(
            span,
            format!("`config.env` lists names of variables, and this is {kind}"),
            "write names, or a map of names to values",
        );
    }

    fn program(&mut self) {
        let is_container = self.get("image").is_some();
        if let Some(command) = self.get("command")
            && command.as_text().is_none()
            && !is_container
        {
            self.add(
                command.span.clone(),
                format!(
                    "`config.command` is {}, where a text belongs",
                    command.kind()
                ),
                "write the program there, and its words under `config.args`",
            );
        } else {
            self.words("command");
        }
        self.words("args");
        self.words("entrypoint");
        self.environment();
        if let Some(image) = self.get("image")
            && image
                .as_text()
                .is_none_or(|name| name.is_empty() || name.starts_with('-'))
        {
            self.add(
                image.span.clone(),
                format!(
                    "`config.image` is {}, which is not an image",
                    image.to_json()
                ),
                "write its name, as in `python:3.11`",
            );
        }
    }

    fn request(&mut self) {
        self.texts(&["url", "method"]);
        if let Some(value) = self.get("method")
            && let Some(method) = value.as_text()
            && !is_expanded(value)
            && toolglot_policy::method(method).is_err()
        {
            self.add(
                value.span.clone(),
                format!("unknown method `{method}` in `config.method`"),
                &format!("write one of {}", METHODS.join(", ")),
            );
        }
        self.address();
        self.headers();
        self.map("query");
    }

    /// `config.url`, as far as it is known before expansion.
    fn address(&mut self) {
        let Some(value) = self.get("url") else { return };
        let Some(url) = value.as_text() else { return };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let is_asked = ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str());
        let head = url.split(['/', ':', '?', '#']).next().unwrap_or_default();
        if !is_asked && !head.contains(['{', '$']) {
            self.add(
                value.span.clone(),
                format!("`config.url` is `{url}`, which is not an address of HTTP"),
                "start it with `https://` or `http://`",
            );
            return;
        }
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let is_parameter = template::placeholders(host).next().is_some()
            || scheme.is_empty() && head.starts_with('{');
        if is_parameter {
            self.add(
                value.span.clone(),
                "a parameter cannot say which host is asked".to_owned(),
                "write the host, or leave `config.url` out and name a parameter `url`",
            );
        } else if is_asked && host.is_empty() {
            self.add(
                value.span.clone(),
                format!("`config.url` is `{url}`, which names no host"),
                "write the host after `://`",
            );
        }
    }

    fn headers(&mut self) {
        self.map("headers");
        let headers = self.get("headers").and_then(Literal::as_map);
        for Member { key, key_span, .. } in headers.unwrap_or_default() {
            if is_own_header(key) {
                self.add(
                    key_span.clone(),
                    format!("the header `{key}` is not for a file to set"),
                    "leave it out: the request says it itself",
                );
            }
        }
    }

    fn map(&mut self, key: &str) {
        if let Some(value) = self.get(key)
            && value.as_map().is_none()
        {
            self.add(
                value.span.clone(),
                format!("`config.{key}` is {}, where a map belongs", value.kind()),
                "write a name and a value on each line",
            );
        }
    }
}

/// Whether a text has variables or parameters, so that its value is known only at run time.
fn is_expanded(value: &Literal) -> bool {
    value
        .as_text()
        .is_some_and(|text| text.contains(['{', '$']))
}

/// The names of the `{name}` placeholders in the texts of a value. The recursion is as deep as literals nest.
fn named(value: &Literal) -> Vec<&str> {
    match &value.content {
        Content::Text(text) => template::placeholders(text).collect(),
        Content::List(items) => items.iter().flat_map(named).collect(),
        Content::Map(members) => members
            .iter()
            .flat_map(|member| named(&member.value))
            .collect(),
        _ => Vec::new(),
    }
}
