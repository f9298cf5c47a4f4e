//! Converts results of the system's file tools to the form of the origin's tools with the same ids.
//! `rye/file-system/read` returns lines with their ids, `ls` entries, `grep` matches with line ids.

use toolglot_builtins::{Outcome, line_id};
use toolglot_tool_files::ReturnValue;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::Space;
use toolglot_value::{Map, Value, json};

use crate::plain_form::returned;

/// The most results, as in the origin.
const MAX_RESULTS: usize = 100;
/// The most characters of a text, as in the origin.
const MAX_TEXT: usize = 51_200;
/// Names that a listing and a search skip.
const IGNORED: &[&str] = &[
    "node_modules",
    "__pycache__",
    ".git",
    ".venv",
    "venv",
    ".tox",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".eggs",
    ".nox",
    ".hg",
    ".svn",
];
/// Further names that a search skips.
const BUILT: &[&str] = &["dist", "build"];

/// Whether a tool's results have the origin's form: the system's file tools do.
pub(crate) fn is_of(found: &ToolSource) -> bool {
    found.space == Space::System && found.id.category() == "rye/file-system"
}

/// The outcomes of builtin calls in the form of the tool `name`; the last outcome may be a failure.
pub(crate) fn form(name: &str, params: &Map<String, Value>, outcomes: Vec<Outcome>) -> ReturnValue {
    if name == "write" && params.contains_key("files") {
        return written(params, &outcomes);
    }
    let Some(outcome) = outcomes.into_iter().next() else {
        return of(json!({"success": true, "output": ""}));
    };
    let is_after_end = name == "read" && outcome.output["error"] == "behind-end";
    if !outcome.ok && !is_after_end {
        return returned(outcome);
    }
    let output = &outcome.output;
    of(match name {
        "read" => read(params, output),
        "write" => one_written(params, &outcome),
        "edit_lines" => {
            let n = params
                .get("changes")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            json!({
                "success": true, "output": output["diff"], "changes_applied": n, "lines_changed": output["lines_changed"],
            })
        }
        "ls" => listed(output),
        "glob" => found(output),
        "grep" => matched(output),
        _ => return returned(outcome),
    })
}

fn of(value: Value) -> ReturnValue {
    let success = value["success"] == true;
    let Value::Object(value) = value else {
        unreachable!("every form is an object")
    };
    ReturnValue {
        success,
        value,
        breaches: Vec::new(),
    }
}

fn read(params: &Map<String, Value>, output: &Value) -> Value {
    let offset = params.get("offset").and_then(Value::as_u64).unwrap_or(1);
    let text = output["content"].as_str().unwrap_or_default();
    let first = output["start_line"].as_u64().unwrap_or(1);
    let lines: Vec<String> = text
        .lines()
        .zip(first..)
        .map(|(line, number)| format!("[LID:{}] {line}", line_id(number, line)))
        .collect();
    let whole = lines.join("\n");
    let text: String = whole.chars().take(MAX_TEXT).collect();
    json!({
        "success": true,
        "truncated": text.len() < whole.len() || output["truncated"] == true,
        "output": text,
        "line_count": lines.len(),
        "total_lines": output["total_lines"],
        "offset": offset,
    })
}

fn one_written(params: &Map<String, Value>, outcome: &Outcome) -> Value {
    let path = outcome.output["path"].as_str().unwrap_or_default();
    let text = params
        .get("content")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let n = text.chars().count();
    let created = outcome.output["created"] == true;
    let said = if created {
        format!("Created new file {path} ({n} bytes)")
    } else {
        format!("Wrote {path} ({n} bytes)")
    };
    json!({"success": true, "output": said, "file_path": path, "bytes_written": n, "created": created})
}

