//! The primitive `filesystem`: calls of the builtin file tools, under the names of the system set. A tool's shell
//! command becomes a call of `execute_command`, so that the policy decides about it as such.

use std::collections::BTreeSet;

use toolglot_builtins::{Outcome, Root, execute_unjudged};
use toolglot_policy::Effect;
use toolglot_schema::Violation;
use toolglot_tool_files::ReturnValue;
use toolglot_tool_registry::ToolSource;
use toolglot_value::{Map, Value, json};

use crate::failure::CallError;
use crate::origin_form;
use crate::plain_form::returned;
use crate::prepared::Builtin;
use crate::resolve::Chain;
use crate::runner::ToolRunner;
use crate::shell_command::ShellCommand;

/// The calls of builtin tools that a call of this tool stands for; empty for other tools.
pub(crate) fn builtins(
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<Vec<Builtin>, CallError> {
    let (found, tool) = chain.tool();
    let config = |key: &str| tool.metadata.config.as_ref()?.get(key)?.as_str();
    let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default();
    if chain.primitive() != "filesystem" {
        let command = ShellCommand::of(chain, params)?.map(|command| {
            let arguments = json!({"command": command.text, "cwd": command.directory});
            Builtin::new("execute_command", Effect::Execute, arguments)
        });
        return Ok(command.into_iter().collect());
    }
    let bad = |why: String| CallError::Config {
        id: found.id.to_string(),
        why,
    };
    let operation =
        config("operation").ok_or_else(|| bad("`config.operation` is missing".to_owned()))?;
    let number =
        |name: &str, default: u64| params.get(name).and_then(Value::as_u64).unwrap_or(default);
    let directory = match text("path") {
        "" => ".",
        path => path,
    };
    let include = match text("include") {
        "" => "**".to_owned(),
        // A bare name matches files at every depth.
        name if origin_form::is_of(found) && !name.contains('/') => format!("**/{name}"),
        pattern => pattern.to_owned(),
    };
    let builtin = match operation {
        "read_file" => {
            let (start, limit) = (number("offset", 1).max(1), number("limit", 2000));
            let end = start.saturating_add(limit - limit.min(1));
            let arguments = json!({"path": text("path"), "start_line": start, "end_line": end});
            Builtin::new("read_file", Effect::Read, arguments)
        }
        "write_file" if params.contains_key("files") => {
            return several(found.id.as_str(), params);
        }
        "write_file" => {
            let arguments = json!({"path": text("path"), "content": text("content")});
            Builtin::new("write_file", Effect::Write, arguments)
        }
        "list_files" if params.contains_key("pattern") => {
            let pattern = text("pattern");
            // The origin matches at every depth.
            let pattern = if origin_form::is_of(found) && !pattern.starts_with("**/") {
                format!("**/{pattern}")
            } else {
                pattern.to_owned()
            };
            let arguments = json!({"path": directory, "pattern": pattern, "recursive": true});
            Builtin::new("list_files", Effect::Read, arguments)
        }
        "list_files" => Builtin::new("list_files", Effect::Read, json!({"path": directory})),
        "search_files" => {
            let arguments =
                json!({"path": directory, "pattern": text("pattern"), "file_pattern": include});
            Builtin::new("search_files", Effect::Read, arguments)
        }
        "edit_lines" => {
            let arguments = json!({"path": text("path"), "changes": params.get("changes")});
            Builtin::new("edit_file", Effect::Write, arguments)
        }
        other => return Err(bad(format!("there is no operation `{other}`"))),
    };
    Ok(vec![builtin])
}

/// A call for each of `files`. A path that occurs twice is an error: the order does not decide which text stays.
fn several(id: &str, params: &Map<String, Value>) -> Result<Vec<Builtin>, CallError> {
    let files = params.get("files").and_then(Value::as_array);
    let mut places = BTreeSet::new();
    let calls = files.into_iter().flatten().map(|file| {
        let text = |name: &str| file.get(name).and_then(Value::as_str).unwrap_or_default();
        let path = text("path");
        if !places.insert(plain(path)) {
            return Err(CallError::Arguments {
                id: id.to_owned(),
                violations: vec![Violation {
                    path: "/files".to_owned(),
                    keyword: "uniqueItems".to_owned(),
                    message: format!("write `{path}` once: it is among `files` twice"),
                }],
            });
        }
        let arguments = json!({"path": path, "content": text("content")});
        Ok(Builtin::new("write_file", Effect::Write, arguments))
    });
    calls.collect()
}

/// The parts of a path without `.` and empty ones: `./a//b` is `a/b`.
fn plain(path: &str) -> Vec<&str> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect()
}

/// Executes the calls in order up to the first failure. Returns their results in the tool's form.
pub(crate) fn carried_out(
    found: &ToolSource,
    params: &Map<String, Value>,
    builtins: &[Builtin],
    effect: &mut dyn FnMut(&Builtin) -> Outcome,
) -> ReturnValue {
    if origin_form::is_of(found) {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for builtin in builtins {
            outcomes.push(effect(builtin));
            if !outcomes[outcomes.len() - 1].ok {
                break;
            }
        }
        return origin_form::form(found.id.name(), params, outcomes);
    }
    if let [one] = builtins {
        return returned(effect(one));
    }
    let (mut texts, mut done) = (Vec::new(), Vec::new());
    for builtin in builtins {
        let outcome = effect(builtin);
        if !outcome.ok {
            let mut failed = returned(outcome);
            if let Some(Value::String(error)) = failed.value.get_mut("error") {
                let n_left = builtins.len() - done.len() - 1;
                *error = match done.len() {
                    0 => format!("{error}; nothing was done"),
                    n_done => format!(
                        "{error}; done before: {n_done}, not started: {n_left}\n{}",
                        texts.join("\n")
                    ),
                };
            }
            failed
                .value
                .insert("data".to_owned(), json!({"files": done}));
            return failed;
        }
        texts.push(outcome.text);
        done.push(outcome.output);
    }
    returned(Outcome {
        ok: true,
        output: json!({"files": done}),
        text: texts.join("\n"),
    })
}

/// Executes a call, for callers without a policy.
pub(crate) fn unjudged(runner: &ToolRunner, builtin: &Builtin) -> Outcome {
    match Root::open(&runner.project) {
        Ok(root) => {
            let root = root.with_sandbox(runner.sandbox.clone());
            execute_unjudged(&root, builtin.tool, &builtin.arguments)
        }
        Err(error) => {
            let text = format!("the project cannot be opened: {error}");
            let output = json!({"error": "no-root", "message": text});
            Outcome {
                ok: false,
                output,
                text,
            }
        }
    }
}
