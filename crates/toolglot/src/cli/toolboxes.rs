//! Tools named on the command line or in a document.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolglot_chat::DEFAULT_DIALECT;
use toolglot_engine::Dialect;
use toolglot_session::{CallError, Policies, Session};
use toolglot_tool_registry::Registry;
use toolglot_tool_trust::{Space, Spaces};
use toolglot_toolset::{Effect, ToolSpec, Toolbox};
use toolglot_value::{Map, Value};

use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::{select, source};

/// The tools that `--tools` names, for reading or writing a text. An empty list counts as no list: any tool name is
/// then accepted.
pub(crate) fn known(argument: Option<&str>) -> Result<Option<Toolbox>, Failure> {
    let named = argument.map(load).transpose()?;
    Ok(named.filter(|toolbox| !toolbox.is_empty()))
}

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
    listed(&value, argument)
}

/// The tools of a list. Entries that no text can call are reported on standard error.
fn listed(value: &Value, origin: &str) -> Result<Toolbox, Failure> {
    let toolbox = Toolbox::from_json(value).map_err(|error| Failure::Tools {
        origin: origin.to_owned(),
        error,
    })?;
    report_left_out(&toolbox, origin);
    Ok(toolbox)
}

/// Reports the entries of a list that no text can call.
pub(crate) fn report_left_out(toolbox: &Toolbox, origin: &str) {
    for entry in toolbox.left_out() {
        let _ = writeln!(
            screen::stderr(),
            "left out: {origin}: {entry}, which no text calls"
        );
    }
}

/// The tools that `--tools` names, for a prompt. Only tool files that may run are included: no model reads a file's own
/// description before somebody trusts the file. The other files are reported on standard error.
fn to_teach(argument: &str) -> Result<Toolbox, Failure> {
    let path = Path::new(argument);
    if argument.starts_with("builtin:") || !path.is_dir() {
        return load(argument);
    }
    let (Some(project), specs) = (project_of(path)?, tool_files(path)?) else {
        return load(argument);
    };
    if specs.is_empty() {
        return load(argument);
    }
    let session = Session::builder(&project, Policies::discover(&project)).build()?;
    let builtin = builtin("vocabulary")?;
    let mut taught = Vec::new();
    for spec in specs {
        let why = if builtin.canonical(&spec.name).is_some() {
            Some(format!(
                "the builtin tool `{}` runs in its place",
                spec.name
            ))
        } else {
            match session.check(&spec.name, Map::new()) {
                // The arguments are empty here; the model reads from the schema which ones the tool needs.
                Ok(()) | Err(CallError::Arguments { .. }) => None,
                Err(error) => Some(error.to_string()),
            }
        };
        match why {
            None => taught.push(spec),
            Some(why) => {
                let _ = writeln!(screen::stderr(), "left out: {why}");
            }
        }
    }
    Ok(taught.into_iter().collect())
}

/// The tool files of a project (a directory with `.ai/tools`) or of a directory of tools. Deprecated tools are left
/// out. Tools that break a rule are left out and reported on standard error.
fn tool_files(path: &Path) -> Result<Vec<ToolSpec>, Failure> {
    let Some(project) = project_of(path)? else {
        return Ok(Vec::new());
    };
    let spaces = Spaces {
        project: Some(project),
        user: None,
    };
    let registry = Registry::open(&spaces)?;
    let (entries, problems) = registry.list();
    let mut specs = Vec::new();
    let mut left_out = problems;
    for entry in entries.iter().filter(|entry| entry.space == Space::Project) {
        let found = match registry.read(entry) {
            Ok(found) => found,
            Err(error) => {
                left_out.push(error.to_string());
                continue;
            }
        };
        let tool = found.tool();
        match tool.worst() {
            None => specs.extend(tool.specs()),
            Some(worst) => {
                let (id, why) = (&entry.id, &worst.message);
                left_out.push(format!(
                    "`{id}`: {why}; `toolglot tools check {id}` tells all"
                ));
            }
        }
    }
    for why in left_out {
        // Standard error may be closed.
        let _ = writeln!(screen::stderr(), "left out: {why}");
    }
    Ok(specs)
}

/// The project of a directory that contains `.ai/tools`, or that is `.ai/tools`.
fn project_of(path: &Path) -> Result<Option<PathBuf>, Failure> {
    if path.join(".ai/tools").is_dir() {
        return Ok(Some(path.to_owned()));
    }
    let whole = std::fs::canonicalize(path).map_err(|error| source::failed(path, error))?;
    let project = whole
        .to_str()
        .and_then(|whole| whole.strip_suffix("/.ai/tools"));
    Ok(project.map(PathBuf::from))
}

/// The builtin set of that name.
pub(crate) fn builtin(name: &str) -> Result<Toolbox, Failure> {
    Toolbox::builtin(name).ok_or_else(|| Failure::UnknownToolbox(name.to_owned()))
}

/// The dialect that a model is taught, and its tools. Without names, they are the default dialect and the tools that
/// its models know. The default dialect is reported on standard error.
pub(crate) fn taught_dialect(
    name: Option<&str>,
    tools: Option<&str>,
) -> Result<(Dialect, Toolbox), Failure> {
    let name = name.unwrap_or_else(|| {
        // A hint only; standard error may be closed.
        let _ = writeln!(
            screen::stderr(),
            "no --dialect: `{DEFAULT_DIALECT}`, which needs no special token of any model"
        );
        DEFAULT_DIALECT
    });
    let dialect = select::one(name)?;
    let toolbox = match tools {
        Some(tools) => to_teach(tools)?,
        None => taught(&dialect)?,
    };
    Ok((dialect, toolbox))
}

/// The tools to teach if none are named: those that models of `dialect` know and that `run` can run.
fn taught(dialect: &Dialect) -> Result<Toolbox, Failure> {
    let known = Toolbox::taught(dialect.name())
        .cloned()
        .map_or_else(|| builtin("workspace"), Ok)?;
    let vocabulary = builtin("vocabulary")?;
    let runs = |spec: &ToolSpec| {
        let canonical = vocabulary.canonical(&spec.name);
        canonical.is_some_and(|(spec, _)| spec.effect != Effect::Unknown)
    };
    Ok(known.only(runs))
}

fn json(path: &Path) -> Result<Value, Failure> {
    let text = source::document(path)?;
    toolglot_value::from_str(&text).map_err(|source| Failure::Json {
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

/// The tools in a file of a directory: one tool or an array of tools.
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
