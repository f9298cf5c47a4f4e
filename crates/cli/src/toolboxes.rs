//! Tools named on the command line or in a document.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolglot::Dialect;
use toolglot_toolfiles::{Registry, Space, Spaces};
use toolglot_tools::{ToolSpec, Toolbox};

use crate::failure::Failure;
use crate::source;

/// The names of the builtin sets.
pub(crate) const BUILTIN: &[&str] = &[
    "workspace",
    "vocabulary",
    "roo",
    "forge",
    "axe",
    "tool_call",
];

/// The tools that `--tools` names: `builtin:NAME`, a file or a directory of files.
pub(crate) fn load(argument: &str) -> Result<Toolbox, Failure> {
    if let Some(name) = argument.strip_prefix("builtin:") {
        return builtin(name);
    }
    let path = Path::new(argument);
    if path.is_dir() {
        let specs = tool_files(path)?;
        if !specs.is_empty() {
            return Ok(specs.into_iter().collect());
        }
    }
    let value = if path.is_dir() {
        let files = files(path).map_err(|error| source::failed(path, error))?;
        Value::Array(
            files
                .iter()
                .map(|file| json(file))
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .flat_map(entries)
                .collect(),
        )
    } else {
        json(path)?
    };
    Toolbox::from_json(&value).map_err(|error| Failure::Tools {
        origin: argument.to_owned(),
        error,
    })
}

/// The tools that are files in a project (it holds `.ai/tools`) or in a directory of tools; deprecated ones are left out,
/// as are those that break a rule.
fn tool_files(path: &Path) -> Result<Vec<ToolSpec>, Failure> {
    let project = if path.join(".ai/tools").is_dir() {
        path.to_owned()
    } else {
        let whole = std::fs::canonicalize(path).map_err(|error| source::failed(path, error))?;
        match whole
            .to_str()
            .and_then(|whole| whole.strip_suffix("/.ai/tools"))
        {
            Some(project) => PathBuf::from(project),
            None => return Ok(Vec::new()),
        }
    };
    let spaces = Spaces {
        project: Some(project),
        user: None,
    };
    let registry = Registry::open(&spaces)?;
    let (entries, _) = registry.list();
    let mut specs = Vec::new();
    for entry in entries.iter().filter(|entry| entry.space == Space::Project) {
        let found = registry.read(entry)?;
        let tool = found.tool();
        if tool.errors().next().is_none() {
            specs.extend(tool.specs());
        }
    }
    Ok(specs)
}

/// The tools of a document: any shape that a file may have, or a string that names a builtin set.
pub(crate) fn of_value(value: &Value) -> Result<Toolbox, Failure> {
    match value {
        Value::String(name) => builtin(name.strip_prefix("builtin:").unwrap_or(name)),
        value => Toolbox::from_json(value).map_err(|error| Failure::Tools {
            origin: "tools".to_owned(),
            error,
        }),
    }
}

/// The builtin set of that name.
pub(crate) fn builtin(name: &str) -> Result<Toolbox, Failure> {
    Toolbox::builtin(name).ok_or_else(|| Failure::UnknownToolbox(name.to_owned()))
}

/// The tools that models of `dialect` know, or those that `run` can execute.
pub(crate) fn taught(dialect: &Dialect) -> Result<Toolbox, Failure> {
    Toolbox::taught(dialect.name()).map_or_else(|| builtin("workspace"), Ok)
}

fn json(path: &Path) -> Result<Value, Failure> {
    let text = source::text(path)?;
    serde_json::from_str(&text).map_err(|source| Failure::Json {
        origin: source::name(path),
        source,
    })
}

/// The JSON files of a directory, in order of name.
fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
            && path.is_file()
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A file of a directory holds one tool or an array of tools.
fn entries(value: Value) -> Vec<Value> {
    match value {
        Value::Array(entries) => entries,
        Value::Object(mut object) => match object.remove("tools") {
            Some(Value::Array(entries)) => entries,
            Some(other) => {
                object.insert("tools".to_owned(), other);
                vec![Value::Object(object)]
            }
            None => vec![Value::Object(object)],
        },
        other => vec![other],
    }
}
