//! Rule 11 and the best practices.

use crate::Severity;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::literal::Literal;
use crate::read::{Gives, Success, WorksOn, is_fetcher, shell_words};
use toolglot_tool_signature as signature;

use crate::Language;

use super::fields::{instead, is_kebab, kebab};
use super::subject::Subject;
use crate::rule::{
    ABSOLUTE_PATH, CONSTRAINTS, DEFAULTS, DESCRIPTION, ERRORS, KEBAB, MAIN_BLOCK, OPTIONS,
    PATH_CHECK, REQUIRED, RESULT_KEYS, RETRY, RETURNS, SIGNATURE_LINE, SNAKE, SPECIFIC,
    STRUCTURED_ERROR, TIMEOUT,
};

pub(super) fn apply(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    naming(subject, diagnostics);
    signature_line(subject, diagnostics);
    structure(subject, diagnostics);
    parameters(subject, diagnostics);
    around(subject, diagnostics);
}

/// Rule 11, as far as the code shows it; each call checks the rest.
pub(super) fn returns(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    if !subject.is_tool() {
        return;
    }
    let code = &subject.reading.code;
    let executor = subject.executor().unwrap_or_default();
    let Some(entry) = &code.entry else {
        let is_function =
            subject.language == Language::Python && executor.ends_with("python/function");
        let is_node = matches!(
            subject.language,
            Language::JavaScript | Language::TypeScript
        ) && !executor.is_empty();
        if is_function {
            diagnostics.help(
                RETURNS,
                subject.top(),
                "there is no function `execute`, which `python/function` calls".to_owned(),
                "write `def execute(params: dict, project_path: str) -> dict:`".to_owned(),
            );
        } else if is_node && code.only_defines {
            diagnostics.help(
                RETURNS,
                subject.top(),
                "there is no default export, which `node/node` calls".to_owned(),
                "write `export default function main(params, projectPath) { .. }`".to_owned(),
            );
        }
        return;
    };
    let runs_file = crate::executor_id(executor) == "rye/core/runtimes/python/script";
    if runs_file && subject.language == Language::Python && code.only_defines {
        diagnostics.help(
            RETURNS,
            entry.span.clone(),
            "`python/script` runs the file and calls nothing in it, so this tool does nothing"
                .to_owned(),
            "write `executor_id` as `python/function`, or end the file with `if __name__ == \"__main__\":` and the lines that `toolglot tools new` writes"
                .to_owned(),
        );
    }
    if entry.returns.is_empty() && !entry.may_leave {
        diagnostics.help(
            RETURNS,
            entry.span.clone(),
            "it never returns anything".to_owned(),
            "return `{\"success\": True, \"output\": ..}`".to_owned(),
        );
    }
    if !entry.takes_two {
        diagnostics.help(
            RETURNS,
            entry.span.clone(),
            "`execute` is called with two arguments".to_owned(),
            "write `def execute(params: dict, project_path: str) -> dict:`".to_owned(),
        );
    }
    // A single bad return is found at run time; a tool with bad returns alone never succeeds.
    let has_other = entry.returns.iter().any(|one| {
        let is_bad = matches!(
            one.gives,
            Gives::Other(_)
                | Gives::Map {
                    success: Success::NoBoolean,
                    ..
                }
        );
        !is_bad
    });
    let severity = if has_other {
        Severity::Warning
    } else {
        RETURNS.severity
    };
    let mut tell = |severity, span, message, help: &str| {
        diagnostics.push(Diagnostic {
            rule: RETURNS,
            severity,
            span,
            message,
            help: Some(help.to_owned()),
        });
    };
    if let Some(span) = entry.falls.clone()
        && (!entry.returns.is_empty() || entry.may_leave)
    {
        tell(
            severity,
            span,
            "after this the function ends, and returns nothing".to_owned(),
            "return `{\"success\": False, \"error\": \"..\"}`, or what it did",
        );
    }
    for one in &entry.returns {
        match &one.gives {
            Gives::Other(what) => tell(
                severity,
                one.span.clone(),
                format!("it returns {what}, where a map with `success` belongs"),
                "return `{\"success\": True, \"output\": ..}`",
            ),
            Gives::Map {
                open,
                success: Success::Missing,
                ..
            } if !open => tell(
                Severity::Warning,
                one.span.clone(),
                "the map that it returns has no `success`: a call that ends here has failed"
                    .to_owned(),
                "add `\"success\": True` or `\"success\": False`",
            ),
            Gives::Map {
                success: Success::NoBoolean,
                ..
            } => tell(
                severity,
                one.span.clone(),
                "`success` is not a boolean here".to_owned(),
                "write `True` or `False`",
            ),
            _ => {}
        }
    }
    for one in &entry.returns {
        if let Gives::Map {
            keys,
            open: false,
            success: success @ (Success::True | Success::False | Success::Computed),
        } = &one.gives
        {
            result_keys(one.span.clone(), keys, *success, diagnostics);
        }
    }
    let fails = entry.returns.iter().any(|one| {
        matches!(
            &one.gives,
            Gives::Unknown
                | Gives::Map {
                    success: Success::False | Success::Computed,
                    ..
                }
        ) || matches!(&one.gives, Gives::Map { keys, .. } if keys.iter().any(|key| key == "error"))
    });
    let works_on = if code.uses_paths.is_some() {
        Some("works on files")
    } else if code.works_on.contains_key(&WorksOn::Network) {
        Some("talks to the network")
    } else if code.works_on.contains_key(&WorksOn::Programs) {
        Some("runs programs")
    } else {
        None
    };
    if let Some(what) = works_on.filter(|_| !fails) {
        diagnostics.help(
            ERRORS,
            entry.span.clone(),
            format!("it {what} and never returns an error"),
            "return `{\"success\": False, \"error\": \"..\"}` for what is expected to go wrong"
                .to_owned(),
        );
    }
}