fn written(params: &Map<String, Value>, outcomes: &[Outcome]) -> ReturnValue {
    let files = params.get("files").and_then(Value::as_array);
    let files: Vec<&Value> = files.into_iter().flatten().collect();
    let results: Vec<Value> = files
        .iter()
        .zip(outcomes)
        .map(|(file, outcome)| {
            if let (true, Some(file)) = (outcome.ok, file.as_object()) {
                one_written(file, outcome)
            } else {
                json!({"success": false, "file_path": file["path"], "error": outcome.text})
            }
        })
        .collect();
    let n = outcomes.iter().filter(|outcome| outcome.ok).count();
    let mut value = json!({
        "success": n == files.len(), "files_written": n, "files_total": files.len(), "results": results,
    });
    if let Some(failed) = outcomes.iter().find(|outcome| !outcome.ok) {
        let left = files.len() - outcomes.len();
        let done = if n == 0 {
            "nothing was written".to_owned()
        } else {
            format!("written before: {n}, not started: {left}")
        };
        value["error"] = json!(format!("{}; {done}", failed.text));
    } else {
        let said: Vec<&str> = results
            .iter()
            .filter_map(|one| one["output"].as_str())
            .collect();
        value["output"] = json!(said.join("\n"));
    }
    of(value)
}

/// A name as a path relative to the project.
fn whole(directory: &str, name: &str) -> String {
    match directory {
        "" | "." => name.to_owned(),
        directory => format!("{}/{name}", directory.trim_end_matches('/')),
    }
}

fn names<'a>(output: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    let names = output[key].as_array().into_iter().flatten();
    names.filter_map(Value::as_str)
}

fn is_ignored(path: &str, more: &[&str]) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| IGNORED.contains(&part) || more.contains(&part) || part.contains(".egg-info"))
}

fn listed(output: &Value) -> Value {
    let directory = output["directory"].as_str().unwrap_or_default();
    let sorted = |keys: &[&str]| {
        let mut all: Vec<&str> = keys.iter().flat_map(|key| names(output, key)).collect();
        all.retain(|name| !is_ignored(name, &[]));
        all.sort_by_key(|name| name.to_lowercase());
        all
    };
    let (mut lines, mut entries) = (Vec::new(), Vec::new());
    for (kind, suffix, keys) in [
        ("directory", "/", &["directories"][..]),
        ("file", "", &["files", "others"][..]),
    ] {
        for name in sorted(keys) {
            let name = whole(directory, name);
            lines.push(format!("{name}{suffix}"));
            entries.push(json!({"name": name, "type": kind}));
        }
    }
    json!({"success": true, "output": lines.join("\n"), "entries": entries})
}

fn found(output: &Value) -> Value {
    let directory = output["directory"].as_str().unwrap_or_default();
    let mut files: Vec<String> = names(output, "files")
        .map(|name| whole(directory, name))
        .filter(|name| !is_ignored(name, BUILT))
        .take(MAX_RESULTS)
        .collect();
    files.sort();
    let truncated = files.len() >= MAX_RESULTS || output["truncated"] == true;
    json!({
        "success": true, "output": files.join("\n"), "count": files.len(), "files": files, "truncated": truncated,
    })
}

fn matched(output: &Value) -> Value {
    let directory = output["path"].as_str().unwrap_or_default();
    let (mut lines, mut matches) = (Vec::new(), Vec::new());
    let mut is_cut = output["truncated"] == true;
    for one in output["matches"].as_array().into_iter().flatten() {
        let file = one["path"].as_str().unwrap_or_default();
        let file = if file.starts_with(directory) || directory == "." {
            file.to_owned()
        } else {
            whole(directory, file)
        };
        if is_ignored(&file, BUILT) {
            continue;
        }
        if matches.len() == MAX_RESULTS {
            is_cut = true;
            break;
        }
        let (number, text) = (
            one["line"].as_u64().unwrap_or_default(),
            one["text"].as_str().unwrap_or_default(),
        );
        let mut record = json!({"file": file, "line": number, "content": text});
        // The id of a cut line is not known.
        if text.starts_with('\u{2026}') || text.ends_with('\u{2026}') {
            lines.push(format!("{file}:{number}:{text}"));
        } else {
            let id = line_id(number, text);
            lines.push(format!("{file}:{number}:[LID:{id}]:{text}"));
            record["line_id"] = json!(id);
        }
        matches.push(record);
    }
    json!({
        "success": true, "output": lines.join("\n"), "count": matches.len(), "matches": matches, "truncated": is_cut,
    })
}
