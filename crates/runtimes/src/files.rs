//! The primitive `filesystem`: the builtin file tools under the names of the system set.

use serde_json::{Map, Value, json};
use toolglot_exec::{Outcome, Root, execute};
use toolglot_toolfiles::Returned;

use crate::CallError;
use crate::call::Host;
use crate::resolve::Chain;

/// Does what `config.operation` of the tool says.
pub(crate) fn run(
    host: &Host<'_>,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<Returned, CallError> {
    let (found, tool) = chain.tool();
    let bad = |why: String| CallError::Config {
        id: found.id.to_string(),
        why,
    };
    let operation = tool
        .metadata
        .config
        .as_ref()
        .and_then(|config| config.get("operation")?.as_str());
    let operation = operation.ok_or_else(|| bad("`config.operation` is missing".to_owned()))?;
    let root = Root::open(&host.project)
        .map_err(|error| bad(format!("the project cannot be opened: {error}")))?;
    let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default();
    let number =
        |name: &str, default: u64| params.get(name).and_then(Value::as_u64).unwrap_or(default);
    let directory = match text("path") {
        "" => ".",
        path => path,
    };
    let include = match text("include") {
        "" => "**",
        pattern => pattern,
    };
    let outcome = match operation {
        "read_file" => {
            let (start, limit) = (number("offset", 0) + 1, number("limit", 2000));
            do_it(
                &root,
                "read_file",
                json!({
                    "path": text("path"),
                    "start_line": start,
                    "end_line": start.saturating_add(limit - limit.min(1)),
                }),
            )
        }
        "write_file" => do_it(
            &root,
            "write_file",
            json!({"path": text("path"), "content": text("content")}),
        ),
        "list_files" if params.contains_key("pattern") => do_it(
            &root,
            "list_files",
            json!({
                "path": directory, "pattern": text("pattern"), "recursive": true,
            }),
        ),
        "list_files" => do_it(&root, "list_files", json!({"path": directory})),
        "search_files" => do_it(
            &root,
            "search_files",
            json!({
                "path": directory, "pattern": text("pattern"), "file_pattern": include,
            }),
        ),
        "edit_lines" => edit(&root, text("path"), params),
        other => return Err(bad(format!("there is no operation `{other}`"))),
    };
    let mut value = Map::new();
    value.insert("success".to_owned(), Value::Bool(outcome.ok));
    if outcome.ok {
        value.insert("output".to_owned(), Value::String(outcome.text));
        value.insert("data".to_owned(), outcome.output);
    } else {
        value.insert("error".to_owned(), Value::String(outcome.text));
    }
    Ok(Returned {
        success: outcome.ok,
        value,
        breaches: Vec::new(),
    })
}

fn do_it(root: &Root, tool: &str, arguments: Value) -> Outcome {
    let Value::Object(arguments) = arguments else {
        unreachable!("every caller gives an object")
    };
    execute(root, tool, &arguments)
}

/// Replaces ranges of lines, which are numbered as they were before any of them.
fn edit(root: &Root, path: &str, params: &Map<String, Value>) -> Outcome {
    let read = do_it(root, "read_file", json!({"path": path}));
    if !read.ok {
        return read;
    }
    let refuse = |why: String| Outcome {
        ok: false,
        output: json!({"error": "bad-edit", "message": why}),
        text: why,
    };
    let old = read.output["content"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if read
        .output
        .get("truncated")
        .is_some_and(|flag| flag == &json!(true))
    {
        return refuse(format!("`{path}` is too long to be edited by lines"));
    }
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut changes: Vec<(usize, usize, &str)> = Vec::new();
    for change in params
        .get("changes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let at = |name: &str| change[name].as_u64().unwrap_or(0) as usize;
        changes.push((
            at("start_line"),
            at("end_line"),
            change["content"].as_str().unwrap_or_default(),
        ));
    }
    changes.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut out, mut next) = (String::with_capacity(old.len()), 1);
    for (start, end, content) in &changes {
        if *start < next || end + 1 < *start || *end > lines.len() || *start > lines.len() + 1 {
            return refuse(format!(
                "lines {start} to {end} of `{path}` cannot be replaced: it has {} lines, and changes do not overlap",
                lines.len()
            ));
        }
        out.push_str(&lines[next - 1..start - 1].concat());
        out.push_str(content);
        if !content.is_empty() && !content.ends_with('\n') && *end < lines.len() {
            out.push('\n');
        }
        next = end + 1;
    }
    out.push_str(&lines[next - 1..].concat());
    do_it(root, "write_file", json!({"path": path, "content": out}))
}