fn result_keys(
    span: std::ops::Range<usize>,
    keys: &[String],
    success: Success,
    diagnostics: &mut Diagnostics,
) {
    let has = |wanted: &[&str]| keys.iter().any(|key| wanted.contains(&key.as_str()));
    match success {
        Success::True if !has(&["output", "data", "stdout", "result"]) => diagnostics.help(
            RESULT_KEYS,
            span,
            "this success says nothing".to_owned(),
            "add `\"output\": ..` or `\"data\": ..`".to_owned(),
        ),
        Success::False if !has(&["error", "stderr"]) => diagnostics.help(
            STRUCTURED_ERROR,
            span,
            "this failure does not say why".to_owned(),
            "add `\"error\": \"..\"`".to_owned(),
        ),
        _ => {}
    }
}

fn naming(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    if !subject.is_tool() {
        return;
    }
    let id = subject
        .reading
        .get("tool_id")
        .filter(|id| id.as_text().is_some());
    let (name, span) = match id {
        Some(id) => (id.as_text().unwrap_or_default(), id.span.clone()),
        None => (subject.id.name(), subject.top()),
    };
    let name = name.rsplit('/').next().unwrap_or(name);
    if !is_kebab(name) && id.is_none() {
        diagnostics.help(
            KEBAB,
            span.clone(),
            format!("the tool is called `{name}`, after its file"),
            instead("call the file", name, name),
        );
    }
    if !name.contains(['-', '_']) && !name.chars().skip(1).any(|c| c.is_ascii_uppercase()) {
        diagnostics.help(
            SPECIFIC,
            span,
            format!("the name `{name}` is one word"),
            format!("say what it is done to, as in `{name}-service`"),
        );
    }
}

fn signature_line(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut at = 0;
    let allowed = signature::signature_line(subject.text, subject.language.signature_style());
    // Further down, such a line is part of the tool's text.
    for (n, line) in subject.text.split_inclusive('\n').take(4).enumerate() {
        let span = at..at + line.trim_end().len();
        at += line.len();
        if !signature::is_signature_like(line.trim_end()) || allowed == Some(n) {
            continue;
        }
        let (message, help) = if allowed.is_some() {
            (
                "this looks like a signature, but the file's signature is above it",
                "leave the line out",
            )
        } else {
            (
                "this looks like a signature, but the file is unsigned",
                "leave the line out; `toolglot tools sign` writes it",
            )
        };
        diagnostics.help(SIGNATURE_LINE, span, message.to_owned(), help.to_owned());
    }
}

fn structure(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    let code = &subject.reading.code;
    for path in &code.absolute_paths {
        diagnostics.help(
            ABSOLUTE_PATH,
            path.clone(),
            "this path is that of one machine".to_owned(),
            "resolve it against `project_path`".to_owned(),
        );
    }
    if !subject.is_tool() {
        return;
    }
    if let Some(first) = &code.uses_paths
        && !code.checks_paths
    {
        let help = match subject.language {
            Language::JavaScript | Language::TypeScript => {
                "refuse what `path.relative(projectPath, file)` finds above: it starts with `..`"
            }
            Language::Bash => "refuse what `realpath -m` does not find below the project",
            _ => "refuse what is not `file_path.resolve().is_relative_to(project)`",
        };
        diagnostics.help(
            PATH_CHECK,
            first.clone(),
            "a path from the parameters is used unchecked".to_owned(),
            help.to_owned(),
        );
    }
    if let Some(first) = &code.goes_on {
        diagnostics.help(
            ERRORS,
            first.clone(),
            "it continues after a failed command, and then reports success".to_owned(),
            "write `set -euo pipefail` before the first command".to_owned(),
        );
    }
    if subject.language != Language::Python {
        return;
    }
    if let Some(place) = &code.forgets_to_wait {
        diagnostics.help(
            MAIN_BLOCK,
            place.clone(),
            "`execute` is `async`, and nothing waits for it here".to_owned(),
            "write `asyncio.run(execute(..))`".to_owned(),
        );
    }
    if !code.has_main_block && code.entry.is_some() {
        diagnostics.help(
            MAIN_BLOCK,
            subject.top(),
            "it cannot be started from a command line".to_owned(),
            "end it with `if __name__ == \"__main__\":` and the lines that `toolglot tools new` writes".to_owned(),
        );
    }
}

fn parameters(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    let reading = subject.reading;
    for name in ["input_schema", "config_schema"] {
        let Some(schema) = reading.get(name) else {
            continue;
        };
        let properties = schema
            .get("properties")
            .and_then(Literal::as_map)
            .unwrap_or_default();
        let required = schema.get("required");
        if required.is_none() && !properties.is_empty() {
            diagnostics.help(
                REQUIRED,
                schema
                    .member("properties")
                    .map_or(schema.span.clone(), |member| member.key_span.clone()),
                "nothing says which of these are required".to_owned(),
                "add `required`, empty if none is".to_owned(),
            );
        }
        let names: Vec<&str> = required
            .and_then(Literal::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(Literal::as_text)
            .collect();
        for property in properties {
            let is_required = names.contains(&property.key.as_str());
            parameter(
                subject,
                &property.key,
                &property.key_span,
                &property.value,
                is_required,
                diagnostics,
            );
        }
        // The first schema wins.
        return;
    }
    if let Some(list) = reading.get("parameters") {
        listed(subject, list, diagnostics);
    }
    for action in reading
        .get("actions")
        .and_then(Literal::as_map)
        .unwrap_or_default()
    {
        if let Some(list) = action.value.get("parameters") {
            listed(subject, list, diagnostics);
        }
    }
}

fn listed(subject: Subject<'_>, list: &Literal, diagnostics: &mut Diagnostics) {
    for one in list.as_list().unwrap_or_default() {
        let Some(name) = one.get("name") else {
            continue;
        };
        let Some(text) = name.as_text() else { continue };
        let required = one.get("required");
        if required.is_none() {
            diagnostics.help(
                REQUIRED,
                name.span.clone(),
                format!("`{text}` does not say whether it is required"),
                "add `required: true` or `required: false`".to_owned(),
            );
        }
        let is_required = required.and_then(Literal::as_bool) != Some(false);
        parameter(subject, text, &name.span, one, is_required, diagnostics);
    }
}

fn parameter(
    subject: Subject<'_>,
    name: &str,
    span: &std::ops::Range<usize>,
    schema: &Literal,
    is_required: bool,
    diagnostics: &mut Diagnostics,
) {
    if schema.as_map().is_none() {
        return;
    }
    let description = schema
        .get("description")
        .and_then(Literal::as_text)
        .unwrap_or_default();
    if description.trim().is_empty() {
        diagnostics.help(
            DESCRIPTION,
            span.clone(),
            format!("`{name}` has no description"),
            "say what it does, for a model to read".to_owned(),
        );
    }
    let is_snake = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if subject.language == Language::Python && !is_snake {
        diagnostics.help(
            SNAKE,
            span.clone(),
            format!("`{name}` is not snake_case"),
            format!("write `{}`", kebab(name, name).replace('-', "_")),
        );
    }
    let is_variable = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if subject.gives_variables() && !is_variable {
        diagnostics.help(
            SNAKE,
            span.clone(),
            format!("`{name}` can be no variable: its program finds it on standard input only"),
            if name.is_ascii() {
                format!("write `{}`", kebab(name, "a-name").replace('-', "_"))
            } else {
                "write letters of ASCII, digits and `_`".to_owned()
            },
        );
    }
    let has = |keys: &[&str]| keys.iter().any(|key| schema.get(key).is_some());
    let kind = schema
        .get("type")
        .and_then(Literal::as_text)
        .unwrap_or_default();
    if matches!(kind, "integer" | "number")
        && !has(&[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "enum",
            "const",
        ])
    {
        diagnostics.help(
            CONSTRAINTS,
            span.clone(),
            format!("`{name}` is a number without bounds"),
            "add `minimum` and `maximum`".to_owned(),
        );
    }
    let lists_options = {
        let lower = description.to_lowercase();
        lower.contains("one of") || lower.contains("either ")
    };
    if kind == "string" && lists_options && !has(&["enum", "const", "pattern"]) {
        diagnostics.help(
            OPTIONS,
            span.clone(),
            format!("the description of `{name}` lists options, its schema does not"),
            "add `enum`".to_owned(),
        );
    }
    if !is_required && !has(&["default", "const"]) && kind != "object" {
        diagnostics.help(
            DEFAULTS,
            span.clone(),
            format!("`{name}` is optional and has no default"),
            "add `default`".to_owned(),
        );
    }
}

fn around(subject: Subject<'_>, diagnostics: &mut Diagnostics) {
    if !subject.is_tool() {
        return;
    }
    let reading = subject.reading;
    let executor = subject.executor().unwrap_or_default();
    let needs_network = reading
        .get("requires")
        .and_then(Literal::as_list)
        .unwrap_or_default()
        .iter()
        .filter_map(Literal::as_text)
        .any(|capability| capability.starts_with("net."));
    let config = reading.get("config");
    let in_code = reading.code.works_on.get(&WorksOn::Network).cloned();
    let is_remote = needs_network
        || in_code.is_some()
        || matches!(subject.tool_type(), Some("mcp" | "http"))
        || executor.ends_with("http")
        || executor.ends_with("http_client")
        || config.is_some_and(fetches);
    let attempts = reading
        .get("retry_policy")
        .map(|policy| policy.get("max_attempts").and_then(Literal::as_f64));
    if is_remote && !attempts.is_some_and(|attempts| attempts.is_none_or(|n| n > 1.0)) {
        let place = match attempts {
            Some(_) => reading
                .get("retry_policy")
                .map(|policy| policy.span.clone()),
            None => in_code,
        };
        diagnostics.help(
            RETRY,
            place.unwrap_or_else(|| subject.top()),
            "it talks to the network and gives up at the first failure".to_owned(),
            "add `retry_policy` with `max_attempts`, 2 or more".to_owned(),
        );
    }
    let has_timeout = reading.get("timeout").is_some()
        || config.is_some_and(|config| config.get("timeout").is_some());
    if subject.language.is_configuration() && !has_timeout && !executor.is_empty() {
        diagnostics.help(
            TIMEOUT,
            subject.top(),
            "it does not say how long it may take".to_owned(),
            "add `timeout`, in seconds".to_owned(),
        );
    }
}

/// Whether a configuration runs a program that accesses the network.
fn fetches(config: &Literal) -> bool {
    let command = config.get("command").and_then(Literal::as_text);
    let Some(command) = command else { return false };
    if shell_words(command).any(is_fetcher) {
        return true;
    }
    let program = command.rsplit('/').next().unwrap_or(command);
    let args = config.get("args").and_then(Literal::as_list);
    matches!(program, "sh" | "bash" | "dash" | "zsh" | "env")
        && args
            .unwrap_or_default()
            .iter()
            .filter_map(Literal::as_text)
            .any(|text| shell_words(text).any(is_fetcher))
}
